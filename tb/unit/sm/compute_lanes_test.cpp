// VOTE, MATCH, REDUX and SHFL: only the executed lanes take part.
#include <algorithm>

#include "tb/unit/sm/compute_support.h"

namespace smsim::sm::compute::test {
namespace {

constexpr std::uint32_t kSome[] = {0xffffffff, 0x5a5a1234, 0x00010000, 0x80000001};

TEST(ComputeVote, BallotAndOutcomeOfTheExecutedLanes) {
    for (const std::uint32_t mask : kSome) {
        for (const std::uint32_t votes : {0x00000000U, 0xffffffffU, 0x5a5a1234U, 0x00010000U, 0xa5a5edcbU}) {
            for (const bool negated : {false, true}) {
                const std::uint32_t ballot = (negated ? ~votes : votes) & mask;
                const bool outcomes[] = {ballot == mask, ballot != 0, ballot == mask || ballot == 0};
                for (unsigned mode = 0; mode < 3; ++mode) {
                    Warp warp;
                    warp.regs.set_predicate(1, LaneMask(votes), LaneMask::all());
                    Instruction insn = make(Op::kVote, Form::kX);
                    insn.mod[0] = static_cast<std::uint8_t>(mode);
                    insn.rd = 3;
                    insn.pu = 2;
                    insn.pp = 1;
                    insn.pp_not = negated;
                    warp.run(insn, LaneMask(mask));
                    for (unsigned lane = 0; lane < kLanes; ++lane) {
                        EXPECT_EQ(warp.regs.value(3, lane), ((mask >> lane) & 1U) != 0 ? ballot : 0);
                    }
                    EXPECT_EQ(warp.regs.predicate(2), LaneMask(outcomes[mode] ? mask : 0));
                }
            }
        }
    }
}

TEST(ComputeMatch, AnyGivesTheLanesOfTheSameValueAndAllTheirAgreement) {
    for (const std::uint32_t mask : kSome) {
        for (const bool wide : {false, true}) {
            for (const unsigned kinds : {1U, 3U, 32U}) {
                Warp warp;
                const auto value = [&](unsigned lane) {
                    return (std::uint64_t{lane % kinds} << 32) | (wide ? 7 : lane % kinds);
                };
                for (unsigned lane = 0; lane < kLanes; ++lane) {
                    warp.regs.set_pair(4, lane, value(lane));
                }
                Instruction insn = make(Op::kMatch, Form::kR);
                insn.mod = {wide, 0};
                insn.ra = 4;
                insn.rd = 6;
                insn.pu = 2;
                warp.run(insn, LaneMask(mask));
                bool all_equal = true;
                for (unsigned lane = 0; lane < kLanes; ++lane) {
                    std::uint32_t same = 0;
                    for (unsigned other = 0; other < kLanes; ++other) {
                        same |= static_cast<std::uint32_t>(value(other) == value(lane)) << other;
                    }
                    const bool executed = ((mask >> lane) & 1U) != 0;
                    EXPECT_EQ(warp.regs.value(6, lane), executed ? same & mask : 0);
                    all_equal = all_equal && (!executed || (same & mask) == mask);
                }
                EXPECT_EQ(warp.regs.predicate(2), LaneMask(all_equal ? mask : 0));
                insn.mod[1] = 1;
                warp.run(insn, LaneMask(mask));
                EXPECT_EQ(warp.regs.value(6, LaneMask(mask).lowest()), all_equal ? mask : 0);
                EXPECT_EQ(warp.regs.predicate(2), LaneMask(all_equal ? mask : 0));
            }
        }
    }
}

TEST(ComputeRedux, EveryOperationOverTheExecutedLanes) {
    std::mt19937_64 random(3);
    for (const std::uint32_t mask : kSome) {
        for (unsigned how = 0; how < 6; ++how) {
            for (const bool is_signed : {false, true}) {
                Warp warp;
                warp.fill(4, [&](unsigned) { return static_cast<std::uint32_t>(random()); });
                const auto fold = [&](auto f) {
                    std::optional<std::int64_t> total;
                    for_each_lane(LaneMask(mask), [&](unsigned lane) {
                        const std::uint32_t bits = warp.regs.value(4, lane);
                        const std::int64_t v =
                            is_signed ? std::int64_t{static_cast<std::int32_t>(bits)} : std::int64_t{bits};
                        total = total.has_value() ? f(*total, v) : v;
                    });
                    return total.value_or(0);
                };
                const std::int64_t results[] = {fold(std::plus<>()),
                                                fold([](std::int64_t x, std::int64_t y) { return std::min(x, y); }),
                                                fold([](std::int64_t x, std::int64_t y) { return std::max(x, y); }),
                                                fold(std::bit_and<>()),
                                                fold(std::bit_or<>()),
                                                fold(std::bit_xor<>())};
                Instruction insn = make(Op::kRedux, Form::kR);
                insn.mod = {static_cast<std::uint8_t>(how), is_signed};
                insn.ra = 4;
                insn.rd = 5;
                warp.run(insn, LaneMask(mask));
                for (unsigned lane = 0; lane < kLanes; ++lane) {
                    EXPECT_EQ(warp.regs.value(5, lane),
                              ((mask >> lane) & 1U) != 0 ? static_cast<std::uint32_t>(results[how]) : 0);
                }
            }
        }
    }
}

/// The source lane and range predicate, from the pseudo-code of PTX shfl.
std::pair<int, bool> shuffle_source(unsigned mode, int lane, std::uint32_t b, std::uint32_t c) {
    const int bval = static_cast<int>(b & 31U);
    const int cval = static_cast<int>(c & 31U);
    const int mask = static_cast<int>((c >> 8) & 31U);
    const int max_lane = (lane & mask) | (cval & ~mask);
    const int min_lane = lane & mask;
    int j = 0;
    bool p = false;
    if (mode == 1) {
        j = lane - bval;
        p = j >= max_lane;
    } else if (mode == 2) {
        j = lane + bval;
        p = j <= max_lane;
    } else if (mode == 3) {
        j = lane ^ bval;
        p = j <= max_lane;
    } else {
        j = min_lane | (bval & ~mask);
        p = j <= max_lane;
    }
    return {p ? j : lane, p};
}

TEST(ComputeShfl, FourModesWithClampAndSegmentsInEveryForm) {
    std::mt19937_64 random(5);
    constexpr std::uint32_t kControls[] = {0x001f, 0x0000, 0x1c1f, 0x181f, 0x1807, 0x1e1f, 0x0010, 0xffff};
    for (unsigned mode = 0; mode < 4; ++mode) {
        for (const Form form : {Form::kR, Form::kI, Form::kRri, Form::kRir}) {
            for (const std::uint32_t control : kControls) {
                for (const std::uint32_t mask : kSome) {
                    Warp warp;
                    const auto immediate = static_cast<std::uint32_t>(random() % 32);
                    Instruction insn = make(Op::kShfl, form);
                    insn.mod[0] = static_cast<std::uint8_t>(mode);
                    insn.rd = 4;
                    insn.ra = 1;
                    insn.rb = 2;
                    insn.rc = 3;
                    insn.pu = 0;
                    const bool lane_immediate = form == Form::kI || form == Form::kRir;
                    const bool control_immediate = form == Form::kI || form == Form::kRri;
                    insn.imm = lane_immediate ? immediate : 0;
                    insn.imm2 = control_immediate ? control & 0x1fff : 0;
                    warp.fill(1, [](unsigned lane) { return 1000 + lane; });
                    warp.fill(2, [&](unsigned) { return static_cast<std::uint32_t>(random()); });
                    warp.fill(3, [&](unsigned lane) { return lane % 2 != 0 ? control : 0x001fU; });
                    warp.run(insn, LaneMask(mask));
                    for (unsigned lane = 0; lane < kLanes; ++lane) {
                        const bool executed = ((mask >> lane) & 1U) != 0;
                        const auto [from, in_range] = shuffle_source(
                            mode, static_cast<int>(lane), lane_immediate ? immediate : warp.regs.value(2, lane),
                            control_immediate ? control : warp.regs.value(3, lane));
                        // A source that does not execute gives the lane its own value.
                        const unsigned source = ((mask >> from) & 1U) != 0 ? static_cast<unsigned>(from) : lane;
                        ASSERT_EQ(warp.regs.value(4, lane), executed ? 1000 + source : 0);
                        ASSERT_EQ(warp.regs.predicate(0).test(lane), executed && in_range);
                    }
                }
            }
        }
    }
}

TEST(ComputeShfl, DestinationMayBeTheSource) {
    Warp warp;
    Instruction insn = make(Op::kShfl, Form::kI);
    insn.mod[0] = static_cast<std::uint8_t>(isa::Shuffle::kBfly);
    insn.rd = 1;
    insn.ra = 1;
    insn.imm = 31;
    insn.imm2 = 0x1f;
    warp.fill(1, [](unsigned lane) { return lane; });
    warp.run(insn);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        EXPECT_EQ(warp.regs.value(1, lane), 31 - lane);
    }
}

TEST(ComputeMovm, TransposesTheMatrixAlsoInItsOwnRegister) {
    Warp warp;
    Instruction insn = make(Op::kMovm, Form::kR);
    insn.ra = 1;
    warp.fill(1, [](unsigned lane) { return 2 * lane | (2 * lane + 1) << 16; }); // element (r, c) is 8 r + c
    for (const std::uint8_t destination : {std::uint8_t{2}, std::uint8_t{1}}) {
        insn.rd = destination;
        warp.run(insn);
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            const unsigned row = lane / 4;
            const unsigned column = 2 * (lane % 4);
            EXPECT_EQ(warp.regs.value(destination, lane), (8 * column + row) | (8 * column + 8 + row) << 16);
        }
    }
}

TEST(ComputeMovm, TakesAllThreads) {
    Warp warp;
    Instruction insn = make(Op::kMovm, Form::kR);
    insn.ra = 1;
    insn.rd = 2;
    const auto fault = warp.execute(insn, LaneMask(0x7fffffff));
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->fault, Fault::kMatrixDiverged);
    EXPECT_FALSE(warp.execute(insn, LaneMask())) << "by no thread it is not executed";
}

} // namespace
} // namespace smsim::sm::compute::test
