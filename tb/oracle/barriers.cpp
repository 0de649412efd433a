#include "tb/oracle/barriers.h"

#include <fmt/format.h>

namespace smsim::oracle {
namespace {

using isa::Form;
using isa::Instruction;
using isa::Op;
using isa::RedOp;

constexpr std::uint8_t kIdle = 0;
constexpr std::uint8_t kSync = 1;
constexpr std::uint8_t kRed = 2;
/// Seven bits count warps in the state word.
constexpr std::uint32_t kMostWarps = 127;

/// One operation of a warp on the barriers of its CTA.
struct Operation {
    Machine &machine;
    std::uint32_t warp;      ///< number of the warp among all slots
    std::uint32_t members;   ///< lanes that take part, regardless of guards
    std::uint32_t executing; ///< lanes with a true guard
    std::uint32_t lowest;    ///< thread number of the lowest of them
    const Step &step;

    const Instruction &insn() const { return *step.insn; }
    std::uint32_t thread(unsigned lane) const { return warp * kLanes + lane; }
    Cta &cta() const { return machine.ctas[machine.warps[warp].cta]; }

    /// Bits `bits` of a register, which must be equal in all executing threads (bcu.md Operands, B-2).
    std::uint32_t agreed(std::uint16_t slot, std::uint32_t bits) const {
        const std::uint32_t value = machine.row(lowest)[slot] & bits;
        for_each_lane(LaneMask(executing), [&](unsigned lane) {
            if ((machine.row(thread(lane))[slot] & bits) != value) {
                machine.fault(lowest, Fault::kBarrierOperand,
                              fmt::format("threads {} and {} give different operands", machine.number_of(lowest),
                                          machine.number_of(thread(lane))));
            }
        });
        return value;
    }
};

struct Target {
    std::uint32_t id = 0;
    std::uint32_t expected = 0; ///< warps
};

/// Barrier and count of BAR and BAR.RED (bcu.md Operands).
Target target_of(const Operation &operation) {
    constexpr std::uint32_t kId = 0xf;
    constexpr std::uint32_t kCount = 0xfff;
    const Step &step = operation.step;
    const Instruction &insn = operation.insn();
    std::uint32_t id = insn.barid;
    std::uint32_t count = insn.imm2;
    switch (insn.form) {
    case Form::kR:
        if (step.op == Op::kBarRed) {
            const std::uint32_t both = operation.agreed(step.rb, 0xffff);
            id = both & kId;
            count = both >> 4;
        } else {
            id = operation.agreed(step.ra, kId);
            count = operation.agreed(step.rb, kCount);
        }
        break;
    case Form::kRri:
        id = operation.agreed(step.rb, kId);
        break;
    case Form::kRir:
        count = operation.agreed(step.rc, kCount);
        break;
    default:
        break;
    }
    const bool arrive_only = step.op == Op::kBar && insn.mod[0] != 0;
    if (count % kLanes != 0 || (arrive_only && count == 0)) {
        operation.machine.fault(operation.lowest, Fault::kBarrierCount,
                                fmt::format("count {} of barrier {}", count, id));
    }
    return {id, count / kLanes};
}

/// Releases all waiting threads when the barrier is complete (bcu.md "Complete when").
void complete_if_due(Machine &machine, std::uint32_t slot, std::uint32_t id) {
    Cta &cta = machine.ctas[slot];
    Barrier &barrier = cta.barriers[id];
    const bool due = barrier.expected != 0 ? barrier.arrived == barrier.expected : barrier.arrived == cta.living_warps;
    if (!due) {
        return;
    }
    const Barrier done = barrier;
    barrier = Barrier{};
    for (std::uint32_t number = 0; number < machine.warps_per_cta; ++number) {
        const std::uint32_t w = slot * machine.warps_per_cta + number;
        Warp &warp = machine.warps[w];
        if (((done.red_warps >> number) & 1) != 0) {
            warp.barrier_state = barrier_word(done);
        }
        for_each_lane(LaneMask(warp.at_barrier), [&](unsigned lane) {
            const std::uint32_t thread = w * kLanes + lane;
            if (machine.threads[thread].barrier == id) {
                warp.at_barrier &= ~LaneMask::lane(lane).bits();
                machine.wake(thread, machine.threads[thread].pc);
            }
        });
    }
}

/// Adds the predicates of the executing threads to the reduction.
void contribute(const Operation &operation, Barrier &barrier) {
    const Instruction &insn = operation.insn();
    for_each_lane(LaneMask(operation.executing), [&](unsigned lane) {
        const Thread &thread = operation.machine.threads[operation.thread(lane)];
        const bool value = predicate(thread.predicates, insn.pp, insn.pp_not);
        switch (static_cast<RedOp>(barrier.redop)) {
        case RedOp::kAnd:
            barrier.logical = barrier.logical && value;
            break;
        case RedOp::kOr:
            barrier.logical = barrier.logical || value;
            break;
        case RedOp::kPopc:
            barrier.ones += value ? 1 : 0;
            break;
        }
    });
    barrier.red_warps |= 1U << operation.machine.warps[operation.warp].number;
}

/// Counts the warp as arrived, or returns why it cannot.
void count_in(const Operation &operation, Barrier &barrier, const Target &target, std::uint8_t kind,
              std::uint8_t redop) {
    if (barrier.kind == kIdle) {
        barrier = Barrier{.expected = target.expected, .kind = kind, .redop = redop};
        barrier.logical = kind == kRed && static_cast<RedOp>(redop) == RedOp::kAnd;
    } else if (barrier.kind != kind || barrier.expected != target.expected || barrier.redop != redop) {
        operation.machine.fault(operation.lowest, Fault::kBarrierMismatch,
                                fmt::format("barrier {} is in use with another kind, count or reduction: state {:#x}",
                                            target.id, barrier_word(barrier)));
    }
    ++barrier.arrived;
    if ((barrier.expected != 0 && barrier.arrived > barrier.expected) || barrier.arrived > kMostWarps) {
        operation.machine.fault(operation.lowest, Fault::kBarrierOverflow,
                                fmt::format("{} warps at barrier {}", barrier.arrived, target.id));
    }
}

void block(const Operation &operation, Barrier &barrier, std::uint32_t id) {
    operation.machine.warps[operation.warp].at_barrier |= operation.members;
    for_each_lane(LaneMask(operation.members), [&](unsigned lane) {
        Thread &thread = operation.machine.threads[operation.thread(lane)];
        thread.state = State::kAtBarrier;
        thread.barrier = static_cast<std::uint8_t>(id);
        ++thread.pc;
        ++barrier.blocked;
    });
}

void arrive(const Operation &operation) {
    const Instruction &insn = operation.insn();
    const bool reduces = operation.step.op == Op::kBarRed;
    const bool waits = reduces || insn.mod[0] == 0;
    const Target target = target_of(operation);
    Barrier &barrier = operation.cta().barriers[target.id];
    count_in(operation, barrier, target, reduces ? kRed : kSync, reduces ? insn.mod[0] : std::uint8_t{0});
    if (reduces) {
        contribute(operation, barrier);
    }
    if (waits) {
        block(operation, barrier, target.id);
    } else {
        operation.machine.let_go(operation.warp, operation.members);
    }
    complete_if_due(operation.machine, operation.machine.warps[operation.warp].cta, target.id);
}

/// R2B: the inverse of B2R; keeps the fields used by the kind.
void restore(const Operation &operation) {
    const Instruction &insn = operation.insn();
    const std::uint32_t word = operation.step.a(operation.machine.row(operation.lowest));
    if (insn.mod[0] == 0) {
        operation.machine.warps[operation.warp].barrier_state = word;
        return;
    }
    Barrier &barrier = operation.cta().barriers[insn.barid];
    if (barrier.blocked != 0) {
        operation.machine.fault(operation.lowest, Fault::kBarrierBusy,
                                fmt::format("{} threads wait at barrier {}", barrier.blocked, insn.barid));
    }
    const auto kind = static_cast<std::uint8_t>((word >> 14) & 3);
    const auto redop = static_cast<std::uint8_t>((word >> 16) & 3);
    if (kind > kRed || (kind == kRed && redop > static_cast<std::uint8_t>(RedOp::kPopc))) {
        operation.machine.fault(operation.lowest, Fault::kBarrierOperand,
                                fmt::format("{:#x} is no state of a barrier", word));
    }
    barrier = Barrier{};
    if (kind != kIdle) {
        barrier.arrived = word & 0x7f;
        barrier.expected = (word >> 7) & 0x7f;
        barrier.kind = kind;
    }
    if (kind == kRed) {
        barrier.redop = redop;
        barrier.logical = ((word >> 18) & 1) != 0;
        barrier.ones = word >> 19;
    }
}

} // namespace

std::uint32_t barrier_word(const Barrier &barrier) {
    std::uint32_t word = barrier.arrived | barrier.expected << 7 | std::uint32_t{barrier.kind} << 14;
    if (barrier.kind == kRed) {
        word |= std::uint32_t{barrier.redop} << 16 | (barrier.logical ? 1U : 0U) << 18 | barrier.ones << 19;
    }
    return word;
}

void read_result(std::uint32_t state, std::uint32_t &rd, std::uint8_t &predicates, std::uint8_t pu) {
    const bool reduced = ((state >> 14) & 3) == kRed;
    const std::uint32_t redop = (state >> 16) & 3;
    const bool counts = redop == static_cast<std::uint32_t>(RedOp::kPopc);
    rd = reduced && counts ? state >> 19 : 0;
    set_predicate(predicates, pu, reduced && redop < 2 && ((state >> 18) & 1) != 0);
}

void execute_barrier(Machine &machine, std::uint32_t warp, std::uint32_t members, std::uint32_t executing) {
    if (executing == 0) {
        machine.let_go(warp, members);
        return;
    }
    const std::uint32_t lowest = warp * kLanes + LaneMask(executing).lowest();
    const Operation operation{machine, warp, members, executing, lowest, machine.step_at(machine.threads[lowest].pc)};
    if (operation.step.op == Op::kR2b) {
        restore(operation);
        machine.let_go(warp, members);
    } else {
        arrive(operation);
    }
}

void barriers_after_exit(Machine &machine, std::uint32_t cta) {
    for (std::uint32_t id = 0; id < kBarriers; ++id) {
        const Barrier &barrier = machine.ctas[cta].barriers[id];
        if (barrier.expected == 0 && barrier.arrived != 0) {
            complete_if_due(machine, cta, id);
        }
    }
}

} // namespace smsim::oracle
