// The sections of a report about how the machine was used: verdict, occupancy, latencies, use over time, roofline,
// critical path, and the counters that have a name in Nsight Compute.
#include "report/use.h"

#include <algorithm>
#include <array>
#include <functional>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/config/config.h"
#include "model/config/what_if_reliefs.h"
#include "report/parts.h"
#include "report/roofline.h"
#include "report/summary.h"
#include "report/verdict.h"

namespace smsim::report {

using Json = nlohmann::ordered_json;

namespace {

/// CTAs at once, by the resource that limits them; null: the resource is not needed.
Json limits_json(const OccupancyLimits &limits) {
    const auto limit = [](std::uint32_t ctas) { return ctas == OccupancyLimits::kNone ? Json() : Json(ctas); };
    return Json{{"ctas", limits.ctas},
                {"warps", std::uint64_t{limits.ctas} * limits.warps_each},
                {"by_warp_slots", limit(limits.by_warps)},
                {"by_threads", limit(limits.by_threads)},
                {"by_cta_slots", limit(limits.by_ctas)},
                {"by_registers", limit(limits.by_registers)},
                {"by_shared_memory", limit(limits.by_shared)},
                {"limited_by", limiting(limits)}};
}

/// One counter of all intervals.
template <typename Counter> Json series(std::span<const IntervalCounters::Interval> intervals, Counter counter) {
    Json list = Json::array();
    for (const IntervalCounters::Interval &interval : intervals) {
        list.push_back(counter(interval));
    }
    return list;
}

/// Number of intervals of the run. A run that is cut short may issue in the cycle after its last one.
std::size_t interval_count(const RunStats &stats, Cycle width) {
    std::size_t count = std::min<std::size_t>((stats.cycles + width - 1) / width, kCounterIntervals);
    for (const IntervalCounters &counters : stats.over_time) {
        const std::vector<IntervalCounters::Interval> intervals = counters.intervals();
        for (std::size_t i = count; i < intervals.size(); ++i) {
            count = intervals[i] == IntervalCounters::Interval{} ? count : i + 1;
        }
    }
    return count;
}

/// "a.b, c.d" as an array.
Json keys_json(std::string_view keys) {
    Json list = Json::array();
    while (!keys.empty()) {
        const std::size_t end = std::min(keys.find(", "), keys.size());
        list.push_back(keys.substr(0, end));
        keys.remove_prefix(std::min(end + 2, keys.size()));
    }
    return list;
}

} // namespace

std::vector<Scattered> scattered_lines(const RunReport &report, const Verdict &verdict) {
    constexpr std::size_t kMost = 3;
    std::vector<Scattered> lines;
    for (const Scattered &one : verdict.scattered) {
        const SourceLine source = source_of(report.code, one.pc);
        const auto same = std::ranges::find_if(lines, [&](const Scattered &other) {
            const SourceLine known = source_of(report.code, other.pc);
            return source.line != 0 && known.line == source.line && known.file == source.file;
        });
        if (same == lines.end()) {
            lines.push_back(one);
        } else {
            same->share += one.share;
        }
    }
    std::ranges::stable_sort(lines, std::ranges::greater{}, &Scattered::share);
    lines.resize(std::min(lines.size(), kMost));
    return lines;
}

Json verdict_json(const RunReport &report) {
    const Verdict verdict = judge(report.stats, report.config);
    const std::vector<Relief> reliefs = reliefs_of(report.config);
    Json candidates = Json::array();
    for (const Candidate &candidate : verdict.candidates) {
        const Relief *relief = find_relief(reliefs, candidate.relief);
        candidates.push_back(Json{{"relief", candidate.relief},
                                  {"meaning", relief == nullptr ? Json() : Json(relief->meaning)},
                                  {"score", candidate.score},
                                  {"evidence", candidate.evidence},
                                  {"settings", relief == nullptr ? std::vector<std::string>{} : relief->settings}});
    }
    Json scattered = Json::array();
    for (const Scattered &one : scattered_lines(report, verdict)) {
        const SourceLine source = source_of(report.code, one.pc);
        scattered.push_back(Json{{"pc", one.pc},
                                 {"file", source.file},
                                 {"line", source.line},
                                 {"sectors_per_request", one.sectors},
                                 {"sectors_needed", one.needed},
                                 {"share", one.share}});
    }
    return Json{{"certainty", certainty_name(verdict.certainty)},
                {"candidates", std::move(candidates)},
                {"scattered", std::move(scattered)}};
}

Json occupancy_json(const RunReport &report) {
    Json samples = Json::array();
    for (const OccupancySample &sample : report.stats.occupancy.rows()) {
        samples.push_back(Json{{"cycle", sample.cycle}, {"ctas", sample.ctas}, {"warps", sample.warps}});
    }
    const double mean = mean_resident_warps(report.stats);
    const double slots = static_cast<double>(report.config.warps());
    return Json{{"mean_warps", mean},
                {"mean_fraction", slots == 0 ? 0 : mean / slots},
                {"limits", limits_json(report.stats.occupancy_limits)},
                {"samples", std::move(samples)}};
}

/// The kinds that occurred.
Json latencies_json(const Latencies &latencies) {
    Json all = Json::object();
    for (std::size_t kind = 0; kind < latencies.size(); ++kind) {
        const LatencyStats &latency = latencies[kind];
        if (latency.count == 0) {
            continue;
        }
        Json bins = Json::array();
        for (std::size_t bin = 0; bin < LatencyStats::kBins; ++bin) {
            if (latency.bins[bin] != 0) {
                bins.push_back(Json{{"from", LatencyStats::bin_begin(bin)},
                                    {"below", LatencyStats::bin_end(bin)},
                                    {"count", latency.bins[bin]}});
            }
        }
        all[std::string(latency_name(static_cast<LatencyKind>(kind)))] =
            Json{{"count", latency.count}, {"cycles", latency.cycles}, {"mean", ratio(latency.cycles, latency.count)},
                 {"least", latency.least}, {"most", latency.most},     {"bins", std::move(bins)}};
    }
    return all;
}

Json over_time_json(const RunStats &stats) {
    const Cycle width = stats.over_time.empty() ? 1 : stats.over_time.front().width();
    const std::size_t count = interval_count(stats, width);
    Json parts = Json::array();
    for (std::size_t part = 0; part < stats.over_time.size(); ++part) {
        std::vector<IntervalCounters::Interval> intervals = stats.over_time[part].intervals();
        intervals.resize(count);
        Json stalls = Json::object();
        for (std::size_t i = 0; i < kStallReasons; ++i) {
            const auto cycles = [i](const IntervalCounters::Interval &interval) { return interval.stalls[i]; };
            if (std::ranges::any_of(intervals, cycles)) {
                stalls[std::string(stall_name(static_cast<StallReason>(i)))] = series(intervals, cycles);
            }
        }
        parts.push_back(Json{
            {"sub_partition", part},
            {"warp_instructions", series(intervals, std::mem_fn(&IntervalCounters::Interval::instructions))},
            {"thread_instructions", series(intervals, std::mem_fn(&IntervalCounters::Interval::thread_instructions))},
            {"stalls", std::move(stalls)}});
    }
    return Json{{"interval_cycles", width}, {"intervals", count}, {"sub_partitions", std::move(parts)}};
}

Json utilisation_json(const RunStats &stats) {
    const Cycle width = stats.over_time.empty() ? 1 : stats.over_time.front().width();
    const std::size_t count = interval_count(stats, width);
    Json list = Json::array();
    for (const UnitUse &use : stats.units) {
        const UsedUnitSpec &spec = used_unit_spec(use.unit);
        const std::uint64_t busy = use.busy();
        const std::uint64_t possible = use.possible(stats.cycles);
        Json by_instance = Json::array();
        for (const UseSeries &series : use.instances) {
            by_instance.push_back(series.total());
        }
        std::vector<std::uint64_t> over_time = use.over_time();
        over_time.resize(count);
        list.push_back(Json{{"unit", spec.name},
                            {"counts", spec.meaning},
                            {"keys", keys_json(spec.keys)},
                            {"instances", use.instances.size()},
                            {"capacity", use.capacity},
                            {"busy", busy},
                            {"idle", possible - std::min(possible, busy)},
                            {"utilisation", ratio(busy, possible)},
                            {"peak", use.peak(stats.cycles)},
                            {"by_instance", std::move(by_instance)},
                            {"over_time", std::move(over_time)}});
    }
    return list;
}

Json roofline_json(const RunReport &report) {
    const Roofline roofline = roofline_of(report.stats, report.config, report.code);
    Json json{{"work", Json::array()}, {"traffic", Json::array()}, {"points", Json::array()}};
    for (const RooflineWork &work : roofline.work) {
        json["work"].push_back({{"name", work.name}, {"operations", work.operations}, {"peak", work.peak}});
    }
    for (const RooflineTraffic &traffic : roofline.traffic) {
        json["traffic"].push_back({{"name", traffic.name}, {"bytes", traffic.bytes}, {"peak", traffic.peak}});
    }
    for (const RooflinePoint &point : roofline.points) {
        json["points"].push_back({{"work", point.work},
                                  {"traffic", point.traffic},
                                  {"intensity", point.intensity},
                                  {"attainable", point.attainable},
                                  {"achieved", point.achieved}});
    }
    return json;
}

Json critical_path_json(const RunReport &report, const CriticalPath &path) {
    Json costs = Json::array();
    for (const CriticalPath::Cost &cost : path.costs) {
        costs.push_back({{"pc", cost.pc},
                         {"line", source_of(report.code, cost.pc).line},
                         {"reason", stall_name(cost.reason)},
                         {"producer", cost.producer ? Json(*cost.producer) : Json(nullptr)},
                         {"scoreboard", cost.producer ? Json(cost.scoreboard) : Json(nullptr)},
                         {"cycles", cost.cycles},
                         {"times", cost.times}});
    }
    Json stretches = Json::array();
    for (std::size_t i = 0; i < std::min(path.stretches.size(), kListedStretches); ++i) {
        const CriticalPath::Stretch &stretch = path.stretches[i];
        stretches.push_back({{"warp", stretch.warp},
                             {"begin", stretch.begin},
                             {"end", stretch.end},
                             {"barrier", stretch.barrier ? Json(*stretch.barrier) : Json(nullptr)},
                             {"pc", stretch.pc}});
    }
    return Json{{"cta", path.cta},
                {"begin", path.begin},
                {"end", path.end},
                {"cycles", path.cycles()},
                {"before", path.before},
                {"stalls", json_of(path.reasons)},
                {"costs", std::move(costs)},
                {"stretches", std::move(stretches)},
                {"stretches_left_out", path.stretches.size() - std::min(path.stretches.size(), kListedStretches)}};
}

/// Wavefronts of the data of all loads and stores of global and local memory.
std::uint64_t l1_wavefronts(const RunStats &stats) {
    std::uint64_t sum = 0;
    for (const AccessStats &access : stats.lsu.by_pc) {
        sum += access.wavefronts;
    }
    return sum;
}

/// The counters of the tensor pipe, of a launch that uses it.
void add_tensor_metrics(const RunReport &report, Json &metrics) {
    const RunStats &stats = report.stats;
    const UnitUse *use = find_use(stats.units, UsedUnit::kTensor);
    enum Kind : std::uint8_t { kFloats, kIntegers, kDoubles };
    std::array<std::uint64_t, 3> executed{};
    const std::size_t length = report.code == nullptr ? 0 : report.code->code.size();
    for (std::size_t i = 0; i < std::min(stats.pcs.size(), length); ++i) {
        const isa::Instruction &insn = report.code->code[i];
        if (insn.unit == isa::Unit::kTensor) {
            const bool whole = insn.op == isa::Op::kImma || insn.op == isa::Op::kBmma;
            executed[whole ? kIntegers : (insn.op == isa::Op::kDmma ? kDoubles : kFloats)] += stats.pcs[i].issues;
        }
    }
    const std::uint64_t all = executed[kFloats] + executed[kIntegers] + executed[kDoubles];
    if (all == 0 || use == nullptr) {
        return;
    }
    metrics["sm__inst_executed_pipe_tensor.sum"] = all;
    metrics["sm__inst_executed_pipe_tensor_op_hmma.sum"] = executed[kFloats];
    metrics["sm__inst_executed_pipe_tensor_op_imma.sum"] = executed[kIntegers];
    metrics["sm__inst_executed_pipe_tensor_op_dmma.sum"] = executed[kDoubles];
    metrics["sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"] =
        100 * ratio(use->busy(), use->possible(stats.cycles));
}

/// Counters under their names in Nsight Compute.
Json metrics_json(const RunReport &report, const WarpSums &sums) {
    const RunStats &stats = report.stats;
    const double parts = std::max(1U, report.config.sm.sub_partitions);
    const double issued = ratio(sums.instructions, stats.cycles) / parts;
    const std::uint64_t active = active_lanes(stats);
    Json metrics{{"sm__cycles_elapsed.max", stats.cycles},
                 {"sm__ctas_launched.sum", stats.ctas},
                 {"sm__maximum_warps_per_active_cycle_pct",
                  100 * ratio(std::uint64_t{stats.occupancy_limits.ctas} * stats.occupancy_limits.warps_each,
                              report.config.warps())},
                 {"sm__warps_active.avg.per_cycle_active", mean_resident_warps(stats)},
                 {"sm__warps_active.avg.pct_of_peak_sustained_active",
                  report.config.warps() == 0 ? 0 : 100 * mean_resident_warps(stats) / report.config.warps()},
                 {"smsp__warps_launched.sum", sums.warps},
                 {"smsp__inst_executed.sum", sums.instructions},
                 {"smsp__thread_inst_executed.sum", active},
                 {"smsp__thread_inst_executed_pred_on.sum", sums.thread_instructions},
                 {"smsp__thread_inst_executed_per_inst_executed.ratio", ratio(active, sums.instructions)},
                 {"smsp__inst_executed.avg.per_cycle_elapsed", issued},
                 {"smsp__issue_active.avg.pct_of_peak_sustained_elapsed",
                  100 * issued / std::max(1U, report.config.ibuffer.issue_width)},
                 {"smsp__average_warp_latency_per_inst_issued.ratio", ratio(sums.warp_cycles, sums.instructions)},
                 {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", stats.shared.conflicts},
                 {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", stats.shared.passes},
                 {"derived__memory_l1_wavefronts_shared_ideal", stats.shared.passes - stats.shared.conflicts},
                 {"l1tex__data_pipe_lsu_wavefronts.sum", stats.shared.passes + l1_wavefronts(stats)},
                 {"sm__sass_inst_executed_op_branch.sum", branch_executions(stats)}};
    add_tensor_metrics(report, metrics);
    const GlobalMemoryStats &global = stats.global;
    if (stats.lsu.by_op[static_cast<std::size_t>(isa::Op::kLdl)] == 0) { // the L1 counts loads of both spaces together
        const std::uint64_t sectors = global.l1_sector_hits + global.l1_sector_misses;
        metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"] = global.l1_sector_hits;
        metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum"] = global.l1_sector_misses;
        metrics["l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct"] = 100 * ratio(global.l1_sector_hits, sectors);
    }
    if (report.config.l2.bytes != 0) {
        metrics["lts__t_sector_hit_rate.pct"] = 100 * ratio(global.l2_hits, global.l2_hits + global.l2_misses);
    }
    for (std::size_t i = 0; i < kStallReasons; ++i) {
        const auto reason = static_cast<StallReason>(i);
        metrics[fmt::format("smsp__average_warps_issue_stalled_{}_per_issue_active.ratio", stall_name(reason))] =
            ratio(sums.stalls[i], sums.instructions);
    }
    return metrics;
}

} // namespace smsim::report
