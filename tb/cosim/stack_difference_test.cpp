// The branch unit's blocks for the engines with a stack, with seeded faults in lockstep: any error in a warp's state
// is named at the instruction at which it occurs, in the terms of the engine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tb/cosim/faulty_block.h"

namespace smsim::cosim {
namespace {

constexpr unsigned kSubs = 4;
constexpr unsigned kChannels = 5 * kSubs;

// Odd threads fall through, even ones jump, and all meet.
constexpr const char *kSimtStackCode = " S2R R0, SR_TID.X;\n LOP3 R1, R0, 0x1, RZ, 0xc0;\n SETRPC join;\n"
                                       " VBEQ R1, RZ, even;\n IADD3 R2, R0, 0x64, RZ;\n BRA join;\n"
                                       "even:\n IMAD R2, R0, 0x3, RZ;\njoin:\n JOIN;\n";
constexpr const char *kTokenStackCode = " S2R R0, SR_TID.X;\n LOP3.CC R1, R0, 0x1, RZ, 0xc0;\n SSY join;\n"
                                        " BRA CC.EQ, even;\n IADD3 R2, R0, 0x64, RZ;\n SYNC;\n"
                                        "even:\n IMAD R2, R0, 0x3, RZ;\n SYNC;\njoin:\n PRET end;\nend:\n NOP;\n";

/// The outcome of the engine's instructions with a fault in its block.
session::LaunchResult simt_stack(const FaultyBlock::Fault &fault, FaultyRun how = {}) {
    how.engine = "simt_stack";
    return run_faulty<BruAdapter>(kSimtStackCode, BlockKind::kBruSimtStack, fault, how);
}
session::LaunchResult token_stack(const FaultyBlock::Fault &fault, FaultyRun how = {}) {
    how.engine = "token_stack";
    return run_faulty<BruAdapter>(kTokenStackCode, BlockKind::kBruTokenStack, fault, how);
}

void nothing(const Block &) {}

/// The text of the difference, and the instruction that shows it.
std::string difference(const session::LaunchResult &result) {
    if (result.fault != Fault::kLockstepDifference || !result.difference) {
        return "no difference: " + result.exception;
    }
    const bool placed = result.raised && result.raised->place;
    return (placed ? result.raised->place->instruction : "nowhere") + ": " + result.difference->text;
}

/// The mask of entry 1 at the debug port lacks threads 1 and 2; `lsb` is its position there.
FaultyBlock::Fault without_two_threads(unsigned entry_bits, unsigned lsb) {
    return [=](const Block &block) {
        const Pin index = PinFinder(block, "test").input("dbg_index", 16);
        const Pin entry = output(block, "dbg_entry", entry_bits, 1);
        entry.bytes()[lsb / 8] &= index.get() == 1 ? 0xf9 : 0xff;
    };
}

TEST(SimtStackDifference, ABlockWithoutAFaultHasNone) {
    const session::LaunchResult result = simt_stack(nothing);
    ASSERT_TRUE(result.completed()) << result.exception;
    EXPECT_EQ(result.stats.lockstep.at("bru").at("JOIN"), (CyclesApart{{0, 3}}));
}

TEST(SimtStackDifference, AWrongMaskOfAnEntryIsReportedAtThePush) {
    EXPECT_EQ(difference(simt_stack(without_two_threads(160, 128))),
              "VBEQ R1, RZ, 0x60: stack[1].mask: model 0xaaaaaaaa, RTL 0xaaaaaaa8 (docs/reconvergence.md, simt_stack)");
}

TEST(SimtStackDifference, AWrongDepthIsReported) {
    EXPECT_EQ(difference(simt_stack([](const Block &block) {
                  const Pin state = output(block, "dbg_state", 32, 6);
                  state.put(state.get(5) == 2 ? 1 : state.get(5), 5);
              })),
              "VBEQ R1, RZ, 0x60: entries of stack: model 0x2, RTL 0x1 (docs/reconvergence.md, simt_stack)");
}

TEST(SimtStackDifference, ASpuriousRpcIsReported) {
    EXPECT_EQ(difference(simt_stack([](const Block &block) { output(block, "dbg_state", 32, 6).put(0x80, 3); })),
              "SETRPC 0x70: rpc: model 0x70, RTL 0x80 (docs/reconvergence.md, simt_stack)");
}

TEST(SimtStackDifference, AMissingRefusalOfArrivalsIsReported) {
    EXPECT_EQ(
        difference(simt_stack([](const Block &block) { output(block, "rsp_refuses", 1, kChannels).clear(); })),
        "VBEQ R1, RZ, 0x60: refuses arrivals at barriers: model 0x1, RTL 0x0 (docs/reconvergence.md, simt_stack)");
}

/// The answers of the class sync report a StackLeak.
void leak(const Block &block) {
    if (output(block, "rsp_valid", 1, kChannels).get(2 * kSubs) != 0) {
        output(block, "rsp_fault", 5, kChannels).put(14, 2 * kSubs);
    }
}

TEST(SimtStackDifference, AnExceptionOfTheStackIsReportedByName) {
    EXPECT_EQ(difference(simt_stack(leak)),
              "JOIN: exception: model none, RTL StackLeak (docs/reconvergence.md, simt_stack)");
}

TEST(SimtStackDifference, AnExceptionOfTheStackShowsTheStateWhereNoModelIsBeside) {
    FaultyRun alone;
    alone.lockstep = false;
    EXPECT_THAT(simt_stack(leak, alone).exception,
                testing::AllOf(testing::StartsWith("StackLeak: kernel 'k'"),
                               testing::HasSubstr("JOIN: pc 0x40, mask 0xaaaaaaaa, rpc 0x70, entries of stack: 1")));
}

TEST(TokenStackDifference, ABlockWithoutAFaultHasNone) {
    const session::LaunchResult result = token_stack(nothing);
    ASSERT_TRUE(result.completed()) << result.exception;
    EXPECT_EQ(result.stats.lockstep.at("bru").at("SYNC"), (CyclesApart{{0, 2}}));
}

TEST(TokenStackDifference, AWrongMaskOfATokenIsReportedAtThePush) {
    EXPECT_EQ(difference(token_stack(without_two_threads(128, 32))),
              "BRA CC.EQ, 0x60: tokens[1].mask: model 0x55555555, RTL 0x55555551 (docs/reconvergence.md, token_stack)");
}

TEST(TokenStackDifference, AWrongLmtIsReported) {
    EXPECT_EQ(difference(token_stack([](const Block &block) {
                  if (PinFinder(block, "test").input("now", 64).get() > 0) {
                      output(block, "dbg_state", 32, 6).put(1, 4);
                  }
              })),
              "SSY 0x80: LMT: model 0x0, RTL 0x1 (docs/reconvergence.md, token_stack)");
}

TEST(TokenStackDifference, FasterSpillingIsCountedAsEarlierAnswers) {
    const session::LaunchResult result = token_stack(
        nothing,
        {.before_edge = [](const Block &block) { PinFinder(block, "test").input("cfg_spill_cycles", 16).put(3); },
         .settings = {"bru.token_stack.depth=1", "bru.token_stack.spill_cycles=30"}});
    ASSERT_TRUE(result.completed()) << result.exception;
    EXPECT_EQ(result.stats.lockstep.at("bru").at("BRA"), (CyclesApart{{-27, 1}})) << "a token goes to memory";
}

} // namespace
} // namespace smsim::cosim
