// Counts control instructions and their divergences.
#include "bru/branch_statistics.h"

#include <algorithm>

namespace smsim::bru {

void BranchStatistics::start(WarpSlot warp) {
    open_.at(warp.value()).clear();
}

void BranchStatistics::Telling::begun(const Divergence &divergence) const {
    if (observer != nullptr) {
        observer->observe(now, observation::Diverged{effect, warp, divergence.sequence, divergence.pc,
                                                     divergence.stayed, divergence.left});
    }
}

void BranchStatistics::Telling::ended(const Divergence &divergence, bool reconverged) const {
    if (observer != nullptr) {
        observer->observe(now, observation::DivergenceEnded{effect, warp, divergence.sequence, reconverged});
    }
}

void BranchStatistics::record(WarpSlot warp, const isa::Instruction &insn, const StepResult &result,
                              std::uint64_t sequence, Cycle now, Cycle effect) {
    auto &open = open_.at(warp.value());
    const Telling telling{observer_, warp, now, effect};
    ++stats_.instructions;
    if (result.outcome == Outcome::kSleep) {
        ++stats_.warp_sleeps;
    }
    switch (result.event.kind) {
    case StepEvent::Kind::kPlain:
        break;
    case StepEvent::Kind::kBranch:
        record_branch(open, insn, result, sequence, telling);
        break;
    case StepEvent::Kind::kSync:
        record_sync(open, insn, result, sequence, telling);
        break;
    case StepEvent::Kind::kYield:
        ++stats_.yields;
        break;
    case StepEvent::Kind::kYieldConverged:
        ++stats_.yields_converged;
        break;
    case StepEvent::Kind::kSleep:
        ++stats_.sleeps;
        break;
    case StepEvent::Kind::kParked:
        ++stats_.parked;
        break;
    case StepEvent::Kind::kSyscall:
        ++stats_.syscalls;
        break;
    case StepEvent::Kind::kExit:
        std::erase_if(open, [&](Divergence &divergence) {
            divergence.stayed &= ~result.executed;
            divergence.left &= ~result.executed;
            const bool over = divergence.stayed.none() || divergence.left.none();
            if (over) {
                telling.ended(divergence, false);
            }
            return over;
        });
        break;
    }
}

void BranchStatistics::record_branch(std::vector<Divergence> &open, const isa::Instruction &insn,
                                     const StepResult &result, std::uint64_t sequence, const Telling &telling) {
    BranchStats &branch = stats_.branches[insn.pc];
    ++branch.executions;
    branch.taken += result.event.jumped.any() ? 1 : 0;
    branch.taken_lanes += result.event.jumped.count();
    branch.active_lanes += result.event.active.count();
    if (!result.event.split) {
        return;
    }
    ++branch.diverged;
    const LaneMask together = result.event.active;
    std::erase_if(open, [&](const Divergence &divergence) {
        const bool over = divergence.separates(together);
        if (over) {
            telling.ended(divergence, false);
        }
        return over;
    });
    open.push_back({insn.pc, sequence, result.next_active, together & ~result.next_active});
    telling.begun(open.back());
}

void BranchStatistics::record_sync(std::vector<Divergence> &open, const isa::Instruction &insn,
                                   const StepResult &result, std::uint64_t sequence, const Telling &telling) {
    SyncStats &sync = stats_.syncs[insn.pc];
    ++sync.executions;
    if (!result.event.passed) {
        ++sync.switched;
        return;
    }
    ++sync.passed;
    if (result.event.release) {
        ++sync.releases[static_cast<std::size_t>(*result.event.release)];
    }
    std::erase_if(open, [&](const Divergence &divergence) {
        if (!divergence.separates(result.next_active)) {
            return false;
        }
        BranchStats &branch = stats_.branches[divergence.pc];
        const std::uint64_t path = sequence - divergence.sequence;
        ++branch.reconverged;
        branch.path_instructions += path;
        branch.path_max = std::max(branch.path_max, path);
        telling.ended(divergence, true);
        return true;
    });
}

} // namespace smsim::bru
