// The state word of bcu.md B-1: position of every field, and unpacking of words that no barrier can produce.
#include <gtest/gtest.h>

#include "bcu/barrier.h"

namespace smsim::bcu {
namespace {

TEST(StateWord, Bcu_B1_EveryFieldHasItsPlace) {
    EXPECT_EQ(pack({.arrived = 127, .kind = BarrierKind::kSync}), 0x0000'407fU);
    EXPECT_EQ(pack({.expected = 127, .kind = BarrierKind::kSync}), 0x0000'7f80U);
    EXPECT_EQ(pack({.kind = BarrierKind::kRed}), 0x0000'8000U);
    EXPECT_EQ(pack({.kind = BarrierKind::kRed, .redop = isa::RedOp::kOr}), 0x0001'8000U);
    EXPECT_EQ(pack({.kind = BarrierKind::kRed, .redop = isa::RedOp::kAnd, .logical = true}), 0x0004'8000U);
    EXPECT_EQ(pack({.kind = BarrierKind::kRed, .redop = isa::RedOp::kPopc, .population = kMaxPopulation}),
              0xfffa'8000U);
}

TEST(StateWord, UnpackIsTheInverseOfPack) {
    const BarrierState states[] = {
        {},
        {3, 64, BarrierKind::kSync, isa::RedOp::kAnd, false, 0},
        {1, 0, BarrierKind::kRed, isa::RedOp::kAnd, true, 0},
        {126, 127, BarrierKind::kRed, isa::RedOp::kOr, true, 0},
        {64, 64, BarrierKind::kRed, isa::RedOp::kPopc, false, 2048},
    };
    for (const BarrierState &state : states) {
        EXPECT_EQ(unpack(pack(state)), state) << std::hex << pack(state);
    }
}

TEST(StateWord, FinePoints_AnIdleBarrierReadsZero) {
    EXPECT_EQ(pack({.arrived = 5, .expected = 7, .kind = BarrierKind::kIdle}), 0U);
    EXPECT_EQ(pack(*unpack(0xffff'3fff)), 0U);
}

TEST(StateWord, FinePoints_UpperHalfIsZeroForSync) {
    EXPECT_EQ(pack(*unpack(0xffff'4182)), 0x0000'4182U);
}

TEST(StateWord, ResultFieldsOfOtherReductionsAreDropped) {
    EXPECT_EQ(pack(*unpack(0xfffc'8001)), 0x0004'8001U); // AND keeps bit 18 only
    EXPECT_EQ(pack(*unpack(0xfffe'8001)), 0xfffa'8001U); // POPC keeps bits 19..31 only
}

TEST(StateWord, AKindOrReductionThatDoesNotExistIsRefused) {
    EXPECT_EQ(unpack(0x0000'c000), std::nullopt);
    EXPECT_EQ(unpack(0x0003'8000), std::nullopt);
}

} // namespace
} // namespace smsim::bcu
