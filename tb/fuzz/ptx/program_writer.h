// Writes a tree as a PTX module: kernel "k" with parameters out (kOwnWords words by thread) and common.
#pragma once

#include <string>

#include "model/launch/launch.h"
#include "tb/fuzz/ptx/tree.h"

namespace smsim::ptx_fuzz {

/// 32-bit words that each thread owns in `out`: its registers at the end, then the words it stored.
inline constexpr unsigned kOwnWords = 16;
/// Words in `common`: counters first, then locks, then flags of threads and chains.
inline constexpr unsigned kCounters = 16;
inline constexpr unsigned kLocks = 4;

/// The module of the tree. Results do not depend on the order of threads, and every program ends.
std::string write_program(const Tree &tree);

/// Its launch.
launch::Launch launch_of(const Tree &tree);

} // namespace smsim::ptx_fuzz
