// Sums and ratios over the counters of a run, used by both forms of the report.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/stats/statistics.h"
#include "report/report.h"

namespace smsim {

/// Sums per sub-partition, index = sub-partition; at least `sub_partitions` entries.
std::vector<WarpSums> sum_by_sub_partition(const RunStats &stats, std::uint32_t sub_partitions);

/// The names of the resources that limit the CTAs at once to `limits.ctas`, in a fixed order: "warp slots", "threads",
/// "CTA slots", "registers", "shared memory"; only "grid" when the launch has fewer CTAs than would fit.
std::vector<std::string_view> limiting(const OccupancyLimits &limits);

/// All cycles charged to one PC.
Cycle charged(const PcStats &pc);

/// Lanes that were active, summed over all issues.
std::uint64_t active_lanes(const RunStats &stats);

/// Number of executed branches.
std::uint64_t branch_executions(const RunStats &stats);

/// PCs with the most charged warp-cycles, most first, ties by address; at most `count`, none with 0.
std::vector<Pc> hot_spots(const RunStats &stats, std::size_t count);

/// Resident warps, averaged over the cycles of the run; 0 for a run without cycles.
double mean_resident_warps(const RunStats &stats);

/// The time of this many cycles at the clock of `config`, which the report shows beside them.
double microseconds(Cycle cycles, const Config &config);

/// numerator / denominator; 0 when the denominator is 0.
double ratio(std::uint64_t numerator, std::uint64_t denominator);

/// Where an instruction comes from.
struct SourceLine {
    std::string file; ///< empty: unknown
    std::uint32_t line = 0;
    std::string text; ///< empty: unknown
};
SourceLine source_of(const Program *program, Pc pc);

} // namespace smsim
