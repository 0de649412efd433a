// Contents of buffers: their source, and whether their number fits.
#include "model/launch/read_contents.h"

#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "model/launch/read_values.h"

namespace smsim::launch {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMaxUnsigned = std::numeric_limits<std::uint64_t>::max();

std::string resolve(const yaml::Node &node, const fs::path &folder, const std::string &name) {
    if (name.find('\0') != std::string::npos) {
        yaml::fail(node, "a file name must not hold a zero character");
    }
    return (folder / name).lexically_normal().string();
}

void require_file(const yaml::Node &node, const std::string &path) {
    std::error_code error;
    if (!fs::is_regular_file(path, error)) {
        yaml::fail(node, fmt::format("file '{}' {}", path,
                                     fs::exists(path, error) ? "is not a regular file" : "does not exist"));
    }
}

Init read_random(const yaml::Node &node, ElementType type) {
    static constexpr std::array<std::string_view, 3> kKeys = {"seed", "low", "high"};
    yaml::require_keys(node, kKeys, "a random init");
    Random random;
    random.seed = yaml::to_unsigned(need(node, "seed", "a random init"), "seed", 0, kMaxUnsigned);
    const yaml::Node &high = need(node, "high", "a random init");
    random.low = read_value(need(node, "low", "a random init"), type, "low");
    random.high = read_value(high, type, "high");
    bool good = random.low <= random.high; // false for NaN
    if (is_float(type)) {
        good = good && std::isfinite(std::get<double>(random.high) - std::get<double>(random.low));
    }
    if (!good) {
        yaml::fail(high, "low and high must be finite, with low not above high and a finite difference");
    }
    return random;
}

Init read_pattern(const yaml::Node &node, ElementType type) {
    static constexpr std::array<std::string_view, 3> kKeys = {"start", "step", "modulo"};
    yaml::require_keys(node, kKeys, "a pattern");
    Pattern pattern{zero_of(type), zero_of(type), 0};
    if (const yaml::Node *start = node.find("start")) {
        pattern.start = read_value(*start, type, "start");
    }
    if (const yaml::Node *step = node.find("step")) {
        pattern.step = read_step(*step, type);
    }
    if (const yaml::Node *modulo = node.find("modulo")) {
        pattern.modulo = yaml::to_unsigned(*modulo, "modulo", 1, kMaxUnsigned);
    }
    return pattern;
}

} // namespace

std::string Folder::file(const yaml::Node &node, const std::string &key) const {
    std::string path = resolve(node, path_, yaml::to_text(node, key));
    require_file(node, path);
    return path;
}

FileData Folder::data(const yaml::Node &node, ElementType type, std::uint64_t &count) const {
    FileData data{file(node, "file")};
    std::error_code error;
    const std::uint64_t bytes = fs::file_size(data.path, error);
    if (error) {
        yaml::fail(node, fmt::format("file '{}': {}", data.path, error.message()));
    }
    if (bytes == 0 || bytes % element_bytes(type) != 0) {
        yaml::fail(node, fmt::format("file '{}' has {} bytes: not a positive number of {} elements of {} bytes",
                                     data.path, bytes, element_name(type), element_bytes(type)));
    }
    count = bytes / element_bytes(type);
    return data;
}

Init read_init(const yaml::Node &node, ElementType type, const Folder &folder, std::uint64_t &given) {
    if (node.kind == yaml::Kind::kScalar && node.text == "zeros") {
        return Zeros{};
    }
    if (node.kind != yaml::Kind::kMap) {
        yaml::fail(node, "init must be 'zeros' or a map with 'value', 'seed', 'pattern', 'file' or 'values'");
    }
    if (const yaml::Node *value = node.find("value")) {
        static constexpr std::array<std::string_view, 1> kOuter = {"value"};
        yaml::require_keys(node, kOuter, "an init with a value");
        return Constant{read_value(*value, type, "value")};
    }
    if (const yaml::Node *pattern = node.find("pattern")) {
        static constexpr std::array<std::string_view, 1> kOuter = {"pattern"};
        yaml::require_keys(node, kOuter, "an init with a pattern");
        return read_pattern(*pattern, type);
    }
    if (const yaml::Node *file = node.find("file")) {
        static constexpr std::array<std::string_view, 1> kOuter = {"file"};
        yaml::require_keys(node, kOuter, "an init from a file");
        return folder.data(*file, type, given);
    }
    if (const yaml::Node *values = node.find("values")) {
        static constexpr std::array<std::string_view, 1> kOuter = {"values"};
        yaml::require_keys(node, kOuter, "an init with values");
        Values data{read_values(*values, type)};
        given = data.values.size();
        return data;
    }
    if (node.find("seed") != nullptr) {
        return read_random(node, type);
    }
    static constexpr std::array<std::string_view, 7> kAll = {"value",   "seed", "low",   "high",
                                                             "pattern", "file", "values"};
    yaml::require_keys(node, kAll, "init");
    yaml::fail(node, "init needs 'value', 'seed', 'pattern', 'file' or 'values'");
}

void read_buffer(const yaml::Node &node, const Folder &folder, Argument &buffer) {
    const yaml::Node *count = node.find("count");
    const yaml::Node *init = node.find("init");
    buffer.is_buffer = true;
    if (count != nullptr) {
        buffer.count = yaml::to_unsigned(*count, "count", 1, kMaxBufferBytes / element_bytes(buffer.type));
    }
    std::uint64_t given = 0;
    if (init != nullptr) {
        buffer.init = read_init(*init, buffer.type, folder, given);
    }
    const yaml::Node &where = init != nullptr ? *init : node;
    if (given != 0 && buffer.count != 0 && given != buffer.count) {
        yaml::fail(where, fmt::format("init gives {} elements, count says {}", given, buffer.count));
    }
    buffer.count = given != 0 ? given : buffer.count;
    if (buffer.count == 0) {
        yaml::fail(where, fmt::format("buffer '{}' needs 'count'", buffer.name));
    }
    if (buffer.bytes() > kMaxBufferBytes) {
        yaml::fail(where, fmt::format("buffer '{}' takes {} bytes; at most {} are possible", buffer.name,
                                      buffer.bytes(), kMaxBufferBytes));
    }
}

} // namespace smsim::launch
