// Exit statuses of the program, one per kind of outcome, so that scripts need not read messages.
#pragma once

namespace smsim::app {

enum ExitStatus : int {
    kSuccess = 0,
    kCheckFailed = 1,   ///< the launch completed, a check of the launch file did not pass; a replay has differed
    kBadInput = 2,      ///< command line, configuration, launch file or program; a file that cannot be written; lack of
                        ///< memory
    kException = 3,     ///< the simulated program ended with an exception
    kInternalError = 4, ///< a defect of smsim
    // 130, 143: ended by SIGINT or SIGTERM (interruption.h). A run that ends at its instruction limit has kSuccess: it
    // did what it was told.
};

} // namespace smsim::app
