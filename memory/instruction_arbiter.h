// Chooses which requests of the L0 caches the L1 instruction cache takes in a cycle: those that a fetch waits for
// before those of streams, and within each kind round robin over the sub-partitions, whatever the order of their
// arrival within the cycle. Plain C++.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "memory/l0_cache.h"
#include "memory/l1_instruction_cache.h"

namespace smsim::memory {

class InstructionArbiter {
  public:
    /// Times of the L0 caches are in units of `1 / period` cycles.
    InstructionArbiter(const ICacheConfig &config, L0Cache::Time period)
        : limit_(config.l1_requests_per_cycle), period_(period), l1_(config) {}

    /// Adds the L0 of the next sub-partition; it must not move.
    void add(L0Cache &l0) { l0s_.push_back(&l0); }

    /// A request that was taken.
    struct Taken {
        std::size_t port; ///< number of the L0
        L0Cache::Request request;
        L0Cache::Time arrives;
        FetchCause cause; ///< where the line comes from
    };
    /// Takes the requests that can be taken in the cycle that begins at `now`, and reports to the L0 caches when the
    /// lines arrive; appends them to `taken`. May be called again for the same cycle, not for an earlier one.
    void serve(L0Cache::Time now, std::vector<Taken> &taken);
    /// When to call `serve` next, after a call at `now`: the beginning of a cycle; L0Cache::kNone: when there is a new
    /// request.
    L0Cache::Time next(L0Cache::Time now) const;

    L1InstructionCache &l1() { return l1_; }
    const L1InstructionCache &l1() const { return l1_; }

  private:
    void serve(bool ahead, L0Cache::Time now, std::vector<Taken> &taken);

    std::uint32_t limit_; ///< requests per cycle; 0: none
    L0Cache::Time period_;
    L1InstructionCache l1_;
    std::vector<L0Cache *> l0s_;
    std::array<std::size_t, 2> turn_{};      ///< whose turn it is; [1]: of the streams
    L0Cache::Time present_ = L0Cache::kNone; ///< the cycle of the last call
    std::uint32_t in_present_ = 0;           ///< requests taken in it
};

} // namespace smsim::memory
