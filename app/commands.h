// The subcommands. Each prints its result on standard output, throws InputError for bad input, and returns the exit
// status (exit_status.h).
#pragma once

#include <optional>

#include "app/interruption.h"
#include "app/options.h"
#include "app/simulate.h"
#include "model/config/loader.h"
#include "model/launch/plan.h"

namespace smsim::app {

/// `smsim config`: the effective configuration as YAML or JSON, or the table of keys.
int config_command(const ConfigOptions &options);

/// `smsim asm`: assembles a program into a binary file.
int asm_command(const AsmOptions &options);

/// `smsim compile`: PTX, or the device code of CUDA C++, as assembly text; or, with `check`, what `simulation`
/// computes with the code after every pass.
int compile_command(const CompileOptions &options, const Simulation &simulation);

/// `smsim disasm`: a program as text that assembles to the same words.
int disasm_command(const DisasmOptions &options);

/// The outcome of a launch.
struct RunOutcome {
    int status = 0;         ///< exit status: kException after an exception of the program, kCheckFailed, ...
    std::string_view state; ///< run_status of its report
    Cycle cycles = 0;
    std::uint64_t instructions = 0; ///< warp instructions
};

/// Loads a launch and its program, has `simulation` run them on the configuration `given`, with the settings of the
/// launch file, checks and dumps buffers, and reports. `options.config` is only used in messages.
RunOutcome run_launch(const RunOptions &options, const ConfigInput &given, const Simulation &simulation);

/// The part of `run_launch` for a launch file of several launches.
RunOutcome run_plan_file(const RunOptions &options, const Config &config, const launch::Plan &plan,
                         std::optional<Interruption> &interruption);

/// `smsim run`: `run_launch` with the configuration of the options.
int run_command(const RunOptions &options, const Simulation &simulation);

/// `smsim batch`: `run_launch` for many launches, each in its own process. One line per launch on standard output, in
/// their order. The status is the highest of all; 130 or 143 after a signal.
int batch_command(const BatchOptions &options, const Simulation &simulation);

/// `smsim report`: one HTML page that shows the report of a run, or compares those of several. All reports are read
/// and checked before anything is written.
int report_command(const ReportOptions &options);

/// `smsim replay`: sends recorded transactions to parts or to the rules alone and compares each answer with the
/// recorded one; or lists them. The status is kCheckFailed if an answer differs.
int replay_command(const ReplayOptions &options);

} // namespace smsim::app
