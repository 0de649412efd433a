// Meaning of the atomic operations (ATOMS, ATOMG, RED; their order is encoding.md Assembly 6).
#include <bit>

#include <gtest/gtest.h>

#include "model/protocol/atomic.h"

namespace smsim {
namespace {

using isa::AtomicOp;
using isa::AtomicType;
using protocol::atomic_result;

TEST(Atomic, AddWrapsAtTheWidthOfItsType) {
    EXPECT_EQ(atomic_result(AtomicOp::kAdd, AtomicType::kU32, 0xffffffff, 2, 0), 1U);
    EXPECT_EQ(atomic_result(AtomicOp::kAdd, AtomicType::kU64, 0xffffffff, 2, 0), 0x100000001U);
    EXPECT_EQ(atomic_result(AtomicOp::kAdd, AtomicType::kU64, ~0ULL, 2, 0), 1U);
}

TEST(Atomic, AddOfF32IsTheRoundedSumWithSubnormals) {
    const auto bits = [](float value) { return std::uint64_t{std::bit_cast<std::uint32_t>(value)}; };
    EXPECT_EQ(atomic_result(AtomicOp::kAdd, AtomicType::kF32, bits(1.5F), bits(-0.25F), 0), bits(1.25F));
    EXPECT_EQ(atomic_result(AtomicOp::kAdd, AtomicType::kF32, 1, 2, 0), 3U);
    EXPECT_EQ(atomic_result(AtomicOp::kAdd, AtomicType::kF32, bits(16777216.0F), bits(1.0F), 0), bits(16777216.0F));
}

TEST(Atomic, AddOfF64IsTheRoundedSumWithSubnormals) {
    const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
    EXPECT_EQ(atomic_result(AtomicOp::kAdd, AtomicType::kF64, bits(1.5), bits(-0.25), 0), bits(1.25));
    EXPECT_EQ(atomic_result(AtomicOp::kAdd, AtomicType::kF64, 1, 2, 0), 3U);
    EXPECT_EQ(atomic_result(AtomicOp::kAdd, AtomicType::kF64, bits(0x1p53), bits(1), 0), bits(0x1p53));
}

TEST(Atomic, SumThatIsNoNumberIsTheCanonicalNan) {
    EXPECT_EQ(atomic_result(AtomicOp::kAdd, AtomicType::kF32, 0xffc00001, 0, 0), 0x7fffffffU);
    EXPECT_EQ(atomic_result(AtomicOp::kAdd, AtomicType::kF64, 0x7ff0000000000000, 0xfff0000000000000, 0),
              0x7fffffffffffffffU);
}

TEST(Atomic, MinAndMaxCompareByTheSignOfTheType) {
    EXPECT_EQ(atomic_result(AtomicOp::kMin, AtomicType::kU32, 1, 0xffffffff, 0), 1U);
    EXPECT_EQ(atomic_result(AtomicOp::kMin, AtomicType::kS32, 1, 0xffffffff, 0), 0xffffffffU);
    EXPECT_EQ(atomic_result(AtomicOp::kMax, AtomicType::kU64, 1, ~0ULL, 0), ~0ULL);
    EXPECT_EQ(atomic_result(AtomicOp::kMax, AtomicType::kS64, 1, ~0ULL, 0), 1U);
}

TEST(Atomic, IncAndDecWrapAtTheOperand) {
    EXPECT_EQ(atomic_result(AtomicOp::kInc, AtomicType::kU32, 3, 4, 0), 4U);
    EXPECT_EQ(atomic_result(AtomicOp::kInc, AtomicType::kU32, 4, 4, 0), 0U);
    EXPECT_EQ(atomic_result(AtomicOp::kDec, AtomicType::kU32, 3, 4, 0), 2U);
    EXPECT_EQ(atomic_result(AtomicOp::kDec, AtomicType::kU32, 0, 4, 0), 4U);
    EXPECT_EQ(atomic_result(AtomicOp::kDec, AtomicType::kU32, 9, 4, 0), 4U);
}

TEST(Atomic, BitOperationsExchangeAndCompareAndSwap) {
    EXPECT_EQ(atomic_result(AtomicOp::kAnd, AtomicType::kU32, 0xc, 0xa, 0), 0x8U);
    EXPECT_EQ(atomic_result(AtomicOp::kOr, AtomicType::kU32, 0xc, 0xa, 0), 0xeU);
    EXPECT_EQ(atomic_result(AtomicOp::kXor, AtomicType::kU32, 0xc, 0xa, 0), 0x6U);
    EXPECT_EQ(atomic_result(AtomicOp::kExch, AtomicType::kF32, 0xc, 0xa, 0), 0xaU);
    EXPECT_EQ(atomic_result(AtomicOp::kAnd, AtomicType::kU64, 0xc00000000, 0xa00000001, 0), 0x800000000U);
    EXPECT_EQ(atomic_result(AtomicOp::kOr, AtomicType::kU64, 0xc00000000, 0xa00000001, 0), 0xe00000001U);
    EXPECT_EQ(atomic_result(AtomicOp::kXor, AtomicType::kU64, 0xc00000000, 0xa00000001, 0), 0x600000001U);
    EXPECT_EQ(atomic_result(AtomicOp::kExch, AtomicType::kU64, 0xc00000000, 0xa00000001, 0), 0xa00000001U);
    EXPECT_EQ(atomic_result(AtomicOp::kCas, AtomicType::kU32, 7, 9, 7), 9U);
    EXPECT_EQ(atomic_result(AtomicOp::kCas, AtomicType::kU32, 7, 9, 8), 7U);
}

TEST(Atomic, NumbersThatAreNoOperationLeaveTheOldValue) {
    EXPECT_EQ(atomic_result(static_cast<AtomicOp>(99), AtomicType::kU32, 7, 9, 0), 7U);
    EXPECT_EQ(atomic_result(AtomicOp::kMax, AtomicType::kF32, 7, 9, 0), 7U);
}

} // namespace
} // namespace smsim
