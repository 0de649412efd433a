// The runs of a what-if analysis and their ranking.
#include "app/what_if.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/children.h"
#include "app/commands.h"
#include "app/exit_status.h"
#include "app/guard.h"
#include "app/interruption.h"
#include "app/output.h"
#include "app/run_requests.h"
#include "app/shared_outcomes.h"
#include "model/config/config.h"
#include "model/config/what_if_reliefs.h"
#include "model/launch/plan.h"

namespace smsim::app {
namespace {

/// A run with a relief may take longer than without, but not for ever.
constexpr Cycle kMoreCycles = 4;
constexpr Cycle kLeastCycles = 100'000;
/// The table shows reliefs that change the cycles by at least this much; the JSON has all.
constexpr double kShownGain = 0.005;

struct Trial {
    Relief relief;
    Cycle cycles = 0; ///< 0: it did not finish
    std::string status;
    std::string cause; ///< the message of a run that did not finish
};

/// The launch reduced to what determines its cycles.
RunOptions plain(const RunOptions &options) {
    RunOptions run;
    run.launch = options.launch;
    run.changes = options.changes;
    run.config = options.config;
    run.code = options.code;
    run.memory = options.memory;
    run.memory_check = options.memory_check;
    run.max_instructions = options.max_instructions;
    run.report = ReportForm::kNone;
    run.progress = false;
    run.warn_of_idle_keys = false;
    return run;
}

/// Runs the launch itself, as requested, in a separate process.
int run_itself(const RunOptions &options, const ConfigInput &config, const Simulation &simulation,
               const Interruption &interruption, SharedOutcome &outcome) {
    int status = kInternalError;
    Tasks task;
    task.count = 1;
    task.run = [&](std::size_t) {
        return run_guarded([&] {
            RunOptions run = options;
            run.progress = false;
            run.report = options.report == ReportForm::kText ? ReportForm::kText : ReportForm::kNone;
            const RunOutcome ran = run_launch(run, config, simulation);
            outcome.keep(ran);
            return ran.status;
        });
    };
    task.ended = [&](std::size_t, const TaskEnd &end) {
        if (options.report == ReportForm::kText) {
            print(end.output);
        } else {
            std::cerr << end.output << std::flush;
        }
        if (end.started && end.signal == 0) {
            status = end.status;
        } else if (interruption.signal() == 0) {
            fail(kInternalError, end.started ? fmt::format("internal: the run was ended by signal {}", end.signal)
                                             : std::string("internal: the run could not be started"));
        }
    };
    task.stop = [&] { return interruption.signal() != 0; };
    run_in_children(task);
    // The process is ended by SIGTERM, whichever signal ended this one.
    return interruption.signal() != 0 ? Interruption::exit_status(interruption.signal()) : status;
}

bool has_ended_well(const Trial &trial) {
    return trial.status == "completed" || (trial.relief.changes_results && trial.status == "check_failed");
}

/// The first error among the lines that a run has written, without its beginning "smsim: error: ".
std::string error_in(const std::string &output) {
    constexpr std::string_view kMark = "error: ";
    const std::size_t at = output.find(kMark);
    if (at == std::string::npos) {
        return {};
    }
    const std::size_t begin = at + kMark.size();
    return output.substr(begin, output.find('\n', begin) - begin);
}

/// True when the relief says nothing because its run was not carried out, unlike one that ended in its own way.
bool has_failed(const Trial &trial) {
    return trial.status == "refused" || trial.status == "crashed" || trial.status == "not_run";
}

void run_trials(const RunOptions &options, Cycle limit, const Simulation &simulation, const Interruption &interruption,
                std::vector<Trial> &trials) {
    SharedOutcomes outcomes(trials.size());
    Tasks tasks;
    tasks.count = trials.size();
    tasks.jobs = options.jobs;
    tasks.run = [&](std::size_t index) {
        return run_guarded([&] {
            RunOptions run = plain(options);
            const std::vector<std::string> &settings = trials[index].relief.settings;
            run.config.settings.insert(run.config.settings.end(), settings.begin(), settings.end());
            run.config.settings.push_back(fmt::format("sm.watchdog_cycles={}", limit));
            if (trials[index].relief.changes_results) { // the relief may lead to addresses that the program itself
                                                        // would not have
                run.memory_check = MemoryCheck::kOff;
            }
            const RunOutcome ran = run_launch(run, ConfigInput(run.config.file, run.config.settings), simulation);
            outcomes[index].keep(ran);
            return ran.status;
        });
    };
    tasks.ended = [&](std::size_t index, const TaskEnd &end) {
        Trial &trial = trials[index];
        trial.status = outcomes[index].status[0] != 0 ? outcomes[index].status
                       : end.signal != 0              ? "crashed"
                       : !end.started                 ? "not_run"
                                                      : "refused";
        trial.cycles = has_ended_well(trial) ? outcomes[index].cycles : 0;
        if (!has_ended_well(trial)) {
            trial.cause = end.signal != 0 ? fmt::format("ended by signal {}", end.signal) : error_in(end.output);
        }
    };
    tasks.stop = [&] { return interruption.signal() != 0; };
    run_in_children(tasks);
}

double gain(Cycle itself, const Trial &trial) {
    return trial.cycles == 0 ? 0 : static_cast<double>(itself) / static_cast<double>(trial.cycles);
}

std::string table(Cycle itself, const std::vector<Trial> &trials) {
    std::string text = fmt::format("\nWhat if (the launch takes {} cycles)\n  {:<17}{:>12}{:>9}  {}\n", itself,
                                   "relief", "cycles", "speedup", "what is given away");
    std::size_t others = 0;
    for (const Trial &trial : trials) {
        if (trial.cycles != 0 && std::abs(gain(itself, trial) - 1) < kShownGain) {
            ++others;
            continue;
        }
        const std::string figures = trial.cycles == 0
                                        ? fmt::format("{:>21}", trial.status)
                                        : fmt::format("{:>12}{:>9.3f}", trial.cycles, gain(itself, trial));
        text += fmt::format("  {:<17}{}  {}{}\n", trial.relief.name, figures, trial.relief.meaning,
                            trial.relief.changes_results ? " *" : "");
    }
    if (others != 0) {
        text += fmt::format("  {} others change it by less than {} %\n", others, 100 * kShownGain);
    }
    return text + "  * as no machine does: the results are then not those of the program\n";
}

nlohmann::ordered_json json_of(Cycle itself, const std::vector<Trial> &trials) {
    using Json = nlohmann::ordered_json;
    Json list = Json::array();
    for (const Trial &trial : trials) {
        list.push_back(Json{{"relief", trial.relief.name},
                            {"meaning", trial.relief.meaning},
                            {"settings", trial.relief.settings},
                            {"changes_results", trial.relief.changes_results},
                            {"status", trial.status},
                            {"cause", trial.cause.empty() ? Json() : Json(trial.cause)},
                            {"cycles", trial.cycles == 0 ? Json() : Json(trial.cycles)},
                            {"speedup", trial.cycles == 0 ? Json() : Json(gain(itself, trial))}});
    }
    return Json{{"cycles", itself}, {"reliefs", std::move(list)}};
}

} // namespace

int what_if(const RunOptions &options, const Simulation &simulation) {
    Interruption interruption;
    const ConfigInput given(options.config.file, options.config.settings);
    const launch::Plan plan = launch::load_plan(options.launch, options.changes);
    const Config config = config_of(options, given, plan.settings);
    SharedOutcomes itself(1);
    interruption.run_begins();
    const int status = run_itself(options, given, simulation, interruption, itself[0]);
    if (status != kSuccess && status != kCheckFailed) {
        return status;
    }
    const Cycle cycles = itself[0].cycles;
    std::vector<Trial> trials;
    for (Relief &relief : reliefs_of(config)) {
        trials.push_back({std::move(relief), 0, {}, {}});
    }
    run_trials(options, std::max(kMoreCycles * cycles, kLeastCycles), simulation, interruption, trials);
    if (interruption.signal() != 0) {
        return fail(Interruption::exit_status(interruption.signal()),
                    "the what-if analysis was interrupted: the run's own report is complete, but there is no ranking");
    }
    int ended = status;
    for (const Trial &trial : trials) {
        if (has_failed(trial)) {
            ended = fail(trial.status == "refused" ? kBadInput : kInternalError,
                         fmt::format("--what-if: the run with the relief {} ({}) was not carried out: {}{}",
                                     trial.relief.name, fmt::join(trial.relief.settings, ", "), trial.status,
                                     trial.cause.empty() ? "" : ": " + trial.cause));
        }
    }
    std::ranges::stable_sort(trials, std::ranges::greater{}, [&](const Trial &trial) { return gain(cycles, trial); });
    if (!options.output.empty()) {
        OutputDirectory(options.output).write("what_if.json", json_of(cycles, trials).dump(1) + "\n");
    }
    if (options.report == ReportForm::kText) {
        print(table(cycles, trials));
    } else if (options.report == ReportForm::kJson) {
        print(json_of(cycles, trials).dump(1) + "\n");
    }
    return ended;
}

} // namespace smsim::app
