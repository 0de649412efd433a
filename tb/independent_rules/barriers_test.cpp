// The readings of the barrier unit change what they state and nothing else; their programs in the exploration show the
// consequences.
#include <gtest/gtest.h>

#include "model/error.h"
#include "tb/independent_rules/barriers.h"
#include "tb/unit/bcu/barrier_instructions.h"

namespace smsim::independent_rules {
namespace {

using namespace smsim::test;

bcu::Effect effect_of(Barriers &barriers, std::uint32_t warp, const BarrierCall &call) {
    return std::get<bcu::Effect>(barriers.execute(warp, call.operation()));
}

TEST(BarrierReadings, B4_TheCountLosesItsUpperBits) {
    BarrierCall call = barrier_call(isa::Op::kBarRed, isa::Form::kR, 0);
    call.ids = everywhere(3U | 0x140U << 4);
    Barriers rules({32, 32}, {});
    effect_of(rules, 0, call);
    EXPECT_EQ(rules.state().barrier(BarrierId(3)).expected, 0x140U / kLanes);
    Barriers other({32, 32}, readings_of({"b4"}));
    effect_of(other, 0, call);
    EXPECT_EQ(other.state().barrier(BarrierId(3)).expected, 0x40U / kLanes);
}

TEST(BarrierReadings, B5_TheBarrierIsReadAsItIsNow) {
    for (const bool reading : {false, true}) {
        Barriers barriers({32, 32}, readings_of(reading ? std::vector<std::string>{"b5"} : std::vector<std::string>{}));
        EXPECT_TRUE(effect_of(barriers, 0, bar_red(isa::RedOp::kPopc, 2)).blocked);
        EXPECT_TRUE(effect_of(barriers, 1, bar_red(isa::RedOp::kPopc, 2)).completion);
        effect_of(barriers, 1, bar_sync(2));
        const std::uint32_t now = bcu::pack(barriers.state().barrier(BarrierId(2)));
        const std::uint32_t kept = barriers.state().warp_word(0);
        ASSERT_NE(now, kept);
        EXPECT_EQ(effect_of(barriers, 0, b2r_warp()).value, reading ? now : kept);
    }
}

TEST(BarrierReadings, B6_DiffersFromTheRuleOnlyForAPartialWarp) {
    Barriers full({32, 32}, readings_of({"b6"}));
    EXPECT_TRUE(effect_of(full, 0, bar_sync(0)).blocked);
    EXPECT_TRUE(effect_of(full, 1, bar_sync(0)).completion);
    Barriers partial({32, 5}, readings_of({"b6"}));
    EXPECT_TRUE(effect_of(partial, 0, bar_sync(0)).blocked);
    EXPECT_TRUE(effect_of(partial, 1, bar_sync(0)).blocked);
    EXPECT_THROW(Barriers({5, 32}, readings_of({"b6"})), InputError);
}

} // namespace
} // namespace smsim::independent_rules
