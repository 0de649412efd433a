// What `smsim run` writes when RTL and model differ in lockstep: a folder with the difference, the last transactions,
// a waveform, and the program, launch and configuration that reproduce it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/options.h"
#include "model/config/config.h"
#include "model/program/program.h"
#include "model/stats/lockstep.h"

namespace smsim::app {

/// The run in which RTL and model differed.
struct DifferingRun {
    const RunOptions &options;
    std::string launch_file;
    std::vector<std::pair<std::string, const Program *>> programs; ///< by file, as the launch file resolves to it
    std::vector<std::string> data;                                 ///< files, likewise
    Config config;                                                 ///< the effective one
    std::string exception;                                         ///< the message of the run
};

/// Writes the folder `lockstep_difference`, below the directory of -o or otherwise in the current one, with a number
/// appended to its name if it exists already. Returns its absolute path. Libraries are not copied; those of blocks are
/// named by their absolute path. The folder contains:
///
/// - difference.txt: the message, the last transactions, and the command that runs it again;
/// - pins.vcd: the pins of the part in the last cycles;
/// - launch.yaml with the changes of the run, config.yaml, and programs and data under their own names.
///
/// Throws InputError when something cannot be read or written.
std::string write_lockstep_folder(const DifferingRun &run, const LockstepDifference &difference);

/// The same, and reports on standard error where it is, or why it could not be written.
void tell_difference(const DifferingRun &run, const LockstepDifference &difference);

} // namespace smsim::app
