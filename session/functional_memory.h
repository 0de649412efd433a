// The global memory of a session as functional execution sees it.
#pragma once

#include <cstdint>
#include <span>

#include "session/memory_backend.h"
#include "sm/functional/global_port.h"

namespace smsim::session {

/// The bytes of `memory`: through its direct memory interface where allowed, otherwise by its host accesses, which
/// give the bytes as the SM would read them.
class FunctionalMemory final : public sm::functional::GlobalPort {
  public:
    /// `direct`: the memory is the model's own, whose pages never move.
    FunctionalMemory(MemoryBackend &memory, bool direct) : memory_(memory), direct_(direct) {}

    unsigned char *page(std::uint64_t number) override;
    void read(std::uint64_t address, std::span<std::uint8_t> to) override { memory_.read(address, to); }
    void write(std::uint64_t address, std::span<const std::uint8_t> from) override { memory_.write(address, from); }

  private:
    MemoryBackend &memory_;
    bool direct_;
};

} // namespace smsim::session
