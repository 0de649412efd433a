// Runs clang in its own process, with files in a temporary folder.
#include "app/cuda_source.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "app/interruption.h"
#include "model/error.h"
#include "model/text/input_file.h"

namespace smsim::app {

namespace {

namespace fs = std::filesystem;

/// A folder that is removed with the object.
class TemporaryFolder {
  public:
    TemporaryFolder() {
        std::error_code error;
        path_ = (fs::temp_directory_path(error) / "smsim-cuda-XXXXXX").string();
        if (error || mkdtemp(path_.data()) == nullptr) {
            throw InputError(fmt::format("{}: cannot create a temporary folder for clang: {}", path_,
                                         error ? error.message() : std::strerror(errno)));
        }
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder &) = delete;
    TemporaryFolder &operator=(const TemporaryFolder &) = delete;

    std::string operator/(const char *name) const { return path_ + "/" + name; }
    const std::string &path() const { return path_; }

  private:
    std::string path_;
};

std::string clang_name() {
    const char *name = std::getenv("CLANG");
    return name == nullptr || *name == '\0' ? "clang" : name;
}

struct Outcome {
    int error = 0;
    int status = 0;
};

/// Waits for `child`, the leader of a process group, to end; when a signal is noted, ends the group at once.
Outcome wait_for(pid_t child, const DeferredSignals &signals) {
    constexpr int kMilliseconds = 2;
    Outcome outcome;
    for (;;) {
        const bool is_over = signals.noted();
        if (is_over) {
            kill(-child, SIGKILL);
        }
        const pid_t ended = waitpid(child, &outcome.status, is_over ? 0 : WNOHANG);
        if (ended == child) {
            return outcome;
        }
        if (ended < 0 && errno != EINTR) {
            outcome.error = errno;
            return outcome;
        }
        poll(nullptr, 0, kMilliseconds);
    }
}

/// Runs a program found in PATH, without input; all its output goes to the file `messages`. Returns its wait status,
/// or the error number when it cannot be started.
Outcome run(std::vector<std::string> arguments, const std::string &messages, const DeferredSignals &signals) {
    std::vector<char *> pointers;
    pointers.reserve(arguments.size() + 1);
    for (std::string &argument : arguments) {
        pointers.push_back(argument.data());
    }
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP); // its own group: it ends with all that it starts
    posix_spawnattr_setpgroup(&attributes, 0);
    pid_t child = 0;
    const int error = posix_spawnp(&child, pointers[0], &files, &attributes, pointers.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return error != 0 ? Outcome{error, 0} : wait_for(child, signals);
}

/// The source has no target of its own: what it may use is up to the configuration (docs/ptx.md Matrix instructions).
std::string with_all_targets(std::string ptx) {
    constexpr std::string_view kOfClang = ".target sm_70";
    if (const std::size_t at = ptx.find(kOfClang); at != std::string::npos) {
        ptx.replace(at, kOfClang.size(), ".target sm_90a");
    }
    return ptx;
}

} // namespace

std::string cuda_include_folder() {
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    if (!error) {
        const fs::path installed = program.parent_path().parent_path() / SMSIM_DATA_FOLDER / "cuda/include";
        if (fs::is_directory(installed, error)) {
            return installed.string();
        }
    }
    const fs::path source = fs::path(SMSIM_SOURCE_FOLDER) / "cuda/include";
    return fs::is_directory(source, error) ? source.string() : std::string();
}

CompiledCuda compile_cuda(const std::string &path, std::span<const launch::Macro> macros) {
    text::read_file(path, text::kMaxFileBytes); // reports an unreadable file without clang
    const std::string clang = clang_name();
    const DeferredSignals signals; // until the folder has been removed
    const TemporaryFolder folder;
    const std::string output = folder / "device.ptx";
    const std::string messages = folder / "messages";
    std::vector<std::string> arguments = {clang,
                                          "-x",
                                          "cuda",
                                          "-nocudainc",
                                          "-nocudalib",
                                          "--cuda-device-only",
                                          "-O3",
                                          "-gline-tables-only", // source lines for reports and traces
                                          "-S",
                                          "--cuda-gpu-arch=sm_70",
                                          "-Wno-unknown-cuda-version",
                                          "-o",
                                          output};
    if (const std::string include = cuda_include_folder(); !include.empty()) {
        arguments.insert(arguments.end(), {"-I", include});
    }
    for (const launch::Macro &macro : macros) {
        arguments.push_back(fmt::format("-D{}={}", macro.name, macro.value));
    }
    arguments.push_back(path.starts_with('-') ? "./" + path : path); // a name, not an option
    const Outcome outcome = run(std::move(arguments), messages, signals);
    if (signals.noted()) {
        throw InputError(path + ": interrupted while clang compiled it");
    }
    if (outcome.error != 0) {
        throw InputError(
            fmt::format("{}: CUDA source needs the compiler clang, and '{}' cannot be run: {}; install it, "
                        "name it in the environment variable CLANG, or give a .ptx file instead",
                        path, clang, std::strerror(outcome.error)));
    }
    CompiledCuda compiled;
    compiled.messages = text::read_file(messages, text::kMaxFileBytes);
    while (compiled.messages.ends_with('\n')) {
        compiled.messages.pop_back();
    }
    if (!WIFEXITED(outcome.status) || WEXITSTATUS(outcome.status) != 0) {
        if (compiled.messages.empty()) { // also when their disk is full
            throw InputError(fmt::format("{}: {} cannot compile it and gives no reason; expected messages, and room "
                                         "for them in {} (TMPDIR)",
                                         path, clang, folder.path()));
        }
        throw InputError(fmt::format("{}: {} cannot compile it:\n{}", path, clang, compiled.messages));
    }
    compiled.ptx = with_all_targets(text::read_file(output, text::kMaxFileBytes));
    return compiled;
}

} // namespace smsim::app
