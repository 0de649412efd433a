// Support for the tests of the compute operations: one warp, every operand form from one description, all masks, and
// reference rounding that is independent of the code under test.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "sm/datapath/compute/execute.h"

namespace smsim::sm::compute::test {

using isa::Form;
using isa::Instruction;
using isa::Op;
using isa::Rounding;

/// Operands of one lane.
struct In {
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    std::uint64_t c = 0;
    bool pp = false;
    bool pa = false;
    bool pb = false;
    unsigned lane = 0;

    std::uint32_t a32() const { return static_cast<std::uint32_t>(a); }
    std::uint32_t b32() const { return static_cast<std::uint32_t>(b); }
    std::uint32_t c32() const { return static_cast<std::uint32_t>(c); }
};

/// Expected results of one lane; predicates count where the instruction names them.
struct Out {
    std::uint64_t rd = 0;
    bool pu = false;
    bool pv = false;
};

/// Which operands are 64 bits wide, and how a 64-bit operand extends its 32-bit immediate.
struct Widths {
    bool a = false;
    bool b = false;
    bool c = false;
    bool rd = false;
    bool writes_rd = true;
    std::function<std::uint64_t(std::uint32_t)> immediate = [](std::uint32_t v) { return std::uint64_t{v}; };
};

/// Values for operands: the edges of the number range relevant to a test, and random ones.
using Source = std::function<std::uint64_t(std::mt19937_64 &)>;

inline Source pick(std::vector<std::uint64_t> edges) {
    return [edges = std::move(edges)](std::mt19937_64 &random) {
        return random() % 3 == 0 ? random() : edges[random() % edges.size()];
    };
}
inline Source integers() {
    return pick({0,
                 1,
                 2,
                 31,
                 32,
                 33,
                 63,
                 64,
                 0x7f,
                 0x80,
                 0xff,
                 0x7fff,
                 0x8000,
                 0xffff,
                 0x10000,
                 0x7fffffff,
                 0x80000000,
                 0x80000001,
                 0xfffffffe,
                 0xffffffff,
                 0x12345678,
                 0x8000000000000000,
                 0x7fffffffffffffff,
                 0xffffffffffffffff});
}
inline Source floats() {
    return pick({0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
                 0x3f800000, 0xbf800000, 0x3f800001, 0x3f7fffff, 0x3f000000, 0x34000000, 0x33800000, 0xb3800000,
                 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x7f800001, 0x4b7fffff,
                 0x4f000000, 0xcf000000, 0x4effffff, 0x40490fdb, 0x3fc00000, 0xc0200000, 0x42280000, 0x00400000});
}
inline Source doubles() {
    return pick({0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x8000000000000001, 0x000fffffffffffff,
                 0x0010000000000000, 0x8010000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x3ff0000000000001,
                 0x3fefffffffffffff, 0x3ca0000000000000, 0x3fe0000000000000, 0x7fefffffffffffff, 0xffefffffffffffff,
                 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0xfff8000000012345, 0x7ff0000000000001,
                 0x4008000000000000, 0xc004000000000000, 0x41dfffffffc00000, 0x41e0000000000000, 0xc1e0000000200000,
                 0x43e0000000000000, 0xc3e0000000000000, 0x43f0000000000000, 0x47efffffefffffff, 0x47effffff0000000,
                 0x36a0000000000000, 0x3690000000000000, 0x40effc0000000000, 0x40effe0000000000, 0x3e60000000000000});
}

/// A warp with 64 registers, two constant banks and an identity.
class Warp {
  public:
    Warp() {
        banks[0] = bytes;
        banks[2] = bytes;
    }

    WarpRegisters regs{64};
    WarpIdentity identity = WarpIdentity::of({3, 4, 5}, {7, 3, 4}, {8, 9, 10}, 1, 6);
    std::array<std::uint8_t, 0x100> bytes{};
    ConstantBanks banks{};
    Cycle cycle = 0x123456789abcdef0;
    std::uint64_t nanoseconds = 0xfedcba9876543210;

    std::optional<FaultReport> execute(const Instruction &insn, LaneMask lanes = LaneMask::all()) {
        return compute::execute(insn, regs, lanes, ExecutionContext{identity, banks, cycle, nanoseconds});
    }
    void run(const Instruction &insn, LaneMask lanes = LaneMask::all()) {
        const auto fault = execute(insn, lanes);
        ASSERT_FALSE(fault.has_value()) << fault->detail;
    }
    void fill(std::uint8_t reg, const std::function<std::uint32_t(unsigned)> &value) {
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            regs.set(reg, lane, value(lane));
        }
    }
    void put_constant(unsigned offset, std::uint64_t value) {
        std::memcpy(bytes.data() + offset, &value, sizeof value);
    }
};

inline Instruction make(Op op, Form form) {
    Instruction insn;
    insn.op = op;
    insn.form = form;
    insn.unit = insn.spec().unit;
    return insn;
}

/// Masks that the write-back treats differently: all, alternating, one lane at either end, none of them.
inline constexpr std::uint32_t kMasks[] = {0xffffffff, 0x5a5a1234, 0x00000001, 0x80000000, 0x7fffffff};

/// Executes `base` in every form of the operation, with several operand vectors and masks, and compares every lane
/// with `expected`. Registers used: rd R12, a R4, b R20, c R28, predicates pp P1, pa P4, pb P5; pu and pv are those of
/// `base`. Lanes outside the mask must be unchanged.
inline void check(const Instruction &base, const Widths &widths, const Source &source,
                  const std::function<Out(const In &)> &expected, unsigned rounds = 12) {
    const auto &spec = base.spec();
    std::mt19937_64 random(static_cast<unsigned>(base.op) * 977U + base.mod[0]);
    for (const isa::FormSpec &form : spec.forms) {
        for (unsigned round = 0; round < rounds; ++round) {
            Warp warp;
            Instruction insn = base;
            insn.form = form.form;
            insn.rd = widths.writes_rd ? 12 : isa::kRz;
            insn.ra = 4;
            insn.rb = 20;
            insn.rc = 28;
            insn.ur = 8;
            insn.pp = 1;
            insn.pa = 4;
            insn.pb = 5;
            insn.const_bank = 2;
            insn.const_offset = 0x48;
            const std::uint64_t scalar = source(random);
            const auto scalar_low = static_cast<std::uint32_t>(scalar);
            const bool is_rr = form.form == Form::kRri || form.form == Form::kRrc || form.form == Form::kRru;
            const bool is_immediate = form.form == Form::kI || form.form == Form::kRri;
            if (is_immediate) {
                insn.imm = scalar_low;
                // neither negation nor absolute value of an immediate can be encoded
                (is_rr ? insn.neg_c : insn.neg_b) = false;
                (is_rr ? insn.abs_c : insn.abs_b) = false;
            }
            warp.regs.set_uniform(8, scalar_low);
            warp.regs.set_uniform(9, static_cast<std::uint32_t>(scalar >> 32));
            warp.put_constant(0x48, scalar);
            std::array<In, kLanes> in;
            const std::uint64_t predicates = random();
            for (unsigned lane = 0; lane < kLanes; ++lane) {
                in[lane] = {source(random), source(random), source(random), false, false, false, lane};
                warp.regs.set_pair(4, lane, in[lane].a);
                warp.regs.set_pair(20, lane, in[lane].b);
                warp.regs.set_pair(28, lane, in[lane].c);
                warp.regs.set_pair(12, lane, 0xdead0000beef0000ULL + lane);
                std::uint64_t &shared = is_rr ? in[lane].c : in[lane].b;
                if (form.form != Form::kR && form.form != Form::kX) {
                    shared = is_immediate ? widths.immediate(scalar_low) : scalar;
                }
                in[lane].a = widths.a ? in[lane].a : in[lane].a32();
                in[lane].b = widths.b ? in[lane].b : in[lane].b32();
                in[lane].c = widths.c ? in[lane].c : in[lane].c32();
            }
            const auto set = [&](std::uint8_t p, bool In::*member, std::uint32_t bits, bool negated) {
                warp.regs.set_predicate(p, LaneMask(bits), LaneMask::all());
                for (unsigned lane = 0; lane < kLanes; ++lane) {
                    in[lane].*member = (((bits >> lane) & 1U) != 0) != negated;
                }
            };
            set(1, &In::pp, static_cast<std::uint32_t>(predicates), insn.pp_not);
            set(4, &In::pa, static_cast<std::uint32_t>(predicates >> 16), insn.pa_not);
            set(5, &In::pb, static_cast<std::uint32_t>(predicates >> 32), insn.pb_not);
            const LaneMask before(0x0f0f3355);
            for (const std::uint8_t p : {insn.pu, insn.pv}) {
                warp.regs.set_predicate(p, before, LaneMask::all());
            }
            const LaneMask mask(kMasks[round % std::size(kMasks)]);
            warp.run(insn, mask);
            for (unsigned lane = 0; lane < kLanes; ++lane) {
                const Out want = expected(in[lane]);
                const bool executed = mask.test(lane);
                SCOPED_TRACE(::testing::Message() << spec.name << " form " << isa::form_name(form.form) << " lane "
                                                  << lane << std::hex << " a " << in[lane].a << " b " << in[lane].b
                                                  << " c " << in[lane].c << " pp " << in[lane].pp);
                const std::uint64_t kept = 0xdead0000beef0000ULL + lane;
                if (widths.writes_rd) {
                    ASSERT_EQ(warp.regs.value(12, lane), static_cast<std::uint32_t>(executed ? want.rd : kept));
                }
                ASSERT_EQ(warp.regs.value(13, lane),
                          static_cast<std::uint32_t>((executed && widths.rd ? want.rd : kept) >> 32));
                if (insn.pu != isa::kPt) {
                    ASSERT_EQ(warp.regs.predicate(insn.pu).test(lane), executed ? want.pu : before.test(lane));
                }
                if (insn.pv != isa::kPt) {
                    ASSERT_EQ(warp.regs.predicate(insn.pv).test(lane), executed ? want.pv : before.test(lane));
                }
            }
        }
    }
}

// --- reference rounding: in quadruple precision, from the definition of each mode
// --------------------------------------

using Quad = __float128;

inline float f32(std::uint64_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}
inline double f64(std::uint64_t bits) {
    return std::bit_cast<double>(bits);
}
inline std::uint32_t bits_of(float v) {
    return std::isnan(v) ? 0x7fffffffU : std::bit_cast<std::uint32_t>(v);
}
inline std::uint64_t bits_of(double v) {
    return std::isnan(v) ? 0x7fffffffffffffffULL : std::bit_cast<std::uint64_t>(v);
}

/// The F nearest to the exact value high + low (|low| below the last bit of high, high not 0) in a rounding mode.
template <typename F> F round_exact(Quad high, Quad low, Rounding mode) {
    using Limits = std::numeric_limits<F>;
    const auto compare = [&](Quad to) { // sign of exact - to
        const Quad difference = high - to;
        return difference != 0 ? (difference > 0 ? 1 : -1) : (low > 0) - (low < 0);
    };
    const F largest = Limits::max();
    F below;
    F above;
    if (compare(largest) > 0) {
        below = largest;
        above = Limits::infinity();
    } else if (compare(-largest) < 0) {
        below = -Limits::infinity();
        above = -largest;
    } else {
        const F near = static_cast<F>(high);
        const int side = std::isinf(near) ? (near > 0 ? -1 : 1) : compare(near);
        if (side == 0) {
            return near;
        }
        below = side > 0 ? near : std::nextafter(near, -Limits::infinity());
        above = side > 0 ? std::nextafter(near, Limits::infinity()) : near;
    }
    const bool negative = high < 0;
    switch (mode) {
    case Rounding::kRm:
        return below;
    case Rounding::kRp:
        return above;
    case Rounding::kRz:
        return negative ? above : below;
    case Rounding::kRn:
        break;
    }
    // The midpoint; next to infinity it is half a step beyond the largest number.
    const Quad step = Quad(largest) - Quad(std::nextafter(largest, F(0)));
    const Quad middle = std::isinf(above)   ? Quad(largest) + step / 2
                        : std::isinf(below) ? -Quad(largest) - step / 2
                                            : (Quad(below) + Quad(above)) / 2;
    const int side = compare(middle);
    if (side != 0) {
        return side > 0 ? above : below;
    }
    if (std::isinf(above) || std::isinf(below)) {
        return std::isinf(above) ? above : below;
    }
    return (std::bit_cast<std::conditional_t<sizeof(F) == 4, std::uint32_t, std::uint64_t>>(below) & 1U) == 0 ? below
                                                                                                              : above;
}

/// x + y rounded once, with IEEE 754 signs of zero; x may be an exact product.
template <typename F> F reference_add(Quad x, Quad y, bool x_negative, bool y_negative, Rounding mode) {
    const Quad infinity = std::numeric_limits<F>::infinity();
    if (x != x || y != y || x == infinity || x == -infinity || y == infinity || y == -infinity) {
        return static_cast<F>(x + y);
    }
    const Quad sum = x + y;
    const Quad y_part = sum - x;
    const Quad error = (x - (sum - y_part)) + (y - y_part);
    if (sum == 0) {
        const bool negative = x == 0 && x_negative == y_negative ? x_negative : mode == Rounding::kRm;
        return negative ? -F(0) : F(0);
    }
    return round_exact<F>(sum, error, mode);
}

/// a * b rounded once. The product of two F is exact in quadruple precision.
template <typename F> F reference_multiply(F a, F b, Rounding mode) {
    const Quad product = Quad(a) * Quad(b);
    if (product != product || std::isinf(a) || std::isinf(b) || product == 0) {
        return a * b;
    }
    return round_exact<F>(product, 0, mode);
}

template <typename F> F reference_fma(F a, F b, F c, Rounding mode) {
    const Quad product = Quad(a) * Quad(b);
    return reference_add<F>(product, Quad(c), std::signbit(a) != std::signbit(b), std::signbit(c), mode);
}

} // namespace smsim::sm::compute::test
