// Lines of the source that a PTX module was made from, according to its `.loc` and `.file` directives.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ptx/ast.h"

namespace smsim::ptx {

/// The line of `file` by PTX line (index 0 unused); 0 where unknown.
struct LineTable {
    std::string file; ///< as written after `.file`; empty when the module has no `.loc`
    std::vector<std::uint32_t> lines;
};

/// The lines of the file that the first `.loc` of the module names. Instructions of other files (inlined functions of
/// headers) are attributed to the preceding line of that file.
LineTable line_table(const Module &module);

} // namespace smsim::ptx
