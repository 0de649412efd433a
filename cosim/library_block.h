// A block of RTL from a library that the user names (cosim/smsim_block.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cosim/block.h"

namespace smsim::cosim {

/// One parameter that a block must be able to serve.
struct BlockParameter {
    const char *name;
    std::uint64_t value;
};

/// What is asked of a library.
struct BlockRequest {
    std::string key;                        ///< whose value names the library: "bru.implementation"; for messages
    std::string path;                       ///< a name without a slash is one in the present folder
    std::string kind;                       ///< "bru", "bcu", "sleep_timer", "shared_memory"
    std::vector<BlockParameter> parameters; ///< see smsim_block.h
    std::string waveform;                   ///< file for the inside of the block; empty: none
};

/// A block of that library, not yet reset. What an output shows behind a reset must not depend on what registers held
/// before: three blocks of the library that differ in it are reset for a test.
///
/// InputError, with key, path and cause: there is no such library, it exports no smsim_block_library, it was made for
/// another version or kind, misses a function, refuses the parameters, has a port without name, bits or value or two of
/// one name, no input `rst`, an output that is not zero behind the reset (docs/pins.md "Reset"), or no waveforms
/// although one is asked for.
std::unique_ptr<Block> load_block(const BlockRequest &request);

} // namespace smsim::cosim
