// The table of requirements. It holds what the parts do with their keys: a key without effect gives the same run,
// whatever its value.
#include "model/config/effect.h"

#include <array>

#include <fmt/format.h>

namespace smsim {

namespace {

constexpr std::size_t kMostAlternatives = 4;

struct Requirement {
    std::string_view keys; ///< a key, or with '.' at its end all keys of a section
    std::array<Condition, kMostAlternatives> alternatives;

    constexpr std::size_t count() const {
        std::size_t number = 0;
        while (number < kMostAlternatives && !alternatives[number].key.empty()) {
            ++number;
        }
        return number;
    }
    bool is_about(std::string_view key) const { return keys.ends_with('.') ? key.starts_with(keys) : key == keys; }
};

constexpr Condition is(std::string_view key, std::string_view value) {
    return {key, value, true};
}
constexpr Condition is_not(std::string_view key, std::string_view value) {
    return {key, value, false};
}

constexpr Condition kConvergenceBarrier = is("bru.engine", "convergence_barrier");

constexpr Requirement kRequirements[] = {
    {"ibuffer.line_buffer", {is_not("ibuffer.redirect_penalty", "0")}},
    {"ibuffer.two_level_active", {is("ibuffer.policy", "two_level")}},
    {"icache.l0_bytes", {is("icache.l0", "true")}},
    {"icache.l1_ways", {is_not("icache.l1_bytes", "0")}},
    {"icache.l1_miss_latency", {is_not("icache.l1_bytes", "0")}},
    {"constants.line_bytes", {is_not("constants.operand_bytes", "0"), is_not("constants.load_bytes", "0")}},
    {"constants.ways", {is_not("constants.operand_bytes", "0")}},
    {"constants.miss_latency", {is_not("constants.operand_bytes", "0")}},
    {"constants.miss_hold", {is_not("constants.operand_bytes", "0")}},
    {"constants.load_ways", {is_not("constants.load_bytes", "0")}},
    {"constants.load_miss_latency", {is_not("constants.load_bytes", "0")}},
    {"register_file.banks", {is_not("register_file.read_ports", "0"), is("register_file.write_conflicts", "true")}},
    {"register_file.read_window", {is_not("register_file.read_ports", "0")}},
    {"register_file.reuse_cache", {is_not("register_file.read_ports", "0")}},
    {"pipes.fp64_queue", {is("pipes.fp64_per_sm", "true")}},
    {"bru.rtl_operations", {is_not("bru.implementation", "model")}},
    {"bru.convergence_barriers", {kConvergenceBarrier}},
    {"bru.election", {kConvergenceBarrier}},
    {"bru.branch_order", {kConvergenceBarrier}},
    {"bru.nanosleep_sets_yield", {kConvergenceBarrier}},
    {"bru.bsync_spec_literal", {kConvergenceBarrier}},
    {"bru.simt_stack.", {is("bru.engine", "simt_stack")}},
    {"bru.token_stack.", {is("bru.engine", "token_stack")}},
    {"bru.token_stack.spill_cycles", {is("bru.token_stack.spill", "true")}},
    {"shared.carveouts", {is("l1.enabled", "true")}},
    {"l1.bytes", {is("l1.enabled", "true")}},
    {"l1.sector_bytes", {is("l1.enabled", "true")}},
    {"l1.ways", {is("l1.enabled", "true")}},
    {"l1.hash_sets", {is("l1.enabled", "true")}},
    {"l1.latency", {is("l1.enabled", "true")}},
    {"l1.bytes_per_cycle", {is("l1.enabled", "true")}},
    {"l1.conflict_free", {is("l1.enabled", "true")}},
    {"l1.mshrs", {is("l1.enabled", "true")}},
    {"l1.replacement", {is("l1.enabled", "true")}},
    {"l1.bypass", {is("l1.enabled", "true")}},
    {"global.atomic_latency", {is("global.atomics", "native")}},
    {"l2.line_bytes", {is_not("l2.bytes", "0")}},
    {"l2.sector_bytes", {is_not("l2.bytes", "0")}},
    {"l2.ways", {is_not("l2.bytes", "0")}},
    {"l2.partitions", {is_not("l2.bytes", "0")}},
    {"l2.far_latency", {is_not("l2.bytes", "0")}},
    {"l2.far_latency", {is_not("l2.partitions", "1")}},
    {"l2.miss_latency", {is_not("l2.bytes", "0")}},
    {"l2.dram_bytes_per_cycle", {is_not("l2.bytes", "0")}},
    {"l2.loaded_latency", {is_not("l2.bytes", "0")}},
    {"jitter.max", {is_not("jitter.seed", "0")}},
    {"rtl.",
     {is_not("bru.implementation", "model"), is_not("bcu.implementation", "model"),
      is_not("timer.implementation", "model"), is_not("shared.implementation", "model")}},
    {"rtl.stall_seed", {is_not("rtl.stall_percent", "0")}},
};

} // namespace

bool Condition::holds(const Config &config) const {
    return (value_text(config, *find_config_key(key)) == value) == equal;
}

std::vector<std::span<const Condition>> requirements(const ConfigKey &key) {
    std::vector<std::span<const Condition>> found;
    for (const Requirement &each : kRequirements) {
        if (each.is_about(key.name)) {
            found.emplace_back(each.alternatives.data(), each.count());
        }
    }
    return found;
}

std::string requirement_text(const ConfigKey &key) {
    std::string text;
    for (const std::span<const Condition> alternatives : requirements(key)) {
        std::string some;
        for (const Condition &condition : alternatives) {
            some += fmt::format("{}{}{}{}", some.empty() ? "" : " or ", condition.key,
                                condition.equal ? ": " : " other than ", condition.value);
        }
        text += (text.empty() ? "only with " : ", and ") + some;
    }
    return text;
}

std::string idle_cause(const Config &config, const ConfigKey &key) {
    for (const std::span<const Condition> alternatives : requirements(key)) {
        std::string cause;
        bool met = false;
        for (const Condition &condition : alternatives) {
            met = met || condition.holds(config);
            cause += fmt::format("{}{}: {}", cause.empty() ? "" : " and ", condition.key,
                                 value_text(config, *find_config_key(condition.key)));
        }
        if (!met) {
            return cause;
        }
    }
    return {};
}

} // namespace smsim
