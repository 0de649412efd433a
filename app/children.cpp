// fork, and one pipe per child for all that it writes.
#include "app/children.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <vector>

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/error.h"

namespace smsim::app {
namespace {

constexpr int kPollMilliseconds = 100; // a signal between two polls is noticed after this time

struct Child {
    pid_t process = -1;
    int output = -1; ///< reading end
    std::size_t index = 0;
};

/// Blocks SIGINT and SIGTERM for the lifetime of the object.
class SignalsHeldBack {
  public:
    SignalsHeldBack() {
        sigset_t held;
        sigemptyset(&held);
        sigaddset(&held, SIGINT);
        sigaddset(&held, SIGTERM);
        sigprocmask(SIG_BLOCK, &held, &before_);
    }
    ~SignalsHeldBack() { release(); }
    SignalsHeldBack(const SignalsHeldBack &) = delete;
    SignalsHeldBack &operator=(const SignalsHeldBack &) = delete;
    void release() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

  private:
    sigset_t before_{};
};

[[noreturn]] void be_child(const Tasks &tasks, std::size_t index, int output, pid_t parent, SignalsHeldBack &signals) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) { // it has exited meanwhile
        _exit(1);
    }
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGTERM, SIG_DFL);
    signals.release();
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    const int status = tasks.run(index);
    std::fflush(nullptr);
    _exit(status); // the parent cleans up what it has set up
}

Child start(const Tasks &tasks, std::size_t index) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) {
        throw InputError(fmt::format("cannot create a pipe for another process: {}", std::strerror(errno)));
    }
    std::fflush(nullptr); // otherwise the child would write it a second time
    const pid_t parent = getpid();
    // A child that still has its parent's handlers would handle a signal as if it were the parent, and the signal
    // would be lost.
    SignalsHeldBack signals;
    const pid_t process = fork();
    if (process == 0) {
        close(ends[0]);
        be_child(tasks, index, ends[1], parent, signals);
    }
    const int error = errno;
    close(ends[1]);
    if (process < 0) {
        close(ends[0]);
        throw InputError(fmt::format("cannot start another process: {}", std::strerror(error)));
    }
    return {process, ends[0], index};
}

/// Reads what is available; false: the child has closed its end.
bool read_some(const Child &child, std::string &into) {
    std::array<char, 4096> buffer{};
    const ssize_t count = read(child.output, buffer.data(), buffer.size());
    if (count > 0) {
        into.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return count > 0 || (count < 0 && errno == EINTR);
}

void finish(const Child &child, TaskEnd &end) {
    close(child.output);
    int status = 0;
    while (waitpid(child.process, &status, 0) < 0 && errno == EINTR) {
    }
    end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end.status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

} // namespace

void run_in_children(const Tasks &tasks) {
    std::vector<TaskEnd> ends(tasks.count);
    std::vector<bool> is_over(tasks.count, false);
    std::vector<Child> running;
    std::size_t next = 0;
    std::size_t told = 0;
    bool stopping = false;
    while (told < tasks.count) {
        if (!stopping && tasks.stop()) {
            stopping = true;
            for (const Child &child : running) {
                kill(child.process, SIGTERM);
            }
        }
        if (stopping) {
            std::fill(is_over.begin() + static_cast<std::ptrdiff_t>(next), is_over.end(), true);
            next = tasks.count;
        }
        while (next < tasks.count && running.size() < tasks.jobs) {
            ends[next].started = true;
            running.push_back(start(tasks, next++));
        }
        std::vector<pollfd> waits;
        waits.reserve(running.size());
        for (const Child &child : running) {
            waits.push_back({child.output, POLLIN, 0});
        }
        if (!running.empty() && poll(waits.data(), waits.size(), kPollMilliseconds) > 0) {
            for (std::size_t i = waits.size(); i-- > 0;) {
                const Child child = running[i];
                if (waits[i].revents != 0 && !read_some(child, ends[child.index].output)) {
                    finish(child, ends[child.index]);
                    is_over[child.index] = true;
                    running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
                }
            }
        }
        for (; told < tasks.count && is_over[told]; ++told) {
            tasks.ended(told, ends[told]);
            ends[told] = {};
        }
    }
}

} // namespace smsim::app
