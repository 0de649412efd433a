// Starts, ends and interval boundaries: operations that are not done for every change of state.
#include "ibuffer/warp_accounts.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "model/state/launch_context.h"

namespace smsim::ibuffer {

void WarpAccounts::start(unsigned warp, const WarpStart &start, unsigned sub_partition, Cycle at) {
    if (const std::size_t places = start.code_bytes / kInstructionBytes + 1; pcs_.size() < places) {
        pcs_.resize(places);
        waited_.resize(places);
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
    if (start.launch != nullptr) {
        account.is_kept = start.launch->warp_wish.keeps(start.cta_number);
        account.is_end_kept = start.launch->warp_wish.cta_ends;
    }
}

// A charge never spans two intervals of the counters over time: an interval open at a boundary is charged up to it
// first. States change only in steps and at the end of a run, so that each has lasted up to every boundary passed
// since.
void WarpAccounts::pass_boundaries(Cycle now) {
    for (Cycle boundary = over_time_.boundary(); boundary <= now; boundary = over_time_.boundary()) {
        for (unsigned warp = 0; warp < accounts_.size(); ++warp) {
            if (accounts_[warp].open && accounts_[warp].since < boundary) {
                charge(warp, boundary);
            }
        }
        advance_with_pipes(over_time_);
    }
}

/// Advances to the next interval, carrying over cycles counted beyond this one for latches taken at its end.
void WarpAccounts::advance_with_pipes(IntervalCounters &counters) const {
    const Cycle boundary = counters.boundary();
    const auto move = [&](std::uint64_t sign) {
        for (std::uint8_t latch = 0; latch < kPipeLatches; ++latch) {
            if (const Cycle until = latches_.taken_until(latch); until > boundary) [[unlikely]] {
                counters.present().pipes[latch] += sign * (until - boundary);
            }
        }
    };
    move(~std::uint64_t{0});
    counters.advance();
    move(1);
}

WarpAccounts::Uses WarpAccounts::uses(Cycle end) const {
    IntervalCounters counters = over_time_;
    while (counters.boundary() < end) {
        advance_with_pipes(counters);
    }
    const std::vector<IntervalCounters::Interval> intervals = counters.intervals();
    const auto series = [&](const auto &counter) {
        std::vector<std::uint64_t> values;
        std::ranges::transform(intervals, std::back_inserter(values), counter);
        return UseSeries(first_, counters.width(), std::move(values));
    };
    // The last count may extend past the end.
    Uses uses{series(&IntervalCounters::Interval::instructions), series(&IntervalCounters::Interval::fetches), {}};
    for (const Issue &issue : last_issues_) {
        uses.issue.take_back(end, issue.at, end == 0 ? 0 : issue.at + 1);
    }
    uses.fetch.take_back(end, fetched_at_, fetched_at_ + 1, fetched_);
    const Cycle boundary = counters.boundary();
    for (std::uint8_t latch = 0; latch < kPipeLatches; ++latch) {
        UseSeries &pipe = uses.latches.emplace_back(
            series([latch](const IntervalCounters::Interval &interval) { return interval.pipes[latch]; }));
        Cycle until = latches_.taken_until(latch);
        for (const Issue &issue : last_issues_) {
            if (issue.latch == latch && issue.taken_for == 1 &&
                issue.at + 1 > until) { // the latch does not record this
                until = issue.at + 1;
            }
        }
        if (until > boundary) { // all counted in the present interval
            pipe.put(boundary - 1, boundary, boundary - until);
        }
        pipe.take_back(end, end, std::min(until, boundary));
    }
    return uses;
}

std::vector<Dependence> WarpAccounts::dependences() const {
    std::vector<Dependence> all;
    for (std::size_t pc = 0; pc < waited_.size(); ++pc) {
        for (const Waited &one : waited_[pc]) {
            all.push_back({pc * kInstructionBytes, Pc{one.producer.pc()} * kInstructionBytes, one.producer.scoreboard(),
                           one.cycles});
        }
    }
    return all;
}

void WarpAccounts::end_wait(Account &account, Cycle now) {
    if (account.producer.is_somebody() && now > account.waiting_since) {
        std::vector<Waited> &waited = waited_[account.pc];
        auto found = std::ranges::find(waited, account.producer, &Waited::producer);
        if (found == waited.end()) {
            waited.push_back(Waited{.producer = account.producer, .cycles = 0});
            found = waited.end() - 1;
        }
        found->cycles += now - account.waiting_since;
    }
    account.producer = {};
}

void WarpAccounts::end(unsigned warp, Cycle now) {
    charge(warp, now);
    Account &account = accounts_[warp];
    end_wait(account, now);
    settle(account);
    account.open = false;
    account.group = IssueLatches::kNoGroup;
    account.state = WarpState::kExited;
    account.stats.end = now;
    records_.add(account.stats, account.is_kept, account.is_end_kept);
}

bool WarpAccounts::close(unsigned warp, Cycle now) {
    const bool lives = accounts_[warp].open && accounts_[warp].since <= now;
    if (lives) {
        end(warp, now);
    }
    return lives;
}

WarpState WarpAccounts::state(unsigned warp, Cycle step, Cycle now) const {
    const Account &account = accounts_[warp];
    if (account.is_issuing && now <= account.since) {
        return WarpState::kReady;
    }
    if (account.group == IssueLatches::kNoGroup) {
        return now < account.stalled_until ? WarpState::kStalled : account.state;
    }
    const Cycle at = std::min(now, step + 1); // the latches have not changed since
    return latches_.is_taken(account.group, at) || latches_.is_shut(at) ? WarpState::kWaitUnit : WarpState::kReady;
}

StallReason WarpAccounts::reason(unsigned warp, Cycle step, Cycle now) const {
    const Account &account = accounts_[warp];
    if (account.is_issuing && now <= account.since) {
        return StallReason::kSelected;
    }
    if (account.group == IssueLatches::kNoGroup) {
        return now < account.stalled_until ? StallReason::kWait : account.reason;
    }
    const Cycle at = std::min(now, step + 1);
    if (latches_.is_taken(account.group, at)) {
        return throttle_of(account);
    }
    return latches_.is_shut(at) ? StallReason::kDispatch : StallReason::kNotSelected;
}

void WarpAccounts::clear(Cycle now) {
    pcs_.clear();
    waited_.clear();
    records_.clear();
    over_time_ = IntervalCounters(now);
    for (std::uint8_t latch = 0; latch < kPipeLatches; ++latch) { // left in the pipes by the previous launch
        const Cycle until = latches_.taken_until(latch);
        over_time_.present().pipes[latch] = until - std::min(until, now);
    }
    no_instruction_ = {};
    lanes_ = {};
    first_ = now;
    last_issues_ = {};
    fetched_ = 0;
}

} // namespace smsim::ibuffer
