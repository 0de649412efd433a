// Runs code in separate processes: SystemC elaborates once per process, and the program is tested as a command.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <thread>

namespace smsim::test {

/// A folder that is removed with the object.
class TemporaryFolder {
  public:
    TemporaryFolder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "smsim-test-XXXXXX").string();
        path_ = mkdtemp(pattern.data()) != nullptr ? pattern : std::string();
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder &) = delete;
    TemporaryFolder &operator=(const TemporaryFolder &) = delete;

    std::string operator/(const std::string &name) const { return (std::filesystem::path(path_) / name).string(); }

  private:
    std::string path_;
};

inline std::string read_file(const std::string &path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

inline void write_file(const std::string &path, const std::string &text) {
    std::ofstream(path, std::ios::binary) << text;
}

/// Runs `body` in a child process; true if it returned normally.
inline bool run_in_child(const std::function<void()> &body) {
    const pid_t child = fork();
    if (child == 0) {
        int status = 1;
        try {
            body();
            status = 0;
        } catch (const std::exception &error) {
            std::fprintf(stderr, "child: %s\n", error.what());
        }
        std::fflush(nullptr);
        _exit(status);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

struct CommandResult {
    int status = -1;    ///< exit status; -1: ended by a signal
    std::string output; ///< standard output and standard error
};

/// Runs a shell command line.
inline CommandResult run_command_line(const std::string &command) {
    CommandResult result;
    FILE *pipe = popen((command + " 2>&1").c_str(), "r");
    if (pipe == nullptr) {
        return result;
    }
    std::array<char, 4096> buffer{};
    std::size_t count = 0;
    while ((count = fread(buffer.data(), 1, buffer.size(), pipe)) > 0) {
        result.output.append(buffer.data(), count);
    }
    const int status = pclose(pipe);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return result;
}

/// Waits until the condition holds; false if it has not held for so long that it never will, however busy the machine
/// is.
inline bool comes_true(const std::function<bool()> &condition) {
    constexpr std::chrono::minutes kLong(10);
    const auto end = std::chrono::steady_clock::now() + kLong;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end) {
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

/// Waits until the file is not empty.
inline bool filled(const std::string &path) {
    return comes_true([&] {
        std::error_code error;
        return std::filesystem::file_size(path, error) > 0 && !error;
    });
}

} // namespace smsim::test
