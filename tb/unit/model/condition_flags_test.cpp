// Condition tests: their results for compared integers and floats, and the rest of the table.
#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "model/state/condition_flags.h"

namespace smsim {
namespace {

using Cc = ConditionTest;

/// The flags of one thread, in lane 0.
ConditionFlags flags(bool z, bool s, bool c, bool o) {
    return {LaneMask(z), LaneMask(s), LaneMask(c), LaneMask(o)};
}

bool passes(Cc test, const ConditionFlags &of) {
    return threads_passing(test, of).test(0);
}

TEST(ConditionTests, OfADifferenceCompareTheIntegers) {
    constexpr std::int32_t kValues[] = {
        std::numeric_limits<std::int32_t>::min(),     std::numeric_limits<std::int32_t>::min() + 1, -2, -1, 0, 1, 2,
        std::numeric_limits<std::int32_t>::max() - 1, std::numeric_limits<std::int32_t>::max()};
    for (const std::int32_t a : kValues) {
        for (const std::int32_t b : kValues) {
            SCOPED_TRACE(std::to_string(a) + " - " + std::to_string(b));
            const auto ua = static_cast<std::uint32_t>(a);
            const auto ub = static_cast<std::uint32_t>(b);
            const std::int64_t exact = std::int64_t{a} - b;
            const auto result = static_cast<std::int32_t>(ua - ub);
            const ConditionFlags of = flags(result == 0, result < 0, ua >= ub, result != exact);
            EXPECT_EQ(passes(Cc::kLt, of), a < b);
            EXPECT_EQ(passes(Cc::kEq, of), a == b);
            EXPECT_EQ(passes(Cc::kLe, of), a <= b);
            EXPECT_EQ(passes(Cc::kGt, of), a > b);
            EXPECT_EQ(passes(Cc::kNe, of), a != b);
            EXPECT_EQ(passes(Cc::kGe, of), a >= b);
            EXPECT_EQ(passes(Cc::kLo, of), ua < ub);
            EXPECT_EQ(passes(Cc::kLs, of), ua <= ub);
            EXPECT_EQ(passes(Cc::kHi, of), ua > ub);
            EXPECT_EQ(passes(Cc::kHs, of), ua >= ub);
        }
    }
}

TEST(ConditionTests, OfAFloatCompareKnowUnordered) {
    struct Case {
        const char *what;
        bool z, s;
        std::uint32_t passing; ///< NUM NAN LT EQ LE GT NE GE LTU EQU LEU GTU NEU GEU, the first is bit 13
    };
    constexpr Case kCases[] = {
        {"less", false, true, 0b10'101010'101010},
        {"equal", true, false, 0b10'011001'011001},
        {"greater", false, false, 0b10'000111'000111},
        {"unordered", true, true, 0b01'000000'111111},
    };
    constexpr Cc kOrder[] = {Cc::kNum, Cc::kNan, Cc::kLt,  Cc::kEq,  Cc::kLe,  Cc::kGt,  Cc::kNe,
                             Cc::kGe,  Cc::kLtu, Cc::kEqu, Cc::kLeu, Cc::kGtu, Cc::kNeu, Cc::kGeu};
    for (const Case &one : kCases) {
        for (unsigned i = 0; i < 14; ++i) {
            EXPECT_EQ(passes(kOrder[i], flags(one.z, one.s, false, false)), ((one.passing >> (13 - i)) & 1U) != 0)
                << one.what << " " << condition_test_name(kOrder[i]);
        }
    }
}

TEST(ConditionTests, OfSingleFlags) {
    for (unsigned bits = 0; bits < 16; ++bits) {
        const ConditionFlags of = flags((bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0);
        EXPECT_FALSE(passes(Cc::kF, of));
        EXPECT_TRUE(passes(Cc::kT, of));
        EXPECT_EQ(passes(Cc::kSft, of), (bits & 2) != 0);
        EXPECT_EQ(passes(Cc::kSff, of), (bits & 2) == 0);
        EXPECT_EQ(passes(Cc::kOft, of), (bits & 8) != 0);
        EXPECT_EQ(passes(Cc::kOff, of), (bits & 8) == 0);
    }
}

TEST(ConditionTests, ComeInPairsOfOpposites) {
    constexpr std::pair<Cc, Cc> kPairs[] = {
        {Cc::kF, Cc::kT},     {Cc::kLt, Cc::kGeu},  {Cc::kEq, Cc::kNeu}, {Cc::kLe, Cc::kGtu},
        {Cc::kGt, Cc::kLeu},  {Cc::kNe, Cc::kEqu},  {Cc::kGe, Cc::kLtu}, {Cc::kNum, Cc::kNan},
        {Cc::kOff, Cc::kOft}, {Cc::kSff, Cc::kSft}, {Cc::kLo, Cc::kHs},  {Cc::kLs, Cc::kHi},
    };
    for (unsigned bits = 0; bits < 16; ++bits) {
        const ConditionFlags of = flags((bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0);
        for (const auto &[test, opposite] : kPairs) {
            EXPECT_NE(passes(test, of), passes(opposite, of)) << condition_test_name(test) << " " << bits;
        }
    }
}

TEST(ConditionTests, AreEvaluatedPerThread) {
    const ConditionFlags of{LaneMask(0x3), LaneMask(0x6), LaneMask(0xc), LaneMask(0x18)};
    EXPECT_EQ(threads_passing(Cc::kEq, of), LaneMask(0x1));
    EXPECT_EQ(threads_passing(Cc::kHi, of), LaneMask(0xc));
    EXPECT_EQ(threads_passing(Cc::kT, of), LaneMask::all());
}

TEST(ConditionTests, AreNumberedAsInTheSourceDocument) {
    constexpr std::string_view kNames[] = {"F",   "LT",  "EQ",  "LE",  "GT",  "NE",  "GE",  "NUM",
                                           "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "T",
                                           "OFF", "LO",  "SFF", "LS",  "HI",  "SFT", "HS",  "OFT"};
    for (unsigned number = 0; number < kConditionTests; ++number) {
        EXPECT_EQ(condition_test_name(static_cast<Cc>(number)), kNames[number]);
    }
}

} // namespace
} // namespace smsim
