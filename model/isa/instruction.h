// A decoded instruction: the fields of the 128-bit word in the form that the cores execute.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "model/isa/isa.h"
#include "model/isa/word.h"
#include "model/state/condition_flags.h"
#include "model/types.h"

namespace smsim::isa {

inline constexpr std::uint8_t kRz = 255; ///< zero register
inline constexpr std::uint8_t kUrz = 63; ///< uniform zero register
inline constexpr std::uint8_t kPt = 7;   ///< true predicate
inline constexpr std::uint8_t kNoScoreboard = 7;
inline constexpr unsigned kScoreboards = 6;

/// One instruction. Members that the operation and form do not use hold their neutral value (RZ, URZ, PT, 0).
struct Instruction {
    Op op = Op::kNop;
    Form form = Form::kX;
    Unit unit = Unit::kNone; ///< derived from op

    // guard
    std::uint8_t pg = kPt;
    bool pg_not = false;
    // second guard, or predicate source of the compute set
    std::uint8_t pp = kPt;
    bool pp_not = false;
    // further predicate sources (PSETP, PLOP3)
    std::uint8_t pa = kPt;
    bool pa_not = false;
    std::uint8_t pb = kPt;
    bool pb_not = false;
    // predicate destinations
    std::uint8_t pu = kPt;
    std::uint8_t pv = kPt;

    // registers; rd is a uniform register for UMOV, R2UR, S2UR
    std::uint8_t rd = kRz;
    std::uint8_t ra = kRz;
    std::uint8_t rb = kRz;
    std::uint8_t rc = kRz;
    std::uint8_t re = kRz;  ///< which elements of A a sparse product of matrices has
    std::uint8_t ur = kUrz; ///< the instruction's one uniform source

    std::uint8_t breg = 0;
    std::uint8_t barid = 0;
    std::uint8_t const_bank = 0;
    std::uint16_t const_offset = 0; ///< bytes

    std::int64_t imm = 0;   ///< immediate as read from the word: offsets in units of 16 bytes, address offsets in bytes
    std::uint32_t imm2 = 0; ///< count, clamp, truth table, shift or special register

    bool bitnot = false; ///< '~' of WARPSYNC's mask or BRA.U's uniform register
    bool neg_a = false;
    bool abs_a = false;
    bool neg_b = false;
    bool abs_b = false;
    bool neg_c = false;
    bool abs_c = false;
    std::uint8_t reuse = 0; ///< bits 0, 1, 2: the register read as a, b, c stays in the reuse cache (timing.md 3)

    ConditionTest test = ConditionTest::kT; ///< of token_stack's branches

    std::array<std::uint8_t, kMaxModifiers> mod{}; ///< modifier values in the order of the specification

    // control fields
    std::uint8_t stall = 0; ///< as encoded; `stall_cycles` reads 0 as 1
    bool yield = false;
    std::uint8_t wsb = kNoScoreboard;
    std::uint8_t rsb = kNoScoreboard;
    std::uint8_t req = 0;

    Pc pc = 0; ///< byte address; not part of the word

    /// Issue cycles before this warp's next instruction, 1..15 (encoding.md Fields, `stall`).
    unsigned stall_cycles() const { return stall == 0 ? 1 : stall; }
    const OpSpec &spec() const { return spec_of(op); }

    friend bool operator==(const Instruction &, const Instruction &) = default;
};

/// Why a word is not an instruction. `reason` is a sentence without the address.
struct DecodeError {
    Pc address = 0;
    Word word;
    std::string reason;

    /// "0x0040: word 0x...: reason".
    std::string message() const;
};

/// Decodes the word at `address`. Every bit is checked: an unknown operation, a form it lacks, a non-zero bit that
/// belongs to no field or a field value that is not allowed is an error (encoding.md Fields 2).
std::variant<Instruction, DecodeError> decode(const Word &word, Pc address);

/// Encodes an instruction. Returns an error text when a member does not fit its field or the combination is not
/// allowed; `decode(encode(i), i.pc)` returns `i`.
std::variant<Word, std::string> encode(const Instruction &instruction);

/// Whether `insn` is an arrival at a CTA barrier after which the warp does not continue before the barrier completes:
/// BAR.SYNC and BAR.RED, not BAR.ARV (bcu.md "BAR.SYNC, BAR.ARV, BAR.RED").
inline bool waits_at_barrier(const Instruction &insn) {
    const OpSpec &spec = insn.spec();
    return spec.has(kArrives) && !(spec.has(kMayRunOn) && static_cast<BarMode>(insn.mod[0]) == BarMode::kArv);
}
/// Whether `insn` is a load from global or local memory, no atomic.
inline bool is_far_load(const Instruction &insn) {
    const OpSpec &spec = insn.spec();
    return (spec.flags & (kGlobal | kLocal)) != 0 && spec.has(kReadsMemory) && !spec.has(kAtomic);
}
/// Whether `insn` sets the condition flags of its threads (`.CC`, engines.md token_stack).
inline bool sets_condition_flags(const Instruction &insn) {
    const OpSpec *spec = find_op(static_cast<std::uint8_t>(insn.op));
    return spec != nullptr && spec->has(kConditionCodes) && insn.mod[spec->modifiers.size() - 1] != 0;
}
/// Whether `insn` is an I2F from integers of at most 32 bits to F32.
inline bool converts_word(const Instruction &insn) {
    const auto from = static_cast<IntType>(insn.mod[1]);
    return static_cast<FloatType>(insn.mod[0]) == FloatType::kF32 && from != IntType::kS64 && from != IntType::kU64;
}
/// Whether `insn` is IMAD.HI: the upper half of the product.
inline bool takes_high_product(const Instruction &insn) {
    return insn.op == Op::kImad && insn.mod[0] == 1;
}
/// `.U` of BRA and JMP of token_stack: all active threads jump, or none.
inline bool is_unanimous(const Instruction &insn) {
    return (insn.op == Op::kTokenBra || insn.op == Op::kJmp) && insn.mod[0] != 0;
}
/// `.LMT` of BRA, BRX, JMP, JMX of token_stack: no thread jumps if the last PRET found the call limit reached.
inline bool obeys_call_limit(const Instruction &insn) {
    const OpSpec &spec = insn.spec();
    return spec.has(kConditionTest) && insn.mod[spec.modifiers.size() - 1] != 0;
}
/// The byte address that an instruction of token_stack names by an immediate: the target of BRA, JMP and CAL, and what
/// SSY, PBK, PCNT and PRET push. None for every other instruction.
std::optional<std::int64_t> named_address(const Instruction &insn);
/// Whether `insn` is an instruction of the barrier unit that makes no arrival and returns or restores a result: B2R,
/// B2R.RESULT, R2B (bcu.md "B2R, R2B, B2R.RESULT").
inline bool moves_barrier_state(const Instruction &insn) {
    return insn.unit == Unit::kBarrier && !insn.spec().has(kArrives);
}

/// Which of the sources a, b, c an operand is: determines its negation and absolute-value bits.
enum class Source : std::uint8_t { kA, kB, kC };
/// The source of an operand at `place` of `form`; destinations and immediates count as b or c according to the bits
/// they occupy.
Source source_of(Form form, Place place);
/// The member that holds the negation ('-') of a source.
bool Instruction::*negation_member(Source source);
/// The member that holds the absolute value ('|x|') of a source.
bool Instruction::*absolute_member(Source source);

/// Whether a pipe, or the pipe of an operation, has a fixed latency: it reads its registers at a fixed time, through
/// the ports and the reuse cache of the register file (timing.md 3).
constexpr bool reads_at_fixed_time(Unit unit) {
    return unit == Unit::kAlu || unit == Unit::kFma || unit == Unit::kHalf;
}
inline bool reads_at_fixed_time(const OpSpec &spec) {
    return reads_at_fixed_time(spec.unit);
}
/// Whether an operand of `spec` has a reuse bit, written `.reuse`: a register source of such an operation.
inline bool has_reuse_bit(const OpSpec &spec, const OperandSpec &operand) {
    return operand.kind == Kind::kReg && !operand.has(kWritten) && reads_at_fixed_time(spec);
}
/// The bit of a source in `Instruction::reuse`.
constexpr std::uint8_t reuse_bit(Source source) {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(source));
}

/// Number of matrices of 8x8 elements that `insn`, LDSM or STSM, moves: 1, 2 or 4.
inline unsigned matrices_moved(const Instruction &insn) {
    return 1U << insn.mod[2];
}
/// Whether `insn`, LDSM or STSM, has the transposed matrices in its registers.
inline bool moves_transposed(const Instruction &insn) {
    return insn.mod[1] != 0;
}

/// Number of 32-bit registers that an operand of `instruction` spans (1, 2, 4, 8 or 16).
unsigned register_count(const Instruction &instruction, const OperandSpec &operand);

/// Whether `insn` is a product whose third source is a pair of registers: IMAD.WIDE.
inline bool is_wide_product(const Instruction &insn) {
    constexpr std::uint8_t kWide = 2;
    return insn.op == Op::kImad && insn.mod[0] == kWide;
}
/// Number of general registers that `instruction` writes, from `rd` on; 0 for none.
unsigned registers_written(const Instruction &instruction);
/// Whether it writes general register `index`.
inline bool writes_register(const Instruction &insn, unsigned index) {
    return index >= insn.rd && index < insn.rd + registers_written(insn);
}

/// Number of banks of the register file that code is optimised for (timing.md 3): a register is in the bank of its
/// number modulo this. In a file with more banks, an operand whose reuse bit is set may be evicted from the reuse
/// cache, which costs nothing.
inline constexpr unsigned kRegisterBanks = 2;
/// Sources a, b, c, each with its own place in the reuse cache.
inline constexpr unsigned kReuseSlots = 3;
/// The general registers that `insn` reads as a, b, c; RZ if it reads none.
inline std::array<std::uint8_t, kReuseSlots> sources_of(const Instruction &insn) {
    return {insn.ra, insn.rb, insn.rc};
}

/// The bit of the condition flags in the sets of predicates of `Dependences`.
inline constexpr std::uint8_t kFlagsBit = 1U << kPt;

/// Registers and predicates that an instruction reads and writes, for scheduling and the hazard checker.
/// Register ranges hold (first, count); RZ, URZ and PT never appear.
struct Dependences {
    struct Range {
        std::uint8_t first;
        std::uint8_t count;
    };
    std::array<Range, 5> reads{};
    std::uint8_t read_count = 0;
    Range write{0, 0}; ///< count 0: none
    std::array<Range, 1> uniform_reads{};
    std::uint8_t uniform_read_count = 0;
    Range uniform_write{0, 0};
    /// In the sets of predicates, bit 7, which would be PT, means the condition flags.
    std::uint8_t predicate_reads = 0;  ///< bit p: predicate p, guards included
    std::uint8_t guard_reads = 0;      ///< those of predicate_reads that decide whether the thread executes
    std::uint8_t predicate_writes = 0; ///< bit p
};
Dependences dependences_of(const Instruction &instruction);

/// Number of general registers that `code` needs: one more than the highest that it reads or writes; 0 for none.
unsigned registers_used(std::span<const Instruction> code);

} // namespace smsim::isa
