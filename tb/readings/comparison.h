// Whether two implementations of bru.md have done the same.
#pragma once

#include <optional>
#include <string>

#include "bru/engines/convergence_barrier/warp_control.h"
#include "bru/reconvergence_engine.h"

namespace smsim::readings {

/// One implementation behind a step: what it keeps for the warp, and what it answered.
struct Behind {
    const bru::convergence_barrier::WarpControl &warp;
    const bru::StepResult &result;
};

/// The first thing in which two differ, with both values; nothing when all is equal that bru.md defines. Behind a fault
/// these are its cause and the state; otherwise all of state and result, without the RPC of threads that are active or
/// ended, the texts and whatever serves reports only.
std::optional<std::string> difference(const Behind &a, const Behind &b);

} // namespace smsim::readings
