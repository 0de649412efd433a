// The C interface over the library in C++: handles own what they name, and no exception leaves a function.
#include "session/c/smsim_c.h"

#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "assembler/assembler.h"
#include "assembler/load_program.h"
#include "model/config/config.h"
#include "model/config/loader.h"
#include "model/config/schema.h"
#include "model/error.h"
#include "model/text/input_file.h"
#include "ptx/compiler.h"
#include "ptx/parser.h"
#include "session/session.h"
#include "sm/execution_observer.h"

struct smsim_config {
    smsim::Config config;
    std::string shown; ///< the text that smsim_config_value returned last
};

struct smsim_program {
    smsim::Program program;
};

namespace {

/// A wrong call: its reason.
struct BadArgument {
    std::string reason;
};

std::string last_error; // NOLINT: one thread uses the library at a time

int failed(int status, std::string_view why) noexcept {
    try {
        last_error = why;
    } catch (...) {
        last_error.clear(); // no memory for the reason either
    }
    return status;
}

/// Calls `work` and turns what it throws into a status.
template <typename Work> int guarded(const Work &work) noexcept {
    try {
        work();
        return SMSIM_OK;
    } catch (const BadArgument &bad) {
        return failed(SMSIM_BAD_ARGUMENT, bad.reason);
    } catch (const smsim::InputError &error) {
        return failed(SMSIM_BAD_INPUT, error.what());
    } catch (const std::exception &error) {
        return failed(SMSIM_FAILED, error.what());
    } catch (...) {
        return failed(SMSIM_FAILED, "an unknown error");
    }
}

template <typename T> T &required(T *pointer, const char *what) {
    if (pointer == nullptr) {
        throw BadArgument{fmt::format("{} is null", what)};
    }
    return *pointer;
}

const char *text_of(const char *text, const char *what) {
    return &required(text, what);
}

smsim::Program compiled(const std::string &text, const std::string &name, const smsim::Config &config) {
    const smsim::timing::SchedulingModel model(config);
    if (name.ends_with(".ptx")) {
        smsim::ptx::CompileOptions options;
        options.engine = config.bru.engine;
        options.matrix_steps = config.tensor.steps;
        return smsim::ptx::compile(text, name, model, options);
    }
    return smsim::assemble(text, name, model);
}

smsim::launch::ElementType type_of(std::uint32_t bytes, std::size_t index) {
    switch (bytes) {
    case 1:
        return smsim::launch::ElementType::kU8;
    case 2:
        return smsim::launch::ElementType::kU16;
    case 4:
        return smsim::launch::ElementType::kU32;
    case 8:
        return smsim::launch::ElementType::kU64;
    default:
        throw BadArgument{fmt::format("argument {}: {} bytes; expected 1, 2, 4 or 8", index, bytes)};
    }
}

smsim::launch::Launch launch_of(const smsim_launch &asked) {
    smsim::launch::Launch launch;
    for (std::size_t i = 0; i < launch.grid.size(); ++i) {
        launch.grid[i] = asked.grid[i];
        launch.block[i] = asked.block[i];
        if (asked.grid[i] == 0 || asked.block[i] == 0) {
            throw BadArgument{"grid and block: 0 is not allowed; expected at least 1 in each dimension"};
        }
    }
    launch.dynamic_shared = asked.dynamic_shared;
    if (asked.argument_count != 0) {
        required(asked.arguments, "arguments");
    }
    for (std::size_t i = 0; i < asked.argument_count; ++i) {
        const smsim_argument &argument = asked.arguments[i];
        smsim::launch::Argument &own = launch.arguments.emplace_back();
        own.name = std::to_string(i);
        own.type = type_of(argument.bytes, i);
        own.value =
            argument.value & (argument.bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * argument.bytes)) - 1);
    }
    return launch;
}

const smsim::Kernel &kernel_of(const smsim::Program &program, const char *name) {
    if (name == nullptr) {
        if (program.kernels.size() != 1) {
            throw BadArgument{
                fmt::format("kernel: the program has {}; expected the name of one", program.kernels.size())};
        }
        return program.kernels.front();
    }
    const smsim::Kernel *kernel = program.find_kernel(name);
    if (kernel == nullptr) {
        throw BadArgument{fmt::format("kernel: the program has no '{}'", name)};
    }
    return *kernel;
}

/// Passes executed instructions to a function in C.
class Forwarder final : public smsim::sm::ExecutionObserver {
  public:
    explicit Forwarder(const smsim_observer &to) : to_(to) {}
    void executed(const smsim::sm::ExecutedInstruction &instruction) override {
        const std::string name(instruction.insn.spec().name);
        const smsim_executed told{
            instruction.cycle,         instruction.start.cta_number, instruction.insn.pc, instruction.start.warp_in_cta,
            instruction.active.bits(), instruction.executed.bits(),  name.c_str()};
        to_.executed(to_.user, &told);
    }

  private:
    smsim_observer to_;
};

} // namespace

struct smsim_session {
    std::optional<Forwarder> observer;
    std::unique_ptr<smsim::session::Session> session;
    std::string exception; ///< of the last launch
};

uint32_t smsim_version(void) {
    return SMSIM_C_VERSION;
}

const char *smsim_error(void) {
    return last_error.c_str();
}

// --- configuration ---------------------------------------------------------------------------------------------------

int smsim_config_create(const char *file, const char *const *settings, size_t count, smsim_config **config) {
    return guarded([&] {
        required(config, "config") = nullptr;
        std::vector<std::string> given;
        for (std::size_t i = 0; i < count; ++i) {
            given.emplace_back(text_of(required(settings, "settings") == nullptr ? nullptr : settings[i], "a setting"));
        }
        const std::optional<std::string> path = file == nullptr ? std::nullopt : std::optional<std::string>(file);
        *config = new smsim_config{smsim::load_config(path, given), {}};
    });
}

void smsim_config_destroy(smsim_config *config) {
    delete config;
}

int smsim_config_value(smsim_config *config, const char *key, const char **text) {
    return guarded([&] {
        smsim_config &own = required(config, "config");
        const smsim::ConfigKey *found = smsim::find_config_key(text_of(key, "key"));
        if (found == nullptr) {
            throw BadArgument{fmt::format("key: there is no '{}'", key)};
        }
        own.shown = smsim::value_text(own.config, *found);
        required(text, "text") = own.shown.c_str();
    });
}

// --- program ---------------------------------------------------------------------------------------------------------

int smsim_program_load(const smsim_config *config, const char *path, smsim_program **program) {
    return guarded([&] {
        required(program, "program") = nullptr;
        const smsim::Config &own = required(config, "config").config;
        const std::string file = text_of(path, "path");
        *program = new smsim_program{file.ends_with(".ptx")
                                         ? compiled(smsim::text::read_file(file, smsim::ptx::kMaxBytes), file, own)
                                         : smsim::load_program(file, smsim::timing::SchedulingModel(own))};
    });
}

int smsim_program_assemble(const smsim_config *config, const char *text, const char *name, smsim_program **program) {
    return guarded([&] {
        required(program, "program") = nullptr;
        *program = new smsim_program{
            compiled(text_of(text, "text"), text_of(name, "name"), required(config, "config").config)};
    });
}

void smsim_program_destroy(smsim_program *program) {
    delete program;
}

const char *smsim_program_kernel(const smsim_program *program, size_t index) {
    return program == nullptr || index >= program->program.kernels.size()
               ? nullptr
               : program->program.kernels[index].name.c_str();
}

// --- session ---------------------------------------------------------------------------------------------------------

int smsim_session_create(const smsim_config *config, const smsim_observer *observer, smsim_session **session) {
    return guarded([&] {
        required(session, "session") = nullptr;
        const smsim::Config &own = required(config, "config").config;
        auto made = std::make_unique<smsim_session>();
        smsim::session::Options options;
        options.ahead = true;
        if (observer != nullptr && observer->executed != nullptr) {
            options.observer = &made->observer.emplace(*observer);
        }
        made->session = std::make_unique<smsim::session::Session>(own, options);
        *session = made.release();
    });
}

void smsim_session_destroy(smsim_session *session) {
    delete session;
}

int smsim_session_map(smsim_session *session, uint64_t base, uint64_t bytes, const char *name) {
    return guarded([&] { required(session, "session").session->map(base, bytes, text_of(name, "name")); });
}

int smsim_session_write(smsim_session *session, uint64_t address, const void *from, size_t bytes) {
    return guarded([&] {
        const auto *first = static_cast<const std::uint8_t *>(from);
        required(session, "session").session->write(address, std::span(&required(first, "from"), bytes));
    });
}

int smsim_session_read(smsim_session *session, uint64_t address, void *to, size_t bytes) {
    return guarded([&] {
        auto *first = static_cast<std::uint8_t *>(to);
        required(session, "session").session->read(address, std::span(&required(first, "to"), bytes));
    });
}

int smsim_session_launch(smsim_session *session, const smsim_program *program, const smsim_launch *launch,
                         smsim_result *result) {
    return guarded([&] {
        smsim_session &own = required(session, "session");
        const smsim::Program &code = required(program, "program").program;
        const smsim_launch &asked = required(launch, "launch");
        smsim_result &into = required(result, "result");
        const smsim::Kernel &kernel = kernel_of(code, asked.kernel);
        const smsim::launch::Launch what = launch_of(asked);
        const std::vector<std::uint64_t> addresses(what.arguments.size()); // pointers are values here
        const smsim::session::LaunchResult ran = own.session->launch(code, kernel, what, addresses);
        const smsim::WarpSums totals = ran.stats.totals();
        own.exception = ran.exception;
        into = {ran.stats.cycles, ran.begin,      totals.instructions,     totals.thread_instructions,
                totals.warps,     ran.stats.ctas, ran.completed() ? 1 : 0, own.exception.c_str()};
    });
}
