// Whether two implementations of an engine's rules have done the same.
#pragma once

#include <optional>
#include <string>

#include "bru/engines/convergence_barrier/warp_control.h"
#include "bru/engines/simt_stack/engine.h"
#include "bru/engines/token_stack/engine.h"
#include "bru/reconvergence_engine.h"

namespace smsim::independent_rules {

/// One implementation after a step: its state for the warp, and its answer.
template <typename Warp> struct Behind {
    const Warp &warp;
    const bru::StepResult &result;
};

/// The first difference between the two, with both values; nothing if everything that bru.md or engines.md defines is
/// equal. After a fault, that is its cause and the state; otherwise all of state and result, except the RPC of threads
/// that are active or ended, texts, and data that serves reports only.
std::optional<std::string> difference(const Behind<bru::convergence_barrier::WarpControl> &a,
                                      const Behind<bru::convergence_barrier::WarpControl> &b);
std::optional<std::string> difference(const Behind<bru::simt_stack::Warp> &a, const Behind<bru::simt_stack::Warp> &b);
std::optional<std::string> difference(const Behind<bru::token_stack::Warp> &a, const Behind<bru::token_stack::Warp> &b);

/// The same for the counters of two implementations.
std::optional<std::string> difference(const bru::simt_stack::Counters &a, const bru::simt_stack::Counters &b);
std::optional<std::string> difference(const bru::token_stack::Counters &a, const bru::token_stack::Counters &b);

} // namespace smsim::independent_rules
