// The report as text: headline, where the time went, hot spots, then each unit in a line or a short table.
#include "report/report.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/config/config.h"
#include "model/config/what_if_reliefs.h"
#include "report/parts.h"
#include "report/roofline.h"
#include "report/summary.h"
#include "report/use.h"
#include "report/validation_report.h"
#include "report/verdict.h"

namespace smsim {

namespace {

using report::folded;
using report::heading;
using report::kColumns;
using report::mismatch_lines;
using report::one_line;
using report::short_path;

constexpr std::size_t kTableRows = 8; ///< branches, barriers, syncs and hazards listed; the rest is in the JSON

double percent(std::uint64_t part, std::uint64_t whole) {
    return 100 * ratio(part, whole);
}

std::string size_text(const std::array<std::uint32_t, 3> &size) {
    return fmt::format("{}x{}x{}", size[0], size[1], size[2]);
}

std::string instruction_text(const RunReport &report, Pc pc, std::size_t width) {
    const std::string text = report.disassembly ? report.disassembly(pc) : source_of(report.code, pc).text;
    return one_line(text, width);
}

/// "name.sasm:12", or nothing.
std::string line_text(const RunReport &report, Pc pc, std::size_t width) {
    const SourceLine source = source_of(report.code, pc);
    if (source.line == 0) {
        return "";
    }
    const std::string name = source.file.substr(source.file.find_last_of('/') + 1);
    const std::string number = fmt::format(":{}", source.line);
    return one_line(name, width - std::min(width - 3, number.size())) + number;
}

std::string more(std::size_t total, const char *what, std::size_t shown = kTableRows) {
    return total > shown ? fmt::format("  ... {} more {} in the JSON report\n", total - shown, what) : "";
}

std::string joined(const std::vector<std::string_view> &names) {
    return fmt::format("{}", fmt::join(names, ", "));
}

void head(const RunReport &report, std::string &out) {
    out += fmt::format("smsim {}  kernel {}  grid {}  block {}\n", report.version, one_line(report.kernel, 30),
                       size_text(report.grid), size_text(report.block));
    out += fmt::format("program {}\n", short_path(report.program, kColumns - 8));
    out += fmt::format("status {}\n", run_status(report));
    if (report.early_end) {
        out += report.in_time ? fmt::format("  ended early, in cycle {}: nothing was checked\n", report.stats.cycles)
                              : "  ended early: nothing was checked\n";
    }
    if (!report.exception.empty()) {
        out += folded(report.exception); // the message is what a user needs most, so it is printed in full
    }
    for (const CheckResult &check : report.checks) {
        out += check_line(check) + "\n";
        out += mismatch_lines(check);
    }
}

/// A row of two figures.
void headline_row(const char *left, const std::string &a, const char *right, const std::string &b, std::string &out) {
    out += fmt::format("  {:<22}{:>16}    {:<26}{:>16}\n", left, a, right, b);
}

std::string efficiency_text(const WarpSums &sums) {
    return fmt::format("{:.1f} %", percent(sums.thread_instructions, sums.instructions * std::uint64_t{kLanes}));
}

void headline(const RunReport &report, const WarpSums &sums, std::string &out) {
    const RunStats &stats = report.stats;
    const double mean_warps = mean_resident_warps(stats);
    out += heading("Headline");
    const auto row = [&](const char *left, const std::string &a, const char *right, const std::string &b) {
        headline_row(left, a, right, b, out);
    };
    row("cycles", fmt::format("{}", stats.cycles), "warp instructions", fmt::format("{}", sums.instructions));
    row("microseconds", fmt::format("{:.3f}", microseconds(stats.cycles, report.config)), "at GHz",
        fmt::format("{}", report.config.sm.clock_ghz));
    row("IPC", fmt::format("{:.3f}", ratio(sums.instructions, stats.cycles)), "thread instructions",
        fmt::format("{}", sums.thread_instructions));
    row("SIMD efficiency", efficiency_text(sums), "CTAs, warps", fmt::format("{}, {}", stats.ctas, sums.warps));
    row("mean resident warps", fmt::format("{:.2f}", mean_warps), "of the warp slots",
        fmt::format("{:.1f} %", report.config.warps() == 0 ? 0 : 100 * mean_warps / report.config.warps()));
    const OccupancyLimits &limits = stats.occupancy_limits;
    row("CTAs at once, at most", fmt::format("{}", limits.ctas), "limited by", one_line(joined(limiting(limits)), 24));
    if (report.untimed != UntimedWork{}) {
        row("executed without time", fmt::format("{} CTAs", report.untimed.ctas), "and warp instructions",
            fmt::format("{}", report.untimed.instructions));
    }
    if (report.sample) {
        const SampledTime &sample = *report.sample;
        row("cycles of all, about", fmt::format("{:.0f}", sample.cycles),
            fmt::format("{:.0f} % interval", 100 * sample.confidence).c_str(),
            fmt::format("+- {:.1f} %", sample.cycles == 0 ? 0 : 100 * sample.half_width / sample.cycles));
    }
}

/// What bounds the launch, and the next candidates.
void verdict_lines(const RunReport &report, std::string &out) {
    const Verdict verdict = judge(report.stats, report.config);
    if (verdict.candidates.empty()) {
        return;
    }
    const std::vector<Relief> reliefs = reliefs_of(report.config);
    out += heading(fmt::format("Bound by ({}; --what-if finds out by experiment)", certainty_name(verdict.certainty)));
    constexpr std::size_t kShown = 3;
    for (std::size_t i = 0; i < std::min(verdict.candidates.size(), kShown); ++i) {
        const Candidate &candidate = verdict.candidates[i];
        out += fmt::format("  {:<17}{:>5.2f}  {}\n", candidate.relief, candidate.score,
                           one_line(candidate.evidence, kColumns - 26));
        if (const Relief *relief = find_relief(reliefs, candidate.relief)) {
            out +=
                fmt::format("  {:<24}{}\n", "",
                            one_line(fmt::format("--set {}", fmt::join(relief->settings, " --set ")), kColumns - 26));
        }
    }
    for (const Scattered &one : report::scattered_lines(report, verdict)) {
        const std::string line = line_text(report, one.pc, 30);
        out += fmt::format(
            "  coalescing: {:.1f} sectors per request at {}, where {:.1f} would do ({:.0f} % of all sectors)\n",
            one.sectors, line.empty() ? fmt::format("pc {:#x}", one.pc) : line, one.needed, 100 * one.share);
    }
}

/// What warps without an instruction waited for.
void cause_rows(const RunReport &report, const WarpSums &sums, std::string &out) {
    for (std::size_t i = 0; i < kFetchCauses; ++i) {
        if (const Cycle cycles = report.stats.no_instruction[i]; cycles != 0) {
            out += fmt::format("    {:<18}{:>7.1f}\n", fetch_cause_name(static_cast<FetchCause>(i)),
                               percent(cycles, sums.warp_cycles));
        }
    }
}

void stall_table(const RunReport &report, const WarpSums &sums, std::string &out) {
    const auto parts = sum_by_sub_partition(report.stats, report.config.sm.sub_partitions);
    const std::size_t shown = std::min<std::size_t>(parts.size(), 4); // one column each, as many as fit on the line
    out += heading(fmt::format("Where the time went (percent of {} warp-cycles)", sums.warp_cycles));
    out += fmt::format("  {:<20}{:>7}", "reason", "SM");
    for (std::size_t i = 0; i < shown; ++i) {
        out += fmt::format("{:>7}", fmt::format("SP{}", i));
    }
    out += "\n";
    std::array<std::size_t, kStallReasons> order{};
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t i) { return sums.stalls[i]; });
    for (const std::size_t i : order) {
        if (sums.stalls[i] == 0) {
            continue;
        }
        const double share = percent(sums.stalls[i], sums.warp_cycles);
        out += fmt::format("  {:<20}{:>7.1f}", stall_name(static_cast<StallReason>(i)), share);
        for (std::size_t p = 0; p < shown; ++p) {
            out += fmt::format("{:>7.1f}", percent(parts[p].stalls[i], parts[p].warp_cycles));
        }
        const auto bar = static_cast<std::size_t>(std::clamp(share, 0.0, 100.0) * 0.4);
        out += bar == 0 ? "\n" : fmt::format("  {}\n", std::string(bar, '#'));
        if (static_cast<StallReason>(i) == StallReason::kNoInstruction) {
            cause_rows(report, sums, out);
        }
    }
}

/// The units that were used most, with their keys of the configuration.
void utilisation_table(const RunReport &report, std::string &out) {
    const Cycle cycles = report.stats.cycles;
    std::vector<const UnitUse *> used;
    for (const UnitUse &use : report.stats.units) {
        if (use.busy() != 0) {
            used.push_back(&use);
        }
    }
    const auto share = [cycles](const UnitUse *use) { return percent(use->busy(), use->possible(cycles)); };
    std::ranges::stable_sort(used, std::ranges::greater{}, share);
    if (used.empty()) {
        return;
    }
    out += heading("Utilisation (percent of what the units could do)");
    out += fmt::format("  {:<16}{:>7}{:>7}  {:<21}{}\n", "unit", "mean", "peak", "", "more of it by");
    for (std::size_t i = 0; i < std::min(used.size(), kTableRows); ++i) {
        const UsedUnitSpec &spec = used_unit_spec(used[i]->unit);
        const auto bar = static_cast<std::size_t>(std::clamp(share(used[i]), 0.0, 100.0) * 0.2);
        out += fmt::format("  {:<16}{:>7.1f}{:>7.1f}  {:<21}{}\n", spec.name, share(used[i]),
                           100 * used[i]->peak(cycles), std::string(bar, '#'), one_line(std::string(spec.keys), 45));
    }
    out += more(used.size(), "units");
}

/// The first kind of work over the bytes of each level.
void roofline_lines(const RunReport &report, std::string &out) {
    const Roofline roofline = roofline_of(report.stats, report.config, report.code);
    if (roofline.points.empty()) {
        return;
    }
    const RooflineWork &work = roofline.work.front();
    out += heading(fmt::format("Roofline ({} operations; at most {:.0f} per cycle)", work.name, work.peak));
    out += fmt::format("  {:<16}{:>16}{:>22}{:>16}\n", "over bytes of", "per byte", "attainable per cycle", "achieved");
    for (const RooflinePoint &point : roofline.points) {
        if (point.work == work.name) {
            out += fmt::format("  {:<16}{:>16.3f}{:>22.1f}{:>9.1f}{:>5.0f} %\n", point.traffic, point.intensity,
                               point.attainable, point.achieved, 100 * point.achieved / point.attainable);
        }
    }
}

void critical_path_lines(const RunReport &report, std::string &out) {
    if (!report.critical_path) {
        return;
    }
    const CriticalPath &path = *report.critical_path;
    out += heading(fmt::format("Critical path of CTA {} ({} cycles from cycle {}; percent of them)", path.cta,
                               path.cycles(), path.begin));
    constexpr std::size_t kShown = 6; // of each
    for (std::size_t i = 0; i < std::min(path.costs.size(), kShown); ++i) {
        const CriticalPath::Cost &cost = path.costs[i];
        std::string row = fmt::format("  {:>6.1f}  {:<18} {:>#6x}  {:<27}", percent(cost.cycles, path.cycles()),
                                      stall_name(cost.reason), cost.pc, instruction_text(report, cost.pc, 27));
        if (cost.producer) {
            row += fmt::format(" for {}", instruction_text(report, *cost.producer, 27));
        }
        row.erase(row.find_last_not_of(' ') + 1);
        out += row + "\n";
    }
    out += more(path.costs.size(), "instructions and reasons", kShown);
    for (std::size_t i = 0; i < std::min(path.stretches.size(), kShown); ++i) {
        const CriticalPath::Stretch &stretch = path.stretches[i];
        const std::string until =
            stretch.barrier ? fmt::format("completes barrier {}", *stretch.barrier) : "ends the CTA";
        out += fmt::format("  warp {:<3} for {:>8} cycles, most of them at {:#x}, {}\n", stretch.warp,
                           stretch.end - stretch.begin, stretch.pc, until);
    }
    out += more(std::min(path.stretches.size(), report::kListedStretches), "stretches between barriers", kShown);
}

void hot_spot_table(const RunReport &report, const WarpSums &sums, std::string &out) {
    const std::vector<Pc> top = hot_spots(report.stats, kHotSpots);
    if (top.empty()) {
        return;
    }
    out += heading("Hot spots (instructions that most warp-cycles were spent at)");
    out += fmt::format("  {:>6} {:>10} {:>5}  {:<18} {:>6}  {:<27} {}\n", "%", "issues", "lanes", "main reason", "pc",
                       "instruction", "line");
    for (const Pc pc : top) {
        const PcStats &counters = report.stats.pcs[pc / kInstructionBytes];
        const auto reason = std::ranges::max_element(counters.stalls) - counters.stalls.begin();
        std::string row =
            fmt::format("  {:>6.1f} {:>10} {:>5.1f}  {:<18} {:>#6x}  {:<27} {}",
                        percent(charged(counters), sums.warp_cycles), counters.issues,
                        ratio(counters.executed_lanes, counters.issues), stall_name(static_cast<StallReason>(reason)),
                        pc, instruction_text(report, pc, 27), line_text(report, pc, 15));
        row.erase(row.find_last_not_of(' ') + 1);
        out += row + "\n";
    }
}

/// Sizes over time: the largest, the mean, and each size's share of the time.
void level_lines(const LevelStats &level, std::string &out) {
    if (level.what.name.empty()) {
        return;
    }
    const LevelSums &sums = level.sums;
    out += fmt::format("  {} over time: most {}, mean {:.2f} ({})\n", level.what.name, sums.most,
                       ratio(sums.level_cycles, sums.cycles), level.what.meaning);
    std::string line;
    std::size_t shown = 0;
    for (std::size_t size = 0; size < level.warp_cycles.size(); ++size) {
        if (level.warp_cycles[size] != 0 && ++shown <= kTableRows) {
            line += fmt::format("{}{}{}: {:.1f} %", line.empty() ? "" : ", ", size,
                                size + 1 == level.warp_cycles.size() ? " or more" : "",
                                percent(level.warp_cycles[size], sums.cycles));
        }
    }
    line += shown > kTableRows ? fmt::format(", {} more sizes in the JSON report", shown - kTableRows) : "";
    out += line.empty() ? "" : fmt::format("    share of warp-cycles by size: {}\n", line);
}

void branch_tables(const RunReport &report, std::string &out) {
    const BruStats &bru = report.stats.bru;
    if (bru.instructions == 0) {
        return;
    }
    out += heading("Branches");
    out += fmt::format("  {} instructions, {} yields ({} without effect), {} sleeps, {} warp sleeps, {} parked\n",
                       bru.instructions, bru.yields, bru.yields_converged, bru.sleeps, bru.warp_sleeps, bru.parked);
    for (const EngineCounter &counter : bru.engine) {
        out += fmt::format("  {}: {} ({})\n", counter.name, counter.value, counter.meaning);
    }
    level_lines(bru.level, out);
    std::vector<std::pair<Pc, const BranchStats *>> branches;
    for (const auto &[pc, branch] : bru.branches) {
        branches.emplace_back(pc, &branch);
    }
    std::ranges::stable_sort(branches, std::ranges::greater{}, [](const auto &entry) {
        return std::pair{entry.second->diverged, entry.second->executions};
    });
    if (!branches.empty()) {
        out += fmt::format("  {:>6} {:>10} {:>8} {:>9} {:>11} {:>10} {:>9}  {}\n", "pc", "executed", "taken %",
                           "diverged", "reconverged", "path mean", "path max", "instruction");
    }
    for (std::size_t i = 0; i < std::min(branches.size(), kTableRows); ++i) {
        const BranchStats &branch = *branches[i].second;
        out += fmt::format("  {:>#6x} {:>10} {:>8.1f} {:>9} {:>11} {:>10.1f} {:>9}  {}\n", branches[i].first,
                           branch.executions, percent(branch.taken_lanes, branch.active_lanes), branch.diverged,
                           branch.reconverged, ratio(branch.path_instructions, branch.reconverged), branch.path_max,
                           instruction_text(report, branches[i].first, 27));
    }
    out += more(branches.size(), "branches");
    std::uint64_t executions = 0;
    std::uint64_t passed = 0;
    std::uint64_t switched = 0;
    for (const auto &[pc, sync] : bru.syncs) {
        executions += sync.executions;
        passed += sync.passed;
        switched += sync.switched;
    }
    if (executions != 0) {
        out +=
            fmt::format("  syncs: {} executed, {} passed, {} switched to another path\n", executions, passed, switched);
    }
}

void barrier_table(const RunReport &report, std::string &out) {
    const BcuStats &bcu = report.stats.bcu;
    std::vector<std::size_t> used;
    for (std::size_t i = 0; i < bcu.barriers.size(); ++i) {
        if (bcu.barriers[i].arrivals != 0 || bcu.barriers[i].arrivals_nonblocking != 0) {
            used.push_back(i);
        }
    }
    if (used.empty()) {
        return;
    }
    out += heading("CTA barriers (cycles)");
    out += fmt::format("  {:>7} {:>10} {:>12} {:>12} {:>15} {:>15} {:>14}\n", "barrier", "arrivals", "completions",
                       "waited", "waited/arrival", "imbalance mean", "imbalance max");
    for (std::size_t row = 0; row < std::min(used.size(), kTableRows); ++row) {
        const BarrierStats &barrier = bcu.barriers[used[row]];
        out += fmt::format("  {:>7} {:>10} {:>12} {:>12} {:>15.1f} {:>15.1f} {:>14}\n", used[row],
                           barrier.arrivals + barrier.arrivals_nonblocking, barrier.completions, barrier.wait_cycles,
                           ratio(barrier.wait_cycles, barrier.arrivals),
                           ratio(barrier.imbalance_cycles, barrier.completions), barrier.imbalance_max);
    }
    out += more(used.size(), "barriers");
}

void memory_lines(const RunReport &report, std::string &out) {
    const RunStats &stats = report.stats;
    std::string lines;
    if (stats.shared.accesses != 0) {
        const auto worst = std::ranges::find_if(stats.shared.ways.rbegin(), stats.shared.ways.rend(),
                                                [](std::uint64_t count) { return count != 0; });
        const auto most = worst == stats.shared.ways.rend() ? 0 : stats.shared.ways.rend() - worst - 1;
        const bool open = most == std::ssize(stats.shared.ways) - 1 && report.config.shared.banks < 4;
        lines += fmt::format("  shared   {} accesses, {:.2f} passes each (worst {}{}), {} conflicts, {} atomics\n",
                             stats.shared.accesses, ratio(stats.shared.passes, stats.shared.accesses), most,
                             open ? " or more" : "", stats.shared.conflicts, stats.shared.atomics);
    }
    const GlobalMemoryStats &global = stats.global;
    if (const std::uint64_t sectors = global.l1_sector_hits + global.l1_sector_misses; sectors != 0) {
        lines += fmt::format("  L1       {} sectors hit, {} missed ({:.1f} % hits); {} reads hit, {} joined a miss\n",
                             global.l1_sector_hits, global.l1_sector_misses, percent(global.l1_sector_hits, sectors),
                             global.l1_hits, global.l1_mshr_merges);
    }
    if (global.reads + global.writes + global.atomics != 0) {
        lines += fmt::format("  global   {} reads, {} writes, {} atomics; {} B in, {} B out; busy {:.1f} %\n",
                             global.reads, global.writes, global.atomics, global.read_bytes, global.write_bytes,
                             percent(global.busy_cycles, stats.cycles));
    }
    if (global.l2_hits + global.l2_misses != 0) {
        lines +=
            fmt::format("  L2       {} sectors hit, {} missed ({:.1f} % hits), {} written back; DRAM busy {:.1f} %\n",
                        global.l2_hits, global.l2_misses, percent(global.l2_hits, global.l2_hits + global.l2_misses),
                        global.l2_write_backs, percent(global.dram_busy_cycles, stats.cycles));
    }
    if (stats.lsu.moved_global_bytes != 0) {
        lines += fmt::format("  access   {} transactions, threads asked for {:.2f} bytes per byte moved\n",
                             stats.lsu.transactions_global,
                             ratio(stats.lsu.requested_global_bytes, stats.lsu.moved_global_bytes));
    }
    if (stats.lsu.constant_misses != 0) {
        lines += fmt::format("  LDC      {} misses of the cache of constants\n", stats.lsu.constant_misses);
    }
    if (stats.fetch.fetches != 0) {
        lines += fmt::format(
            "  fetch    {} instructions, L0 {:.1f} % hits, {} dropped after a jump\n", stats.fetch.fetches,
            percent(stats.fetch.l0_hits, stats.fetch.l0_hits + stats.fetch.l0_misses), stats.fetch.discarded);
        lines +=
            fmt::format("           {} lines from the L1, {} from behind it; {} fetched ahead, {} used, {} dropped\n",
                        stats.fetch.l1_hits, stats.fetch.l1_misses, stats.fetch.prefetches, stats.fetch.prefetches_used,
                        stats.fetch.prefetches_unused);
    }
    for (std::size_t kind = 0; kind < stats.latencies.size(); ++kind) {
        if (const LatencyStats &latency = stats.latencies[kind]; latency.count != 0) {
            lines += fmt::format("  latency  {:<14}{:>9.1f} cycles on average, {} to {}, of {}\n",
                                 latency_name(static_cast<LatencyKind>(kind)), ratio(latency.cycles, latency.count),
                                 latency.least, latency.most, latency.count);
        }
    }
    if (!lines.empty()) {
        out += heading("Memory") + lines;
    }
}

void operand_lines(const RunReport &report, const std::vector<Hazard> &operands, std::string &out) {
    if (operands.empty()) {
        return;
    }
    out += heading("Barrier operands with other bits set than count (they act as if those were 0)");
    for (std::size_t i = 0; i < std::min(operands.size(), kTableRows); ++i) {
        const Hazard &hazard = operands[i];
        const std::string line = line_text(report, hazard.second, 30);
        out +=
            fmt::format("  {:#x}{}, {} times, first in cycle {}\n    {}\n", hazard.second,
                        line.empty() ? "" : " (" + line + ")", hazard.count, hazard.cycle, text_of(operand_of(hazard)));
    }
    out += more(operands.size(), "operands");
}

void hazard_lines(const RunReport &report, std::string &out) {
    std::vector<Hazard> hazards;
    std::vector<Hazard> operands;
    for (const Hazard &hazard : report.stats.hazards) {
        (is_of_operand_bits(hazard) ? operands : hazards).push_back(hazard);
    }
    operand_lines(report, operands, out);
    if (hazards.empty()) {
        return;
    }
    out += heading("Hazards (a register was touched while still in flight: the program's control fields are wrong)");
    for (std::size_t i = 0; i < std::min(hazards.size(), kTableRows); ++i) {
        const Hazard &hazard = hazards[i];
        const std::string missing =
            hazard.missing == 0 ? "no scoreboard" : fmt::format("{} cycles early", hazard.missing);
        out += fmt::format("  {}: {:#x} after {:#x}, {}, {} times, first in cycle {}\n", hazard_register(hazard),
                           hazard.second, hazard.first, missing, hazard.count, hazard.cycle);
    }
    out += more(hazards.size(), "hazards");
}

void outside_lines(const RunReport &report, std::string &out) {
    const OutsideAccesses &outside = report.stats.outside;
    if (outside.places.empty()) {
        return;
    }
    out += heading("Accesses outside every buffer (performed because of --memory-check report)");
    for (std::size_t i = 0; i < std::min(outside.places.size(), kTableRows); ++i) {
        out += "  " + outside_text(report, outside.places[i]) + "\n";
    }
    out += more(outside.places.size(), "instructions");
}

/// "-2..3" for a distribution with several values, or the value.
std::string range_text(const CyclesApart &apart) {
    const std::int64_t low = apart.begin()->first;
    const std::int64_t high = apart.rbegin()->first;
    return low == high ? fmt::format("{:+}", low) : fmt::format("{:+}..{:+}", low, high);
}

void lockstep_table(const RunReport &report, std::string &out) {
    if (report.stats.lockstep.empty()) {
        return;
    }
    out += heading("Lockstep (RTL has answered so many cycles later than the model)");
    for (const auto &[part, operations] : report.stats.lockstep) {
        for (const auto &[operation, apart] : operations) {
            const auto [answers, together] = count_answers(apart);
            out +=
                fmt::format("  {:<7}{:<12}{:>10} answers, {:5.1f} % in the same cycle{}\n", part, operation, answers,
                            percent(together, answers), together == answers ? std::string() : ", " + range_text(apart));
        }
    }
}

/// The figures of a run without timing.
void untimed_headline(const RunReport &report, const WarpSums &sums, std::string &out) {
    out += heading("Headline (without timing: nothing here depends on cycles)");
    headline_row("SIMD efficiency", efficiency_text(sums), "warp instructions", fmt::format("{}", sums.instructions),
                 out);
    headline_row("CTAs, warps", fmt::format("{}, {}", report.stats.ctas, sums.warps), "thread instructions",
                 fmt::format("{}", sums.thread_instructions), out);
}

/// The instructions executed most.
void executed_table(const RunReport &report, const WarpSums &sums, std::string &out) {
    const std::vector<PcStats> &pcs = report.stats.pcs;
    std::vector<std::size_t> order(pcs.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t i) { return pcs[i].issues; });
    out += heading("Executed most");
    out += fmt::format("  {:>6} {:>10} {:>5}  {:>6}  {:<45} {}\n", "%", "issues", "lanes", "pc", "instruction", "line");
    for (std::size_t i = 0; i < std::min(order.size(), kHotSpots) && pcs[order[i]].issues != 0; ++i) {
        const PcStats &counters = pcs[order[i]];
        const Pc pc = order[i] * kInstructionBytes;
        std::string row =
            fmt::format("  {:>6.1f} {:>10} {:>5.1f}  {:>#6x}  {:<45} {}", percent(counters.issues, sums.instructions),
                        counters.issues, ratio(counters.executed_lanes, counters.issues), pc,
                        instruction_text(report, pc, 45), line_text(report, pc, 15));
        row.erase(row.find_last_not_of(' ') + 1);
        out += row + "\n";
    }
}

/// Figures of barriers and memory that do not depend on time.
void untimed_units(const RunReport &report, std::string &out) {
    const RunStats &stats = report.stats;
    std::string lines;
    for (std::size_t i = 0; i < stats.bcu.barriers.size(); ++i) {
        const BarrierStats &barrier = stats.bcu.barriers[i];
        if (const std::uint64_t arrivals = barrier.arrivals + barrier.arrivals_nonblocking; arrivals != 0) {
            lines += fmt::format("  barrier  {}: {} arrivals, {} completions\n", i, arrivals, barrier.completions);
        }
    }
    std::uint64_t accesses = 0;
    for (const std::uint64_t count : stats.lsu.by_op) {
        accesses += count;
    }
    if (accesses != 0) {
        lines += fmt::format("  memory   {} accesses; {} bytes of global memory asked for\n", accesses,
                             stats.lsu.requested_global_bytes);
    }
    if (!lines.empty()) {
        out += heading("Barriers and memory") + lines;
    }
}

std::string text_without_time(const RunReport &report, const WarpSums &sums) {
    std::string out;
    head(report, out);
    untimed_headline(report, sums, out);
    executed_table(report, sums, out);
    branch_tables(report, out);
    untimed_units(report, out);
    outside_lines(report, out);
    return out;
}

void validation_lines(const RunReport &report, std::string &out) {
    const validation::Record &record = validation::embedded_record();
    out += validation::to_text(record, validation::compare(record, report.config, report.config_file),
                               validation::usage_of(record, report.stats, report.code), report.config_file);
}

} // namespace

std::string outside_text(const RunReport &report, const OutsidePlace &place) {
    std::string line = line_text(report, place.pc, 30);
    line = line.empty() ? line : " (" + line + ")";
    const std::string where = place.distance >= 0 ? fmt::format("{} bytes past the end", place.distance)
                                                  : fmt::format("{} bytes before the start", -place.distance);
    return fmt::format("pc {:#06x}{}: {} times, first CTA {} warp {} thread {} at {:#x},\n    {} of '{}'", place.pc,
                       line, place.count, place.cta, place.warp, place.thread, place.address, where, place.buffer);
}

std::string check_line(const CheckResult &check) {
    return fmt::format("check {}: {} of {} elements agree", one_line(check.buffer, 40),
                       check.compared - check.mismatches, check.compared);
}

std::string to_text(const RunReport &report) {
    const WarpSums sums = report.stats.totals();
    if (!report.in_time) {
        return text_without_time(report, sums);
    }
    std::string out;
    head(report, out);
    headline(report, sums, out);
    verdict_lines(report, out);
    stall_table(report, sums, out);
    utilisation_table(report, out);
    roofline_lines(report, out);
    critical_path_lines(report, out);
    hot_spot_table(report, sums, out);
    branch_tables(report, out);
    barrier_table(report, out);
    memory_lines(report, out);
    hazard_lines(report, out);
    outside_lines(report, out);
    lockstep_table(report, out);
    validation_lines(report, out);
    return out;
}

} // namespace smsim
