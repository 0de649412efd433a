// Beginnings, ends and boundaries: what is not done for every change of state.
#include "ibuffer/warp_accounts.h"

namespace smsim::ibuffer {

void WarpAccounts::start(unsigned warp, const WarpStart &start, unsigned sub_partition, Cycle at) {
    if (const std::size_t places = start.code_bytes / kInstructionBytes + 1; pcs_.size() < places) {
        pcs_.resize(places);
    }
    Account &account = accounts_[warp];
    account = Account{};
    account.open = true;
    account.state = WarpState::kFetching;
    account.pc = static_cast<std::uint32_t>(start.entry / kInstructionBytes);
    account.since = at;
    account.stats.slot = start.warp;
    account.stats.sub_partition = sub_partition;
    account.stats.cta_number = start.cta_number;
    account.stats.warp_in_cta = start.warp_in_cta;
    account.stats.start = at;
}

// A charge never crosses an interval of the counters over time: what is open at a boundary is charged up to it first.
// States change in steps and at the end of a run only, so that each has lasted to every boundary passed since.
void WarpAccounts::pass_boundaries(Cycle now) {
    for (Cycle boundary = over_time_.boundary(); boundary <= now; boundary = over_time_.boundary()) {
        for (unsigned warp = 0; warp < accounts_.size(); ++warp) {
            if (accounts_[warp].open && accounts_[warp].since < boundary) {
                charge(warp, boundary);
            }
        }
        over_time_.advance();
    }
}

void WarpAccounts::end(unsigned warp, Cycle now) {
    charge(warp, now);
    Account &account = accounts_[warp];
    settle(account);
    account.open = false;
    account.group = IssueLatches::kNoGroup;
    account.state = WarpState::kExited;
    account.stats.end = now;
    finished_.push_back(account.stats);
}

bool WarpAccounts::close(unsigned warp, Cycle now) {
    const bool lives = accounts_[warp].open && accounts_[warp].since <= now;
    if (lives) {
        end(warp, now);
    }
    return lives;
}

WarpState WarpAccounts::state(unsigned warp, Cycle now) const {
    const Account &account = accounts_[warp];
    if (account.group == IssueLatches::kNoGroup) {
        return account.state;
    }
    return latches_.is_taken(account.group, now) || latches_.is_shut(now) ? WarpState::kWaitUnit : WarpState::kReady;
}

StallReason WarpAccounts::reason(unsigned warp, Cycle now) const {
    const Account &account = accounts_[warp];
    if (account.group == IssueLatches::kNoGroup) {
        return account.reason;
    }
    if (latches_.is_taken(account.group, now)) {
        return throttle_of(account.group);
    }
    return latches_.is_shut(now) ? StallReason::kDispatch : StallReason::kNotSelected;
}

void WarpAccounts::clear(Cycle now) {
    pcs_.clear();
    finished_.clear();
    over_time_ = IntervalCounters(now);
    no_instruction_ = {};
}

} // namespace smsim::ibuffer
