// The reliefs: units twice as wide, latencies of one cycle, unlimited room, and things that no machine offers.
#include "model/config/what_if_reliefs.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "model/config/schema.h"
#include "model/timing/pipes.h"

namespace smsim {
namespace {

/// Collects the settings of one relief: those that change something, with values in the range of their key.
class Settings {
  public:
    explicit Settings(const Config &config) : config_(config) {}

    Settings &&set(std::string_view name, std::uint64_t value) {
        const ConfigKey &key = *find_config_key(name);
        const auto low = static_cast<std::uint64_t>(key.low);
        const auto high = static_cast<std::uint64_t>(key.high);
        return put(key, fmt::format("{}", std::clamp(value, low, high)));
    }
    Settings &&choose(std::string_view name, std::string_view value) {
        return put(*find_config_key(name), std::string(value));
    }
    std::vector<std::string> take() { return std::move(settings_); }

  private:
    Settings &&put(const ConfigKey &key, const std::string &value) {
        if (value != value_text(config_, key)) {
            settings_.push_back(fmt::format("{}={}", key.name, value));
        }
        return std::move(*this);
    }

    const Config &config_;
    std::vector<std::string> settings_;
};

constexpr std::uint64_t kHuge = std::uint64_t{1} << 24;

constexpr std::uint32_t half(std::uint32_t cycles) {
    return std::max(cycles / 2, 1U);
}

std::string interval_key(const timing::PipeSpec &pipe) {
    return fmt::format("pipes.{}.interval", pipe.name);
}

/// Doubles all rates of products of matrices; those that do not exist stay 0.
void double_tensor_rates(Settings &settings, const Config &config) {
    constexpr std::string_view kSection = "tensor.";
    for (const ConfigKey &key : config_keys()) {
        if (!key.name.starts_with(kSection) || key.unit != "multiply-adds per cycle") {
            continue;
        }
        settings.set(key.name, 2 * std::get<std::uint64_t>(value_of(config, key)));
    }
}

class Reliefs {
  public:
    explicit Reliefs(const Config &config) : config_(config) {}

    void add(std::string_view name, std::string_view meaning, Settings settings, bool changes_results = false) {
        if (std::vector<std::string> changed = settings.take(); !changed.empty()) {
            all_.push_back({name, meaning, changes_results, std::move(changed)});
        }
    }
    Settings settings() const { return Settings(config_); }
    std::vector<Relief> take() { return std::move(all_); }

  private:
    const Config &config_;
    std::vector<Relief> all_;
};

void add_issue(const Config &c, Reliefs &to) {
    const std::uint32_t parts = c.sm.sub_partitions;
    const std::uint32_t slots = c.sm.warps_per_sub_partition;
    if (parts <= 8 && slots % 2 == 0 && c.sm.registers % (2 * parts) == 0) {
        const auto of_half = [](std::uint32_t bytes) { return bytes == 0 ? 0 : half(bytes); };
        Settings halved = to.settings();
        halved.set("sm.sub_partitions", 2 * parts)
            .set("sm.warps_per_sub_partition", slots / 2)
            .set("bru.pipelines", 2 * c.bru.pipelines);
        for (const timing::PipeSpec &pipe : timing::execution_pipes()) {
            if (!pipe.relief.empty() && !timing::is_shared(pipe, c.pipes)) {
                halved.set(interval_key(pipe), std::uint64_t{2} * (c.pipes.*pipe.pipe).interval);
            }
        }
        halved.set("lsu.queue_interval", 2 * c.lsu.queue_interval)
            .set("lsu.return_bytes", of_half(c.lsu.return_bytes))
            .set("lsu.store_bytes", of_half(c.lsu.store_bytes))
            .set("shared.pass_interval", (c.shared.pass_interval == 1 ? 1 : 2) * c.shared.pass_interval);
        to.add("issue", "twice the issue slots, on pipes and ways to memory half as wide", std::move(halved));
    }
}

void add_pipes(const Config &c, Reliefs &to) {
    for (const timing::PipeSpec &pipe : timing::execution_pipes()) {
        const std::uint32_t interval = (c.pipes.*pipe.pipe).interval;
        if (pipe.unit == isa::Unit::kFma && interval == 1) { // it takes an instruction in each cycle
            if (c.pipes.second_fp32 == SecondFp32::kNone) {
                to.add("fma", "a second FP32 pipe", to.settings().choose("pipes.second_fp32", "own"));
            }
        } else if (pipe.unit == isa::Unit::kTensor) {
            auto doubled = to.settings().set(interval_key(pipe), half(interval));
            double_tensor_rates(doubled, c);
            to.add(pipe.name, pipe.relief, std::move(doubled));
        } else if (!pipe.relief.empty()) {
            to.add(pipe.name, pipe.relief, to.settings().set(interval_key(pipe), half(interval)));
        }
    }
    to.add("register_ports", "as many register reads as are wanted",
           to.settings().set("register_file.read_ports", 0).choose("register_file.write_conflicts", "false"));
}

void add_memory(const Config &c, Reliefs &to) {
    to.add("load_store", "load/store unit twice as wide",
           to.settings()
               .set("lsu.issue_interval", half(c.lsu.issue_interval))
               .set("lsu.queue_interval", half(c.lsu.queue_interval))
               .set("lsu.lines_per_cycle", 2 * c.lsu.lines_per_cycle)
               .set("lsu.return_bytes", 2 * c.lsu.return_bytes)
               .set("lsu.store_bytes", 2 * c.lsu.store_bytes));
    to.add("lsu_queue", "queues four times as deep",
           to.settings().set("lsu.queue_depth", std::uint64_t{4} * c.lsu.queue_depth));
    to.add("bank_conflicts", "accesses of shared memory never conflict",
           to.settings().choose("shared.conflict_free", "true"));
    to.add("shared_array", "twice the banks of shared memory, and no phases",
           to.settings()
               .set("shared.banks", 2 * c.shared.banks)
               .choose("shared.phases", "false")
               .set("shared.pass_interval", half(c.shared.pass_interval)));
    to.add("shared_latency", "shared memory answers at once",
           to.settings()
               .set("shared.latency", c.outside_memory() + 1)
               .set("shared.atomic_latency", 0)
               .set("shared.pass_interval", 1));
    if (c.l1.enabled) {
        to.add("l1_capacity", "L1 sixty-four times as large",
               to.settings().set("l1.bytes", std::uint64_t{64} * c.l1.bytes));
        to.add("l1_conflicts", "accesses to the L1 never conflict", to.settings().choose("l1.conflict_free", "true"));
        to.add("l1_data", "the data array of the L1 moves any number of bytes",
               to.settings().set("l1.bytes_per_cycle", 0));
        to.add("mshrs", "misses and transactions under way without end",
               to.settings().set("l1.mshrs", kHuge).set("lsu.max_outstanding", kHuge));
    }
    Settings latency = to.settings();
    latency.set("global.latency", 1).set("global.atomic_latency", 0);
    if (c.l2.bytes != 0) {
        latency.set("l2.miss_latency", 1).set("l2.loaded_latency", 0);
        if (c.l2.partitions > 1) {
            latency.set("l2.far_latency", 0);
        }
    }
    to.add("memory_latency", "memory below the L1 answers at once", std::move(latency));
    to.add("global_path",
           c.l2.bytes != 0 ? "the path to the L2 moves any number of bytes"
                           : "the path to global memory moves any number of bytes",
           to.settings().set("global.bytes_per_cycle", kHuge));
    if (c.l2.bytes != 0) {
        to.add("dram_path", "the path to DRAM moves any number of bytes",
               to.settings().set("l2.dram_bytes_per_cycle", kHuge));
    }
}

void add_fetch(const Config &c, Reliefs &to) {
    to.add("fetch", "every instruction is in the L0",
           to.settings()
               .set("icache.l1_latency", c.icache.l0_latency)
               .set("icache.l1_miss_latency", c.icache.l0_latency)
               .set("icache.l1_bytes", 0)
               .set("icache.l1_requests_per_cycle", 0)
               .set("ibuffer.fetch_per_cycle", 2 * c.ibuffer.fetch_per_cycle)
               .set("constants.operand_bytes", 0)
               .set("constants.load_bytes", 0));
    to.add("branch_latency", "control instructions take a cycle",
           to.settings()
               .set("bru.branch_latency", 1)
               .set("bru.barrier_latency", 1)
               .set("bru.sync_latency", 1)
               .set("bru.yield_latency", 1)
               .set("bru.branch_interval", 1)
               .set("bru.barrier_interval", 1)
               .set("bru.sync_interval", 1)
               .set("bru.yield_interval", 1)
               .set("bru.pipelines", c.sm.sub_partitions)
               .set("ibuffer.redirect_latency", 0)
               .set("ibuffer.redirect_penalty", 0));
    to.add("barrier_latency", "barriers open at once after the last arrival",
           to.settings()
               .set("bcu.arrival_latency", 1)
               .set("bcu.release_latency", 1)
               .set("bcu.release_interval", 1)
               .set("bcu.interval", 1));
}

void add_room(const Config &c, Reliefs &to) {
    to.add("registers", "eight times the registers",
           to.settings().set("sm.registers", std::uint64_t{8} * c.sm.registers));
    to.add("shared_bytes", "eight times the shared memory, none of it from the L1",
           to.settings()
               .set("shared.bytes", std::uint64_t{8} * c.shared.bytes)
               .choose("shared.carveouts", SizeList::kNone));
    to.add("warp_slots", "twice the slots for warps, threads and CTAs",
           to.settings()
               .set("sm.warps_per_sub_partition", std::uint64_t{2} * c.sm.warps_per_sub_partition)
               .set("sm.max_threads", std::uint64_t{2} * c.sm.max_threads)
               .set("sm.max_ctas", std::uint64_t{2} * c.sm.max_ctas));
}

void add_ideals(Reliefs &to) {
    to.add("barrier_waiting", "nobody waits at a barrier", to.settings().choose("ideal.barriers", "true"), true);
    to.add("divergence", "threads of a warp branch together", to.settings().choose("ideal.branches", "true"), true);
    to.add("lock_contention", "every lock is free", to.settings().choose("ideal.locks", "true"), true);
}

} // namespace

std::vector<Relief> reliefs_of(const Config &config) {
    Reliefs all(config);
    add_issue(config, all);
    add_pipes(config, all);
    add_memory(config, all);
    add_fetch(config, all);
    add_room(config, all);
    add_ideals(all);
    return all.take();
}

const Relief *find_relief(const std::vector<Relief> &reliefs, std::string_view name) {
    const auto found = std::ranges::find(reliefs, name, &Relief::name);
    return found == reliefs.end() ? nullptr : &*found;
}

} // namespace smsim
