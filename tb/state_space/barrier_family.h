// All programs in which each warp of a CTA executes a short list of barrier operations, compared with a model of
// barriers that is independent of the barrier unit.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace smsim::state_space {

/// The action of one warp at barrier 0 or 1. Counts are in threads, 0: all alive warps.
struct BarrierAction {
    enum class Kind : std::uint8_t { kSync, kArrive, kReduce };
    Kind kind = Kind::kSync;
    std::uint32_t barrier = 0;
    std::uint32_t count = 0;
};
using WarpActions = std::vector<BarrierAction>;

/// Every possible outcome of a program: "ends 1 0" with the number that each warp has computed from its reduction
/// results, or the name of an exception. The order of arrivals decides which one occurs.
using Outcomes = std::set<std::string>;

/// By searching the functional machine. A problem other than ends and exceptions counts as a separate outcome.
Outcomes outcomes_by_machine(const std::vector<WarpActions> &warps);

/// By applying the rules of bcu.md to arrival counters, in all orders.
Outcomes outcomes_by_rules(const std::vector<WarpActions> &warps);

struct BarrierFamilyResult {
    std::uint64_t programs = 0;
    std::uint64_t ambiguous = 0; ///< more than one outcome
    std::uint64_t wrong = 0;     ///< the two sets differ
    std::string first_wrong;
};

/// All programs of `warps` warps with at most `actions` actions each.
BarrierFamilyResult run_barrier_family(unsigned warps, unsigned actions);

} // namespace smsim::state_space
