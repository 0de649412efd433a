// Matrix instructions of f64: a chain of fused multiply-adds, each in the rounding mode of the instruction (tensor.md
// 2).
#include <bit>
#include <cfenv>
#include <cmath>

#include "tb/unit/sm/matrix_support.h"

namespace smsim::sm::compute::matrix::test {
namespace {

constexpr std::uint64_t kNan = 0x7fffffffffffffff;

/// The chain for one element, in a rounding mode of the host.
std::uint64_t chain(const std::vector<std::uint64_t> &a, const std::vector<std::uint64_t> &b, std::uint64_t c,
                    isa::Rounding rounding) {
    static constexpr int kModes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    volatile double sum = std::bit_cast<double>(c);
    std::fesetround(kModes[static_cast<unsigned>(rounding)]);
    for (std::size_t i = 0; i < a.size(); ++i) {
        const volatile double x = std::bit_cast<double>(a[i]);
        const volatile double y = std::bit_cast<double>(b[i]);
        sum = std::fma(x, y, sum);
    }
    std::fesetround(FE_TONEAREST);
    const double result = sum;
    return std::isnan(result) ? kNan : std::bit_cast<std::uint64_t>(result);
}

void compare(const MatrixOperation &op, const Operands &operands) {
    const auto d = execute(op, Arithmetic::k8_0, true, operands);
    each_result(op, operands, [&](unsigned, unsigned row, unsigned column, const auto &a, const auto &b) {
        const std::uint64_t expected = chain(a, b, operands.c[0].at(row, column), op.rounding);
        if (!::testing::Test::HasFailure()) {
            EXPECT_EQ(d[0].at(row, column), expected) << name_of(op) << " " << row << " " << column;
        }
    });
}

TEST(MatrixDouble, SumsAreChainsThatBeginWithC) {
    std::mt19937 random(21);
    const auto any = [&] { return std::uint64_t{random()} << 32 | random(); };
    const auto near_one = [&] { return (any() & 0x800fffffffffffff) | std::uint64_t{1020 + random() % 6} << 52; };
    const auto special = [&]() -> std::uint64_t {
        static constexpr std::uint64_t kValues[] = {
            0, 0x8000000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000001, 1, 0x7fefffffffffffff};
        return random() % 6 == 0 ? kValues[random() % 7] : near_one();
    };
    for (const MatrixOperation &op : double_forms()) {
        compare(op, random_operands(op, random, near_one, near_one, near_one));
        compare(op, random_operands(op, random, any, any, any));
        compare(op, random_operands(op, random, special, special, special));
    }
}

TEST(MatrixDouble, TheRoundingModeOfTheHostIsRestored) {
    std::mt19937 random(22);
    const auto one = [] { return std::bit_cast<std::uint64_t>(1.0); };
    MatrixOperation op = double_forms().front();
    op.rounding = isa::Rounding::kRz;
    compare(op, random_operands(op, random, one, one, one));
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

} // namespace
} // namespace smsim::sm::compute::matrix::test
