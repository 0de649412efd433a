// A block of RTL as its simulator presents it: named ports whose values are in memory, and one clock. Whatever
// evaluates the block (a compiled model, a library, a test stub) is behind this interface.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace smsim::cosim {

/// One port of a block. Its value is a row of bits in memory, bit 0 first, as a little-endian number of at least as
/// many bytes as the bits need.
struct Port {
    std::string_view name;
    unsigned bits = 0; ///< at least 1
    bool input = false;
    unsigned char *data = nullptr;          ///< valid as long as the block; bits above `bits` are 0
    const unsigned char *unknown = nullptr; ///< of an output: bits that are X or Z; null: none are known
};

class Block {
  public:
    Block() = default;
    Block(const Block &) = delete;
    Block &operator=(const Block &) = delete;
    virtual ~Block() = default;

    /// All ports except the clock, in any order, but the same one at each call.
    virtual std::span<const Port> ports() const = 0;
    /// Updates the outputs for the current inputs, without an edge.
    virtual void settle() = 0;
    /// The rising clock edge that ends `cycle`, with the current inputs; outputs are updated on return.
    virtual void edge(std::uint64_t cycle) = 0;
    /// Why the simulator cannot go on; empty as long as it can.
    virtual const std::string &failure() const {
        static const std::string kNone;
        return kNone;
    }
};

} // namespace smsim::cosim
