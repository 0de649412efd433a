// An instruction prepared for threads to execute: operands resolved to slots of a thread's register row or to fixed
// values, guards in the form in which they are tested, and the subject that implements it.
//
// The row of a thread holds R0 .. Rn-1, four zeros (read as RZ and URZ), four words that are never read (the target of
// writes to RZ and URZ), and the thread's copy of the uniform registers. So no access checks whether a register is RZ.
#pragma once

#include <cstdint>
#include <vector>

#include "model/isa/instruction.h"
#include "tb/oracle/oracle.h"

namespace smsim::oracle {

/// Which file of the oracle executes an instruction.
enum class Subject : std::uint8_t {
    kInteger,    ///< integer.cpp: integer, logic and moves
    kFloat,      ///< floating.cpp
    kHalf,       ///< half.cpp
    kSpecial,    ///< special.cpp: special registers, reads of control state
    kMemory,     ///< memory.cpp
    kNothing,    ///< without effect on a single thread
    kDissolve,   ///< like kNothing, but the thread is no longer known to be together with others
    kJump,       ///< branches.cpp: decided by the thread alone
    kTrap,       ///< branches.cpp: TRAP, RTT
    kExit,       ///< machine.cpp
    kWarpsync,   ///< synchronisation.cpp
    kSetBranch,  ///< branches.cpp: BRA.U, BRA.DIV, BRA.CONV: decided by the set if known, otherwise at random
    kSet,        ///< lanes.cpp, barriers.cpp: executed by a set of threads at once
    kFlags,      ///< flags.cpp: integer or float operation with `.CC`
    kRegion,     ///< tokens.cpp: pushes a token, or jumps to the place in one
    kNotCovered, ///< the oracle does not know its result
    kEnd,        ///< after the last instruction
};

/// The error raised when a thread executes an instruction.
enum class Defect : std::uint8_t { kNone, kRegister, kConstant };

struct Step {
    isa::Op op = isa::Op::kNop;
    Subject subject = Subject::kEnd;
    Defect defect = Defect::kNone;
    // Both guards as (predicate, complement); PT is bit 7 of a thread's predicates.
    std::uint8_t guard1 = isa::kPt;
    std::uint8_t flip1 = 0;
    std::uint8_t guard2 = isa::kPt;
    std::uint8_t flip2 = 0;
    bool guarded = false; ///< the guards are not simply true
    bool never = false;   ///< a guard is simply false
    bool tested = false;  ///< there is a condition test or LMT besides the guards
    bool limited = false; ///< `.LMT`
    bool b_fixed = false; ///< source b is `b_value`, not slot rb
    bool c_fixed = false; ///< likewise source c
    std::uint16_t rd = 0; ///< slots in the thread's row
    std::uint16_t ra = 0;
    std::uint16_t rb = 0;
    std::uint16_t rc = 0;
    std::uint32_t target = 0; ///< BRA, VBEQ and similar: index of the target instruction; kNoTarget if outside
    std::uint64_t b_value = 0;
    std::uint64_t c_value = 0;
    const isa::Instruction *insn = nullptr; ///< for everything else

    static constexpr std::uint32_t kNoTarget = ~std::uint32_t{0};

    /// Whether both guards hold for predicates `p` (bit 7 set).
    bool executes(std::uint8_t p) const { return ((((p >> guard1) ^ flip1) & ((p >> guard2) ^ flip2)) & 1) != 0; }
    std::uint32_t a(const std::uint32_t *row) const { return row[ra]; }
    std::uint32_t b(const std::uint32_t *row) const { return b_fixed ? static_cast<std::uint32_t>(b_value) : row[rb]; }
    std::uint32_t c(const std::uint32_t *row) const { return c_fixed ? static_cast<std::uint32_t>(c_value) : row[rc]; }
    std::uint64_t a64(const std::uint32_t *row) const { return pair(row, ra); }
    std::uint64_t b64(const std::uint32_t *row) const { return b_fixed ? b_value : pair(row, rb); }
    std::uint64_t c64(const std::uint32_t *row) const { return c_fixed ? c_value : pair(row, rc); }

    static std::uint64_t pair(const std::uint32_t *row, unsigned slot) {
        return row[slot] | std::uint64_t{row[slot + 1]} << 32;
    }
};

/// The value of a predicate operand, complemented if requested.
inline bool predicate(std::uint8_t predicates, std::uint8_t number, bool complement) {
    return (((predicates >> number) & 1) != 0) != complement;
}
/// Writes a predicate; a write to PT is dropped.
inline void set_predicate(std::uint8_t &predicates, std::uint8_t number, bool value) {
    const auto bit = static_cast<std::uint8_t>(1U << number);
    predicates = static_cast<std::uint8_t>((predicates & ~bit) | (value ? bit : 0) | 0x80);
}

/// A program ready to run.
struct Steps {
    std::vector<Step> steps;      ///< one per instruction and one after the last
    std::uint32_t registers = 8;  ///< R registers of a thread, a multiple of 8
    std::uint32_t row_words = 16; ///< length of a thread's row
    /// The contents of the constant banks: those of the launch, otherwise those of the program.
    std::array<const std::vector<std::uint8_t> *, 32> banks{};
};

/// Prepares the program of `launch`. The launch must outlive the result.
Steps prepare(const Launch &launch);

} // namespace smsim::oracle
