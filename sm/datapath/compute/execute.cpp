// Dispatches the compute operations, and makes the checks common to all of them.
#include "sm/datapath/compute/execute.h"

#include <algorithm>

#include <fmt/format.h>

#include "sm/datapath/compute/operation.h"

namespace smsim::sm::compute {
namespace {

using isa::Op;

constexpr std::array<Handler, 256> kHandlers = [] {
    std::array<Handler, 256> table{};
    const auto set = [&table](Op op, Handler handler) { table[static_cast<std::uint8_t>(op)] = handler; };
    set(Op::kMov, execute_mov);
    set(Op::kS2r, execute_s2r);
    set(Op::kCs2r, execute_cs2r);
    set(Op::kUmov, execute_umov);
    set(Op::kR2ur, execute_r2ur);
    set(Op::kS2ur, execute_s2ur);
    set(Op::kSel, execute_sel);
    set(Op::kP2r, execute_p2r);
    set(Op::kR2p, execute_r2p);
    set(Op::kIadd3, execute_iadd3);
    set(Op::kImad, execute_imad);
    set(Op::kLea, execute_lea);
    set(Op::kIabs, execute_iabs);
    set(Op::kImnmx, execute_imnmx);
    set(Op::kLop3, execute_lop3);
    set(Op::kShf, execute_shf);
    set(Op::kShl, execute_shl);
    set(Op::kShr, execute_shr);
    set(Op::kPrmt, execute_prmt);
    set(Op::kPopc, execute_popc);
    set(Op::kFlo, execute_flo);
    set(Op::kBrev, execute_brev);
    set(Op::kIsetp, execute_isetp);
    set(Op::kPsetp, execute_psetp);
    set(Op::kPlop3, execute_plop3);
    set(Op::kFadd, execute_fadd);
    set(Op::kFmul, execute_fmul);
    set(Op::kFfma, execute_ffma);
    set(Op::kFmnmx, execute_fmnmx);
    set(Op::kFsetp, execute_fsetp);
    set(Op::kMufu, execute_mufu);
    set(Op::kF2i, execute_f2i);
    set(Op::kI2f, execute_i2f);
    set(Op::kF2f, execute_f2f);
    set(Op::kF2fp, execute_f2fp);
    set(Op::kDadd, execute_dadd);
    set(Op::kDmul, execute_dmul);
    set(Op::kDfma, execute_dfma);
    set(Op::kDsetp, execute_dsetp);
    set(Op::kHadd2, execute_hadd2);
    set(Op::kHmul2, execute_hmul2);
    set(Op::kHfma2, execute_hfma2);
    for (const Op op : {Op::kHmma, Op::kImma, Op::kBmma, Op::kDmma}) {
        set(op, execute_matrix);
    }
    set(Op::kVote, execute_vote);
    set(Op::kMatch, execute_match);
    set(Op::kRedux, execute_redux);
    set(Op::kShfl, execute_shfl);
    set(Op::kMovm, execute_movm);
    set(Op::kLdc, execute_ldc);
    return table;
}();

template <typename T>
std::optional<T> read_constant(const ConstantBanks &banks, std::uint32_t bank, std::uint64_t offset) {
    if (bank >= banks.size() || offset > banks[bank].size() || banks[bank].size() - offset < sizeof(T)) {
        return std::nullopt;
    }
    T value;
    std::memcpy(&value, banks[bank].data() + offset, sizeof value);
    return value;
}

/// Bytes that the constant operand of a form C or RRC instruction reads.
unsigned constant_bytes(const isa::Instruction &insn) {
    switch (insn.op) {
    case Op::kDadd:
    case Op::kDmul:
    case Op::kDfma:
    case Op::kDsetp:
        return 8;
    case Op::kImad:
        return insn.form == isa::Form::kRrc && insn.mod[0] == 2 ? 8 : 4;
    case Op::kF2i:
    case Op::kF2f:
        return static_cast<isa::FloatType>(insn.mod[1]) == isa::FloatType::kF64 ? 8 : 4;
    case Op::kI2f: {
        const auto type = static_cast<isa::IntType>(insn.mod[1]);
        return type == isa::IntType::kS64 || type == isa::IntType::kU64 ? 8 : 4;
    }
    default:
        return 4;
    }
}

} // namespace

WarpIdentity WarpIdentity::of(Dim3 ctaid, Dim3 ntid, Dim3 nctaid, std::uint32_t warp_in_cta, std::uint32_t smid) {
    WarpIdentity identity;
    identity.ctaid = ctaid;
    identity.ntid = ntid;
    identity.nctaid = nctaid;
    identity.warp_in_cta = warp_in_cta;
    identity.smid = smid;
    const std::uint64_t width = std::max(ntid.x, 1U);
    const std::uint64_t height = std::max(ntid.y, 1U);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        const std::uint64_t thread = std::uint64_t{warp_in_cta} * kLanes + lane;
        identity.tid_x.lane[lane] = static_cast<std::uint32_t>(thread % width);
        identity.tid_y.lane[lane] = static_cast<std::uint32_t>(thread / width % height);
        identity.tid_z.lane[lane] = static_cast<std::uint32_t>(thread / width / height);
    }
    return identity;
}

std::optional<std::uint32_t> read_constant32(const ConstantBanks &banks, std::uint32_t bank, std::uint64_t offset) {
    return read_constant<std::uint32_t>(banks, bank, offset);
}

std::optional<std::uint64_t> read_constant64(const ConstantBanks &banks, std::uint32_t bank, std::uint64_t offset) {
    return read_constant<std::uint64_t>(banks, bank, offset);
}

std::optional<std::uint8_t> unallocated_register(const isa::Instruction &insn, unsigned count) {
    const bool uniform_rd = insn.op == Op::kUmov || insn.op == Op::kR2ur || insn.op == Op::kS2ur;
    for (const std::uint8_t reg : {uniform_rd ? isa::kRz : insn.rd, insn.ra, insn.rb, insn.rc}) {
        if (reg != isa::kRz && reg >= count) {
            return reg;
        }
    }
    return std::nullopt;
}

std::optional<FaultReport> register_fault(const isa::Instruction &insn, unsigned count) {
    if (const auto reg = unallocated_register(insn, count)) {
        return FaultReport{Fault::kIllegalInstruction,
                           fmt::format("R{} is beyond the {} registers of the warp", *reg, count)};
    }
    return std::nullopt;
}

bool is_compute(isa::Op op) {
    return kHandlers[static_cast<std::uint8_t>(op)] != nullptr;
}

std::optional<FaultReport> execute(const isa::Instruction &insn, WarpRegisters &regs, LaneMask executed,
                                   const ExecutionContext &ctx) {
    std::optional<FaultReport> fault;
    const Handler handler = kHandlers[static_cast<std::uint8_t>(insn.op)];
    if (handler == nullptr) {
        const isa::OpSpec *spec = isa::find_op(static_cast<std::uint8_t>(insn.op));
        fault = FaultReport{Fault::kIllegalInstruction, fmt::format("{} is not a compute operation",
                                                                    spec == nullptr ? "the operation" : spec->name)};
        return fault;
    }
    if (executed.none()) {
        return fault;
    }
    if (!has_all_registers(insn, regs.count())) {
        fault = register_fault(insn, regs.count());
        if (fault) {
            return fault;
        }
    }
    if ((insn.form == isa::Form::kC || insn.form == isa::Form::kRrc) && insn.op != Op::kLdc) {
        const unsigned bytes = constant_bytes(insn);
        const std::size_t size = insn.const_bank < ctx.constants.size() ? ctx.constants[insn.const_bank].size() : 0;
        if (std::size_t{insn.const_offset} + bytes > size) {
            fault = FaultReport{Fault::kIllegalAddress,
                                fmt::format("c[{}][{:#x}]: {} bytes at this offset lie outside the bank of {} bytes",
                                            insn.const_bank, insn.const_offset, bytes, size)};
            return fault;
        }
    }
    handler(Operation{insn, regs, executed, ctx, fault});
    return fault;
}

} // namespace smsim::sm::compute
