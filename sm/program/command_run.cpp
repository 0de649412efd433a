// `smsim run`: everything around the simulation. Inputs are all loaded and checked, and the output directory exists,
// before the first cycle: a typing error must not cost an hour.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "model/config/loader.h"
#include "model/stats/report.h"
#include "model/stats/summary.h"
#include "model/text/input_file.h"
#include "model/text/nearest.h"
#include "sm/program/commands.h"
#include "sm/program/exit_status.h"
#include "sm/program/interruption.h"
#include "sm/program/output.h"
#include "sm/program/overwriting.h"
#include "sm/program/program_file.h"
#include "sm/program/version.h"

namespace smsim::program {

namespace {

const Kernel &select_kernel(const Program &program, const launch::Launch &launch) {
    if (program.kernels.empty()) {
        throw InputError(launch.program + ": the program has no kernel");
    }
    std::vector<std::string_view> names;
    for (const Kernel &kernel : program.kernels) {
        names.push_back(kernel.name);
    }
    if (launch.kernel.empty()) {
        if (names.size() > 1) {
            throw InputError(fmt::format("{}: 'kernel' is needed, {} has several: {}", launch.path, launch.program,
                                         fmt::join(names, ", ")));
        }
        return program.kernels.front();
    }
    const Kernel *kernel = program.find_kernel(launch.kernel);
    if (kernel == nullptr) {
        throw InputError(fmt::format("{}: {} has no kernel '{}'{}", launch.path, launch.program, launch.kernel,
                                     text::suggestion(launch.kernel, names, "its kernels")));
    }
    return *kernel;
}

/// A launch file says more than a program can: a program in its place is a mistake with a clear answer.
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

/// What to record in time. Throws InputError for a text that is not what its option expects.
void request_timeline(const TimelineOptions &options, SimulationInput &input) {
    namespace timeline = sm::timeline;
    timeline::Window window;
    if (options.cycles) {
        timeline::parse_cycles(*options.cycles, "--timeline-cycles", window);
    }
    if (options.sample) {
        timeline::parse_sample(*options.sample, "--timeline-sample", window);
    }
    timeline::Request request;
    request.file = options.file;
    request.window = window;
    if (options.ctas) {
        request.ctas = timeline::parse_ctas(*options.ctas, "--timeline-ctas");
    }
    if (!options.vcd.empty()) {
        input.waveforms = sm::waveforms::Request{options.vcd, window};
    }
    if (options.file.empty()) {
        if (options.format || options.ctas || ((options.cycles || options.sample) && options.vcd.empty())) {
            throw InputError("--timeline-format, --timeline-cycles, --timeline-sample and --timeline-ctas say what a "
                             "timeline records; name its file with --timeline FILE");
        }
        return;
    }
    const std::optional<timeline::Format> format =
        options.format
            ? std::optional(*options.format == "chrome" ? timeline::Format::kChrome : timeline::Format::kKanata)
            : timeline::format_of(options.file);
    if (!format) {
        throw InputError(fmt::format("--timeline {}: the ending names no format; use .json or .kanata, or give "
                                     "--timeline-format chrome or kanata",
                                     options.file));
    }
    request.format = *format;
    input.timeline = request;
}

/// The status of a run that has ended and been reported.
int exit_status(const SimulationResult &result, const RunReport &report) {
    for (const std::string &error : result.file_errors) {
        spdlog::error("{}", error);
    }
    if (result.fault) {
        spdlog::error("{}", result.exception);
        return kException;
    }
    if (!result.file_errors.empty()) {
        return kBadInput;
    }
    for (const launch::CheckResult &check : report.checks) {
        if (!check.passed()) {
            spdlog::error("{}", check_line(check)); // whatever form of report was asked for, or none
        }
    }
    return std::ranges::all_of(report.checks, &launch::CheckResult::passed) ? kSuccess : kCheckFailed;
}

/// Accesses outside every buffer go unnoticed otherwise where the report is not read.
void warn_of_outside(const RunReport &report) {
    constexpr std::size_t kPlaces = 4;
    const OutsideAccesses &outside = report.stats.outside;
    if (outside.count == 0) {
        return;
    }
    std::string text;
    for (std::size_t i = 0; i < std::min(outside.places.size(), kPlaces); ++i) {
        text += "\n  " + outside_text(report, outside.places[i]);
    }
    if (outside.places.size() > kPlaces) {
        text += fmt::format("\n  ... {} more instructions in the report", outside.places.size() - kPlaces);
    }
    spdlog::warn("{} accesses of threads outside every buffer were performed:{}", outside.count, text);
}

/// Whether the configuration was read from the file that the run writes, as it would write it: so a run is repeated.
bool is_own_configuration(const std::string &file, const std::string &written, const std::string &text) {
    std::error_code error;
    return std::filesystem::equivalent(file, written, error) &&
           std::filesystem::file_size(file, error) == text.size() && text::read_file(file, text.size()) == text;
}

/// All that the run would write, against all that it reads.
void refuse_overwriting(const RunOptions &options, const SimulationInput &input, const std::string &config_text) {
    namespace fs = std::filesystem;
    const launch::Launch &launch = input.launch;
    const std::string config = options.config.file.value_or("");
    std::vector<NamedFile> inputs = {{"the launch file " + launch.path, launch.path},
                                     {"the program " + launch.program, launch.program},
                                     {"the configuration " + config, config}};
    const auto add_data = [&inputs](const launch::FileData *data) {
        if (data != nullptr) {
            inputs.push_back({"the data " + data->path, data->path});
        }
    };
    for (const launch::Argument &argument : launch.arguments) {
        add_data(std::get_if<launch::FileData>(&argument.init));
    }
    for (const launch::Check &check : launch.checks) {
        add_data(std::get_if<launch::FileData>(&check.expected));
    }
    std::vector<NamedFile> outputs;
    for (const auto &[option, path] :
         {std::pair("--trace", options.trace), std::pair("--dump-state", options.state),
          std::pair("--timeline", options.timeline.file), std::pair("--vcd", options.timeline.vcd)}) {
        outputs.push_back({fmt::format("{} {}", option, path), path});
    }
    if (!options.output.empty()) {
        const auto add = [&](const std::string &name) {
            outputs.push_back({fmt::format("{} of -o {}", name, options.output), fs::path(options.output) / name});
        };
        add("report.json");
        add("report.txt");
        if (!is_own_configuration(config, fs::path(options.output) / "config.yaml", config_text)) {
            add("config.yaml");
        }
        for (const launch::Dump &dump : launch.dumps) {
            add(dump.file);
        }
    }
    refuse_overwriting(inputs, outputs);
}

std::uint64_t total_ctas(const launch::Launch &launch) {
    return std::uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
}

} // namespace

RunOutcome run_launch(const RunOptions &options, const Config &config, const Simulation &simulation) {
    std::optional<Interruption> interruption(std::in_place);
    refuse_program(options.launch);
    SimulationInput input;
    input.config = config;
    input.launch = launch::load_launch(options.launch);
    input.program = load_program_file(input.launch.program, input.config);
    input.kernel = &select_kernel(input.program, input.launch);
    input.trace = options.trace;
    input.memory_check = options.memory_check;
    if (!options.trace_fields.empty()) {
        if (options.trace.empty()) {
            throw InputError("--trace-fields says what a trace holds; ask for the trace with --trace");
        }
        input.trace_fields = sm::parse_trace_fields(options.trace_fields);
    }
    input.state = options.state;
    input.max_instructions = options.max_instructions;
    input.stop = [&interruption] { return interruption->signal() != 0; };
    request_timeline(options.timeline, input);
    const std::string config_text = dump_config(input.config);
    refuse_overwriting(options, input, config_text);
    std::optional<OutputDirectory> directory;
    if (!options.output.empty()) {
        directory.emplace(options.output);
        directory->write("config.yaml", config_text);
    } else if (!input.launch.dumps.empty()) {
        throw InputError(options.launch + ": the launch dumps buffers; give a directory for them with -o");
    }
    spdlog::info("{}: kernel {}, {} CTAs", options.launch, input.kernel->name, total_ctas(input.launch));

    interruption->run_begins();
    SimulationResult result;
    {
        Progress progress(total_ctas(input.launch), options.progress);
        result = simulation(input, progress);
    }
    const int signal = result.early_end == EarlyEnd::kInterrupted ? interruption->signal() : 0;
    if (signal != 0) {
        spdlog::warn("{} in cycle {}: the results are written, nothing is checked; once more ends this at once",
                     signal == SIGINT ? "interrupted" : "terminated", result.stats.cycles);
    }

    const auto buffer = [&](std::size_t argument) -> const std::vector<std::uint8_t> & {
        return result.buffers.at(argument);
    };
    RunReport report{.stats = result.stats, .config = input.config};
    report.version = SMSIM_VERSION;
    report.model = model_fingerprint();
    report.program = input.launch.program;
    report.launch_file = input.launch.path;
    report.kernel = input.kernel->name;
    report.grid = input.launch.grid;
    report.block = input.launch.block;
    report.dynamic_shared = input.launch.dynamic_shared;
    report.fault = result.fault;
    report.exception = result.exception;
    report.raised = result.raised;
    report.code = &input.program;
    report.disassembly = [&](Pc pc) { return instruction_text(input.program, pc); };
    report.early_end = result.early_end;
    if (!result.fault && !result.early_end) { // else memory is whatever it was
        for (const launch::Check &check : input.launch.checks) {
            report.checks.push_back(launch::check_buffer(input.launch, check, buffer(check.argument)));
        }
    }
    if (directory) {
        directory->write("report.json", to_json_text(report));
        directory->write("report.txt", to_text(report));
        for (const launch::Dump &dump : input.launch.dumps) {
            directory->write(dump.file, buffer(dump.argument));
        }
    }
    interruption.reset(); // everything is kept: printing may end at once
    if (options.report == ReportForm::kText) {
        print(to_text(report));
    } else if (options.report == ReportForm::kJson) {
        print(to_json_text(report));
    }
    warn_of_outside(report);
    const int status = exit_status(result, report);
    return {signal != 0 ? Interruption::exit_status(signal) : status, run_status(report), result.stats.cycles,
            sum_all(result.stats).instructions};
}

int run_command(const RunOptions &options, const Simulation &simulation) {
    const Config config = load_config(options.config.file, options.config.settings);
    return run_launch(options, config, simulation).status;
}

} // namespace smsim::program
