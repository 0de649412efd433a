// Matrix instructions of f16, bf16, tf32 and fp8 compared with the oracle: every form, every arithmetic, operands of
// all kinds.
#include "tb/unit/sm/matrix_oracle.h"
#include "tb/unit/sm/matrix_support.h"

namespace smsim::sm::compute::matrix::test {
namespace {

constexpr Arithmetic kGenerations[] = {Arithmetic::k7_0, Arithmetic::k7_5, Arithmetic::k8_0, Arithmetic::k8_9,
                                       Arithmetic::k9_0};

/// Kinds of operands: what they are to provoke.
enum class Kind : std::uint8_t { kNearOne, kAny, kSubnormal, kLarge, kCancelling, kZeros, kSpecial, kTies };
constexpr Kind kKinds[] = {Kind::kNearOne,    Kind::kAny,   Kind::kSubnormal, Kind::kLarge,
                           Kind::kCancelling, Kind::kZeros, Kind::kSpecial,   Kind::kTies};

/// Random numbers of a format.
class Source {
  public:
    Source(Element type, Kind kind, std::mt19937 &random)
        : format_(oracle_format(type)), kind_(kind), random_(&random) {}

    std::uint64_t operator()() {
        const int highest = (1 << format_.exponent_bits) - (format_.infinity ? 2 : 1);
        switch (kind_) {
        case Kind::kNearOne:
        case Kind::kCancelling:
            return number(format_.bias() - 4, format_.bias() + 3);
        case Kind::kAny:
            return number(0, highest);
        case Kind::kSubnormal:
            return number(0, draw(4) == 0 ? format_.bias() : 2);
        case Kind::kLarge:
            return number(highest - 2, highest);
        case Kind::kZeros:
            return draw(6) != 0 ? zero() : number(0, highest);
        case Kind::kSpecial:
            return draw(24) != 0 ? number(format_.bias() - 3, highest) : special();
        case Kind::kTies:
            break;
        }
        // Powers of two and their neighbours: sums that lie in the middle of two numbers.
        const std::uint64_t one = number(format_.bias() - 14, format_.bias()) & ~low_bits();
        return draw(4) == 0 ? one | 1ULL << format_.low : one;
    }

  private:
    unsigned draw(unsigned below) { return static_cast<unsigned>((*random_)() % below); }
    std::uint64_t low_bits() const { return (1ULL << (format_.fraction_bits + format_.low)) - 1; }
    std::uint64_t sign() { return std::uint64_t{draw(2)} << (format_.width() + format_.low - 1); }
    std::uint64_t zero() { return sign() | (format_.low != 0 ? draw(1U << 13) : 0); }
    std::uint64_t number(int from, int to) {
        const int highest = (1 << format_.exponent_bits) - (format_.infinity ? 2 : 1);
        from = std::max(from, 0);
        to = std::min(to, highest);
        const auto field = static_cast<std::uint64_t>(from) + draw(static_cast<unsigned>(to - from + 1));
        std::uint64_t bits = sign() | field << (format_.fraction_bits + format_.low) | ((*random_)() & low_bits());
        if (!format_.infinity && number_of(format_, bits).kind == Number::Kind::kNan) {
            bits ^= 1;
        }
        return bits;
    }
    std::uint64_t special() {
        const std::uint64_t ones = (1ULL << format_.exponent_bits) - 1;
        const std::uint64_t infinity = sign() | ones << (format_.fraction_bits + format_.low);
        switch (draw(format_.infinity ? 4 : 2)) {
        case 0:
            return zero();
        case 1:
            return infinity | low_bits();
        default:
            return infinity;
        }
    }

    OracleFormat format_;
    Kind kind_;
    std::mt19937 *random_;
};

/// Operands of a kind. With kCancelling every second product is the opposite of the one before, with rare differences.
Operands operands_of(const MatrixOperation &op, Kind kind, std::mt19937 &random) {
    const Kind of_c = kind == Kind::kCancelling ? (random() % 2 == 0 ? Kind::kZeros : Kind::kSubnormal) : kind;
    Operands operands =
        random_operands(op, random, Source(op.a, kind, random), Source(op.b, kind, random), Source(op.c, of_c, random));
    if (kind != Kind::kCancelling || op.sparse) {
        return operands;
    }
    for (unsigned product = 0; product < 4; ++product) {
        for (unsigned i = 0; i < op.k; i += 2) {
            for (unsigned row = 0; row < op.m; ++row) {
                const std::uint64_t differs = random() % 4 == 0 ? 1ULL << oracle_format(op.a).low : 0;
                operands.a[product].at(row, i + 1) =
                    operands.a[product].at(row, i) ^ 1ULL << (bits_of(op.a) - 1) ^ differs;
            }
            for (unsigned column = 0; column < op.n; ++column) {
                operands.b[product].at(i + 1, column) = operands.b[product].at(i, column);
            }
        }
    }
    return operands;
}

/// Compares all results; says the first differences only.
void compare(const MatrixOperation &op, Arithmetic arithmetic, bool zero_terms, const Operands &operands) {
    const auto d = execute(op, arithmetic, zero_terms, operands);
    each_result(op, operands, [&](unsigned product, unsigned row, unsigned column, const auto &a, const auto &b) {
        const auto c = static_cast<std::uint32_t>(operands.c[product].at(row, column));
        const std::uint32_t expected = oracle_dot(op, arithmetic, zero_terms, a, b, c);
        if (!::testing::Test::HasFailure()) {
            ASSERT_EQ(d[product].at(row, column), expected)
                << std::hex << name_of(op) << ", arithmetic " << static_cast<unsigned>(arithmetic) << ", zero terms "
                << zero_terms << ", product " << product << ", row " << row << ", column " << column << ", c " << c;
        }
    });
}

TEST(MatrixFloat, EveryFormSumsInTheBlocksOfItsGeneration) {
    std::mt19937 random(1);
    for (const MatrixOperation &op : float_forms()) {
        for (const Arithmetic arithmetic : kGenerations) {
            for (const Kind kind : kKinds) {
                compare(op, arithmetic, random() % 2 == 0, operands_of(op, kind, random));
            }
        }
        ASSERT_FALSE(HasFailure());
    }
}

TEST(MatrixFloat, ExactSumsAreRoundedOnce) {
    std::mt19937 random(2);
    for (const MatrixOperation &op : float_forms()) {
        for (const Kind kind : kKinds) {
            compare(op, Arithmetic::kExact, true, operands_of(op, kind, random));
        }
        ASSERT_FALSE(HasFailure());
    }
}

TEST(MatrixFloat, MostUsedFormsHoldForManyOperands) {
    std::mt19937 random(3);
    for (const Element d : {Element::kF16, Element::kF32}) {
        const MatrixOperation op = operation(16, 16, Element::kF16, Element::kF16, d, d);
        for (unsigned i = 0; i < 40; ++i) {
            for (const Kind kind : kKinds) {
                compare(op, kGenerations[2 + random() % 3], random() % 2 == 0, operands_of(op, kind, random));
            }
        }
    }
}

/// A product of 1 x 1 matrices, so to speak: row 0 of A, column 0 of B.
std::uint32_t dot(const MatrixOperation &op, Arithmetic arithmetic, bool zero_terms, const std::vector<unsigned> &a,
                  const std::vector<unsigned> &b, std::uint32_t c) {
    std::mt19937 random(0);
    const auto zero = [] { return std::uint64_t{0}; };
    Operands operands = random_operands(op, random, zero, zero, zero);
    for (unsigned i = 0; i < a.size(); ++i) {
        operands.a[0].at(0, i) = a[i];
        operands.b[0].at(i, 0) = b[i];
    }
    operands.c[0].at(0, 0) = c;
    return static_cast<std::uint32_t>(execute(op, arithmetic, zero_terms, operands)[0].at(0, 0));
}

constexpr unsigned kOne = 0x3c00; // f16

const MatrixOperation kToF32 = operation(16, 16, Element::kF16, Element::kF16, Element::kF32, Element::kF32);
const MatrixOperation kToF16 = operation(16, 16, Element::kF16, Element::kF16, Element::kF16, Element::kF16);

TEST(MatrixFloat, TermsAreCutBelowTheKeptBits) {
    // 2^23 and four quarters, of which a unit of 1/4 keeps all and a unit of 1/2 none.
    const std::vector<unsigned> a{0x6800, 0x3800, 0x3800, 0x3800, 0x3800}; // 2^11, 1/2
    std::vector<unsigned> b{0x6c00, 0x3800, 0x3800, 0x3800, 0x3800};       // 2^12, 1/2
    EXPECT_EQ(dot(kToF32, Arithmetic::k9_0, true, a, b, 0), 0x4b000001U);
    EXPECT_EQ(dot(kToF32, Arithmetic::k8_0, true, a, b, 0), 0x4b000000U);
    EXPECT_EQ(dot(kToF32, Arithmetic::kExact, true, a, b, 0), 0x4b000001U);
    // Two halves.
    b = {0x6c00, kOne, kOne, 0, 0};
    EXPECT_EQ(dot(kToF32, Arithmetic::k8_0, true, a, b, 0), 0x4b000001U);
    EXPECT_EQ(dot(kToF32, Arithmetic::k7_0, true, a, b, 0), 0x4b000000U);
}

TEST(MatrixFloat, ASumThatIsExactlyZeroIsPositive) {
    for (const Arithmetic arithmetic : {Arithmetic::k7_0, Arithmetic::k8_0, Arithmetic::k9_0, Arithmetic::kExact}) {
        EXPECT_EQ(dot(kToF32, arithmetic, true, {kOne, kOne}, {kOne, 0xbc00}, 0x80000000), 0U);
        EXPECT_EQ(dot(kToF32, arithmetic, true, {0x8000}, {0}, 0x80000000), 0U);
        EXPECT_EQ(dot(kToF16, arithmetic, true, {0x8000}, {0}, 0x8000), 0U);
    }
}

TEST(MatrixFloat, LargeResultsAreInfinite) {
    // 240 * 256 + 4096 = 65536; 65504 + 8 rounds down, 65504 + 16 up.
    EXPECT_EQ(dot(kToF16, Arithmetic::k8_0, true, {0x5b80, kOne}, {0x5c00, 0x6c00}, 0), 0x7c00U);
    EXPECT_EQ(dot(kToF16, Arithmetic::k9_0, true, {0x4800}, {kOne}, 0x7bff), 0x7bffU);
    EXPECT_EQ(dot(kToF16, Arithmetic::k9_0, true, {0x4c00}, {kOne}, 0x7bff), 0x7c00U);
    // bf16: 2^127 + 2^127.
    const MatrixOperation bf16 = operation(16, 16, Element::kBf16, Element::kBf16, Element::kF32, Element::kF32);
    EXPECT_EQ(dot(bf16, Arithmetic::k9_0, true, {0x7f00, 0x7f00}, {0x3f80, 0x3f80}, 0), 0x7f800000U);
    EXPECT_EQ(dot(bf16, Arithmetic::k9_0, true, {0x7f00}, {0xbf80}, 0xff7fffff), 0xff800000U);
}

TEST(MatrixFloat, InfinitiesAndNans) {
    constexpr unsigned kInfinity = 0x7c00;
    EXPECT_EQ(dot(kToF32, Arithmetic::k8_0, true, {kInfinity}, {0xbc00}, 0), 0xff800000U);
    EXPECT_EQ(dot(kToF32, Arithmetic::k8_0, true, {kInfinity}, {0}, 0), 0x7fffffffU);
    EXPECT_EQ(dot(kToF32, Arithmetic::k8_0, true, {kInfinity, kInfinity}, {kOne, 0xbc00}, 0), 0x7fffffffU);
    EXPECT_EQ(dot(kToF32, Arithmetic::k8_0, true, {kInfinity}, {kOne}, 0xff800000), 0x7fffffffU);
    EXPECT_EQ(dot(kToF32, Arithmetic::k8_0, true, {0xfe01}, {kOne}, 0), 0x7fffffffU);
    EXPECT_EQ(dot(kToF16, Arithmetic::k8_0, true, {0xfe01}, {kOne}, 0), 0x7fffU);
    EXPECT_EQ(dot(kToF32, Arithmetic::k8_0, true, {kOne}, {kOne}, 0xffc00001), 0x7fffffffU);
    EXPECT_EQ(dot(kToF32, Arithmetic::k8_0, true, {kOne}, {kOne}, 0xff800000), 0xff800000U);
}

TEST(MatrixFloat, ZeroTermsLimitTheUnitOfF16Sums) {
    // 2^-25 + 2^-48 rounds up to 2^-24 unless the second term is cut off, which 8.0 does: its unit is 2^-44 at least.
    const std::vector<unsigned> a{0x0c00, 0x0001}; // 2^-12, 2^-24
    const std::vector<unsigned> b{0x0800, 0x0001}; // 2^-13, 2^-24
    EXPECT_EQ(dot(kToF16, Arithmetic::k8_0, false, a, b, 0), 1U);
    EXPECT_EQ(dot(kToF16, Arithmetic::k8_0, true, a, b, 0), 0U);
}

TEST(MatrixFloat, SatfiniteOfOldPtxLeavesNoInfinity) {
    MatrixOperation op = kToF32;
    op.saturate = true;
    EXPECT_EQ(dot(op, Arithmetic::k7_0, true, {0x7c00}, {0xbc00}, 0), 0xff7fffffU);
    EXPECT_EQ(dot(op, Arithmetic::k7_0, true, {0x7c00}, {0}, 0), 0U);
    op = kToF16;
    op.saturate = true;
    EXPECT_EQ(dot(op, Arithmetic::k7_0, true, {0x7bff}, {0x7bff}, 0), 0x7bffU);
    EXPECT_EQ(dot(op, Arithmetic::k7_0, true, {0x7fff}, {0xbc00}, 0), 0U);
}

TEST(MatrixFloat, DMayBeAnyOfTheSources) {
    std::mt19937 random(5);
    for (const MatrixOperation &op : float_forms()) {
        const Operands operands = operands_of(op, Kind::kNearOne, random);
        Warp apart(op, operands);
        Registers expected(registers_of_d(op));
        const auto run = [&](const Warp &warp, Registers &d) {
            std::vector<Row *> to;
            for (unsigned i = 0; i < registers_of_d(op); ++i) {
                to.push_back(&d.at(i));
            }
            multiply(op, Arithmetic::k8_0, true, pointers(warp.a).data(), pointers(warp.b).data(),
                     pointers(warp.c).data(), &warp.metadata, to.data());
        };
        run(apart, expected);
        for (Registers Warp::*shared : {&Warp::a, &Warp::b, &Warp::c}) {
            Warp warp(op, operands);
            Registers &d = warp.*shared;
            d.reserve(16);
            d.resize(std::max<std::size_t>(d.size(), registers_of_d(op)));
            run(warp, d);
            for (unsigned i = 0; i < registers_of_d(op); ++i) {
                for (unsigned lane = 0; lane < kLanes; ++lane) {
                    ASSERT_EQ(d[i].lane[lane], expected[i].lane[lane]) << name_of(op);
                }
            }
        }
    }
}

} // namespace
} // namespace smsim::sm::compute::matrix::test
