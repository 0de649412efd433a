// The state of the functional machine: everything that the future of a CTA depends on, and nothing else. It is plain
// data that can be copied, so that a search can continue from one state in several ways.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/state/condition_flags.h"
#include "model/state/warp_life.h"
#include "model/types.h"
#include "tb/independent_rules/barriers.h"
#include "tb/state_space/control.h"

namespace smsim::state_space {

/// One warp. Registers are kept only for its threads, lane 0 first, register by register.
struct WarpState {
    Control control;
    LaneMask sleepers;           ///< threads whose NANOSLEEP the timer has not ended
    bool timer = false;          ///< the sleep timer runs
    std::uint32_t countdown = 0; ///< instructions until it fires, if the machine fixes that
    bool asleep = false;         ///< the warp is not scheduled until the timer has fired
    bool exited = false;
    std::optional<ArrivalRefusal> refuses_arrivals; ///< answer of the last control instruction
    std::array<LaneMask, 7> predicates{};
    ConditionFlags flags;
    std::vector<std::uint32_t> registers;
    std::vector<std::uint32_t> uniforms;
};

/// One CTA with its memories.
struct State {
    std::vector<WarpState> warps;
    independent_rules::Barriers barriers;
    std::vector<std::uint8_t> shared;
    std::vector<std::uint8_t> global;
};

} // namespace smsim::state_space
