#include "tb/oracle/synchronisation.h"

#include <fmt/format.h>

#include "tb/oracle/barriers.h"
#include "tb/oracle/branches.h"
#include "tb/oracle/lanes.h"

namespace smsim::oracle {
namespace {

std::uint32_t bit(unsigned lane) {
    return LaneMask::lane(lane).bits();
}

std::uint32_t executing_of(Machine &machine, std::uint32_t warp, std::uint32_t members, const Step &step) {
    std::uint32_t executing = 0;
    for_each_lane(LaneMask(members),
                  [&](unsigned lane) { executing |= machine.executes(warp * kLanes + lane, step) ? bit(lane) : 0; });
    return executing;
}

/// Executes the operation at which the set waits, once all living members have arrived.
void settle_set(Machine &machine, std::uint32_t warp, std::uint32_t set) {
    const std::uint32_t members = set & machine.warps[warp].living;
    if (members == 0 || (members & ~machine.warps[warp].at_set) != 0) {
        return;
    }
    machine.warps[warp].at_set &= ~members;
    const Step &step = machine.step_at(machine.threads[warp * kLanes + LaneMask(members).lowest()].pc);
    const std::uint32_t executing = executing_of(machine, warp, members, step);
    switch (step.op) {
    case isa::Op::kBra:
    case isa::Op::kTokenBra:
    case isa::Op::kJmp:
        branch_together(machine, warp, members, executing, step);
        break;
    case isa::Op::kTrap:
        trap_together(machine, warp, members, executing);
        break;
    case isa::Op::kBar:
    case isa::Op::kBarRed:
    case isa::Op::kBarrier:
    case isa::Op::kR2b:
        execute_barrier(machine, warp, members, executing);
        break;
    default:
        execute_lanes(machine, warp, members, executing, step);
        machine.let_go(warp, members);
        break;
    }
}

/// The threads that wait at one WARPSYNC.
class Rendezvous {
  public:
    Rendezvous(Machine &machine, std::uint32_t warp, std::uint32_t pc) : machine_(machine), warp_(warp), pc_(pc) {
        for_each_lane(LaneMask(machine.warps[warp].at_warpsync),
                      [&](unsigned lane) { arrived_ |= thread(lane).pc == pc ? bit(lane) : 0; });
    }

    /// Lets all threads pass whose groups are complete.
    void settle() {
        const bool by_thread = machine_.step_at(pc_).insn->form == isa::Form::kR;
        for (std::uint32_t rest = arrived_; rest != 0; rest &= rest - 1) {
            const std::uint32_t mask = mask_of(LaneMask(rest).lowest());
            if ((mask & ~arrived_) == 0 && (!by_thread || agree(mask))) {
                pass(mask);
                rest &= arrived_ | (rest & (0U - rest));
            }
        }
        if (by_thread && machine_.engine == Engine::kConvergenceBarrier) {
            check_consistent();
        }
    }

  private:
    Thread &thread(unsigned lane) const { return machine_.threads[warp_ * kLanes + lane]; }
    std::uint32_t mask_of(unsigned lane) const { return thread(lane).mask & machine_.warps[warp_].living; }

    /// All threads of `group` hold the mask `group` (bru.md D-16).
    bool agree(std::uint32_t group) const {
        bool all = true;
        for_each_lane(LaneMask(group), [&](unsigned lane) { all = all && mask_of(lane) == group; });
        return all;
    }

    void pass(std::uint32_t group) {
        ++machine_.meetings;
        for_each_lane(LaneMask(group), [&](unsigned lane) {
            thread(lane).set = group;
            thread(lane).meeting = machine_.meetings;
        });
        machine_.warps[warp_].at_warpsync &= ~group;
        arrived_ &= ~group;
        machine_.let_go(warp_, group);
    }

    /// Form R: the remaining threads name a thread that is not here; otherwise they can never pass.
    void check_consistent() const {
        std::uint32_t named = 0;
        for_each_lane(LaneMask(arrived_), [&](unsigned lane) { named |= mask_of(lane); });
        if (arrived_ != 0 && (named & ~arrived_) == 0) {
            machine_.fault(warp_ * kLanes + LaneMask(arrived_).lowest(), Fault::kWarpSyncMembership,
                           fmt::format("the masks of lanes {:#010x} contradict one another", arrived_));
        }
    }

    Machine &machine_;
    std::uint32_t warp_;
    std::uint32_t pc_;
    std::uint32_t arrived_ = 0;
};

} // namespace

void arrive_at_set(Machine &machine, std::uint32_t thread) {
    Thread &t = machine.threads[thread];
    const std::uint32_t warp = thread / kLanes;
    t.state = State::kAtSet;
    machine.warps[warp].at_set |= bit(thread % kLanes);
    settle_set(machine, warp, t.set);
}

void arrive_at_warpsync(Machine &machine, std::uint32_t thread, const Step &step) {
    Thread &t = machine.threads[thread];
    const std::uint32_t warp = thread / kLanes;
    const std::uint32_t operand = step.b(machine.row(thread));
    t.mask = step.insn->bitnot ? ~operand : operand;
    if ((t.mask & bit(thread % kLanes)) == 0 && machine.engine == Engine::kSimtStack) {
        t.set = 0;
        ++t.pc;
        return;
    }
    if ((t.mask & bit(thread % kLanes)) == 0) {
        machine.fault(thread, Fault::kWarpSyncMembership,
                      fmt::format("lane {} is not in its mask {:#010x}", thread % kLanes, t.mask));
    }
    t.state = State::kAtWarpsync;
    machine.warps[warp].at_warpsync |= bit(thread % kLanes);
    Rendezvous(machine, warp, t.pc).settle();
}

void meetings_after_exit(Machine &machine, std::uint32_t warp) {
    const Warp &state = machine.warps[warp];
    for (std::uint32_t rest = state.at_set; rest != 0;) {
        const std::uint32_t set = machine.threads[warp * kLanes + LaneMask(rest).lowest()].set;
        rest &= ~set;
        settle_set(machine, warp, set);
    }
    for (std::uint32_t rest = state.at_warpsync; rest != 0; rest &= rest - 1) {
        const unsigned lane = LaneMask(rest).lowest();
        if ((state.at_warpsync & bit(lane)) != 0) {
            Rendezvous(machine, warp, machine.threads[warp * kLanes + lane].pc).settle();
        }
    }
}

bool end_vain_meetings(Machine &machine) {
    bool ended = false;
    for (std::uint32_t w = 0; w < machine.warps.size(); ++w) {
        Warp &warp = machine.warps[w];
        const std::uint32_t waiting = warp.at_warpsync;
        if (waiting == 0 || machine.engine == Engine::kConvergenceBarrier) {
            continue;
        }
        const std::uint32_t lowest = w * kLanes + LaneMask(waiting).lowest();
        if (machine.engine == Engine::kTokenStack) {
            machine.fault(lowest, Fault::kWarpSyncDiverged,
                          fmt::format("lanes {:#010x} do not all come", machine.threads[lowest].mask & warp.living));
        }
        for_each_lane(LaneMask(waiting), [&](unsigned lane) { machine.threads[w * kLanes + lane].set = 0; });
        warp.at_warpsync = 0;
        machine.let_go(w, waiting);
        ended = true;
    }
    return ended;
}

} // namespace smsim::oracle
