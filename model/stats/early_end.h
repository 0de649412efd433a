// Why a run has ended before its program did, without any fault of the program.
#pragma once

#include <cstdint>

namespace smsim {

/// The counters of such a run are complete up to its last cycle; memory is whatever it was by then.
enum class EarlyEnd : std::uint8_t {
    kInterrupted,      ///< somebody asked for it
    kInstructionLimit, ///< as many warp instructions as wanted have been executed
};

} // namespace smsim
