// The registers of one warp: general, predicate and uniform, and the condition flags of its threads.
//
// Registers are stored lane-major, all 32 lanes of one register side by side, because an instruction works on whole
// registers of a warp: one operation is then a loop over three contiguous rows that the compiler turns into vector
// code. The registers that read as constants (RZ, URZ, PT) need no test in those loops: RZ reads a row of zeros and
// writes a row that is never read.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "model/isa/instruction.h"
#include "model/state/condition_flags.h"
#include "model/types.h"

namespace smsim::sm::compute {

/// One 32-bit register of all lanes, lane 0 first. Aligned to a cache line.
struct alignas(64) Row {
    std::uint32_t lane[kLanes];
};

/// Register `number` of the operand that starts at `first`; RZ for RZ.
constexpr std::uint8_t register_of(std::uint8_t first, unsigned number) {
    return first == isa::kRz ? first : static_cast<std::uint8_t>(first + number);
}
/// The register that holds the upper half of the pair that starts at `reg`; RZ for RZ.
constexpr std::uint8_t upper_half(std::uint8_t reg) {
    return register_of(reg, 1);
}

/// Register state of one warp. Has no copy constructor, to prevent accidental copies: a warp has one.
class WarpRegisters {
  public:
    /// Registers are allocated in groups of this many, as on the hardware; a pair or group of four whose first register
    /// is allocated is therefore allocated whole.
    static constexpr unsigned kGranularity = 8;

    /// Allocates `count` general registers per thread, rounded up to the granularity (0..255); all registers are 0 and
    /// all predicates false. A count above 255 is taken as 255.
    explicit WarpRegisters(unsigned count);

    WarpRegisters(WarpRegisters &&) noexcept = default;
    WarpRegisters &operator=(WarpRegisters &&) noexcept = default;

    /// A copy of the registers, for a warp that another part continues.
    WarpRegisters copy() const;

    /// Allocated general registers per thread.
    unsigned count() const { return count_; }

    /// Sets every register to 0 and every predicate and flag to false, for the next warp in the slot.
    void clear();

    /// All lanes of a general register. RZ and unallocated registers read 0.
    const Row &read(std::uint8_t reg) const { return reg < count_ ? rows_[reg] : kZeroRow; }
    /// All lanes of a general register for writing. Writes to RZ, or to an unallocated register, are dropped.
    Row &write(std::uint8_t reg) { return rows_[reg < count_ ? reg : count_]; }

    /// One lane of a register.
    std::uint32_t value(std::uint8_t reg, unsigned lane) const { return read(reg).lane[lane]; }
    /// Writes one lane of a register.
    void set(std::uint8_t reg, unsigned lane, std::uint32_t value) { write(reg).lane[lane] = value; }
    /// One lane of the pair R[reg:reg+1], low half in `reg`; RZ gives 0.
    std::uint64_t pair(std::uint8_t reg, unsigned lane) const {
        return value(reg, lane) | (std::uint64_t{value(upper_half(reg), lane)} << 32);
    }
    /// Writes one lane of the pair R[reg:reg+1].
    void set_pair(std::uint8_t reg, unsigned lane, std::uint64_t value) {
        set(reg, lane, static_cast<std::uint32_t>(value));
        set(upper_half(reg), lane, static_cast<std::uint32_t>(value >> 32));
    }

    /// The lanes in which predicate `p` (0..6, 7 is PT) is true; with `negated`, those in which it is false.
    LaneMask predicate(std::uint8_t p, bool negated = false) const {
        const LaneMask held = predicates_[p & 7U];
        return negated ? ~held : held;
    }
    /// Writes predicate `p` in `lanes`; a write to PT is dropped.
    void set_predicate(std::uint8_t p, LaneMask value, LaneMask lanes) {
        if (p < isa::kPt) {
            predicates_[p] = (predicates_[p] & ~lanes) | (value & lanes);
        }
    }

    /// Uniform register UR0..UR62; URZ (63) reads 0.
    std::uint32_t uniform(std::uint8_t reg) const { return uniforms_[reg & 63U]; }
    /// The pair UR[reg:reg+1]; URZ gives 0.
    std::uint64_t uniform_pair(std::uint8_t reg) const {
        return reg >= isa::kUrz ? 0 : uniform(reg) | (std::uint64_t{uniform(static_cast<std::uint8_t>(reg + 1))} << 32);
    }
    /// Writes a uniform register; a write to URZ is dropped.
    void set_uniform(std::uint8_t reg, std::uint32_t value) {
        if (reg < isa::kUrz) {
            uniforms_[reg] = value;
        }
    }

    /// The condition flags of all lanes (engines.md token_stack).
    const ConditionFlags &flags() const { return flags_; }
    /// Writes the condition flags of `lanes`.
    void set_flags(const ConditionFlags &value, LaneMask lanes) {
        flags_.zero = (flags_.zero & ~lanes) | (value.zero & lanes);
        flags_.sign = (flags_.sign & ~lanes) | (value.sign & lanes);
        flags_.carry = (flags_.carry & ~lanes) | (value.carry & lanes);
        flags_.overflow = (flags_.overflow & ~lanes) | (value.overflow & lanes);
    }

  private:
    static const Row kZeroRow;

    unsigned count_;
    std::unique_ptr<Row[]> rows_; ///< count_ registers and one row for dropped writes
    std::array<LaneMask, 8> predicates_{};
    std::array<std::uint32_t, 64> uniforms_{};
    ConditionFlags flags_;
};

/// The lanes enabled by the condition that `insn` has besides its guard: its second guard {!}Pp, or its condition test.
inline LaneMask second_guard(const WarpRegisters &regs, const isa::Instruction &insn) {
    return regs.predicate(insn.pp, insn.pp_not) & threads_passing(insn.test, regs.flags());
}

/// The lanes in which a guard {!}Pg holds (bru.md Guard). `pg` is 0..7.
inline LaneMask guard(const WarpRegisters &regs, std::uint8_t pg, bool negated) {
    return regs.predicate(pg, negated);
}

} // namespace smsim::sm::compute
