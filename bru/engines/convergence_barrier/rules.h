// What the rules of this engine depend on besides the state of the warp and the instruction: the configuration, and the
// choice of a path where that comes from a library.
#pragma once

#include "bru/engines/convergence_barrier/path_choice.h"
#include "model/config/sections/bru.h"
#include "model/types.h"

namespace smsim::bru::convergence_barrier {

/// A reference to both, for one step of one warp. Without a library the rules are pure functions; a choice from a
/// library may keep state of its own, and only that.
struct Rules {
    /// Implicit: where no library is involved, the configuration alone says everything.
    Rules(const BruConfig &all) : config(all) {}
    /// `choice` (null: none) is asked in place of `all.election`, for the warp in slot `slot`.
    Rules(const BruConfig &all, PathChoice *choice, WarpSlot slot) : config(all), library(choice), warp(slot) {}

    /// Whether the warp must remember since when its threads have waited (WarpControl::waiting_place).
    bool needs_waiting_places() const { return config.election == ElectionPolicy::kOldest || library != nullptr; }

    const BruConfig &config;
    PathChoice *library = nullptr;
    WarpSlot warp;
};

} // namespace smsim::bru::convergence_barrier
