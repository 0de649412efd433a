// Builders for the branch unit's tests: instructions, operands of all lanes, and small programs that run on one warp.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "bru/engines/convergence_barrier/engine.h"
#include "bru/engines/convergence_barrier/warp_control.h"
#include "bru/reconvergence_engine.h"
#include "model/config/sections/bru.h"
#include "model/isa/instruction.h"

namespace smsim::bru::test {

using namespace convergence_barrier;

using isa::Form;
using isa::Instruction;
using isa::Op;

inline constexpr Pc kProgramBytes = 0x1000;

inline LaneMask lanes(std::initializer_list<unsigned> list) {
    LaneMask mask;
    for (const unsigned lane : list) {
        mask |= LaneMask::lane(lane);
    }
    return mask;
}

inline Instruction insn(Op op, Form form, Pc pc, std::int64_t imm = 0) {
    Instruction i;
    i.op = op;
    i.form = form;
    i.unit = isa::Unit::kBranch;
    i.pc = pc;
    i.imm = imm;
    return i;
}
inline Instruction on_breg(Op op, Form form, Pc pc, std::uint8_t breg) {
    Instruction i = insn(op, form, pc);
    i.breg = breg;
    return i;
}

/// Operands that own their lanes.
struct Values {
    LaneMask guard = LaneMask::all();
    LaneMask guard_pp = LaneMask::all();
    isa::VectorOperands vectors{};
    std::uint64_t scalar = 0;
    Operands operands() const { return {guard, guard_pp, vectors, scalar}; }
};

/// A warp whose control state is set up by hand.
struct Warp {
    WarpControl control;
    BruConfig config;

    explicit Warp(LaneMask valid, Pc pc = 0) : control(started(pc, valid)) {}
    ControlState &state() { return control.state; }

    /// Makes `mask` the active threads at `pc`.
    Warp &active(LaneMask mask, Pc pc) {
        state().active = mask;
        state().active_pc = pc;
        return *this;
    }
    /// Places `mask` at `pc`.
    Warp &stand(LaneMask mask, Pc pc) {
        state().active &= ~mask;
        park(state(), mask, pc);
        return *this;
    }
    StepResult step(const Instruction &i, const Values &values = {}) {
        return execute_step(control, i, values.operands(), config, kProgramBytes);
    }
};

/// A program of control instructions and other work, run on one warp until it ends. Other work takes no time and is
/// done for all active threads together.
class Scenario {
  public:
    using PerLane = std::function<bool(unsigned)>;

    /// A control instruction; `guard` decides per lane when it is executed.
    Instruction &control(Op op, Form form, PerLane guard = {}) {
        lines_.push_back({insn(op, form, lines_.size() * kInstructionBytes), std::move(guard), {}});
        return *lines_.back().insn;
    }
    void branch_to(std::size_t line, PerLane guard = {}) {
        Instruction &bra = control(Op::kBra, Form::kX, std::move(guard));
        bra.imm = static_cast<std::int64_t>(line) - static_cast<std::int64_t>(lines_.size());
    }
    void barrier(Op op, std::uint8_t breg) { control(op, op == Op::kBssy ? Form::kI : Form::kX).breg = breg; }
    void warpsync(LaneMask members) { control(Op::kWarpsync, Form::kI).imm = members.bits(); }
    void sleep(std::uint32_t ns) { control(Op::kNanosleep, Form::kI).imm = ns; }
    void work(std::function<void(LaneMask)> effect) { lines_.push_back({std::nullopt, {}, std::move(effect)}); }

    /// Runs until the warp has exited (true), or until `limit` steps or a fault (false).
    bool run(LaneMask valid, const BruConfig &config, unsigned limit) {
        WarpControl warp = started(0, valid);
        const Pc bytes = lines_.size() * kInstructionBytes;
        Pc pc = 0;
        LaneMask active = valid;
        for (steps = 0; steps < limit; ++steps) {
            const Line &line = lines_.at(pc / kInstructionBytes);
            if (!line.insn) {
                line.effect(active);
                pc += kInstructionBytes;
                continue;
            }
            Values values;
            if (line.guard) {
                values.guard = LaneMask();
                for (unsigned lane = 0; lane < kLanes; ++lane) {
                    values.guard |= line.guard(lane) ? LaneMask::lane(lane) : LaneMask();
                }
            }
            const StepResult result = execute_step(warp, *line.insn, values.operands(), config, bytes);
            if (result.fault) {
                fault = result.fault;
                return false;
            }
            if (result.event.release) {
                releases.push_back(*result.event.release);
            }
            if (result.outcome == Outcome::kExited) {
                return true;
            }
            if (result.outcome == Outcome::kSleep) {
                ++sleeps;
                clear_sleep(warp.state);
            }
            pc = result.next_pc;
            active = result.next_active;
        }
        return false;
    }

    unsigned steps = 0;
    unsigned sleeps = 0;
    std::vector<ReleaseKind> releases;
    std::optional<FaultReport> fault;

  private:
    struct Line {
        std::optional<Instruction> insn;
        PerLane guard;
        std::function<void(LaneMask)> effect;
    };
    std::vector<Line> lines_;
};

} // namespace smsim::bru::test
