// Moves: between registers, uniform registers, predicates, special registers and constant banks.
#include <fmt/format.h>

#include "model/isa/loaded.h"
#include "sm/datapath/compute/operation.h"

namespace smsim::sm::compute {
namespace {

using isa::SpecialRegister;

/// All lanes of a special register.
const std::uint32_t *special(const Operation &op, SpecialRegister reg, Row &buffer) {
    const WarpIdentity &id = op.ctx.identity;
    const auto per_lane = [&buffer](auto f) {
        for (unsigned i = 0; i < kLanes; ++i) {
            buffer.lane[i] = f(i);
        }
        return static_cast<const std::uint32_t *>(buffer.lane);
    };
    switch (reg) {
    case SpecialRegister::kLaneId:
        return per_lane([](unsigned i) { return i; });
    case SpecialRegister::kWarpId:
        return spread(buffer, id.warp_in_cta);
    case SpecialRegister::kTidX:
        return id.tid_x.lane;
    case SpecialRegister::kTidY:
        return id.tid_y.lane;
    case SpecialRegister::kTidZ:
        return id.tid_z.lane;
    case SpecialRegister::kCtaIdX:
        return spread(buffer, id.ctaid.x);
    case SpecialRegister::kCtaIdY:
        return spread(buffer, id.ctaid.y);
    case SpecialRegister::kCtaIdZ:
        return spread(buffer, id.ctaid.z);
    case SpecialRegister::kNtidX:
        return spread(buffer, id.ntid.x);
    case SpecialRegister::kNtidY:
        return spread(buffer, id.ntid.y);
    case SpecialRegister::kNtidZ:
        return spread(buffer, id.ntid.z);
    case SpecialRegister::kNctaIdX:
        return spread(buffer, id.nctaid.x);
    case SpecialRegister::kNctaIdY:
        return spread(buffer, id.nctaid.y);
    case SpecialRegister::kNctaIdZ:
        return spread(buffer, id.nctaid.z);
    case SpecialRegister::kSmId:
        return spread(buffer, id.smid);
    case SpecialRegister::kEqMask:
        return per_lane([](unsigned i) { return 1U << i; });
    case SpecialRegister::kLtMask:
        return per_lane([](unsigned i) { return (1U << i) - 1; });
    case SpecialRegister::kLeMask:
        return per_lane([](unsigned i) { return (2U << i) - 1; });
    case SpecialRegister::kGtMask:
        return per_lane([](unsigned i) { return ~((2U << i) - 1); });
    case SpecialRegister::kGeMask:
        return per_lane([](unsigned i) { return ~((1U << i) - 1); });
    case SpecialRegister::kClockLo:
        return spread(buffer, static_cast<std::uint32_t>(op.ctx.cycle));
    case SpecialRegister::kClockHi:
        return spread(buffer, static_cast<std::uint32_t>(op.ctx.cycle >> 32));
    case SpecialRegister::kGlobalTimerLo:
        return spread(buffer, static_cast<std::uint32_t>(op.ctx.nanoseconds));
    case SpecialRegister::kGlobalTimerHi:
        return spread(buffer, static_cast<std::uint32_t>(op.ctx.nanoseconds >> 32));
    }
    return spread(buffer, 0); // the decoder rejects other numbers
}

Row copy_of(const std::uint32_t *values) {
    Row row;
    std::memcpy(row.lane, values, sizeof row.lane);
    return row;
}

/// The value of the scalar operand b of UMOV.
std::uint32_t scalar_b(const Operation &op) {
    switch (op.insn.form) {
    case isa::Form::kU:
        return op.regs.uniform(op.insn.ur);
    case isa::Form::kC:
        return constant32(op);
    default:
        return static_cast<std::uint32_t>(op.insn.imm);
    }
}

} // namespace

SMSIM_MULTIVERSION void execute_mov(const Operation &op) {
    map_b(op, [](std::uint32_t b) { return b; });
}

void execute_s2r(const Operation &op) {
    Row buffer;
    write_rd(op, copy_of(special(op, static_cast<SpecialRegister>(op.insn.imm2), buffer)));
}

void execute_cs2r(const Operation &op) {
    const auto reg = static_cast<SpecialRegister>(op.insn.imm2);
    Row buffer;
    if (op.insn.mod[0] != 0) { // .32
        write_rd(op, copy_of(special(op, reg, buffer)));
        return;
    }
    const bool has_upper_half = reg == SpecialRegister::kClockLo || reg == SpecialRegister::kGlobalTimerLo;
    PairBuffer result;
    result.low = copy_of(special(op, reg, buffer));
    result.high = has_upper_half ? copy_of(special(op, static_cast<SpecialRegister>(op.insn.imm2 + 1), buffer)) : Row{};
    write_rd_pair(op, result);
}

void execute_umov(const Operation &op) {
    op.regs.set_uniform(op.insn.rd, scalar_b(op));
}

void execute_r2ur(const Operation &op) {
    op.regs.set_uniform(op.insn.rd, source_a(op)[op.executed.lowest()]);
}

void execute_s2ur(const Operation &op) {
    Row buffer;
    op.regs.set_uniform(op.insn.rd,
                        special(op, static_cast<SpecialRegister>(op.insn.imm2), buffer)[op.executed.lowest()]);
}

SMSIM_MULTIVERSION void execute_sel(const Operation &op) {
    Row buffer;
    Row result;
    const std::uint32_t *a = source_a(op);
    const std::uint32_t *b = source_b(op, buffer);
    const std::uint32_t pp = predicate_pp(op).bits();
    for (unsigned i = 0; i < kLanes; ++i) {
        const std::uint32_t take_a = 0U - ((pp >> i) & 1U);
        result.lane[i] = (a[i] & take_a) | (b[i] & ~take_a);
    }
    write_rd(op, result);
}

SMSIM_MULTIVERSION void execute_p2r(const Operation &op) {
    const std::uint32_t *a = source_a(op);
    const std::uint32_t mask = static_cast<std::uint32_t>(op.insn.imm) & 0x7fU;
    Row result;
    for (unsigned i = 0; i < kLanes; ++i) {
        result.lane[i] = a[i] & ~mask;
    }
    for (unsigned p = 0; p < isa::kPt; ++p) {
        if (((mask >> p) & 1U) != 0) {
            const std::uint32_t held = op.regs.predicate(static_cast<std::uint8_t>(p)).bits();
            for (unsigned i = 0; i < kLanes; ++i) {
                result.lane[i] |= ((held >> i) & 1U) << p;
            }
        }
    }
    write_rd(op, result);
}

SMSIM_MULTIVERSION void execute_r2p(const Operation &op) {
    const std::uint32_t *a = source_a(op);
    const std::uint32_t mask = static_cast<std::uint32_t>(op.insn.imm) & 0x7fU;
    for (unsigned p = 0; p < isa::kPt; ++p) {
        if (((mask >> p) & 1U) != 0) {
            const LaneMask value = lanes_where([a, p](unsigned i) { return (a[i] >> p) & 1U; });
            op.regs.set_predicate(static_cast<std::uint8_t>(p), value, op.executed);
        }
    }
}

void execute_ldc(const Operation &op) {
    const auto access = modifier<isa::Access>(op, 0);
    const unsigned bytes = isa::access_bytes(access);
    const unsigned bank = op.insn.const_bank;
    const std::span<const std::uint8_t> content =
        bank < op.ctx.constants.size() ? op.ctx.constants[bank] : std::span<const std::uint8_t>{};
    const std::uint32_t *index = source_a(op);
    // A fault is precise: all lanes are checked before the first register changes.
    for_each_lane(op.executed, [&](unsigned lane) {
        const std::uint32_t address = index[lane] + op.insn.const_offset;
        if (op.fault.has_value()) {
            return;
        }
        if (std::size_t{address} + bytes > content.size()) {
            op.fault =
                FaultReport{Fault::kIllegalAddress, fmt::format("lane {}: c[{}][{:#x}]: {} bytes at this offset lie "
                                                                "outside the bank of {} bytes",
                                                                lane, bank, address, bytes, content.size())};
        } else if (address % bytes != 0) {
            op.fault = FaultReport{Fault::kMisalignedAddress, fmt::format("lane {}: c[{}][{:#x}] is not aligned to {} "
                                                                          "bytes",
                                                                          lane, bank, address, bytes)};
        }
    });
    if (op.fault.has_value()) {
        return;
    }
    const Row addresses = copy_of(index); // the destination may be the index register
    for_each_lane(op.executed, [&](unsigned lane) {
        const std::uint8_t *from =
            content.data() + static_cast<std::uint32_t>(addresses.lane[lane] + op.insn.const_offset);
        std::array<std::uint32_t, 4> words{};
        std::memcpy(words.data(), from, bytes);
        words[0] = isa::loaded(words[0], access);
        std::uint8_t reg = op.insn.rd;
        for (unsigned word = 0; word * 4 < bytes; ++word) {
            op.regs.set(reg, lane, words[word]);
            reg = upper_half(reg);
        }
    });
}

} // namespace smsim::sm::compute
