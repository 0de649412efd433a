// The passes of the compiler on selected code, in their order: what they are for, and at which level they run.
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

/// Called behind each pass, with its name and how many changes it counts.
using Watch = std::function<void(std::string_view pass, const machine::Function &function, unsigned changes)>;

/// Puts functions in the place of a function's calls; returns how many.
using Inline = std::function<unsigned(machine::Function &function)>;

/// Makes a selected function faster; what it computes stays. Level 0: nothing; 1: values are propagated and
/// instructions combined; 2: calls become the code of the function, equal ends of ways become one, short branches
/// become predicates, and loops lose what is always the same in them; 3: neighbouring loads become one, too. `words`:
/// words of registers that may be alive in loops; `choice`: passes that are left out are as if they had found nothing
/// to do; `inline_calls`: the pass that other functions are needed for.
void optimise(machine::Function &function, unsigned level, unsigned words, const Watch &watch = {},
              const PassChoice &choice = {}, const Inline &inline_calls = {});

/// Names of the passes, each once, in the order in which they first run at the highest level.
const std::vector<std::string> &pass_names();

} // namespace smsim::ptx::optimise
