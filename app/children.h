// Runs tasks in child processes, several at a time. A task that crashes affects no other, and each finds the process
// as its parent prepared it: SystemC elaborates only once per process.
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

/// What to run, and whom to notify.
struct Tasks {
    std::size_t count = 0;
    unsigned jobs = 1; ///< processes at a time, at least 1
    /// Runs task `index` in its process and returns the exit status. Must not throw.
    std::function<int(std::size_t index)> run;
    /// Called in index order, as soon as the task and all before it have ended.
    std::function<void(std::size_t index, const TaskEnd &end)> ended;
    /// Polled; once it returns true, the processes get SIGTERM and no further one is started.
    std::function<bool()> stop;
};

/// Runs the tasks. A child ignores SIGINT, because Ctrl-C reaches the whole process group and the parent decides.
/// SIGTERM ends the child from its first instruction on, unless the task handles it. A child dies with its parent.
/// Throws InputError when no process can be started.
void run_in_children(const Tasks &tasks);

} // namespace smsim::app
