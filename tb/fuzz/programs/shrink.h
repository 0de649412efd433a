// Reduces a failing program.
#pragma once

#include <functional>

#include "tb/fuzz/programs/tree.h"

namespace smsim::fuzz {

/// Reduces `tree` while `fails` holds for the rest: removes statements, replaces statements by their blocks, and uses
/// fewer CTAs and threads. Tries at most `attempts` programs. Deterministic.
Tree shrink(Tree tree, const std::function<bool(const Tree &)> &fails, unsigned attempts = 2000);

} // namespace smsim::fuzz
