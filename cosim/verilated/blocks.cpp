// Compiled models of tb/rtl behind the interface of a block.
#include "cosim/verilated/blocks.h"

#include <vector>

#include <verilated.h>

#include "Vbcu.h"
#include "Vbru.h"
#include "Vbru_simt_stack.h"
#include "Vbru_token_stack.h"
#include "Vshared_memory.h"
#include "Vsleep_timer.h"

namespace smsim::cosim {
namespace {

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
    template <typename Value> void add(std::string_view name, unsigned bits, bool input, Value &value) {
        ports_.push_back({name, bits, input, reinterpret_cast<unsigned char *>(&value)});
    }

  private:
    VerilatedContext context_;
    Model model_;
    std::vector<Port> ports_;
};

#define SMSIM_PORT(NAME, BITS, INPUT) block->add(#NAME, BITS, INPUT, block->model().NAME);

std::unique_ptr<Block> make_bru() {
    auto block = std::make_unique<VerilatedBlock<Vbru>>();
#include "bru_ports.inc"
    return block;
}

std::unique_ptr<Block> make_bru_simt_stack() {
    auto block = std::make_unique<VerilatedBlock<Vbru_simt_stack>>();
#include "bru_simt_stack_ports.inc"
    return block;
}

std::unique_ptr<Block> make_bru_token_stack() {
    auto block = std::make_unique<VerilatedBlock<Vbru_token_stack>>();
#include "bru_token_stack_ports.inc"
    return block;
}

std::unique_ptr<Block> make_bcu() {
    auto block = std::make_unique<VerilatedBlock<Vbcu>>();
#include "bcu_ports.inc"
    return block;
}

std::unique_ptr<Block> make_sleep_timer() {
    auto block = std::make_unique<VerilatedBlock<Vsleep_timer>>();
#include "sleep_timer_ports.inc"
    return block;
}

std::unique_ptr<Block> make_shared_memory() {
    auto block = std::make_unique<VerilatedBlock<Vshared_memory>>();
#include "shared_memory_ports.inc"
    return block;
}

#undef SMSIM_PORT

} // namespace

std::unique_ptr<Block> make_block(BlockKind kind) {
    switch (kind) {
    case BlockKind::kBru:
        return make_bru();
    case BlockKind::kBcu:
        return make_bcu();
    case BlockKind::kSleepTimer:
        return make_sleep_timer();
    case BlockKind::kBruSimtStack:
        return make_bru_simt_stack();
    case BlockKind::kBruTokenStack:
        return make_bru_token_stack();
    case BlockKind::kSharedMemory:
        break;
    }
    return make_shared_memory();
}

std::uint64_t shared_memory_bytes() {
    return SMSIM_RTL_SHARED_BYTES;
}

} // namespace smsim::cosim
