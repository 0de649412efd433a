// Double-precision arithmetic on register pairs: correctly rounded in all four modes, subnormals kept.
#include <bit>
#include <cmath>

#include "sm/datapath/compute/operation.h"
#include "sm/datapath/compute/rounding.h"

namespace smsim::sm::compute {
namespace {

constexpr std::uint64_t kSign = std::uint64_t{1} << 63;

/// The double operands of all lanes, |x| and -x applied.
struct Doubles {
    alignas(64) double lane[kLanes];
};

SMSIM_LANE_INLINE void load(Doubles &to, const PairRows &from, bool absolute, bool negate) {
    const std::uint64_t keep = absolute ? ~kSign : ~std::uint64_t{0};
    const std::uint64_t flip = negate ? kSign : 0;
    for (unsigned i = 0; i < kLanes; ++i) {
        to.lane[i] = std::bit_cast<double>((join(from, i) & keep) ^ flip);
    }
}

/// An immediate holds the upper half of a double; the lower half is zero.
std::uint64_t immediate(const Operation &op) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(op.insn.imm)) << 32;
}

using Kernel = void (*)(Doubles &, const Doubles &, const Doubles &, const Doubles &);

// The kernels stay separate functions: HostRounding needs that.
[[gnu::noinline]] SMSIM_MULTIVERSION void add_rows(Doubles &result, const Doubles &a, const Doubles &b,
                                                   [[maybe_unused]] const Doubles &c) {
    for (unsigned i = 0; i < kLanes; ++i) {
        result.lane[i] = a.lane[i] + b.lane[i];
    }
}
[[gnu::noinline]] SMSIM_MULTIVERSION void multiply_rows(Doubles &result, const Doubles &a, const Doubles &b,
                                                        [[maybe_unused]] const Doubles &c) {
    for (unsigned i = 0; i < kLanes; ++i) {
        result.lane[i] = a.lane[i] * b.lane[i];
    }
}
[[gnu::noinline]] SMSIM_MULTIVERSION void fused_rows(Doubles &result, const Doubles &a, const Doubles &b,
                                                     const Doubles &c) {
    for (unsigned i = 0; i < kLanes; ++i) {
        result.lane[i] = std::fma(a.lane[i], b.lane[i], c.lane[i]);
    }
}

SMSIM_LANE_INLINE void arithmetic(const Operation &op, Kernel kernel, bool three_sources) {
    const auto mode = modifier<isa::Rounding>(op, 0);
    PairBuffer buffer;
    Doubles a;
    Doubles b;
    Doubles c;
    Doubles result;
    load(a, pair_a(op), op.insn.abs_a, op.insn.neg_a);
    load(b, pair_b(op, buffer, immediate(op)), op.insn.abs_b, op.insn.neg_b);
    if (three_sources) {
        load(c, pair_c(op, buffer, immediate(op)), op.insn.abs_c, op.insn.neg_c);
    }
    const Doubles &third = three_sources ? c : b;
    if (mode == isa::Rounding::kRn) {
        kernel(result, a, b, third);
    } else {
        const HostRounding scope(mode);
        kernel(result, a, b, third);
    }
    PairBuffer bits;
    for (unsigned i = 0; i < kLanes; ++i) {
        const double value = result.lane[i];
        split(bits, i, value != value ? kCanonicalNan64 : std::bit_cast<std::uint64_t>(value));
    }
    write_rd_pair(op, bits);
}

} // namespace

SMSIM_MULTIVERSION void execute_dadd(const Operation &op) {
    arithmetic(op, add_rows, false);
}
SMSIM_MULTIVERSION void execute_dmul(const Operation &op) {
    arithmetic(op, multiply_rows, false);
}
SMSIM_MULTIVERSION void execute_dfma(const Operation &op) {
    arithmetic(op, fused_rows, true);
}

SMSIM_MULTIVERSION void execute_dsetp(const Operation &op) {
    PairBuffer buffer;
    Doubles a;
    Doubles b;
    load(a, pair_a(op), op.insn.abs_a, op.insn.neg_a);
    load(b, pair_b(op, buffer, immediate(op)), op.insn.abs_b, op.insn.neg_b);
    const LaneMask less = lanes_where([&a, &b](unsigned i) { return a.lane[i] < b.lane[i]; });
    const LaneMask equal = lanes_where([&a, &b](unsigned i) { return a.lane[i] == b.lane[i]; });
    const LaneMask ordered =
        lanes_where([&a, &b](unsigned i) { return a.lane[i] == a.lane[i] && b.lane[i] == b.lane[i]; });
    write_setp(op, float_condition(modifier<isa::Compare>(op, 0), less, equal, ~ordered),
               modifier<isa::Combine>(op, 1));
}

} // namespace smsim::sm::compute
