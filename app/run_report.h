// The report of a launch from its inputs and results, for `smsim run` of one launch and of several.
#pragma once

#include <string>

#include "app/program_file.h"
#include "app/version.h"
#include "model/launch/launch.h"
#include "model/program/program.h"
#include "report/report.h"

namespace smsim {
struct Config;
}

namespace smsim::app {

/// The report of `what`, which `launch_file` requested and which has run `kernel` of `program`, without checks.
/// `config_file` is the file that `config` was read from, empty for the defaults. `Result` is a
/// session::SimulationResult or session::LaunchResult. `config`, `program` and `result` must outlive the report.
template <typename Result>
RunReport report_of(const Config &config, const std::string &config_file, const std::string &launch_file,
                    const launch::Launch &what, const Program &program, const Kernel &kernel, const Result &result) {
    RunReport report{.stats = result.stats, .config = config};
    report.version = SMSIM_VERSION;
    report.model = model_fingerprint();
    report.program = what.program;
    report.launch_file = launch_file;
    report.config_file = config_file;
    report.kernel = kernel.name;
    report.grid = what.grid;
    report.block = what.block;
    report.dynamic_shared = what.dynamic_shared;
    report.fault = result.fault;
    report.exception = result.exception;
    report.raised = result.raised;
    report.early_end = result.early_end;
    report.in_time = result.in_time;
    report.untimed = result.untimed;
    report.code = &program;
    report.disassembly = [&program](Pc pc) { return instruction_text(program, pc); };
    return report;
}

} // namespace smsim::app
