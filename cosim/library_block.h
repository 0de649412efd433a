// A block of RTL from a library that the user names (cosim/smsim_block.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cosim/block.h"

namespace smsim::cosim {

/// One parameter that a block must support.
struct BlockParameter {
    const char *name;
    std::uint64_t value;
};

/// The requirements for a library.
struct BlockRequest {
    std::string key;                        ///< whose value names the library: "bru.implementation"; for messages
    std::string path;                       ///< a name without a slash is one in the present folder
    std::string kind;                       ///< "bru", "bcu", "sleep_timer", "shared_memory"
    std::vector<BlockParameter> parameters; ///< see smsim_block.h
    std::string waveform;                   ///< file for the block's internal signals; empty: none
};

/// Makes a block of that library, not yet reset. An output after a reset must not depend on what registers held
/// before: to test this, three blocks of the library that differ in it are reset.
///
/// InputError, with key, path and cause: the library does not exist, exports no smsim_block_library, was made for
/// another version or kind, lacks a function, rejects the parameters, has a port without name, bits or value, two
/// ports of one name, no input `rst`, an output that is not zero after the reset (docs/pins.md "Reset"), or no
/// waveforms although one is asked for.
std::unique_ptr<Block> load_block(const BlockRequest &request);

} // namespace smsim::cosim
