// Tasks in child processes, several at a time. A task that crashes takes nothing with it, and each finds the process as
// its parent had prepared it: SystemC elaborates once in a process.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace smsim::app {

/// How a task ended.
struct TaskEnd {
    bool started = false;
    int signal = 0;     ///< that ended the process; 0: it ended by itself
    int status = 0;     ///< its exit status
    std::string output; ///< what it wrote on standard output and standard error
};

/// What to run, and who hears of it.
struct Tasks {
    std::size_t count = 0;
    unsigned jobs = 1; ///< processes at a time, at least 1
    /// Task `index`, in its process; gives the exit status. Must not throw.
    std::function<int(std::size_t index)> run;
    /// Called in order of the index, each as soon as it and all before it have ended.
    std::function<void(std::size_t index, const TaskEnd &end)> ended;
    /// Asked now and then; once true, the processes get SIGTERM, and no further one is started.
    std::function<bool()> stop;
};

/// Runs the tasks. A child ignores SIGINT, because a Ctrl-C reaches the whole process group and its parent decides;
/// SIGTERM ends it from its first instruction on, unless the task does something else with it. It dies with its parent.
/// Throws InputError when no process can be started.
void run_in_children(const Tasks &tasks);

} // namespace smsim::app
