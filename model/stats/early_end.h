// Why a run has ended before its program, without a fault of the program.
#pragma once

#include <cstdint>
#include <string_view>

namespace smsim {

/// The counters of such a run are complete up to its last cycle; memory is whatever it was by then.
enum class EarlyEnd : std::uint8_t {
    kInterrupted,      ///< a user asked for it
    kOutOfMemory,      ///< the host had no more memory
    kFileError,        ///< a file that the run writes has reached its limit: a full disk
    kInstructionLimit, ///< the requested number of warp instructions has been executed
};

/// Its name in a report (`run.status`).
constexpr std::string_view early_end_name(EarlyEnd end) {
    switch (end) {
    case EarlyEnd::kInterrupted:
        return "interrupted";
    case EarlyEnd::kOutOfMemory:
        return "out_of_memory";
    case EarlyEnd::kFileError:
        return "file_error";
    case EarlyEnd::kInstructionLimit:
        break;
    }
    return "instruction_limit";
}

} // namespace smsim
