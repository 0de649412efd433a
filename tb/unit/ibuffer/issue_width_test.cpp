// Two instructions of different warps in one cycle (`ibuffer.issue_width`): which pairs, and how the cycle is counted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/config/config.h"
#include "tb/unit/ibuffer/fake_ports.h"

namespace smsim::ibuffer::test {
namespace {

using isa::Op;
using ::testing::ElementsAre;

/// Runs two warps that both execute `ops` and EXIT.
struct TwoWarps : Bench {
    TwoWarps(std::vector<Op> ops, const std::function<void(Config &)> &adjust = {})
        : Bench(2, [&adjust](Config &made) {
              made.ibuffer.issue_width = 2;
              if (adjust) {
                  adjust(made);
              }
          }) {
        for (const Op op : ops) {
            ports.append(make(op));
        }
        ports.append(make(Op::kExit));
        build();
        start(0, 0);
        start(1, 0);
        run(1000);
    }
};

TEST(IssueWidth, TwoWarpsIssueInOneCycleIntoDifferentUnits) {
    // The warps take turns: one is at an integer operation while the other is at a product.
    TwoWarps two({Op::kImad, Op::kIadd3, Op::kImad, Op::kIadd3});
    EXPECT_THAT(cycles_of(two.ports, 0), ElementsAre(2, 3, 4, 5, 6));
    EXPECT_THAT(cycles_of(two.ports, 1), ElementsAre(1, 2, 3, 4, 5));
}

TEST(IssueWidth, AUnitTakesOneInstructionPerCycle) {
    TwoWarps two({Op::kImad, Op::kImad});
    std::vector<Cycle> products;
    for (const Seen &seen : two.ports.seen) {
        if (seen.pc < 2 * kInstructionBytes) {
            products.push_back(seen.cycle);
        }
    }
    EXPECT_THAT(products, ElementsAre(1, 2, 3, 4));
}

TEST(IssueWidth, AWarpIssuesOneInstructionPerCycle) {
    Bench bench(1, [](Config &config) { config.ibuffer.issue_width = 2; });
    for (const Op op : {Op::kImad, Op::kIadd3, Op::kImad, Op::kExit}) {
        bench.ports.append(make(op));
    }
    bench.build();
    bench.start(0, 0);
    bench.run(1000);
    EXPECT_THAT(cycles_of(bench.ports, 0), ElementsAre(1, 2, 3, 4));
}

TEST(IssueWidth, TwoSinglePrecisionInstructionsGoIntoTwoPipes) {
    for (const SecondFp32 second : {SecondFp32::kOwn, SecondFp32::kAlu}) {
        TwoWarps two({Op::kFfma, Op::kFfma, Op::kFfma},
                     [second](Config &config) { config.pipes.second_fp32 = second; });
        EXPECT_THAT(cycles_of(two.ports, 0), ElementsAre(1, 2, 3, 4));
        EXPECT_THAT(cycles_of(two.ports, 1), ElementsAre(1, 2, 3, 5)); // EXIT: one per cycle
        UnitUses uses;
        two.stage->add_use(7, uses);
        const UnitUse *fma = find_use(uses, UsedUnit::kFma);
        ASSERT_NE(fma, nullptr);
        EXPECT_EQ(fma->busy(), 3U) << "one of the two went into the second pipe";
    }
}

TEST(IssueWidth, EachCycleCountsBothInstructions) {
    TwoWarps two({Op::kImad, Op::kIadd3, Op::kImad, Op::kIadd3});
    UnitUses uses;
    two.stage->add_use(7, uses);
    const UnitUse *issue = find_use(uses, UsedUnit::kIssue);
    ASSERT_NE(issue, nullptr);
    EXPECT_EQ(issue->busy(), 10U);
    EXPECT_EQ(issue->possible(7), 14U) << "two per cycle";
    // Up to cycle 4, in which two more issue: those do not count.
    UnitUses part;
    two.stage->add_use(5, part);
    for (const WarpStats &warp : two.stage->ended().kept()) {
        EXPECT_EQ(two.stall(warp, StallReason::kSelected), 5U);
    }
}

TEST(IssueWidth, BothInstructionsShareTheRegisterPorts) {
    // Each reads three registers of the one bank, which has one port: only one can read at a time.
    const auto narrow = [](Config &config) {
        config.register_file.banks = 1;
        config.register_file.read_ports = 1;
        config.register_file.read_window = 3;
        config.register_file.reuse_cache = false;
    };
    Bench bench(2, [&](Config &config) {
        config.ibuffer.issue_width = 2;
        narrow(config);
    });
    for (int i = 0; i < 8; ++i) {
        isa::Instruction insn = make(i % 2 == 0 ? Op::kFfma : Op::kIadd3);
        insn.ra = 2;
        insn.rb = 3;
        insn.rc = 4;
        bench.ports.append(insn);
    }
    bench.ports.append(make(Op::kExit));
    bench.build();
    bench.start(0, 0);
    bench.start(1, 0);
    bench.run(1000);
    const Cycle last = bench.ports.seen[15].cycle;
    EXPECT_GE(last, 16U * 3U - 8U) << "sixteen instructions with three reads each";
}

} // namespace
} // namespace smsim::ibuffer::test
