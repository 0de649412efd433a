// Quotients, reciprocals and roots of compiled PTX rounded to nearest, compared with those of the host: all fractions
// of single precision, many of double precision, and those next to the middle of two results, where the arguments of
// ptx/select/float_double.cpp are close. Executed functionally: the values are the same, and millions take seconds.
#include <bit>
#include <cmath>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "tb/unit/ptx/run_support.h"

namespace smsim::ptx::tb {
namespace {

constexpr unsigned kBlock = 256;
constexpr int kDigits = 52; ///< of the fraction of a double

template <typename Real> using Word = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;

launch::Argument buffer(const std::string &name, launch::ElementType type, std::size_t count, launch::Init init = {}) {
    launch::Argument argument;
    argument.name = name;
    argument.type = type;
    argument.is_buffer = true;
    argument.count = count;
    argument.init = std::move(init);
    return argument;
}

/// The instruction `name` on the elements of two buffers, as bits; those of one source leave out the second.
template <typename Real>
std::vector<Word<Real>> run(const std::string &name, std::size_t count, const launch::Init &a, const launch::Init &b) {
    constexpr unsigned kBytes = sizeof(Real);
    const std::string text = fmt::format(R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 out)
{{
    .reg .b32 %r<4>;
    .reg .b64 %rd<8>;
    .reg .f{0} %f<4>;
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %ctaid.x;
    mad.lo.u32 %r2, %r1, {1}, %r0;
    mul.wide.u32 %rd0, %r2, {2};
    ld.param.u64 %rd1, [a];
    ld.param.u64 %rd2, [b];
    ld.param.u64 %rd3, [out];
    add.u64 %rd4, %rd1, %rd0;
    add.u64 %rd5, %rd2, %rd0;
    add.u64 %rd6, %rd3, %rd0;
    ld.global.f{0} %f0, [%rd4];
    ld.global.f{0} %f1, [%rd5];
    {3} %f2, %f0{4};
    st.global.f{0} [%rd6], %f2;
    ret;
}}
)",
                                         8 * kBytes, kBlock, kBytes, name, name.starts_with("div") ? ", %f1" : "");
    const Config config;
    const Program program = compile(text, "test.ptx", timing::SchedulingModel(config), {});
    const auto type = kBytes == 4 ? launch::ElementType::kU32 : launch::ElementType::kU64;
    const std::size_t ctas = (count + kBlock - 1) / kBlock;
    launch::Launch launch;
    launch.block = {kBlock, 1, 1};
    launch.grid = {static_cast<std::uint32_t>(ctas), 1, 1};
    launch.arguments = {buffer("a", type, ctas * kBlock, a), buffer("b", type, ctas * kBlock, b),
                        buffer("out", type, ctas * kBlock)};
    session::Options options;
    options.timed = session::TimedCtas::none();
    const session::SimulationResult result =
        session::simulate(config, program, *program.find_kernel("k"), launch, options);
    EXPECT_EQ(result.exception, "");
    std::vector<Word<Real>> out(count);
    std::memcpy(out.data(), result.buffers.at(2).data(), kBytes * count);
    return out;
}

template <typename Real> Real of_host(const std::string &name, Real a, Real b) {
    return name.starts_with("div") ? a / b : name.starts_with("rcp") ? 1 / a : std::sqrt(a);
}

/// `got` is what the host computes; all NaNs are the one of the model.
template <typename Real> void expect_result(const std::string &name, Word<Real> a, Word<Real> b, Word<Real> got) {
    const Real expected = of_host(name, std::bit_cast<Real>(a), std::bit_cast<Real>(b));
    const auto bits =
        std::isnan(expected) ? static_cast<Word<Real>>(~Word<Real>{0} >> 1) : std::bit_cast<Word<Real>>(expected);
    ASSERT_EQ(got, bits) << fmt::format("{} a {:#x} b {:#x}", name, a, b);
}

/// The instruction on `count` numbers from the one with the bits `first` on.
void check_all_from(const std::string &name, std::uint32_t first, std::uint32_t count) {
    const launch::Pattern all{std::uint64_t{first}, std::uint64_t{1}};
    const std::vector<std::uint32_t> got = run<float>(name, count, all, launch::Zeros{});
    for (std::uint32_t i = 0; i < count; ++i) {
        ASSERT_NO_FATAL_FAILURE(expect_result<float>(name, first + i, 0, got[i]));
    }
}

struct Operands {
    std::vector<std::uint64_t> a;
    std::vector<std::uint64_t> b;

    void add(std::uint64_t x, std::uint64_t y) {
        a.push_back(x);
        b.push_back(y);
    }
};

template <typename Real> void check(const std::string &name, const Operands &operands) {
    const auto values = [](const std::vector<std::uint64_t> &bits) {
        launch::Values list;
        list.values.assign(bits.begin(), bits.end());
        list.values.resize((bits.size() + kBlock - 1) / kBlock * kBlock, std::uint64_t{0});
        return list;
    };
    const auto got = run<Real>(name, operands.a.size(), values(operands.a), values(operands.b));
    for (std::size_t i = 0; i < got.size(); ++i) {
        const auto a = static_cast<Word<Real>>(operands.a[i]);
        ASSERT_NO_FATAL_FAILURE(expect_result<Real>(name, a, static_cast<Word<Real>>(operands.b[i]), got[i]));
    }
}

/// Bits of numbers whose fractions are random, or have a run of zeros or ones at an end.
class Numbers {
  public:
    explicit Numbers(std::uint64_t seed) : seed_(seed) {}

    std::uint64_t word() { return launch::random_word(seed_, index_++); }

    /// A fraction of `digits` bits.
    std::uint64_t fraction(unsigned digits) {
        const std::uint64_t all = (std::uint64_t{1} << digits) - 1;
        const std::uint64_t random = word() & all;
        const std::uint64_t kind = word();
        const std::uint64_t end = all >> (kind >> 8) % (digits + 1);
        switch (kind % 6) {
        case 0:
            return random & end;
        case 1:
            return all - (random & end);
        case 2:
            return random & ~end;
        case 3:
            return all - end;
        case 4:
            return end;
        default:
            return random;
        }
    }

    /// Any float, also those without a fraction; most exponents near 0.
    std::uint64_t single() {
        const std::uint64_t kind = word();
        const std::uint64_t exponent = kind % 4 == 0 ? (kind >> 8) % 256 : 127 - 64 + (kind >> 8) % 128;
        return (kind >> 63) << 31 | exponent << 23 | fraction(23);
    }
    /// Any double, exponents anywhere, near 0 or near the ends of the range of the usual way.
    std::uint64_t twofold() {
        constexpr std::uint64_t kEnds[] = {0,   1,    2,    53,   54,   55,   512,  513,
                                           514, 1532, 1533, 1534, 2044, 2045, 2046, 2047};
        const std::uint64_t kind = word();
        const std::uint64_t rest = kind >> 8;
        const std::uint64_t exponent = kind % 4 == 0   ? rest % 2048
                                       : kind % 4 == 1 ? kEnds[rest % 16]
                                                       : 900 + rest % 250;
        return (kind >> 63) << 63 | exponent << kDigits | fraction(kDigits);
    }

  private:
    std::uint64_t seed_;
    std::uint64_t index_ = 0;
};

/// The double with this fraction of 53 bits times 2^exponent.
std::uint64_t number_of(std::uint64_t fraction, int exponent) {
    return std::bit_cast<std::uint64_t>(std::ldexp(static_cast<double>(fraction), exponent));
}

/// 1 / a modulo 2^64, a odd.
std::uint64_t inverse_of(std::uint64_t a) {
    std::uint64_t x = a;
    for (unsigned step = 0; step < 6; ++step) {
        x *= 2 - a * x;
    }
    return x;
}

using Wide = unsigned __int128;

constexpr std::size_t kCount = 400'000;

TEST(RoundingToNearest, ReciprocalsOfAllFractionsOfSinglePrecision) {
    check_all_from("rcp.rn.f32", 0x3f800000, 1U << 23);
}

TEST(RoundingToNearest, RootsOfAllFractionsOfSinglePrecision) {
    check_all_from("sqrt.rn.f32", 0x3f800000, 1U << 24); // [1, 4)
}

TEST(RoundingToNearest, QuotientsOfSinglePrecision) {
    Numbers numbers(1);
    Operands operands;
    for (std::size_t i = 0; i < kCount; ++i) {
        operands.add(numbers.single(), numbers.single());
    }
    check<float>("div.rn.f32", operands);
}

TEST(RoundingToNearest, QuotientsOfDoublePrecision) {
    Numbers numbers(2);
    Operands operands;
    for (std::size_t i = 0; i < kCount; ++i) {
        operands.add(numbers.twofold(), numbers.twofold());
    }
    check<double>("div.rn.f64", operands);
}

TEST(RoundingToNearest, QuotientsOfDoublePrecisionNearTheMiddleOfTwo) {
    Numbers numbers(3);
    Operands operands;
    // A 2^s - B M = k, where M has 54 bits and is odd: M = -k / B modulo 2^s.
    const auto add = [&](std::uint64_t b, std::int64_t k, unsigned s) {
        const std::uint64_t part = std::uint64_t{1} << s;
        const std::uint64_t middle = (static_cast<std::uint64_t>(-k) * inverse_of(b) % part) | std::uint64_t{1} << 53;
        const Wide multiple = Wide{b} * middle + static_cast<Wide>(static_cast<__int128>(k));
        const auto a = static_cast<std::uint64_t>(multiple >> s);
        if (multiple % part == 0 && a >> kDigits == 1) {
            operands.add(number_of(a, -kDigits), number_of(b, static_cast<int>(numbers.word() % 600) - 400));
        }
    };
    for (std::size_t i = 0; i < kCount / 2; ++i) {
        const std::uint64_t b = std::uint64_t{1} << kDigits | numbers.fraction(kDigits) | 1;
        for (const std::int64_t k : {-3, -1, 1, 3}) {
            add(b, k, 53);
            add(b, k, 54);
        }
    }
    for (std::uint64_t less = 1; less < 4096; less += 2) { // the largest divisors, some of which take the other way
        for (const std::int64_t k : {-3, -1, 1, 3}) {
            add((std::uint64_t{1} << 53) - less, k, 54);
        }
    }
    ASSERT_GT(operands.a.size(), kCount / 2);
    check<double>("div.rn.f64", operands);
}

TEST(RoundingToNearest, ReciprocalsOfDoublePrecision) {
    Numbers numbers(4);
    Operands operands;
    for (std::uint64_t less = 1; less < 4096; ++less) {
        operands.add(number_of((std::uint64_t{1} << 53) - less, -kDigits), 0);
    }
    for (std::size_t i = 0; i < kCount; ++i) {
        operands.add(numbers.twofold(), 0);
    }
    check<double>("rcp.rn.f64", operands);
}

TEST(RoundingToNearest, RootsOfDoublePrecision) {
    Numbers numbers(5);
    Operands operands;
    for (std::size_t i = 0; i < kCount; ++i) {
        operands.add(numbers.twofold(), 0);
    }
    check<double>("sqrt.rn.f64", operands);
}

TEST(RoundingToNearest, RootsOfDoublePrecisionNearestToTheMiddleOfTwo) {
    Operands operands;
    // M^2 + k = A 2^s, M of 54 bits: -k has a root modulo 2^s if it is 1 modulo 8, and then four. Each bit of M decides
    // one of the sum.
    for (const unsigned s : {54U, 55U}) {
        const std::uint64_t modulus = std::uint64_t{1} << s;
        for (std::int64_t k = -32769; k < 32768; k += 8) {
            std::uint64_t root = 1;
            for (unsigned bit = 3; bit < s; ++bit) {
                const std::uint64_t sum = root * root + static_cast<std::uint64_t>(k);
                root += (sum >> bit & 1) << (bit - 1);
            }
            for (const std::uint64_t candidate : {root, 0 - root, root + modulus / 2, modulus / 2 - root}) {
                const std::uint64_t middle = candidate & (modulus - 1);
                const Wide square = Wide{middle} * middle + static_cast<Wide>(static_cast<__int128>(k));
                const auto a = static_cast<std::uint64_t>(square >> s);
                if (middle >> 53 == 1 && a >> kDigits == 1) {
                    operands.add(number_of(a, s == 54 ? -kDigits : 1 - kDigits), 0);
                }
            }
        }
    }
    ASSERT_GT(operands.a.size(), 10'000U);
    check<double>("sqrt.rn.f64", operands);
}

} // namespace
} // namespace smsim::ptx::tb
