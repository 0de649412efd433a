// Stretches of code that can only be entered at their first instruction and left after their last. The scheduler pass
// keeps what is in flight only at their ends: inside, the state of an instruction follows from that of the previous
// one, so that long code without jumps costs no memory for states.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "assembler/flight_set.h"
#include "assembler/schedule_node.h"

namespace smsim::assembler {

struct ScheduleBlock {
    std::uint32_t first = 0;
    std::uint32_t last = 0; ///< its last instruction
    FlightSet out;          ///< after the last instruction, at the cycle of its issue

    /// The inputs of the last computation of the block: nothing changes while these are the same.
    struct Inputs {
        std::vector<FlightSet> outs; ///< of the predecessors
        std::vector<unsigned> stalls;
        unsigned late_scoreboards = 0;
        friend bool operator==(const Inputs &, const Inputs &) = default;
    };
    std::optional<Inputs> seen;
};

/// The blocks of the code in its order. Sets `ScheduleNode::block`; predecessors and successors must be known.
std::vector<ScheduleBlock> find_blocks(std::vector<ScheduleNode> &nodes);

} // namespace smsim::assembler
