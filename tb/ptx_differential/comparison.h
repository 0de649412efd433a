// One result of the model compared with the expected one: bits equal, or within the error that the PTX ISA allows.
#pragma once

#include <cstdint>
#include <string>

#include "tb/ptx_differential/kernel_writer.h"

namespace smsim::ptx_differential {

struct Verdict {
    enum class Kind : std::uint8_t { kEqual, kWithin, kUndefined, kDifferent };
    Kind kind = Kind::kEqual;
    double ulps = 0; ///< error of an approximation, rounded
};

/// Compares result `check` of `thread` in a kernel of `batch`.
Verdict compare(const Check &check, unsigned batch, unsigned thread, std::uint64_t got, std::uint64_t expected);

/// "a=0x3f800000, b=..." for messages.
std::string inputs_text(const Check &check, unsigned batch, unsigned thread);

} // namespace smsim::ptx_differential
