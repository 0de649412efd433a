// The issue stage without SystemC: warp states, stall accounting, scoreboards, fetch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "model/config/config.h"
#include "tb/unit/ibuffer/fake_ports.h"

namespace smsim::ibuffer::test {
namespace {

using isa::Op;

TEST(IssueStage, OneIssuePerCycleAndFetchOnePerCycle) {
    Bench bench;
    for (int i = 0; i < 4; ++i) {
        bench.ports.append(make(Op::kMov));
    }
    bench.ports.append(make(Op::kExit));
    bench.build();
    bench.start(0, 0);
    bench.run(100);
    // Fetched in cycle 0, in the buffer in cycle 1, then one instruction each cycle.
    EXPECT_EQ(cycles_of(bench.ports, 0), (std::vector<Cycle>{1, 2, 3, 4, 5}));
    ASSERT_EQ(bench.stage->ended().kept().size(), 1U);
    EXPECT_EQ(bench.stage->ended().kept()[0].instructions, 5U);
    EXPECT_EQ(bench.stage->ended().kept()[0].thread_instructions, 160U);
}

TEST(IssueStage, IssuedBeforeExcludesItsOwnCycleSteppedOrNot) {
    Bench bench;
    for (int i = 0; i < 40; ++i) {
        bench.ports.append(make(Op::kMov));
    }
    bench.build();
    bench.start(0, 0);
    EXPECT_EQ(bench.stage->issued_before(0, 0), 0U);
    bench.run(10);
    const std::vector<Cycle> cycles = cycles_of(bench.ports, 0);
    ASSERT_GT(cycles.size(), 2U);
    EXPECT_EQ(bench.stage->issued_before(0, cycles.back()), cycles.size() - 1);
    EXPECT_EQ(bench.stage->issued_before(0, cycles.back() + 1), cycles.size());
}

TEST(IssueStage, StallFieldIsACountDownOfCycles) {
    Bench bench;
    isa::Instruction slow = make(Op::kMov);
    slow.stall = 13;
    bench.ports.append(slow);
    slow.stall = 0; // reads as 1
    bench.ports.append(slow);
    bench.ports.append(make(Op::kExit));
    bench.build();
    bench.start(0, 0);
    bench.run(100);
    EXPECT_EQ(cycles_of(bench.ports, 0), (std::vector<Cycle>{1, 14, 15}));
    const WarpStats &warp = bench.stage->ended().kept()[0];
    EXPECT_EQ(bench.stall(warp, StallReason::kWait), 12U);
    EXPECT_EQ(bench.stall(warp, StallReason::kSelected), 3U);
}

TEST(IssueStage, StallReasonsAndStatesAddUpToTheLifetime) {
    Bench bench(8);
    for (int i = 0; i < 60; ++i) {
        isa::Instruction insn = make(i % 5 == 4 ? Op::kMufu : Op::kMov);
        insn.stall = static_cast<std::uint8_t>(1 + i % 7);
        if (insn.op == Op::kMufu) {
            insn.wsb = 2;
        }
        insn.req = i % 5 == 0 ? 4 : 0;
        bench.ports.append(insn);
    }
    bench.ports.append(make(Op::kExit));
    bench.ports.answer = [&](unsigned, const isa::Instruction &insn, LaneMask active) {
        auto issued = bench.ports.plain(insn, active, insn.op == Op::kMufu ? 15 : 4);
        issued.interval = insn.op == Op::kMufu ? 4 : 1;
        return issued;
    };
    bench.build();
    for (unsigned w = 0; w < 8; ++w) {
        bench.start(w, 3 * w + 1);
    }
    bench.run(10'000);
    ASSERT_EQ(bench.stage->ended().kept().size(), 8U);
    StallCycles by_pc{};
    for (const PcStats &pc : bench.stage->pcs()) {
        for (unsigned r = 0; r < kStallReasons; ++r) {
            by_pc[r] += pc.stalls[r];
        }
    }
    StallCycles by_warp{};
    for (const WarpStats &warp : bench.stage->ended().kept()) {
        EXPECT_EQ(total(warp), warp.end - warp.start);
        EXPECT_EQ(std::accumulate(warp.states.begin(), warp.states.end(), Cycle{0}), warp.end - warp.start);
        EXPECT_EQ(bench.stall(warp, StallReason::kSelected), warp.instructions);
        for (unsigned r = 0; r < kStallReasons; ++r) {
            by_warp[r] += warp.stalls[r];
        }
    }
    EXPECT_EQ(by_pc, by_warp);
    IntervalCounters::Interval over_time;
    for (const IntervalCounters::Interval &interval : bench.stage->over_time().intervals()) {
        over_time.instructions += interval.instructions;
        over_time.thread_instructions += interval.thread_instructions;
        for (unsigned r = 0; r < kStallReasons; ++r) {
            over_time.stalls[r] += interval.stalls[r];
        }
        EXPECT_EQ(interval.stalls[static_cast<std::size_t>(StallReason::kSelected)], interval.instructions);
        EXPECT_EQ(interval.thread_instructions, 32 * interval.instructions);
    }
    EXPECT_GT(bench.stage->over_time().width(), 1U); // the charges were split at boundaries, and intervals merged
    EXPECT_EQ(over_time.stalls, by_warp);
    EXPECT_EQ(over_time.instructions, 8U * 61U);
    EXPECT_GT(by_warp[static_cast<std::size_t>(StallReason::kNotSelected)], 0U);
    EXPECT_GT(by_warp[static_cast<std::size_t>(StallReason::kMathPipeThrottle)], 0U);
}

TEST(IssueStage, ScoreboardIncrementIsVisibleTwoCyclesAfterIssue) {
    for (const unsigned stall : {1U, 2U}) {
        Bench bench;
        isa::Instruction producer = make(Op::kMufu);
        producer.wsb = 1;
        producer.stall = static_cast<std::uint8_t>(stall);
        bench.ports.append(producer);
        isa::Instruction consumer = make(Op::kMov);
        consumer.req = 0b10;
        bench.ports.append(consumer);
        bench.ports.append(make(Op::kExit));
        bench.ports.answer = [&](unsigned, const isa::Instruction &insn, LaneMask active) {
            return bench.ports.plain(insn, active, insn.op == Op::kMufu ? 15 : 1);
        };
        bench.build();
        bench.start(0, 0);
        bench.run(100);
        // With stall 1 the consumer issues before the counter is visible; with 2 it waits for the result.
        EXPECT_EQ(cycles_of(bench.ports, 0)[1], stall == 1 ? 2U : 16U);
        EXPECT_EQ(bench.stall(bench.stage->ended().kept()[0], StallReason::kShortScoreboard), stall == 1 ? 0U : 13U);
    }
}

TEST(IssueStage, ScoreboardCountsSeveralHolders) {
    Bench bench;
    isa::Instruction load = make(Op::kLdg);
    load.wsb = 0;
    bench.ports.append(load);
    load.stall = 2;
    bench.ports.append(load);
    isa::Instruction consumer = make(Op::kMov);
    consumer.req = 1;
    bench.ports.append(consumer);
    bench.ports.append(make(Op::kExit));
    bench.ports.answer = [&](unsigned, const isa::Instruction &insn, LaneMask active) {
        auto issued = bench.ports.plain(insn, active, 1);
        if (insn.op == Op::kLdg) {
            issued.kind = IssuePorts::Issued::Kind::kAccepted;
        }
        return issued;
    };
    bench.build();
    bench.start(0, 0);
    const auto done = [&](Cycle at) {
        return [&bench, at] {
            bench.stage->placed(0, at, at);
            bench.stage->answered(0, bench.ports.program[0], Outcome::kContinue, 0, {}, at);
        };
    };
    bench.run(500, {{50, done(60)}, {100, done(120)}});
    EXPECT_EQ(cycles_of(bench.ports, 0)[2], 120U);
    EXPECT_EQ(bench.stall(bench.stage->ended().kept()[0], StallReason::kLongScoreboard), 120U - 4U);
}

TEST(IssueStage, IdleCyclesCostNoStep) {
    Bench bench;
    isa::Instruction load = make(Op::kLdg);
    load.wsb = 0;
    load.stall = 2;
    bench.ports.append(load);
    isa::Instruction consumer = make(Op::kExit);
    consumer.req = 1;
    bench.ports.append(consumer);
    bench.ports.answer = [&](unsigned, const isa::Instruction &insn, LaneMask active) {
        auto issued = bench.ports.plain(insn, active, 1);
        if (insn.op == Op::kLdg) {
            issued.kind = IssuePorts::Issued::Kind::kAccepted;
        }
        return issued;
    };
    bench.build();
    bench.start(0, 0);
    bench.run(2'000'000, {{1'000'000, [&] {
                               bench.stage->placed(0, 1'000'001, 1'000'001);
                               bench.stage->answered(0, bench.ports.program[0], Outcome::kContinue, 0, {}, 1'000'001);
                           }}});
    EXPECT_EQ(bench.stage->ended().kept().at(0).end, 1'000'002U);
    EXPECT_LT(bench.steps, 12U);
}

TEST(IssueStage, ControlInstructionBlocksUntilResolvedAndRefetches) {
    Bench bench;
    isa::Instruction first = make(Op::kMov);
    first.stall = 5; // time to fetch the two instructions after the branch
    bench.ports.append(first);
    bench.ports.append(make(Op::kBra));
    bench.ports.append(make(Op::kMov)); // skipped
    bench.ports.append(make(Op::kExit));
    bench.ports.answer = [&](unsigned, const isa::Instruction &insn, LaneMask active) {
        auto issued = bench.ports.plain(insn, active, 5);
        if (insn.op == Op::kBra) {
            issued.next_pc = 48;
            issued.next_active = LaneMask(0xf);
        }
        return issued;
    };
    bench.build();
    bench.start(0, 0);
    bench.run(100);
    // The branch issues in 6, is resolved in 11; its target is fetched in 11 and issues in 12.
    EXPECT_EQ(cycles_of(bench.ports, 0), (std::vector<Cycle>{1, 6, 12}));
    const WarpStats &warp = bench.stage->ended().kept()[0];
    EXPECT_EQ(bench.stall(warp, StallReason::kBranchResolve), 4U + 4U);
    EXPECT_EQ(warp.thread_instructions, 32U + 32U + 4U);
    EXPECT_EQ(bench.stage->fetches_discarded(), 2U);
}

TEST(IssueStage, FallThroughKeepsTheBuffer) {
    Bench bench;
    bench.ports.append(make(Op::kBra));
    bench.ports.append(make(Op::kExit));
    bench.ports.answer = [&](unsigned, const isa::Instruction &insn, LaneMask active) {
        return bench.ports.plain(insn, active, 2);
    };
    bench.build();
    bench.start(0, 0);
    bench.run(100);
    EXPECT_EQ(cycles_of(bench.ports, 0), (std::vector<Cycle>{1, 3}));
    EXPECT_EQ(bench.stage->fetches_discarded(), 0U);
}

TEST(IssueStage, SleepingWarpWaitsForItsWake) {
    Bench bench;
    bench.ports.append(make(Op::kNanosleep));
    bench.ports.append(make(Op::kExit));
    bench.ports.answer = [&](unsigned, const isa::Instruction &insn, LaneMask active) {
        auto issued = bench.ports.plain(insn, active, 2);
        if (insn.op == Op::kNanosleep) {
            issued.outcome = Outcome::kSleep;
        }
        return issued;
    };
    bench.build();
    bench.start(0, 0);
    bench.run(1000, {{299, [&] { bench.stage->wake(0, 300); }}});
    EXPECT_EQ(cycles_of(bench.ports, 0), (std::vector<Cycle>{1, 300}));
    EXPECT_EQ(bench.stall(bench.stage->ended().kept()[0], StallReason::kSleeping), 297U);
}

TEST(IssueStage, ATargetIsFetchedAfterTheRedirectAndIsChargedToTheJump) {
    for (const bool behind : {true, false}) {
        Bench bench(4, [behind](Config &config) {
            config.ibuffer.redirect_latency = 3;
            config.ibuffer.fetch_behind_branch = behind;
        });
        for (int i = 0; i < 8; ++i) {
            bench.ports.append(make(Op::kNop));
        }
        bench.ports.program[0] = make(Op::kBra);
        bench.ports.append(make(Op::kExit));
        bench.ports.answer = [&](unsigned, const isa::Instruction &insn, LaneMask active) {
            auto issued = bench.ports.plain(insn, active, 5);
            if (insn.op == Op::kBra) {
                issued.next_pc = 8 * kInstructionBytes;
            }
            return issued;
        };
        bench.build();
        bench.start(0, 0);
        bench.run(1000);
        // BRA at 1 takes effect at 6, its target is fetched at 9, and is in the buffer at 10.
        EXPECT_EQ(cycles_of(bench.ports, 0), (std::vector<Cycle>{1, 10}));
        const WarpStats &warp = bench.stage->ended().kept().at(0);
        EXPECT_EQ(bench.stall(warp, StallReason::kBranchResolve), 4U + 4U + 4U) << "of BRA, of its target, of EXIT";
        EXPECT_EQ(bench.stage->fetches_discarded(), behind ? 3U : 0U);
    }
}

TEST(IssueStage, WakeBeforeTheSleepIsResolvedIsKept) {
    Bench bench;
    bench.ports.append(make(Op::kNanosleep));
    bench.ports.append(make(Op::kExit));
    bench.ports.answer = [&](unsigned, const isa::Instruction &insn, LaneMask active) {
        auto issued = bench.ports.plain(insn, active, 20);
        if (insn.op == Op::kNanosleep) {
            issued.outcome = Outcome::kSleep;
        }
        return issued;
    };
    bench.build();
    bench.start(0, 0);
    bench.run(1000, {{5, [&] { bench.stage->wake(0, 6); }}});
    EXPECT_EQ(cycles_of(bench.ports, 0), (std::vector<Cycle>{1, 21}));
}

/// A memory instruction, `second`, and EXIT; messages answer both except the EXIT.
struct BehindAnAccess : Bench {
    BehindAnAccess(Op access, const isa::Instruction &second) {
        ports.append(make(access));
        ports.append(second);
        ports.append(make(Op::kExit));
        ports.answer = [this](unsigned, const isa::Instruction &insn, LaneMask active) {
            auto issued = ports.plain(insn, active, 1);
            if (insn.op != Op::kExit && insn.op != Op::kNop) {
                issued.kind = IssuePorts::Issued::Kind::kAccepted;
            }
            return issued;
        };
        build();
        start(0, 0);
    }
    void answered(std::size_t index, Outcome outcome, Cycle at) {
        stage->answered(0, ports.program[index], outcome, 0, {}, at);
    }
};

isa::Instruction arrival(bool waits) {
    isa::Instruction bar = make(Op::kBar);
    bar.mod[0] = waits ? 0 : 1;
    return bar;
}

TEST(IssueStage, AnArrivalWaitsForThePlaceOfEarlierAccessesNotForTheirEnd) {
    BehindAnAccess bench(Op::kLdg, arrival(true));
    bench.run(1000, {{20, [&] { bench.stage->placed(0, 21, 21); }},
                     {40, [&] { bench.answered(1, Outcome::kBlocked, 41); }},
                     {60, [&] { bench.stage->wake(0, 70); }},
                     {400, [&] { bench.answered(0, Outcome::kContinue, 401); }}});
    EXPECT_EQ(cycles_of(bench.ports, 0), (std::vector<Cycle>{1, 21, 70}));
    const WarpStats &warp = bench.stage->ended().kept()[0];
    EXPECT_EQ(bench.stall(warp, StallReason::kMioThrottle), 19U);
    EXPECT_EQ(bench.stall(warp, StallReason::kBarrier), 48U);
    EXPECT_EQ(bench.stall(warp, StallReason::kMembar), 0U);
}

TEST(IssueStage, AnArrivalReachesTheBarrierAfterThePlaceOfTheAccess) {
    BehindAnAccess bench(Op::kLdg, arrival(true)); // bcu.arrival_latency is 6
    bench.run(1000, {{20, [&] { EXPECT_EQ(bench.stage->placed(0, 40, 21), 34U); }},
                     {50, [&] { bench.answered(1, Outcome::kBlocked, 51); }},
                     {60, [&] { bench.stage->wake(0, 70); }},
                     {400, [&] { bench.answered(0, Outcome::kContinue, 401); }}});
    EXPECT_EQ(cycles_of(bench.ports, 0), (std::vector<Cycle>{1, 34, 70}));
}

TEST(IssueStage, AnArrivalThatDoesNotWaitOrdersNothing) {
    BehindAnAccess bench(Op::kSts, arrival(false));
    bench.run(1000, {{10, [&] { bench.answered(1, Outcome::kContinue, 11); }},
                     {20, [&] { bench.stage->placed(0, 21, 21); }},
                     {40, [&] { bench.answered(0, Outcome::kContinue, 41); }}});
    EXPECT_EQ(cycles_of(bench.ports, 0).at(1), 2U);
}

TEST(IssueStage, AWarpEndsWhenItsStoresHaveTheirPlace) {
    BehindAnAccess bench(Op::kStg, make(Op::kNop));
    bench.run(1000, {{20, [&] { bench.stage->placed(0, 21, 21); }}});
    const WarpStats &warp = bench.stage->ended().kept().at(0);
    EXPECT_EQ(warp.end, 21U);
    EXPECT_EQ(bench.stall(warp, StallReason::kDrain), 17U);
    // The slot has another warp when the store of the first one is performed.
    bench.start(0, 30);
    const IssueStage::Departed *departed = bench.stage->departed(0);
    ASSERT_NE(departed, nullptr);
    EXPECT_EQ(departed->instructions, 3U);
    EXPECT_EQ(bench.stage->departed(1), nullptr);
    bench.stage->store_performed(0, 300);
    EXPECT_EQ(bench.stage->departed(0), nullptr);
    EXPECT_THAT(bench.ports.performances, testing::ElementsAre(std::pair(Cycle{300}, std::uint64_t{0})));
}

TEST(IssueStage, AStoreThatWillBePerformedAtAKnownTimeDoesNotHoldTheWarp) {
    BehindAnAccess bench(Op::kStg, make(Op::kNop));
    bench.run(1000, {{5, [&] {
                          bench.stage->placed(0, 6, 6);
                          bench.answered(0, Outcome::kContinue, 200);
                      }}});
    EXPECT_EQ(bench.stage->ended().kept().at(0).end, 6U);
    EXPECT_EQ(bench.stage->departed(0), nullptr) << "no message follows";
    EXPECT_THAT(bench.ports.performances, testing::ElementsAre(std::pair(Cycle{200}, std::uint64_t{0})));
}

TEST(IssueStage, AWarpEndsWhenItsLoadsAreThere) {
    for (const Op load : {Op::kLdg, Op::kAtomg}) {
        BehindAnAccess bench(load, make(Op::kNop));
        bench.run(1000, {{20, [&] { bench.stage->placed(0, 21, 21); }},
                         {200, [&] { bench.answered(0, Outcome::kContinue, 210); }}});
        EXPECT_EQ(bench.stage->ended().kept().at(0).end, 210U);
        EXPECT_THAT(bench.ports.exits, testing::ElementsAre(std::pair(Cycle{21}, 0U))) << "for barriers it ends before";
        EXPECT_THAT(bench.ports.performances, testing::IsEmpty());
    }
}

TEST(IssueStage, SlotIsNotGivenAwayBeforeEveryAnswerIsThere) {
    // The answer of a BAR.ARV or B2R must not reach the next warp of the slot.
    Bench bench;
    isa::Instruction arrive = make(Op::kBar);
    arrive.mod[0] = 1;
    bench.ports.append(arrive);
    bench.ports.append(make(Op::kExit));
    bench.ports.answer = [&](unsigned, const isa::Instruction &insn, LaneMask active) {
        auto issued = bench.ports.plain(insn, active, 1);
        if (insn.op == Op::kBar) {
            issued.kind = IssuePorts::Issued::Kind::kAccepted;
        }
        return issued;
    };
    bench.build();
    bench.start(0, 0);
    bench.run(1000, {{30, [&] {
                          EXPECT_TRUE(bench.ports.exits.empty());
                          bench.stage->answered(0, bench.ports.program[0], Outcome::kContinue, 0, {}, 31);
                      }}});
    EXPECT_EQ(bench.stage->ended().kept().at(0).end, 31U);
}

TEST(IssueStage, AnExitCountsForBarriersOnceTheWarpsAccessesHaveTheirPlace) {
    struct Case {
        Cycle placed; ///< call, in effect one cycle later; 0: with the answer
        Cycle answered;
        Cycle exited;
    };
    // EXIT issues at 2 and is executed at 3.
    for (const Case &one : {Case{2, 40, 3}, Case{20, 40, 21}, Case{0, 40, 41}}) {
        Bench bench;
        bench.ports.append(make(Op::kSts));
        bench.ports.append(make(Op::kExit));
        bench.ports.answer = [&](unsigned, const isa::Instruction &insn, LaneMask active) {
            auto issued = bench.ports.plain(insn, active, 1);
            if (insn.op == Op::kSts) {
                issued.kind = IssuePorts::Issued::Kind::kAccepted;
            }
            return issued;
        };
        bench.build();
        bench.start(0, 0);
        std::multimap<Cycle, std::function<void()>> messages;
        if (one.placed != 0) {
            messages.emplace(one.placed, [&] { bench.stage->placed(0, one.placed + 1, one.placed + 1); });
        }
        messages.emplace(one.answered, [&] {
            if (one.placed == 0) {
                bench.stage->placed(0, one.answered + 1, one.answered + 1);
                bench.stage->answered(0, bench.ports.program[0], Outcome::kContinue, 0, {}, one.answered + 1);
            }
        });
        bench.run(1000, std::move(messages));
        EXPECT_EQ(bench.ports.exits, (std::vector<std::pair<Cycle, unsigned>>{{one.exited, 0}})) << one.placed;
    }
}

TEST(IssueStage, BarrierInstructionsThatDoNotBlockLetTheWarpGoOnInTheNextCycle) {
    isa::Instruction arrive = make(Op::kBar);
    arrive.mod[0] = 1;
    for (const isa::Instruction &insn : {arrive, make(Op::kB2r), make(Op::kR2b)}) {
        Bench bench;
        bench.ports.append(insn);
        bench.ports.append(make(Op::kNop));
        bench.ports.append(make(Op::kExit));
        bench.ports.answer = [&](unsigned, const isa::Instruction &issuing, LaneMask active) {
            auto issued = bench.ports.plain(issuing, active, 1);
            if (issuing.unit == isa::Unit::kBarrier) {
                issued.kind = IssuePorts::Issued::Kind::kAccepted;
            }
            return issued;
        };
        bench.build();
        bench.start(0, 0);
        bench.run(1000,
                  {{30, [&] { bench.stage->answered(0, bench.ports.program[0], Outcome::kContinue, 0, {}, 31); }}});
        EXPECT_EQ(cycles_of(bench.ports, 0), (std::vector<Cycle>{1, 2, 3})) << insn.spec().name;
        EXPECT_EQ(bench.ports.exits.at(0).first, 31U) << "the exit comes after the warp's arrivals";
    }
}

TEST(IssueStage, MembarWaitsForItsScope) {
    Bench bench;
    isa::Instruction membar = make(Op::kMembar);
    membar.mod[0] = static_cast<std::uint8_t>(isa::Scope::kGpu);
    bench.ports.append(membar);
    bench.ports.append(make(Op::kExit));
    bench.build();
    bench.start(0, 0);
    bench.run(1000);
    EXPECT_EQ(bench.stage->ended().kept()[0].end, 1U + bench.config.lsu.membar_gpu + 1U);
}

TEST(IssueStage, AWarpIsPassedOverForTheStarvationLimitAtMost) {
    // Warp 1 is the youngest and always ready: greedy-then-youngest would never select warp 0.
    const auto first_issue_of_the_old_warp = [](std::uint32_t limit) {
        Bench bench;
        bench.config.ibuffer.policy = IssuePolicyKind::kGreedyThenYoungest;
        bench.config.ibuffer.starvation_limit = limit;
        bench.config.ibuffer.fetch_per_cycle = 2;
        for (int i = 0; i < 300; ++i) {
            bench.ports.append(make(Op::kMov));
        }
        bench.ports.append(make(Op::kExit));
        bench.build();
        bench.start(0, 0);
        bench.start(1, 0);
        bench.run(1000);
        const std::vector<Cycle> cycles = cycles_of(bench.ports, 0);
        return cycles.empty() ? kNever : cycles[0];
    };
    EXPECT_LT(first_issue_of_the_old_warp(50), 60U);
    EXPECT_GT(first_issue_of_the_old_warp(0), 200U);
}

TEST(IssueStage, RunningPastTheProgramIsRaisedAtTheFetch) {
    Bench bench;
    bench.ports.append(make(Op::kMov));
    bench.build();
    bench.start(0, 0);
    bench.run(1000);
    EXPECT_EQ(bench.ports.past_end, (std::vector<Pc>{16}));
    EXPECT_EQ(bench.stage->next_wake(), kNever);
}

TEST(IssueStage, PrefetchPastAnExitAtTheEndIsNoError) {
    Bench bench;
    bench.ports.append(make(Op::kExit));
    bench.build();
    bench.start(0, 0);
    bench.run(1000);
    EXPECT_TRUE(bench.ports.past_end.empty());
    EXPECT_EQ(bench.ports.exits.size(), 1U);
}

TEST(IssueStage, BufferDepthBoundsTheFetchAhead) {
    for (const unsigned depth : {1U, 3U, 8U}) {
        Bench bench(1, [&](Config &config) { config.ibuffer.depth = depth; });
        isa::Instruction first = make(Op::kMov);
        first.stall = 15;
        bench.ports.append(first);
        for (int i = 0; i < 10; ++i) {
            bench.ports.append(make(Op::kMov));
        }
        bench.ports.append(make(Op::kExit));
        bench.build();
        bench.start(0, 0);
        bench.run(15);
        EXPECT_EQ(bench.ports.fetches, depth + 1);
    }
}

TEST(IssueStage, FetchAnsweredLaterEntersTheBufferThen) {
    Bench bench;
    bench.ports.append(make(Op::kExit));
    bench.ports.answers_fetches = false;
    bench.build();
    bench.start(0, 0);
    bench.run(1000, {{20, [&] { bench.stage->fetched(0, 1, &bench.ports.program[0], 25, FetchCause::kL1, 20); }}});
    EXPECT_EQ(cycles_of(bench.ports, 0), (std::vector<Cycle>{25}));
    EXPECT_EQ(bench.stall(bench.stage->ended().kept().at(0), StallReason::kNoInstruction), 25U);
}

TEST(IssueStage, WaitsOfAWarpAreReportedByCause) {
    Bench bench;
    bench.ports.append(make(Op::kExit));
    bench.ports.answers_fetches = false;
    bench.ports.fetch_cause = FetchCause::kL1Request;
    bench.build();
    bench.start(0, 5);
    bench.run(1000,
              {{20, [&] { bench.stage->fetched(0, 1, &bench.ports.program[0], 45, FetchCause::kBehindL1, 20); }}});
    EXPECT_EQ(bench.stall(bench.stage->ended().kept().at(0), StallReason::kNoInstruction), 40U);
    FetchCauseCycles expected{};
    expected[static_cast<std::size_t>(FetchCause::kL1Request)] = 15;
    expected[static_cast<std::size_t>(FetchCause::kBehindL1)] = 25;
    EXPECT_EQ(bench.stage->no_instruction(), expected);
    bench.stage->clear_statistics(100);
    EXPECT_EQ(bench.stage->no_instruction(), FetchCauseCycles{});
}

TEST(IssueStage, WaitingForTheFirstInstructionAfterAJumpIsChargedToIt) {
    Bench bench;
    bench.ports.append(make(Op::kBra));
    bench.ports.append(make(Op::kMov));
    bench.ports.append(make(Op::kExit));
    bench.ports.fetch_latency = 4;
    bench.ports.answer = [&](unsigned, const isa::Instruction &insn, LaneMask active) {
        IssuePorts::Issued issued = bench.ports.plain(insn, active, 1);
        issued.next_pc += insn.op == Op::kBra ? kInstructionBytes : 0;
        return issued;
    };
    bench.build();
    bench.start(0, 0);
    bench.run(1000);
    FetchCauseCycles expected{};
    expected[static_cast<std::size_t>(FetchCause::kFetch)] = 4;
    expected[static_cast<std::size_t>(FetchCause::kRedirect)] = 4;
    EXPECT_EQ(bench.stage->no_instruction(), expected);
}

// The end of the program becomes known late, from the answers to the fetches of 0x10 and 0x20: nothing more is
// requested after cycle 50.
TEST(IssueStage, AProgramEndInLateAnswersCountsFromTheEarliestOfTheirCycles) {
    Bench bench;
    isa::Instruction first = make(Op::kMov);
    first.rsb = 0;
    bench.ports.append(first);
    bench.ports.answers_fetches = false;
    bench.build();
    bench.start(0, 0);
    IssueStage &stage = *bench.stage;
    bench.run(10);
    ASSERT_EQ(bench.ports.fetches, 3U);
    stage.fetched(0, 2, nullptr, 50, FetchCause::kFetch, 10);
    stage.fetched(0, 3, nullptr, 60, FetchCause::kFetch, 10);
    stage.sources_read(0, first, 20); // the warp is examined for another reason meanwhile
    for (Cycle now = stage.next_wake(); now < 50; now = stage.next_wake()) {
        stage.step(now);
    }
    EXPECT_EQ(stage.next_wake(), 50U);
}

TEST(IssueStage, CloseChargesOpenIntervals) {
    Bench bench;
    isa::Instruction load = make(Op::kLdg);
    load.wsb = 0;
    load.stall = 2;
    bench.ports.append(load);
    isa::Instruction wait = make(Op::kMov);
    wait.req = 1;
    bench.ports.append(wait);
    bench.ports.answer = [&](unsigned, const isa::Instruction &insn, LaneMask active) {
        auto issued = bench.ports.plain(insn, active, 1);
        issued.kind = IssuePorts::Issued::Kind::kAccepted;
        return issued;
    };
    bench.build();
    bench.start(0, 0);
    bench.run(50);
    bench.stage->close(500);
    ASSERT_EQ(bench.stage->ended().kept().size(), 1U);
    EXPECT_EQ(bench.stage->ended().kept()[0].end, 500U);
    EXPECT_EQ(total(bench.stage->ended().kept()[0]), 500U);
}

} // namespace
} // namespace smsim::ibuffer::test
