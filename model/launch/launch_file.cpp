// Reads a launch file into a Launch and refuses what cannot be run, with the place in the file.
#include "model/launch/launch.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "model/error.h"
#include "model/text/nearest.h"
#include "model/text/yaml.h"

namespace smsim::launch {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxUnsigned = std::numeric_limits<std::uint64_t>::max();

bool is_float(ElementType type) {
    return type == ElementType::kF32 || type == ElementType::kF64;
}
bool is_signed(ElementType type) {
    return type >= ElementType::kS8 && type <= ElementType::kS64;
}

/// A number for a float type: decimal or hexadecimal notation, nan, inf, -inf (also as YAML writes them). An f32 is
/// rounded once, from the text.
double read_float(const yaml::Node &node, ElementType type, const std::string &name) {
    yaml::refuse_leading_zero(node, name);
    std::string text = node.kind == yaml::Kind::kScalar && !node.quoted ? node.text : "";
    for (const std::string_view special : {".nan", ".inf", "-.inf", "+.inf"}) {
        if (text == special) {
            std::erase(text, '.');
        }
    }
    const bool special = text == "nan" || text == "inf" || text == "-inf" || text == "+inf";
    char *end = nullptr;
    const double value = type == ElementType::kF32 ? static_cast<double>(std::strtof(text.c_str(), &end))
                                                   : std::strtod(text.c_str(), &end);
    // strtod also takes leading blanks, "nan(...)" and "infinity": only the spellings above are meant.
    const bool number = !text.empty() && text.find_first_not_of("0123456789+-.eExXpPabcdfABCDF") == std::string::npos;
    if ((!special && !number) || end != text.c_str() + text.size()) {
        yaml::fail(node, fmt::format("{} must be a number of type {}", name, element_name(type)));
    }
    if (!special && std::isinf(value)) {
        yaml::fail(node, fmt::format("{} is too large for type {}", name, element_name(type)));
    }
    return value;
}

/// A value in the range of `type`; integers of unsigned types as uint64, of signed types as int64.
Value read_value(const yaml::Node &node, ElementType type, const std::string &name) {
    if (is_float(type)) {
        return read_float(node, type, name);
    }
    const unsigned bits = 8 * element_bytes(type);
    if (is_signed(type)) {
        const std::int64_t high = std::numeric_limits<std::int64_t>::max() >> (64 - bits);
        return yaml::to_signed(node, name, -high - 1, high);
    }
    return yaml::to_unsigned(node, name, 0, kMaxUnsigned >> (64 - bits));
}

Value zero_of(ElementType type) {
    if (is_float(type)) {
        return 0.0;
    }
    return is_signed(type) ? Value{std::int64_t{0}} : Value{std::uint64_t{0}};
}

ElementType read_type(const yaml::Node &node) {
    std::vector<std::string_view> names;
    for (unsigned i = 0; i < kElementTypes; ++i) {
        names.push_back(element_name(static_cast<ElementType>(i)));
    }
    const std::string &text = yaml::to_text(node, "type");
    for (unsigned i = 0; i < kElementTypes; ++i) {
        if (names[i] == text) {
            return static_cast<ElementType>(i);
        }
    }
    yaml::fail(node, fmt::format("no type '{}'{}", text, text::suggestion(text, names, "types")));
}

const yaml::Node &need(const yaml::Node &map, std::string_view key, const std::string &what) {
    const yaml::Node *node = map.find(key);
    if (node == nullptr) {
        yaml::fail(map, fmt::format("{} needs the key '{}'", what, key));
    }
    return *node;
}

const std::vector<yaml::Node> &need_list(const yaml::Node &node, const std::string &name) {
    if (node.kind != yaml::Kind::kSequence) {
        yaml::fail(node, name + " must be a list");
    }
    return node.items;
}

std::vector<Value> read_values(const yaml::Node &node, ElementType type) {
    std::vector<Value> values;
    for (const yaml::Node &item : need_list(node, "values")) {
        values.push_back(read_value(item, type, "a value"));
    }
    if (values.empty()) {
        yaml::fail(node, "values must hold at least one value");
    }
    return values;
}

/// Reads launch files; holds what every function needs: the folder that paths start from.
class Reader {
  public:
    explicit Reader(const std::string &file) : file_(file), folder_(fs::path(file).parent_path()) {}

    Launch read(const yaml::Node &root) const {
        static constexpr std::array<std::string_view, 8> kKeys = {"program",        "kernel",    "grid",  "block",
                                                                  "dynamic_shared", "arguments", "check", "dump"};
        yaml::require_keys(root, kKeys, "a launch file");
        Launch launch;
        launch.path = file_;
        const yaml::Node &program = need(root, "program", "a launch file");
        launch.program = resolve(program, yaml::to_text(program, "program"));
        require_file(program, launch.program);
        if (const yaml::Node *kernel = root.find("kernel")) {
            launch.kernel = yaml::to_text(*kernel, "kernel");
        }
        read_geometry(root, launch);
        if (const yaml::Node *arguments = root.find("arguments")) {
            read_arguments(*arguments, launch);
        }
        if (const yaml::Node *checks = root.find("check")) {
            for (const yaml::Node &node : need_list(*checks, "check")) {
                launch.checks.push_back(read_check(node, launch));
            }
        }
        if (const yaml::Node *dumps = root.find("dump")) {
            read_dumps(*dumps, launch);
        }
        return launch;
    }

  private:
    std::string resolve(const yaml::Node &node, const std::string &name) const {
        if (name.find('\0') != std::string::npos) {
            yaml::fail(node, "a file name must not hold a zero character");
        }
        return (folder_ / name).lexically_normal().string();
    }

    static void require_file(const yaml::Node &node, const std::string &path) {
        std::error_code error;
        if (!fs::is_regular_file(path, error)) {
            yaml::fail(node, fmt::format("file '{}' {}", path,
                                         fs::exists(path, error) ? "is not a regular file" : "does not exist"));
        }
    }

    static std::uint64_t file_elements(const yaml::Node &node, const std::string &path, ElementType type) {
        require_file(node, path);
        std::error_code error;
        const std::uint64_t bytes = fs::file_size(path, error);
        if (error) {
            yaml::fail(node, fmt::format("file '{}': {}", path, error.message()));
        }
        if (bytes == 0 || bytes % element_bytes(type) != 0) {
            yaml::fail(node, fmt::format("file '{}' has {} bytes: not a positive number of {} elements of {} bytes",
                                         path, bytes, element_name(type), element_bytes(type)));
        }
        return bytes / element_bytes(type);
    }

    static std::array<std::uint32_t, 3> read_size(const yaml::Node &node, const std::string &name,
                                                  std::array<std::uint32_t, 3> limits) {
        std::array<std::uint32_t, 3> size = {1, 1, 1};
        if (node.kind != yaml::Kind::kSequence) {
            size[0] = static_cast<std::uint32_t>(yaml::to_unsigned(node, name, 1, limits[0]));
            return size;
        }
        if (node.items.empty() || node.items.size() > 3) {
            yaml::fail(node,
                       fmt::format("{} must be one number or a list of 1 to 3; found {}", name, node.items.size()));
        }
        for (std::size_t i = 0; i < node.items.size(); ++i) {
            size[i] = static_cast<std::uint32_t>(
                yaml::to_unsigned(node.items[i], fmt::format("{}[{}]", name, i), 1, limits[i]));
        }
        return size;
    }

    static void read_geometry(const yaml::Node &root, Launch &launch) {
        launch.grid = read_size(need(root, "grid", "a launch file"), "grid", {0x7fffffff, 65535, 65535});
        const yaml::Node &block = need(root, "block", "a launch file");
        launch.block = read_size(block, "block", {kMaxBlockThreads, kMaxBlockThreads, 64});
        const std::uint64_t threads = std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
        if (threads > kMaxBlockThreads) {
            yaml::fail(block, fmt::format("a block of {} threads; at most {} are possible", threads, kMaxBlockThreads));
        }
        if (const yaml::Node *shared = root.find("dynamic_shared")) {
            launch.dynamic_shared =
                static_cast<std::uint32_t>(yaml::to_bytes(*shared, "dynamic_shared", 0, kMaxDynamicShared));
        }
    }

    void read_arguments(const yaml::Node &list, Launch &launch) const {
        std::set<std::string, std::less<>> names;
        std::uint64_t total = 0;
        for (const yaml::Node &node : need_list(list, "arguments")) {
            Argument argument = read_argument(node);
            if (!names.insert(argument.name).second) {
                yaml::fail(need(node, "name", "an argument"),
                           fmt::format("a second argument named '{}'", argument.name));
            }
            total += argument.bytes();
            if (total > kMaxTotalBytes) {
                yaml::fail(node, fmt::format("the buffers up to here take {} bytes; at most {} are possible", total,
                                             kMaxTotalBytes));
            }
            launch.arguments.push_back(std::move(argument));
            if (launch.arguments.size() > kMaxParameterBytes) {
                yaml::fail(node, fmt::format("more than {} arguments", kMaxParameterBytes));
            }
        }
        const std::vector<std::uint64_t> addresses(launch.arguments.size());
        const std::size_t block = parameter_bytes(launch, addresses).size();
        if (block > kMaxParameterBytes) {
            yaml::fail(list,
                       fmt::format("the arguments take {} bytes; at most {} are possible", block, kMaxParameterBytes));
        }
    }

    Argument read_argument(const yaml::Node &node) const {
        static constexpr std::array<std::string_view, 5> kKeys = {"name", "type", "value", "count", "init"};
        yaml::require_keys(node, kKeys, "an argument");
        Argument argument;
        argument.place = node.place;
        argument.name = yaml::to_text(need(node, "name", "an argument"), "name");
        argument.type = read_type(need(node, "type", "an argument"));
        const yaml::Node *value = node.find("value");
        const yaml::Node *count = node.find("count");
        const yaml::Node *init = node.find("init");
        argument.is_buffer = count != nullptr || init != nullptr;
        if ((value != nullptr) == argument.is_buffer) {
            yaml::fail(node,
                       fmt::format("argument '{}' needs either 'value' (a scalar) or 'count' and 'init' (a buffer)",
                                   argument.name));
        }
        if (value != nullptr) {
            argument.value = read_value(*value, argument.type, "value");
            return argument;
        }
        if (count != nullptr) {
            argument.count = yaml::to_unsigned(*count, "count", 1, kMaxBufferBytes / element_bytes(argument.type));
        }
        std::uint64_t given = 0; // elements that a file or a list of values brings along
        if (init != nullptr) {
            argument.init = read_init(*init, argument.type, given);
        }
        const yaml::Node &where = init != nullptr ? *init : node;
        if (given != 0 && argument.count != 0 && given != argument.count) {
            yaml::fail(where, fmt::format("init gives {} elements, count says {}", given, argument.count));
        }
        argument.count = given != 0 ? given : argument.count;
        if (argument.count == 0) {
            yaml::fail(where, fmt::format("buffer '{}' needs 'count'", argument.name));
        }
        if (argument.bytes() > kMaxBufferBytes) {
            yaml::fail(where, fmt::format("buffer '{}' takes {} bytes; at most {} are possible", argument.name,
                                          argument.bytes(), kMaxBufferBytes));
        }
        return argument;
    }

    Init read_init(const yaml::Node &node, ElementType type, std::uint64_t &given) const {
        if (node.kind == yaml::Kind::kScalar && node.text == "zeros") {
            return Zeros{};
        }
        if (node.kind != yaml::Kind::kMap) {
            yaml::fail(node, "init must be 'zeros' or a map with 'seed', 'pattern', 'file' or 'values'");
        }
        if (const yaml::Node *pattern = node.find("pattern")) {
            static constexpr std::array<std::string_view, 1> kOuter = {"pattern"};
            yaml::require_keys(node, kOuter, "an init with a pattern");
            return read_pattern(*pattern, type);
        }
        if (const yaml::Node *file = node.find("file")) {
            static constexpr std::array<std::string_view, 1> kOuter = {"file"};
            yaml::require_keys(node, kOuter, "an init from a file");
            FileData data{resolve(*file, yaml::to_text(*file, "file"))};
            given = file_elements(*file, data.path, type);
            return data;
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
        static constexpr std::array<std::string_view, 6> kAll = {"seed", "low", "high", "pattern", "file", "values"};
        yaml::require_keys(node, kAll, "init");
        yaml::fail(node, "init needs 'seed', 'pattern', 'file' or 'values'");
    }

    static Init read_random(const yaml::Node &node, ElementType type) {
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

    static Init read_pattern(const yaml::Node &node, ElementType type) {
        static constexpr std::array<std::string_view, 3> kKeys = {"start", "step", "modulo"};
        yaml::require_keys(node, kKeys, "a pattern");
        Pattern pattern{zero_of(type), zero_of(type), 0};
        if (const yaml::Node *start = node.find("start")) {
            pattern.start = read_value(*start, type, "start");
        }
        if (const yaml::Node *step = node.find("step")) {
            pattern.step = read_value(*step, type, "step");
        }
        if (const yaml::Node *modulo = node.find("modulo")) {
            pattern.modulo = yaml::to_unsigned(*modulo, "modulo", 1, kMaxUnsigned);
        }
        return pattern;
    }

    static std::size_t find_buffer(const yaml::Node &node, const Launch &launch) {
        const std::string &name = yaml::to_text(node, "buffer");
        std::vector<std::string_view> buffers;
        for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
            if (!launch.arguments[i].is_buffer) {
                continue;
            }
            if (launch.arguments[i].name == name) {
                return i;
            }
            buffers.push_back(launch.arguments[i].name);
        }
        yaml::fail(node, buffers.empty()
                             ? fmt::format("no buffer '{}': the launch has no buffers", name)
                             : fmt::format("no buffer '{}'{}", name, text::suggestion(name, buffers, "buffers")));
    }

    static double read_tolerance(const yaml::Node &node, std::string_view key) {
        const yaml::Node *tolerance = node.find(key);
        return tolerance == nullptr
                   ? 0
                   : yaml::to_real(*tolerance, std::string(key), 0, std::numeric_limits<double>::max());
    }

    Check read_check(const yaml::Node &node, const Launch &launch) const {
        static constexpr std::array<std::string_view, 7> kKeys = {"buffer",   "file",     "values", "offset",
                                                                  "absolute", "relative", "nan"};
        yaml::require_keys(node, kKeys, "a check");
        Check check;
        check.place = node.place;
        check.argument = find_buffer(need(node, "buffer", "a check"), launch);
        const Argument &argument = launch.arguments[check.argument];
        const yaml::Node *file = node.find("file");
        const yaml::Node *values = node.find("values");
        if ((file != nullptr) == (values != nullptr)) {
            yaml::fail(node, "a check needs either 'file' or 'values'");
        }
        if (file != nullptr) {
            FileData data{resolve(*file, yaml::to_text(*file, "file"))};
            check.count = file_elements(*file, data.path, argument.type);
            check.expected = std::move(data);
        } else {
            Values data{read_values(*values, argument.type)};
            check.count = data.values.size();
            check.expected = std::move(data);
        }
        if (const yaml::Node *offset = node.find("offset")) {
            check.offset = yaml::to_unsigned(*offset, "offset", 0, argument.count - 1);
        }
        if (check.count > argument.count - check.offset) {
            yaml::fail(node, fmt::format("{} elements are expected from element {} on, but buffer '{}' has {}",
                                         check.count, check.offset, argument.name, argument.count));
        }
        check.absolute = read_tolerance(node, "absolute");
        check.relative = read_tolerance(node, "relative");
        if (const yaml::Node *nan = node.find("nan")) {
            check.nan = read_nan_rule(*nan);
        }
        return check;
    }

    static NanRule read_nan_rule(const yaml::Node &node) {
        static constexpr std::array<std::string_view, 3> kNames = {"any", "bits", "never"};
        const std::string &text = yaml::to_text(node, "nan");
        for (std::size_t i = 0; i < kNames.size(); ++i) {
            if (kNames[i] == text) {
                return static_cast<NanRule>(i);
            }
        }
        yaml::fail(node, fmt::format("nan must be any, bits or never; found '{}'", text));
    }

    static void read_dumps(const yaml::Node &list, Launch &launch) {
        static constexpr std::array<std::string_view, 2> kKeys = {"buffer", "file"};
        // Written by the run itself into the same directory; a dump must not overwrite them.
        std::set<std::string> taken = {"report.json", "report.txt", "config.yaml"};
        for (const yaml::Node &node : need_list(list, "dump")) {
            yaml::require_keys(node, kKeys, "a dump");
            Dump dump;
            dump.argument = find_buffer(need(node, "buffer", "a dump"), launch);
            const yaml::Node &file = need(node, "file", "a dump");
            const fs::path path = fs::path(yaml::to_text(file, "file")).lexically_normal();
            // A launch file from elsewhere must not write outside the directory that its user chose.
            if (path.is_absolute() || !path.has_filename() || *path.begin() == ".." || path == "." ||
                path.string().find('\0') != std::string::npos) {
                yaml::fail(file, "a dump is written into the output directory: its name must be relative and inside");
            }
            dump.file = path.string();
            if (!taken.insert(dump.file).second) {
                yaml::fail(file, fmt::format("a second file named '{}' in the output directory", dump.file));
            }
            launch.dumps.push_back(std::move(dump));
        }
    }

    std::string file_;
    fs::path folder_;
};

} // namespace

Launch load_launch(const std::string &path) {
    return Reader(path).read(yaml::parse_file(path));
}

Launch parse_launch(std::string_view text, const std::string &file) {
    return Reader(file).read(yaml::parse(text, file));
}

} // namespace smsim::launch
