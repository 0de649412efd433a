// A slice of a warp's track: the cycles of one charge, or of several of one instruction that were too short to have
// their own slices. It keeps the cycles of each, so that joining loses nothing.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "model/stats/stall.h"
#include "model/types.h"

namespace smsim::views::timeline {

/// What a warp's cycles are charged to.
struct Charge {
    WarpState state = WarpState::kEmpty;
    StallReason reason = StallReason::kNoInstruction;
    Pc pc = 0;
    friend bool operator==(const Charge &, const Charge &) = default;
};

/// Whether the cycles are those of an instruction that has been issued; otherwise they are those of one that waits.
constexpr bool is_behind_issue(StallReason reason) {
    return reason == StallReason::kBranchResolve || reason == StallReason::kBarrier || reason == StallReason::kSleeping;
}

class ChargeSlice {
  public:
    struct Part {
        WarpState state;
        StallReason reason;
        Cycle cycles;
    };

    /// A new slice that begins at cycle `at`.
    void open(const Charge &charge, Cycle at) {
        first_ = last_ = charge;
        begin_ = since_ = at;
        issues_ = 0;
        parts_.clear();
        begin_part(charge);
    }
    /// Whether `next`, which begins at `at`, belongs to the same execution of the same instruction.
    bool is_same_instruction(const Charge &next) const {
        return next.pc == last_.pc && (issues_ == 0 || is_behind_issue(next.reason));
    }
    /// `next` continues in this slice from `at` on.
    void join(const Charge &next, Cycle at) {
        count(at);
        last_ = next;
        begin_part(next);
    }
    /// The slice ends at `at`, temporarily or permanently.
    void close(Cycle at) { count(at); }

    Cycle begin() const { return begin_; }
    const Charge &first() const { return first_; }
    const Charge &last() const { return last_; }
    /// In the order of first occurrence; complete up to the last `join` or `close`.
    std::span<const Part> parts() const { return parts_; }
    /// The one with the most cycles, the first of several.
    const Part &longest() const { return *std::ranges::max_element(parts_, {}, &Part::cycles); }

  private:
    void begin_part(const Charge &charge) {
        issues_ += charge.reason == StallReason::kSelected ? 1 : 0;
        const auto found = std::ranges::find_if(
            parts_, [&charge](const Part &part) { return part.state == charge.state && part.reason == charge.reason; });
        present_ = static_cast<std::size_t>(found - parts_.begin());
        if (found == parts_.end()) {
            parts_.push_back({charge.state, charge.reason, 0});
        }
    }
    void count(Cycle at) {
        parts_[present_].cycles += at - since_;
        since_ = at;
    }

    Charge first_;
    Charge last_;
    Cycle begin_ = 0;
    Cycle since_ = 0; ///< cycles before it are counted
    unsigned issues_ = 0;
    std::vector<Part> parts_;
    std::size_t present_ = 0; ///< of parts_: that of `last_`
};

} // namespace smsim::views::timeline
