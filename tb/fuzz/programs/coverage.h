// What random programs have exercised: instruction x form x guard x situation of the warp's masks, counted over the
// instructions that the model has executed.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bru/engines/convergence_barrier/control_state.h"
#include "model/isa/instruction.h"
#include "model/program/program.h"

namespace smsim::fuzz {

using bru::convergence_barrier::ControlState;

/// The value of the guard in the active threads.
enum class GuardState : std::uint8_t {
    kNone,  ///< the instruction has no guard and no second guard
    kTrue,  ///< true in all active threads
    kFalse, ///< false in all
    kMixed, ///< true in some
};
inline constexpr unsigned kGuardStates = 4;

/// Which threads of the warp are active, and the state of the others.
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
    std::uint8_t mode; ///< value of the modifier that distinguishes variants; 0 if none does
    std::string name;
};

/// All rows of the programs for an engine: all instructions of BRU and BCU, NOP, MEMBAR, all of the load/store unit,
/// and the compute operations that generated programs use.
const std::vector<CoverageRow> &coverage_rows(std::string_view engine = kDefaultEngine);

inline constexpr unsigned kMaxRows = 256;
/// Counters of all cells: row, guard, situation.
using CoverageCounts = std::array<std::uint64_t, std::size_t{kMaxRows} * kGuardStates * kSituations>;

/// The state of the other threads when `active` execute an instruction; `before` is the warp's state when it was
/// issued.
Situation situation_of(LaneMask active, const ControlState &before);
/// The same on engines where the others can only wait: `valid` are all threads that have not ended.
Situation situation_of(LaneMask active, LaneMask valid);

/// Counts one executed instruction of a program for `engine`.
void count(CoverageCounts &counts, std::string_view engine, const isa::Instruction &insn, LaneMask active,
           LaneMask executed, Situation situation);

/// Number of reachable cells. Rows hold only forms and modes that can be encoded, and with convergence barriers any
/// guard can meet any situation. On the stack engines no thread has yielded and only whole warps sleep, and some
/// instructions take no guard. On simt_stack the threads must agree in the guard of a jump, and ENDPRG ends all.
std::size_t coverage_cells(std::string_view engine = kDefaultEngine);
/// The empty cells, as "BRA.DIV U, mixed guard, whole".
std::vector<std::string> empty_cells(const CoverageCounts &counts, std::string_view engine = kDefaultEngine);

/// The table as text: a line per row, a column per guard and situation, "EMPTY" for cells without a count, "-" for
/// unreachable cells.
std::string coverage_table(const CoverageCounts &counts, std::string_view engine = kDefaultEngine);

} // namespace smsim::fuzz
