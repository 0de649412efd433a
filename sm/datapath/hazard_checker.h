// Hazard checker: finds instructions that read or overwrite a register still in flight. The machine's only interlock is
// the control fields (sm.md "Control fields"), so this is the typical bug in hand-scheduled code.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/isa/instruction.h"
#include "model/stats/statistics.h"
#include "model/timing/dependence.h"
#include "model/types.h"

namespace smsim {
struct Config;
}

namespace smsim::sm {

/// Tracks what is in flight, per warp, register and lane: a conflict between different threads of a warp is no hazard.
/// Fixed-latency results are in flight for the latency between producer and consumer (the scheduler pass uses the same
/// figures), others until their answer; sources of memory instructions until the unit has read them. Paths of a
/// diverged warp may each have a value of one register in flight.
class HazardChecker {
  public:
    HazardChecker(const Config &config, unsigned warps);

    /// A warp starts in slot `warp`: nothing is in flight.
    void start(WarpSlot warp);
    /// An instruction issues at `now`; `executed` are the active lanes with a true guard.
    /// Returns the first hazard found (registers before predicates before uniform registers, reads before writes),
    /// valid until the next call; null when there is none.
    const Hazard *issue(WarpSlot warp, const isa::Instruction &insn, LaneMask active, LaneMask executed, Cycle now);
    /// An arrival at a CTA barrier issues at `now` with this operand, in which ignored bits are set.
    void other_bits(const isa::Instruction &insn, const BarrierOperand &operand, Cycle now);
    /// The result of a variable-latency instruction that executed for `lanes` is written at `at`.
    void result(WarpSlot warp, const isa::Instruction &insn, LaneMask lanes, Cycle at);
    /// A memory instruction that executes for `lanes` has read its sources at `at`.
    void sources_read(WarpSlot warp, const isa::Instruction &insn, LaneMask lanes, Cycle at);

    /// One entry per pair of instructions and register, in order of (first, second, space, index, kind).
    std::vector<Hazard> hazards() const;
    std::uint64_t count() const { return count_; }
    /// Forgets the hazards found so far.
    void clear();

  private:
    /// A value on its way.
    struct Flight {
        const isa::Instruction *insn = nullptr;
        LaneMask lanes;
        Cycle issued = 0;
        Cycle done = kNever; ///< when nothing is in flight any more; for a variable latency, when the answer is written
    };
    struct Cell {
        std::vector<Flight> writes; ///< oldest first; no lane is in two of them
        std::vector<Flight> reads;  ///< memory instructions that have not read this register yet, oldest first
    };
    /// Cells of one warp: general registers, predicates, condition flags, uniform registers.
    using Cells = std::vector<Cell>;

    void take_off(Cells &cells, const isa::Dependences &deps, const isa::Instruction &insn, LaneMask executed,
                  Cycle now);
    static void land(std::vector<Flight> &flights, const isa::Instruction &insn, LaneMask lanes, Cycle at);
    static void keep_flying(std::vector<Flight> &flights, LaneMask overwritten, Cycle now);
    void check_read(Cells &cells, std::size_t cell, const isa::Instruction &insn, LaneMask lanes,
                    timing::Carrier carrier, Cycle now);
    void check_write(Cells &cells, std::size_t cell, const isa::Instruction &insn, LaneMask lanes, Cycle now);
    void note(Hazard::Kind kind, std::size_t cell, const isa::Instruction &first, const isa::Instruction &second,
              Cycle now, Cycle ready);

    timing::SchedulingModel model_;
    std::vector<Cells> warps_;
    std::vector<Hazard> found_;
    std::uint64_t count_ = 0;
    std::optional<std::size_t> first_; ///< index of the first hazard of the present instruction
};

} // namespace smsim::sm
