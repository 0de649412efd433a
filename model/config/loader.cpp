// Reads files and settings by the table of keys, and lists configurations.
#include "model/config/loader.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/config/config.h"
#include "model/config/effect.h"
#include "model/config/given_keys.h"
#include "model/config/other_names.h"
#include "model/config/read_value.h"
#include "model/config/schema.h"
#include "model/config/validate.h"
#include "model/error.h"
#include "model/text/input_file.h"
#include "model/text/nearest.h"
#include "model/text/yaml.h"

namespace smsim {

namespace {

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

/// The synonyms of a key, with commas between.
std::string names_of(std::string_view key) {
    std::vector<std::string_view> names;
    for (const KeySynonym &synonym : key_synonyms()) {
        if (synonym.key == key) {
            names.push_back(synonym.name);
        }
    }
    return fmt::format("{}", fmt::join(names, ", "));
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

void read_map(Config &config, const yaml::Node &map, const std::string &prefix, GivenKeys &given, Errors &errors) {
    for (const auto &[name_node, value] : map.members) {
        const std::string name = prefix.empty() ? name_node.text : prefix + "." + name_node.text;
        const ConfigKey *key = find_config_key(name);
        if (key != nullptr) {
            errors.keep([&] {
                if (given.is_in_file(key->name)) { // under another name: a map that has one twice is rejected before
                    yaml::fail(name_node, fmt::format("{} is given twice, also as {}", key->name, names_of(key->name)));
                }
                read_value(config, *key, value);
            });
            given.note(key->name, value.place, true);
            continue;
        }
        const auto is_inside = [&](std::string_view one) { return one.starts_with(name + "."); };
        const bool section = std::ranges::any_of(config_keys(), is_inside, &ConfigKey::name) ||
                             std::ranges::any_of(key_synonyms(), is_inside, &KeySynonym::name);
        if (!section) {
            errors.keep([&] { unknown_key(name_node.place, name); });
        } else if (value.kind == yaml::Kind::kMap) {
            read_map(config, value, name, given, errors);
        } else if (value.kind != yaml::Kind::kNull) { // a section without keys is harmless
            errors.keep(
                [&] { yaml::fail(value, fmt::format("'{}' is a section: a map of keys is expected here", name)); });
        }
    }
}

void apply(Config &config, const Setting &setting, GivenKeys &given) {
    const ConfigKey *key = find_config_key(setting.key);
    if (key == nullptr) {
        unknown_key(setting.place, setting.key);
    }
    yaml::Node node;
    node.text = setting.value;
    node.kind = node.text.empty() ? yaml::Kind::kNull : yaml::Kind::kScalar;
    node.place = setting.place;
    read_value(config, *key, node);
    given.note(key->name, setting.place, false);
}

void read_setting(Config &config, const std::string &setting, GivenKeys &given) {
    const std::string place = "--set " + setting;
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos) {
        throw InputError(place + ": expected key=value");
    }
    apply(config, {setting.substr(0, equals), setting.substr(equals + 1), place}, given);
}

} // namespace

Config load_config(const std::optional<std::string> &path, std::span<const std::string> settings) {
    return ConfigInput(path, {settings.begin(), settings.end()}).with({});
}

ConfigInput::ConfigInput(const std::optional<std::string> &path, std::vector<std::string> settings)
    : path_(path), text_(path ? text::read_file(*path, yaml::kMaxBytes) : std::string()),
      settings_(std::move(settings)) {}

ConfigInput::ConfigInput(std::string text, std::string file, std::vector<std::string> settings)
    : path_(std::move(file)), text_(std::move(text)), settings_(std::move(settings)) {}

Config ConfigInput::with(std::span<const Setting> presets) const {
    GivenKeys given;
    return build(presets, given);
}

Config ConfigInput::build(std::span<const Setting> presets, GivenKeys &given) const {
    const yaml::Node root = path_ ? yaml::parse(text_, *path_) : yaml::Node{};
    Config config;
    Errors errors;
    for (const Setting &preset : presets) {
        errors.keep([&] { apply(config, preset, given); });
    }
    if (root.kind != yaml::Kind::kNull) {
        if (root.kind != yaml::Kind::kMap) {
            yaml::fail(root, "a configuration is a map of sections (sm, ibuffer, ...)");
        }
        read_map(config, root, "", given, errors);
    }
    for (const std::string &setting : settings_) {
        errors.keep([&] { read_setting(config, setting, given); });
    }
    errors.raise();
    check_together(config, given);
    return config;
}

std::vector<std::string> ConfigInput::without_effect(std::span<const Setting> presets) const {
    GivenKeys given;
    const Config config = build(presets, given);
    const Config defaults;
    std::vector<std::string> messages;
    for (const ConfigKey &key : config_keys()) {
        const auto place = given.places().find(key.name);
        if (place == given.places().end()) {
            continue;
        }
        const bool listed = place->second.is_in_file && value_of(config, key) == value_of(defaults, key);
        if (listed) {
            continue;
        }
        if (const std::string cause = idle_cause(config, key); !cause.empty()) {
            messages.push_back(fmt::format("{}: {} has no effect with {}", place->second.text, key.name, cause));
        }
    }
    return messages;
}

Config parse_config(const std::string &text, const std::string &file, std::span<const std::string> settings) {
    return ConfigInput(text, file, {settings.begin(), settings.end()}).with({});
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

std::string dump_config(const Config &config, Remarks remarks) {
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
        const std::string cause = remarks == Remarks::kEffect ? idle_cause(config, key) : std::string();
        const std::string unit = key.unit.empty() ? "" : fmt::format("[{}] ", key.unit);
        const std::string idle = cause.empty() ? "" : fmt::format(" (no effect with {})", cause);
        text += fmt::format("{:<40} # {}{}{}\n", entry, unit, key.meaning, idle);
    }
    return text;
}

} // namespace smsim
