// Lines of the source that a PTX module was made from, as its `.loc` and `.file` directives tell.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ptx/ast.h"

namespace smsim::ptx {

/// By PTX line (index 0 unused) the line of `file`; 0 where none is known.
struct LineTable {
    std::string file; ///< as written behind `.file`; empty when the module has no `.loc`
    std::vector<std::uint32_t> lines;
};

/// The lines of the file that the first `.loc` of the module names. Instructions of other files (inlined functions of
/// headers) count for the line of that file before them.
LineTable line_table(const Module &module);

} // namespace smsim::ptx
