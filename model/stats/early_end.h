// Why a run has ended before its program did, without any fault of the program.
#pragma once

#include <cstdint>
#include <string_view>

namespace smsim {

/// The counters of such a run are complete up to its last cycle; memory is whatever it was by then.
enum class EarlyEnd : std::uint8_t {
    kInterrupted,      ///< somebody asked for it
    kOutOfMemory,      ///< the host had no more
    kFileError,        ///< a file that the run writes has come to its end: a full disk
    kInstructionLimit, ///< as many warp instructions as wanted have been executed
};

/// What a report calls it (`run.status`).
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
