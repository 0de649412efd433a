// Writes a program tree as assembly, with the launch that runs it.
#pragma once

#include <string_view>

#include "model/program/program.h"
#include "tb/fuzz/programs/case.h"
#include "tb/fuzz/programs/tree.h"

namespace smsim::fuzz {

/// The program of a tree for a reconvergence engine, named as in `bru.engine`: it is free of races, it ends, and no
/// legal timing changes its result. docs/random-programs.md explains how it is built and why it is legal.
Case emit(const Tree &tree, std::string_view engine = kDefaultEngine);

} // namespace smsim::fuzz
