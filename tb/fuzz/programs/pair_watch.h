// How close pairs of instructions get in a run: whether an unprotected dependence was exercised at all.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "model/state/warp_life.h"
#include "sm/execution_observer.h"

namespace smsim::fuzz {

/// Two instructions of which the first has something in flight that the second needs.
struct WatchedPair {
    Pc first = 0;
    Pc second = 0;
    bool whole_warp = false; ///< the value is the warp's (a uniform register), not the thread's
    /// The fewest cycles from first to second in one thread that has not rewritten the result of the first in between;
    /// kNever: none.
    Cycle least = kNever;
};

class PairWatch final : public sm::ExecutionObserver {
  public:
    explicit PairWatch(std::span<const WatchedPair> pairs)
        : pairs_(pairs.begin(), pairs.end()), results_(pairs.size()) {}

    void executed(const sm::ExecutedInstruction &instruction) override;
    const std::vector<WatchedPair> &pairs() const { return pairs_; }

  private:
    using Issues = std::array<Cycle, kLanes>; ///< of the first instruction, by lane; kNever: not executed
    std::vector<WatchedPair> pairs_;
    std::vector<isa::Dependences> results_; ///< of the first instruction of each pair, after its execution
    std::map<std::pair<std::uint64_t, std::size_t>, Issues> issues_; ///< by age of the warp and pair
};

} // namespace smsim::fuzz
