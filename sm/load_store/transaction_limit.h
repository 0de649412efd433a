// Limits the number of global transactions under way. Plain C++.
#pragma once

#include <algorithm>
#include <cstddef>

#include "model/stats/busy_time.h"
#include "model/types.h"
#include "sm/load_store/end_times.h"

namespace smsim::sm {

/// Counts transactions from their start to the cycle in which their answer takes effect, which may be later than the
/// one in which it is reported.
class TransactionLimit {
  public:
    /// An access begins only while fewer than `limit` are under way; its own transactions may be more.
    explicit TransactionLimit(std::size_t limit) : limit_(limit) {}

    /// `count` more are under way from cycle `now` on.
    void start(Cycle now, std::size_t count = 1) {
        advance(now);
        unanswered_ += count;
        note(now);
    }
    /// `count` of them are under way until cycle `end`.
    void answer(Cycle end, std::uint32_t count = 1) {
        unanswered_ -= count;
        ends_.add(end, count);
    }
    /// Transactions that end up to cycle `now` are no longer under way.
    void advance(Cycle now) {
        for (Cycle end = ends_.first(); end <= now; end = ends_.first()) {
            ends_.take(end);
            note(end);
        }
    }
    bool has_room() const { return unanswered_ + ends_.size() < limit_; }
    /// 0 while there is room, otherwise the cycle in which the next transaction ends, kNever while none is known.
    Cycle room_at() const { return has_room() ? 0 : next_end(); }
    /// The first cycle in which a transaction with a reported answer ends; kNever: none.
    Cycle next_end() const { return ends_.first(); }

    /// Transactions under way, cycle by cycle, up to cycle `end`: the present one, or an earlier one after all starts.
    /// Transactions beyond the limit do not count.
    UseSeries use(Cycle end) const {
        TransactionLimit copy = *this;
        copy.advance(end);
        return copy.use_.until(end);
    }
    /// Restarts these counts for a launch whose first cycle, the present one, is `first`.
    void clear_use(Cycle first) {
        advance(first); // left by the previous launch
        use_.clear(first);
    }

  private:
    void note(Cycle at) { use_.set(at, std::min(unanswered_ + ends_.size(), limit_)); }

    std::size_t limit_;
    std::size_t unanswered_ = 0;
    EndTimes ends_;
    LevelTime use_;
};

} // namespace smsim::sm
