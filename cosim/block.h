// A block of RTL as a simulator of it is seen from here: named ports whose values lie in memory, and one clock.
// Whatever evaluates it (a compiled model, a library, a stub of a test) stands behind this interface.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace smsim::cosim {

/// One port of a block. Its value is a row of bits in memory, bit 0 first, as a little-endian number of as many bytes
/// as the bits need, or more.
struct Port {
    std::string_view name;
    unsigned bits = 0; ///< at least 1
    bool input = false;
    unsigned char *data = nullptr;          ///< valid as long as the block; bits above `bits` are 0
    const unsigned char *unknown = nullptr; ///< of an output: bits that are X or Z; null: there is no such thing
};

class Block {
  public:
    Block() = default;
    Block(const Block &) = delete;
    Block &operator=(const Block &) = delete;
    virtual ~Block() = default;

    /// All ports but the clock, in any order, the same at each call.
    virtual std::span<const Port> ports() const = 0;
    /// Lets outputs follow the inputs as they are now, without an edge.
    virtual void settle() = 0;
    /// One rising edge of the clock, the one that ends `cycle`, with the inputs as they are now; outputs have followed
    /// it afterwards.
    virtual void edge(std::uint64_t cycle) = 0;
    /// Why what evaluates it cannot go on; empty as long as it can.
    virtual const std::string &failure() const {
        static const std::string kNone;
        return kNone;
    }
};

} // namespace smsim::cosim
