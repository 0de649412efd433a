// The report as JSON; docs/report.schema.json describes it.
#include "report/report.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/config/config.h"
#include "model/config/config_json.h"
#include "model/timing/pipes.h"
#include "report/functional_run.h"
#include "report/parts.h"
#include "report/summary.h"
#include "report/use.h"
#include "report/validation_report.h"

namespace smsim {

namespace {

using Json = nlohmann::ordered_json;
using report::json_of;

/// Null if the launch completed; for an exception without a place, all members except kind and cycle are null.
Json raised_json(const RunReport &report) {
    if (!report.raised) {
        return Json();
    }
    Json json{{"kind", fault_name(report.raised->kind)}, {"cycle", report.raised->cycle}};
    const auto &place = report.raised->place;
    const auto put = [&](const char *key, bool known, const auto &value) {
        json[key] = place && known ? Json(value(*place)) : Json();
    };
    using Place = RaisedException::Place;
    const bool in_code = place && !place->instruction.empty();
    const auto mask = [](LaneMask lanes) { return fmt::format("{:#010x}", lanes.bits()); };
    put("cta", true, [](const Place &p) { return p.cta; });
    put("warp", true, [](const Place &p) { return p.warp; });
    put("pc", true, [](const Place &p) { return p.pc; });
    put("instruction", in_code, [](const Place &p) { return p.instruction; });
    put("file", place && !place->file.empty(), [](const Place &p) { return p.file; });
    put("line", place && place->line != 0, [](const Place &p) { return p.line; });
    put("active", true, [&](const Place &p) { return mask(p.active); });
    put("threads", true, [&](const Place &p) { return mask(p.threads); });
    put("issued", in_code, [](const Place &p) { return p.issued; });
    put("issued_since", in_code, [](const Place &p) { return p.issued_since; });
    return json;
}

Json run_json(const RunReport &report) {
    Json run;
    run["program"] = report.program;
    run["launch"] = report.launch_file;
    if (!report.launch_changes.empty()) {
        run["launch_changes"] = report.launch_changes;
    }
    run["kernel"] = report.kernel;
    run["grid"] = report.grid;
    run["block"] = report.block;
    run["dynamic_shared"] = report.dynamic_shared;
    run["status"] = run_status(report);
    run["fault"] = report.fault ? Json(fault_name(*report.fault)) : Json();
    run["exception"] = report.exception;
    run["raised"] = raised_json(report);
    return run;
}

Json validation_json(const RunReport &report) {
    const validation::Record &record = validation::embedded_record();
    return validation::to_json(record, validation::compare(record, report.config, report.config_file),
                               validation::usage_of(record, report.stats, report.code), report.config_file);
}

Json checks_json(const RunReport &report) {
    Json checks = Json::array();
    for (const CheckResult &check : report.checks) {
        checks.push_back(json_of(check));
    }
    return checks;
}

Json sub_partitions_json(const RunReport &report) {
    Json list = Json::array();
    const auto sums = sum_by_sub_partition(report.stats, report.config.sm.sub_partitions);
    for (std::size_t i = 0; i < sums.size(); ++i) {
        list.push_back(Json{{"sub_partition", i},
                            {"warps", sums[i].warps},
                            {"warp_instructions", sums[i].instructions},
                            {"thread_instructions", sums[i].thread_instructions},
                            {"ipc", ratio(sums[i].instructions, report.stats.cycles)},
                            {"warp_cycles", sums[i].warp_cycles},
                            {"stalls", json_of(sums[i].stalls)},
                            {"states", json_of(sums[i].states)}});
    }
    return list;
}

Json warps_json(const RunStats &stats) {
    Json list = Json::array();
    for (const WarpStats &warp : stats.warps) {
        list.push_back(Json{{"cta", warp.cta_number},
                            {"warp", warp.warp_in_cta},
                            {"slot", warp.slot.value()},
                            {"sub_partition", warp.sub_partition},
                            {"start", warp.start},
                            {"end", warp.end},
                            {"warp_instructions", warp.instructions},
                            {"thread_instructions", warp.thread_instructions},
                            {"stalls", json_of(warp.stalls)},
                            {"states", json_of(warp.states)}});
    }
    return list;
}

/// Address, text and source line: the same first fields wherever an instruction is listed.
Json instruction_json(const RunReport &report, Pc pc) {
    const SourceLine source = source_of(report.code, pc);
    return Json{{"pc", pc},
                {"text", report.disassembly ? report.disassembly(pc) : std::string()},
                {"file", source.file},
                {"line", source.line},
                {"source", source.text}};
}

/// The instructions that held the scoreboards for which the instruction at `pc` has waited, most cycles first.
Json waits_json(const RunStats &stats, Pc pc) {
    Json list = Json::array();
    const auto first = std::ranges::lower_bound(stats.dependences, pc, {}, &Dependence::waits);
    for (auto one = first; one != stats.dependences.end() && one->waits == pc; ++one) {
        list.push_back(
            Json{{"producer", one->producer}, {"scoreboard", one->scoreboard}, {"warp_cycles", one->cycles}});
    }
    return list;
}

Json access_json(const AccessStats &access) {
    return Json{{"accesses", access.accesses},
                {"transactions", access.transactions},
                {"sectors", access.sectors},
                {"shared_passes", access.shared_passes},
                {"bank_conflicts", access.bank_conflicts},
                {"tag_wavefronts", access.tag_wavefronts},
                {"wavefronts", access.wavefronts},
                {"ideal_wavefronts", access.ideal_wavefronts},
                {"requested_bytes", access.requested_bytes},
                {"l1_hits", access.l1_hits},
                {"latency_mean", ratio(access.cycles, access.accesses)},
                {"latency_max", access.most}};
}

Json instructions_json(const RunReport &report) {
    Json by_unit = Json::object();
    for (std::size_t i = 0; i < report.stats.datapath.by_unit.size(); ++i) {
        by_unit[std::string(timing::pipe_spec(static_cast<isa::Unit>(i)).name)] = report.stats.datapath.by_unit[i];
    }
    Json all = Json::array();
    for (std::size_t i = 0; i < report.stats.pcs.size(); ++i) {
        const PcStats &counters = report.stats.pcs[i];
        if (counters.issues == 0 && charged(counters) == 0) {
            continue;
        }
        Json entry = instruction_json(report, i * kInstructionBytes);
        entry["issues"] = counters.issues;
        entry["active_lanes"] = counters.active_lanes;
        entry["executed_lanes"] = counters.executed_lanes;
        entry["warp_cycles"] = charged(counters);
        entry["stalls"] = json_of(counters.stalls);
        if (Json waits = waits_json(report.stats, i * kInstructionBytes); !waits.empty()) {
            entry["waits_for"] = std::move(waits);
        }
        if (const std::vector<AccessStats> &accesses = report.stats.lsu.by_pc;
            i < accesses.size() && accesses[i].accesses != 0) {
            entry["memory"] = access_json(accesses[i]);
        }
        all.push_back(std::move(entry));
    }
    return Json{{"by_unit", std::move(by_unit)}, {"top", hot_spots(report.stats, kHotSpots)}, {"all", std::move(all)}};
}

Json branches_json(const RunReport &report) {
    Json list = Json::array();
    for (const auto &[pc, branch] : report.stats.bru.branches) {
        Json entry = instruction_json(report, pc);
        entry["executions"] = branch.executions;
        entry["taken"] = branch.taken;
        entry["taken_lanes"] = branch.taken_lanes;
        entry["active_lanes"] = branch.active_lanes;
        entry["diverged"] = branch.diverged;
        entry["reconverged"] = branch.reconverged;
        entry["path_instructions"] = branch.path_instructions;
        entry["path_mean"] = ratio(branch.path_instructions, branch.reconverged);
        entry["path_max"] = branch.path_max;
        list.push_back(std::move(entry));
    }
    return list;
}

Json syncs_json(const RunReport &report) {
    static constexpr std::array<std::string_view, kReleaseKinds> kNames = {"complete", "yield", "sleep", "turn",
                                                                           "blocked"};
    Json list = Json::array();
    for (const auto &[pc, sync] : report.stats.bru.syncs) {
        Json entry = instruction_json(report, pc);
        entry["executions"] = sync.executions;
        entry["passed"] = sync.passed;
        entry["switched"] = sync.switched;
        Json releases = Json::object();
        for (std::size_t i = 0; i < kNames.size(); ++i) {
            releases[std::string(kNames[i])] = sync.releases[i];
        }
        entry["releases"] = std::move(releases);
        list.push_back(std::move(entry));
    }
    return list;
}

/// Sizes over time: those that occurred, in total and by warp.
Json level_json(const LevelStats &level) {
    Json by_size = Json::array();
    for (std::size_t size = 0; size < level.warp_cycles.size(); ++size) {
        if (level.warp_cycles[size] != 0) {
            by_size.push_back(Json{{"size", size}, {"warp_cycles", level.warp_cycles[size]}});
        }
    }
    Json warps = Json::array();
    for (const WarpLevel &warp : level.warps) {
        warps.push_back(Json{{"cta", warp.cta_number},
                             {"warp", warp.warp_in_cta},
                             {"most", warp.most},
                             {"mean", ratio(warp.level_cycles, warp.cycles)}});
    }
    const LevelSums &sums = level.sums;
    return Json{{"name", level.what.name},     {"meaning", level.what.meaning},
                {"most", sums.most},           {"mean", ratio(sums.level_cycles, sums.cycles)},
                {"sizes", std::move(by_size)}, {"warps", std::move(warps)}};
}

Json branch_unit_json(const RunReport &report) {
    const BruStats &bru = report.stats.bru;
    Json unit{{"instructions", bru.instructions},
              {"busy_cycles", bru.busy_cycles},
              {"yields", bru.yields},
              {"yields_converged", bru.yields_converged},
              {"sleeps", bru.sleeps},
              {"warp_sleeps", bru.warp_sleeps},
              {"wakes", bru.wakes},
              {"parked", bru.parked},
              {"syscalls", bru.syscalls},
              {"branches", branches_json(report)},
              {"syncs", syncs_json(report)}};
    if (!bru.engine.empty()) {
        Json own = Json::object();
        for (const EngineCounter &counter : bru.engine) {
            own[std::string(counter.name)] = counter.value;
        }
        unit["engine"] = std::move(own);
    }
    if (!bru.level.what.name.empty()) {
        unit["measured"] = level_json(bru.level);
    }
    return unit;
}

Json barrier_unit_json(const BcuStats &bcu) {
    Json list = Json::array();
    for (std::size_t i = 0; i < bcu.barriers.size(); ++i) {
        const BarrierStats &barrier = bcu.barriers[i];
        if (barrier.arrivals == 0 && barrier.arrivals_nonblocking == 0) {
            continue;
        }
        Json warps = Json::array();
        for (std::size_t w = 0; w < barrier.warps.size(); ++w) {
            const BarrierWarpStats &warp = barrier.warps[w];
            warps.push_back(Json{{"warp", w},
                                 {"arrivals", warp.arrivals},
                                 {"arrivals_nonblocking", warp.arrivals_nonblocking},
                                 {"last_arrivals", warp.last_arrivals},
                                 {"wait_cycles", warp.wait_cycles}});
        }
        list.push_back(Json{{"barrier", i},
                            {"arrivals", barrier.arrivals},
                            {"arrivals_nonblocking", barrier.arrivals_nonblocking},
                            {"completions", barrier.completions},
                            {"reductions", barrier.reductions},
                            {"wait_cycles", barrier.wait_cycles},
                            {"imbalance_cycles", barrier.imbalance_cycles},
                            {"imbalance_mean", ratio(barrier.imbalance_cycles, barrier.completions)},
                            {"imbalance_max", barrier.imbalance_max},
                            {"warps", std::move(warps)}});
    }
    return Json{
        {"instructions", bcu.instructions}, {"undefined_reads", bcu.undefined_reads}, {"barriers", std::move(list)}};
}

Json memory_json(const RunStats &stats, bool with_l2) {
    Json by_op = Json::object();
    for (std::size_t i = 0; i < stats.lsu.by_op.size(); ++i) {
        if (stats.lsu.by_op[i] != 0) {
            const isa::OpSpec *spec = isa::find_op(static_cast<std::uint8_t>(i));
            by_op[spec != nullptr ? std::string(spec->name) : std::to_string(i)] = stats.lsu.by_op[i];
        }
    }
    const SharedMemoryStats &shared = stats.shared;
    const GlobalMemoryStats &global = stats.global;
    Json memory;
    memory["load_store"] = Json{{"instructions", std::move(by_op)},
                                {"transactions_shared", stats.lsu.transactions_shared},
                                {"transactions_global", stats.lsu.transactions_global},
                                {"requested_global_bytes", stats.lsu.requested_global_bytes},
                                {"moved_global_bytes", stats.lsu.moved_global_bytes},
                                {"coalescing", ratio(stats.lsu.requested_global_bytes, stats.lsu.moved_global_bytes)},
                                {"constant_misses", stats.lsu.constant_misses},
                                {"compare_and_swaps", stats.lsu.cas},
                                {"compare_and_swaps_failed", stats.lsu.cas_failed}};
    memory["shared"] =
        Json{{"accesses", shared.accesses},      {"passes", shared.passes},   {"conflict_passes", shared.conflicts},
             {"passes_histogram", shared.ways},  {"atomics", shared.atomics}, {"read_bytes", shared.read_bytes},
             {"write_bytes", shared.write_bytes}};
    memory["l1"] = Json{{"hits", global.l1_hits},
                        {"misses", global.l1_misses},
                        {"mshr_merges", global.l1_mshr_merges},
                        {"refetches", global.l1_refetches},
                        {"sector_hits", global.l1_sector_hits},
                        {"sector_misses", global.l1_sector_misses},
                        {"hit_rate", ratio(global.l1_sector_hits, global.l1_sector_hits + global.l1_sector_misses)}};
    memory["global"] = Json{
        {"reads", global.reads},           {"writes", global.writes},           {"atomics", global.atomics},
        {"read_bytes", global.read_bytes}, {"write_bytes", global.write_bytes}, {"busy_cycles", global.busy_cycles}};
    if (with_l2) {
        memory["l2"] = Json{{"hits", global.l2_hits},
                            {"misses", global.l2_misses},
                            {"hit_rate", ratio(global.l2_hits, global.l2_hits + global.l2_misses)},
                            {"write_backs", global.l2_write_backs},
                            {"dram_busy_cycles", global.dram_busy_cycles}};
    }
    return memory;
}

Json fetch_json(const FetchStats &fetch) {
    return Json{{"fetches", fetch.fetches},
                {"l0_hits", fetch.l0_hits},
                {"l0_misses", fetch.l0_misses},
                {"l0_hit_rate", ratio(fetch.l0_hits, fetch.l0_hits + fetch.l0_misses)},
                {"discarded", fetch.discarded},
                {"l1_hits", fetch.l1_hits},
                {"l1_misses", fetch.l1_misses},
                {"l1_hit_rate", ratio(fetch.l1_hits, fetch.l1_hits + fetch.l1_misses)},
                {"prefetches", fetch.prefetches},
                {"prefetches_used", fetch.prefetches_used},
                {"prefetches_unused", fetch.prefetches_unused}};
}

Json hazards_json(const RunReport &report) {
    static constexpr std::array<std::string_view, 6> kKinds = {"read_after_write", "write_after_write",
                                                               "write_after_read", "barrier_bits",
                                                               "count_bits",       "barrier_count_bits"};
    Json list = Json::array();
    for (const Hazard &hazard : report.stats.hazards) {
        Json &entry = list.emplace_back(Json{{"kind", kKinds.at(static_cast<std::size_t>(hazard.kind))},
                                             {"register", hazard_register(hazard)},
                                             {"count", hazard.count},
                                             {"cycle", hazard.cycle},
                                             {"missing_cycles", hazard.missing},
                                             {"first", instruction_json(report, hazard.first)},
                                             {"second", instruction_json(report, hazard.second)}});
        if (is_of_operand_bits(hazard)) {
            entry["value"] = hazard.value;
            entry["acts_as"] = operand_of(hazard).acts_as();
        }
    }
    return Json{{"count", report.stats.datapath.hazards}, {"list", std::move(list)}};
}

Json outside_json(const RunReport &report) {
    const OutsideAccesses &outside = report.stats.outside;
    Json list = Json::array();
    for (const OutsidePlace &place : outside.places) {
        list.push_back(Json{{"instruction", instruction_json(report, place.pc)},
                            {"count", place.count},
                            {"cycle", place.cycle},
                            {"cta", place.cta},
                            {"warp", place.warp},
                            {"thread", place.thread},
                            {"address", place.address},
                            {"buffer", place.buffer},
                            {"distance", place.distance}});
    }
    return Json{{"mode", memory_check_name(outside.mode)}, {"count", outside.count}, {"list", std::move(list)}};
}

/// [{"part", "operation", "answers", "cycles_apart": [{"cycles", "answers"}]}]
Json lockstep_json(const LockstepStats &stats) {
    Json list = Json::array();
    for (const auto &[part, operations] : stats) {
        for (const auto &[operation, apart] : operations) {
            Json distribution = Json::array();
            for (const auto &[cycles, count] : apart) {
                distribution.push_back(Json{{"cycles", cycles}, {"answers", count}});
            }
            list.push_back(Json{{"part", part},
                                {"operation", operation},
                                {"answers", count_answers(apart).answers},
                                {"cycles_apart", std::move(distribution)}});
        }
    }
    return list;
}

} // namespace

std::string_view run_status(const RunReport &report) {
    if (report.fault || !report.exception.empty()) {
        return "exception";
    }
    if (report.early_end) {
        return early_end_name(*report.early_end);
    }
    return std::ranges::all_of(report.checks, &CheckResult::passed) ? "completed" : "check_failed";
}

nlohmann::ordered_json to_json(const RunReport &report) {
    const WarpSums sums = report.stats.totals();
    Json json;
    json["schema"] = kReportSchemaVersion;
    json["smsim"] = report.version;
    json["model"] = report.model;
    if (!report.in_time) {
        json["timing"] = "none";
    } else if (report.untimed != UntimedWork{}) {
        json["timing"] = "some";
        json["untimed"] = json_of(report.untimed);
    }
    if (report.sample) {
        json["sample"] = json_of(*report.sample);
    }
    json["run"] = run_json(report);
    json["validation"] = validation_json(report);
    json["checks"] = checks_json(report);
    json["verdict"] = report::verdict_json(report);
    json["cycles"] = report.stats.cycles;
    json["microseconds"] = microseconds(report.stats.cycles, report.config);
    json["ctas"] = report.stats.ctas;
    json["warp_instructions"] = sums.instructions;
    json["thread_instructions"] = sums.thread_instructions;
    json["ipc"] = ratio(sums.instructions, report.stats.cycles);
    json["simd_efficiency"] = ratio(sums.thread_instructions, sums.instructions * kLanes);
    json["warp_cycles"] = sums.warp_cycles;
    json["stalls"] = json_of(sums.stalls);
    json["no_instruction"] = json_of(report.stats.no_instruction);
    json["states"] = json_of(sums.states);
    json["sub_partitions"] = sub_partitions_json(report);
    json["instructions"] = instructions_json(report);
    json["branch_unit"] = branch_unit_json(report);
    json["barrier_unit"] = barrier_unit_json(report.stats.bcu);
    json["memory"] = memory_json(report.stats, report.config.l2.bytes != 0);
    json["fetch"] = fetch_json(report.stats.fetch);
    json["occupancy"] = report::occupancy_json(report);
    json["over_time"] = report::over_time_json(report.stats);
    json["utilisation"] = report::utilisation_json(report.stats);
    json["roofline"] = report::roofline_json(report);
    json["lanes"] = report.stats.lanes;
    json["latencies"] = report::latencies_json(report.stats.latencies);
    json["metrics"] = report::metrics_json(report, sums);
    if (report.critical_path) {
        json["critical_path"] = report::critical_path_json(report, *report.critical_path);
    }
    json["hazards"] = hazards_json(report);
    json["memory_check"] = outside_json(report);
    if (!report.stats.lockstep.empty()) {
        json["lockstep"] = lockstep_json(report.stats.lockstep);
    }
    if (report.stats.warps_every != 1) {
        json["warps_every"] = report.stats.warps_every;
    }
    json["warps"] = warps_json(report.stats);
    json["config"] = config_to_json(report.config);
    if (!report.in_time) {
        report::leave_out_times(json);
    }
    return json;
}

std::string to_json_text(const RunReport &report) {
    return to_json(report).dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace smsim
