// The passes of the compiler on selected code, in their order: their purpose, and the level at which they run.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/compile_log.h"
#include "ptx/machine/code.h"

namespace smsim::ptx::optimise {

/// Highest level of optimisation.
inline constexpr unsigned kMostLevel = 3;

/// Called after each pass, with its name and its number of changes.
using Watch = std::function<void(std::string_view pass, const machine::Function &function, unsigned changes)>;

/// Inlines a function's calls; returns how many.
using Inline = std::function<unsigned(machine::Function &function)>;

/// Makes a selected function faster without changing what it computes. Level 0: nothing; 1: values are propagated and
/// instructions combined; 2: calls are inlined, equal ends of ways become one, short branches become predicates, and
/// loop invariants are hoisted; 3: neighbouring loads are joined, too. `words`: words of registers that may be live in
/// loops; `choice`: passes that are left out behave as if they had found nothing to do; `inline_calls`: the pass that
/// needs other functions.
void optimise(machine::Function &function, unsigned level, unsigned words, const Watch &watch = {},
              const PassChoice &choice = {}, const Inline &inline_calls = {});

/// Names of the passes, each once, in the order in which they first run at the highest level.
const std::vector<std::string> &pass_names();

} // namespace smsim::ptx::optimise
