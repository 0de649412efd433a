// Single-precision arithmetic: correctly rounded in all four modes, subnormals kept unless .FTZ.
#include <bit>
#include <cmath>

#include "sm/datapath/compute/operation.h"
#include "sm/datapath/compute/rounding.h"

namespace smsim::sm::compute {
namespace {

constexpr std::uint32_t kSign = 0x80000000U;
constexpr std::uint32_t kMagnitude = 0x7fffffffU;
constexpr std::uint32_t kInfinity = 0x7f800000U;
constexpr std::uint32_t kLeastNormal = 0x00800000U;

SMSIM_LANE_INLINE float to_float(std::uint32_t bits) {
    return std::bit_cast<float>(bits);
}

/// The bits of a result, with every NaN made canonical.
SMSIM_LANE_INLINE std::uint32_t canonical(float value) {
    return value != value ? kCanonicalNan32 : std::bit_cast<std::uint32_t>(value);
}

SMSIM_LANE_INLINE bool is_nan(std::uint32_t bits) {
    return (bits & kMagnitude) > kInfinity;
}

/// A subnormal number becomes a zero of its sign.
SMSIM_LANE_INLINE std::uint32_t flushed(std::uint32_t bits) {
    return (bits & kMagnitude) < kLeastNormal ? bits & kSign : bits;
}

/// The operand as used by the arithmetic: |x|, then -x, then flushed. The row itself if there is nothing to do.
SMSIM_LANE_INLINE const std::uint32_t *prepared(const std::uint32_t *from, Row &buffer, bool absolute, bool negate,
                                                bool flush) {
    if (!absolute && !negate && !flush) {
        return from;
    }
    const std::uint32_t keep = absolute ? kMagnitude : ~0U;
    const std::uint32_t flip = negate ? kSign : 0U;
    for (unsigned i = 0; i < kLanes; ++i) {
        const std::uint32_t value = (from[i] & keep) ^ flip;
        buffer.lane[i] = flush ? flushed(value) : value;
    }
    return buffer.lane;
}

/// .FTZ and .SAT of a result; a NaN saturates to +0.
SMSIM_LANE_INLINE void finish(Row &result, bool flush, bool saturate) {
    if (flush) {
        for (std::uint32_t &bits : result.lane) {
            bits = flushed(bits);
        }
    }
    if (saturate) {
        for (std::uint32_t &bits : result.lane) {
            const float value = to_float(bits);
            bits = std::bit_cast<std::uint32_t>(!(value > 0.0F) ? 0.0F : value > 1.0F ? 1.0F : value);
        }
    }
}

using Kernel = void (*)(Row &, const std::uint32_t *, const std::uint32_t *, const std::uint32_t *);

// The kernels stay separate functions: HostRounding needs that.
[[gnu::noinline]] SMSIM_MULTIVERSION void add_rows(Row &result, const std::uint32_t *a, const std::uint32_t *b,
                                                   [[maybe_unused]] const std::uint32_t *c) {
    SMSIM_INDEPENDENT_LANES
    for (unsigned i = 0; i < kLanes; ++i) {
        result.lane[i] = canonical(to_float(a[i]) + to_float(b[i]));
    }
}
[[gnu::noinline]] SMSIM_MULTIVERSION void multiply_rows(Row &result, const std::uint32_t *a, const std::uint32_t *b,
                                                        [[maybe_unused]] const std::uint32_t *c) {
    SMSIM_INDEPENDENT_LANES
    for (unsigned i = 0; i < kLanes; ++i) {
        result.lane[i] = canonical(to_float(a[i]) * to_float(b[i]));
    }
}
[[gnu::noinline]] SMSIM_MULTIVERSION void fused_rows(Row &result, const std::uint32_t *a, const std::uint32_t *b,
                                                     const std::uint32_t *c) {
    SMSIM_INDEPENDENT_LANES
    for (unsigned i = 0; i < kLanes; ++i) {
        result.lane[i] = canonical(std::fma(to_float(a[i]), to_float(b[i]), to_float(c[i])));
    }
}

[[gnu::noinline]] void rounded(Kernel kernel, isa::Rounding mode, Row &result, const std::uint32_t *a,
                               const std::uint32_t *b, const std::uint32_t *c) {
    const HostRounding scope(mode);
    kernel(result, a, b, c);
}

/// Z for +0 and -0, S for negative numbers; both for a NaN, which compares with nothing.
ConditionFlags float_flags(const Row &result) {
    const LaneMask unordered = lanes_where([&result](unsigned i) { return is_nan(result.lane[i]); });
    ConditionFlags flags;
    flags.zero = lanes_where([&result](unsigned i) { return to_float(result.lane[i]) == 0; }) | unordered;
    flags.sign = lanes_where([&result](unsigned i) { return to_float(result.lane[i]) < 0; }) | unordered;
    return flags;
}

/// One arithmetic instruction: `compute` on one lane for the common case of no modifier, which is inlined here, and the
/// same on rows for all other cases.
template <typename F>
SMSIM_LANE_INLINE void arithmetic(const Operation &op, F compute, Kernel kernel, bool three_sources) {
    const auto mode = modifier<isa::Rounding>(op, 0);
    const bool flush = op.insn.mod[1] != 0;
    const bool saturate = op.insn.mod[2] != 0;
    Row buffer_a;
    Row buffer_b;
    Row buffer_c;
    const std::uint32_t *a = prepared(source_a(op), buffer_a, op.insn.abs_a, op.insn.neg_a, flush);
    const std::uint32_t *b = prepared(source_b(op, buffer_b), buffer_b, op.insn.abs_b, op.insn.neg_b, flush);
    const std::uint32_t *c =
        three_sources ? prepared(source_c(op, buffer_c), buffer_c, op.insn.abs_c, op.insn.neg_c, flush) : b;
    const bool sets_flags = op.insn.mod[3] != 0;
    if (mode == isa::Rounding::kRn && !flush && !saturate && !sets_flags) {
        write_lanes(op.regs.write(op.insn.rd), op.executed,
                    [=](unsigned i) { return canonical(compute(to_float(a[i]), to_float(b[i]), to_float(c[i]))); });
        return;
    }
    Row result;
    if (mode == isa::Rounding::kRn) {
        kernel(result, a, b, c);
    } else {
        rounded(kernel, mode, result, a, b, c);
    }
    if (flush || saturate) {
        finish(result, flush, saturate);
    }
    if (sets_flags) {
        op.regs.set_flags(float_flags(result), op.executed);
    }
    write_rd(op, result);
}

} // namespace

LaneMask float_condition(isa::Compare compare, LaneMask less, LaneMask equal, LaneMask unordered) {
    const LaneMask greater = ~(less | equal | unordered);
    switch (compare) {
    case isa::Compare::kF:
        return LaneMask();
    case isa::Compare::kLt:
        return less;
    case isa::Compare::kEq:
        return equal;
    case isa::Compare::kLe:
        return less | equal;
    case isa::Compare::kGt:
        return greater;
    case isa::Compare::kNe:
        return less | greater;
    case isa::Compare::kGe:
        return greater | equal;
    case isa::Compare::kT:
        return LaneMask::all();
    case isa::Compare::kNum:
        return ~unordered;
    case isa::Compare::kNan:
        return unordered;
    case isa::Compare::kLtu:
        return less | unordered;
    case isa::Compare::kEqu:
        return equal | unordered;
    case isa::Compare::kLeu:
        return less | equal | unordered;
    case isa::Compare::kGtu:
        return greater | unordered;
    case isa::Compare::kNeu:
        return ~equal;
    case isa::Compare::kGeu:
        return greater | equal | unordered;
    }
    return LaneMask();
}

SMSIM_MULTIVERSION void execute_fadd(const Operation &op) {
    arithmetic(
        op, [](float a, float b, float) { return a + b; }, add_rows, false);
}

SMSIM_MULTIVERSION void execute_fmul(const Operation &op) {
    arithmetic(
        op, [](float a, float b, float) { return a * b; }, multiply_rows, false);
}

SMSIM_MULTIVERSION void execute_ffma(const Operation &op) {
    arithmetic(
        op, [](float a, float b, float c) { return std::fma(a, b, c); }, fused_rows, true);
}

SMSIM_MULTIVERSION void execute_fmnmx(const Operation &op) {
    const bool flush = op.insn.mod[0] != 0;
    const std::uint32_t take_minimum = predicate_pp(op).bits();
    Row buffer_a;
    Row buffer_b;
    Row result;
    const std::uint32_t *a = prepared(source_a(op), buffer_a, op.insn.abs_a, op.insn.neg_a, flush);
    const std::uint32_t *b = prepared(source_b(op, buffer_b), buffer_b, op.insn.abs_b, op.insn.neg_b, flush);
    // Sign and magnitude as a two's complement number order all floats, -0 below +0.
    const auto key = [](std::uint32_t bits) {
        const std::uint32_t all_ones_if_negative = 0U - (bits >> 31);
        return static_cast<std::int32_t>(bits ^ (all_ones_if_negative & kMagnitude));
    };
    for (unsigned i = 0; i < kLanes; ++i) {
        const bool minimum = ((take_minimum >> i) & 1U) != 0;
        const std::uint32_t ordered = (key(a[i]) < key(b[i])) == minimum ? a[i] : b[i];
        const std::uint32_t other_if_nan = is_nan(a[i]) ? b[i] : is_nan(b[i]) ? a[i] : ordered;
        result.lane[i] = is_nan(other_if_nan) ? kCanonicalNan32 : other_if_nan;
    }
    write_rd(op, result);
}

SMSIM_MULTIVERSION void execute_fsetp(const Operation &op) {
    const bool flush = op.insn.mod[1] != 0;
    Row buffer_a;
    Row buffer_b;
    const std::uint32_t *a = prepared(source_a(op), buffer_a, op.insn.abs_a, op.insn.neg_a, flush);
    const std::uint32_t *b = prepared(source_b(op, buffer_b), buffer_b, op.insn.abs_b, op.insn.neg_b, flush);
    const LaneMask less = lanes_where([a, b](unsigned i) { return to_float(a[i]) < to_float(b[i]); });
    const LaneMask equal = lanes_where([a, b](unsigned i) { return to_float(a[i]) == to_float(b[i]); });
    const LaneMask unordered = lanes_where([a, b](unsigned i) { return is_nan(a[i]) || is_nan(b[i]); });
    if (op.insn.mod[3] != 0) { // .CC
        ConditionFlags flags;
        flags.zero = equal | unordered;
        flags.sign = less | unordered;
        op.regs.set_flags(flags, op.executed);
    }
    write_setp(op, float_condition(modifier<isa::Compare>(op, 0), less, equal, unordered),
               modifier<isa::Combine>(op, 2));
}

} // namespace smsim::sm::compute
