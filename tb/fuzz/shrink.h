// Makes a failing program small.
#pragma once

#include <functional>

#include "tb/fuzz/tree.h"

namespace smsim::fuzz {

/// Cuts `tree` as long as `fails` says that what is left still fails: statements out, blocks in place of what they
/// stand in, fewer CTAs and threads. Tries at most `attempts` programs. Deterministic.
Tree shrink(Tree tree, const std::function<bool(const Tree &)> &fails, unsigned attempts = 2000);

} // namespace smsim::fuzz
