// What `smsim run` is asked for, checked before anything runs: the kernel of a launch, what to record, and which files
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
#include "model/stats/report.h"
#include "ptx/left_out.h"
#include "session/timed_ctas.h"
#include "views/timeline/timeline.h"
#include "views/trace/trace_fields.h"
#include "views/waveforms/request.h"

namespace smsim::app {

/// The configuration that the options ask for, and where they say nothing, `wanted` by a launch file. A memory that is
/// not the model's own need not know atomics, so that `global.atomics` is `read_write` with one, unless somebody says
/// otherwise. `input` holds file and settings of the options. Throws InputError.
Config config_of(const RunOptions &options, const ConfigInput &input, const std::vector<Setting> &wanted);

/// The kernel of `program` that `launch` names, or the only one, those of `left_out` counted. Throws InputError with
/// the names that there are, and for one that was left out with the reason.
const Kernel &select_kernel(const Program &program, const launch::Launch &launch,
                            const std::vector<ptx::LeftOut> &left_out = {});

/// What to record in time. Throws InputError for a text that is not what its option expects, and for warp slots or
/// sub-partitions that `config` does not have.
void request_timeline(const TimelineOptions &options, const Config &config,
                      std::optional<views::timeline::Request> &wanted,
                      std::optional<views::waveforms::Request> &waveforms);

/// The form of the trace. Throws InputError when there is a wish and no trace.
views::TraceForm request_trace_form(const RunOptions &options);

/// The fields of the trace. Throws InputError when there are some and no trace of JSON, or for an unknown
/// one.
views::TraceFields request_trace_fields(const RunOptions &options);

/// The CTAs that are simulated in time. Throws InputError for a list that is none, and for wishes of `options` and
/// settings of `config` that need time where nothing has one.
session::TimedCtas request_timed_ctas(const RunOptions &options, const Config &config);

/// What the progress of a run is counted in.
inline std::string_view progress_unit(const RunOptions &options) {
    return options.timing.none ? "instructions" : "cycles";
}

/// The files that a run reads: the launch file, its `programs`, the configuration, and `data`; for open_output.
std::vector<NamedFile> files_read(const RunOptions &options, const std::string &launch_file,
                                  const std::vector<std::string> &programs, const std::vector<std::string> &data);

/// Tells of files that are not complete (`file_errors`) and of an exception. The exit status that they make; none: all
/// well.
std::optional<int> failure(const std::vector<std::string> &file_errors, const std::optional<Fault> &fault,
                           const std::string &exception);

/// The directory that -o names, with config.yaml (`config_text`) and without the reports of launches that an earlier
/// run has left there; none without -o. Throws InputError, before it changes anything, when the run would destroy one
/// of `inputs` or write two things to one file, and when there are `dumps` and no directory.
std::optional<OutputDirectory> open_output(const RunOptions &options, const std::vector<NamedFile> &inputs,
                                           const std::vector<launch::Dump> &dumps, const std::string &config_text);

/// Accesses outside every buffer go unnoticed otherwise where the report is not read: a warning, if there are some.
void warn_of_outside(const RunReport &report);

} // namespace smsim::app
