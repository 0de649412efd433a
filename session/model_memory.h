// The model's own global memory as the memory of a session.
#pragma once

#include "memory/global_memory.h"
#include "model/config/config.h"
#include "model/protocol/clock.h"
#include "session/memory_backend.h"
#include "sm/load_store/global_bounds.h"

namespace smsim::session {

/// memory::GlobalMemory with the latency and bandwidth of the configuration, mapped in whole pages so that a cache can
/// fetch the last line of a buffer.
class ModelMemory final : public MemoryBackend {
  public:
    explicit ModelMemory(const Config &config)
        : memory_("global_memory", config.global, protocol::Clock(config).period(), sm::GlobalBounds::kPageBytes,
                  timing::Jitter(config.jitter, timing::Jitter::Part::kMemory), config.l2) {}

    MemorySocket &socket() override { return memory_.socket; }
    bool join(protocol::Calendar &calendar) override {
        memory_.join(calendar);
        return true;
    }
    void map(std::uint64_t base, std::uint64_t bytes, const std::string &name) override {
        memory_.unmap(base);
        memory_.map_anywhere(base, bytes, name);
    }
    void read(std::uint64_t address, std::span<std::uint8_t> to) override { memory_.read(address, to); }
    void write(std::uint64_t address, std::span<const std::uint8_t> from) override { memory_.write(address, from); }
    const memory::ExpectedAccesses *expected() const override { return &memory_; }
    void collect(GlobalMemoryStats &stats) const override { memory_.collect(stats); }
    void add_use(Cycle end, UnitUses &uses) const override { memory_.add_use(end, uses); }
    void clear_statistics() override { memory_.clear_statistics(); }

  private:
    memory::GlobalMemory memory_;
};

} // namespace smsim::session
