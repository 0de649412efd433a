// The subcommands. Each prints its result on standard output, throws InputError for bad input, and returns the exit
// status (exit_status.h).
#pragma once

#include "sm/program/options.h"
#include "sm/program/simulate.h"

namespace smsim::program {

/// `smsim config`: the effective configuration as YAML or JSON, or the table of keys.
int config_command(const ConfigOptions &options);

/// `smsim asm`: assembles a program into a binary file.
int asm_command(const AsmOptions &options);

/// `smsim compile`: PTX, or the device code of CUDA C++, as assembly text.
int compile_command(const CompileOptions &options);

/// `smsim disasm`: a program as text that assembles to the same words.
int disasm_command(const DisasmOptions &options);

/// `smsim run`: loads configuration, launch and program, has `simulation` run them, checks and dumps buffers, and
/// reports. The status is kException when the program ended with an exception, kCheckFailed when a check did not pass.
int run_command(const RunOptions &options, const Simulation &simulation);

/// `smsim report`: one HTML page that shows the report of a run, or compares those of several. All reports are read and
/// checked before anything is written.
int report_command(const ReportOptions &options);

} // namespace smsim::program
