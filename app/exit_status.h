// Exit statuses of the program, one per kind of outcome, so that scripts need not parse messages.
#pragma once

namespace smsim::app {

enum ExitStatus : int {
    kSuccess = 0,
    kCheckFailed = 1, ///< the launch completed, but a check of the launch file failed; or a replay differed
    kBadInput = 2, ///< bad command line, configuration, launch file or program; a file cannot be written; out of memory
    kException = 3,     ///< the simulated program ended with an exception
    kInternalError = 4, ///< a defect of smsim
    // 130, 143: ended by SIGINT or SIGTERM (interruption.h). A run that ends at its instruction limit has kSuccess: it
    // did what was asked.
};

} // namespace smsim::app
