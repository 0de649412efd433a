#include "app/lockstep_folder.h"

#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <yaml-cpp/yaml.h>

#include "app/output.h"
#include "model/error.h"
#include "model/program/container.h"
#include "model/text/input_file.h"

namespace smsim::app {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 32; // of a data file

/// A name that nothing has yet.
std::string free_folder(const std::string &output) {
    const fs::path wanted = fs::path(output) / "lockstep_difference";
    fs::path path = wanted;
    std::error_code error;
    for (unsigned number = 2; fs::exists(path, error); ++number) {
        path = fmt::format("{}_{}", wanted.string(), number);
    }
    return path.string();
}

/// A path as it is compared with others.
std::string plain(const fs::path &path) {
    std::error_code error;
    return fs::weakly_canonical(path, error).string();
}

/// Replaces names of files, which stand anywhere as values, by the names of their copies.
void rename_files(YAML::Node node, const fs::path &folder, const std::map<std::string, std::string> &copies) {
    if (node.IsScalar()) {
        if (const auto copy = copies.find(plain(folder / node.Scalar())); copy != copies.end()) {
            node = copy->second;
        }
    } else if (node.IsSequence()) {
        for (std::size_t i = 0; i < node.size(); ++i) {
            rename_files(node[i], folder, copies);
        }
    } else if (node.IsMap()) {
        for (const auto &entry : node) {
            rename_files(entry.second, folder, copies);
        }
    }
}

std::string command(const RunOptions &options, const std::string &folder) {
    std::string text = fmt::format("smsim run {0}/launch.yaml -c {0}/config.yaml -o {0}/again", folder);
    if (!options.memory.empty()) {
        text += " --memory " + options.memory;
    }
    if (options.memory_check != MemoryCheck::kStrict) {
        text += fmt::format(" --memory-check {}", memory_check_name(options.memory_check));
    }
    return text;
}

} // namespace

std::string write_lockstep_folder(const DifferingRun &run, const LockstepDifference &difference) {
    const std::string path = free_folder(run.options.output);
    const OutputDirectory folder(path);
    std::map<std::string, std::string> copies;
    for (const auto &[file, program] : run.programs) {
        const std::string name = fmt::format("program_{}.smbin", copies.size());
        folder.write(name, serialize_program(*program));
        copies[plain(file)] = name;
    }
    for (const std::string &file : run.data) {
        const std::string name = fmt::format("data_{}", copies.size());
        folder.write(name, text::read_bytes(file, kMostBytes));
        copies[plain(file)] = name;
    }
    YAML::Node launch = YAML::LoadFile(run.launch_file);
    rename_files(launch, fs::path(run.launch_file).parent_path(), copies);
    folder.write("launch.yaml", YAML::Dump(launch) + "\n");
    folder.write("config.yaml", run.config);
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
        spdlog::error("{}: the difference, the pins before it, and what shows it again",
                      write_lockstep_folder(run, difference));
    } catch (const InputError &error) {
        spdlog::error("{}", error.what());
    }
}

} // namespace smsim::app
