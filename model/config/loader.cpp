// Reads values by the table of keys and checks them individually and together.
#include "model/config/loader.h"

#include <algorithm>
#include <bit>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/config/other_names.h"
#include "model/config/schema.h"
#include "model/error.h"
#include "model/text/input_file.h"
#include "model/text/nearest.h"
#include "model/text/yaml.h"
#include "model/types.h"

namespace smsim {

namespace {

/// Where each key was given; the order shows which one was given last.
class Places {
  public:
    void note(std::string_view key, const std::string &place) { places_[key] = {++count_, place}; }

    /// Place of the last given of `keys`; "configuration" when all are defaults.
    std::string last_of(std::initializer_list<std::string_view> keys) const {
        unsigned newest = 0;
        std::string place = "configuration";
        for (const std::string_view key : keys) {
            const auto found = places_.find(key);
            if (found != places_.end() && found->second.order > newest) {
                newest = found->second.order;
                place = found->second.place;
            }
        }
        return place;
    }

  private:
    struct Entry {
        unsigned order;
        std::string place;
    };
    std::map<std::string_view, Entry> places_;
    unsigned count_ = 0;
};

/// What a message about the unknown key or section `name` advises: what it means under another name, a key or section
/// that is spelled almost like it, or what there is to choose from.
std::string advice_on(const std::string &name) {
    if (const std::string_view meaning = other_name(name); !meaning.empty()) {
        return std::string(meaning);
    }
    std::vector<std::string_view> names;
    std::vector<std::string_view> sections;
    std::vector<std::string_view> same_section;
    const std::string_view section = std::string_view(name).substr(0, name.find('.'));
    for (const ConfigKey &key : config_keys()) {
        const std::string_view own = key.name.substr(0, key.name.find('.'));
        names.push_back(key.name);
        if (sections.empty() || sections.back() != own) {
            sections.push_back(own);
        }
        if (own == section) {
            same_section.push_back(key.name);
        }
    }
    if (!same_section.empty()) { // a key that resembles it in another section is no help
        const std::string_view near = text::nearest(name, same_section);
        return near.empty() ? fmt::format("its section has {}", fmt::join(same_section, ", "))
                            : fmt::format("did you mean '{}'?", near);
    }
    for (const std::string_view near : {text::nearest(name, names), text::nearest(section, sections)}) {
        if (!near.empty()) {
            return fmt::format("did you mean '{}'?", near);
        }
    }
    return fmt::format("the sections are {}", fmt::join(sections, ", "));
}

[[noreturn]] void unknown_key(const std::string &place, const std::string &name) {
    throw InputError(fmt::format("{}: unknown key '{}'; {}", place, name, advice_on(name)));
}

/// Everything wrong with a configuration: a message for each, so that all can be mended at once.
class Errors {
  public:
    /// Calls `read` and keeps the message of the InputError that it throws.
    template <typename Read> void keep(const Read &read) {
        try {
            read();
        } catch (const InputError &error) {
            messages_.emplace_back(error.what());
        }
    }
    /// Throws an InputError with all messages, a line each, if there are any.
    void raise() const {
        constexpr std::size_t kMost = 20;
        if (messages_.empty()) {
            return;
        }
        std::string text;
        for (std::size_t i = 0; i < std::min(messages_.size(), kMost); ++i) {
            text += (i == 0 ? "" : "\n") + messages_[i];
        }
        if (messages_.size() > kMost) {
            text += fmt::format("\n... and {} more", messages_.size() - kMost);
        }
        throw InputError(text);
    }

  private:
    std::vector<std::string> messages_;
};

void check_shape(const ConfigKey &key, std::uint64_t value, const std::string &place) {
    if (key.power_of_two && !std::has_single_bit(value)) {
        throw InputError(fmt::format("{}: {} must be a power of two; found {}", place, key.name, value));
    }
    if (value % key.multiple_of != 0) {
        throw InputError(
            fmt::format("{}: {} must be a multiple of {}; found {}", place, key.name, key.multiple_of, value));
    }
}

void assign(Config &config, const ConfigKey &key, const yaml::Node &node) {
    const std::string name(key.name);
    std::visit(
        [&](auto *member) {
            using Member = std::remove_pointer_t<decltype(member)>;
            if constexpr (std::is_enum_v<Member>) {
                const auto names = enum_names(key);
                const std::string &chosen = yaml::to_text(node, name);
                for (std::size_t i = 0; i < names.size(); ++i) {
                    if (names[i] == chosen) {
                        *member = static_cast<Member>(i);
                        return;
                    }
                }
                yaml::fail(node, fmt::format("{} has no value '{}'{}", name, chosen,
                                             text::suggestion(chosen, names, "allowed")));
            } else if constexpr (std::is_same_v<Member, Implementation> || std::is_same_v<Member, OperationList>) {
                const std::string &text = yaml::to_text(node, name);
                const std::optional<Member> named = Member::parse(text);
                if (!named) {
                    yaml::fail(node, fmt::format("{} has no value '{}'; allowed: {}", name, text, range_text(key)));
                }
                *member = *named;
            } else if constexpr (std::is_same_v<Member, bool>) {
                *member = yaml::to_bool(node, name);
            } else if constexpr (std::is_floating_point_v<Member>) {
                *member = yaml::to_real(node, name, key.low, key.high);
            } else if constexpr (std::is_signed_v<Member>) {
                *member = yaml::to_signed(node, name, static_cast<std::int64_t>(key.low),
                                          static_cast<std::int64_t>(key.high));
            } else {
                const auto read = key.unit == "bytes" ? yaml::to_bytes : yaml::to_unsigned;
                *member = static_cast<Member>(
                    read(node, name, static_cast<std::uint64_t>(key.low), static_cast<std::uint64_t>(key.high)));
                check_shape(key, *member, node.place);
            }
        },
        key.member(config));
}

void read_map(Config &config, const yaml::Node &map, const std::string &prefix, Places &places, Errors &errors) {
    for (const auto &[name_node, value] : map.members) {
        const std::string name = prefix.empty() ? name_node.text : prefix + "." + name_node.text;
        const ConfigKey *key = find_config_key(name);
        if (key != nullptr) {
            errors.keep([&] { assign(config, *key, value); });
            places.note(key->name, value.place);
            continue;
        }
        const bool section =
            std::ranges::any_of(config_keys(), [&](const ConfigKey &one) { return one.name.starts_with(name + "."); });
        if (!section) {
            errors.keep([&] { unknown_key(name_node.place, name); });
        } else if (value.kind == yaml::Kind::kMap) {
            read_map(config, value, name, places, errors);
        } else if (value.kind != yaml::Kind::kNull) { // a section without keys is harmless
            errors.keep(
                [&] { yaml::fail(value, fmt::format("'{}' is a section: a map of keys is expected here", name)); });
        }
    }
}

void apply(Config &config, const Setting &setting, Places &places) {
    const ConfigKey *key = find_config_key(setting.key);
    if (key == nullptr) {
        unknown_key(setting.place, setting.key);
    }
    yaml::Node node;
    node.text = setting.value;
    node.kind = node.text.empty() ? yaml::Kind::kNull : yaml::Kind::kScalar;
    node.place = setting.place;
    assign(config, *key, node);
    places.note(key->name, setting.place);
}

void read_setting(Config &config, const std::string &setting, Places &places) {
    const std::string place = "--set " + setting;
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos) {
        throw InputError(place + ": expected key=value");
    }
    apply(config, {setting.substr(0, equals), setting.substr(equals + 1), place}, places);
}

/// Checks that one key's range cannot express. Each rule names the keys it relates, so that the message points at the
/// last one given.
void check_together(const Config &config, const Places &places) {
    const auto require = [&](bool good, std::initializer_list<std::string_view> keys, const std::string &cause) {
        if (!good) {
            throw InputError(places.last_of(keys) + ": " + cause);
        }
    };
    constexpr std::uint32_t kMaxWarps = 128;
    constexpr std::uint32_t kMostRegistersRead = 4; // by IMAD.WIDE
    require(
        config.warps() <= kMaxWarps, {"sm.sub_partitions", "sm.warps_per_sub_partition"},
        fmt::format("sm.sub_partitions * sm.warps_per_sub_partition is {}; at most {} warps are supported, {} for each "
                    "of {} sub-partitions",
                    config.warps(), kMaxWarps, kMaxWarps / config.sm.sub_partitions, config.sm.sub_partitions));
    require(config.sm.registers % config.sm.register_unit == 0, {"sm.registers", "sm.register_unit"},
            fmt::format("sm.registers ({}) must be a multiple of sm.register_unit ({})", config.sm.registers,
                        config.sm.register_unit));
    require(config.sm.hazard_check || !config.sm.hazard_fatal, {"sm.hazard_check", "sm.hazard_fatal"},
            "sm.hazard_fatal needs sm.hazard_check: true");
    require(config.bru.pipelines <= config.sm.sub_partitions, {"bru.pipelines", "sm.sub_partitions"},
            fmt::format("bru.pipelines ({}) must not exceed sm.sub_partitions ({}); set both", config.bru.pipelines,
                        config.sm.sub_partitions));
    require(config.bru.trap_handler < 0 || config.bru.trap_handler % std::int64_t{kInstructionBytes} == 0,
            {"bru.trap_handler"},
            fmt::format("bru.trap_handler ({}) must be a multiple of {} or -1", config.bru.trap_handler,
                        kInstructionBytes));
    require(config.icache.l0_bytes % config.icache.line_bytes == 0, {"icache.l0_bytes", "icache.line_bytes"},
            fmt::format("icache.l0_bytes ({}) must be a multiple of icache.line_bytes ({})", config.icache.l0_bytes,
                        config.icache.line_bytes));
    require(
        config.constants.load_bytes % (config.constants.line_bytes * config.constants.load_ways) == 0,
        {"constants.load_bytes", "constants.line_bytes", "constants.load_ways"},
        fmt::format("constants.load_bytes ({}) must be a multiple of constants.line_bytes * constants.load_ways ({})",
                    config.constants.load_bytes, config.constants.line_bytes * config.constants.load_ways));
    require(config.icache.l1_bytes % (std::uint64_t{config.icache.line_bytes} * config.icache.l1_ways) == 0,
            {"icache.l1_bytes", "icache.line_bytes", "icache.l1_ways"},
            fmt::format("icache.l1_bytes ({}) must be a multiple of icache.line_bytes * icache.l1_ways ({})",
                        config.icache.l1_bytes, std::uint64_t{config.icache.line_bytes} * config.icache.l1_ways));
    require(config.constants.operand_bytes % (config.constants.line_bytes * config.constants.ways) == 0,
            {"constants.operand_bytes", "constants.line_bytes", "constants.ways"},
            fmt::format("constants.operand_bytes ({}) must be a multiple of constants.line_bytes * constants.ways ({})",
                        config.constants.operand_bytes, config.constants.line_bytes * config.constants.ways));
    require(config.l1.bytes % (std::uint64_t{config.l1.line_bytes} * config.l1.ways) == 0,
            {"l1.bytes", "l1.line_bytes", "l1.ways"},
            fmt::format("l1.bytes ({}) must be a multiple of l1.line_bytes * l1.ways ({})", config.l1.bytes,
                        std::uint64_t{config.l1.line_bytes} * config.l1.ways));
    constexpr std::uint32_t kLeastSector = 32;
    require(config.l1.sector_bytes == 0 ||
                (std::has_single_bit(config.l1.sector_bytes) && config.l1.sector_bytes >= kLeastSector &&
                 config.l1.sector_bytes <= config.l1.line_bytes),
            {"l1.sector_bytes", "l1.line_bytes"},
            fmt::format("l1.sector_bytes ({}) must be 0 or a power of two from {} to l1.line_bytes ({})",
                        config.l1.sector_bytes, kLeastSector, config.l1.line_bytes));
    require(config.l2.sector_bytes <= config.l2.line_bytes, {"l2.sector_bytes", "l2.line_bytes"},
            fmt::format("l2.sector_bytes ({}) must not exceed l2.line_bytes ({})", config.l2.sector_bytes,
                        config.l2.line_bytes));
    require(config.l2.bytes % (std::uint64_t{config.l2.line_bytes} * config.l2.ways) == 0,
            {"l2.bytes", "l2.line_bytes", "l2.ways"},
            fmt::format("l2.bytes ({}) must be a multiple of l2.line_bytes * l2.ways ({})", config.l2.bytes,
                        std::uint64_t{config.l2.line_bytes} * config.l2.ways));
    const RegisterFileConfig &registers = config.register_file;
    const unsigned most = registers.banks == 1 ? kMostRegistersRead : kMostRegistersRead - 1;
    require(registers.read_ports == 0 || registers.read_ports * registers.read_window >= most,
            {"register_file.read_window", "register_file.read_ports", "register_file.banks"},
            fmt::format("register_file.read_window * register_file.read_ports ({}) must be at least {}, what one "
                        "instruction may read of a bank when there {} {}",
                        registers.read_ports * registers.read_window, most, registers.banks == 1 ? "is" : "are",
                        registers.banks));
    require(config.lsu.sector_bytes <= config.l1.line_bytes, {"lsu.sector_bytes", "l1.line_bytes"},
            fmt::format("lsu.sector_bytes ({}) must not exceed l1.line_bytes ({})", config.lsu.sector_bytes,
                        config.l1.line_bytes));
    require(config.shared.latency > config.outside_memory(), {"shared.latency", "lsu.queue_latency"},
            fmt::format("shared.latency ({}) must exceed lsu.queue_latency + 1 ({}), which is a part of it",
                        config.shared.latency, config.outside_memory()));
    require(config.l1.latency > config.outside_memory(), {"l1.latency", "lsu.queue_latency"},
            fmt::format("l1.latency ({}) must exceed lsu.queue_latency + 1 ({}), which is a part of it",
                        config.l1.latency, config.outside_memory()));
    require(config.shared.max_per_cta <= config.shared.bytes, {"shared.max_per_cta", "shared.bytes"},
            fmt::format("shared.max_per_cta ({}) must not exceed shared.bytes ({})", config.shared.max_per_cta,
                        config.shared.bytes));
    require(config.shared.bytes % config.shared.allocation_unit == 0, {"shared.bytes", "shared.allocation_unit"},
            fmt::format("shared.bytes ({}) must be a multiple of shared.allocation_unit ({})", config.shared.bytes,
                        config.shared.allocation_unit));
}

Config build(const yaml::Node *root, std::span<const std::string> settings, std::span<const Setting> presets = {}) {
    Config config;
    Places places;
    Errors errors;
    for (const Setting &preset : presets) {
        errors.keep([&] { apply(config, preset, places); });
    }
    if (root != nullptr && root->kind != yaml::Kind::kNull) {
        if (root->kind != yaml::Kind::kMap) {
            yaml::fail(*root, "a configuration is a map of sections (sm, ibuffer, ...)");
        }
        read_map(config, *root, "", places, errors);
    }
    for (const std::string &setting : settings) {
        errors.keep([&] { read_setting(config, setting, places); });
    }
    errors.raise();
    check_together(config, places);
    return config;
}

} // namespace

Config load_config(const std::optional<std::string> &path, std::span<const std::string> settings) {
    return ConfigInput(path, {settings.begin(), settings.end()}).with({});
}

ConfigInput::ConfigInput(const std::optional<std::string> &path, std::vector<std::string> settings)
    : path_(path), text_(path ? text::read_file(*path, yaml::kMaxBytes) : std::string()),
      settings_(std::move(settings)) {}

Config ConfigInput::with(std::span<const Setting> presets) const {
    if (!path_) {
        return build(nullptr, settings_, presets);
    }
    const yaml::Node root = yaml::parse(text_, *path_);
    return build(&root, settings_, presets);
}

Config parse_config(const std::string &text, const std::string &file, std::span<const std::string> settings) {
    const yaml::Node root = yaml::parse(text, file);
    return build(&root, settings);
}

void validate(const Config &config) {
    // Assigning each value to a scratch configuration runs the checks of single keys.
    Config scratch;
    for (const ConfigKey &key : config_keys()) {
        yaml::Node node;
        node.kind = yaml::Kind::kScalar;
        node.text = value_text(config, key);
        node.place = "configuration";
        assign(scratch, key, node);
    }
    check_together(config, Places{});
}

/// The value of `key` as a scalar of YAML: a path is quoted if it could be read as something else.
static std::string yaml_text(const Config &config, const ConfigKey &key) {
    std::string text = value_text(config, key);
    const bool plain =
        text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:-+,") ==
            std::string::npos &&
        !text.ends_with(':');
    if (plain) {
        return text;
    }
    std::string quoted = "'";
    for (const char c : text) {
        quoted += c == '\'' ? std::string("''") : std::string(1, c);
    }
    return quoted + "'";
}

std::string dump_config(const Config &config) {
    std::string text;
    std::vector<std::string_view> open; // sections that contained the last line
    for (const ConfigKey &key : config_keys()) {
        std::vector<std::string_view> sections;
        std::string_view rest = key.name;
        for (std::size_t dot = rest.find('.'); dot != std::string_view::npos; dot = rest.find('.')) {
            sections.push_back(rest.substr(0, dot));
            rest.remove_prefix(dot + 1);
        }
        std::size_t shared = 0;
        while (shared < open.size() && shared < sections.size() && open[shared] == sections[shared]) {
            ++shared;
        }
        for (std::size_t level = shared; level < sections.size(); ++level) {
            text += fmt::format("{:{}}{}:\n", "", 2 * level, sections[level]);
        }
        open = sections;
        const std::string entry = fmt::format("{:{}}{}: {}", "", 2 * sections.size(), rest, yaml_text(config, key));
        const std::string unit = key.unit.empty() ? "" : fmt::format("[{}] ", key.unit);
        text += fmt::format("{:<40} # {}{}\n", entry, unit, key.meaning);
    }
    return text;
}

} // namespace smsim
