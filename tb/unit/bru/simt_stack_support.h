// Builders for the tests of the engine simt_stack: instructions, operands of all lanes, one warp.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "bru/engines/simt_stack/engine.h"
#include "model/program/program.h"

namespace smsim::bru::simt_stack::test {

using isa::Form;
using isa::Instruction;
using isa::Op;

inline constexpr Pc kProgramBytes = 0x1000;

inline Instruction insn(Op op, Form form, Pc pc) {
    Instruction i;
    i.op = op;
    i.form = form;
    i.unit = isa::spec_of(op).unit;
    i.pc = pc;
    return i;
}
/// An instruction with a target: VBEQ and similar, SETRPC, BRA.
inline Instruction to(Op op, Pc pc, Pc target) {
    const Form form = op == Op::kBra ? Form::kX : op == Op::kSetrpc ? Form::kI : Form::kR;
    Instruction i = insn(op, form, pc);
    i.imm = (static_cast<std::int64_t>(target) - static_cast<std::int64_t>(pc)) / 16 - 1;
    return i;
}

/// Operands that own their lanes.
struct Values {
    LaneMask guard = LaneMask::all();
    isa::VectorOperands vectors{};
    std::uint64_t scalar = 0;
    Operands operands() const { return {guard, LaneMask::all(), vectors, scalar}; }
};
/// Operands with which VBNE jumps for the threads of `taken`.
inline Values jumps(LaneMask taken) {
    Values values;
    for_each_lane(taken, [&](unsigned lane) { values.vectors[0][lane] = 1; });
    return values;
}

/// A warp on a program with JOINs at some places and NOPs at all others.
class OneWarp {
  public:
    explicit OneWarp(LaneMask valid, std::vector<Pc> joins = {}) {
        for (Pc pc = 0; pc < kProgramBytes; pc += kInstructionBytes) {
            program.code.push_back(insn(Op::kNop, Form::kX, pc));
        }
        for (const Pc pc : joins) {
            program.code[pc / kInstructionBytes] = insn(Op::kJoin, Form::kX, pc);
        }
        warp.state = started(0, valid);
        warp.code = {kProgramBytes, &program};
    }
    OneWarp(const OneWarp &) = delete;
    OneWarp &operator=(const OneWarp &) = delete;

    StepResult step(const Instruction &i, const Values &values = {}) {
        return execute_step(warp, i, values.operands(), config, counters);
    }
    /// VBNE at `pc` to `target`, taken by the threads of `taken`.
    StepResult branch(Pc pc, Pc target, LaneMask taken) { return step(to(Op::kVbne, pc, target), jumps(taken)); }
    StepResult join(Pc pc) { return step(insn(Op::kJoin, Form::kX, pc)); }
    State &state() { return warp.state; }

    Program program;
    Warp warp;
    BruConfig config;
    Counters counters;
};

} // namespace smsim::bru::simt_stack::test
