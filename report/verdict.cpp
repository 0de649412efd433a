// The rules. Each gives one candidate its score:
//
//   a unit          the square of its utilisation: half in use is a quarter of a reason; less if another unit is as
//                   full, because then neither helps alone. The ways to global memory are such units: load/store unit,
//                   data of the L1, path to the L2, path to DRAM
//   MSHRs           likewise, as far as no way is full: by Little's law, with a full way more misses under way only
//                   wait longer
//   memory below the L1: the part due to misses of lines that had been there goes to the size of the L1, as far
//                   as the ways above it leave room
//   waiting         the share of the warp-cycles; at barriers divided by imbalance and latency
//   divergence      the lanes that were off on paths that reconverged
//   locks           the share of compare-and-swaps that failed; the waits of their loops are not counted again
//   occupancy       waiting that more warps would cover, if one resource leaves room for few and no unit is full
#include "report/verdict.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/config/config.h"
#include "model/timing/pipes.h"
#include "report/summary.h"

namespace smsim {
namespace {

constexpr double kLeastScore = 0.05;
constexpr double kClearScore = 0.6;
constexpr double kClearLead = 1.5; ///< over the next candidate
constexpr double kLikelyScore = 0.3;
/// The share that a full unit takes from the score of another one: not all, so that the reader sees both.
constexpr double kTakenByOther = 0.75;

class Judge {
  public:
    Judge(const RunStats &stats, const Config &config)
        : stats_(stats), config_(config), sums_(stats.totals()),
          instructions_(static_cast<double>(std::max<std::uint64_t>(sums_.instructions, 1))) {}

    std::vector<Candidate> candidates() {
        units();
        const double again = ratio(stats_.global.l1_refetches, stats_.global.l1_misses);
        const double failed = ratio(stats_.lsu.cas_failed, stats_.lsu.cas);
        memory(again, failed);
        shared_memory();
        control();
        locks(failed);
        occupancy();
        share_between_full_units();
        std::erase_if(all_, [](const Candidate &one) { return one.score < kLeastScore; });
        std::ranges::stable_sort(all_, std::ranges::greater{}, &Candidate::score);
        return std::move(all_);
    }

  private:
    double utilisation(UsedUnit unit) const {
        const UnitUse *use = find_use(stats_.units, unit);
        return use == nullptr ? 0 : ratio(use->busy(), use->possible(stats_.cycles));
    }
    double share(StallReason reason) const {
        return ratio(sums_.stalls[static_cast<std::size_t>(reason)], sums_.warp_cycles);
    }
    void add(std::string_view relief, double score, std::string evidence) {
        all_.push_back({relief, std::clamp(score, 0.0, 1.0), std::move(evidence)});
    }
    /// The most used one of `units`: while it is full, nothing else can go faster.
    double unit(std::string_view relief, std::initializer_list<UsedUnit> units, double part = 1) {
        const UsedUnit most = *std::ranges::max_element(units, {}, [this](UsedUnit one) { return utilisation(one); });
        const double used = utilisation(most);
        full_ = std::max(full_, used * used);
        works_.push_back({all_.size(), most, used * used});
        add(relief, used * used * part, fmt::format("{} in use {:.1f} %", used_unit_spec(most).name, 100 * used));
        return used * used;
    }
    /// A unit that is made wider leaves the time to the next one: if another one is also full, it gains little alone.
    void share_between_full_units() {
        for (const Work &work : works_) {
            double other = 0;
            for (const Work &each : works_) {
                other = each.unit == work.unit ? other : std::max(other, each.full);
            }
            all_[work.candidate].score *= 1 - kTakenByOther * other;
        }
    }

    void units() {
        unit("issue", {UsedUnit::kIssue});
        for (const timing::PipeSpec &pipe : timing::execution_pipes()) {
            if (!pipe.relief.empty()) {
                unit(pipe.name, {pipe.used, pipe.unit == isa::Unit::kFma ? UsedUnit::kSecondFp32 : pipe.used});
            }
        }
        unit("register_ports", {UsedUnit::kRegisterPorts});
        load_store_ = unit("load_store", {UsedUnit::kLoadStore, UsedUnit::kQueueAddress});
    }
    /// The share of warp-cycles that wait for what the L1 does not have: of the waits for global memory, the share of
    /// misses and atomics in the latencies.
    double waiting_behind_l1() const {
        const auto cycles = [this](LatencyKind kind) {
            return stats_.latencies[static_cast<std::size_t>(kind)].cycles;
        };
        const std::uint64_t behind = cycles(LatencyKind::kLoadMiss) + cycles(LatencyKind::kGlobalAtomic);
        const std::uint64_t all = behind + cycles(LatencyKind::kLoadHit);
        return share(StallReason::kLongScoreboard) * (all == 0 ? 1 : ratio(behind, all));
    }
    /// The share of the wavefronts of the L1's data that accesses without conflicts would not take.
    double l1_conflicts() const {
        std::uint64_t all = 0;
        std::uint64_t ideal = 0;
        for (const AccessStats &access : stats_.lsu.by_pc) {
            all += access.wavefronts;
            ideal += access.ideal_wavefronts;
        }
        return ratio(all - ideal, all);
    }
    /// `again`: the share of misses of what had been in the L1; `failed`: the share of failed compare-and-swaps.
    void memory(double again, double failed) {
        const double first = 1 - again;
        const double conflicts = l1_conflicts();
        unit("l1_data", {UsedUnit::kL1Data}, 1 - conflicts);
        const double array = unit("l1_conflicts", {UsedUnit::kL1Data}, conflicts);
        all_.back().evidence += fmt::format(", {:.1f} % of the wavefronts are due to conflicts", 100 * conflicts);
        const double front = std::max(load_store_, array);
        const double paths = std::max(unit("global_path", {UsedUnit::kGlobalPath}, first),
                                      unit("dram_path", {UsedUnit::kDramPath}, first));
        const double ways = std::max(front, paths);
        const double mshrs = unit("mshrs", {UsedUnit::kMshrs, UsedUnit::kTransactions}, first * (1 - ways));
        works_.pop_back(); // they hold what is under way, but do no work
        const double waiting = waiting_behind_l1();
        const GlobalMemoryStats &global = stats_.global;
        add("l1_capacity", again * std::max({waiting, mshrs, paths}) * (1 - front),
            fmt::format("{:.1f} % of the sectors missed, {:.1f} % of the misses of what had been in the L1",
                        100 * ratio(global.l1_sector_misses, global.l1_sector_hits + global.l1_sector_misses),
                        100 * again));
        add("memory_latency", waiting * first * (1 - failed) * (1 - std::max(mshrs, ways)),
            fmt::format("{:.1f} % of the warp-cycles wait for what is below the L1", 100 * waiting));
    }
    void shared_memory() {
        const SharedMemoryStats &shared = stats_.shared;
        const double conflicts = ratio(shared.conflicts, shared.passes);
        unit("shared_array", {UsedUnit::kSharedArray, UsedUnit::kSharedPath}, 1 - conflicts);
        const double array = unit("bank_conflicts", {UsedUnit::kSharedArray, UsedUnit::kSharedPath}, conflicts);
        all_.back().evidence += fmt::format(", {:.1f} % of the passes are due to conflicts", 100 * conflicts);
        const double waiting = share(StallReason::kShortScoreboard);
        add("shared_latency", shared.accesses == 0 ? 0 : waiting * (1 - std::max(array, full_)),
            fmt::format("short_scoreboard {:.1f} % of the warp-cycles", 100 * waiting));
    }
    void control() {
        const double redirects =
            ratio(stats_.no_instruction[static_cast<std::size_t>(FetchCause::kRedirect)], sums_.warp_cycles);
        const double fetches = share(StallReason::kNoInstruction) - redirects;
        const double constants = share(StallReason::kImcMiss);
        add("fetch", fetches + constants,
            fmt::format("no_instruction {:.1f} %, imc_miss {:.1f} % of the warp-cycles", 100 * fetches,
                        100 * constants));
        const double branches = share(StallReason::kBranchResolve) + redirects;
        add("branch_latency", branches,
            fmt::format("branch_resolve and redirects {:.1f} % of the warp-cycles", 100 * branches));
        barriers();
        divergence();
    }
    void barriers() {
        std::uint64_t imbalance = 0;
        std::uint64_t completions = 0;
        for (const BarrierStats &barrier : stats_.bcu.barriers) {
            imbalance += barrier.imbalance_cycles;
            completions += barrier.completions;
        }
        const double waiting = share(StallReason::kBarrier);
        const std::uint64_t latency = completions * (config_.bcu.arrival_latency + config_.bcu.release_latency);
        const double uneven = ratio(imbalance, imbalance + latency);
        add("barrier_waiting", waiting * uneven,
            fmt::format("barrier {:.1f} % of the warp-cycles, {:.0f} cycles from first to last arrival", 100 * waiting,
                        ratio(imbalance, completions)));
        add("barrier_latency", waiting * (1 - uneven),
            fmt::format("barrier {:.1f} % of the warp-cycles", 100 * waiting));
    }
    void divergence() {
        std::uint64_t apart = 0;
        for (const auto &[pc, branch] : stats_.bru.branches) {
            apart += branch.path_instructions;
        }
        const double on_paths = std::min(1.0, static_cast<double>(apart) / instructions_);
        const double off = 1 - static_cast<double>(sums_.thread_instructions) / (instructions_ * kLanes);
        add("divergence", on_paths * off,
            fmt::format("{:.1f} of 32 lanes per instruction, branches diverge",
                        static_cast<double>(sums_.thread_instructions) / instructions_));
    }
    void locks(double failed) {
        const double waiting = 1 - share(StallReason::kSelected);
        add("lock_contention", failed * waiting,
            fmt::format("{:.1f} % of {} compare-and-swaps failed", 100 * failed, stats_.lsu.cas));
    }
    void occupancy() {
        const OccupancyLimits &limits = stats_.occupancy_limits;
        const double warps = static_cast<double>(limits.ctas) * limits.warps_each;
        const double room = 1 - std::min(1.0, warps / std::max(1.0, static_cast<double>(config_.warps())));
        if (limits.grid <= limits.ctas) {
            return; // no further warp could be added
        }
        const double waiting = share(StallReason::kWait) + share(StallReason::kShortScoreboard) +
                               share(StallReason::kLongScoreboard) + share(StallReason::kMathPipeThrottle);
        const std::vector<std::string_view> by = limiting(limits);
        const auto limited_by = [&by](std::string_view name) { return std::ranges::find(by, name) != by.end(); };
        const std::string_view relief = limited_by("registers")       ? "registers"
                                        : limited_by("shared memory") ? "shared_bytes"
                                                                      : "warp_slots";
        add(relief, waiting * room * (1 - full_),
            fmt::format("{} leave room for {:.0f} of {} warps", fmt::join(by, ", "), warps, config_.warps()));
    }

    const RunStats &stats_;
    const Config &config_;
    WarpSums sums_;
    double instructions_;
    double full_ = 0;       ///< the score of the fullest unit
    double load_store_ = 0; ///< the score of the load/store unit
    std::vector<Candidate> all_;
    /// A unit that works, with its candidate of `all_`.
    struct Work {
        std::size_t candidate;
        UsedUnit unit;
        double full;
    };
    std::vector<Work> works_;
};

} // namespace

std::string_view certainty_name(Verdict::Certainty certainty) {
    constexpr std::array<std::string_view, 3> kNames = {"clear", "likely", "open"};
    return kNames[static_cast<std::size_t>(certainty)];
}

namespace {

constexpr double kLeastBeyondNeed = 0.25; ///< of all sectors

/// Whether fewer sectors would help a candidate.
bool is_way_to_memory(std::string_view relief) {
    constexpr std::array<std::string_view, 8> kWays = {"load_store",  "l1_data",   "l1_conflicts", "l1_capacity",
                                                       "global_path", "dram_path", "mshrs",        "memory_latency"};
    return std::ranges::find(kWays, relief) != kWays.end();
}

std::vector<Scattered> scattered_accesses(const RunStats &stats, const Config &config) {
    const std::vector<AccessStats> &by_pc = stats.lsu.by_pc;
    std::uint64_t all = 0;
    double beyond = 0;
    std::vector<Scattered> found;
    for (std::size_t i = 0; i < by_pc.size(); ++i) {
        const AccessStats &access = by_pc[i];
        if (access.sectors == 0) {
            continue;
        }
        all += access.sectors;
        Scattered one{i * kInstructionBytes, ratio(access.sectors, access.accesses), 0, 0};
        one.needed = std::max(1.0, ratio(access.requested_bytes, access.accesses * config.lsu.sector_bytes));
        one.share = std::max(0.0, one.sectors - one.needed) * static_cast<double>(access.accesses);
        beyond += one.share;
        found.push_back(one);
    }
    if (beyond < kLeastBeyondNeed * static_cast<double>(all)) {
        return {};
    }
    std::ranges::stable_sort(found, std::ranges::greater{}, &Scattered::share);
    std::erase_if(found, [](const Scattered &one) { return one.share == 0; });
    for (Scattered &one : found) {
        one.share /= static_cast<double>(all);
    }
    return found;
}

} // namespace

Verdict judge(const RunStats &stats, const Config &config) {
    Verdict verdict;
    if (stats.cycles == 0 || stats.totals().warps == 0) {
        return verdict;
    }
    verdict.candidates = Judge(stats, config).candidates();
    const double first = verdict.candidates.empty() ? 0 : verdict.candidates[0].score;
    const double second = verdict.candidates.size() < 2 ? 0 : verdict.candidates[1].score;
    verdict.certainty = first >= kClearScore && first >= kClearLead * second ? Verdict::Certainty::kClear
                        : first >= kLikelyScore                              ? Verdict::Certainty::kLikely
                                                                             : Verdict::Certainty::kOpen;
    if (!verdict.candidates.empty() && is_way_to_memory(verdict.candidates[0].relief)) {
        verdict.scattered = scattered_accesses(stats, config);
    }
    return verdict;
}

} // namespace smsim
