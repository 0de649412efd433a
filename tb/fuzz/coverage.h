// What random programs have exercised: instruction x form x guard x situation of the warp's masks, counted on the
// instructions that the model has executed.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bru/engines/convergence_barrier/control_state.h"
#include "model/isa/instruction.h"

namespace smsim::fuzz {

using bru::convergence_barrier::ControlState;

/// What the guard says of the active threads.
enum class GuardState : std::uint8_t {
    kNone,  ///< the instruction has no guard, and no second one
    kTrue,  ///< true in all active threads
    kFalse, ///< false in all
    kMixed, ///< true in some
};
inline constexpr unsigned kGuardStates = 4;

/// Which threads of the warp are active, and what the others do.
enum class Situation : std::uint8_t {
    kWhole,    ///< all 32 threads
    kShrunk,   ///< all valid threads, fewer than 32: a partial warp, or some have exited
    kDiverged, ///< others are valid, none of them asleep or yielded
    kYielded,  ///< others are valid, some have yielded, none is asleep
    kAsleep,   ///< others are valid, some are asleep
};
inline constexpr unsigned kSituations = 5;

/// One row of the table: an operation in one form and mode (BRA.U, BAR.ARV, ...).
struct CoverageRow {
    isa::Op op;
    isa::Form form;
    std::uint8_t mode; ///< value of the modifier that tells variants apart; 0 where none does
    std::string name;
};

/// All rows: everything of BRU and BCU, NOP, MEMBAR, all of the load/store unit, and the compute operations that
/// generated programs use.
const std::vector<CoverageRow> &coverage_rows();

inline constexpr unsigned kMaxRows = 256;
/// Counters of all cells: row, guard, situation.
using CoverageCounts = std::array<std::uint64_t, std::size_t{kMaxRows} * kGuardStates * kSituations>;

/// Counts one executed instruction. `before` is the warp's state when it was issued.
void count(CoverageCounts &counts, const isa::Instruction &insn, LaneMask active, LaneMask executed,
           const ControlState &before);

/// Cells that are empty, as "BRA.DIV U, mixed guard, whole". Every cell can be reached: rows hold only forms and modes
/// that can be encoded, and any guard can meet any situation.
std::vector<std::string> empty_cells(const CoverageCounts &counts);

/// The table as text: a line per row, a column per guard and situation, "EMPTY" for cells without
/// a count.
std::string coverage_table(const CoverageCounts &counts);

} // namespace smsim::fuzz
