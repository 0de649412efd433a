// A compiled model of Verilator as a block.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <verilated.h>

#include "cosim/block.h"

namespace smsim::cosim {

/// `Model` is the class that Verilator generates from a module with an input `clk`.
template <typename Model> class VerilatedBlock final : public Block {
  public:
    VerilatedBlock() : model_(&context_) {}
    ~VerilatedBlock() override { model_.final(); }

    std::span<const Port> ports() const override { return ports_; }
    void settle() override {
        model_.clk = 0;
        model_.eval();
    }
    void edge(std::uint64_t) override {
        model_.clk = 1;
        model_.eval();
    }

    Model &model() { return model_; }
    /// Names a port of `bits` bits, which the model holds in `value`.
    template <typename Value> void add(std::string_view name, unsigned bits, bool input, Value &value) {
        ports_.push_back({name, bits, input, reinterpret_cast<unsigned char *>(&value)});
    }

  private:
    VerilatedContext context_;
    Model model_;
    std::vector<Port> ports_;
};

} // namespace smsim::cosim
