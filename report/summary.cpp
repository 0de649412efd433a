// Sums and ratios; integers as long as possible, one division at the end.
#include "report/summary.h"

#include "model/config/config.h"

#include <algorithm>
#include <numeric>

namespace smsim {

std::vector<WarpSums> sum_by_sub_partition(const RunStats &stats, std::uint32_t sub_partitions) {
    std::vector<WarpSums> sums = stats.sums;
    sums.resize(std::max<std::size_t>(sums.size(), sub_partitions));
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
    return ratio(stats.occupancy.warp_cycles(stats.cycles), stats.cycles);
}

double microseconds(Cycle cycles, const Config &config) {
    return static_cast<double>(cycles) / (1000 * config.sm.clock_ghz);
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
