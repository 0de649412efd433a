// A program ready to run: decoded instructions, kernels, constant banks, global data, symbols and the line table.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/isa/instruction.h"
#include "model/types.h"

namespace smsim {

/// An entry point with the resources that one launch of it needs.
struct Kernel {
    std::string name;
    Pc entry = 0;                                      ///< address of the first instruction
    Pc end = 0;                                        ///< first address after the kernel's code
    std::uint32_t registers = 0;                       ///< 32-bit registers per thread, 1..255
    std::uint32_t shared_bytes = 0;                    ///< static shared memory per CTA
    std::uint32_t local_bytes = 0;                     ///< local memory per thread
    bool scheduled_by_pass = false;                    ///< control fields were set by the scheduler pass, not by hand
    std::optional<std::uint32_t> parameter_bytes = {}; ///< size of the arguments that it expects; none: any
    std::uint32_t most_threads = 0;                    ///< maximum number of threads of its CTA, 1 to 1024; 0: any
    std::array<std::uint32_t, 3> block = {};           ///< extents of its CTA, 1 to 65535 each; zeros: any
    /// Whether it declares which CTAs it is for.
    bool has_bounds() const { return most_threads != 0 || block[0] != 0; }
    friend bool operator==(const Kernel &, const Kernel &) = default;
};

/// A place in a source file; line and column count from 1, 0 means unknown.
struct SourcePlace {
    std::uint32_t file = 0; ///< index into Program::files
    std::uint32_t line = 0;
    friend bool operator==(const SourcePlace &, const SourcePlace &) = default;
};

/// A named address in the code.
struct Symbol {
    std::string name;
    Pc address = 0;
    friend bool operator==(const Symbol &, const Symbol &) = default;
};

/// Constant bank 0 holds the launch parameters; its layout (bytes) is part of the interface of kernels.
namespace constant_bank0 {
inline constexpr std::uint16_t kNtidX = 0x0;
inline constexpr std::uint16_t kNtidY = 0x4;
inline constexpr std::uint16_t kNtidZ = 0x8;
inline constexpr std::uint16_t kNctaidX = 0xc;
inline constexpr std::uint16_t kNctaidY = 0x10;
inline constexpr std::uint16_t kNctaidZ = 0x14;
inline constexpr std::uint16_t kDynamicShared = 0x18;     ///< byte offset of dynamic shared memory in the CTA's window
inline constexpr std::uint16_t kSharedBytes = 0x1c;       ///< static + dynamic shared memory of the CTA
inline constexpr std::uint16_t kArguments = 0x160;        ///< first kernel argument, each aligned to its size
inline constexpr std::uint32_t kMaxArgumentBytes = 32764; ///< maximum size of all arguments together
} // namespace constant_bank0

/// Where the program's data in global memory begins. It is above everything that a launch allocates, its buffers and
/// the local memory of its warps, if `global.bytes` is not larger.
inline constexpr std::uint64_t kGlobalDataBase = 0x0000'0010'0000'0000;
inline constexpr std::uint64_t kMaxGlobalDataBytes = std::uint64_t{1} << 30;
/// Maximum size of the data before the zeros at the end, which is stored in files and in the host's memory.
inline constexpr std::uint64_t kMaxGlobalDataStored = std::uint64_t{64} << 20;

/// The reconvergence engine of a program that names none (bru.engine).
inline constexpr std::string_view kDefaultEngine = "convergence_barrier";

/// An immutable program. Instruction i is at address 16 * i.
struct Program {
    std::string engine{kDefaultEngine}; ///< the reconvergence engine that its control instructions are written for
    std::vector<isa::Instruction> code;
    std::vector<Kernel> kernels;
    std::map<std::uint8_t, std::vector<std::uint8_t>> constants; ///< banks 1..31 as given by the program
    std::vector<std::uint8_t> global_data; ///< at kGlobalDataBase, up to the last byte that is not zero
    std::uint64_t global_data_bytes = 0;   ///< size of that segment; zeros follow `global_data`
    std::vector<Symbol> symbols;
    std::vector<std::string> files;  ///< source file names of the line table
    std::vector<SourcePlace> lines;  ///< one per instruction, or empty
    std::vector<std::string> source; ///< text of the source lines of files[0] if assembled from text; may be empty

    /// Size of the code in bytes; every legal PC is below it.
    Pc size_bytes() const { return code.size() * kInstructionBytes; }
    /// Whether `pc` is 16-byte aligned and inside the program.
    bool contains(Pc pc) const { return pc < size_bytes() && pc % kInstructionBytes == 0; }
    const isa::Instruction &at(Pc pc) const { return code[pc / kInstructionBytes]; }
    /// The kernel of that name; null when there is none.
    const Kernel *find_kernel(std::string_view name) const;
    /// Whether the instruction at `pc` belongs to another kernel than `kernel`; functions belong to none.
    bool is_of_another(const Kernel &kernel, Pc pc) const;
    /// "0x0040", or "0x0040, file:line" where the line table knows it.
    std::string place_of(const isa::Instruction &insn) const;
};

} // namespace smsim
