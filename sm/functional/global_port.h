// Global memory as seen by functional execution: bytes that are available at once. Its implementer decides what
// provides them.
#pragma once

#include <cstdint>
#include <span>

namespace smsim::sm::functional {

class GlobalPort {
  public:
    /// Size of the pages returned by `page`, and their alignment; a power of two.
    static constexpr std::uint64_t kPageBytes = 16384;

    virtual ~GlobalPort() = default;
    /// The bytes of page number `number`, which begins at address `number * kPageBytes`; they do not move during the
    /// life of the port. Null: use `read` and `write` instead.
    virtual unsigned char *page(std::uint64_t number) = 0;
    /// Copy accessible bytes from and to this memory. InputError: the memory refuses.
    virtual void read(std::uint64_t address, std::span<std::uint8_t> to) = 0;
    virtual void write(std::uint64_t address, std::span<const std::uint8_t> from) = 0;
};

} // namespace smsim::sm::functional
