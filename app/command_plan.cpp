// `smsim run` of a launch file with several launches: everything around the session that runs it.
#include <algorithm>
#include <csignal>
#include <map>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <spdlog/spdlog.h>

#include "app/commands.h"
#include "app/exit_status.h"
#include "app/interruption.h"
#include "app/lockstep_folder.h"
#include "app/memory_reserve.h"
#include "app/output.h"
#include "app/program_file.h"
#include "app/progress.h"
#include "app/recording.h"
#include "app/run_report.h"
#include "app/run_requests.h"
#include "app/version.h"
#include "model/config/config_json.h"
#include "model/config/loader.h"
#include "model/launch/layout.h"
#include "report/plan_report.h"
#include "session/memory_library.h"
#include "session/plan_runner.h"

namespace smsim::app {

namespace {

/// The programs of a plan, each loaded once, and the kernel of each of its launches.
class Programs {
  public:
    Programs(const launch::Plan &plan, const Config &config, const CodeOptions &code) {
        for (const launch::LaunchStep *step : launch::launch_steps(plan)) {
            std::unique_ptr<Program> &program = programs_[step->launch.program];
            if (!program) {
                program = std::make_unique<Program>(
                    load_program_file(step->launch.program, config, code, &left_out_[step->launch.program]));
            }
            const Kernel &kernel = select_kernel(*program, step->launch, left_out_[step->launch.program]);
            launch::check_parameters(step->launch, kernel);
            launch::check_block(step->launch, kernel);
            kernels_[step] = {program.get(), &kernel};
        }
    }
    std::pair<const Program *, const Kernel *> of(const launch::LaunchStep &step) const { return kernels_.at(&step); }
    std::vector<std::string> files() const {
        std::vector<std::string> files;
        for (const auto &[file, program] : programs_) {
            files.push_back(file);
        }
        return files;
    }
    std::vector<std::pair<std::string, const Program *>> all() const {
        std::vector<std::pair<std::string, const Program *>> all;
        for (const auto &[file, program] : programs_) {
            all.emplace_back(file, program.get());
        }
        return all;
    }
    /// Null when there are several.
    const Program *only() const { return programs_.size() == 1 ? programs_.begin()->second.get() : nullptr; }

  private:
    std::map<std::string, std::unique_ptr<Program>> programs_;
    std::map<std::string, std::vector<ptx::LeftOut>> left_out_; ///< by program: its kernels that were left out
    std::map<const launch::LaunchStep *, std::pair<const Program *, const Kernel *>> kernels_;
};

/// The checks that failed, as messages: only the first few.
class FailedChecks {
  public:
    void add(const CheckResult &check) {
        if (!check.passed() && ++count_ <= kShown) {
            lines_.push_back(check_line(check));
        }
    }
    void tell() const {
        for (const std::string &line : lines_) {
            spdlog::error("{}", line);
        }
        if (count_ > kShown) {
            spdlog::error("{} more checks failed", count_ - kShown);
        }
    }

  private:
    static constexpr std::uint64_t kShown = 100;
    std::uint64_t count_ = 0;
    std::vector<std::string> lines_;
};

/// The status of a run that has ended and been reported.
int exit_status(const session::PlanResult &result, const PlanReport &report, const FailedChecks &checks,
                const std::optional<Fault> &fault, const std::string &exception,
                const std::vector<std::string> &file_errors) {
    if (const std::optional<int> status = failure(file_errors, fault, exception)) {
        return *status;
    }
    if (!result.error.empty()) {
        spdlog::error("{}", result.error);
    }
    checks.tell();
    return report.status() == "check_failed" ? kCheckFailed : kSuccess;
}

} // namespace

RunOutcome run_plan_file(const RunOptions &options, const Config &config, const launch::Plan &plan,
                         std::optional<Interruption> &interruption) {
    if (options.critical_path) {
        throw InputError(plan.path + ": --critical-path is that of a CTA of one launch, and these are several");
    }
    if (options.timing.sample) {
        throw InputError(plan.path + ": --timing sample is of the CTAs of one launch, and these are several");
    }
    const Programs programs(plan, config, options.code.over(plan.code));
    session::Options wanted;
    const std::unique_ptr<session::MemoryBackend> memory =
        options.memory.empty() ? nullptr : session::load_memory(options.memory, config);
    wanted.memory = memory.get();
    wanted.memory_check = options.memory_check;
    wanted.block_waveforms = options.block_waveforms;
    wanted.trace_form = request_trace_form(options);
    wanted.trace_fields = request_trace_fields(options);
    wanted.transactions = options.transactions;
    wanted.max_instructions = options.max_instructions;
    // By default, a report of many launches is no larger than one of a single launch with many warps.
    const std::uint64_t launches = std::max<std::uint64_t>(launch::executed_launches(plan.steps), 1);
    wanted.warp_records =
        options.warp_records.value_or(std::max<std::uint64_t>(session::Options{}.warp_records / launches, 32));
    wanted.timed = request_timed_ctas(options, config);
    MemoryReserve reserve;
    wanted.ahead = true;
    std::optional<views::timeline::Request> timeline;
    request_timeline(options.timeline, config, timeline, wanted.waveforms);
    std::optional<views::timeline::Subject> subject;
    if (timeline) {
        const Program *program = programs.only();
        if (program == nullptr) {
            throw InputError(plan.path + ": a timeline shows the instructions of one program, and these launches have "
                                         "several; expected no --timeline");
        }
        subject.emplace(views::timeline::Subject{config, *program, "several launches", config_to_json(config).dump()});
    }
    const std::string config_text = dump_config(config);
    for (const launch::Dump &dump : plan.dumps) {
        if (dump.file.starts_with("launches/")) {
            throw InputError(fmt::format("{}: a buffer cannot be dumped to {}: the reports of the launches lie there",
                                         plan.path, dump.file));
        }
    }
    const std::optional<OutputDirectory> directory = open_output(
        options, files_read(options, plan.path, programs.files(), launch::data_files(plan)), plan.dumps, config_text);

    interruption->run_begins();
    Recording recording(options.trace, options.state, timeline, subject ? &*subject : nullptr);
    wanted.trace = recording.trace.stream();
    wanted.state = recording.state.stream();
    wanted.stop = [&] { return interruption->signal() != 0 || reserve.used() || recording.failed(); };
    wanted.parts = recording.timeline ? &*recording.timeline : nullptr;
    std::optional<Progress> progress(std::in_place, 0, options.progress, progress_unit(options));
    wanted.progress = [&progress](Cycle cycles, std::uint64_t ctas) { progress->update(cycles, ctas); };

    const std::string config_file = options.config.file.value_or("");
    PlanReport report(config, SMSIM_VERSION, std::string(model_fingerprint()), plan.path, config_file);
    std::optional<Fault> fault;
    std::string exception;
    std::optional<LockstepDifference> difference;
    std::optional<EarlyEnd> early_end;
    const auto end_from_outside = [&] {
        return interruption->signal() != 0 ? EarlyEnd::kInterrupted
               : recording.failed()        ? EarlyEnd::kFileError
                                           : EarlyEnd::kOutOfMemory;
    };
    session::Session session(config, wanted);
    session::PlanHost host;
    host.program_of = [&programs](const launch::LaunchStep &step) { return programs.of(step); };
    host.launched = [&](const session::PlanLaunch &launched) {
        RunReport one = report_of(config, config_file, plan.path, launched.what, launched.program, launched.kernel,
                                  launched.result);
        if (one.early_end == EarlyEnd::kInterrupted) {
            one.early_end = end_from_outside();
        }
        report.add(launched.name, launched.round, launched.result.begin, one);
        if (directory && launched.number < report.sections()) {
            const std::string folder = fmt::format("launches/{:03}/", launched.number);
            directory->write(folder + "report.json", to_json_text(one));
            directory->write(folder + "report.txt", to_text(one));
        }
        print_device_output(launched.result.printed, options.report == ReportForm::kJson);
        warn_of_outside(one);
        fault = one.fault;
        exception = one.exception;
        difference = launched.result.difference;
        early_end = one.early_end;
    };
    host.stop = wanted.stop;
    FailedChecks failed_checks;
    host.checked = [&](const session::PlanCheck &check) {
        report.add_check(check.step, check.result);
        failed_checks.add(check.result);
    };
    const session::PlanResult result = session::run_plan(session, plan, host);
    report.set_error(result.error);
    if (result.stopped) {
        early_end = end_from_outside();
        report.set_early_end(*early_end);
    }
    std::vector<std::string> file_errors = session.finish();
    for (std::string &error : recording.close()) {
        file_errors.push_back(std::move(error));
    }
    progress.reset();

    const int signal = early_end == EarlyEnd::kInterrupted ? interruption->signal() : 0;
    if (signal != 0) {
        spdlog::warn(
            "{} in cycle {}: the results are written, what follows is not run; a second signal ends the run at once",
            signal == SIGINT ? "interrupted" : "terminated", report.cycles());
    } else if (early_end == EarlyEnd::kOutOfMemory) {
        file_errors.push_back(fmt::format("{}; the run has ended in cycle {}: its results are written",
                                          out_of_memory_text(), report.cycles()));
    }
    if (directory) {
        directory->write("report.json", report.to_json_text());
        directory->write("report.txt", report.to_text());
        for (const launch::Dump &dump : plan.dumps) {
            const std::uint64_t address = result.addresses.at(dump.argument);
            directory->write(
                dump.file, plan.buffers.at(dump.argument).bytes(),
                [&](std::uint64_t offset, std::span<std::uint8_t> to) { session.read(address + offset, to); });
        }
    }
    interruption.reset(); // all results are saved: printing may be interrupted
    if (options.report == ReportForm::kText) {
        print(report.to_text());
    } else if (options.report == ReportForm::kJson) {
        print(report.to_json_text());
    }
    const int status = exit_status(result, report, failed_checks, fault, exception, file_errors);
    if (difference) {
        tell_difference({options, plan.path, programs.all(), launch::data_files(plan), config, exception}, *difference);
    }
    return {signal != 0 ? Interruption::exit_status(signal) : status, report.status(), report.cycles(),
            report.instructions()};
}

} // namespace smsim::app
