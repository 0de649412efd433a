#include "app/run_requests.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include "app/exit_status.h"
#include "model/config/config.h"
#include "model/config/loader.h"
#include "model/text/input_file.h"
#include "model/text/nearest.h"
#include "session/timing_only_options.h"

namespace smsim::app {
namespace {

/// Whether the configuration was read from the file that the run writes, with the same content, as when a run is
/// repeated.
bool is_own_configuration(const std::string &file, const std::string &written, const std::string &text) {
    std::error_code error;
    return std::filesystem::equivalent(file, written, error) &&
           std::filesystem::file_size(file, error) == text.size() && text::read_file(file, text.size()) == text;
}

/// Those of `files` that are reports of single launches below the directory `output`, relative to it.
std::vector<std::string> launch_reports(const std::string &output, const std::vector<NamedFile> &files) {
    namespace fs = std::filesystem;
    std::vector<std::string> found;
    for (const NamedFile &file : files) {
        std::error_code error;
        const fs::path name = fs::path(file.path).filename();
        const fs::path launch = fs::path(file.path).parent_path();
        if ((name == "report.json" || name == "report.txt") &&
            fs::equivalent(launch.parent_path(), fs::path(output) / "launches", error)) {
            found.push_back((fs::path("launches") / launch.filename() / name).string());
        }
    }
    return found;
}

/// The files that a run with `dumps` writes; `config_text` is the content of its config.yaml.
std::vector<NamedFile> files_written(const RunOptions &options, const std::vector<launch::Dump> &dumps,
                                     const std::string &config_text) {
    namespace fs = std::filesystem;
    std::vector<NamedFile> outputs;
    for (const auto &[option, path] :
         {std::pair("--trace", options.trace), std::pair("--dump-state", options.state),
          std::pair("--timeline", options.timeline.file), std::pair("--vcd", options.timeline.vcd),
          std::pair("--record-transactions", options.transactions)}) {
        outputs.push_back({fmt::format("{} {}", option, path), path});
    }
    if (!options.output.empty()) {
        const auto add = [&](const std::string &name) {
            for (const std::string &file : {name, name + ".part"}) { // the name until the file is complete
                outputs.push_back({fmt::format("{} of -o {}", file, options.output), fs::path(options.output) / file});
            }
        };
        const std::vector<std::string> others = launch_reports(options.output, outputs);
        std::ranges::for_each(others, add);
        add("report.json");
        add("report.txt");
        if (options.what_if) {
            add("what_if.json");
        }
        if (!is_own_configuration(options.config.file.value_or(""), fs::path(options.output) / "config.yaml",
                                  config_text)) {
            add("config.yaml");
        }
        for (const launch::Dump &dump : dumps) {
            add(dump.file);
        }
    }
    return outputs;
}

/// A range of warp slots or sub-partitions, of which the configuration has `count`.
views::timeline::NumberRange parse_places(const std::string &text, const std::string &option, std::uint64_t count,
                                          std::string_view what) {
    const views::timeline::NumberRange range = views::timeline::parse_numbers(text, option);
    if (range.begin >= count) {
        throw InputError(fmt::format("{} {}: nothing to record; the configuration has {} {}, 0 to {}", option, text,
                                     count, what, count - 1));
    }
    return range;
}

/// What ranks below file and settings of the options: the settings of a launch file, and what a memory needs.
std::vector<Setting> presets_of(const RunOptions &options, const std::vector<Setting> &wanted) {
    std::vector<Setting> presets;
    if (!options.memory.empty()) {
        presets.push_back({"global.atomics", "read_write", "--memory"});
    }
    presets.insert(presets.end(), wanted.begin(), wanted.end());
    return presets;
}

} // namespace

Config config_of(const RunOptions &options, const ConfigInput &input, const std::vector<Setting> &wanted) {
    return input.with(presets_of(options, wanted));
}

void warn_of_idle_keys(const RunOptions &options, const ConfigInput &input, const std::vector<Setting> &wanted) {
    if (options.warn_of_idle_keys) {
        for (const std::string &message : input.without_effect(presets_of(options, wanted))) {
            spdlog::warn("{}", message);
        }
    }
}

const Kernel &select_kernel(const Program &program, const launch::Launch &launch,
                            const std::vector<ptx::LeftOut> &left_out) {
    if (program.kernels.empty()) {
        throw InputError(launch.program + ": the program has no kernel");
    }
    std::vector<std::string_view> names;
    for (const Kernel &kernel : program.kernels) {
        names.push_back(kernel.name);
    }
    if (launch.kernel.empty()) {
        for (const ptx::LeftOut &one : left_out) {
            names.push_back(one.kernel);
        }
        if (names.size() > 1) {
            throw InputError(fmt::format("{}: 'kernel' is needed, {} has several: {}", launch.path, launch.program,
                                         fmt::join(names, ", ")));
        }
        return program.kernels.front();
    }
    const Kernel *kernel = program.find_kernel(launch.kernel);
    const auto without = std::ranges::find(left_out, launch.kernel, &ptx::LeftOut::kernel);
    if (without != left_out.end()) {
        throw InputError(without->message);
    }
    if (kernel == nullptr) {
        throw InputError(fmt::format("{}: {} has no kernel '{}'{}", launch.path, launch.program, launch.kernel,
                                     text::suggestion(launch.kernel, names, "its kernels")));
    }
    return *kernel;
}

void request_timeline(const TimelineOptions &options, const Config &config,
                      std::optional<views::timeline::Request> &wanted,
                      std::optional<views::waveforms::Request> &waveforms) {
    namespace timeline = views::timeline;
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
        request.ctas = timeline::parse_numbers(*options.ctas, "--timeline-ctas");
    }
    if (options.warps) {
        request.warps = parse_places(*options.warps, "--timeline-warps", config.warps(), "warp slots");
    }
    if (options.sub_partitions) {
        request.sub_partitions = parse_places(*options.sub_partitions, "--timeline-sub-partitions",
                                              config.sm.sub_partitions, "sub-partitions");
    }
    if (options.warps && options.sub_partitions) {
        bool is_any = false;
        for (std::uint64_t slot = 0; slot < config.warps() && !is_any; ++slot) {
            is_any = request.warps.records(slot) && request.sub_partitions.records(slot % config.sm.sub_partitions);
        }
        if (!is_any) {
            throw InputError(fmt::format("--timeline-warps {}, --timeline-sub-partitions {}: nothing to record; a warp "
                                         "slot belongs to the sub-partition of its number modulo {}",
                                         *options.warps, *options.sub_partitions, config.sm.sub_partitions));
        }
    }
    if (options.min_cycles) {
        request.min_cycles = timeline::parse_least_cycles(*options.min_cycles, "--timeline-min-cycles");
    }
    if (!options.vcd.empty()) {
        waveforms = views::waveforms::Request{options.vcd, window};
    }
    if (options.file.empty()) {
        if (options.format || options.ctas || options.warps || options.sub_partitions || options.min_cycles ||
            ((options.cycles || options.sample) && options.vcd.empty())) {
            throw InputError("--timeline-format, --timeline-cycles, --timeline-sample, --timeline-ctas, "
                             "--timeline-warps, --timeline-sub-partitions and --timeline-min-cycles say what a "
                             "timeline records; name its file with --timeline FILE");
        }
        return;
    }
    const std::optional<timeline::Format> format =
        options.format
            ? std::optional(*options.format == "chrome" ? timeline::Format::kChrome : timeline::Format::kKanata)
            : timeline::format_of(options.file);
    if (!format) {
        throw InputError(fmt::format("--timeline {}: the extension names no format; use .json or .kanata, or give "
                                     "--timeline-format chrome or kanata",
                                     options.file));
    }
    request.format = *format;
    wanted = request;
}

views::TraceForm request_trace_form(const RunOptions &options) {
    if (!options.trace_format) {
        return views::TraceForm::kJson;
    }
    if (options.trace.empty()) {
        throw InputError("--trace-format says what a trace looks like; ask for the trace with --trace");
    }
    return *options.trace_format == "json"      ? views::TraceForm::kJson
           : *options.trace_format == "control" ? views::TraceForm::kControl
                                                : views::TraceForm::kTimedControl;
}

views::TraceFields request_trace_fields(const RunOptions &options) {
    if (options.trace_fields.empty()) {
        return {};
    }
    if (options.trace.empty()) {
        throw InputError("--trace-fields says what a trace holds; ask for the trace with --trace");
    }
    if (request_trace_form(options) != views::TraceForm::kJson) {
        throw InputError(fmt::format("--trace-fields adds members to lines of JSON; --trace-format {} has none",
                                     *options.trace_format));
    }
    return views::parse_trace_fields(options.trace_fields);
}

namespace {

/// Removes a number from the front of `rest`, part of a list of CTAs.
std::uint64_t parse_cta(std::string_view &rest, const std::string &list) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc()) {
        throw InputError(
            fmt::format("--timing-ctas {}: expected numbers of CTAs and ranges of them, such as 0-15,32", list));
    }
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    return value;
}

session::TimedCtas parse_timed_ctas(const std::string &list) {
    std::vector<session::TimedCtas::Range> ranges;
    std::string_view rest = list;
    do {
        const std::uint64_t first = parse_cta(rest, list);
        std::uint64_t last = first;
        if (rest.starts_with('-')) {
            rest.remove_prefix(1);
            last = parse_cta(rest, list);
        }
        if (last < first || (!rest.empty() && !rest.starts_with(','))) {
            throw InputError(fmt::format(
                "--timing-ctas {}: expected numbers of CTAs and ranges FIRST-LAST with commas between them", list));
        }
        ranges.emplace_back(first, last);
        if (rest.empty()) {
            return session::TimedCtas::of(std::move(ranges));
        }
        rest.remove_prefix(1);
    } while (true);
}

/// --timing-from: the number of a CTA, or "instruction:" and the number of warp instructions before it.
session::TimedCtas parse_timing_from(const std::string &text) {
    constexpr std::string_view kInstruction = "instruction:";
    const bool by_instruction = text.starts_with(kInstruction);
    const std::string_view digits = std::string_view(text).substr(by_instruction ? kInstruction.size() : 0);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error == std::errc::result_out_of_range) {
        throw InputError(fmt::format("--timing-from {}: expected a number below 2^64", text));
    }
    if (error != std::errc() || end != digits.data() + digits.size()) {
        throw InputError(fmt::format(
            "--timing-from '{}': expected the number of a CTA, or instruction:N to start after N warp instructions",
            text));
    }
    return by_instruction ? session::TimedCtas::from_instruction(value) : session::TimedCtas::from(value);
}

/// Which CTAs are simulated in time, unless none are.
session::TimedCtas parse_timed(const RunOptions &options, const Config &config) {
    const TimingOptions &timing = options.timing;
    if (!timing.ctas.empty()) {
        return parse_timed_ctas(timing.ctas);
    }
    if (!timing.from) {
        return {};
    }
    session::Options wanted;
    wanted.timed = parse_timing_from(*timing.from);
    wanted.transactions = options.transactions;
    session::reject_what_needs_a_whole_launch(config, wanted);
    if (wanted.timed.instructions_before() != 0 && options.critical_path) {
        throw InputError(fmt::format("--critical-path follows a CTA from its beginning, which may lie before "
                                     "--timing-from {}",
                                     *timing.from));
    }
    return wanted.timed;
}

} // namespace

session::TimedCtas request_timed_ctas(const RunOptions &options, const Config &config) {
    const TimingOptions &timing = options.timing;
    if (timing.fraction && !timing.sample) {
        throw InputError("--timing-fraction says how much --timing sample simulates in time; expected --timing sample");
    }
    if (timing.fraction && !(*timing.fraction >= 1e-6 && *timing.fraction <= 1)) { // also rejects NaN
        throw InputError("--timing-fraction: expected a number from 0.000001 to 1");
    }
    if (timing.from && !timing.ctas.empty()) {
        throw InputError("--timing-from and --timing-ctas both say what is simulated in time; expected one");
    }
    if (timing.sample && (timing.from || !timing.ctas.empty())) {
        throw InputError("--timing sample chooses the CTAs by itself; expected no --timing-from or --timing-ctas");
    }
    if (!timing.none) {
        return parse_timed(options, config);
    }
    const std::array<std::pair<bool, const char *>, 6> needing_time = {{
        {timing.from.has_value(), "--timing-from"},
        {!timing.ctas.empty(), "--timing-ctas"},
        {!options.timeline.file.empty(), "--timeline"},
        {!options.timeline.vcd.empty(), "--vcd"},
        {options.critical_path.has_value(), "--critical-path"},
        {options.what_if, "--what-if"},
    }};
    for (const auto &[is_given, name] : needing_time) {
        if (is_given) {
            throw InputError(fmt::format("--timing none simulates nothing in time, which {} needs", name));
        }
    }
    session::Options wanted;
    wanted.timed = session::TimedCtas::none();
    wanted.trace_form = request_trace_form(options);
    wanted.trace_fields = request_trace_fields(options);
    wanted.transactions = options.transactions;
    wanted.block_waveforms = options.block_waveforms;
    session::reject_what_needs_timing(config, wanted);
    return wanted.timed;
}

std::vector<NamedFile> files_read(const RunOptions &options, const std::string &launch_file,
                                  const std::vector<std::string> &programs, const std::vector<std::string> &data) {
    std::vector<NamedFile> inputs = {{"the launch file " + launch_file, launch_file}};
    for (const std::string &program : programs) {
        inputs.push_back({"the program " + program, program});
    }
    const std::string config = options.config.file.value_or("");
    inputs.push_back({"the configuration " + config, config});
    for (const std::string &file : data) {
        inputs.push_back({"the data " + file, file});
    }
    return inputs;
}

std::optional<int> failure(const std::vector<std::string> &file_errors, const std::optional<Fault> &fault,
                           const std::string &exception) {
    for (const std::string &error : file_errors) {
        spdlog::error("{}", error);
    }
    if (fault) {
        spdlog::error("{}", exception);
        return kException;
    }
    return file_errors.empty() ? std::nullopt : std::optional<int>(kBadInput);
}

std::optional<OutputDirectory> open_output(const RunOptions &options, const std::vector<NamedFile> &inputs,
                                           const std::vector<launch::Dump> &dumps, const std::string &config_text) {
    refuse_overwriting(inputs, files_written(options, dumps, config_text));
    if (options.output.empty()) {
        if (!dumps.empty()) {
            spdlog::warn("{}: no buffer is dumped, because there is no directory for them (-o)", options.launch);
        }
        return std::nullopt;
    }
    std::vector<NamedFile> removed;
    for (const std::string &result : earlier_results(options.output)) {
        removed.push_back({fmt::format("-o {}", options.output), std::filesystem::path(options.output) / result});
    }
    refuse_losing(inputs, removed);
    OutputDirectory directory(options.output);
    directory.keep_others_out();
    directory.remove_earlier_results();
    directory.write("config.yaml", config_text);
    return directory;
}

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

} // namespace smsim::app
