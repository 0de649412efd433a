// All programs in which each warp of a CTA executes a short list of barrier operations, compared with a model of
// barriers that knows nothing of the barrier unit.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace smsim::state_space {

/// What one warp does at barrier 0 or 1. Counts are in threads, 0: all warps that are alive.
struct BarrierAction {
    enum class Kind : std::uint8_t { kSync, kArrive, kReduce };
    Kind kind = Kind::kSync;
    std::uint32_t barrier = 0;
    std::uint32_t count = 0;
};
using WarpActions = std::vector<BarrierAction>;

/// Everything that can become of a program: "ends 1 0" with the number that each warp has made of its reduction
/// results, or the name of an exception. Which of them it is depends on who comes first.
using Outcomes = std::set<std::string>;

/// By searching the functional machine. A problem beside ends and exceptions counts as an outcome of its own.
Outcomes outcomes_by_machine(const std::vector<WarpActions> &warps);

/// By playing the rules of bcu.md on arrival counters, in all orders.
Outcomes outcomes_by_rules(const std::vector<WarpActions> &warps);

struct BarrierFamilyResult {
    std::uint64_t programs = 0;
    std::uint64_t ambiguous = 0; ///< more than one outcome
    std::uint64_t wrong = 0;     ///< the two sets differ
    std::string first_wrong;
};

/// All programs of `warps` warps with up to `actions` actions each.
BarrierFamilyResult run_barrier_family(unsigned warps, unsigned actions);

} // namespace smsim::state_space
