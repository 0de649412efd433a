// Condition flags of the threads of a warp, which operations with `.CC` set, and the tests that branches make on them
// (engines.md token_stack, "Condition tests").
#pragma once

#include <cstdint>
#include <string_view>

#include "model/types.h"

namespace smsim {

/// Four flags per thread, each as the set of the threads in which it is set.
struct ConditionFlags {
    LaneMask zero;     ///< Z
    LaneMask sign;     ///< S; of a float compare with Z: unordered
    LaneMask carry;    ///< C: carry, of a subtraction no borrow
    LaneMask overflow; ///< O: of a signed operation

    friend bool operator==(const ConditionFlags &, const ConditionFlags &) = default;
};

/// The tests, numbered as in the instruction word.
enum class ConditionTest : std::uint8_t {
    kF,
    kLt,
    kEq,
    kLe,
    kGt,
    kNe,
    kGe,
    kNum,
    kNan,
    kLtu,
    kEqu,
    kLeu,
    kGtu,
    kNeu,
    kGeu,
    kT,
    kOff,
    kLo,
    kSff,
    kLs,
    kHi,
    kSft,
    kHs,
    kOft,
};
inline constexpr unsigned kConditionTests = static_cast<unsigned>(ConditionTest::kOft) + 1;

/// Name of a test as written after "CC." ("GEU").
std::string_view condition_test_name(ConditionTest test);

/// The threads, of all 32, whose flags pass the test.
LaneMask threads_passing(ConditionTest test, const ConditionFlags &flags);

} // namespace smsim
