// `smsim batch`: many launches in one call, each in its own process, forked from one that has everything loaded. This
// is several times faster than as many calls, and a crash or an exception of one launch affects no other.
#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "app/children.h"
#include "app/commands.h"
#include "app/exit_status.h"
#include "app/guard.h"
#include "app/interruption.h"
#include "app/output.h"
#include "app/run_requests.h"
#include "app/shared_outcomes.h"
#include "model/text/input_file.h"

namespace smsim::app {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxListBytes = std::size_t{16} << 20;

std::vector<std::string> listed(const std::string &list) {
    const std::string path = list == "-" ? "/dev/stdin" : list;
    std::string text = text::read_file(path, kMaxListBytes);
    if (text.find('\0') != std::string::npos) {
        throw InputError(path + ": holds a zero byte; expected a text with a launch file per line");
    }
    std::istringstream lines(std::move(text));
    std::vector<std::string> launches;
    for (std::string line; std::getline(lines, line);) {
        line.erase(line.find_last_not_of(" \t\r") + 1);
        line.erase(0, std::min(line.find_first_not_of(" \t"), line.size()));
        if (!line.empty() && line.front() != '#') {
            launches.push_back(line);
        }
    }
    return launches;
}

/// The name of each launch: its path without the extension, relative to the folder that all have in common.
std::vector<std::string> names_of(const std::vector<std::string> &launches) {
    std::vector<fs::path> paths;
    paths.reserve(launches.size());
    for (const std::string &launch : launches) {
        paths.push_back(fs::absolute(launch).lexically_normal().replace_extension());
    }
    fs::path common = paths.empty() ? fs::path() : paths.front().parent_path();
    for (const fs::path &path : paths) {
        const auto mismatch = std::ranges::mismatch(common, path.parent_path());
        fs::path shared;
        for (auto part = common.begin(); part != mismatch.in1; ++part) {
            shared /= *part;
        }
        common = shared;
    }
    std::vector<std::string> names;
    names.reserve(paths.size());
    for (const fs::path &path : paths) {
        names.push_back(path.lexically_relative(common).string());
    }
    return names;
}

/// Each launch has its own directory, named after it.
void refuse_equal_names(const std::vector<std::string> &names, const std::vector<std::string> &launches) {
    std::map<std::string, std::size_t> known;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto [other, is_new] = known.emplace(names[i], i);
        if (!is_new) {
            throw InputError(fmt::format("{} and {} would write to one directory, '{}'; rename one",
                                         launches[other->second], launches[i], names[i]));
        }
    }
}

RunOptions options_of(const BatchOptions &batch, const std::string &launch, const std::string &name) {
    RunOptions run = batch.run;
    run.launch = launch;
    run.report = ReportForm::kNone;
    run.progress = false;
    if (!batch.output.empty()) {
        const fs::path folder = fs::path(batch.output) / name;
        run.output = folder.string();
        if (batch.trace) {
            const bool json = run.trace_format.value_or("json") == "json";
            run.trace = (folder / (json ? "trace.jsonl" : "trace.log")).string();
        }
        if (batch.state) {
            run.state = (folder / "state.jsonl").string();
        }
    }
    return run;
}

bool is_interrupted(const TaskEnd &end) {
    const auto ended_by = [&end](int signal) {
        return end.signal == signal || end.status == Interruption::exit_status(signal);
    };
    return ended_by(SIGINT) || ended_by(SIGTERM);
}

std::string status_of(const TaskEnd &end, const SharedOutcome &shared) {
    if (!end.started) {
        return "not_run";
    }
    if (is_interrupted(end)) {
        return "interrupted"; // also before it started
    }
    if (end.signal != 0) {
        const char *name = sigabbrev_np(end.signal);
        return name != nullptr ? fmt::format("crashed (SIG{})", name) : fmt::format("crashed ({})", end.signal);
    }
    if (shared.status[0] != 0) {
        return shared.status;
    }
    return end.status == kBadInput ? "refused" : "failed";
}

/// What the launch contributes to the overall status.
int exit_status_of(const TaskEnd &end) {
    if (!end.started) {
        return kSuccess;
    }
    if (end.signal != 0) {
        return is_interrupted(end) ? Interruption::exit_status(end.signal) : static_cast<int>(kInternalError);
    }
    return end.status;
}

/// `output` without warnings of keys without effect that other launches have printed, which are in `warned`.
std::string without_repeats(std::string_view output, std::set<std::string, std::less<>> &warned) {
    std::string kept;
    while (!output.empty()) {
        const std::size_t end = std::min(output.find('\n'), output.size() - 1) + 1;
        const std::string_view line = output.substr(0, end);
        output.remove_prefix(end);
        const bool warns = line.starts_with("smsim: warning: ") && line.find(" has no effect with ") != line.npos;
        if (!warns || warned.emplace(line).second) {
            kept += line;
        }
    }
    return kept;
}

} // namespace

int batch_command(const BatchOptions &options, const Simulation &simulation) {
    Interruption interruption;
    std::vector<std::string> launches = options.launches;
    if (!options.list.empty()) {
        const std::vector<std::string> more = listed(options.list);
        launches.insert(launches.end(), more.begin(), more.end());
    }
    if (launches.empty()) {
        throw InputError("no launch is given; name launch files, or a file that lists them with --list");
    }
    if ((options.trace || options.state) && options.output.empty()) {
        throw InputError(fmt::format("--{} writes into the directory of each launch; give one for all with -o",
                                     options.trace ? "trace" : "dump-state"));
    }
    if (options.run.trace_format && !options.trace) { // one message instead of one per launch
        throw InputError("--trace-format says what traces look like; ask for them with --trace");
    }
    if (!options.run.trace_fields.empty()) {
        if (!options.trace) {
            throw InputError("--trace-fields says what traces hold; ask for them with --trace");
        }
        views::parse_trace_fields(options.run.trace_fields);
    }
    const std::vector<std::string> names = names_of(launches);
    if (!options.output.empty()) {
        refuse_equal_names(names, launches);
    }
    const ConfigInput config(options.run.config.file, options.run.config.settings);
    config_of(options.run, config, {}); // one message instead of one per launch
    SharedOutcomes results(launches.size());
    int worst = kSuccess;
    std::set<std::string, std::less<>> warned;
    Tasks tasks;
    tasks.count = launches.size();
    tasks.jobs = options.jobs;
    tasks.run = [&](std::size_t index) {
        return run_guarded([&] {
            const RunOutcome outcome =
                run_launch(options_of(options, launches[index], names[index]), config, simulation);
            results[index].keep(outcome);
            return outcome.status;
        });
    };
    tasks.ended = [&](std::size_t index, const TaskEnd &end) {
        const SharedOutcome &result = results[index];
        const std::string cycles = options.run.timing.none ? "-" : std::to_string(result.cycles);
        print(fmt::format("{:<17} {:>12} {:>12}  {}\n", status_of(end, result), cycles, result.instructions,
                          launches[index]));
        std::cerr << without_repeats(end.output, warned) << std::flush;
        worst = std::max(worst, exit_status_of(end));
    };
    tasks.stop = [&] { return interruption.signal() != 0; };
    interruption.run_begins();
    print(fmt::format("{:<17} {:>12} {:>12}  {}\n", "status", "cycles", "instructions", "launch"));
    run_in_children(tasks);
    return interruption.signal() != 0 ? Interruption::exit_status(interruption.signal()) : worst;
}

} // namespace smsim::app
