// Matrix instructions of integers and single bits, element by element in whole numbers (tensor.md 2).
#include <limits>

#include "tb/unit/sm/matrix_support.h"

namespace smsim::sm::compute::matrix::test {
namespace {

std::int64_t value_of(Element type, std::uint64_t bits) {
    const auto raw = static_cast<std::int64_t>(bits);
    switch (type) {
    case Element::kS8:
        return raw >= 128 ? raw - 256 : raw;
    case Element::kS4:
        return raw >= 8 ? raw - 16 : raw;
    default:
        return raw;
    }
}

std::uint32_t expected_sum(const MatrixOperation &op, std::int64_t dot, std::uint64_t c) {
    const std::int64_t sum = static_cast<std::int32_t>(static_cast<std::uint32_t>(c)) + dot;
    if (!op.saturate) {
        return static_cast<std::uint32_t>(static_cast<std::uint64_t>(sum));
    }
    if (sum > std::numeric_limits<std::int32_t>::max()) {
        return 0x7fffffffU;
    }
    return sum < std::numeric_limits<std::int32_t>::min() ? 0x80000000U : static_cast<std::uint32_t>(sum);
}

/// Elements that are random, all the largest, or the smallest and the largest: the ends of the sums.
template <typename F> void each_kind_of_operands(const MatrixOperation &op, std::mt19937 &random, F f) {
    const unsigned bits = bits_of(op.a);
    const auto any = [&] { return std::uint64_t{random() & ((1U << bits) - 1)}; };
    const auto ends = [&] { return std::uint64_t{random() % 2 == 0 ? 1U << (bits - 1) : (1U << (bits - 1)) - 1}; };
    const auto low = [&] { return std::uint64_t{1U << (bits - 1)}; };
    const auto ones = [&] { return std::uint64_t{(1U << bits) - 1}; };
    const auto any_c = [&] { return std::uint64_t{random()}; };
    const auto end_c = [&] { return std::uint64_t{(random() % 2 == 0 ? 0x80000000U : 0x7fffffffU) ^ random() % 1024}; };
    f(random_operands(op, random, any, any, any_c));
    f(random_operands(op, random, any, any, end_c));
    f(random_operands(op, random, ends, ends, end_c));
    f(random_operands(op, random, low, low, end_c));
    f(random_operands(op, random, ones, ones, end_c));
}

TEST(MatrixInteger, ProductsAreAddedExactlyAndWrapOrAreClamped) {
    std::mt19937 random(11);
    for (const MatrixOperation &op : integer_forms()) {
        each_kind_of_operands(op, random, [&](const Operands &operands) {
            const auto d = execute(op, Arithmetic::k8_0, true, operands);
            each_result(op, operands, [&](unsigned, unsigned row, unsigned column, const auto &a, const auto &b) {
                std::int64_t dot = 0;
                for (std::size_t i = 0; i < a.size(); ++i) {
                    dot += value_of(op.a, a[i]) * value_of(op.b, b[i]);
                }
                const std::uint32_t expected = expected_sum(op, dot, operands.c[0].at(row, column));
                if (!HasFailure()) {
                    EXPECT_EQ(d[0].at(row, column), expected) << name_of(op) << " " << row << " " << column;
                }
            });
        });
    }
}

TEST(MatrixInteger, BitsThatDifferOrAreBothSetAreCounted) {
    std::mt19937 random(12);
    for (const MatrixOperation &op : bit_forms()) {
        each_kind_of_operands(op, random, [&](const Operands &operands) {
            const auto d = execute(op, Arithmetic::k8_0, true, operands);
            each_result(op, operands, [&](unsigned, unsigned row, unsigned column, const auto &a, const auto &b) {
                std::uint32_t sum = static_cast<std::uint32_t>(operands.c[0].at(row, column));
                for (std::size_t i = 0; i < a.size(); ++i) {
                    sum += op.and_not_xor ? (a[i] == 1 && b[i] == 1 ? 1 : 0) : (a[i] != b[i] ? 1 : 0);
                }
                if (!HasFailure()) {
                    EXPECT_EQ(d[0].at(row, column), sum) << name_of(op) << " " << row << " " << column;
                }
            });
        });
    }
}

TEST(MatrixInteger, DMayBeC) {
    std::mt19937 random(13);
    const MatrixOperation op = operation(16, 32, Element::kS8, Element::kU8, Element::kS32, Element::kS32);
    const auto any = [&] { return std::uint64_t{random() & 0xffU}; };
    const auto any_c = [&] { return std::uint64_t{random()}; };
    const Operands operands = random_operands(op, random, any, any, any_c);
    Warp warp(op, operands);
    const auto expected = execute(op, Arithmetic::k8_0, true, operands);
    std::vector<Row *> d;
    for (Row &row : warp.c) {
        d.push_back(&row);
    }
    multiply(op, Arithmetic::k8_0, true, pointers(warp.a).data(), pointers(warp.b).data(), pointers(warp.c).data(),
             nullptr, d.data());
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        for (unsigned i = 0; i < 4; ++i) {
            const Cell cell = ptx_cell_of_c(op, op.d, i, lane);
            EXPECT_EQ(warp.c[i].lane[lane], expected[0].at(cell.row, cell.column));
        }
    }
}

TEST(MatrixInteger, SparseMetadataThatNamesAnElementTwiceUsesItTwice) {
    const MatrixOperation op = operation(16, 32, Element::kS8, Element::kS8, Element::kS32, Element::kS32, true);
    std::mt19937 random(14);
    Operands operands = random_operands(
        op, random, [] { return std::uint64_t{1}; }, [] { return std::uint64_t{0}; }, [] { return std::uint64_t{0}; });
    for (auto &row : operands.nibbles) {
        std::fill(row.begin(), row.end(), 0b0101U);
    }
    operands.b[0].at(1, 3) = 5;
    const auto d = execute(op, Arithmetic::k8_0, true, operands);
    EXPECT_EQ(d[0].at(9, 3), 10U);
    EXPECT_EQ(d[0].at(9, 2), 0U);
}

} // namespace
} // namespace smsim::sm::compute::matrix::test
