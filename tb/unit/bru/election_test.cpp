// Which path runs next: bru.election at every election, and bru.branch_order at divergent jumps.
#include <optional>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "bru/engines/convergence_barrier/branches.h"
#include "bru/engines/convergence_barrier/election.h"
#include "tb/unit/bru/support.h"

namespace smsim::bru::test {
namespace {

constexpr ElectionPolicy kAllPolicies[] = {ElectionPolicy::kLowestLane, ElectionPolicy::kMostThreads,
                                           ElectionPolicy::kOldest};

Warp warp_with(ElectionPolicy policy, LaneMask valid) {
    Warp warp(valid);
    warp.config.election = policy;
    return warp;
}

/// Makes `mask` wait at `pc`, as the last threads to begin waiting.
void wait_at(Warp &warp, LaneMask mask, Pc pc) {
    const LaneMask before = warp.state().active;
    warp.stand(mask, pc);
    update_waiting_places(warp.control, before);
}

/// Thread 0 is active at 0x100. Waiting: 1 at 0x10; 2, 3, 4 at 0x20; 5 and 6 at 0x30, which have waited longest.
Warp three_paths(ElectionPolicy policy) {
    Warp warp = warp_with(policy, LaneMask(0x7f));
    wait_at(warp, lanes({5, 6}), 0x30);
    wait_at(warp, lanes({2, 3, 4}), 0x20);
    wait_at(warp, lanes({1}), 0x10);
    return warp.active(lanes({0}), 0x100);
}

constexpr Pc preferred_path(ElectionPolicy policy) {
    return policy == ElectionPolicy::kLowestLane ? 0x10 : policy == ElectionPolicy::kMostThreads ? 0x20 : 0x30;
}

// --- leader

TEST(Election, EachPolicyChoosesItsPath) {
    for (const ElectionPolicy policy : kAllPolicies) {
        Warp warp = three_paths(policy);
        const unsigned lane = leader(warp.control, LaneMask(0x7e), policy);
        EXPECT_EQ(warp.state().rpc[lane], preferred_path(policy));
    }
}

TEST(ElectionMostThreads, OnlyCandidatesCount) {
    Warp warp = three_paths(ElectionPolicy::kMostThreads);
    EXPECT_EQ(leader(warp.control, lanes({1, 2, 5, 6}), warp.config.election.own()), 5U);
}

TEST(ElectionMostThreads, ATieGoesToTheLowestLane) {
    Warp warp = three_paths(ElectionPolicy::kMostThreads);
    EXPECT_EQ(leader(warp.control, lanes({3, 4, 5, 6}), warp.config.election.own()), 3U);
    warp.stand(lanes({1, 6}), 0x10).stand(lanes({2, 5}), 0x20); // interleaved lanes
    EXPECT_EQ(leader(warp.control, lanes({1, 2, 5, 6}), warp.config.election.own()), 1U);
}

TEST(ElectionOldest, ThreadsThatBeganToWaitTogetherAreEquallyOldAndTheLowestLaneLeads) {
    Warp warp = warp_with(ElectionPolicy::kOldest, LaneMask(0xf));
    const LaneMask before = warp.state().active;
    warp.stand(lanes({1}), 0x30).stand(lanes({2, 3}), 0x10);
    update_waiting_places(warp.control, before); // one instruction parked them at two addresses
    warp.active(lanes({0}), 0x100);
    EXPECT_EQ(leader(warp.control, lanes({1, 2, 3}), ElectionPolicy::kOldest), 1U);
    EXPECT_EQ(leader(warp.control, lanes({2, 3}), ElectionPolicy::kOldest), 2U);
}

TEST(ElectionOldest, TheLongestWaitOfAPathCounts) {
    Warp warp = warp_with(ElectionPolicy::kOldest, LaneMask(0xf));
    wait_at(warp, lanes({3}), 0x20);
    wait_at(warp, lanes({1}), 0x10);
    wait_at(warp, lanes({2}), 0x20); // joins thread 3, which has waited longest
    EXPECT_EQ(warp.state().rpc[leader(warp.control, lanes({1, 2, 3}), ElectionPolicy::kOldest)], 0x20U);
}

// --- a choice from a library

/// Chooses the last path, or the one of number `chosen`, and remembers what it was asked.
class LastPath final : public PathChoice {
  public:
    std::size_t choose(WarpSlot of, std::span<const Path> paths) override {
        warp = of;
        asked.assign(paths.begin(), paths.end());
        return chosen.value_or(paths.size() - 1);
    }
    std::optional<std::size_t> chosen;
    WarpSlot warp;
    std::vector<Path> asked;
};

TEST(ElectionOfALibrary, GetsThePathsInTheOrderOfTheirLowestLanesAndHowLongTheyHaveWaited) {
    Warp warp = three_paths(ElectionPolicy::kLowestLane);
    LastPath library;
    EXPECT_EQ(leader(warp.control, LaneMask(0x7e), Rules(warp.config, &library, WarpSlot(7))), 5U);
    EXPECT_EQ(library.warp, WarpSlot(7));
    ASSERT_EQ(library.asked.size(), 3U);
    EXPECT_EQ(library.asked[0].pc, 0x10U);
    EXPECT_EQ(library.asked[0].threads, lanes({1}));
    EXPECT_EQ(library.asked[0].place, 2U);
    EXPECT_EQ(library.asked[1].pc, 0x20U);
    EXPECT_EQ(library.asked[1].threads, lanes({2, 3, 4}));
    EXPECT_EQ(library.asked[1].place, 1U);
    EXPECT_EQ(library.asked[2].pc, 0x30U);
    EXPECT_EQ(library.asked[2].threads, lanes({5, 6}));
    EXPECT_EQ(library.asked[2].place, 0U);
}

TEST(ElectionOfALibrary, IsNotAskedAboutASinglePath) {
    Warp warp = three_paths(ElectionPolicy::kLowestLane);
    LastPath library;
    EXPECT_EQ(leader(warp.control, lanes({5, 6}), Rules(warp.config, &library, WarpSlot())), 5U);
    EXPECT_TRUE(library.asked.empty());
}

TEST(ElectionOfALibrary, APathThatDoesNotExistIsRefused) {
    Warp warp = three_paths(ElectionPolicy::kLowestLane);
    LastPath library;
    library.chosen = 3;
    EXPECT_THROW(leader(warp.control, LaneMask(0x7e), Rules(warp.config, &library, WarpSlot())), InputError);
}

TEST(ElectionOfALibrary, DecidesAStepAndWaitingPlacesAreKept) {
    Warp warp = three_paths(ElectionPolicy::kLowestLane);
    LastPath library;
    const StepResult result = execute_step(warp.control, insn(Op::kYield, Form::kX, 0x100), Values().operands(),
                                           Rules(warp.config, &library, WarpSlot()), kProgramBytes);
    EXPECT_EQ(result.next_active, lanes({5, 6}));
    EXPECT_GT(warp.control.waiting_place[0], warp.control.waiting_place[1]);
}

// --- waiting places

TEST(WaitingPlaces, HaveNoGapsWhenAPathRuns) {
    Warp warp = three_paths(ElectionPolicy::kOldest);
    EXPECT_EQ(warp.control.waiting_place[5], 0);
    EXPECT_EQ(warp.control.waiting_place[2], 1);
    EXPECT_EQ(warp.control.waiting_place[1], 2);
    warp.active(lanes({0, 2, 3, 4}), 0x20);
    update_waiting_places(warp.control, lanes({0}));
    EXPECT_EQ(warp.control.waiting_place[5], 0);
    EXPECT_EQ(warp.control.waiting_place[1], 1);
    EXPECT_EQ(warp.control.waiting_place[2], 0) << "active";
}

TEST(WaitingPlaces, AThreadThatStopsAgainIsTheLast) {
    Warp warp = three_paths(ElectionPolicy::kOldest);
    EXPECT_EQ(warp.step(insn(Op::kYield, Form::kX, 0x100)).next_active, lanes({5, 6}));
    EXPECT_EQ(warp.step(insn(Op::kYield, Form::kX, 0x30)).next_active, lanes({2, 3, 4}));
    EXPECT_GT(warp.control.waiting_place[5], warp.control.waiting_place[0]);
    EXPECT_EQ(warp.control.waiting_place[1], 0);
}

TEST(WaitingPlaces, AreNotKeptUnderOtherPolicies) {
    Warp warp = warp_with(ElectionPolicy::kMostThreads, LaneMask(0x7));
    warp.active(lanes({0}), 0x100).stand(lanes({1}), 0x10).stand(lanes({2}), 0x20);
    warp.step(insn(Op::kYield, Form::kX, 0x100));
    EXPECT_EQ(warp.control.waiting_place, WarpControl().waiting_place);
}

// --- what causes an election

TEST(Election, ExitElectsByThePolicy) {
    for (const ElectionPolicy policy : kAllPolicies) {
        Warp warp = three_paths(policy);
        EXPECT_EQ(warp.step(insn(Op::kExit, Form::kX, 0x100)).next_pc, preferred_path(policy));
    }
}

TEST(Election, YieldAndNanosleepElectByThePolicy) {
    for (const ElectionPolicy policy : kAllPolicies) {
        Warp yielding = three_paths(policy);
        EXPECT_EQ(yielding.step(insn(Op::kYield, Form::kX, 0x100)).next_pc, preferred_path(policy));
        Warp sleeping = three_paths(policy);
        EXPECT_EQ(sleeping.step(insn(Op::kNanosleep, Form::kI, 0x100, 100)).next_pc, preferred_path(policy));
    }
}

TEST(Election, AJoinHandsOverByThePolicy) {
    for (const ElectionPolicy policy : kAllPolicies) {
        Warp warp = three_paths(policy);
        warp.state().b[0] = LaneMask(0x7f);
        const StepResult result = warp.step(on_breg(Op::kBsync, Form::kX, 0x100, 0));
        EXPECT_FALSE(result.event.passed);
        EXPECT_EQ(result.next_pc, preferred_path(policy));
    }
}

TEST(Election, ABlockedWarpsyncHandsOverByThePolicy) {
    for (const ElectionPolicy policy : kAllPolicies) {
        Warp warp = three_paths(policy);
        EXPECT_EQ(warp.step(insn(Op::kWarpsync, Form::kI, 0x100, 0x7f)).next_pc, preferred_path(policy));
    }
}

// --- the rules around the choice

TEST(Election, SleepersAndThreadsThatYieldedLendNoWeight) {
    for (const ElectionPolicy policy : {ElectionPolicy::kMostThreads, ElectionPolicy::kOldest}) {
        Warp warp = three_paths(policy);
        warp.state().sleep = lanes({2, 3, 5, 6});
        EXPECT_EQ(warp.step(insn(Op::kExit, Form::kX, 0x100)).next_pc,
                  policy == ElectionPolicy::kMostThreads ? 0x10U : 0x20U);
        warp = three_paths(policy);
        warp.state().yield = lanes({2, 3, 4, 5, 6});
        EXPECT_EQ(warp.step(insn(Op::kExit, Form::kX, 0x100)).next_pc, 0x10U);
    }
}

TEST(Election, ThePolicyChoosesAmongThoseWhoseTurnItIs) {
    for (const ElectionPolicy policy : kAllPolicies) {
        Warp warp = three_paths(policy);
        warp.state().switch_set = lanes({1});
        EXPECT_EQ(warp.step(insn(Op::kYield, Form::kX, 0x100)).next_pc, 0x10U);
    }
}

TEST(Election, TheTurnGoesRoundAllPathsUnderEveryPolicy) {
    for (const ElectionPolicy policy : kAllPolicies) {
        Warp warp = three_paths(policy);
        LaneMask ran;
        for (unsigned turn = 0; turn < 3; ++turn) {
            ran |= warp.step(insn(Op::kYield, Form::kX, warp.state().active_pc)).next_active;
        }
        EXPECT_EQ(ran, LaneMask(0x7e));
    }
}

TEST(Election, AJoinPrefersMembersWhateverThePolicy) {
    for (const ElectionPolicy policy : kAllPolicies) {
        Warp warp = three_paths(policy);
        warp.state().b[0] = lanes({0, 1});
        EXPECT_EQ(warp.step(on_breg(Op::kBsync, Form::kX, 0x100, 0)).next_pc, 0x10U);
    }
}

// --- spin locks between the threads of one warp

/// All threads take a lock once. With `out` the thread that got it jumps out of the loop, otherwise the others jump
/// back.
bool everybody_gets_the_lock(const BruConfig &config, bool out, bool yields) {
    bool taken = false;
    std::array<bool, kLanes> holds{};
    Scenario scenario;
    scenario.work([&](LaneMask active) {
        for_each_lane(active, [&](unsigned lane) {
            holds[lane] = !taken;
            taken = true;
        });
    });
    if (out) {
        scenario.branch_to(yields ? 4 : 3, [&](unsigned lane) { return holds[lane]; });
        if (yields) {
            scenario.control(Op::kYield, Form::kX);
        }
        scenario.branch_to(0);
    } else {
        if (yields) {
            scenario.control(Op::kYield, Form::kX, [&](unsigned lane) { return !holds[lane]; });
        }
        scenario.branch_to(0, [&](unsigned lane) { return !holds[lane]; });
    }
    scenario.work([&](LaneMask) { taken = false; });
    scenario.control(Op::kExit, Form::kX);
    return scenario.run(LaneMask::all(), config, 20'000);
}

TEST(SpinLock, ThatGivesItsTurnAwayEndsUnderEveryPolicyAndOrder) {
    for (const ElectionPolicy policy : kAllPolicies) {
        for (const BranchOrder order : {BranchOrder::kFallThroughFirst, BranchOrder::kTakenFirst}) {
            BruConfig config;
            config.election = policy;
            config.branch_order = order;
            EXPECT_TRUE(everybody_gets_the_lock(config, true, true));
            EXPECT_TRUE(everybody_gets_the_lock(config, false, true));
        }
    }
}

TEST(SpinLock, ThatKeepsItsTurnEndsOnlyIfTheHolderGoesFirstAtTheBranch) {
    for (const ElectionPolicy policy : kAllPolicies) {
        BruConfig config;
        config.election = policy;
        config.branch_order = BranchOrder::kFallThroughFirst;
        EXPECT_TRUE(everybody_gets_the_lock(config, false, false));
        EXPECT_FALSE(everybody_gets_the_lock(config, true, false));
        config.branch_order = BranchOrder::kTakenFirst;
        EXPECT_FALSE(everybody_gets_the_lock(config, false, false));
        EXPECT_TRUE(everybody_gets_the_lock(config, true, false));
    }
}

// --- several targets

/// BRX by threads 0..5: 0 to 0x20; 1, 2, 3 to 0x30; 4 and 5 to 0x40.
StepResult jump_apart(Warp &warp, LaneMask guard) {
    Values values{.guard = guard};
    values.vectors[0] = {0x10, 0x20, 0x20, 0x20, 0x30, 0x30};
    return warp.step(insn(Op::kBrx, Form::kR, 0), values);
}

TEST(SeveralTargets, ThePolicyChoosesWhenAllJump) {
    Warp lowest = warp_with(ElectionPolicy::kLowestLane, LaneMask(0x3f));
    EXPECT_EQ(jump_apart(lowest, LaneMask::all()).next_active, lanes({0}));
    Warp most = warp_with(ElectionPolicy::kMostThreads, LaneMask(0x3f));
    const StepResult result = jump_apart(most, LaneMask::all());
    EXPECT_EQ(result.next_active, lanes({1, 2, 3}));
    EXPECT_EQ(result.next_pc, 0x30U);
    EXPECT_EQ(most.state().rpc[0], 0x20U);
    EXPECT_EQ(most.state().rpc[5], 0x40U);
}

TEST(SeveralTargets, AllAreEquallyOldSoTheLowestLaneLeads) {
    Warp warp = warp_with(ElectionPolicy::kOldest, LaneMask(0x3f));
    EXPECT_EQ(jump_apart(warp, LaneMask::all()).next_active, lanes({0}));
}

// --- bru.branch_order

Warp taken_first(LaneMask valid) {
    Warp warp(valid);
    warp.config.branch_order = BranchOrder::kTakenFirst;
    return warp;
}

TEST(TakenFirst, JumpingThreadsContinueAndTheOthersWaitAfterTheJump) {
    Warp warp = taken_first(LaneMask(0xf));
    const StepResult result = warp.step(insn(Op::kBra, Form::kX, 0, 4), {.guard = lanes({1, 2})});
    EXPECT_EQ(result.next_active, lanes({1, 2}));
    EXPECT_EQ(result.next_pc, 0x50U);
    EXPECT_EQ(standing_at(warp.state(), 0x10), lanes({0, 3}));
    EXPECT_TRUE(result.event.split);
}

TEST(TakenFirst, AJumpOfAllOrNoThreadsIsUnaffected) {
    Warp warp = taken_first(LaneMask(0xf));
    EXPECT_EQ(warp.step(insn(Op::kBra, Form::kX, 0, 4)).next_pc, 0x50U);
    EXPECT_EQ(warp.step(insn(Op::kBra, Form::kX, 0x50, 4), {.guard = LaneMask()}).next_pc, 0x60U);
    EXPECT_EQ(warp.state().active, LaneMask(0xf));
}

TEST(TakenFirst, OfSeveralTargetsTheElectedGoesOn) {
    for (const ElectionPolicy policy : kAllPolicies) {
        Warp warp = taken_first(LaneMask(0x3f));
        warp.config.election = policy;
        const StepResult result = jump_apart(warp, lanes({0, 2, 4, 5}));
        const bool most = policy == ElectionPolicy::kMostThreads;
        EXPECT_EQ(result.next_active, most ? lanes({4, 5}) : lanes({0}));
        EXPECT_EQ(result.next_pc, most ? 0x40U : 0x20U);
        EXPECT_EQ(standing_at(warp.state(), 0x10), lanes({1, 3}));
        EXPECT_EQ(standing_at(warp.state(), 0x30), lanes({2}));
    }
}

TEST(TakenFirst, D5_OnlyActiveThreadsWaitAfterTheJump) {
    Warp warp = taken_first(LaneMask(0xff));
    warp.active(LaneMask(0xf), 0).stand(LaneMask(0xf0), 0x80);
    warp.step(insn(Op::kBra, Form::kX, 0, 4), {.guard = lanes({1, 2})});
    EXPECT_EQ(standing_at(warp.state(), 0x80), LaneMask(0xf0));
}

TEST(FallThroughFirst, OfAPartialJumpToSeveralTargetsAllJumpersWait) {
    for (const ElectionPolicy policy : kAllPolicies) {
        Warp warp = warp_with(policy, LaneMask(0x3f));
        EXPECT_EQ(jump_apart(warp, lanes({0, 2, 4, 5})).next_active, lanes({1, 3}));
        EXPECT_EQ(warp.state().active_pc, 0x10U);
    }
}

} // namespace
} // namespace smsim::bru::test
