// A block of this project with a seeded fault at its pins, and a kernel that runs with it in place of the part.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "assembler/assembler.h"
#include "cosim/bcu_adapter.h"
#include "cosim/bru_adapter.h"
#include "cosim/shared_memory_adapter.h"
#include "cosim/timer_adapter.h"
#include "cosim/verilated/blocks.h"
#include "model/config/loader.h"
#include "session/session.h"
#include "sm/part_factory.h"

namespace smsim::cosim {

/// The fault may change outputs after they have settled, and inputs before an edge.
class FaultyBlock final : public Block {
  public:
    using Fault = std::function<void(const Block &block)>;
    FaultyBlock(BlockKind kind, Fault fault, Fault before_edge = {})
        : block_(make_block(kind)), fault_(std::move(fault)), before_edge_(std::move(before_edge)) {}
    std::span<const Port> ports() const override { return block_->ports(); }
    void settle() override {
        block_->settle();
        fault_(*block_);
    }
    void edge(std::uint64_t cycle) override {
        if (before_edge_) {
            before_edge_(*block_);
        }
        block_->edge(cycle);
        fault_(*block_);
    }

  private:
    std::unique_ptr<Block> block_;
    Fault fault_;
    Fault before_edge_;
};

inline Pin output(const Block &block, std::string_view name, unsigned width, unsigned fields) {
    return PinFinder(block, "test").output(name, width, fields);
}

/// How a run uses the faulty block.
struct FaultyRun {
    bool lockstep = true;
    unsigned stall_percent = 0;
    FaultyBlock::Fault before_edge{};
    std::string engine = "convergence_barrier"; ///< that the program is for
    std::vector<std::string> settings{};        ///< `key=value`
};

/// Runs a kernel of one warp with a block of `kind` that has `fault`. `code` is followed by the instruction that ends
/// the programs of the engine.
template <typename Adapter>
session::LaunchResult run_faulty(const std::string &code, BlockKind kind, const FaultyBlock::Fault &fault,
                                 const FaultyRun &how = {}) {
    const auto findings = std::make_shared<Findings>();
    sm::PartFactory factory = sm::PartFactory::standard();
    const auto make = [&](const char *name, const Config &config) {
        return std::make_unique<Adapter>(name, config, std::make_unique<FaultyBlock>(kind, fault, how.before_edge),
                                         Watch{findings, how.lockstep}, Handshakes(1, how.stall_percent));
    };
    const auto choose = [&](auto &table) {
        table.add("faulty", make);
        table.choose("faulty");
    };
    if constexpr (std::is_base_of_v<parts::BranchUnit, Adapter>) {
        choose(factory.branch_units);
    } else if constexpr (std::is_base_of_v<parts::BarrierUnit, Adapter>) {
        choose(factory.barrier_units);
    } else if constexpr (std::is_base_of_v<parts::SleepTimer, Adapter>) {
        choose(factory.sleep_timers);
    } else {
        choose(factory.shared_memories);
    }
    static Config config;
    std::vector<std::string> settings = how.settings;
    settings.push_back("bru.engine=" + how.engine);
    config = load_config(std::nullopt, settings);
    config.rtl.patience = 2000;
    session::Options options;
    options.factory = &factory;
    options.findings = findings;
    session::Session session(config, options);
    const char *const end = how.engine == "simt_stack" ? " ENDPRG;\n" : " EXIT;\n";
    const Program program = assemble(".engine " + how.engine + "\n.kernel k\n.shared 128\n" + code + end, "k.sasm",
                                     timing::SchedulingModel());
    launch::Launch what;
    what.path = "launch";
    what.block = {32, 1, 1};
    return session.launch(program, program.kernels.at(0), what, {});
}

} // namespace smsim::cosim
