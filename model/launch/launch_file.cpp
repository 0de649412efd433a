// Reads a file of one launch and rejects what cannot be run, with the place in the file.
#include "model/launch/launch_file.h"

#include <array>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "model/launch/read_compile.h"
#include "model/launch/read_contents.h"
#include "model/launch/read_launch.h"
#include "model/launch/read_values.h"

namespace smsim::launch {

namespace {

Argument read_argument(const yaml::Node &node, const Folder &folder) {
    static constexpr std::array<std::string_view, 5> kKeys = {"name", "type", "value", "count", "init"};
    yaml::require_keys(node, kKeys, "an argument");
    Argument argument;
    argument.place = node.place;
    argument.name = yaml::to_text(need(node, "name", "an argument"), "name");
    argument.type = read_type(need(node, "type", "an argument"));
    const yaml::Node *value = node.find("value");
    const bool is_buffer = node.find("count") != nullptr || node.find("init") != nullptr;
    if ((value != nullptr) == is_buffer) {
        yaml::fail(node, fmt::format("argument '{}' needs either 'value' (a scalar) or 'count' and 'init' (a buffer)",
                                     argument.name));
    }
    if (value != nullptr) {
        argument.value = read_value(*value, argument.type, "value");
    } else {
        read_buffer(node, folder, argument);
    }
    return argument;
}

void read_arguments(const yaml::Node &list, const Folder &folder, Launch &launch, BufferTable &buffers) {
    std::set<std::string, std::less<>> names;
    for (const yaml::Node &node : need_list(list, "arguments")) {
        Argument argument = read_argument(node, folder);
        if (!names.insert(argument.name).second) {
            yaml::fail(need(node, "name", "an argument"), fmt::format("a second argument named '{}'", argument.name));
        }
        if (argument.is_buffer) {
            buffers.add(argument, launch.arguments.size());
        }
        launch.arguments.push_back(std::move(argument));
        if (launch.arguments.size() > kMaxParameterBytes) {
            yaml::fail(node, fmt::format("more than {} arguments", kMaxParameterBytes));
        }
    }
    require_argument_block(list, launch);
}

} // namespace

bool has_several_launches(const yaml::Node &root) {
    return root.find("steps") != nullptr || root.find("buffers") != nullptr;
}

Launch read_launch(const yaml::Node &root, const std::string &file) {
    // The last two are keys of the other kind of file: the message about a mistyped one should suggest them.
    static constexpr std::array<std::string_view, 12> kKeys = {"program",   "kernel", "grid", "block", "dynamic_shared",
                                                               "arguments", "check",  "dump", "set",   "compile",
                                                               "steps",     "buffers"};
    if (has_several_launches(root)) {
        yaml::fail(root, "this file has steps; a file of one launch is expected here");
    }
    yaml::require_keys(root, kKeys, "a launch file");
    const Folder folder(file);
    Launch launch;
    launch.path = file;
    launch.program = folder.file(need(root, "program", "a launch file"), "program");
    if (const yaml::Node *kernel = root.find("kernel")) {
        launch.kernel = yaml::to_text(*kernel, "kernel");
    }
    if (const yaml::Node *settings = root.find("set")) {
        launch.settings = read_settings(*settings);
    }
    if (const yaml::Node *compile = root.find("compile")) {
        launch.code = read_compile(*compile, std::span(&launch.program, 1));
    }
    read_shape(root, "a launch file", launch);
    BufferTable buffers;
    if (const yaml::Node *arguments = root.find("arguments")) {
        read_arguments(*arguments, folder, launch, buffers);
    }
    if (const yaml::Node *checks = root.find("check")) {
        for (const yaml::Node &node : need_list(*checks, "check")) {
            launch.checks.push_back(read_check(node, launch.arguments, buffers, folder));
        }
    }
    if (const yaml::Node *dumps = root.find("dump")) {
        launch.dumps = read_dumps(*dumps, buffers);
    }
    return launch;
}

Launch load_launch(const std::string &path) {
    return read_launch(yaml::parse_file(path), path);
}

Launch parse_launch(std::string_view text, const std::string &file) {
    return read_launch(yaml::parse(text, file), file);
}

} // namespace smsim::launch
