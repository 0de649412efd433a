// What the scheduler pass knows about one instruction, before and while it decides.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "assembler/flight_set.h"
#include "model/program/program.h"
#include "model/timing/dependence.h"

namespace smsim::assembler {

inline constexpr int kUnassigned = -1; ///< no scoreboard

struct ScheduleNode {
    const isa::Instruction *insn = nullptr;
    isa::Dependences deps;
    RegisterBits reads; ///< general and uniform registers that it reads
    RegisterBits writes;
    RegisterBits touches;    ///< both
    bool adjustable = false; ///< its control fields are set here
    std::vector<std::uint32_t> successors;
    std::vector<std::uint32_t> predecessors;
    std::uint32_t block = 0;     ///< the block it belongs to (schedule_block.h)
    bool settles = false;        ///< everything in flight is awaited before it
    bool switches = false;       ///< another path of the warp may continue after it
    unsigned settle = 0;         ///< cycles until every consumer can read a fixed result
    unsigned uniform_settle = 0; ///< the same for a uniform result
    unsigned least = 1;          ///< cycles that pass before the warp's next instruction whatever the stall is
    bool has_result = false;     ///< result announced by a scoreboard
    bool has_sources = false;    ///< sources read late
    bool uniform_result = false;
    bool uniform_source = false;

    // control fields
    unsigned stall = 1;
    int wsb = kUnassigned;
    int rsb = kUnassigned;
    std::vector<int> req; ///< sorted

    /// Cycles before the next instruction.
    unsigned elapses() const { return std::max(stall, least); }
    bool waits_for(int scoreboard) const {
        return scoreboard != kUnassigned && std::ranges::binary_search(req, scoreboard);
    }
    void wait_for(int scoreboard) { req.insert(std::ranges::lower_bound(req, scoreboard), scoreboard); }
};

/// Describes instruction `index` of the program, with `region_end` where it lets threads continue (token_regions.h):
/// its place in the graph of control flow, its inputs and outputs. The control fields are those of the program, or not
/// set yet when they are `adjustable`.
ScheduleNode describe_instruction(const Program &program, std::size_t index, const timing::SchedulingModel &model,
                                  bool adjustable, std::optional<std::uint32_t> region_end = std::nullopt);

} // namespace smsim::assembler
