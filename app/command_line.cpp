// The options of all subcommands with their help texts.
#include "app/command_line.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <limits>
#include <map>
#include <sstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/exit_status.h"
#include "app/guard.h"
#include "app/output.h"
#include "app/version.h"
#include "model/error.h"
#include "model/program/engine.h"
#include "model/text/nearest.h"
#include "ptx/compile_log.h"

namespace smsim::app {

namespace {

/// Rejects every value except `names`, and lists those.
CLI::Validator one_of(std::vector<std::string> names) {
    return {[names = std::move(names)](const std::string &value) {
                return std::ranges::find(names, value) != names.end()
                           ? std::string()
                           : fmt::format("'{}' is not one of {}", value, fmt::join(names, ", "));
            },
            ""};
}

/// Rejects everything but whole numbers from `low` to `high`, decimal or 0x hexadecimal. Rejects a leading zero too,
/// which some read as octal.
CLI::Validator whole_number(std::uint64_t low, std::uint64_t high) {
    return {[low, high](const std::string &value) {
                const bool is_hex = value.starts_with("0x");
                const char *const end = value.data() + value.size();
                std::uint64_t number = 0;
                const auto [stop, error] =
                    std::from_chars(value.data() + (is_hex ? 2 : 0), end, number, is_hex ? 16 : 10);
                const bool is_plain = is_hex || value.size() == 1 || !value.starts_with('0');
                return error == std::errc() && stop == end && is_plain && low <= number && number <= high
                           ? std::string()
                           : fmt::format("'{}' is not a whole number from {} to {}", value, low, high);
            },
            ""};
}

/// Rejects an empty value, which usually comes from an unset shell variable.
CLI::Validator not_empty() {
    return {[](const std::string &value) { return value.empty() ? std::string("the value is empty") : std::string(); },
            ""};
}

void refuse_empty_values(CLI::App &command) {
    for (CLI::Option *option : command.get_options()) {
        if (option->get_items_expected_max() > 0) {
            option->check(not_empty());
        }
    }
}

void add_settings(CLI::App &command, std::vector<std::string> &settings, const std::string &meaning) {
    // One value per --set: a list would swallow the file names that follow it.
    command.add_option("-s,--set", settings, meaning)->type_name("KEY=VALUE")->allow_extra_args(false);
}

void add_config_source(CLI::App &command, ConfigSource &source) {
    command.add_option("-c,--config", source.file, "Configuration file (YAML); keys not given keep their default")
        ->type_name("FILE");
    add_settings(command, source.settings, "Set one key, after the file; may be repeated");
}

void add_macros(CLI::App &command, std::function<void(launch::Macro)> take) {
    command
        .add_option_function<std::vector<std::string>>(
            "-D,--define",
            [take = std::move(take)](const std::vector<std::string> &macros) {
                for (const std::string &macro : macros) {
                    try {
                        take(launch::parse_macro(macro));
                    } catch (const InputError &error) {
                        throw CLI::ValidationError(error.what());
                    }
                }
            },
            "Define a macro of CUDA C++, 1 if no value is given; may be repeated")
        ->type_name("NAME[=VALUE]")
        ->allow_extra_args(false);
}

void add_changes(CLI::App &command, RunOptions &run) {
    command
        .add_option("--launch", run.changes,
                    "Change the launch file before it is read: block=64, arguments.NAME.value=7; may be repeated")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    // After --launch, whose option sets the whole list.
    add_macros(command, [&run](const launch::Macro &macro) { run.changes.push_back(launch::macro_change(macro)); });
}

void add_engine(CLI::App &command, const std::function<void(const std::string &)> &take) {
    command
        .add_option_function<std::string>("--engine", take,
                                          fmt::format("Reconvergence engine: {}", fmt::join(engine_names(), ", ")))
        ->type_name("FORM")
        ->check(one_of({engine_names().begin(), engine_names().end()}));
}

void add_code(CLI::App &command, CodeOptions &code) {
    command.add_option("-O", code.optimisation, "How far PTX and CUDA C++ are optimised: 0 to 3; default: 3")
        ->type_name("LEVEL")
        ->check(whole_number(0, launch::kMaxOptimisation));
    command
        .add_option("--registers", code.registers,
                    "Maximum registers per thread of PTX and CUDA C++; what does not fit is spilled; default: 255")
        ->type_name("N")
        ->check(whole_number(launch::kMinRegisters, launch::kMaxRegisters));
    command
        .add_option("--stack", code.stack_bytes,
                    "Local memory per thread for recursive functions, beyond one frame of each; default: 1024")
        ->type_name("BYTES")
        ->check(whole_number(0, launch::kMaxStackBytes));
    command.add_flag("--force", code.force,
                     "Compile PTX and CUDA C++ even where threads of a warp may wait for one another and the engine "
                     "lets only some of them run");
}

/// --engine sets a key of the configuration; programs in PTX and CUDA C++ are compiled for that engine.
void add_run_engine(CLI::App &command, RunOptions &run) {
    add_engine(command, [&run](const std::string &name) { run.config.settings.push_back("bru.engine=" + name); });
    add_code(command, run.code);
}

void add_timeline(CLI::App &command, TimelineOptions &timeline) {
    command
        .add_option("--timeline", timeline.file,
                    "Write what every warp does over time: .json for Perfetto and chrome://tracing, .kanata for Konata")
        ->type_name("FILE");
    command
        .add_option("--timeline-format", timeline.format,
                    "Format of the timeline, whatever the file's ending: chrome or kanata")
        ->type_name("FORM")
        ->check(one_of({"chrome", "kanata"}));
    command
        .add_option("--timeline-cycles", timeline.cycles,
                    "Record cycles BEGIN to END-1 only, in timeline and waveforms; either may be left out")
        ->type_name("BEGIN:END");
    command
        .add_option("--timeline-sample", timeline.sample,
                    "Record the first ON of every PERIOD cycles only, in timeline and waveforms")
        ->type_name("ON/PERIOD");
    command
        .add_option("--timeline-ctas", timeline.ctas,
                    "Record CTAs BEGIN to END-1 of the grid only, in the timeline; either may be left out")
        ->type_name("BEGIN:END");
    command
        .add_option("--timeline-warps", timeline.warps,
                    "Record warp slots BEGIN to END-1 only, in the timeline; either may be left out")
        ->type_name("BEGIN:END");
    command
        .add_option("--timeline-sub-partitions", timeline.sub_partitions,
                    "Record sub-partitions BEGIN to END-1 only, in the timeline; either may be left out")
        ->type_name("BEGIN:END");
    command
        .add_option("--timeline-min-cycles", timeline.min_cycles,
                    "Join slices of the timeline that are shorter with what follows of the same instruction, and much "
                    "shorter ones with the next instruction; 1: nothing is joined (default: 16, and more as the file "
                    "grows)")
        ->type_name("N");
    command.add_option("--vcd", timeline.vcd, "Write waveforms of states and sockets (VCD, for gtkwave)")
        ->type_name("FILE");
}

std::vector<std::string> command_names(const CLI::App &app) {
    std::vector<std::string> names;
    for (const CLI::App *command : app.get_subcommands(nullptr)) {
        names.push_back(command->get_name());
    }
    return names;
}

/// What is wrong with the words of the command line up to the command; empty when nothing is wrong, or when only the
/// command is missing and it is not `needed`.
std::string command_error(const CLI::App &app, int argc, const char *const *argv, bool needed) {
    const std::vector<std::string> names = command_names(app);
    const std::vector<std::string_view> views(names.begin(), names.end());
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word.size() > 1 && word.starts_with('-')) {
            const std::string_view name = word.substr(0, word.find('='));
            const CLI::Option *option = app.get_option_no_throw(std::string(name));
            if (option == nullptr) {
                return fmt::format("unknown option '{}'; options of a command follow it", name);
            }
            i += name == word && option->get_expected_min() > 0 ? 1 : 0; // its value is not a command
        } else {
            return std::ranges::find(names, word) != names.end()
                       ? ""
                       : fmt::format("there is no command '{}'{}", word, text::suggestion(word, views, "commands"));
        }
    }
    return needed ? fmt::format("a command is needed: {}", fmt::join(names, ", ")) : "";
}

void add_trace_format(CLI::App &command, RunOptions &run) {
    command
        .add_option(
            "--trace-format", run.trace_format,
            "Lines of the trace: JSON for each instruction, or the control state after each branch unit instruction as "
            "plain text, without or with its cycle: json, control or timed")
        ->type_name("FORM")
        ->check(one_of({"json", "control", "timed"}));
}

void add_trace_fields(CLI::App &command, RunOptions &run) {
    command
        .add_option("--trace-fields", run.trace_fields,
                    "What the trace holds beside its default members: registers, predicates, memory, rpc, barriers, "
                    "timers, release or all")
        ->type_name("LIST");
}

void add_instruction_limit(CLI::App &command, RunOptions &run) {
    command
        .add_option("--max-instructions", run.max_instructions,
                    "End the run, without checks, in the cycle in which this many warp instructions have been executed")
        ->type_name("N")
        ->check(whole_number(1, std::numeric_limits<std::uint64_t>::max()));
}

void add_warp_records(CLI::App &command, RunOptions &run) {
    command
        .add_option_function<std::string>(
            "--warp-records",
            [&run](const std::string &text) {
                run.warp_records =
                    text == "all" ? std::numeric_limits<std::uint64_t>::max() : std::stoull(text, nullptr, 0);
            },
            "Approximate number of single warps with records in the report, or all; default 4096, fewer "
            "for each of several launches. If a launch has more "
            "warps, they are those of every n-th CTA")
        ->type_name("N|all")
        ->check([](const std::string &text) {
            return text == "all" ? std::string() : whole_number(0, std::numeric_limits<std::uint64_t>::max())(text);
        });
}

void add_timing(CLI::App &command, RunOptions &run) {
    command
        .add_option_function<std::string>(
            "--timing",
            [&run](const std::string &form) {
                run.timing.none = form == "none";
                run.timing.sample = form == "sample";
            },
            "What is simulated in time: everything, nothing (many times faster), or a part of the CTAs, from "
            "which the time of all is estimated: full, none or sample")
        ->type_name("FORM")
        ->check(one_of({"full", "none", "sample"}));
    command
        .add_option("--timing-fraction", run.timing.fraction,
                    "How much of the CTAs --timing sample simulates in time, up to 1 (default: 0.1)")
        ->type_name("F")
        ->check(CLI::Validator(
            [](const std::string &value) {
                double number = 0;
                const char *const end = value.data() + value.size();
                const auto [stop, error] = std::from_chars(value.data(), end, number);
                return error == std::errc() && stop == end
                           ? std::string()
                           : fmt::format("'{}' is not a number from 0.000001 to 1", value);
            },
            ""));
    command
        .add_option("--timing-from", run.timing.from,
                    "Simulate in time from this CTA on, or with instruction:N after the first N warp instructions of "
                    "each launch; only execute what comes before")
        ->type_name("PLACE");
    command
        .add_option("--timing-ctas", run.timing.ctas,
                    "Simulate these CTAs in time, only execute the others: numbers and ranges, 0-15,32")
        ->type_name("LIST");
}

/// --policy sets a key of the configuration: a name, or a library.
void add_policy(CLI::App &command, RunOptions &run) {
    command
        .add_option_function<std::string>(
            "--policy",
            [&run](const std::string &policy) {
                const bool is_file = policy.find_first_of("/.:") != std::string::npos;
                run.config.settings.push_back("ibuffer.policy=" + std::string(is_file ? "library:" : "") + policy);
            },
            "Issue policy: its name, or a shared library that has it, LIBRARY[:PARAMETERS]")
        ->type_name("POLICY");
}

void add_memory(CLI::App &command, RunOptions &run) {
    command
        .add_option("--memory", run.memory,
                    "Shared library whose memory takes the place of global memory: LIBRARY[:PARAMETERS]")
        ->type_name("FILE");
    static const std::map<std::string, MemoryCheck> kModes = {
        {"strict", MemoryCheck::kStrict}, {"report", MemoryCheck::kReport}, {"off", MemoryCheck::kOff}};
    command
        .add_option_function<std::string>(
            "--memory-check", [&run](const std::string &mode) { run.memory_check = kModes.at(mode); },
            "Reject, list or allow accesses outside every buffer but in a page of one: strict, report or off")
        ->type_name("FORM")
        ->check(one_of({"strict", "report", "off"}));
}

void add_block_waveforms(CLI::App &command, RunOptions &run) {
    command
        .add_option("--block-waveforms", run.block_waveforms,
                    "Folder for waveforms of the inside of RTL blocks from libraries (PART.vcd)")
        ->type_name("DIR");
}

} // namespace

std::variant<CommandLine, int> parse_command_line(int argc, const char *const *argv) {
    CLI::App app("smsim: a SystemC/TLM-2.0 model of a GPU streaming multiprocessor", "smsim");
    app.set_version_flag("-V,--version", fmt::format("smsim {} (model {})", SMSIM_VERSION, model_fingerprint()));
    app.require_subcommand(1);
    app.footer("Exit status: 0 success, 1 a check failed or a replay differs, 2 bad input, 3 the simulated program "
               "ended with an\n"
               "exception, 4 internal error, 130 or 143 ended by SIGINT or SIGTERM. 'smsim COMMAND --help' describes "
               "a command.");
    CommandLine line;
    app.add_option("--log-level", line.log_level,
                   "Lowest severity of messages on standard error: trace, debug, info, warning, error or off")
        ->type_name("FORM")
        ->check(one_of({"trace", "debug", "info", "warning", "error", "off"}))
        ->capture_default_str();

    RunOptions run;
    CLI::App *run_command = app.add_subcommand("run", "Simulate a launch, check its results and report");
    run_command->add_option("LAUNCH", run.launch, "Launch file (YAML)")->required();
    add_config_source(*run_command, run.config);
    add_changes(*run_command, run);
    add_run_engine(*run_command, run);
    run_command
        ->add_option("-o,--output", run.output,
                     "Directory for report.json, report.txt, config.yaml and dumps; created when missing")
        ->type_name("DIR");
    run_command->add_option("--trace", run.trace, "Write one line per executed warp instruction")->type_name("FILE");
    add_trace_format(*run_command, run);
    add_trace_fields(*run_command, run);
    run_command
        ->add_option("--dump-state", run.state,
                     "Write the final registers of every warp and the final shared memory of every CTA")
        ->type_name("FILE");
    add_instruction_limit(*run_command, run);
    add_warp_records(*run_command, run);
    add_timing(*run_command, run);
    add_timeline(*run_command, run.timeline);
    run_command
        ->add_option(
            "--record-transactions", run.transactions,
            "Record the requests to branch unit, barrier unit, sleep timer and shared memory, and their answers")
        ->type_name("FILE");
    const std::map<std::string, ReportForm> forms = {
        {"text", ReportForm::kText}, {"json", ReportForm::kJson}, {"none", ReportForm::kNone}};
    std::string form = "text";
    run_command->add_option("--report", form, "Report on standard output: text, json or none")
        ->type_name("FORM")
        ->check(one_of({"text", "json", "none"}));
    add_policy(*run_command, run);
    add_memory(*run_command, run);
    add_block_waveforms(*run_command, run);
    run_command->add_flag("--what-if", run.what_if,
                          "Run again with one thing made cheaper at a time, and rank the gains (docs/estimate.md)");
    run_command
        ->add_option("--critical-path", run.critical_path,
                     "Report what determined the time of one CTA: last, longest, or its number in the grid")
        ->type_name("CTA");
    run_command->add_option("-j,--jobs", run.jobs, "Runs at a time with --what-if")
        ->type_name("N")
        ->check(whole_number(1, 1024))
        ->capture_default_str();
    bool no_progress = false;
    run_command->add_flag("--no-progress", no_progress, "No progress line on a terminal");

    BatchOptions batch;
    CLI::App *batch_command =
        app.add_subcommand("batch", "Simulate many launches and check their results; one line each");
    batch_command->add_option("LAUNCH", batch.launches, "Launch files (YAML)");
    batch_command->add_option("--list", batch.list, "File with a launch file per line, '-' for standard input")
        ->type_name("FILE");
    add_config_source(*batch_command, batch.run.config);
    add_changes(*batch_command, batch.run);
    add_run_engine(*batch_command, batch.run);
    batch_command
        ->add_option("-o,--output", batch.output,
                     "Directory with a subdirectory for each launch, as 'smsim run -o' writes it")
        ->type_name("DIR");
    batch_command->add_option("-j,--jobs", batch.jobs, "Launches at a time")
        ->type_name("N")
        ->check(whole_number(1, 1024))
        ->capture_default_str();
    batch_command->add_flag("--trace", batch.trace,
                            "Write the trace into the directory of each launch: trace.jsonl, or trace.log");
    add_trace_format(*batch_command, batch.run);
    add_trace_fields(*batch_command, batch.run);
    batch_command->add_flag("--dump-state", batch.state, "Write state.jsonl into the directory of each launch");
    add_instruction_limit(*batch_command, batch.run);
    add_warp_records(*batch_command, batch.run);
    add_timing(*batch_command, batch.run);
    add_policy(*batch_command, batch.run);
    add_memory(*batch_command, batch.run);

    ReportOptions report;
    CLI::App *report_command = app.add_subcommand("report", "Show the reports of finished runs as one HTML page");
    report_command
        ->add_option(
            "RUN", report.runs,
            "Directory that 'smsim run -o' has written, or its report.json; several are compared with the first")
        ->required();
    report_command
        ->add_option(
            "-o,--output", report.output,
            "HTML file to write; default: report.html in the directory of the run, comparison.html for several")
        ->type_name("FILE");

    ReplayOptions replay;
    CLI::App *replay_command =
        app.add_subcommand("replay", "Send recorded transactions to parts and compare the answers");
    replay_command->add_option("FILE", replay.file, "File that 'smsim run --record-transactions' has written")
        ->required();
    replay_command
        ->add_option("--part", replay.parts, "Replay this part only; may be repeated: bru, bcu, timer or shared")
        ->type_name("FORM")
        ->allow_extra_args(false)
        ->check(one_of({"bru", "bcu", "timer", "shared"}));
    std::string into = "parts";
    const CLI::Option *into_option =
        replay_command
            ->add_option("--into", into,
                         "Where to send the transactions, to parts or to the rules alone: parts or golden")
            ->type_name("FORM")
            ->check(one_of({"parts", "golden"}));
    add_settings(*replay_command, replay.settings, "Set one key of the recorded configuration; may be repeated");
    replay_command->add_flag("--list", replay.list, "Print the transactions, a line each, and replay nothing");

    AsmOptions assemble;
    CLI::App *asm_command = app.add_subcommand("asm", "Assemble a program");
    asm_command->add_option("INPUT", assemble.input, "Assembly text (.sasm), PTX (.ptx) or CUDA C++ (.cu)")->required();
    asm_command->add_option("-o,--output", assemble.output, "Binary to write; default: INPUT with .smbin")
        ->type_name("FILE");
    add_config_source(*asm_command, assemble.config);
    asm_command->footer("The configuration gives the latencies that the scheduler pass uses.");

    CompileOptions compile;
    CLI::App *compile_command = app.add_subcommand("compile", "Compile PTX or CUDA C++ to assembly text");
    compile_command
        ->add_option("INPUT", compile.input, "PTX (.ptx), or CUDA C++ (.cu), whose device code clang compiles")
        ->required();
    compile_command->add_option("-o,--output", compile.output, "Assembly to write; default: standard output")
        ->type_name("FILE");
    add_engine(*compile_command, [&compile](const std::string &name) { compile.engine = name; });
    add_macros(*compile_command, [&compile](launch::Macro macro) {
        std::erase_if(compile.code.macros, [&](const launch::Macro &known) { return known.name == macro.name; });
        compile.code.macros.push_back(std::move(macro));
    });
    add_code(*compile_command, compile.code);
    compile_command
        ->add_option("--matrix-steps", compile.matrix_steps,
                     "Most steps of a product of matrices in one instruction, as tensor.steps of a configuration; "
                     "default: 2")
        ->type_name("N")
        ->check(whole_number(1, 2));
    compile_command
        ->add_option(
            "--print-after", compile.print_after,
            fmt::format("Print the code after a pass, instead of the assembly: {}", fmt::join(ptx::pass_names(), ", ")))
        ->type_name("PASS")
        ->check(one_of(ptx::pass_names()));
    compile_command->add_flag("--statistics", compile.statistics,
                              "Print what each pass has left, instead of the assembly");
    compile_command->add_flag("--check", compile.check,
                              "Run the kernels after every pass and compare what they leave in memory with what PTX "
                              "specifies, instead of printing the assembly");
    compile_command
        ->add_option("--launch", compile.launch, "Launch file whose arguments --check uses; default: random ones")
        ->type_name("FILE");
    compile_command
        ->add_option("--launches", compile.launches, "Number of random launches of --check for each kernel; default: 4")
        ->type_name("N")
        ->check(whole_number(1, 1000));
    compile_command->add_option("--seed", compile.seed, "Seed of the random arguments of --check; default: 1")
        ->type_name("N");
    compile_command->footer("The environment variable CLANG names the compiler for .cu files; default: clang.");

    DisasmOptions disassemble;
    CLI::App *disasm_command = app.add_subcommand("disasm", "Print a program as assembly text");
    disasm_command->add_option("INPUT", disassemble.input, "Program (.smbin, .sasm, .ptx or .cu)")->required();
    add_config_source(*disasm_command, disassemble.config);

    ConfigOptions config;
    CLI::App *config_command = app.add_subcommand("config", "Check a configuration and print it, or list all keys");
    add_config_source(*config_command, config.config);
    config_command->add_flag("--schema", config.schema, "List every key with type, default, range, unit and meaning");
    config_command->add_flag("--json", config.json, "Print JSON instead of YAML or a table");
    config_command
        ->add_option("--each", config.each,
                     "File with a list of further settings on each line, [\"KEY=VALUE\", ...], '-' for standard input: "
                     "for each, print a line of JSON with the configuration or the error")
        ->type_name("FILE");

    CLI::App *help_command = app.add_subcommand("help", "Show this help, or that of a command");
    std::string topic;
    help_command->add_option("COMMAND", topic, "Command to describe")->check(one_of(command_names(app)));

    for (CLI::App *command : app.get_subcommands(nullptr)) {
        refuse_empty_values(*command);
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        const bool asked = error.get_exit_code() == 0; // the user asked for help or the version
        const std::string command = command_error(app, argc, argv, !asked);
        if (asked && command.empty()) {
            std::ostringstream text;
            app.exit(error, text, text);
            print(text.str());
            return static_cast<int>(kSuccess);
        }
        return fail(kBadInput, (command.empty() ? error.what() : command) + "\nRun 'smsim --help' for the usage.");
    }
    if (*help_command) {
        app.clear(); // prints the help of the command that was parsed, or of the program if there was none
        print(topic.empty() ? app.help() : app.get_subcommand(topic)->help(app.get_name()));
        return static_cast<int>(kSuccess);
    }
    if (*run_command) {
        run.progress = !no_progress;
        run.report = forms.at(form);
        line.command = run;
    } else if (*batch_command) {
        line.command = batch;
    } else if (*report_command) {
        line.command = report;
    } else if (*replay_command) {
        replay.golden = into == "golden";
        if (replay.list && (!into_option->empty() || !replay.settings.empty())) {
            return fail(kBadInput,
                        "--list shows what was recorded and replays nothing; expected no --into and no --set");
        }
        line.command = replay;
    } else if (*asm_command) {
        line.command = assemble;
    } else if (*compile_command) {
        line.command = compile;
    } else if (*disasm_command) {
        line.command = disassemble;
    } else {
        line.command = config;
    }
    return line;
}

} // namespace smsim::app
