#include "cosim/implementations.h"

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "cosim/bcu_adapter.h"
#include "cosim/bru_adapter.h"
#include "cosim/handshakes.h"
#include "cosim/shared_memory_adapter.h"
#include "cosim/timer_adapter.h"
#include "cosim/verilated/blocks.h"
#include "model/error.h"

namespace smsim::cosim {
namespace {

/// The maker of a part around the block of `kind`.
template <typename Adapter> auto made_of(BlockKind kind, const std::shared_ptr<Findings> &lockstep) {
    return [kind, lockstep](const char *name, const Config &config) {
        constexpr std::uint64_t kKinds = 4; // each has a sequence of its own
        const Handshakes handshakes(config.rtl.stall_seed * kKinds + static_cast<std::uint64_t>(kind),
                                    config.rtl.stall_percent);
        auto block = make_block(kind);
        if (kind == BlockKind::kSharedMemory && config.shared.bytes > shared_memory_bytes()) {
            throw InputError(fmt::format("shared.bytes: {}; the block shared_memory was built for {}",
                                         config.shared.bytes, shared_memory_bytes()));
        }
        return std::make_unique<Adapter>(name, config, std::move(block), lockstep, handshakes);
    };
}

template <typename Table> void choose(Table &table, Implementation implementation) {
    if (implementation != Implementation::kModel) {
        table.choose(implementation == Implementation::kRtl ? "rtl" : "lockstep");
    }
}

} // namespace

sm::PartFactory factory_of(const Config &config, const std::shared_ptr<Findings> &findings) {
    sm::PartFactory factory = sm::PartFactory::standard();
    for (const std::shared_ptr<Findings> &lockstep : {std::shared_ptr<Findings>(), findings}) {
        const char *const entry = lockstep ? "lockstep" : "rtl";
        factory.branch_units.add(entry, made_of<BruAdapter>(BlockKind::kBru, lockstep));
        factory.barrier_units.add(entry, made_of<BcuAdapter>(BlockKind::kBcu, lockstep));
        factory.sleep_timers.add(entry, made_of<TimerAdapter>(BlockKind::kSleepTimer, lockstep));
        factory.shared_memories.add(entry, made_of<SharedMemoryAdapter>(BlockKind::kSharedMemory, lockstep));
    }
    choose(factory.branch_units, config.bru.implementation);
    choose(factory.barrier_units, config.bcu.implementation);
    choose(factory.sleep_timers, config.timer.implementation);
    choose(factory.shared_memories, config.shared.implementation);
    return factory;
}

} // namespace smsim::cosim
