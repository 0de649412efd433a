// Timing of a memory instruction in the load/store unit, derived from its operation, width and address. Plain C++.
#pragma once

#include <algorithm>
#include <array>

#include "model/config/config.h"
#include "model/isa/instruction.h"
#include "model/types.h"
#include "sm/load_store/memory_operation.h"

namespace smsim::sm {

class AccessTiming {
  public:
    /// All in cycles.
    struct Figures {
        Cycle sources = 1;        ///< from issue until the sources are read, if nothing delays it
        Cycle queue_interval = 1; ///< until the next instruction of the queue can leave
        Cycle return_cycles = 0;  ///< extra cycles for load data beyond 4 bytes per thread
        Cycle saving = 0;         ///< by how much the access reaches its memory earlier than after `lsu.queue_latency`
        Cycle latency = 0;        ///< without a memory access: from issue to its result
        bool takes_unit = true;   ///< one at a time in the SM
    };

    explicit AccessTiming(const Config &whole) {
        const LsuConfig &config = whole.lsu;
        shuffle_ = {.sources = config.shared_load_sources,
                    .queue_interval = config.queue_interval,
                    .latency = whole.pipes.shuffle};
        constant_ = {.sources = config.constant_sources,
                     .queue_interval = config.queue_interval,
                     .latency = config.constant_latency,
                     .takes_unit = false};
        constant_immediate_ = constant_;
        constant_immediate_.latency = config.constant_immediate_latency;
        constant_immediate_.sources = std::min<Cycle>(config.constant_sources, config.constant_immediate_latency);
        for (unsigned words = 1; words <= kMostWords; ++words) {
            const Cycle store = cycles(words, config.store_bytes);
            const Cycle wider = store - cycles(1, config.store_bytes);
            const Cycle longer = cycles(words, config.return_bytes) - cycles(1, config.return_bytes);
            const Cycle interval = config.queue_interval;
            Table &table = figures_[words - 1];
            table[kSharedLoad] = {.sources = config.shared_load_sources, .queue_interval = interval};
            table[kSharedStore] = {.sources = config.shared_store_sources + wider, .queue_interval = interval + wider};
            table[kGlobalLoad] = {
                .sources = config.global_load_sources, .queue_interval = interval + longer, .return_cycles = longer};
            table[kGlobalStore] = {.sources = config.global_store_sources + wider, .queue_interval = interval + wider};
            Table &uniform = uniform_[words - 1];
            uniform = table;
            for (const Kind kind : {kSharedLoad, kGlobalLoad}) {
                uniform[kind].sources =
                    config.uniform_load_sources == 0 ? table[kind].sources : config.uniform_load_sources;
            }
            for (const Kind kind : {kSharedStore, kGlobalStore}) {
                uniform[kind].sources =
                    config.uniform_store_sources == 0 ? table[kind].sources : config.uniform_store_sources + wider;
            }
            const std::uint32_t most = config.queue_latency - 1; // earlier the access is not known
            uniform[kSharedLoad].saving = std::min(config.uniform_shared_saving, most);
            uniform[kGlobalLoad].saving = std::min(config.uniform_global_saving, most);
        }
    }

    const Figures &of(const isa::Instruction &insn) const {
        const isa::OpSpec &spec = insn.spec();
        if (!spec.accesses_memory()) [[unlikely]] {
            return !spec.has(isa::kConstant) ? shuffle_ : insn.ra == isa::kRz ? constant_immediate_ : constant_;
        }
        const bool store = spec.has(isa::kWritesMemory);
        const Kind kind =
            spec.has(isa::kShared) ? (store ? kSharedStore : kSharedLoad) : (store ? kGlobalStore : kGlobalLoad);
        return (insn.form == isa::Form::kU ? uniform_ : figures_)[registers_per_thread(insn) - 1][kind];
    }

  private:
    enum Kind : std::uint8_t { kSharedLoad, kSharedStore, kGlobalLoad, kGlobalStore };
    static constexpr unsigned kKinds = 4;
    static constexpr unsigned kMostWords = 4; ///< of a thread

    /// For `words` words of each thread, `bytes` of all threads per cycle; 0: unlimited.
    static Cycle cycles(unsigned words, std::uint32_t bytes) {
        return bytes == 0 ? 0 : (words * 4 * kLanes + bytes - 1) / bytes;
    }

    using Table = std::array<Figures, kKinds>;
    std::array<Table, kMostWords> figures_; ///< by number of words of a thread
    std::array<Table, kMostWords> uniform_; ///< the same for a uniform address
    Figures shuffle_;
    Figures constant_;
    Figures constant_immediate_;
};

} // namespace smsim::sm
