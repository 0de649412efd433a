// The functions of a program, as far as its direct calls and symbols show them: for messages.
#pragma once

#include <string>

#include "model/program/program.h"

namespace smsim::session {

/// The function around an address.
struct FunctionPlace {
    std::string name;          ///< empty: unknown
    bool is_recursive = false; ///< it calls itself, directly or through others
};

/// The function of `program` that holds `pc`: the last symbol up to there that is called, or the kernel. Calls through
/// registers are not seen.
FunctionPlace function_at(const Program &program, Pc pc);

} // namespace smsim::session
