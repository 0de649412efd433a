// What the utilisation of every unit must agree with, for any kernel: the time, its own parts, and counters that other
// code keeps.
#pragma once

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>

#include <gtest/gtest.h>

#include "model/config/config.h"
#include "model/program/program.h"
#include "model/stats/statistics.h"
#include "report/roofline.h"

namespace smsim::test {

/// Busy and idle cycles add up to the time of the launch and of each interval; nothing is in use after the end.
inline void expect_within_the_time(const RunStats &stats) {
    ASSERT_FALSE(stats.units.empty());
    for (const UnitUse &use : stats.units) {
        SCOPED_TRACE(used_unit_spec(use.unit).name);
        ASSERT_FALSE(use.instances.empty());
        const std::vector<std::uint64_t> over_time = use.over_time();
        const Cycle width = use.instances.front().width();
        EXPECT_EQ(std::accumulate(over_time.begin(), over_time.end(), std::uint64_t{0}), use.busy());
        EXPECT_LE(use.busy(), use.possible(stats.cycles));
        EXPECT_LE(use.peak(stats.cycles), 1.0);
        for (std::size_t i = 0; i < over_time.size(); ++i) {
            const Cycle begin = std::min(i * width, stats.cycles);
            ASSERT_LE(over_time[i], use.possible(std::min(stats.cycles - begin, width))) << "interval " << i;
        }
        for (const UseSeries &series : use.instances) {
            EXPECT_EQ(series.width(), stats.over_time.empty() ? width : stats.over_time.front().width());
            EXPECT_LE(series.total(), stats.cycles * use.capacity);
        }
    }
}

/// No kind of work exceeds the rates of the configuration, at any level of the memories.
inline void expect_below_the_roofs(const RunStats &stats, const Config &config, const Program &program) {
    const Roofline roofline = roofline_of(stats, config, &program);
    ASSERT_FALSE(roofline.work.empty());
    EXPECT_EQ(roofline.points.size(), roofline.work.size() * roofline.traffic.size());
    for (const RooflinePoint &point : roofline.points) {
        EXPECT_LE(point.achieved, point.attainable * (1 + 1e-9)) << point.work << " over " << point.traffic;
        EXPECT_GT(point.achieved, 0) << point.work;
    }
}

/// The roof of each memory level is that of the unit that is busy with its bytes.
inline void expect_as_busy_as_its_roof(const RunStats &stats, const Config &config, const Program &program) {
    const std::map<std::string_view, UsedUnit> unit_of = {{"shared", UsedUnit::kSharedArray},
                                                          {"l1", UsedUnit::kL1Data},
                                                          {"global", UsedUnit::kGlobalPath},
                                                          {"dram", UsedUnit::kDramPath}};
    for (const RooflineTraffic &traffic : roofline_of(stats, config, &program).traffic) {
        const double share = static_cast<double>(traffic.bytes) / (traffic.peak * static_cast<double>(stats.cycles));
        EXPECT_LE(share, 1 + 1e-9) << traffic.name;
        if (const UnitUse *use = find_use(stats.units, unit_of.at(traffic.name))) {
            const double used = static_cast<double>(use->busy()) / static_cast<double>(use->possible(stats.cycles));
            EXPECT_NEAR(share, used, 1e-9) << traffic.name;
        }
    }
}

/// Counts that other code also keeps, in a launch that has completed without jitter.
inline void expect_as_counted_elsewhere(const RunStats &stats, const Config &config) {
    const auto expect_busy = [&](UsedUnit unit, std::uint64_t busy) {
        if (const UnitUse *use = find_use(stats.units, unit)) {
            EXPECT_EQ(use->busy(), busy) << used_unit_spec(unit).name;
        } else {
            EXPECT_EQ(busy, 0U) << used_unit_spec(unit).name << " is missing";
        }
    };
    std::uint64_t issues = 0;
    for (const WarpStats &warp : stats.warps) {
        issues += warp.instructions;
    }
    const auto &by_unit = stats.datapath.by_unit;
    const auto of = [&](isa::Unit unit, const PipeConfig &pipe) {
        return by_unit.at(static_cast<std::size_t>(unit)) * pipe.interval;
    };
    expect_busy(UsedUnit::kIssue, issues);
    ASSERT_NE(find_use(stats.units, UsedUnit::kFetch), nullptr);
    EXPECT_GE(find_use(stats.units, UsedUnit::kFetch)->busy(), stats.fetch.fetches)
        << "and those past the end of the code";
    if (config.pipes.second_fp32 == SecondFp32::kNone && config.pipes.i2f_on_alu == 0) {
        expect_busy(UsedUnit::kAlu, of(isa::Unit::kAlu, config.pipes.alu));
        expect_busy(UsedUnit::kFma, of(isa::Unit::kFma, config.pipes.fma));
        expect_busy(UsedUnit::kXu, of(isa::Unit::kXu, config.pipes.xu));
    }
    expect_busy(UsedUnit::kFp64, of(isa::Unit::kFp64, config.pipes.fp64));
    expect_busy(UsedUnit::kHalf, of(isa::Unit::kHalf, config.pipes.half));
    expect_busy(UsedUnit::kUniform, of(isa::Unit::kUniform, config.pipes.uniform));
    expect_busy(UsedUnit::kBranchUnit, stats.bru.busy_cycles);
    expect_busy(UsedUnit::kBarrierUnit, stats.bcu.instructions * config.bcu.interval);
    expect_busy(UsedUnit::kSharedArray, stats.shared.passes);
    const UnitUse *path = find_use(stats.units, UsedUnit::kGlobalPath);
    ASSERT_NE(path, nullptr);
    EXPECT_EQ((path->busy() + path->capacity - 1) / path->capacity, stats.global.busy_cycles);
}

} // namespace smsim::test
