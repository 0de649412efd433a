// Common parts of a file of one launch and a file of several.
#include "model/launch/read_launch.h"

#include <array>
#include <filesystem>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "model/launch/read_values.h"
#include "model/text/nearest.h"

namespace smsim::launch {

namespace fs = std::filesystem;

namespace {

std::array<std::uint32_t, 3> read_size(const yaml::Node &node, const std::string &name,
                                       std::array<std::uint32_t, 3> limits) {
    std::array<std::uint32_t, 3> size = {1, 1, 1};
    if (node.kind != yaml::Kind::kSequence) {
        size[0] = static_cast<std::uint32_t>(yaml::to_unsigned(node, name, 1, limits[0]));
        return size;
    }
    if (node.items.empty() || node.items.size() > 3) {
        yaml::fail(node, fmt::format("{} must be one number or a list of 1 to 3; found {}", name, node.items.size()));
    }
    for (std::size_t i = 0; i < node.items.size(); ++i) {
        size[i] =
            static_cast<std::uint32_t>(yaml::to_unsigned(node.items[i], fmt::format("{}[{}]", name, i), 1, limits[i]));
    }
    return size;
}

double read_tolerance(const yaml::Node &node, std::string_view key) {
    const yaml::Node *tolerance = node.find(key);
    return tolerance == nullptr ? 0
                                : yaml::to_real(*tolerance, std::string(key), 0, std::numeric_limits<double>::max());
}

NanRule read_nan_rule(const yaml::Node &node) {
    static constexpr std::array<std::string_view, 3> kNames = {"any", "bits", "never"};
    const std::string &text = yaml::to_text(node, "nan");
    for (std::size_t i = 0; i < kNames.size(); ++i) {
        if (kNames[i] == text) {
            return static_cast<NanRule>(i);
        }
    }
    yaml::fail(node, fmt::format("nan must be any, bits or never; found '{}'", text));
}

} // namespace

void read_shape(const yaml::Node &node, const std::string &what, Launch &launch) {
    launch.grid = read_size(need(node, "grid", what), "grid", kMaxGrid);
    const yaml::Node &block = need(node, "block", what);
    launch.block = read_size(block, "block", {kMaxBlockThreads, kMaxBlockThreads, 64});
    const std::uint64_t threads = std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
    if (threads > kMaxBlockThreads) {
        yaml::fail(block, fmt::format("a block of {} threads; at most {} are possible", threads, kMaxBlockThreads));
    }
    if (const yaml::Node *shared = node.find("dynamic_shared")) {
        launch.dynamic_shared =
            static_cast<std::uint32_t>(yaml::to_bytes(*shared, "dynamic_shared", 0, kMaxDynamicShared));
    }
}

std::vector<Setting> read_settings(const yaml::Node &map) {
    if (map.kind != yaml::Kind::kMap) {
        yaml::fail(map, "set must be a map of keys of the configuration, such as {sm.clock_ghz: 1.5}");
    }
    std::vector<Setting> settings;
    for (const auto &[key, value] : map.members) {
        settings.push_back({key.text, yaml::to_text(value, key.text), value.place});
    }
    return settings;
}

void require_argument_block(const yaml::Node &list, const Launch &launch) {
    const std::vector<std::uint64_t> addresses(launch.arguments.size());
    const std::size_t block = parameter_bytes(launch, addresses).size();
    if (block > kMaxParameterBytes) {
        yaml::fail(list,
                   fmt::format("the arguments take {} bytes; at most {} are possible", block, kMaxParameterBytes));
    }
}

void BufferTable::add(const Argument &buffer, std::size_t index) {
    indices_.emplace(buffer.name, index);
    names_.push_back(buffer.name);
}

std::size_t BufferTable::find(const yaml::Node &node, const std::string &key) const {
    const std::string &name = yaml::to_text(node, key);
    if (const auto found = indices_.find(name); found != indices_.end()) {
        return found->second;
    }
    const std::vector<std::string_view> names(names_.begin(), names_.end());
    yaml::fail(node, names.empty() ? fmt::format("no buffer '{}': the file has no buffers", name)
                                   : fmt::format("no buffer '{}'{}", name, text::suggestion(name, names, "buffers")));
}

Check read_check(const yaml::Node &node, const std::vector<Argument> &buffers, const BufferTable &table,
                 const Folder &folder) {
    static constexpr std::array<std::string_view, 7> kKeys = {"buffer",   "file",     "values", "offset",
                                                              "absolute", "relative", "nan"};
    yaml::require_keys(node, kKeys, "a check");
    Check check;
    check.place = node.place;
    check.argument = table.find(need(node, "buffer", "a check"));
    const Argument &argument = buffers[check.argument];
    const yaml::Node *file = node.find("file");
    const yaml::Node *values = node.find("values");
    if ((file != nullptr) == (values != nullptr)) {
        yaml::fail(node, "a check needs either 'file' or 'values'");
    }
    if (file != nullptr) {
        check.expected = folder.data(*file, argument.type, check.count);
    } else {
        Values data{read_values(*values, argument.type)};
        check.count = data.values.size();
        check.expected = std::move(data);
    }
    if (const yaml::Node *offset = node.find("offset")) {
        check.offset = yaml::to_unsigned(*offset, "offset", 0, argument.count - 1);
    }
    if (check.count > argument.count - check.offset) {
        yaml::fail(node, fmt::format("{} elements are expected from element {} on, but buffer '{}' has {}", check.count,
                                     check.offset, argument.name, argument.count));
    }
    check.absolute = read_tolerance(node, "absolute");
    check.relative = read_tolerance(node, "relative");
    if (const yaml::Node *nan = node.find("nan")) {
        check.nan = read_nan_rule(*nan);
    }
    return check;
}

std::vector<Dump> read_dumps(const yaml::Node &list, const BufferTable &table) {
    static constexpr std::array<std::string_view, 2> kKeys = {"buffer", "file"};
    std::vector<Dump> dumps;
    // The run itself writes these to the same directory; a dump must not overwrite them.
    std::set<std::string> taken = {"report.json", "report.txt", "config.yaml"};
    for (const yaml::Node &node : need_list(list, "dump")) {
        yaml::require_keys(node, kKeys, "a dump");
        Dump dump;
        dump.argument = table.find(need(node, "buffer", "a dump"));
        const yaml::Node &file = need(node, "file", "a dump");
        const fs::path path = fs::path(yaml::to_text(file, "file")).lexically_normal();
        // A launch file from another user must not write outside the directory that its user chose.
        if (path.is_absolute() || !path.has_filename() || *path.begin() == ".." || path == "." ||
            path.string().find('\0') != std::string::npos) {
            yaml::fail(file, "a dump is written into the output directory: its name must be relative and inside");
        }
        dump.file = path.string();
        if (!taken.insert(dump.file).second) {
            yaml::fail(file, fmt::format("a second file named '{}' in the output directory", dump.file));
        }
        dumps.push_back(std::move(dump));
    }
    return dumps;
}

} // namespace smsim::launch
