// Global memory as functional execution sees it: bytes that are there at once. Whoever runs it says what stands behind.
#pragma once

#include <cstdint>
#include <span>

namespace smsim::sm::functional {

class GlobalPort {
  public:
    /// Size of what `page` gives, aligned to it; a power of two.
    static constexpr std::uint64_t kPageBytes = 16384;

    virtual ~GlobalPort() = default;
    /// The bytes of page number `number`, that of address `number * kPageBytes`, which stay where they are as long as
    /// the port; null: they are reached by `read` and `write` only.
    virtual unsigned char *page(std::uint64_t number) = 0;
    /// Copy bytes that may be accessed to and from this memory. InputError: the memory refuses.
    virtual void read(std::uint64_t address, std::span<std::uint8_t> to) = 0;
    virtual void write(std::uint64_t address, std::span<const std::uint8_t> from) = 0;
};

} // namespace smsim::sm::functional
