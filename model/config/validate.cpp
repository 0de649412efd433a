// Ranges by the table of keys, and rules that relate several keys.
#include "model/config/validate.h"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <variant>

#include <fmt/format.h>

#include "model/config/config.h"
#include "model/config/given_keys.h"
#include "model/config/read_value.h"
#include "model/config/schema.h"
#include "model/error.h"
#include "model/types.h"

namespace smsim {

namespace {

/// Whether the value of `key` is one that it may have. Cheap: every part asks.
bool is_in_range(const Config &config, const ConfigKey &key) {
    return std::visit(
        [&](const auto *member) {
            using Member = std::remove_cvref_t<decltype(*member)>;
            if constexpr (std::is_enum_v<Member>) {
                return static_cast<std::size_t>(*member) < enum_names(key).size();
            } else if constexpr (kIsPolicyChoice<Member>) {
                return member->is_library() || static_cast<std::size_t>(member->own()) < enum_names(key).size();
            } else if constexpr (std::is_same_v<Member, bool> || std::is_same_v<Member, Implementation> ||
                                 std::is_same_v<Member, OperationList> || std::is_same_v<Member, SizeList>) {
                return true; // cannot hold anything else
            } else {
                const auto value = static_cast<double>(*member);
                bool good = value >= key.low && value <= key.high;
                if constexpr (std::is_unsigned_v<Member>) {
                    good =
                        good && (!key.power_of_two || std::has_single_bit(*member)) && *member % key.multiple_of == 0;
                }
                return good;
            }
        },
        key.member(const_cast<Config &>(config))); // the table has writable members; nothing is written
}

void check_section(const Config &config, std::string_view section) {
    for (const ConfigKey &key : config_keys()) {
        if (key.name.starts_with(section) && !is_in_range(config, key)) {
            if (!enum_names(key).empty()) { // it has no name
                throw InputError(
                    fmt::format("configuration: {} has none of its values: {}", key.name, range_text(key)));
            }
            yaml::Node node;
            node.kind = yaml::Kind::kScalar;
            node.text = value_text(config, key);
            node.place = "configuration";
            Config scratch;
            read_value(scratch, key, node); // has the message
            throw InputError(
                fmt::format("configuration: {} has no value '{}'; expected {}", key.name, node.text, range_text(key)));
        }
    }
    check_together(config, GivenKeys{}, section);
}

} // namespace

/// Checks that one key's range cannot express. Each rule names the keys it relates, so that the message points at the
/// last one given.
void check_together(const Config &config, const GivenKeys &given, std::string_view section) {
    const auto require = [&](bool good, std::initializer_list<std::string_view> keys, const auto &cause) {
        if (!good && std::ranges::all_of(keys, [&](std::string_view key) { return key.starts_with(section); })) {
            throw InputError(given.last_of(keys) + ": " + cause());
        }
    };
    constexpr std::uint32_t kMaxWarps = 128;
    constexpr std::uint32_t kMostRegistersRead = 4; // by IMAD.WIDE
    require(config.warps() <= kMaxWarps, {"sm.sub_partitions", "sm.warps_per_sub_partition"}, [&] {
        return fmt::format(
            "sm.sub_partitions * sm.warps_per_sub_partition is {}; at most {} warps are supported, {} for each "
            "of {} sub-partitions",
            config.warps(), kMaxWarps, kMaxWarps / config.sm.sub_partitions, config.sm.sub_partitions);
    });
    require(config.sm.registers % config.sm.register_unit == 0, {"sm.registers", "sm.register_unit"}, [&] {
        return fmt::format("sm.registers ({}) must be a multiple of sm.register_unit ({})", config.sm.registers,
                           config.sm.register_unit);
    });
    require(config.sm.hazard_check || !config.sm.hazard_fatal, {"sm.hazard_check", "sm.hazard_fatal"},
            [] { return std::string("sm.hazard_fatal needs sm.hazard_check: true"); });
    require(config.bru.pipelines <= config.sm.sub_partitions, {"bru.pipelines", "sm.sub_partitions"}, [&] {
        return fmt::format("bru.pipelines ({}) must not exceed sm.sub_partitions ({}); set both", config.bru.pipelines,
                           config.sm.sub_partitions);
    });
    require(config.bru.trap_handler < 0 || config.bru.trap_handler % std::int64_t{kInstructionBytes} == 0,
            {"bru.trap_handler"}, [&] {
                return fmt::format("bru.trap_handler ({}) must be a multiple of {} or -1", config.bru.trap_handler,
                                   kInstructionBytes);
            });
    require(config.icache.l0_bytes % config.icache.line_bytes == 0, {"icache.l0_bytes", "icache.line_bytes"}, [&] {
        return fmt::format("icache.l0_bytes ({}) must be a multiple of icache.line_bytes ({})", config.icache.l0_bytes,
                           config.icache.line_bytes);
    });
    require(config.constants.load_bytes % (config.constants.line_bytes * config.constants.load_ways) == 0,
            {"constants.load_bytes", "constants.line_bytes", "constants.load_ways"}, [&] {
                return fmt::format(
                    "constants.load_bytes ({}) must be a multiple of constants.line_bytes * constants.load_ways ({})",
                    config.constants.load_bytes, config.constants.line_bytes * config.constants.load_ways);
            });
    require(config.icache.l1_bytes % (std::uint64_t{config.icache.line_bytes} * config.icache.l1_ways) == 0,
            {"icache.l1_bytes", "icache.line_bytes", "icache.l1_ways"}, [&] {
                return fmt::format("icache.l1_bytes ({}) must be a multiple of icache.line_bytes * icache.l1_ways ({})",
                                   config.icache.l1_bytes,
                                   std::uint64_t{config.icache.line_bytes} * config.icache.l1_ways);
            });
    require(config.constants.operand_bytes % (config.constants.line_bytes * config.constants.ways) == 0,
            {"constants.operand_bytes", "constants.line_bytes", "constants.ways"}, [&] {
                return fmt::format(
                    "constants.operand_bytes ({}) must be a multiple of constants.line_bytes * constants.ways ({})",
                    config.constants.operand_bytes, config.constants.line_bytes * config.constants.ways);
            });
    require(config.l1.bytes % (std::uint64_t{config.l1.line_bytes} * config.l1.ways) == 0,
            {"l1.bytes", "l1.line_bytes", "l1.ways"}, [&] {
                return fmt::format("l1.bytes ({}) must be a multiple of l1.line_bytes * l1.ways ({})", config.l1.bytes,
                                   std::uint64_t{config.l1.line_bytes} * config.l1.ways);
            });
    const SizeList &carveouts = config.shared.carveouts;
    require(carveouts.empty() || (carveouts.largest() >= config.shared.bytes &&
                                  carveouts.largest() + config.l1.line_bytes * config.l1.ways <= config.l1.bytes),
            {"shared.carveouts", "shared.bytes", "l1.bytes", "l1.line_bytes", "l1.ways"}, [&] {
                return fmt::format(
                    "the last of shared.carveouts ({}) must hold shared.bytes ({}) and leave of l1.bytes "
                    "({}) at least l1.line_bytes * l1.ways ({})",
                    carveouts.text(), config.shared.bytes, config.l1.bytes,
                    std::uint64_t{config.l1.line_bytes} * config.l1.ways);
            });
    constexpr std::uint32_t kLeastSector = 32;
    require(config.l1.sector_bytes == 0 ||
                (std::has_single_bit(config.l1.sector_bytes) && config.l1.sector_bytes >= kLeastSector &&
                 config.l1.sector_bytes <= config.l1.line_bytes),
            {"l1.sector_bytes", "l1.line_bytes"}, [&] {
                return fmt::format("l1.sector_bytes ({}) must be 0 or a power of two from {} to l1.line_bytes ({})",
                                   config.l1.sector_bytes, kLeastSector, config.l1.line_bytes);
            });
    require(config.l2.sector_bytes <= config.l2.line_bytes, {"l2.sector_bytes", "l2.line_bytes"}, [&] {
        return fmt::format("l2.sector_bytes ({}) must not exceed l2.line_bytes ({})", config.l2.sector_bytes,
                           config.l2.line_bytes);
    });
    require(config.l2.bytes % (std::uint64_t{config.l2.line_bytes} * config.l2.ways * config.l2.partitions) == 0,
            {"l2.bytes", "l2.line_bytes", "l2.ways", "l2.partitions"}, [&] {
                return fmt::format("l2.bytes ({}) must be a multiple of l2.line_bytes * l2.ways * l2.partitions ({})",
                                   config.l2.bytes,
                                   std::uint64_t{config.l2.line_bytes} * config.l2.ways * config.l2.partitions);
            });
    const RegisterFileConfig &registers = config.register_file;
    const unsigned most = registers.banks == 1 ? kMostRegistersRead : kMostRegistersRead - 1;
    require(registers.read_ports == 0 || registers.read_ports * registers.read_window >= most,
            {"register_file.read_window", "register_file.read_ports", "register_file.banks"}, [&] {
                return fmt::format(
                    "register_file.read_window * register_file.read_ports ({}) must be at least {}, what one "
                    "instruction may read of a bank when there {} {}",
                    registers.read_ports * registers.read_window, most, registers.banks == 1 ? "is" : "are",
                    registers.banks);
            });
    require(config.lsu.sector_bytes <= config.l1.line_bytes, {"lsu.sector_bytes", "l1.line_bytes"}, [&] {
        return fmt::format("lsu.sector_bytes ({}) must not exceed l1.line_bytes ({})", config.lsu.sector_bytes,
                           config.l1.line_bytes);
    });
    require(config.shared.latency > config.outside_memory(), {"shared.latency", "lsu.queue_latency"}, [&] {
        return fmt::format("shared.latency ({}) must exceed lsu.queue_latency + 1 ({}), which is a part of it",
                           config.shared.latency, config.outside_memory());
    });
    require(config.l1.latency > config.outside_memory(), {"l1.latency", "lsu.queue_latency"}, [&] {
        return fmt::format("l1.latency ({}) must exceed lsu.queue_latency + 1 ({}), which is a part of it",
                           config.l1.latency, config.outside_memory());
    });
    require(config.shared.max_per_cta <= config.shared.bytes, {"shared.max_per_cta", "shared.bytes"}, [&] {
        return fmt::format("shared.max_per_cta ({}) must not exceed shared.bytes ({})", config.shared.max_per_cta,
                           config.shared.bytes);
    });
    require(config.shared.bytes % config.shared.allocation_unit == 0, {"shared.bytes", "shared.allocation_unit"}, [&] {
        return fmt::format("shared.bytes ({}) must be a multiple of shared.allocation_unit ({})", config.shared.bytes,
                           config.shared.allocation_unit);
    });
}

void validate(const Config &config) {
    check_section(config, {});
}

void validate(const ICacheConfig &section) {
    Config config;
    config.icache = section;
    check_section(config, "icache.");
}

void validate(const SharedMemoryConfig &section) {
    Config config;
    config.shared = section;
    config.shared.max_per_cta = 0; // what CTAs get of it is not for the memory to check
    check_section(config, "shared.");
}

void validate(const L1Config &section) {
    Config config;
    config.l1 = section;
    check_section(config, "l1.");
}

void validate(const GlobalMemoryConfig &section) {
    Config config;
    config.global = section;
    check_section(config, "global.");
}

void validate(const L2Config &section) {
    Config config;
    config.l2 = section;
    check_section(config, "l2.");
}

} // namespace smsim
