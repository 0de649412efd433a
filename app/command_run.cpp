// `smsim run`: everything around the simulation. All inputs are loaded and checked, and the output directory created,
// before the first cycle: a typing error must not cost an hour.
#include <algorithm>
#include <csignal>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "app/commands.h"
#include "app/exit_status.h"
#include "app/interruption.h"
#include "app/lockstep_folder.h"
#include "app/memory_reserve.h"
#include "app/output.h"
#include "app/program_file.h"
#include "app/run_report.h"
#include "app/run_requests.h"
#include "app/version.h"
#include "app/what_if.h"
#include "model/config/config.h"
#include "model/config/loader.h"
#include "model/launch/plan.h"
#include "report/report.h"
#include "session/memory_library.h"
#include "session/sampling.h"

namespace smsim::app {

namespace {

/// Rejects a program given in place of a launch file, a common mistake, with a helpful message.
void refuse_program(const std::string &path) {
    for (const char *ending : {".ptx", ".cu", ".sasm", ".smbin"}) {
        if (path.ends_with(ending)) {
            throw InputError(
                fmt::format("{}: this is a program; 'smsim run' takes a launch file (YAML) that names it as "
                            "'program' and gives grid, block and arguments (docs/launch-files.md)",
                            path));
        }
    }
}

/// Reports why a run ended before its program did, if the cause was external.
void tell_early_end(session::SimulationResult &result, int signal, bool untimed) {
    const std::string place = untimed ? fmt::format("after {} warp instructions", result.stats.totals().instructions)
                                      : fmt::format("in cycle {}", result.stats.cycles);
    if (signal != 0) {
        spdlog::warn("{} {}: the results are written, nothing is checked; a second signal ends the run at once",
                     signal == SIGINT ? "interrupted" : "terminated", place);
    } else if (result.early_end == EarlyEnd::kOutOfMemory) {
        result.file_errors.push_back(fmt::format(
            "{}; the run has ended {}: its results are written, nothing is checked", out_of_memory_text(), place));
    } else if (result.early_end == EarlyEnd::kFileError) {
        spdlog::warn(
            "the run has ended {}, because a file can take no more: its results are written, nothing is checked",
            place);
    }
}

/// The status of a run that has ended and been reported.
int exit_status(const session::SimulationResult &result, const RunReport &report) {
    if (const std::optional<int> status = failure(result.file_errors, result.fault, result.exception)) {
        return *status;
    }
    for (const launch::CheckResult &check : report.checks) {
        if (!check.passed()) {
            spdlog::error("{}", check_line(check)); // whatever form of report was requested, or none
        }
    }
    return std::ranges::all_of(report.checks, &launch::CheckResult::passed) ? kSuccess : kCheckFailed;
}

std::uint64_t total_ctas(const launch::Launch &launch) {
    return std::uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
}

} // namespace

RunOutcome run_launch(const RunOptions &options, const ConfigInput &given, const Simulation &simulation) {
    std::optional<Interruption> interruption(std::in_place);
    refuse_program(options.launch);
    launch::Plan plan = launch::load_plan(options.launch, options.changes);
    const Config config = config_of(options, given, plan.settings);
    warn_of_idle_keys(options, given, plan.settings);
    SimulationInput input;
    input.config = config;
    if (!plan.single) {
        return run_plan_file(options, config, plan, interruption);
    }
    input.launch = std::move(*plan.single);
    std::vector<ptx::LeftOut> left_out;
    input.program =
        load_program_file(input.launch.program, input.config, options.code.over(input.launch.code), &left_out);
    input.kernel = &select_kernel(input.program, input.launch, left_out);
    input.trace = options.trace;
    const std::unique_ptr<session::MemoryBackend> memory =
        options.memory.empty() ? nullptr : session::load_memory(options.memory, config);
    input.memory = memory.get();
    input.memory_check = options.memory_check;
    input.block_waveforms = options.block_waveforms;
    input.trace_form = request_trace_form(options);
    input.trace_fields = request_trace_fields(options);
    input.state = options.state;
    input.transactions = options.transactions;
    input.max_instructions = options.max_instructions;
    input.warp_records = options.warp_records;
    input.cta_ends = options.timing.sample;
    input.timed = request_timed_ctas(options, config);
    std::optional<SamplePlan> sample;
    if (options.timing.sample) {
        sample =
            session::sample_of(config, *input.kernel, input.launch, options.timing.fraction.value_or(kSampleFraction));
        input.timed = session::timed_ctas(*sample);
    }
    MemoryReserve reserve;
    input.stop = [&] { return interruption->signal() != 0 || reserve.used(); };
    request_timeline(options.timeline, config, input.timeline, input.waveforms);
    if (options.critical_path) {
        input.critical_path =
            views::critical_path::parse_choice(*options.critical_path, "--critical-path", total_ctas(input.launch));
        const auto &[which, number] = *input.critical_path;
        if (which == views::critical_path::Choice::Which::kNumber && input.timed.next(number) != number) {
            throw InputError(fmt::format("--critical-path {}: this CTA is not simulated in time; expected one that is "
                                         "(--timing-from, --timing-ctas)",
                                         number));
        }
    }
    const std::string config_text = options.output.empty() ? std::string() : dump_config(input.config);
    const std::optional<OutputDirectory> directory =
        open_output(options, files_read(options, plan.path, {input.launch.program}, launch::data_files(plan)),
                    input.launch.dumps, config_text);
    spdlog::info("{}: kernel {}, {} CTAs", options.launch, input.kernel->name, total_ctas(input.launch));

    interruption->run_begins();
    session::SimulationResult result;
    {
        Progress progress(total_ctas(input.launch), options.progress, progress_unit(options));
        result = simulation(input, progress);
    }
    if (result.early_end == EarlyEnd::kInterrupted && interruption->signal() == 0) {
        result.early_end = reserve.used() ? EarlyEnd::kOutOfMemory : EarlyEnd::kFileError;
    }
    const int signal = result.early_end == EarlyEnd::kInterrupted ? interruption->signal() : 0;
    tell_early_end(result, signal, options.timing.none);

    const auto buffer = [&](std::size_t argument) -> launch::ReadBytes {
        return [&result, argument](std::uint64_t offset, std::span<std::uint8_t> to) {
            result.memory->read(argument, offset, to);
        };
    };
    RunReport report = report_of(input.config, options.config.file.value_or(""), input.launch.path, input.launch,
                                 input.program, *input.kernel, result);
    report.launch_changes = options.changes;
    report.critical_path = result.critical_path;
    if (sample && !result.fault && !result.early_end) {
        report.sample = session::sampled_time(*sample, result.stats);
    }
    if (options.critical_path && !report.critical_path) {
        spdlog::warn("--critical-path: the run ended before that CTA did, so that it has no path");
    }
    if (!result.fault && !result.early_end) { // otherwise the contents of memory are undefined
        for (const launch::Check &check : input.launch.checks) {
            report.checks.push_back(
                launch::check_buffer(input.launch.arguments.at(check.argument), check, buffer(check.argument)));
        }
    }
    if (directory) {
        directory->write("report.json", to_json_text(report));
        directory->write("report.txt", to_text(report));
        for (const launch::Dump &dump : input.launch.dumps) {
            directory->write(dump.file, input.launch.arguments.at(dump.argument).bytes(), buffer(dump.argument));
        }
    }
    interruption.reset(); // all results are saved: printing may be interrupted
    print_device_output(result.printed, options.report == ReportForm::kJson);
    if (options.report == ReportForm::kText) {
        print(to_text(report));
    } else if (options.report == ReportForm::kJson) {
        print(to_json_text(report));
    }
    warn_of_outside(report);
    const int status = exit_status(result, report);
    if (result.difference) {
        tell_difference({options,
                         plan.path,
                         {{input.launch.program, &input.program}},
                         launch::data_files(plan),
                         input.config,
                         result.exception},
                        *result.difference);
    }
    return {signal != 0 ? Interruption::exit_status(signal) : status, run_status(report), result.stats.cycles,
            result.stats.totals().instructions};
}

int run_command(const RunOptions &options, const Simulation &simulation) {
    if (options.what_if &&
        (options.timing.none || options.timing.sample || options.timing.from || !options.timing.ctas.empty())) {
        throw InputError("--what-if compares the cycles of the whole launch; expected no --timing none or sample, "
                         "--timing-from or --timing-ctas");
    }
    if (options.what_if) {
        return what_if(options, simulation);
    }
    if (options.jobs != 1) {
        throw InputError("--jobs says how many runs --what-if does at a time; a single run needs none");
    }
    return run_launch(options, ConfigInput(options.config.file, options.config.settings), simulation).status;
}

} // namespace smsim::app
