// A compiled PTX module before it becomes assembly text: functions, variables with their places, prototypes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ptx/machine/code.h"

namespace smsim::ptx {
struct Variable;
struct Function;
} // namespace smsim::ptx

namespace smsim::ptx::machine {

/// Upper words of generic addresses: of shared and local memory and of the arguments of a kernel. All others are
/// addresses of global memory.
inline constexpr std::uint32_t kSharedWindow = 0x00007f01;
inline constexpr std::uint32_t kLocalWindow = 0x00007f02;
inline constexpr std::uint32_t kParameterWindow = 0x00007f03;

/// The most bytes of local memory that a function and its callees may need: the reach of an address's offset.
inline constexpr std::uint32_t kMostFrameBytes = (1U << 23) - 1;

/// The most instructions and blocks that a function may have at selection, and the most instructions (including
/// inlined calls) and functions of a module. Far above what compilers write; below them, no module takes minutes or
/// gigabytes.
inline constexpr std::size_t kMostInstructions = 100000;
inline constexpr std::size_t kMostBlocks = 16384;
inline constexpr std::size_t kMostModuleInstructions = 400000;
inline constexpr std::size_t kMostFunctions = 4096;

/// The constant bank of `.const` variables; they are in global memory too, for generic addresses.
inline constexpr unsigned kConstantBank = 3;
/// The constant bank of the tables of brx.idx.
inline constexpr unsigned kTableBank = 4;

/// A `.shared` variable of the module or of a function.
struct SharedVariable {
    std::uint64_t bytes = 0;
    std::uint64_t align = 1;
    std::uint64_t offset = 0; ///< in the CTA's window
    bool dynamic = false;     ///< `.extern ... name[]`: after all others
};

/// A value in the data of a module that is an address: of a function, or of a variable (then already added up).
struct FunctionAddress {
    std::uint64_t offset = 0;
    std::uint32_t function = 0;
    unsigned bytes = 8;
};

/// Initialised data.
struct Data {
    std::vector<std::uint8_t> bytes;
    std::vector<FunctionAddress> functions;
    std::uint64_t size = 0; ///< at least bytes.size(); the rest is zeros
};

/// What is passed to a function and returned, in words of registers. Functions with equal ones can be called alike.
struct CallWords {
    std::uint32_t arguments = 0;
    std::uint32_t results = 0;
    friend bool operator==(const CallWords &, const CallWords &) = default;
};

struct Module {
    std::string file;
    std::vector<Function> functions;
    std::vector<CallWords> prototypes;
    std::vector<SharedVariable> shared;
    Data global;
    Data constant;                                         ///< bank kConstantBank; also at the end of `global`
    std::uint64_t table_words = 0;                         ///< of brx.idx, in bank kTableBank
    std::uint64_t constant_in_global = 0;                  ///< offset of the copy
    std::map<const ptx::Variable *, std::uint64_t> places; ///< offsets in global, constant; index for shared
    std::map<std::string, std::uint32_t> function_index;   ///< by PTX name
    unsigned matrix_steps = 2;                             ///< most of a product of matrices in one instruction
    bool generic_shared = false;                           ///< somewhere a shared address becomes a generic one
    bool generic_local = false;                            ///< likewise a local one
    bool generic_parameter = false;                        ///< likewise one of a kernel's arguments
    bool generic_constant = false;                         ///< likewise one of a .const variable
};

} // namespace smsim::ptx::machine
