// The memories of a launch, by space, with checks of bounds and alignment.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "ptx/interpreter/interpreter.h"
#include "ptx/interpreter/program.h"

namespace smsim::ptx::interpreter {

/// Ends a run without a result.
struct Stop : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Memories {
  public:
    Memories(const CompiledModule &module, const Launch &launch);

    /// Shared memory of a new CTA, all zero.
    void start_cta();

    /// The `bytes` bytes at an address of a space; `local` is the thread's local memory. Throws Stop unless they are
    /// all in one object and aligned to `align`.
    std::uint8_t *at(Memory memory, std::uint64_t address, unsigned bytes, unsigned align,
                     std::span<std::uint8_t> local, bool written);

    std::vector<Buffer> &buffers() { return buffers_; }
    /// What the threads have printed.
    std::string &printed() { return printed_; }

  private:
    std::span<std::uint8_t> region(Memory memory, std::uint64_t &address, std::span<std::uint8_t> local);
    std::span<std::uint8_t> global_region(std::uint64_t &address);

    std::vector<std::uint8_t> global_;
    std::vector<std::uint8_t> constant_;
    std::vector<std::uint8_t> parameters_;
    std::vector<std::uint8_t> shared_;
    std::vector<Buffer> buffers_;
    std::string printed_;
};

/// The space of a generic address, and the address within it.
Memory memory_of(std::uint64_t generic);

std::uint64_t load_bytes(const std::uint8_t *from, unsigned bytes);
void store_bytes(std::uint8_t *to, std::uint64_t value, unsigned bytes);

} // namespace smsim::ptx::interpreter
