// Taking and freeing of latches.
#include "ibuffer/issue_latches.h"

namespace smsim::ibuffer {

void IssueLatches::take(std::uint8_t latch, Cycle until, Cycle now) {
    free_at_[latch] = until;
    taken_until_[latch] = until == kNever ? taken_until_[latch] : until;
    if (latch != timing::kSecondFp32Latch) {
        close(latch, until, now);
    }
    if (pipes_.has_second_fp32()) {
        const timing::LatchChoice fp32 = pipes_.ways(timing::kSecondFp32Latch);
        close(timing::kSecondFp32Latch, std::min(free_at_[fp32.first], free_at_[fp32.second]), now);
    }
}

void IssueLatches::shut(Cycle from, Cycle until) {
    for (Group group = 0; group < groups_.size(); ++group) {
        count_shut(group, from);
    }
    shut_from_ = from;
    shut_until_ = until;
}

/// Takes the way of `group` from the cycle after `now` on, unless a latch is free by then, or it was taken already.
void IssueLatches::close(Group group, Cycle free_at, Cycle now) {
    if (free_at <= now + 1 || !is_free(group)) {
        return;
    }
    if (groups_[group].shut_counted < shut_until_) {
        count_shut(group, now);
    }
    taken_ |= bit(group);
    groups_[group].since = now + 1;
    groups_[group].free_at = free_at;
    next_free_ = std::min(next_free_, free_at);
    selectable_ &= ~groups_[group].members;
}

void IssueLatches::open(Cycle now) {
    next_free_ = kNever;
    for (unsigned rest = taken_; rest != 0; rest &= rest - 1) {
        const auto group = static_cast<Group>(std::countr_zero(rest));
        State &state = groups_[group];
        if (state.free_at > now) {
            next_free_ = std::min(next_free_, state.free_at);
            continue;
        }
        state.taken_cycles += state.free_at - std::min(state.free_at, state.since);
        state.free_from = state.free_at;
        taken_ &= ~bit(group);
        selectable_ |= state.members;
    }
}

} // namespace smsim::ibuffer
