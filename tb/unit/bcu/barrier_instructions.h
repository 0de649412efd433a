// Barrier instructions in every form, with operands, for the tests of the barrier unit.
#pragma once

#include <array>
#include <cstdint>

#include "bcu/barrier.h"
#include "model/isa/instruction.h"

namespace smsim::test {

using Lanes = std::array<std::uint32_t, kLanes>;

/// The same value in all lanes.
inline Lanes everywhere(std::uint32_t value) {
    Lanes lanes;
    lanes.fill(value);
    return lanes;
}

/// An instruction with its operands, ready for the core to execute.
struct BarrierCall {
    isa::Instruction insn;
    LaneMask pmask = LaneMask::all();
    LaneMask contribution = LaneMask::all();
    Lanes ids = everywhere(0);
    Lanes counts = everywhere(0);

    bcu::Operation operation() const { return {insn, pmask, contribution, ids, counts}; }
    /// The operands that are in registers, in the order of the text.
    isa::NarrowVectorOperands vectors() const {
        const bool count_alone = insn.op == isa::Op::kR2b || insn.form == isa::Form::kRir;
        return count_alone ? isa::NarrowVectorOperands{counts} : isa::NarrowVectorOperands{ids, counts};
    }
    BarrierCall with(LaneMask mask) const {
        BarrierCall copy = *this;
        copy.pmask = mask;
        return copy;
    }
};

inline BarrierCall barrier_call(isa::Op op, isa::Form form, std::uint8_t mode) {
    BarrierCall call;
    call.insn.op = op;
    call.insn.form = form;
    call.insn.unit = isa::Unit::kBarrier;
    call.insn.mod[0] = mode;
    return call;
}

/// BAR.SYNC id, count (immediates).
inline BarrierCall bar_sync(unsigned id, unsigned count = 0) {
    BarrierCall call = barrier_call(isa::Op::kBar, isa::Form::kI, 0);
    call.insn.barid = static_cast<std::uint8_t>(id);
    call.insn.imm2 = count;
    return call;
}
/// BAR.ARV id, count (immediates).
inline BarrierCall bar_arv(unsigned id, unsigned count) {
    BarrierCall call = bar_sync(id, count);
    call.insn.mod[0] = 1;
    return call;
}
/// BAR.RED.op id, count, pp (immediates); `contribution` is pp of all lanes, negation applied.
inline BarrierCall bar_red(isa::RedOp op, unsigned id, unsigned count = 0, LaneMask contribution = LaneMask::all()) {
    BarrierCall call = barrier_call(isa::Op::kBarRed, isa::Form::kI, static_cast<std::uint8_t>(op));
    call.insn.barid = static_cast<std::uint8_t>(id);
    call.insn.imm2 = count;
    call.contribution = contribution;
    return call;
}
inline BarrierCall b2r_bar(unsigned id) {
    BarrierCall call = barrier_call(isa::Op::kB2r, isa::Form::kI, 1);
    call.insn.barid = static_cast<std::uint8_t>(id);
    return call;
}
inline BarrierCall b2r_warp() {
    return barrier_call(isa::Op::kB2r, isa::Form::kI, 0);
}
inline BarrierCall b2r_result() {
    return barrier_call(isa::Op::kB2rResult, isa::Form::kX, 0);
}
inline BarrierCall r2b_bar(unsigned id, std::uint32_t word) {
    BarrierCall call = barrier_call(isa::Op::kR2b, isa::Form::kRi, 1);
    call.insn.barid = static_cast<std::uint8_t>(id);
    call.counts = everywhere(word);
    return call;
}
inline BarrierCall r2b_warp(std::uint32_t word) {
    BarrierCall call = barrier_call(isa::Op::kR2b, isa::Form::kRi, 0);
    call.counts = everywhere(word);
    return call;
}

} // namespace smsim::test
