// The branch unit and the rules of bru.md written a second time do the same, step by step; and the comparison can
// fail: it detects every rejected reading.
#include <map>

#include <gtest/gtest.h>

#include "bru/engines/convergence_barrier/engine.h"
#include "tb/independent_rules/branch_rules.h"
#include "tb/independent_rules/comparison.h"
#include "tb/independent_rules/random_warps.h"

namespace smsim::independent_rules {
namespace {

/// What the compared steps covered.
struct Seen {
    std::map<bru::StepEvent::Kind, unsigned> kinds;
    std::map<ReleaseKind, unsigned> releases;
    std::map<Fault, unsigned> faults;
    unsigned sleeps = 0;
    unsigned passed = 0;
    unsigned handed_over = 0;
};

void note(Seen &seen, const bru::StepResult &result) {
    if (result.fault) {
        ++seen.faults[result.fault->fault];
        return;
    }
    ++seen.kinds[result.event.kind];
    if (result.event.release) {
        ++seen.releases[*result.event.release];
    }
    if (result.event.kind == bru::StepEvent::Kind::kSync) {
        ++(result.event.passed ? seen.passed : seen.handed_over);
    }
    seen.sleeps += result.outcome == smsim::Outcome::kSleep ? 1 : 0;
}

/// Lets both rules execute one instruction on copies of `warp`; keeps the result of the branch unit there.
std::optional<std::string> compare_step(RandomProgram &program, WarpControl &warp, const RandomStep &step,
                                        const RejectedReadings &readings, Seen &seen, bool &ended) {
    WarpControl second = warp;
    const bru::StepResult result =
        bru::convergence_barrier::execute_step(warp, step.insn, step.operands(), program.config(), program.bytes());
    const bru::StepResult other =
        execute_step(second, step.insn, step.operands(), program.config(), program.bytes(), readings);
    note(seen, result);
    auto found = difference(Behind<WarpControl>{warp, result}, {second, other});
    ended = result.fault || result.outcome == smsim::Outcome::kExited;
    if (!found && !ended && (result.outcome == smsim::Outcome::kSleep || program.one_in(8))) {
        bru::convergence_barrier::clear_sleep(warp.state);
        timer_fires(second);
        found = difference(Behind<WarpControl>{warp, result}, {second, other});
    }
    return found;
}

/// The first difference in `programs` random programs with 100 random states each.
std::optional<std::string> first_difference(std::uint32_t programs, const RejectedReadings &readings, Seen &seen) {
    for (std::uint32_t seed = 0; seed < programs; ++seed) {
        RandomProgram program(seed);
        bool ended = false;
        WarpControl warp = program.started();
        for (unsigned count = 0; count < 240 && !ended; ++count) {
            const auto step = program.next(warp);
            if (!step) {
                break;
            }
            if (auto found = compare_step(program, warp, *step, readings, seen, ended)) {
                return found;
            }
        }
        for (unsigned count = 0; count < 100; ++count) {
            warp = program.anywhere();
            const auto step = program.next(warp);
            if (!step) {
                continue;
            }
            if (auto found = compare_step(program, warp, *step, readings, seen, ended)) {
                return found;
            }
        }
    }
    return std::nullopt;
}

TEST(BranchRules, AreThoseOfTheBranchUnit) {
    Seen seen;
    EXPECT_EQ(first_difference(6000, {}, seen), std::nullopt);
    using Kind = bru::StepEvent::Kind;
    for (const Kind kind : {Kind::kPlain, Kind::kBranch, Kind::kSync, Kind::kYield, Kind::kYieldConverged, Kind::kSleep,
                            Kind::kParked, Kind::kExit, Kind::kSyscall}) {
        EXPECT_GT(seen.kinds[kind], 100U) << "step of kind " << static_cast<int>(kind);
    }
    for (const ReleaseKind kind : {ReleaseKind::kComplete, ReleaseKind::kYield, ReleaseKind::kSleep, ReleaseKind::kTurn,
                                   ReleaseKind::kBlocked}) {
        EXPECT_GT(seen.releases[kind], 100U) << "release of kind " << static_cast<int>(kind);
    }
    for (const Fault fault : {Fault::kIllegalTarget, Fault::kIllegalInstruction, Fault::kWarpSyncMembership,
                              Fault::kSyncDeadlock, Fault::kIllegalTrap, Fault::kTrap}) {
        EXPECT_GT(seen.faults[fault], 20U) << fault_name(fault);
    }
    EXPECT_GT(seen.sleeps, 1000U);
    EXPECT_GT(seen.passed, 1000U);
    EXPECT_GT(seen.handed_over, 1000U);
}

TEST(BranchRules, DifferWithEveryReading) {
    for (const Name &name : all_names()) {
        const RejectedReadings readings = readings_of({std::string(name.text)});
        if (concerns_branches(readings)) {
            Seen seen;
            EXPECT_TRUE(first_difference(1000, readings, seen)) << name.text;
        }
    }
}

TEST(ReadingNames, AnUnknownOneIsAnError) {
    EXPECT_THROW(readings_of({"d2", "d11"}), InputError);
}

} // namespace
} // namespace smsim::independent_rules
