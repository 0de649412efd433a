// What `smsim run` leaves behind when RTL and model differ in lockstep: a folder with the difference, the last
// transactions, a waveform, and program, launch and configuration that show it again.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/options.h"
#include "model/config/config.h"
#include "model/program/program.h"
#include "model/stats/lockstep.h"

namespace smsim::app {

/// The run in which RTL and model have differed.
struct DifferingRun {
    const RunOptions &options;
    std::string launch_file;
    std::vector<std::pair<std::string, const Program *>> programs; ///< file, as the launch file resolves to it
    std::vector<std::string> data;                                 ///< files, likewise
    Config config;                                                 ///< the effective one
    std::string exception;                                         ///< the message of the run
};

/// Writes the folder `lockstep_difference`, below the directory of -o or else in the present one; with a number behind
/// its name where there is one already. Gives its path, an absolute one. Libraries are not
/// copied, and those of blocks named by their absolute path. In it:
///
/// - difference.txt: the message, the last transactions, and the command that runs it again;
/// - pins.vcd: the pins of the part in the last cycles;
/// - launch.yaml, config.yaml, and programs and data under names of their own.
///
/// InputError when something cannot be read or written; yaml-cpp's exceptions when the launch file is no longer what it
/// was.
std::string write_lockstep_folder(const DifferingRun &run, const LockstepDifference &difference);

/// The same, and tells on standard error where it is; or why it could not be written.
void tell_difference(const DifferingRun &run, const LockstepDifference &difference);

} // namespace smsim::app
