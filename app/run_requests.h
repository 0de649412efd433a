// Checks what `smsim run` is asked for before anything runs: the kernel of a launch, what to record, and which files
// are written.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/options.h"
#include "app/output.h"
#include "app/overwriting.h"
#include "model/config/config.h"
#include "model/config/loader.h"
#include "model/config/setting.h"
#include "model/launch/launch.h"
#include "model/program/program.h"
#include "ptx/left_out.h"
#include "report/report.h"
#include "session/timed_ctas.h"
#include "views/timeline/timeline.h"
#include "views/trace/trace_fields.h"
#include "views/waveforms/request.h"

namespace smsim::app {

/// The configuration that the options ask for; where they do not set a key, `wanted` by a launch file. A memory other
/// than the model's own need not support atomics, so that `global.atomics` defaults to `read_write` with one. `input`
/// holds file and settings of the options. Throws InputError.
Config config_of(const RunOptions &options, const ConfigInput &input, const std::vector<Setting> &wanted);

/// Warns of each given key that has no effect in the configuration that config_of builds from the same arguments.
void warn_of_idle_keys(const RunOptions &options, const ConfigInput &input, const std::vector<Setting> &wanted);

/// The kernel of `program` that `launch` names, or the only one, counting those in `left_out`. Throws InputError with
/// the available names, or, for one that was left out, with the reason.
const Kernel &select_kernel(const Program &program, const launch::Launch &launch,
                            const std::vector<ptx::LeftOut> &left_out = {});

/// What to record in time. Throws InputError for a malformed option value, and for warp slots or sub-partitions that
/// `config` does not have.
void request_timeline(const TimelineOptions &options, const Config &config,
                      std::optional<views::timeline::Request> &wanted,
                      std::optional<views::waveforms::Request> &waveforms);

/// The form of the trace. Throws InputError when a form is given without a trace.
views::TraceForm request_trace_form(const RunOptions &options);

/// The fields of the trace. Throws InputError when fields are given without a JSON trace, or for an unknown field.
views::TraceFields request_trace_fields(const RunOptions &options);

/// The CTAs that are simulated in time. Throws InputError for a malformed list, and for `options` and settings of
/// `config` that need cycle timing when nothing is simulated in time.
session::TimedCtas request_timed_ctas(const RunOptions &options, const Config &config);

/// The unit in which the progress of a run is counted.
inline std::string_view progress_unit(const RunOptions &options) {
    return options.timing.none ? "instructions" : "cycles";
}

/// The files that a run reads: the launch file, its `programs`, the configuration, and `data`; for open_output.
std::vector<NamedFile> files_read(const RunOptions &options, const std::string &launch_file,
                                  const std::vector<std::string> &programs, const std::vector<std::string> &data);

/// Reports incomplete files (`file_errors`) and an exception. Returns the exit status that they cause; none: no
/// failure.
std::optional<int> failure(const std::vector<std::string> &file_errors, const std::optional<Fault> &fault,
                           const std::string &exception);

/// The directory that -o names, with config.yaml (`config_text`) and without the reports of launches that an earlier
/// run has left there; none without -o. Throws InputError, before it changes anything, when the run would destroy one
/// of `inputs` or write two things to one file. Warns when there are `dumps` and no directory.
std::optional<OutputDirectory> open_output(const RunOptions &options, const std::vector<NamedFile> &inputs,
                                           const std::vector<launch::Dump> &dumps, const std::string &config_text);

/// Warns of accesses outside every buffer, if there are any; otherwise they go unnoticed unless the report is read.
void warn_of_outside(const RunReport &report);

} // namespace smsim::app
