// Sums and ratios; integers as long as possible, one division at the end.
#include "model/stats/summary.h"

#include <algorithm>
#include <numeric>

namespace smsim {

namespace {

void add(WarpSums &sums, const WarpStats &warp) {
    ++sums.warps;
    sums.instructions += warp.instructions;
    sums.thread_instructions += warp.thread_instructions;
    sums.warp_cycles += warp.end - warp.start;
    for (std::size_t i = 0; i < sums.stalls.size(); ++i) {
        sums.stalls[i] += warp.stalls[i];
    }
    for (std::size_t i = 0; i < sums.states.size(); ++i) {
        sums.states[i] += warp.states[i];
    }
}

} // namespace

WarpSums sum_all(const RunStats &stats) {
    WarpSums sums;
    for (const WarpStats &warp : stats.warps) {
        add(sums, warp);
    }
    return sums;
}

LevelSums sum_levels(const LevelStats &level) {
    LevelSums sums;
    for (const WarpLevel &warp : level.warps) {
        sums.most = std::max(sums.most, warp.most);
        sums.cycles += warp.cycles;
        sums.level_cycles += warp.level_cycles;
    }
    return sums;
}

std::vector<WarpSums> sum_by_sub_partition(const RunStats &stats, std::uint32_t sub_partitions) {
    std::vector<WarpSums> sums(sub_partitions);
    for (const WarpStats &warp : stats.warps) {
        if (warp.sub_partition >= sums.size()) {
            sums.resize(warp.sub_partition + 1);
        }
        add(sums[warp.sub_partition], warp);
    }
    return sums;
}

std::vector<std::string_view> limiting(const OccupancyLimits &limits) {
    if (limits.grid != 0 && limits.grid < limits.ctas) {
        return {"grid"};
    }
    std::vector<std::string_view> names;
    const auto check = [&](std::uint32_t limit, std::string_view name) {
        if (limit == limits.ctas) {
            names.push_back(name);
        }
    };
    check(limits.by_warps, "warp slots");
    check(limits.by_threads, "threads");
    check(limits.by_ctas, "CTA slots");
    check(limits.by_registers, "registers");
    check(limits.by_shared, "shared memory");
    return names;
}

Cycle charged(const PcStats &pc) {
    return std::accumulate(pc.stalls.begin(), pc.stalls.end(), Cycle{0});
}

std::uint64_t active_lanes(const RunStats &stats) {
    std::uint64_t sum = 0;
    for (const PcStats &pc : stats.pcs) {
        sum += pc.active_lanes;
    }
    return sum;
}

std::uint64_t branch_executions(const RunStats &stats) {
    std::uint64_t sum = 0;
    for (const auto &[pc, branch] : stats.bru.branches) {
        sum += branch.executions;
    }
    return sum;
}

std::vector<Pc> hot_spots(const RunStats &stats, std::size_t count) {
    std::vector<Pc> order;
    for (std::size_t i = 0; i < stats.pcs.size(); ++i) {
        if (charged(stats.pcs[i]) != 0) {
            order.push_back(i * kInstructionBytes);
        }
    }
    std::ranges::stable_sort(order, std::ranges::greater{},
                             [&](Pc pc) { return charged(stats.pcs[pc / kInstructionBytes]); });
    order.resize(std::min(order.size(), count));
    return order;
}

double mean_resident_warps(const RunStats &stats) {
    std::uint64_t area = 0;
    for (std::size_t i = 0; i < stats.occupancy.size(); ++i) {
        const Cycle from = stats.occupancy[i].cycle;
        const Cycle until = i + 1 < stats.occupancy.size() ? stats.occupancy[i + 1].cycle : stats.cycles;
        area += until > from ? (until - from) * stats.occupancy[i].warps : 0;
    }
    return ratio(area, stats.cycles);
}

double ratio(std::uint64_t numerator, std::uint64_t denominator) {
    return denominator == 0 ? 0 : static_cast<double>(numerator) / static_cast<double>(denominator);
}

SourceLine source_of(const Program *program, Pc pc) {
    SourceLine found;
    if (program == nullptr || pc / kInstructionBytes >= program->lines.size()) {
        return found;
    }
    const SourcePlace place = program->lines[pc / kInstructionBytes];
    if (place.line == 0 || place.file >= program->files.size()) {
        return found;
    }
    found.file = program->files[place.file];
    found.line = place.line;
    if (place.file == 0 && place.line <= program->source.size()) {
        found.text = program->source[place.line - 1];
    }
    return found;
}

} // namespace smsim
