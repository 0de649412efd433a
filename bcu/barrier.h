// The semantics of CTA barriers, without timing: the sixteen barriers of one CTA, the reduction results of its warps,
// and the execution of every instruction of bcu.md on them. No SystemC; the shell in bcu.h adds sockets and cycles.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "model/error.h"
#include "model/isa/instruction.h"
#include "model/isa/operands.h"
#include "model/stats/barrier_operand.h"
#include "model/types.h"

namespace smsim::bcu {

/// Warps that the seven-bit fields of the state word can count (bcu.md B-1); the largest CTA the unit can serve.
inline constexpr std::uint32_t kMaxWarps = 127;
/// Largest population count that the state word holds (bcu.md B-1, bits 19..31).
inline constexpr std::uint32_t kMaxPopulation = (1U << 13) - 1;

/// What a barrier is being used for; the value is bits 14..15 of the state word (bcu.md B-1).
enum class BarrierKind : std::uint8_t {
    kIdle = 0, ///< no warp has arrived
    kSync = 1, ///< BAR.SYNC and BAR.ARV
    kRed = 2,  ///< BAR.RED
};

/// The architectural state of a barrier, and of a warp's `WarpBarState`: the fields of the word of bcu.md B-1.
struct BarrierState {
    std::uint32_t arrived = 0;  ///< warps, `count / 32`
    std::uint32_t expected = 0; ///< warps, `expected / 32`; 0: all warps that are alive
    BarrierKind kind = BarrierKind::kIdle;
    isa::RedOp redop = isa::RedOp::kAnd; ///< RED only
    bool logical = false;                ///< accumulator or result of AND and OR
    std::uint32_t population = 0;        ///< accumulator or result of POPC

    friend bool operator==(const BarrierState &, const BarrierState &) = default;
};

/// The state word of bcu.md B-1. Bits 16..31 are 0 unless the kind is RED, and an idle barrier gives 0
/// (bcu.md "Fine points").
std::uint32_t pack(const BarrierState &state);

/// The inverse of `pack`. Fields that the kind does not use are dropped, so that `pack(*unpack(w))` is the canonical
/// word. None when the word names a kind or a reduction that does not exist.
std::optional<BarrierState> unpack(std::uint32_t word);

/// A barrier instruction with the operands of its warp, as read by the datapath.
struct Operation {
    const isa::Instruction &insn;
    LaneMask pmask;                                     ///< active threads whose guard is true
    LaneMask contribution;                              ///< pp of every lane, negation applied (BAR.RED)
    std::span<const std::uint32_t, kLanes> id_lanes;    ///< register barrier id; id and count of BAR.RED form R
    std::span<const std::uint32_t, kLanes> count_lanes; ///< register count; value of R2B
};

/// The operation of `insn` with its vector operands: barrier before count if both are in registers, otherwise the one
/// that is. `vectors` must outlive it.
Operation operation_of(const isa::Instruction &insn, LaneMask pmask, LaneMask contribution,
                       const isa::NarrowVectorOperands &vectors);

/// The barrier and the count of an arrival.
struct ArrivalOperands {
    BarrierId id;
    std::uint32_t count = 0; ///< threads, a multiple of 32; 0: all warps that are alive
};

/// Resolves barrier id and count of BAR and BAR.RED in any operand form (bcu.md "Operands", B-2, B-3, B-4); BARRIER is
/// BAR.SYNC of barrier 0 with count 0 (engines.md simt_stack).
/// `operation.pmask` must not be empty. Faults: BarrierOperand when threads of `pmask` differ in the bits used,
/// BarrierCount when the count is not a multiple of 32 or is 0 for BAR.ARV, IllegalInstruction for another operation.
std::variant<ArrivalOperands, FaultReport> resolve_operands(const Operation &operation);

/// At most two operands.
class OperandList {
  public:
    void push_back(const BarrierOperand &operand) { operands_.at(size_++) = operand; }
    const BarrierOperand *begin() const { return operands_.data(); }
    const BarrierOperand *end() const { return begin() + size_; }
    bool empty() const { return size_ == 0; }

  private:
    std::array<BarrierOperand, 2> operands_;
    std::uint8_t size_ = 0;
};

/// Register operands of an arrival with set bits that are ignored, in the order in which they are written; the values
/// are those of the lowest thread of `pmask` that has such bits. The other bits define the instruction (bcu.md
/// "Operands"); these are nevertheless a mistake of the program. Empty for all other instructions, immediate operands
/// and an empty `pmask`.
OperandList operands_with_other_bits(const Operation &operation);

/// The state that R2B.BAR restores (bcu.md "B2R, R2B, B2R.RESULT"): the word of the lowest thread of `pmask`, which
/// must not be empty. Fault: BarrierOperand when the word names a kind or a reduction that does not exist.
std::variant<BarrierState, FaultReport> restored_state(const Operation &operation);

/// The fault that a barrier instruction raises whatever the state of its barrier: that of `resolve_operands` or
/// `restored_state`. It is known at issue, so the issue stage checks it and issues nothing after it. None for all other
/// instructions and for an empty `pmask`.
std::optional<FaultReport> operand_fault(const Operation &operation);

/// Warps of a CTA by their number, in the order in which they were added. Storage is inline, because one is created for
/// each completion of a barrier.
class WarpList {
  public:
    using value_type = std::uint8_t;
    using const_iterator = const value_type *;

    /// At most kMaxWarps warps, each number below kMaxWarps.
    void push_back(std::uint32_t warp) { warps_.at(size_++) = static_cast<value_type>(warp); }
    const_iterator begin() const { return warps_.data(); }
    const_iterator end() const { return begin() + size_; }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    std::uint32_t operator[](std::size_t index) const { return warps_[index]; }

  private:
    std::array<value_type, kMaxWarps> warps_;
    std::size_t size_ = 0;
};

/// A barrier has completed: it is idle again, and these warps continue.
struct Completion {
    BarrierId id;
    BarrierState state; ///< at completion, the one that RED leaves in `WarpBarState`
    WarpList released;  ///< blocked warps, ascending; the warp whose arrival completed it is not among them
};

/// The effect of an instruction.
struct Effect {
    bool blocked = false;                 ///< the warp waits until a completion lists it
    bool writes = false;                  ///< `value` (and `predicate` for B2R.RESULT) goes to the lanes of `pmask`
    std::uint32_t value = 0;              ///< rd
    bool predicate = false;               ///< pu
    bool undefined_read = false;          ///< B2R.RESULT without a result to read
    std::optional<BarrierId> arrived;     ///< barrier at which the warp has arrived
    std::optional<BarrierId> restored;    ///< barrier that R2B.BAR has overwritten
    std::optional<Completion> completion; ///< this arrival completed the barrier
};

/// The warps that wait at one barrier, for deadlock reports.
struct BarrierWait {
    BarrierId id;
    BarrierState state;
    WarpList blocked; ///< warps of the CTA, ascending
    WarpList missing; ///< warps that are alive and not blocked here: those that could still arrive
};

/// The barriers of one CTA. Warps are identified by their number inside the CTA, 0 to `warps() - 1`.
class CtaBarriers {
  public:
    /// A CTA of `warps` warps, all alive, all barriers idle, every `WarpBarState` 0. Throws InputError unless `warps`
    /// is 1 to kMaxWarps: the state word cannot count more.
    explicit CtaBarriers(std::uint32_t warps);

    /// Executes one instruction of `warp`. A fault leaves the state as it was.
    ///
    /// Implements bcu.md "BAR.SYNC, BAR.ARV, BAR.RED" and "B2R, R2B, B2R.RESULT": an empty `pmask` has no effect; an
    /// arrival counts 32 threads, however many take part; BarrierMismatch, BarrierOverflow, BarrierBusy as listed
    /// there; also BarrierOverflow when a restored barrier would exceed the fields of its word, and BarrierOperand when
    /// R2B.BAR is given a word with no valid kind or reduction. Throws std::logic_error when `warp` does not exist, has
    /// exited or is blocked: the caller has lost track of its warps.
    std::variant<Effect, FaultReport> execute(std::uint32_t warp, const Operation &operation);

    /// All threads of `warp` have exited. Re-evaluates every barrier that waits for all alive warps (bcu.md B-6);
    /// returns the completions in barrier order. Throws std::logic_error as `execute` does.
    std::vector<Completion> exit(std::uint32_t warp);

    std::uint32_t warps() const { return static_cast<std::uint32_t>(warps_.size()); }
    std::uint32_t exited() const { return exited_; }
    /// State of a barrier (id below kBarriers).
    const BarrierState &barrier(BarrierId id) const { return barriers_.at(id.value()); }
    /// `WarpBarState` of a warp as a word (bcu.md B-5). R2B.WARP keeps the word as written, bit for bit.
    std::uint32_t warp_word(std::uint32_t warp) const { return warps_.at(warp).word; }
    /// The barrier at which a warp is blocked.
    std::optional<BarrierId> blocked_at(std::uint32_t warp) const { return warps_.at(warp).blocked; }

    /// The blocked and the missing warps: one entry per barrier with blocked warps, in barrier order.
    std::vector<BarrierWait> waits() const;
    /// `waits()` as text, one line per barrier and one for each operand with other bits that made a warp wait there,
    /// each ended by a newline; empty when no warp waits.
    std::string describe() const;

  private:
    struct Warp {
        std::uint32_t word = 0;           ///< WarpBarState
        std::optional<BarrierId> blocked; ///< waits at this barrier
        OperandList other_bits;           ///< operands with other bits with which it arrived there; while it waits
        bool exited = false;
    };

    Warp &runnable(std::uint32_t warp);
    std::variant<Effect, FaultReport> arrive(Warp &warp, const Operation &operation);
    std::variant<Effect, FaultReport> restore(const Operation &operation);
    WarpList blocked_warps(BarrierId id) const;
    bool is_complete(const BarrierState &state) const;
    Completion complete(BarrierId id);

    std::array<BarrierState, kBarriers> barriers_{};
    std::vector<Warp> warps_;
    std::uint32_t exited_ = 0;
};

/// `CtaBarriers::describe` of CTA `number` of the grid, which has CTA slot `slot`, for reports of several CTAs.
std::string describe(const CtaBarriers &barriers, std::uint64_t number, CtaSlot slot);

} // namespace smsim::bcu
