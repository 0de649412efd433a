// F2FP compared with the list of all numbers of the format: a value lies between two of them, and the rounding chooses
// one. All halves, all 8-bit numbers, and the singles at and beside every middle of two numbers.
#include <algorithm>

#include "tb/unit/sm/compute_support.h"

namespace smsim::sm::compute::test {
namespace {

using isa::TensorConversion;

/// A format as the list of its numbers from +0 to the largest one.
class Format {
  public:
    /// `largest`, `beyond`: codes of the largest number, and of what is larger. `below`: bits under those of the code.
    Format(int fraction, int bias, std::uint32_t largest, std::uint32_t beyond, std::uint32_t nan, unsigned bits,
           int below = 0)
        : largest_(largest), beyond_(beyond), nan_(nan), sign_(1U << (bits - 1)), below_(below) {
        for (std::uint32_t code = 0; code <= largest + 1; ++code) {
            const auto field = static_cast<int>(code >> fraction);
            const std::uint32_t digits = code & ((1U << fraction) - 1);
            values_.push_back(
                std::ldexp(field == 0 ? digits : digits + (1U << fraction), std::max(field, 1) - bias - fraction));
        }
    }

    /// Numbers, and the one that would follow the largest.
    const std::vector<double> &values() const { return values_; }

    double value(std::uint32_t bits) const {
        const std::uint32_t code = (bits & (sign_ - 1)) >> below_;
        const double size = code <= largest_                     ? values_[code]
                            : code == beyond_ && beyond_ != nan_ ? HUGE_VAL
                                                                 : std::nan("");
        return (bits & sign_) != 0 ? -size : size;
    }

    std::uint32_t rounded(double value, bool toward_zero, bool finite, bool rectify) const {
        if (std::isnan(value)) {
            return nan_;
        }
        const std::uint32_t sign = std::signbit(value) ? sign_ : 0;
        if (rectify && sign != 0) {
            return 0;
        }
        const double size = std::fabs(value);
        const auto upper = static_cast<std::uint32_t>(std::ranges::upper_bound(values_, size) - values_.begin());
        std::uint32_t code = upper - 1;
        if (upper < values_.size()) {
            const double middle = (values_[code] + values_[upper]) / 2;
            const bool up = size > middle || (size == middle && code % 2 == 1);
            code += up && !toward_zero ? 1 : 0;
        }
        if (code > largest_) {
            const bool stops = finite || (toward_zero && !std::isinf(size));
            code = stops ? largest_ : beyond_;
        }
        return sign | code << below_;
    }

  private:
    std::vector<double> values_;
    std::uint32_t largest_;
    std::uint32_t beyond_;
    std::uint32_t nan_;
    std::uint32_t sign_;
    int below_;
};

const Format &e4m3() {
    static const Format format(3, 7, 0x7e, 0x7f, 0x7f, 8);
    return format;
}
const Format &e5m2() {
    static const Format format(2, 15, 0x7b, 0x7c, 0x7f, 8);
    return format;
}
const Format &f16() {
    static const Format format(10, 15, 0x7bff, 0x7c00, 0x7fff, 16);
    return format;
}
const Format &tf32() {
    static const Format format(10, 127, 0x3fbff, 0x3fc00, 0x7fffffff, 32, 13);
    return format;
}

/// The modifiers that follow the conversion.
struct Manner {
    bool toward_zero;
    bool finite;
    bool rectify;
};
std::vector<Manner> all_manners() {
    std::vector<Manner> manners;
    for (unsigned i = 0; i < 8; ++i) {
        manners.push_back({(i & 1U) != 0, (i & 2U) != 0, (i & 4U) != 0});
    }
    return manners;
}

std::uint32_t expected(const Format &format, double value, const Manner &manner) {
    return format.rounded(value, manner.toward_zero, manner.finite, manner.rectify);
}

Instruction conversion(TensorConversion which, const Manner &manner) {
    Instruction insn = make(Op::kF2fp, Form::kR);
    insn.mod = {static_cast<std::uint8_t>(which), static_cast<std::uint8_t>(manner.toward_zero ? 1 : 0),
                static_cast<std::uint8_t>(manner.finite ? 1 : 0), static_cast<std::uint8_t>(manner.rectify ? 1 : 0)};
    insn.rd = 12;
    insn.ra = 4;
    insn.rb = 20;
    return insn;
}

/// Executes on pairs of sources, a warp at a time, and compares with `want(a, b)`; how many were compared.
template <typename Want>
std::size_t compare(const Instruction &insn, const std::vector<std::uint32_t> &a, const std::vector<std::uint32_t> &b,
                    Want want) {
    Warp warp;
    for (std::size_t first = 0; first < b.size(); first += kLanes) {
        const auto from = [first](const std::vector<std::uint32_t> &values) {
            return [&values, first](unsigned lane) { return values[(first + lane) % values.size()]; };
        };
        warp.fill(4, from(a));
        warp.fill(20, from(b));
        warp.run(insn);
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            const std::uint32_t x = from(a)(lane);
            const std::uint32_t y = from(b)(lane);
            const std::uint32_t got = warp.regs.value(12, lane);
            if (got != want(x, y)) {
                ADD_FAILURE() << std::hex << "a " << x << " b " << y << " gives " << got << " instead of " << want(x, y)
                              << std::dec << ", modifiers " << int{insn.mod[0]} << ' ' << int{insn.mod[1]} << ' '
                              << int{insn.mod[2]} << ' ' << int{insn.mod[3]};
                return 0;
            }
        }
    }
    return b.size();
}

std::vector<std::uint32_t> all_of_16_bits() {
    std::vector<std::uint32_t> values(0x10000);
    std::ranges::generate(values, [next = 0U]() mutable { return next++; });
    return values;
}

/// Singles at the numbers of a format and at the middles between them, one unit below and above, of both signs; and
/// infinities, NaNs and others.
std::vector<std::uint32_t> singles_of(const Format &format) {
    std::vector<std::uint32_t> singles = {0x7f800000, 0x7f800001, 0x7fc00000, 0x7fffffff, 0x7f7fffff,
                                          0x00000001, 0x007fffff, 0x00800000, 0x33800000};
    const std::vector<double> &values = format.values();
    for (std::size_t i = 0; i + 1 < values.size(); ++i) {
        for (const double value : {values[i], (values[i] + values[i + 1]) / 2}) {
            const std::uint32_t bits = bits_of(static_cast<float>(value));
            singles.insert(singles.end(), {bits, bits + 1, bits - (bits == 0 ? 0 : 1)});
        }
    }
    std::mt19937 random(7);
    for (unsigned i = 0; i < 100'000; ++i) {
        singles.push_back(static_cast<std::uint32_t>(random()) & 0x7fffffff);
    }
    const std::size_t count = singles.size();
    for (std::size_t i = 0; i < count; ++i) {
        singles.push_back(singles[i] | 0x80000000);
    }
    return singles;
}

TEST(ComputeF2fp, RoundsTwoSinglesToEightBits) {
    for (const auto &[which, format] :
         {std::pair(TensorConversion::kE4m3FromF32, &e4m3()), std::pair(TensorConversion::kE5m2FromF32, &e5m2())}) {
        const std::vector<std::uint32_t> lower = singles_of(*format);
        std::vector<std::uint32_t> upper = lower;
        std::shuffle(upper.begin(), upper.end(), std::mt19937(3));
        for (const Manner &manner : all_manners()) {
            const auto of = [&, to = format](std::uint32_t bits) { return expected(*to, double{f32(bits)}, manner); };
            const std::size_t compared = compare(conversion(which, manner), upper, lower,
                                                 [&](std::uint32_t a, std::uint32_t b) { return of(a) << 8 | of(b); });
            EXPECT_EQ(compared, lower.size());
        }
    }
}

TEST(ComputeF2fp, RoundsEveryHalfToEightBits) {
    std::vector<std::uint32_t> pairs = all_of_16_bits();
    for (std::uint32_t &pair : pairs) {
        pair = pair << 16 | (pair * 0x9e37U & 0xffff); // an odd factor: the lower halves are all, too
    }
    for (const auto &[which, format] :
         {std::pair(TensorConversion::kE4m3FromF16, &e4m3()), std::pair(TensorConversion::kE5m2FromF16, &e5m2())}) {
        for (const Manner &manner : all_manners()) {
            const auto of = [&, to = format](std::uint32_t half) { return expected(*to, f16().value(half), manner); };
            const std::size_t compared =
                compare(conversion(which, manner), {0xffffffff}, pairs,
                        [&](std::uint32_t, std::uint32_t b) { return of(b >> 16) << 8 | of(b & 0xffff); });
            EXPECT_EQ(compared, pairs.size());
        }
    }
}

TEST(ComputeF2fp, GivesTheHalfOfEveryEightBits) {
    std::vector<std::uint32_t> pairs = all_of_16_bits();
    for (std::uint32_t &pair : pairs) {
        pair |= pair * 0x10000; // the upper half of the register does not count
    }
    for (const auto &[which, format] :
         {std::pair(TensorConversion::kF16FromE4m3, &e4m3()), std::pair(TensorConversion::kF16FromE5m2, &e5m2())}) {
        for (const Manner &manner : all_manners()) {
            const auto of = [&, from = format](std::uint32_t code) {
                return expected(f16(), from->value(code & 0xff), manner);
            };
            const std::size_t compared =
                compare(conversion(which, manner), {0xffffffff}, pairs,
                        [&](std::uint32_t, std::uint32_t b) { return of(b >> 8) << 16 | of(b); });
            EXPECT_EQ(compared, pairs.size());
        }
    }
}

TEST(ComputeF2fp, RoundsASingleToTf32) {
    const std::vector<std::uint32_t> singles = singles_of(tf32());
    EXPECT_GT(singles.size(), 3'000'000U) << "every number and every middle of two";
    std::vector<std::uint32_t> some = {0x7f7fdfff, 0x7f7fe000, 0x7f7fefff, 0x7f7ff000,
                                       0x7f800000, 0xff7ff000, 0xff800000};
    for (std::size_t i = 0; i < singles.size(); i += 61) {
        some.push_back(singles[i]);
    }
    for (const Manner &manner : all_manners()) {
        // What the sign and the largest number change is the same for all others.
        const std::vector<std::uint32_t> &taken = manner.finite || manner.rectify ? some : singles;
        const std::size_t compared =
            compare(conversion(TensorConversion::kTf32FromF32, manner), {0xffffffff}, taken,
                    [&](std::uint32_t, std::uint32_t b) { return expected(tf32(), double{f32(b)}, manner); });
        EXPECT_EQ(compared, taken.size());
    }
}

TEST(ComputeF2fp, TakesEveryFormOfItsSources) {
    const Manner manner{false, true, false};
    const auto eight = [&](std::uint32_t bits) { return expected(e4m3(), double{f32(bits)}, manner); };
    check(conversion(TensorConversion::kE4m3FromF32, manner), {}, floats(),
          [&](const In &in) -> Out { return {std::uint64_t{eight(in.a32()) << 8 | eight(in.b32())}}; });
    check(conversion(TensorConversion::kTf32FromF32, manner), {}, floats(),
          [&](const In &in) -> Out { return {expected(tf32(), double{f32(in.b)}, manner)}; });
}

} // namespace
} // namespace smsim::sm::compute::test
