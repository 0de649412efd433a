// Forms of PTX that are other forms in short, or have a hint beside them, written out before the module is checked
// (docs/ptx.md "Written out"). Checker and compiler know the plain ones only.
#pragma once

#include <string>

#include "ptx/ast.h"

namespace smsim::ptx {

/// Every `.alias` becomes the function that it stands for. Throws InputError, at its place, for one that names no
/// function with a body, or no declaration with the same parameters.
void resolve_aliases(Module &module, const std::string &file);

/// Writes out, in all bodies: `.L2::cache_hint` and what makes policies, `.L2::evict_...`, `.mmio`, vectors of eight
/// words, atomic sums on vectors, and reductions of f32. What it does not know stays as it is.
void simplify(Module &module);

} // namespace smsim::ptx
