// The exception of a warp whose next instruction does not exist, for all code that runs programs.
#pragma once

#include <fmt/format.h>

#include "model/error.h"
#include "model/types.h"

namespace smsim {

/// IllegalTarget: a warp has reached `pc`, where its program has no instruction.
inline FaultReport ran_past_end(Pc pc) {
    return {Fault::kIllegalTarget,
            fmt::format("there is no instruction at {:#06x}: the warp ran past the program", pc)};
}

} // namespace smsim
