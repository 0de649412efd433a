// The sections of a report about how the machine was used; docs/report.schema.json describes them.
#pragma once

#include <cstddef>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "report/report.h"
#include "report/summary.h"
#include "report/verdict.h"

namespace smsim::report {

/// Number of stretches of a critical path that the JSON lists.
inline constexpr std::size_t kListedStretches = 1000;

/// The scattered accesses of a verdict, arranged for a reader: one for each source line, with the figures of its first
/// instruction and the share of all of them, at most three.
std::vector<Scattered> scattered_lines(const RunReport &report, const Verdict &verdict);
/// What the launch seems to be bound by.
nlohmann::ordered_json verdict_json(const RunReport &report);
/// Resident CTAs and warps, and what limits them.
nlohmann::ordered_json occupancy_json(const RunReport &report);
/// Latencies by kind, those that were measured.
nlohmann::ordered_json latencies_json(const Latencies &latencies);
/// Issues and stall cycles by interval and sub-partition.
nlohmann::ordered_json over_time_json(const RunStats &stats);
/// The use of every unit.
nlohmann::ordered_json utilisation_json(const RunStats &stats);
/// Work per byte, and what the configuration allows.
nlohmann::ordered_json roofline_json(const RunReport &report);
/// `path` is that of `report`.
nlohmann::ordered_json critical_path_json(const RunReport &report, const CriticalPath &path);
/// Counters under their names in Nsight Compute; `sums` are those of the run.
nlohmann::ordered_json metrics_json(const RunReport &report, const WarpSums &sums);

} // namespace smsim::report
