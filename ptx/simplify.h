// Rewrites forms of PTX that abbreviate other forms, or carry a hint, before the module is checked (docs/ptx.md
// "Written out"). Checker and compiler only know the plain forms.
#pragma once

#include <string>

#include "ptx/ast.h"

namespace smsim::ptx {

/// Replaces every `.alias` by the function that it stands for. Throws InputError, at its place, for one that names no
/// function with a body, or no declaration with the same parameters.
void resolve_aliases(Module &module, const std::string &file);

/// Rewrites, in all bodies: `.L2::cache_hint` and what creates policies, `.L2::evict_...`, `.mmio`, vectors of eight
/// words, atomic sums on vectors, and reductions of f32. Everything else is unchanged.
void simplify(Module &module);

} // namespace smsim::ptx
