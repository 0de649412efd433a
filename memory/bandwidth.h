// Occupancy of a data path that moves a fixed number of bytes per cycle.
//
// Positions are counted in bytes since cycle 0 (cycle * bytes per cycle), so that two short transfers share a cycle.
// Each transfer takes the earliest free stretch at or after its arrival. So a request that is announced by a later call
// but arrives earlier does not queue after one that arrives later. Plain C++.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/divisor.h"
#include "model/stats/busy_time.h"
#include "model/types.h"

namespace smsim::memory {

class Bandwidth {
  public:
    /// `bytes_per_cycle` is at least 1.
    explicit Bandwidth(std::uint32_t bytes_per_cycle) : width_(bytes_per_cycle) {}

    /// Reserves the path for `bytes` (at least 1) at the earliest free position at or after cycle `arrival`. Returns
    /// the cycle in which the last byte moves. No later call has an arrival before cycle `now`.
    Cycle reserve(Cycle now, Cycle arrival, std::uint64_t bytes) {
        forget_before(now * width_.value());
        std::uint64_t start = arrival * width_.value();
        if (!busy_.empty() && start >= busy_.back().begin && start <= busy_.back().end) [[likely]] {
            start = busy_.back().end; // nothing is reserved after it
            busy_.back().end += bytes;
        } else {
            auto next = busy_.begin();
            while (next != busy_.end() && start + bytes > next->begin) {
                start = std::max(start, next->end);
                ++next;
            }
            insert(next, start, start + bytes);
        }
        last_ = {start, start + bytes};
        moved_ += bytes;
        return width_.quotient(start + bytes - 1);
    }

    /// Cycles of full use that the moved bytes amount to, rounded up.
    Cycle busy_cycles() const { return width_.quotient(moved_ + width_.value() - 1); }
    /// Restarts the count of moved bytes; reservations stay.
    void clear_count() { moved_ = 0; }
    /// Bytes that the path can move per cycle.
    std::uint64_t bytes_per_cycle() const { return width_.value(); }
    /// Adds the bytes of the last reservation to `use`, each in its cycle. The present cycle is `now`.
    void count_last(Cycle now, BusyTime &use) const {
        const Cycle first = width_.quotient(last_.begin);
        if (last_.end <= (first + 1) * width_.value()) [[likely]] { // all of it in one cycle
            use.add(now, first, first + 1, static_cast<std::uint32_t>(last_.end - last_.begin));
            return;
        }
        // The first and the last cycle may move fewer bytes than the path could.
        const auto add = [&](Cycle from, Cycle until, std::uint64_t bytes) {
            if (from != until && bytes != 0) {
                use.add(now, from, until, static_cast<std::uint32_t>(bytes));
            }
        };
        const Cycle last = width_.quotient(last_.end);
        const std::uint64_t before = width_.remainder(last_.begin);
        const Cycle full = before == 0 ? first : first + 1;
        add(first, full, width_.value() - before);
        add(full, last, width_.value());
        add(last, last + 1, width_.remainder(last_.end));
    }

  private:
    struct Stretch {
        std::uint64_t begin;
        std::uint64_t end;
    };

    void forget_before(std::uint64_t position) {
        if (busy_.empty() || busy_.front().end > position) {
            return;
        }
        auto keep = busy_.begin();
        while (keep != busy_.end() && keep->end <= position) {
            ++keep;
        }
        busy_.erase(busy_.begin(), keep);
    }

    /// Adds a stretch before `next`, merged with the neighbours that it touches.
    void insert(std::vector<Stretch>::iterator next, std::uint64_t begin, std::uint64_t end) {
        if (next != busy_.begin() && (next - 1)->end == begin) {
            (next - 1)->end = end;
            if (next != busy_.end() && next->begin == end) {
                (next - 1)->end = next->end;
                busy_.erase(next);
            }
        } else if (next != busy_.end() && next->begin == end) {
            next->begin = begin;
        } else {
            busy_.insert(next, {begin, end});
        }
    }

    Divisor width_;
    std::uint64_t moved_ = 0;
    Stretch last_{0, 0};        ///< of the last reservation
    std::vector<Stretch> busy_; ///< in order, disjoint
};

} // namespace smsim::memory
