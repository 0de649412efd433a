// Whether two implementations of an engine's rules have done the same.
#pragma once

#include <optional>
#include <string>

#include "bru/engines/convergence_barrier/warp_control.h"
#include "bru/engines/simt_stack/engine.h"
#include "bru/engines/token_stack/engine.h"
#include "bru/reconvergence_engine.h"

namespace smsim::readings {

/// One implementation behind a step: what it keeps for the warp, and what it answered.
template <typename Warp> struct Behind {
    const Warp &warp;
    const bru::StepResult &result;
};

/// The first thing in which two differ, with both values; nothing when all is equal that bru.md or engines.md defines.
/// Behind a fault these are its cause and the state; otherwise all of state and result, without the RPC of threads that
/// are active or ended, the texts and whatever serves reports only.
std::optional<std::string> difference(const Behind<bru::convergence_barrier::WarpControl> &a,
                                      const Behind<bru::convergence_barrier::WarpControl> &b);
std::optional<std::string> difference(const Behind<bru::simt_stack::Warp> &a, const Behind<bru::simt_stack::Warp> &b);
std::optional<std::string> difference(const Behind<bru::token_stack::Warp> &a, const Behind<bru::token_stack::Warp> &b);

/// The same for what two implementations have counted.
std::optional<std::string> difference(const bru::simt_stack::Counters &a, const bru::simt_stack::Counters &b);
std::optional<std::string> difference(const bru::token_stack::Counters &a, const bru::token_stack::Counters &b);

} // namespace smsim::readings
