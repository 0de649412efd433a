// The engines simt_stack and token_stack and their rules written a second time do the same, step by step.
#include <gtest/gtest.h>

#include "tb/independent_rules/stack_comparison.h"

namespace smsim::independent_rules {
namespace {

using Kind = bru::StepEvent::Kind;

void expect_seen(Seen &seen, std::initializer_list<Kind> kinds, std::initializer_list<Fault> faults) {
    for (const Kind kind : kinds) {
        EXPECT_GT(seen.kinds[kind], 1000U) << "step of kind " << static_cast<int>(kind);
    }
    for (const Fault fault : faults) {
        EXPECT_GT(seen.faults[fault], 100U) << fault_name(fault);
    }
    EXPECT_GT(seen.passed, 1000U);
    EXPECT_GT(seen.handed_over, 1000U);
    EXPECT_GT(seen.splits, 1000U);
}

TEST(SimtRules, AreThoseOfTheEngine) {
    Seen seen;
    EXPECT_EQ(simt_difference(6000, seen), std::nullopt);
    expect_seen(seen, {Kind::kPlain, Kind::kBranch, Kind::kSync, Kind::kSleep, Kind::kExit, Kind::kSyscall},
                {Fault::kBadReconvergence, Fault::kStackOverflow, Fault::kStackLeak, Fault::kDivergentTarget,
                 Fault::kIllegalTarget, Fault::kIllegalInstruction, Fault::kTrap, Fault::kIllegalTrap});
    EXPECT_GT(seen.refusals, 1000U);
}

TEST(TokenRules, AreThoseOfTheEngine) {
    Seen seen;
    EXPECT_EQ(token_difference(6000, seen), std::nullopt);
    expect_seen(seen, {Kind::kPlain, Kind::kBranch, Kind::kSync, Kind::kSleep, Kind::kExit, Kind::kSyscall},
                {Fault::kStackUnderflow, Fault::kTokenMismatch, Fault::kStackOverflow, Fault::kIllegalTarget,
                 Fault::kWarpSyncDiverged, Fault::kWarpSyncMembership, Fault::kIllegalInstruction, Fault::kTrap,
                 Fault::kIllegalTrap});
}

TEST(ConditionTests, AreTheFormulasOfTheSpecification) {
    EXPECT_EQ(condition_test_difference(), std::nullopt);
}

} // namespace
} // namespace smsim::independent_rules
