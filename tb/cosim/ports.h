// A block without any function; a test sets its pins.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "cosim/block.h"

namespace smsim::cosim {

class Ports final : public Block {
  public:
    /// Adds a port of at most 512 bits, all 0.
    void add(std::string_view name, unsigned bits, bool input) {
        values_.push_back(std::make_unique<std::array<unsigned char, 64>>());
        ports_.push_back({name, bits, input, values_.back()->data()});
    }
    std::span<const Port> ports() const override { return ports_; }
    void settle() override {}
    void edge(std::uint64_t) override {}

  private:
    std::vector<std::unique_ptr<std::array<unsigned char, 64>>> values_;
    std::vector<Port> ports_;
};

} // namespace smsim::cosim
