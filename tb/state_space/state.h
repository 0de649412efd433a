// The state of the functional machine: everything on which the future of a CTA depends, and nothing else. It is plain
// data that can be copied, so that a search can go on from one state in several ways.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "bru/engines/convergence_barrier/warp_control.h"
#include "model/types.h"
#include "tb/readings/barriers.h"

namespace smsim::state_space {

/// One warp. Registers are kept for its threads only, lane 0 first, register after register.
struct WarpState {
    bru::convergence_barrier::WarpControl control;
    LaneMask sleepers;           ///< threads whose NANOSLEEP has not been ended by the timer
    bool timer = false;          ///< the sleep timer runs
    std::uint32_t countdown = 0; ///< instructions until it fires, when the machine does not leave that open
    bool asleep = false;         ///< the warp is not scheduled until the timer has fired
    bool exited = false;
    std::array<LaneMask, 7> predicates{};
    std::vector<std::uint32_t> registers;
    std::vector<std::uint32_t> uniforms;
};

/// One CTA with its memories.
struct State {
    std::vector<WarpState> warps;
    readings::Barriers barriers;
    std::vector<std::uint8_t> shared;
    std::vector<std::uint8_t> global;
};

} // namespace smsim::state_space
