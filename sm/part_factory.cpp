#include "sm/part_factory.h"

#include "bcu/bcu.h"
#include "bru/bru.h"
#include "ibuffer/ibuffer.h"
#include "memory/instruction_memory.h"
#include "memory/l1_cache.h"
#include "memory/shared_memory.h"
#include "model/config/config.h"
#include "model/protocol/clock.h"
#include "sm/datapath/datapath.h"
#include "sm/dispatch/cta_dispatch.h"
#include "sm/load_store/load_store_unit.h"
#include "sm/shared_pipe/shared_pipe.h"
#include "sm/timer/sleep_timer.h"

namespace smsim::sm {
namespace {

/// The maker of a part that is constructed from its name and the whole configuration.
template <typename Part> auto made() {
    return [](const char *name, const Config &config) { return std::make_unique<Part>(name, config); };
}

sc_core::sc_time period(const Config &config) {
    return protocol::Clock(config).period();
}

} // namespace

PartFactory PartFactory::standard() {
    const std::string name = "standard";
    PartFactory factory;
    factory.instruction_buffers.add(name, [](const char *n, const Config &config, unsigned sub_partition) {
        return std::make_unique<ibuffer::IBuffer>(n, config, sub_partition);
    });
    factory.datapaths.add(name, made<Datapath>());
    factory.branch_units.add(name, made<bru::Bru>());
    factory.barrier_units.add(name, made<bcu::Bcu>());
    factory.sleep_timers.add(name, made<SleepTimer>());
    factory.shared_pipes.add(name, [](const char *n, const Config &config, isa::Unit unit) {
        return std::make_unique<SharedPipe>(n, config, unit);
    });
    factory.load_store_units.add(name, made<LoadStoreUnit>());
    factory.instruction_memories.add(name, [](const char *n, const Config &config) {
        return std::make_unique<memory::InstructionMemory>(n, config.icache, config.sm.sub_partitions, period(config));
    });
    factory.shared_memories.add(name, [](const char *n, const Config &config) {
        return std::make_unique<memory::SharedMemory>(n, config.shared, period(config), config.outside_memory());
    });
    factory.data_caches.add(name, [](const char *n, const Config &config) {
        return std::make_unique<memory::L1Cache>(n, config.l1, period(config), config.outside_memory());
    });
    factory.cta_dispatches.add(name, [](const char *n, const Config &config, GridDistributor &distributor, SmId sm) {
        return std::make_unique<CtaDispatch>(n, config, distributor, sm);
    });
    return factory;
}

std::unique_ptr<parts::BranchUnit> make_branch_unit(const char *name, const Config &config,
                                                    std::unique_ptr<bru::ReconvergenceEngine> engine) {
    return std::make_unique<bru::Bru>(name, config, std::move(engine));
}

std::unique_ptr<parts::InstructionBuffer> make_instruction_buffer(const char *name, const Config &config,
                                                                  unsigned sub_partition,
                                                                  std::unique_ptr<ibuffer::IssuePolicy> policy) {
    return std::make_unique<ibuffer::IBuffer>(name, config, sub_partition, std::move(policy));
}

} // namespace smsim::sm
