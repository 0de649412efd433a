#include "cosim/implementations.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "cosim/bcu_adapter.h"
#include "cosim/bru_adapter.h"
#include "cosim/bru_blocks.h"
#include "cosim/handshakes.h"
#include "cosim/library_block.h"
#include "cosim/shared_memory_adapter.h"
#include "cosim/timer_adapter.h"
#include "cosim/verilated/blocks.h"
#include "model/config/config.h"
#include "model/error.h"

namespace smsim::cosim {
namespace {

/// The block that is built into this program.
std::unique_ptr<Block> own_block(BlockKind kind, const Config &config) {
    auto block = make_block(kind == BlockKind::kBru ? bru_block(config.bru).kind : kind);
    if (kind == BlockKind::kSharedMemory && config.shared.bytes > shared_memory_bytes()) {
        throw InputError(fmt::format("shared.bytes: {}; the block shared_memory was built for {}", config.shared.bytes,
                                     shared_memory_bytes()));
    }
    return block;
}

/// The requirements for the library of a block of `kind`. The pins of a branch unit are those of its engine.
BlockRequest request_of(BlockKind kind, const Config &config, const std::string &waveforms) {
    BlockRequest request;
    const auto &subs = config.sm.sub_partitions;
    const std::uint64_t warps = config.warps();
    const char *part = "";
    switch (kind) {
    default: // a branch unit
        part = "bru";
        request.kind = "bru";
        request.path = config.bru.implementation.library();
        request.parameters = {{"SUBS", subs}, {"WARPS", warps}, {"PIPELINES", config.bru.pipelines}};
        break;
    case BlockKind::kBcu:
        part = "bcu";
        request.kind = "bcu";
        request.path = config.bcu.implementation.library();
        request.parameters = {
            {"SUBS", subs}, {"WARPS", warps}, {"CTAS", std::min<std::uint64_t>(warps, config.sm.max_ctas)}};
        break;
    case BlockKind::kSleepTimer:
        part = "timer";
        request.kind = "sleep_timer";
        request.path = config.timer.implementation.library();
        request.parameters = {{"SUBS", subs}, {"WARPS", warps}};
        break;
    case BlockKind::kSharedMemory:
        part = "shared";
        request.kind = "shared_memory";
        request.path = config.shared.implementation.library();
        request.parameters = {
            {"BYTES", config.shared.bytes}, {"BANKS", config.shared.banks}, {"SLOTS", SharedMemoryPins::kSlots}};
        break;
    }
    request.key = fmt::format("{}.implementation", part);
    if (!waveforms.empty()) {
        request.waveform = fmt::format("{}/{}.vcd", waveforms, part);
    }
    return request;
}

/// Makes a factory for a part around the block of `kind`.
template <typename Adapter> auto made_of(BlockKind kind, const Watch &watch, const std::string &waveforms) {
    return [kind, watch, waveforms](const char *name, const Config &config) {
        constexpr std::uint64_t kKinds = 4; // each has its own random sequence
        const Handshakes handshakes(config.rtl.stall_seed * kKinds + static_cast<std::uint64_t>(kind),
                                    config.rtl.stall_percent);
        const BlockRequest request = request_of(kind, config, waveforms);
        return std::make_unique<Adapter>(
            name, config, request.path.empty() ? own_block(kind, config) : load_block(request), watch, handshakes);
    };
}

template <typename Table> void choose(Table &table, const Implementation &implementation) {
    if (implementation.kind() != Implementation::Kind::kModel) {
        table.choose(implementation.kind() == Implementation::Kind::kRtl ? "rtl" : "lockstep");
    }
}

} // namespace

sm::PartFactory factory_of(const Config &config, const std::shared_ptr<Findings> &findings,
                           const std::string &waveforms) {
    sm::PartFactory factory = sm::PartFactory::standard();
    for (const bool lockstep : {false, true}) {
        const char *const entry = lockstep ? "lockstep" : "rtl";
        const Watch watch{findings, lockstep};
        factory.branch_units.add(entry, made_of<BruAdapter>(BlockKind::kBru, watch, waveforms));
        factory.barrier_units.add(entry, made_of<BcuAdapter>(BlockKind::kBcu, watch, waveforms));
        factory.sleep_timers.add(entry, made_of<TimerAdapter>(BlockKind::kSleepTimer, watch, waveforms));
        factory.shared_memories.add(entry, made_of<SharedMemoryAdapter>(BlockKind::kSharedMemory, watch, waveforms));
    }
    choose(factory.branch_units, config.bru.implementation);
    choose(factory.barrier_units, config.bcu.implementation);
    choose(factory.sleep_timers, config.timer.implementation);
    choose(factory.shared_memories, config.shared.implementation);
    return factory;
}

} // namespace smsim::cosim
