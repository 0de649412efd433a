// Random programs for branch units, barrier unit and shared memory, with RTL in lockstep with the model.
#include <gtest/gtest.h>

#include <initializer_list>
#include <set>
#include <sstream>

#include "tb/cosim/lockstep_campaign.h"
#include "tb/cosim/lockstep_program.h"
#include "tb/cosim/shared_program.h"

namespace smsim::cosim {
namespace {

TEST(LockstepCampaign, OfTheBranchUnitHasNoDifference) {
    CampaignOptions options;
    options.transactions = 100'000;
    const LockstepCampaign done = run_lockstep_campaign(CampaignPart::kBranchUnit, options);
    ASSERT_EQ(done.failure, "");
    EXPECT_GE(done.transactions, 100'000U);
    EXPECT_GE(done.same_cycles, 1U);
    for (const char *name :
         {"IllegalTarget", "IllegalTrap", "SyncDeadlock", "Trap", "WarpSyncMembership", "Watchdog"}) {
        EXPECT_TRUE(done.exceptions.contains(name)) << name;
    }
}

/// A campaign for a branch unit with a stack, which must produce all of these exceptions.
void expect_no_difference(CampaignPart part, std::initializer_list<const char *> exceptions) {
    CampaignOptions options;
    options.transactions = 60'000;
    const LockstepCampaign done = run_lockstep_campaign(part, options);
    ASSERT_EQ(done.failure, "");
    EXPECT_GE(done.transactions, options.transactions);
    EXPECT_GE(done.same_cycles, 1U);
    for (const char *name : exceptions) {
        EXPECT_TRUE(done.exceptions.contains(name)) << name;
    }
}

TEST(LockstepCampaign, OfTheSimtStackHasNoDifference) {
    expect_no_difference(CampaignPart::kSimtStack,
                         {"BadReconvergence", "DivergentTarget", "StackLeak", "StackOverflow"});
}

TEST(LockstepCampaign, OfTheTokenStackHasNoDifference) {
    expect_no_difference(CampaignPart::kTokenStack,
                         {"IllegalTarget", "StackOverflow", "StackUnderflow", "TokenMismatch", "WarpSyncMembership"});
}

TEST(LockstepCampaign, OfTheBarrierUnitHasNoDifference) {
    CampaignOptions options;
    options.transactions = 50'000;
    const LockstepCampaign done = run_lockstep_campaign(CampaignPart::kBarrierUnit, options);
    ASSERT_EQ(done.failure, "");
    EXPECT_GE(done.transactions, 50'000U);
    EXPECT_GE(done.same_cycles, 1U);
}

TEST(LockstepCampaign, OfSharedMemoryHasNoDifference) {
    CampaignOptions options;
    options.transactions = 40'000;
    const LockstepCampaign done = run_lockstep_campaign(CampaignPart::kSharedMemory, options);
    ASSERT_EQ(done.failure, "");
    EXPECT_GE(done.transactions, 40'000U);
    EXPECT_GE(done.same_cycles, 1U);
}

TEST(LockstepCampaign, OfSharedMemoryHasEveryAtomic) {
    std::set<std::string> seen;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        std::istringstream words(shared_program(seed, 1).text);
        for (std::string word; words >> word;) {
            if (word.starts_with("ATOMS.")) {
                seen.insert(word);
            }
        }
    }
    EXPECT_EQ(seen.size(), 10U * 4U + 3U) << "ten operations of four integer types; ADD and EXCH of F32, ADD of F64";
}

TEST(LockstepCampaign, MoreMovesThanTheUnitHoldsAreNoDifference) {
    LockstepProgram program;
    program.text = ".kernel k\n";
    for (unsigned reg = 4; reg < 12; ++reg) {
        program.text += "B2R R" + std::to_string(reg) + ", 1;\n";
    }
    program.text += " BAR.SYNC 1;\n EXIT;\n";
    program.threads = 1024;
    program.ctas = 2; // 64 warps with eight moves each
    const LockstepRun rtl = run(program, {"bcu.implementation=lockstep", "bcu.move_latency=600"});
    EXPECT_EQ(rtl.failure, "");
}

/// The address of an exception, "pc 0x0070".
std::string place_of(const std::string &failure) {
    const std::size_t at = std::min(failure.find("pc 0x"), failure.size());
    return failure.substr(at, 9);
}

/// The states of a barrier that an arrival or a restore can meet. Warp 0 of two executes `tail`; warp 1 is blocked at
/// barrier 2.
struct Refusal {
    const char *name;
    const char *tail;
    const char *fault;
    friend void PrintTo(const Refusal &one, std::ostream *out) { *out << one.name; }
};

class BarrierRefusals : public testing::TestWithParam<Refusal> {};

TEST_P(BarrierRefusals, AreThoseOfTheModel) {
    LockstepProgram program;
    program.text = std::string(".kernel k\n S2R R2, SR_TID.X;\n ISETP.GE.AND P0, PT, R2, 0x20, PT;\n"
                               " @P0 BRA other;\n NANOSLEEP 200;\n") +
                   GetParam().tail + " EXIT;\nother: BAR.SYNC 2, 96;\n EXIT;\n";
    program.threads = 64;
    const LockstepRun model = run(program, {});
    const LockstepRun rtl = run(program, {"bcu.implementation=lockstep"});
    EXPECT_EQ(model.failure.substr(0, model.failure.find(':')), GetParam().fault);
    EXPECT_EQ(rtl.failure.substr(0, rtl.failure.find(':')), GetParam().fault) << rtl.failure;
    EXPECT_EQ(place_of(rtl.failure), place_of(model.failure)) << rtl.failure;
    EXPECT_NE(place_of(rtl.failure), "");
}

INSTANTIATE_TEST_SUITE_P(
    All, BarrierRefusals,
    testing::Values(
        Refusal{"Kind", "BAR.RED.OR 2, 96, PT;\n", "BarrierMismatch"},
        Refusal{"Count", "BAR.ARV 2, 64;\n", "BarrierMismatch"},
        Refusal{"Reduction", "MOV R4, 0x14081;\n R2B.BAR 3, R4;\n BAR.RED.AND 3, 32, PT;\n", "BarrierMismatch"},
        Refusal{"Blocked", "R2B.BAR 2, RZ;\n", "BarrierBusy"},
        Refusal{"MoreThanExpected", "MOV R4, 0x4102;\n R2B.BAR 3, R4;\n BAR.ARV 3, 64;\n", "BarrierOverflow"},
        Refusal{"MoreWarpsThanTheWordCounts", "MOV R4, 0x407f;\n R2B.BAR 3, R4;\n BAR.SYNC 3;\n", "BarrierOverflow"},
        Refusal{"MoreThreadsThanTheWordCounts", "MOV R4, 0xfff28001;\n R2B.BAR 3, R4;\n BAR.RED.POPC 3, 0, PT;\n",
                "BarrierOverflow"}),
    [](const auto &one) { return std::string(one.param.name); });

} // namespace
} // namespace smsim::cosim
