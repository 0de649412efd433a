// Beginnings, ends and boundaries: what is not done for every change of state.
#include "ibuffer/warp_accounts.h"

#include <algorithm>
#include <array>

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
        advance_with_pipes(over_time_);
    }
}

/// Goes on to the next interval, with what the latches that are taken then have been counted for beyond this one.
void WarpAccounts::advance_with_pipes(IntervalCounters &counters) const {
    const Cycle boundary = counters.boundary();
    std::array<Cycle, kPipeLatches> beyond{};
    for (std::uint8_t latch = 0; latch < kPipeLatches; ++latch) {
        const Cycle until = latches_.taken_until(latch);
        beyond[latch] = until - std::min(until, boundary);
        counters.present().pipes[latch] -= beyond[latch];
    }
    counters.advance();
    for (std::size_t latch = 0; latch < kPipeLatches; ++latch) {
        counters.present().pipes[latch] += beyond[latch];
    }
}

UseSeries WarpAccounts::use(const Counter &counter, Cycle end, const Stretch &last) const {
    IntervalCounters until_end = over_time_;
    while (until_end.boundary() < end) {
        advance_with_pipes(until_end);
    }
    UseSeries series;
    Cycle begin = 0;
    for (const IntervalCounters::Interval &interval : until_end.intervals()) {
        series.put(begin, begin + 1, counter(interval));
        begin += until_end.width();
    }
    // Of what was counted last: what lies behind the interval that it was counted in, and what lies behind the end, is
    // taken out again, modulo 2^64.
    const Cycle boundary = until_end.boundary();
    const Cycle counted = std::min(last.until, boundary);
    if (last.until > boundary) {
        series.put(boundary - 1 - first_, boundary - first_, last.weight * (boundary - last.until));
    }
    if (const Cycle from = std::max(last.from, end); from < counted) {
        series.put(from - first_, counted - first_, std::uint64_t{0} - last.weight);
    }
    return series;
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

UseSeries WarpAccounts::issue_use(Cycle end) const {
    return use([](const IntervalCounters::Interval &interval) { return interval.instructions; }, end,
               {issued_at_, issued_at_ + 1, end == 0 ? 0U : 1U});
}

UseSeries WarpAccounts::fetch_use(Cycle end) const {
    return use([](const IntervalCounters::Interval &interval) { return interval.fetches; }, end,
               {fetched_at_, fetched_at_ + 1, fetched_});
}

UseSeries WarpAccounts::pipe_use(std::uint8_t latch, Cycle end) const {
    Stretch last{0, latches_.taken_until(latch), 1};
    if (issued_to_ == latch && taken_for_ == 1 && issued_at_ + 1 > last.until) { // the latch does not know of it
        last.until = issued_at_ + 1;
    }
    return use([latch](const IntervalCounters::Interval &interval) { return interval.pipes[latch]; }, end, last);
}

void WarpAccounts::end_wait(Account &account, Cycle now) {
    if (account.producer.is_somebody() && now != account.waiting_since) {
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
        return throttle_of(account);
    }
    return latches_.is_shut(now) ? StallReason::kDispatch : StallReason::kNotSelected;
}

void WarpAccounts::clear(Cycle now) {
    pcs_.clear();
    waited_.clear();
    finished_.clear();
    over_time_ = IntervalCounters(now);
    no_instruction_ = {};
    lanes_ = {};
    first_ = now;
    issued_at_ = 0;
    fetched_ = 0;
}

} // namespace smsim::ibuffer
