// Results that collide in a register bank: the class alone, and its effect on an issue stage.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tb/unit/ibuffer/fake_ports.h"

namespace smsim::ibuffer::test {
namespace {

using isa::Op;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

RegisterFileConfig with_conflicts() {
    RegisterFileConfig config;
    config.write_conflicts = true;
    return config;
}

isa::Instruction writing(Op op, std::uint8_t rd, isa::Access access = isa::Access::k32) {
    isa::Instruction insn = make(op);
    insn.rd = rd;
    if (op == Op::kLds) {
        insn.mod[0] = static_cast<std::uint8_t>(access);
        insn.wsb = 3;
    }
    return insn;
}

struct Writes {
    ResultWrites results{with_conflicts(), PipesConfig{}};
    std::vector<std::pair<unsigned, Cycle>> postponed; ///< warp and cycle

    void fixed(const isa::Instruction &insn, Cycle at, Cycle now) {
        results.fixed(insn, at, now, [&](unsigned warp, std::uint8_t scoreboard, Cycle cycle) {
            EXPECT_EQ(scoreboard, 3U);
            postponed.emplace_back(warp, cycle);
        });
    }
};

TEST(ResultWrites, ALateResultWaitsACycleForOneOfFixedLatencyInItsBank) {
    Writes writes;
    writes.fixed(writing(Op::kFfma, 2), 14, 10);
    EXPECT_EQ(writes.results.late(0, writing(Op::kLds, 5), 14, 10), 14U) << "the other bank";
    EXPECT_EQ(writes.results.late(0, writing(Op::kLds, 4), 13, 10), 13U) << "another cycle";
    EXPECT_EQ(writes.results.late(0, writing(Op::kLds, 4), 14, 10), 15U);
    EXPECT_EQ(writes.results.late(0, writing(Op::kLds, 4, isa::Access::k64), 14, 10), 15U) << "a pair is in both";
    EXPECT_EQ(writes.results.late(0, writing(Op::kSts, isa::kRz), 14, 10), 14U) << "nothing is written";
    writes.fixed(writing(Op::kFfma, 7), 24, 20);
    EXPECT_EQ(writes.results.late(0, writing(Op::kLds, 4, isa::Access::k64), 24, 20), 25U) << "its upper half";
}

TEST(ResultWrites, ItMakesNoDifferenceWhichIsKnownFirst) {
    Writes writes;
    EXPECT_EQ(writes.results.late(7, writing(Op::kLds, 4), 14, 1), 14U);
    EXPECT_EQ(writes.results.late(8, writing(Op::kLds, 5), 14, 1), 14U);
    writes.fixed(writing(Op::kFfma, 2), 14, 10);
    EXPECT_THAT(writes.postponed, ElementsAre(Pair(7, 14)));
    writes.fixed(writing(Op::kFfma, 2), 15, 11);
    EXPECT_THAT(writes.postponed, ElementsAre(Pair(7, 14))) << "one cycle, no more";
}

TEST(ResultWrites, TwoOfFixedLatencyInOneCyclePostponeOnce) {
    Writes writes;
    writes.results.late(7, writing(Op::kLds, 4), 14, 1);
    writes.fixed(writing(Op::kFfma, 2), 14, 10);
    writes.fixed(writing(Op::kMov, 6), 14, 11);
    EXPECT_THAT(writes.postponed, ElementsAre(Pair(7, 14)));
}

TEST(ResultWrites, TwoOfFixedLatencyInOneCycleTakeTheBanksOfBoth) {
    Writes writes;
    writes.fixed(writing(Op::kFfma, 2), 14, 10);
    writes.fixed(writing(Op::kMov, 3), 14, 11);
    EXPECT_EQ(writes.results.late(0, writing(Op::kLds, 4), 14, 11), 15U);
    EXPECT_EQ(writes.results.late(0, writing(Op::kLds, 5), 14, 11), 15U);
}

TEST(ResultWrites, APairOfFixedLatencyTakesBothBanks) {
    Writes writes;
    writes.fixed(writing(Op::kCs2r, 2), 14, 10);
    EXPECT_EQ(writes.results.late(0, writing(Op::kLds, 5), 14, 10), 15U);
}

TEST(ResultWrites, PastWritesAreDroppedWhileOthersAreInFlight) {
    Writes writes;
    constexpr Cycle kLast = 10'000;
    for (Cycle now = 1; now < kLast; now += 3) { // several arrive between two calls
        for (Cycle ahead = 290; ahead < 293; ++ahead) {
            writes.results.late(0, writing(Op::kLds, 4), now + ahead, now);
        }
    }
    EXPECT_LT(writes.results.remembered(), 400U);
    EXPECT_GE(writes.results.remembered(), 290U);
}

TEST(ResultWrites, ConflictsAreFoundInAnyOrderOfAnnouncement) {
    Writes writes;
    writes.results.late(1, writing(Op::kLds, 4), 40, 1);
    writes.results.late(2, writing(Op::kLds, 4), 20, 1);
    writes.results.late(3, writing(Op::kLds, 4), 30, 1);
    writes.results.late(4, writing(Op::kLds, 4), 20, 1);
    for (const Cycle at : {20, 30, 40}) {
        writes.fixed(writing(Op::kFfma, 2), at, at - 4);
    }
    EXPECT_THAT(writes.postponed, ElementsAre(Pair(2U, 20U), Pair(4U, 20U), Pair(3U, 30U), Pair(1U, 40U)));
}

TEST(ResultWrites, InstructionsWithoutARegisterResultNeverConflict) {
    Writes writes;
    writes.results.late(7, writing(Op::kLds, 4, isa::Access::k64), 14, 1);
    writes.fixed(writing(Op::kIsetp, isa::kRz), 14, 10);
    EXPECT_THAT(writes.postponed, IsEmpty());
}

/// A load into R4 whose result arrives 20 cycles after its issue, MOVs into `reg`, and a consumer of the load.
Cycle issue_of_consumer(std::uint8_t reg, bool conflicts) {
    Bench bench(1, [&](Config &config) { config.register_file.write_conflicts = conflicts; });
    bench.ports.append(writing(Op::kLds, 4));
    for (int i = 0; i < 18; ++i) {
        bench.ports.append(writing(Op::kMov, reg));
    }
    isa::Instruction consumer = writing(Op::kMov, reg);
    consumer.req = 1U << 3U;
    bench.ports.append(consumer);
    bench.ports.append(make(Op::kExit));
    bench.ports.answer = [&](unsigned, const isa::Instruction &insn, LaneMask active) {
        return bench.ports.plain(insn, active, insn.op == Op::kLds ? 20 : 4);
    };
    bench.build();
    bench.start(0, 0);
    bench.run(1000);
    return bench.ports.seen[19].cycle;
}

TEST(ResultWrites, TheScoreboardFallsACycleLater) {
    EXPECT_EQ(issue_of_consumer(6, false), 21U);
    EXPECT_EQ(issue_of_consumer(6, true), 22U);
    EXPECT_EQ(issue_of_consumer(7, true), 21U) << "the other bank";
}

} // namespace
} // namespace smsim::ibuffer::test
