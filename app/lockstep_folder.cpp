#include "app/lockstep_folder.h"

#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <yaml-cpp/yaml.h>

#include "app/output.h"
#include "assembler/container.h"
#include "model/config/config.h"
#include "model/config/loader.h"
#include "model/error.h"
#include "model/launch/changes.h"
#include "model/text/input_file.h"

namespace smsim::app {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 32; // of a data file

/// Creates a folder under an unused name, safe against concurrent processes.
std::string make_folder(const std::string &output) {
    const fs::path wanted = fs::absolute(fs::path(output) / "lockstep_difference");
    std::error_code error;
    fs::create_directories(wanted.parent_path(), error);
    fs::path path = wanted;
    for (unsigned number = 2; !fs::create_directory(path, error); ++number) {
        if (error) {
            throw InputError(fmt::format("{}: cannot be created: {}", path.string(), error.message()));
        }
        path = fmt::format("{}_{}", wanted.string(), number);
    }
    return path.string();
}

/// A path in a form that can be compared with others.
std::string plain(const fs::path &path) {
    std::error_code error;
    return fs::weakly_canonical(path, error).string();
}

/// The same as a tree of yaml-cpp, which can be written.
YAML::Node writable(const yaml::Node &node) {
    switch (node.kind) {
    case yaml::Kind::kNull:
        break;
    case yaml::Kind::kScalar:
        return YAML::Node(node.text);
    case yaml::Kind::kSequence: {
        YAML::Node list(YAML::NodeType::Sequence);
        for (const yaml::Node &item : node.items) {
            list.push_back(writable(item));
        }
        return list;
    }
    case yaml::Kind::kMap: {
        YAML::Node map(YAML::NodeType::Map);
        for (const auto &[key, value] : node.members) {
            map[key.text] = writable(value);
        }
        return map;
    }
    }
    return {};
}

/// Replaces the names of input files by the names of their copies.
void rename_files(YAML::Node node, const fs::path &folder, const std::map<std::string, std::string> &copies) {
    if (node.IsSequence()) {
        for (std::size_t i = 0; i < node.size(); ++i) {
            rename_files(node[i], folder, copies);
        }
    } else if (node.IsMap()) {
        for (const auto &entry : node) {
            const std::string key = entry.first.Scalar();
            YAML::Node value = entry.second;
            if (key == "dump") {
                continue; // output files
            }
            if ((key == "program" || key == "file") && value.IsScalar()) {
                if (const auto copy = copies.find(plain(folder / value.Scalar())); copy != copies.end()) {
                    value = copy->second;
                }
            } else {
                rename_files(value, folder, copies);
            }
        }
    }
}

/// `config` so that it is valid in any folder: libraries of blocks get absolute paths.
Config with_libraries_in_place(Config config) {
    for (Implementation *one : {&config.bru.implementation, &config.bcu.implementation, &config.timer.implementation,
                                &config.shared.implementation}) {
        if (!one->library().empty()) {
            const std::string_view kind = one->text().substr(0, one->text().find(':'));
            *one = Implementation::parse(fmt::format("{}:{}", kind, fs::absolute(one->library()).string())).value();
        }
    }
    return config;
}

/// An argument of a shell command.
std::string quoted(const std::string &text) {
    std::string result = "'";
    for (const char c : text) {
        result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return result + "'";
}

std::string command(const RunOptions &options, const std::string &folder) {
    std::string text = fmt::format("smsim run {} -c {} -o {}", quoted(folder + "/launch.yaml"),
                                   quoted(folder + "/config.yaml"), quoted(folder + "/again"));
    if (!options.memory.empty()) {
        text += " --memory " + quoted(options.memory);
    }
    if (options.memory_check != MemoryCheck::kStrict) {
        text += fmt::format(" --memory-check {}", memory_check_name(options.memory_check));
    }
    return text;
}

} // namespace

std::string write_lockstep_folder(const DifferingRun &run, const LockstepDifference &difference) {
    std::string path = make_folder(run.options.output);
    const OutputDirectory folder(path);
    std::map<std::string, std::string> copies;
    for (std::size_t i = 0; i < run.programs.size(); ++i) {
        const std::string name = fmt::format("program_{}.smbin", i);
        folder.write(name, serialize_program(*run.programs[i].second));
        copies[plain(run.programs[i].first)] = name;
    }
    for (std::size_t i = 0; i < run.data.size(); ++i) {
        const std::string name = fmt::format("data_{}", i);
        folder.write(name, text::read_bytes(run.data[i], kMostBytes));
        copies[plain(run.data[i])] = name;
    }
    yaml::Node root = yaml::parse_file(run.launch_file);
    launch::apply_changes(root, run.options.changes);
    YAML::Node launch = writable(root);
    rename_files(launch, fs::path(run.launch_file).parent_path(), copies);
    launch.remove("set");     // config.yaml has all the settings
    launch.remove("compile"); // the programs are compiled
    folder.write("launch.yaml", YAML::Dump(launch) + "\n");
    folder.write("config.yaml", dump_config(with_libraries_in_place(run.config)));
    folder.write("pins.vcd", difference.waveform);
    std::string text =
        fmt::format("{}\n\nThe last transactions of {}, the oldest first:\n", run.exception, difference.part);
    for (const std::string &line : difference.transactions) {
        text += "  " + line + "\n";
    }
    text += fmt::format("\nIts pins in the last cycles: pins.vcd.\nAgain:\n  {}\n", command(run.options, path));
    folder.write("difference.txt", text);
    return path;
}

void tell_difference(const DifferingRun &run, const LockstepDifference &difference) {
    try {
        spdlog::error("{}: the difference, the pins before it, and the files that reproduce it",
                      write_lockstep_folder(run, difference));
    } catch (const std::exception &error) {
        spdlog::error("{}", error.what());
    }
}

} // namespace smsim::app
