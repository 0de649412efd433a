// Internal to sm/datapath/compute: operand rows and write-back, shared by the handlers of the operations.
//
// A handler resolves each operand once to a row of 32 values (a register's own row, or a scalar copied to all lanes of
// a local row), computes all 32 lanes without a branch, and writes under the mask. Computing lanes whose results are
// dropped is cheaper than testing for them, and no operation of this folder can trap.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>

#include "model/multiversion.h"
#include "sm/datapath/compute/execute.h"

// Two rows are the same row or do not overlap, so a loop over lanes has no dependence between lanes even if its
// destination is one of its sources. The compiler cannot know that.
#if defined(__GNUC__) && !defined(__clang__)
#define SMSIM_INDEPENDENT_LANES _Pragma("GCC ivdep")
#else
#define SMSIM_INDEPENDENT_LANES
#endif
// Helpers of the lane loops must be inlined into the version that calls them.
#define SMSIM_LANE_INLINE [[gnu::always_inline]] inline

namespace smsim::sm::compute {

/// One instruction being executed; `fault` is set instead of changing registers.
struct Operation {
    const isa::Instruction &insn;
    WarpRegisters &regs;
    LaneMask executed;
    const ExecutionContext &ctx;
    std::optional<FaultReport> &fault;
};
using Handler = void (*)(const Operation &);

/// The two rows of a 64-bit operand.
struct PairRows {
    const std::uint32_t *low;
    const std::uint32_t *high;
};
/// Local storage for a 64-bit operand or result.
struct PairBuffer {
    Row low;
    Row high;
};

SMSIM_LANE_INLINE const std::uint32_t *spread(Row &buffer, std::uint32_t value) {
    for (unsigned i = 0; i < kLanes; ++i) {
        buffer.lane[i] = value;
    }
    return buffer.lane;
}

/// The constant operand; `execute` has checked that it is inside its bank.
inline std::uint32_t constant32(const Operation &op) {
    std::uint32_t value = 0;
    std::memcpy(&value, op.ctx.constants[op.insn.const_bank].data() + op.insn.const_offset, sizeof value);
    return value;
}
inline std::uint64_t constant64(const Operation &op) {
    std::uint64_t value = 0;
    std::memcpy(&value, op.ctx.constants[op.insn.const_bank].data() + op.insn.const_offset, sizeof value);
    return value;
}

/// Source a: always a register.
SMSIM_LANE_INLINE const std::uint32_t *source_a(const Operation &op) {
    return op.regs.read(op.insn.ra).lane;
}

/// Source b: an immediate, uniform register or constant in forms I, U, C, otherwise a register.
SMSIM_LANE_INLINE const std::uint32_t *source_b(const Operation &op, Row &buffer) {
    switch (op.insn.form) {
    case isa::Form::kI:
    case isa::Form::kRir:
        return spread(buffer, static_cast<std::uint32_t>(op.insn.imm));
    case isa::Form::kU:
        return spread(buffer, op.regs.uniform(op.insn.ur));
    case isa::Form::kC:
        return spread(buffer, constant32(op));
    default:
        return op.regs.read(op.insn.rb).lane;
    }
}

/// Source c: an immediate, uniform register or constant in forms RRI, RRU, RRC, otherwise a register.
SMSIM_LANE_INLINE const std::uint32_t *source_c(const Operation &op, Row &buffer) {
    switch (op.insn.form) {
    case isa::Form::kRri:
        return spread(buffer, static_cast<std::uint32_t>(op.insn.imm));
    case isa::Form::kRru:
        return spread(buffer, op.regs.uniform(op.insn.ur));
    case isa::Form::kRrc:
        return spread(buffer, constant32(op));
    default:
        return op.regs.read(op.insn.rc).lane;
    }
}

SMSIM_LANE_INLINE PairRows spread_pair(PairBuffer &buffer, std::uint64_t value) {
    return {spread(buffer.low, static_cast<std::uint32_t>(value)),
            spread(buffer.high, static_cast<std::uint32_t>(value >> 32))};
}
SMSIM_LANE_INLINE PairRows register_pair(const Operation &op, std::uint8_t reg) {
    return {op.regs.read(reg).lane, op.regs.read(upper_half(reg)).lane};
}

/// 64-bit source a, b, c. `immediate` is the 64-bit value that the operation derives from its 32-bit immediate.
SMSIM_LANE_INLINE PairRows pair_a(const Operation &op) {
    return register_pair(op, op.insn.ra);
}
SMSIM_LANE_INLINE PairRows pair_b(const Operation &op, PairBuffer &buffer, std::uint64_t immediate) {
    switch (op.insn.form) {
    case isa::Form::kI:
        return spread_pair(buffer, immediate);
    case isa::Form::kU:
        return spread_pair(buffer, op.regs.uniform_pair(op.insn.ur));
    case isa::Form::kC:
        return spread_pair(buffer, constant64(op));
    default:
        return register_pair(op, op.insn.rb);
    }
}
SMSIM_LANE_INLINE PairRows pair_c(const Operation &op, PairBuffer &buffer, std::uint64_t immediate) {
    switch (op.insn.form) {
    case isa::Form::kRri:
        return spread_pair(buffer, immediate);
    case isa::Form::kRru:
        return spread_pair(buffer, op.regs.uniform_pair(op.insn.ur));
    case isa::Form::kRrc:
        return spread_pair(buffer, constant64(op));
    default:
        return register_pair(op, op.insn.rc);
    }
}
SMSIM_LANE_INLINE std::uint64_t join(const PairRows &rows, unsigned lane) {
    return rows.low[lane] | (std::uint64_t{rows.high[lane]} << 32);
}
SMSIM_LANE_INLINE void split(PairBuffer &buffer, unsigned lane, std::uint64_t value) {
    buffer.low.lane[lane] = static_cast<std::uint32_t>(value);
    buffer.high.lane[lane] = static_cast<std::uint32_t>(value >> 32);
}

/// Writes f(lane) to the lanes of `mask` of a row. f may read only the lane's own element of that row.
template <typename F> SMSIM_LANE_INLINE void write_lanes(Row &destination, LaneMask mask, F f) {
    std::uint32_t *to = destination.lane;
    if (mask == LaneMask::all()) {
        SMSIM_INDEPENDENT_LANES
        for (unsigned i = 0; i < kLanes; ++i) {
            to[i] = f(i);
        }
        return;
    }
    const std::uint32_t bits = mask.bits();
    SMSIM_INDEPENDENT_LANES
    for (unsigned i = 0; i < kLanes; ++i) {
        const std::uint32_t keep = 0U - ((bits >> i) & 1U);
        to[i] = (f(i) & keep) | (to[i] & ~keep);
    }
}
/// Writes the lanes of `mask` of a computed result to a row.
SMSIM_LANE_INLINE void write_back(Row &destination, const Row &result, LaneMask mask) {
    write_lanes(destination, mask, [&result](unsigned i) { return result.lane[i]; });
}
/// Writes a result to rd.
SMSIM_LANE_INLINE void write_rd(const Operation &op, const Row &result) {
    write_back(op.regs.write(op.insn.rd), result, op.executed);
}
/// Writes a 64-bit result to the pair at rd.
SMSIM_LANE_INLINE void write_rd_pair(const Operation &op, const PairBuffer &result) {
    write_back(op.regs.write(op.insn.rd), result.low, op.executed);
    write_back(op.regs.write(upper_half(op.insn.rd)), result.high, op.executed);
}

/// rd = f(b), rd = f(a, b), rd = f(a, b, c) in each lane.
template <typename F> SMSIM_LANE_INLINE void map_b(const Operation &op, F f) {
    Row buffer;
    const std::uint32_t *b = source_b(op, buffer);
    write_lanes(op.regs.write(op.insn.rd), op.executed, [=](unsigned i) { return f(b[i]); });
}
template <typename F> SMSIM_LANE_INLINE void map_ab(const Operation &op, F f) {
    Row buffer;
    const std::uint32_t *a = source_a(op);
    const std::uint32_t *b = source_b(op, buffer);
    write_lanes(op.regs.write(op.insn.rd), op.executed, [=](unsigned i) { return f(a[i], b[i]); });
}
template <typename F> SMSIM_LANE_INLINE void map_abc(const Operation &op, F f) {
    Row buffer_b;
    Row buffer_c;
    const std::uint32_t *a = source_a(op);
    const std::uint32_t *b = source_b(op, buffer_b);
    const std::uint32_t *c = source_c(op, buffer_c);
    write_lanes(op.regs.write(op.insn.rd), op.executed, [=](unsigned i) { return f(a[i], b[i], c[i]); });
}

/// The mask of the lanes in which f(lane) holds; the loop vectorises.
template <typename F> SMSIM_LANE_INLINE LaneMask lanes_where(F f) {
    std::uint32_t mask = 0;
    for (unsigned i = 0; i < kLanes; ++i) {
        mask |= static_cast<std::uint32_t>(f(i)) << i;
    }
    return LaneMask(mask);
}

/// Predicate sources of the instruction.
inline LaneMask predicate_pp(const Operation &op) {
    return op.regs.predicate(op.insn.pp, op.insn.pp_not);
}
inline LaneMask predicate_pa(const Operation &op) {
    return op.regs.predicate(op.insn.pa, op.insn.pa_not);
}
inline LaneMask predicate_pb(const Operation &op) {
    return op.regs.predicate(op.insn.pb, op.insn.pb_not);
}

/// x OP y on masks.
constexpr LaneMask combine(isa::Combine how, LaneMask x, LaneMask y) {
    switch (how) {
    case isa::Combine::kAnd:
        return x & y;
    case isa::Combine::kOr:
        return x | y;
    case isa::Combine::kXor:
        return x ^ y;
    }
    return x & y;
}

/// The flags Z and S of a result: zero, and negative.
template <typename Result> SMSIM_LANE_INLINE ConditionFlags flags_of(const Result &result) {
    ConditionFlags flags;
    flags.zero = lanes_where([&result](unsigned i) { return result.lane[i] == 0; });
    flags.sign = lanes_where([&result](unsigned i) { return result.lane[i] >> 31; });
    return flags;
}

/// The end of every SETP: pu = condition OP pp, pv = !condition OP pp. If both name one predicate, pv's value stays.
inline void write_setp(const Operation &op, LaneMask condition, isa::Combine how) {
    const LaneMask pp = predicate_pp(op);
    op.regs.set_predicate(op.insn.pu, combine(how, condition, pp), op.executed);
    op.regs.set_predicate(op.insn.pv, combine(how, ~condition, pp), op.executed);
}

/// The condition of a float compare from the lanes that are less, equal and unordered (a NaN on either side).
LaneMask float_condition(isa::Compare compare, LaneMask less, LaneMask equal, LaneMask unordered);

/// The value of a modifier of the operation; the order is that of the instruction-set table.
template <typename T> constexpr T modifier(const Operation &op, std::size_t index) {
    return static_cast<T>(op.insn.mod[index]);
}

// Handlers, by the file that holds them.
// moves.cpp
void execute_mov(const Operation &op);
void execute_s2r(const Operation &op);
void execute_cs2r(const Operation &op);
void execute_umov(const Operation &op);
void execute_r2ur(const Operation &op);
void execute_s2ur(const Operation &op);
void execute_sel(const Operation &op);
void execute_p2r(const Operation &op);
void execute_r2p(const Operation &op);
void execute_ldc(const Operation &op);
// integer.cpp
void execute_iadd3(const Operation &op);
void execute_imad(const Operation &op);
void execute_lea(const Operation &op);
void execute_iabs(const Operation &op);
void execute_imnmx(const Operation &op);
void execute_isetp(const Operation &op);
// logic.cpp
void execute_lop3(const Operation &op);
void execute_shf(const Operation &op);
void execute_shl(const Operation &op);
void execute_shr(const Operation &op);
void execute_prmt(const Operation &op);
void execute_popc(const Operation &op);
void execute_flo(const Operation &op);
void execute_brev(const Operation &op);
void execute_psetp(const Operation &op);
void execute_plop3(const Operation &op);
// float.cpp
void execute_fadd(const Operation &op);
void execute_fmul(const Operation &op);
void execute_ffma(const Operation &op);
void execute_fmnmx(const Operation &op);
void execute_fsetp(const Operation &op);
// double.cpp
void execute_dadd(const Operation &op);
void execute_dmul(const Operation &op);
void execute_dfma(const Operation &op);
void execute_dsetp(const Operation &op);
// half.cpp
void execute_hadd2(const Operation &op);
void execute_hmul2(const Operation &op);
void execute_hfma2(const Operation &op);
// matrix_product.cpp
void execute_matrix(const Operation &op);
// special_function.cpp
void execute_mufu(const Operation &op);
// convert.cpp
void execute_f2i(const Operation &op);
void execute_i2f(const Operation &op);
void execute_f2f(const Operation &op);
// convert_tensor.cpp
void execute_f2fp(const Operation &op);
// lanes.cpp
void execute_vote(const Operation &op);
void execute_match(const Operation &op);
void execute_redux(const Operation &op);
void execute_shfl(const Operation &op);
void execute_movm(const Operation &op);

} // namespace smsim::sm::compute
