// PTX text to the tree of ast.h.
#pragma once

#include <string>
#include <string_view>

#include "ptx/ast.h"

namespace smsim::ptx {

/// Largest text that is read; a longer one is rejected.
inline constexpr std::size_t kMaxBytes = std::size_t{16} << 20;

/// Parses one module. `file` names it in messages. Checks beyond the grammar (undeclared names, types, unknown
/// instructions) are left to `check_module`. Throws InputError with all syntax errors, one per line, each
/// "file:line:column: what is wrong; expected ...".
Module parse_module(std::string_view text, const std::string &file);

} // namespace smsim::ptx
