// Facts for the present cycle. What messages have announced for a later cycle does not count: whether they have arrived
// yet depends on the order of processes.
#include "ibuffer/stage_facts.h"

namespace smsim::ibuffer {

WarpSet IssueStage::Facts::resident() const {
    return all([this](const Warp &warp) {
        const auto *waiting = std::get_if<NotStarted>(&warp.machine.state());
        return warp.machine.is_resident() && (waiting == nullptr || waiting->at <= now());
    });
}

WarpSet IssueStage::Facts::of_cta(unsigned index) const {
    const WarpStart &own = stage_.warps_[index].start;
    return resident() & all([&own](const Warp &warp) {
               return warp.start.cta == own.cta && warp.start.cta_number == own.cta_number;
           });
}

unsigned IssueStage::Facts::buffered(unsigned warp) const {
    return stage_.buffers_.decoded(warp, now());
}

const isa::Instruction *IssueStage::Facts::head(unsigned warp) const {
    const FetchBuffers::Entry *first = stage_.buffers_.first(warp);
    return first == nullptr || first->ready > now() ? nullptr : first->insn;
}

Cycle IssueStage::Facts::since(unsigned warp) const {
    const Cycle last = stage_.warps_[warp].last_issue;
    return state(warp) == WarpState::kStalled && last != kNever ? last + 1 : stage_.accounts_.entered(warp);
}

LaneMask IssueStage::Facts::active(unsigned warp) const {
    const WarpMachine &machine = stage_.warps_[warp].machine;
    const bool under_way = std::holds_alternative<BranchUnanswered>(machine.state()) ||
                           std::holds_alternative<BranchAnswered>(machine.state());
    return under_way ? LaneMask() : stage_.warps_[warp].active;
}

LaneMask IssueStage::Facts::parked(unsigned warp) const {
    const LaneMask on = active(warp);
    return on.none() ? LaneMask() : stage_.warps_[warp].start.valid & ~stage_.warps_[warp].exited & ~on;
}

unsigned IssueStage::Facts::outstanding_accesses(unsigned warp) const {
    stage_.warps_[warp].scoreboards.advance(now());
    return stage_.warps_[warp].scoreboards.outstanding_memory();
}

WarpSet IssueStage::Facts::at_barrier() const {
    return all([this](const Warp &warp) {
        const MachineState &state = warp.machine.state();
        const auto *leaving = std::get_if<LeavingBarrier>(&state);
        return std::holds_alternative<ArrivalUnanswered>(state) || std::holds_alternative<Blocked>(state) ||
               (leaving != nullptr && leaving->at > now());
    });
}

} // namespace smsim::ibuffer
