// Logic on bits, bytes and predicates, and shifts.
#include <algorithm>

#include "sm/datapath/compute/operation.h"

namespace smsim::sm::compute {
namespace {

/// Any function of three inputs, bit by bit: bit (4x + 2y + z) of the table is the value for inputs x, y, z. The table
/// is selected by z, then y, then x, which takes seven multiplexers whatever the function is.
SMSIM_LANE_INLINE std::uint32_t truth_table(std::uint32_t table, std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    const auto entry = [table](unsigned i) { return 0U - ((table >> i) & 1U); };
    const auto select = [](std::uint32_t s, std::uint32_t zero, std::uint32_t one) {
        return zero ^ ((zero ^ one) & s);
    };
    const std::uint32_t x0 = select(y, select(z, entry(0), entry(1)), select(z, entry(2), entry(3)));
    const std::uint32_t x1 = select(y, select(z, entry(4), entry(5)), select(z, entry(6), entry(7)));
    return select(x, x0, x1);
}

constexpr std::uint32_t reverse_bits(std::uint32_t v) {
    v = ((v >> 1) & 0x55555555U) | ((v & 0x55555555U) << 1);
    v = ((v >> 2) & 0x33333333U) | ((v & 0x33333333U) << 2);
    v = ((v >> 4) & 0x0f0f0f0fU) | ((v & 0x0f0f0f0fU) << 4);
    v = ((v >> 8) & 0x00ff00ffU) | ((v & 0x00ff00ffU) << 8);
    return (v >> 16) | (v << 16);
}

/// Generic byte permute: nibble i of the selector selects a byte of c:a for byte i; its bit 3 replicates the byte's
/// sign.
constexpr std::uint32_t permute_bytes(std::uint32_t a, std::uint32_t selector, std::uint32_t c) {
    const std::uint64_t bytes = a | (std::uint64_t{c} << 32);
    std::uint32_t result = 0;
    for (unsigned i = 0; i < 4; ++i) {
        const std::uint32_t nibble = selector >> (4 * i);
        const auto byte = static_cast<std::uint32_t>(bytes >> (8 * (nibble & 7U))) & 0xffU;
        const std::uint32_t sign = (byte & 0x80U) != 0 ? 0xffU : 0U;
        result |= ((nibble & 8U) != 0 ? sign : byte) << (8 * i);
    }
    return result;
}

} // namespace

SMSIM_MULTIVERSION void execute_lop3(const Operation &op) {
    // The functions that compilers emit most are spelled out; the general case costs about twice as much.
    const std::uint32_t table = op.insn.imm2 & 0xffU;
    if (op.insn.mod[0] != 0) { // .CC
        Row buffer_b;
        Row buffer_c;
        Row result;
        const std::uint32_t *a = source_a(op);
        const std::uint32_t *b = source_b(op, buffer_b);
        const std::uint32_t *c = source_c(op, buffer_c);
        for (unsigned i = 0; i < kLanes; ++i) {
            result.lane[i] = truth_table(table, a[i], b[i], c[i]);
        }
        op.regs.set_flags(flags_of(result), op.executed);
        write_rd(op, result);
        return;
    }
    switch (table) {
    case 0xc0:
        map_ab(op, [](std::uint32_t a, std::uint32_t b) { return a & b; });
        break;
    case 0xfc:
        map_ab(op, [](std::uint32_t a, std::uint32_t b) { return a | b; });
        break;
    case 0x3c:
        map_ab(op, [](std::uint32_t a, std::uint32_t b) { return a ^ b; });
        break;
    default:
        map_abc(op, [table](std::uint32_t a, std::uint32_t b, std::uint32_t c) { return truth_table(table, a, b, c); });
        break;
    }
}

SMSIM_MULTIVERSION void execute_shf(const Operation &op) {
    const bool right = op.insn.mod[0] != 0;
    const bool wrap = op.insn.mod[1] != 0;
    const auto amount = [wrap](std::uint32_t b) { return wrap ? b & 31U : std::min(b, 32U); };
    if (right) {
        map_abc(op, [amount](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
            return static_cast<std::uint32_t>((a | (std::uint64_t{c} << 32)) >> amount(b));
        });
    } else {
        map_abc(op, [amount](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
            return static_cast<std::uint32_t>(((a | (std::uint64_t{c} << 32)) << amount(b)) >> 32);
        });
    }
}

SMSIM_MULTIVERSION void execute_shl(const Operation &op) {
    map_ab(op, [](std::uint32_t a, std::uint32_t b) { return b > 31 ? 0U : a << (b & 31U); });
}

SMSIM_MULTIVERSION void execute_shr(const Operation &op) {
    if (op.insn.mod[0] != 0) {
        map_ab(op, [](std::uint32_t a, std::uint32_t b) {
            return static_cast<std::uint32_t>(static_cast<std::int32_t>(a) >> std::min(b, 31U));
        });
    } else {
        map_ab(op, [](std::uint32_t a, std::uint32_t b) { return b > 31 ? 0U : a >> (b & 31U); });
    }
}

SMSIM_MULTIVERSION void execute_prmt(const Operation &op) {
    map_abc(op, [](std::uint32_t a, std::uint32_t b, std::uint32_t c) { return permute_bytes(a, b, c); });
}

SMSIM_MULTIVERSION void execute_popc(const Operation &op) {
    map_b(op, [](std::uint32_t b) { return static_cast<std::uint32_t>(std::popcount(b)); });
}

SMSIM_MULTIVERSION void execute_flo(const Operation &op) {
    const bool is_signed = op.insn.mod[0] != 0;
    const bool as_shift = op.insn.mod[1] != 0;
    map_b(op, [=](std::uint32_t b) {
        const std::uint32_t value = is_signed && (b >> 31) != 0 ? ~b : b;
        const auto leading_zeros = static_cast<std::uint32_t>(std::countl_zero(value));
        return value == 0 ? ~0U : as_shift ? leading_zeros : 31U - leading_zeros;
    });
}

SMSIM_MULTIVERSION void execute_brev(const Operation &op) {
    map_b(op, [](std::uint32_t b) { return reverse_bits(b); });
}

void execute_psetp(const Operation &op) {
    const LaneMask first = combine(modifier<isa::Combine>(op, 0), predicate_pa(op), predicate_pb(op));
    write_setp(op, first, modifier<isa::Combine>(op, 1));
}

void execute_plop3(const Operation &op) {
    // The 32 lanes of a predicate are one word, so the bitwise function serves all lanes at once.
    const std::uint32_t pa = predicate_pa(op).bits();
    const std::uint32_t pb = predicate_pb(op).bits();
    const std::uint32_t pp = predicate_pp(op).bits();
    op.regs.set_predicate(op.insn.pu, LaneMask(truth_table(op.insn.imm2, pa, pb, pp)), op.executed);
    op.regs.set_predicate(op.insn.pv, LaneMask(truth_table(static_cast<std::uint32_t>(op.insn.imm), pa, pb, pp)),
                          op.executed);
}

} // namespace smsim::sm::compute
