// Arithmetic of compiled PTX on the model compared with that of the host, at the edges of the number range.
#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "tb/unit/ptx/run_support.h"

namespace smsim::ptx::tb {
namespace {

using Host = std::function<std::uint64_t(std::uint64_t, std::uint64_t)>;

/// An instruction on a = %rd4, %r4, %h4, %f4, %fd4 and b = ...5 with its result in ...6, and the expected result.
struct Operation {
    std::string ptx;
    char result = 'r'; ///< h, r, d (64 bits), p
    Host host;
};

const std::vector<std::uint64_t> kIntegers = {0,
                                              1,
                                              2,
                                              3,
                                              7,
                                              31,
                                              32,
                                              33,
                                              63,
                                              64,
                                              0x7f,
                                              0x80,
                                              0xff,
                                              1000,
                                              0x7fff,
                                              0x8000,
                                              0xffff,
                                              0x10000,
                                              0x12345678,
                                              0x7fffffff,
                                              0x80000000,
                                              0x80000001,
                                              0xfffffffe,
                                              0xffffffff,
                                              0x100000000,
                                              0x123456789abcdef0,
                                              0x7fffffffffffffff,
                                              0x8000000000000000,
                                              0x8000000000000001,
                                              0xfffffffffffffffe,
                                              0xffffffffffffffff,
                                              0xffffffff00000001};

const std::vector<std::uint64_t> kSingles = {
    0x00000000, 0x80000000, 0x00000001, 0x80000003, 0x007fffff, 0x00400000, 0x00800000, 0x80800001,
    0x3f800000, 0xbf800000, 0x3f800001, 0x3f7fffff, 0x40400000, 0xc0400000, 0x40e00000, 0x3eaaaaab,
    0x7f7fffff, 0xff7fffff, 0x7f000000, 0x7e800001, 0x7f800000, 0xff800000, 0x7fc00000, 0x4b7fffff,
    0x4f000000, 0xcf000000, 0x4effffff, 0x5f7fffff, 0x40490fdb, 0x33800001, 0x1e3ce508, 0x0d800001};

const std::vector<std::uint64_t> kDoubles = {
    0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x8000000000000003, 0x000fffffffffffff,
    0x0008000000000000, 0x0010000000000000, 0x8010000000000001, 0x3ff0000000000000, 0xbff0000000000000,
    0x3ff0000000000001, 0x3fefffffffffffff, 0x4008000000000000, 0xc008000000000000, 0x401c000000000000,
    0x3fd5555555555555, 0x7fefffffffffffff, 0xffefffffffffffff, 0x7fe0000000000000, 0x7fd0000000000001,
    0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x432fffffffffffff, 0x43e0000000000000,
    0xc3e0000000000000, 0x41dfffffffc00000, 0x47efffffefffffff, 0x400921fb54442d18, 0x3ca0000000000001,
    0x1e3ce508abcdef01, 0x0350000000000001};

/// Every pair of two values, one in each thread, through every operation.
void check(const std::vector<Operation> &operations, const std::vector<std::uint64_t> &values) {
    const std::size_t count = values.size();
    const std::size_t threads = count * count;
    std::string data = fmt::format(".global .align 8 .b64 values[{}] = {{", count);
    for (std::size_t i = 0; i < count; ++i) {
        data += fmt::format("{}{:#x}", i == 0 ? "" : ", ", values[i]);
    }
    data += "};\n";
    std::string body = fmt::format(R"(
    mov.u64 %rd2, values;
    rem.u32 %r1, %r0, {0};
    div.u32 %r2, %r0, {0};
    mad.wide.u32 %rd3, %r2, 8, %rd2;
    ld.global.b64 %rd4, [%rd3];
    mad.wide.u32 %rd3, %r1, 8, %rd2;
    ld.global.b64 %rd5, [%rd3];
    cvt.u32.u64 %r4, %rd4; cvt.u32.u64 %r5, %rd5; cvt.u16.u64 %h4, %rd4; cvt.u16.u64 %h5, %rd5;
    mov.b32 %f4, %r4; mov.b32 %f5, %r5; mov.b64 %fd4, %rd4; mov.b64 %fd5, %rd5;
)",
                                   count);
    for (std::size_t i = 0; i < operations.size(); ++i) {
        const char result = operations[i].result;
        body += operations[i].ptx + "\n";
        body += result == 'h'   ? "cvt.u64.u16 %rd6, %h6;\n"
                : result == 'r' ? "cvt.u64.u32 %rd6, %r6;\n"
                : result == 'f' ? "mov.b32 %r6, %f6; cvt.u64.u32 %rd6, %r6;\n"
                : result == 'g' ? "mov.b64 %rd6, %fd6;\n"
                : result == 'p' ? "selp.u64 %rd6, 1, 0, %p6;\n"
                                : "";
        body += fmt::format("st.global.b64 [%rd1+{}], %rd6;\n", 8 * threads * i);
    }
    const RunResult run = run_kernel(kernel_with(body, data), static_cast<unsigned>(threads), {},
                                     static_cast<unsigned>(operations.size()));
    ASSERT_EQ(run.exception, "");
    for (std::size_t i = 0; i < operations.size(); ++i) {
        for (std::size_t k = 0; k < threads; ++k) {
            const std::uint64_t a = values[k / count];
            const std::uint64_t b = values[k % count];
            ASSERT_EQ(run.out[threads * i + k], operations[i].host(a, b))
                << operations[i].ptx << fmt::format(" a {:#x} b {:#x}", a, b);
        }
    }
}

template <typename Value> Host host(const std::function<Value(Value, Value)> &function) {
    using Bits = std::make_unsigned_t<Value>;
    return [function](std::uint64_t a, std::uint64_t b) {
        return std::uint64_t{static_cast<Bits>(function(static_cast<Value>(a), static_cast<Value>(b)))};
    };
}

template <typename Value> Value quotient(Value a, Value b) {
    if (b == 0) {
        return static_cast<Value>(-1);
    }
    return std::is_signed_v<Value> && b == static_cast<Value>(-1)
               ? static_cast<Value>(0 - std::make_unsigned_t<Value>(a))
               : static_cast<Value>(a / b);
}

template <typename Value> Value rest(Value a, Value b) {
    return b == 0 ? a : std::is_signed_v<Value> && b == static_cast<Value>(-1) ? 0 : static_cast<Value>(a % b);
}

template <typename Value> Operation division(const std::string &type, char reg) {
    const std::string name = reg == 'd' ? "rd" : std::string(1, reg);
    return {fmt::format("div.{0} %{1}6, %{1}4, %{1}5;", type, name), reg, host<Value>(quotient<Value>)};
}

template <typename Value> Operation remainder(const std::string &type, char reg) {
    const std::string name = reg == 'd' ? "rd" : std::string(1, reg);
    return {fmt::format("rem.{0} %{1}6, %{1}4, %{1}5;", type, name), reg, host<Value>(rest<Value>)};
}

TEST(SelectInteger, DivisionsOfAllSizesAndByZero) {
    check({division<std::uint16_t>("u16", 'h'), division<std::int16_t>("s16", 'h'), remainder<std::int16_t>("s16", 'h'),
           division<std::uint32_t>("u32", 'r'), division<std::int32_t>("s32", 'r'),
           remainder<std::uint32_t>("u32", 'r'), remainder<std::int32_t>("s32", 'r'),
           division<std::uint64_t>("u64", 'd'), division<std::int64_t>("s64", 'd'),
           remainder<std::uint64_t>("u64", 'd'), remainder<std::int64_t>("s64", 'd')},
          kIntegers);
}

std::uint64_t amount(std::uint64_t b) {
    return b & 0xffffffff;
}

TEST(SelectInteger, ShiftsStopAtTheWidth) {
    check({{"shl.b64 %rd6, %rd4, %r5;", 'd', [](auto a, auto b) { return amount(b) > 63 ? 0 : a << amount(b); }},
           {"shr.u64 %rd6, %rd4, %r5;", 'd', [](auto a, auto b) { return amount(b) > 63 ? 0 : a >> amount(b); }},
           {"shr.s64 %rd6, %rd4, %r5;", 'd',
            [](auto a, auto b) {
                return static_cast<std::uint64_t>(static_cast<std::int64_t>(a) >>
                                                  std::min<std::uint64_t>(amount(b), 63));
            }},
           {"shl.b64 %rd6, %rd4, 40;", 'd', [](auto a, auto) { return a << 40; }},
           {"shr.s64 %rd6, %rd4, 33;", 'd',
            [](auto a, auto) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(a) >> 33); }},
           {"shr.s16 %h6, %h4, %r5;", 'h',
            [](auto a, auto b) {
                const auto value = static_cast<std::int16_t>(a);
                return std::uint64_t{static_cast<std::uint16_t>(value >> std::min<std::uint64_t>(amount(b), 15))};
            }},
           {"shl.b16 %h6, %h4, %r5;", 'h',
            [](auto a, auto b) { return amount(b) > 15 ? 0 : (a << amount(b)) & 0xffff; }}},
          kIntegers);
}

TEST(SelectInteger, ProductsAndComparisonsOf64Bits) {
    using Wide = unsigned __int128;
    check({{"mul.lo.u64 %rd6, %rd4, %rd5;", 'd', [](auto a, auto b) { return a * b; }},
           {"mul.hi.u64 %rd6, %rd4, %rd5;", 'd',
            [](auto a, auto b) { return static_cast<std::uint64_t>((Wide{a} * b) >> 64); }},
           {"mul.hi.s64 %rd6, %rd4, %rd5;", 'd',
            [](auto a, auto b) {
                const __int128 product =
                    static_cast<__int128>(static_cast<std::int64_t>(a)) * static_cast<std::int64_t>(b);
                return static_cast<std::uint64_t>(product >> 64);
            }},
           {"sub.s64 %rd6, %rd4, %rd5;", 'd', [](auto a, auto b) { return a - b; }},
           {"sub.s64 %rd6, 5, %rd5;", 'd', [](auto, auto b) { return 5 - b; }},
           {"min.s64 %rd6, %rd4, %rd5;", 'd',
            [](auto a, auto b) { return static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b) ? a : b; }},
           {"max.u64 %rd6, %rd4, %rd5;", 'd', [](auto a, auto b) { return std::max(a, b); }},
           {"setp.le.s64 %p6, %rd4, %rd5;", 'p',
            [](auto a, auto b) { return std::uint64_t{static_cast<std::int64_t>(a) <= static_cast<std::int64_t>(b)}; }},
           {"setp.hi.u64 %p6, %rd4, %rd5;", 'p', [](auto a, auto b) { return std::uint64_t{a > b}; }},
           {"setp.ne.b64 %p6, %rd4, %rd5;", 'p', [](auto a, auto b) { return std::uint64_t{a != b}; }}},
          kIntegers);
}

TEST(SelectInteger, CountsFieldsAndSaturation) {
    const auto clamp = [](std::int64_t value) {
        return std::uint64_t{static_cast<std::uint32_t>(std::clamp<std::int64_t>(value, INT32_MIN, INT32_MAX))};
    };
    const auto word = [](std::uint64_t a) { return std::int64_t{static_cast<std::int32_t>(a)}; };
    check({{"clz.b64 %r6, %rd4;", 'r', [](auto a, auto) { return std::uint64_t(std::countl_zero(a)); }},
           {"popc.b64 %r6, %rd4;", 'r', [](auto a, auto) { return std::uint64_t(std::popcount(a)); }},
           {"bfind.u64 %r6, %rd4;", 'r',
            [](auto a, auto) { return std::uint64_t{static_cast<std::uint32_t>(63 - std::countl_zero(a))}; }},
           {"bfe.u32 %r6, %r4, %r5, 7;", 'r',
            [](auto a, auto b) { return (b & 0xff) > 31 ? 0 : (amount(a) >> (b & 0xff)) & 0x7f; }},
           {"bfe.s32 %r6, %r4, 3, 8;", 'r',
            [](auto a, auto) { return std::uint64_t{static_cast<std::uint32_t>(static_cast<std::int8_t>(a >> 3))}; }},
           {"bfi.b32 %r6, %r4, %r5, 4, 8;", 'r',
            [](auto a, auto b) { return (amount(b) & ~0xff0ULL) | ((a & 0xff) << 4); }},
           {"add.sat.s32 %r6, %r4, %r5;", 'r', [=](auto a, auto b) { return clamp(word(a) + word(b)); }},
           {"sub.sat.s32 %r6, %r4, %r5;", 'r', [=](auto a, auto b) { return clamp(word(a) - word(b)); }},
           {"cvt.sat.s8.s64 %h6, %rd4;", 'h',
            [](auto a, auto) {
                const auto value = std::clamp<std::int64_t>(static_cast<std::int64_t>(a), -128, 127);
                return std::uint64_t{static_cast<std::uint16_t>(value)};
            }}},
          kIntegers);
}

TEST(SelectInteger, CarryChainsOfBothKinds) {
    check({{"add.cc.u64 %rd6, %rd4, %rd5; addc.u64 %rd6, 0, 0;", 'd',
            [](auto a, auto b) { return std::uint64_t{a + b < a}; }},
           {"sub.cc.u64 %rd6, %rd4, %rd5; subc.u64 %rd6, 0, 0;", 'd',
            [](auto a, auto b) { return a < b ? ~std::uint64_t{0} : 0; }},
           {"sub.cc.u32 %r6, %r4, %r5; addc.u32 %r6, 0, 0;", 'r',
            [](auto a, auto b) { return std::uint64_t{amount(a) < amount(b)}; }},
           {"mad.lo.cc.u32 %r6, %r4, %r5, %r4; madc.hi.u32 %r6, %r4, %r5, 0;", 'r',
            [](auto a, auto b) { return (amount(a) * amount(b) + amount(a)) >> 32; }}},
          kIntegers);
}

TEST(SelectInteger, GuardedInstructionsKeepTheDestinationOfOtherThreads) {
    const std::string guard = "setp.lt.u64 %p1, %rd4, %rd5; mov.u64 %rd6, 77; @%p1 ";
    check({{guard + "div.u64 %rd6, %rd5, %rd4;", 'd',
            [](auto a, auto b) { return a < b ? quotient<std::uint64_t>(b, a) : 77; }},
           {guard + "add.s64 %rd6, %rd4, %rd5;", 'd', [](auto a, auto b) { return a < b ? a + b : 77; }},
           {guard + "mul.lo.s64 %rd6, %rd4, %rd5;", 'd', [](auto a, auto b) { return a < b ? a * b : 77; }},
           {guard + "shl.b64 %rd6, %rd4, %r5;", 'd',
            [](auto a, auto b) { return a >= b           ? 77
                                        : amount(b) > 63 ? 0
                                                         : a << amount(b); }},
           {"mov.u64 %rd6, 77; setp.lt.u64 %p1, %rd4, %rd5; @!%p1 cvt.s64.s8 %rd6, %r4;", 'd',
            [](auto a, auto b) {
                return a < b ? 77 : static_cast<std::uint64_t>(std::int64_t{static_cast<std::int8_t>(a)});
            }}},
          kIntegers);
}

/// The host's operation under a rounding mode; NaNs are those of the model.
template <typename Real, typename Bits> Host rounded(int mode, const std::function<Real(Real, Real)> &function) {
    return [=](std::uint64_t a, std::uint64_t b) {
        const volatile Real x = std::bit_cast<Real>(static_cast<Bits>(a));
        const volatile Real y = std::bit_cast<Real>(static_cast<Bits>(b));
        std::fesetround(mode);
        const volatile Real result = function(x, y);
        std::fesetround(FE_TONEAREST);
        const Bits bits = std::bit_cast<Bits>(static_cast<Real>(result));
        return std::uint64_t{
            std::isnan(static_cast<Real>(result)) ? static_cast<Bits>(std::numeric_limits<Bits>::max() >> 1) : bits};
    };
}

struct Mode {
    std::string name;
    int host;
};
const std::vector<Mode> kModes = {{"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};

// The division is placed where the compiler can neither compute it beforehand nor move it across a change of the mode.
template <typename Real> [[gnu::noinline]] Real divide(Real a, Real b) {
    const volatile Real x = a;
    const volatile Real y = b;
    return x / y;
}
template <typename Real> [[gnu::noinline]] Real root(Real a) {
    const volatile Real x = a;
    return std::sqrt(x);
}

TEST(SelectFloat, QuotientsReciprocalsAndRootsOfSinglePrecisionInEveryRounding) {
    std::vector<Operation> operations;
    for (const Mode &mode : kModes) {
        operations.push_back({fmt::format("div.{}.f32 %f6, %f4, %f5;", mode.name), 'f',
                              rounded<float, std::uint32_t>(mode.host, divide<float>)});
        operations.push_back(
            {fmt::format("rcp.{}.f32 %f6, %f4;", mode.name), 'f',
             rounded<float, std::uint32_t>(mode.host, [](float a, float) { return divide(1.0F, a); })});
        operations.push_back({fmt::format("sqrt.{}.f32 %f6, %f4;", mode.name), 'f',
                              rounded<float, std::uint32_t>(mode.host, [](float a, float) { return root(a); })});
    }
    check(operations, kSingles);
}

TEST(SelectFloat, QuotientsReciprocalsAndRootsOfDoublePrecisionInEveryRounding) {
    std::vector<Operation> operations;
    for (const Mode &mode : kModes) {
        operations.push_back({fmt::format("div.{}.f64 %fd6, %fd4, %fd5;", mode.name), 'g',
                              rounded<double, std::uint64_t>(mode.host, divide<double>)});
        operations.push_back(
            {fmt::format("rcp.{}.f64 %fd6, %fd4;", mode.name), 'g',
             rounded<double, std::uint64_t>(mode.host, [](double a, double) { return divide(1.0, a); })});
        operations.push_back({fmt::format("sqrt.{}.f64 %fd6, %fd4;", mode.name), 'g',
                              rounded<double, std::uint64_t>(mode.host, [](double a, double) { return root(a); })});
    }
    check(operations, kDoubles);
}

TEST(SelectFloat, SumsTakeNumbersAndSignsInEveryPlace) {
    const auto of = [](const std::function<double(double, double)> &function) {
        return rounded<double, std::uint64_t>(FE_TONEAREST, function);
    };
    check({{"sub.f64 %fd6, %fd4, %fd5;", 'g', of([](double a, double b) { return a - b; })},
           {"sub.f64 %fd6, 0d3FB999999999999A, %fd5;", 'g', of([](double, double b) { return 0.1 - b; })},
           {"sub.f64 %fd6, %fd4, 0d3FB999999999999A;", 'g', of([](double a, double) { return a - 0.1; })},
           {"fma.rn.f64 %fd6, %fd4, 0d3FB999999999999A, 0d3FF0000000000000;", 'g',
            of([](double a, double) { return std::fma(a, 0.1, 1.0); })}},
          kDoubles);
}

TEST(SelectFloat, MinimumAndMaximumOfDoublePrecisionOrderZerosAndPreferNumbers) {
    const auto extreme = [](bool smallest) {
        return rounded<double, std::uint64_t>(FE_TONEAREST, [smallest](double a, double b) {
            if (a == b) {
                return std::signbit(a) == smallest ? a : b;
            }
            return smallest ? std::fmin(a, b) : std::fmax(a, b);
        });
    };
    check({{"min.f64 %fd6, %fd4, %fd5;", 'g', extreme(true)}, {"max.f64 %fd6, %fd4, %fd5;", 'g', extreme(false)}},
          kDoubles);
}

/// The number of an f16; the f16 nearest to a number.
double from_half(std::uint64_t bits) {
    const auto field = static_cast<int>((bits >> 10) & 31);
    const auto digits = static_cast<double>(bits & 1023);
    const double value = field == 31  ? (digits == 0 ? INFINITY : NAN)
                         : field == 0 ? std::ldexp(digits, -24)
                                      : std::ldexp(digits + 1024, field - 25);
    return (bits & 0x8000) != 0 ? -value : value;
}
std::uint64_t to_half(double value) {
    if (std::isnan(value)) {
        return 0x7fff;
    }
    const std::uint64_t sign = std::signbit(value) ? 0x8000 : 0;
    const double size = std::fabs(value);
    if (size >= 65520) {
        return sign | 0x7c00;
    }
    const int exponent = size < std::ldexp(1, -14) ? -14 : std::ilogb(size);
    const auto digits = static_cast<std::uint64_t>(std::nearbyint(std::ldexp(size, 10 - exponent)));
    // Digits that round up to 2048 carry into the exponent.
    return sign | (digits + (static_cast<std::uint64_t>(exponent + 14) << 10));
}

/// For f16 through double precision, which represents every sum, product and fused result except those that round
/// alike.
Host half(const std::function<double(double, double)> &function) {
    return [function](std::uint64_t a, std::uint64_t b) { return to_half(function(from_half(a), from_half(b))); };
}

const std::vector<std::uint64_t> kHalves = {0x0000, 0x8000, 0x0001, 0x8003, 0x03ff, 0x0400, 0x8401, 0x0200,
                                            0x3c00, 0xbc00, 0x3c01, 0x3bff, 0x4200, 0xc200, 0x4700, 0x3555,
                                            0x7bff, 0xfbff, 0x7800, 0x7401, 0x7c00, 0xfc00, 0x7e00, 0x63ff,
                                            0x5801, 0x1001, 0x2c0f, 0x4248, 0x6801, 0xe7ff, 0x0c03, 0x3800};

TEST(SelectHalf, SumsProductsAndFusedOnesRoundOnce) {
    check({{"add.f16 %h6, %h4, %h5;", 'h', half([](double a, double b) { return a + b; })},
           {"sub.f16 %h6, %h4, %h5;", 'h', half([](double a, double b) { return a - b; })},
           {"mul.f16 %h6, %h4, %h5;", 'h', half([](double a, double b) { return a * b; })},
           {"fma.rn.f16 %h6, %h4, %h5, %h4;", 'h', half([](double a, double b) { return std::fma(a, b, a); })},
           {"fma.rn.f16 %h6, %h4, %h4, %h5;", 'h', half([](double a, double b) { return std::fma(a, a, b); })},
           {"min.f16 %h6, %h4, %h5;", 'h',
            half([](double a, double b) { return a == b ? (std::signbit(a) ? a : b) : std::fmin(a, b); })},
           {"fma.rn.f16x2 %r6, %r4, %r5, %r4;", 'r',
            [](auto a, auto b) { return to_half(std::fma(from_half(a), from_half(b), from_half(a))); }},
           {"setp.ltu.f16 %p6, %h4, %h5;", 'p',
            [](auto a, auto b) { return std::uint64_t{!(from_half(a) >= from_half(b))}; }}},
          kHalves);
}

TEST(SelectHalf, SumsProductsAndFusedOnesTakeOneInstructionForAPair) {
    const std::string code = compile_to_assembly(kernel_with(R"(
    ld.global.u32 %r1, [%rd1];
    sub.ftz.sat.f16x2 %r2, %r1, %r0;
    mul.rn.bf16x2 %r3, %r2, %r0;
    fma.rn.relu.f16x2 %r4, %r3, %r2, %r1;
    st.global.u32 [%rd1], %r4;
    ret;)"),
                                                 "test.ptx");
    for (const char *mnemonic : {"HADD2.FTZ.SAT R", "HMUL2.BF16_V2 R", "HFMA2.RELU R"}) {
        EXPECT_NE(code.find(mnemonic), std::string::npos) << mnemonic << '\n' << code;
    }
    EXPECT_EQ(code.find("F2F"), std::string::npos) << code;
    EXPECT_EQ(code.find("PRMT"), std::string::npos) << code;
}

TEST(SelectConvert, FormatsOfMatricesTakeOneInstructionButForTiesAwayFromZero) {
    const std::string code = compile_to_assembly(kernel_with(R"(
    ld.global.f32 %f1, [%rd1];
    cvt.rz.relu.tf32.f32 %r2, %f1;
    cvt.rn.satfinite.e5m2x2.f32 %h1, %f1, 2.0;
    cvt.rn.relu.f16x2.e5m2x2 %r3, %h1;
    cvt.rn.satfinite.e4m3x2.f16x2 %h2, %r3;
    cvt.rna.tf32.f32 %r4, %f1;
    st.global.v2.u32 [%rd1], {%r2, %r4};
    st.global.u16 [%rd1], %h2;
    ret;)"),
                                                 "test.ptx");
    for (const char *mnemonic : {"F2FP.TF32_F32.RZ.RELU R", "F2FP.E5M2_F32.SATFINITE R", "F2FP.F16_E5M2.RELU R",
                                 "F2FP.E4M3_F16.SATFINITE R", "FSETP.NAN"}) {
        EXPECT_NE(code.find(mnemonic), std::string::npos) << mnemonic << '\n' << code;
    }
    EXPECT_EQ(code.find("F2F."), std::string::npos) << code;
    EXPECT_EQ(code.find("PRMT"), std::string::npos) << code;
}

TEST(SelectFloat, HyperbolicTangentKeepsItsErrorBound) {
    constexpr unsigned kThreads = 1024; // from 2^-16 to 2^16, sixteen fractions for each exponent and both signs
    const std::string body = R"(
    shr.u32 %r1, %r0, 1;
    shl.b32 %r1, %r1, 19;
    add.u32 %r1, %r1, 0x37800000;
    shl.b32 %r2, %r0, 31;
    or.b32 %r1, %r1, %r2;
    mov.b32 %f1, %r1;
    tanh.approx.f32 %f2, %f1;
    st.global.f32 [%rd1], %f1;
    st.global.f32 [%rd1+4], %f2;)";
    for (const std::uint64_t pair : run_body(body, kThreads)) {
        const auto argument = static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(pair)));
        const auto result = static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(pair >> 32)));
        const double exact = std::tanh(argument);
        EXPECT_LE(std::fabs(result - exact), std::ldexp(std::fabs(exact), -11)) << argument;
    }
}

TEST(SelectConvert, FloatsOfAllSizesToEachOther) {
    const auto value = [](std::uint64_t a) { return std::bit_cast<double>(a); };
    check({{"cvt.rn.f16.f64 %h6, %fd4;", 'h', [=](auto a, auto) { return to_half(value(a)); }},
           {"cvt.rn.f32.f64 %f6, %fd4;", 'f',
            [=](auto a, auto) {
                const double x = value(a);
                return std::uint64_t{x != x ? 0x7fffffff : std::bit_cast<std::uint32_t>(static_cast<float>(x))};
            }},
           {"cvt.rn.bf16.f64 %h6, %fd4;", 'h',
            [=](auto a, auto) {
                const double x = value(a);
                if (x != x) {
                    return std::uint64_t{0x7fff};
                }
                const double size = std::fabs(x);
                const int exponent = std::max(size == 0 ? -200 : std::ilogb(size), -126);
                const double rounded =
                    std::isinf(x) ? size : std::ldexp(std::nearbyint(std::ldexp(size, 7 - exponent)), exponent - 7);
                const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(rounded)) >> 16;
                return std::uint64_t{bits | (std::signbit(x) ? 0x8000U : 0U)};
            }},
           {"cvt.rni.s32.f64 %r6, %fd4;", 'r',
            [=](auto a, auto) {
                const double x = value(a);
                const double limited = std::fmin(std::fmax(std::nearbyint(x), INT32_MIN), INT32_MAX);
                return std::uint64_t{x != x ? 0x80000000U
                                            : static_cast<std::uint32_t>(static_cast<std::int32_t>(limited))};
            }},
           {"cvt.rmi.f64.f64 %fd6, %fd4;", 'g',
            [=](auto a, auto) {
                const double x = std::floor(value(a));
                return x != x ? 0x7fffffffffffffff : std::bit_cast<std::uint64_t>(x);
            }}},
          kDoubles);
}

TEST(SelectConvert, IntegersToFloatsAndToWiderOnes) {
    check({{"cvt.rn.f32.s64 %f6, %rd4;", 'f',
            [](auto a, auto) {
                return std::uint64_t{std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int64_t>(a)))};
            }},
           {"cvt.rn.f64.u64 %fd6, %rd4;", 'g',
            [](auto a, auto) { return std::bit_cast<std::uint64_t>(static_cast<double>(a)); }},
           {"cvt.s64.s8 %rd6, %r4;", 'd',
            [](auto a, auto) { return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int8_t>(a)}); }},
           {"cvt.u64.s32 %rd6, %r4;", 'd',
            [](auto a, auto) { return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(a)}); }},
           {"cvt.sat.u64.s32 %rd6, %r4;", 'd', [](auto a, auto) { return (a & 0x80000000) != 0 ? 0 : amount(a); }},
           {"cvt.pack.sat.u8.s32.b32 %r6, %r4, %r5, %r4;", 'r',
            [](auto a, auto b) {
                const auto byte = [](std::uint64_t x) {
                    return static_cast<std::uint64_t>(std::clamp(static_cast<std::int32_t>(x), 0, 255));
                };
                return byte(b) | byte(a) << 8 | (a & 0xffff) << 16;
            }}},
          kIntegers);
}

} // namespace
} // namespace smsim::ptx::tb
