// The model's side of a comparison: compilation and simulation in a separate process.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "model/config/config.h"
#include "model/error.h"
#include "ptx/compiler.h"
#include "session/simulation.h"
#include "tb/fuzz/programs/run_model.h"
#include "tb/ptx_differential/runs.h"

namespace smsim::ptx_differential {

namespace {

constexpr std::size_t kChannelBytes = std::size_t{32} << 20;
constexpr unsigned kSeconds = 120;
constexpr Cycle kWatchdog = 1'000'000'000;

/// Sizes first, then contents, in sequence.
class Channel {
  public:
    explicit Channel(fuzz::SharedBytes &bytes) : bytes_(bytes) {}

    void put(const void *from, std::size_t size) {
        const std::size_t fits = std::min(size, bytes_.size() - std::min(at_ + 8, bytes_.size()));
        std::memcpy(bytes_.data() + at_, &fits, 8);
        if (fits != 0) {
            std::memcpy(bytes_.data() + at_ + 8, from, fits);
        }
        at_ += 8 + fits;
    }
    std::vector<std::uint8_t> get() {
        std::size_t size = 0;
        std::memcpy(&size, bytes_.data() + at_, 8);
        const std::uint8_t *from = bytes_.data() + at_ + 8;
        at_ += 8 + size;
        return {from, from + size};
    }

  private:
    fuzz::SharedBytes &bytes_;
    std::size_t at_ = 0;
};

/// The most registers per thread with which one CTA fits even a small machine.
unsigned register_limit(const launch::Launch &launch, const Config &config) {
    const unsigned warps = (launch.block[0] * launch.block[1] * launch.block[2] + 31) / 32;
    const unsigned parts = config.sm.sub_partitions;
    const unsigned each = config.sm.registers / parts / ((warps + parts - 1) / parts) / config.sm.register_unit *
                          config.sm.register_unit / 32;
    return std::clamp(each, 16U, 255U);
}

Ran simulated(const std::string &text, const launch::Launch &launch, Config config, ptx::CompileOptions code) {
    Ran ran;
    config.sm.watchdog_cycles = kWatchdog;
    config.sm.hazard_check = true;
    try {
        code.registers = std::min(code.registers, register_limit(launch, config));
        code.engine = config.bru.engine;
        code.matrix_steps = config.tensor.steps;
        code.force = true; // programs that wait are not meant for the stack engines
        const Program program = ptx::compile(text, "kernel.ptx", timing::SchedulingModel(config), code);
        const Kernel *kernel = program.find_kernel(launch.kernel);
        if (kernel == nullptr) {
            ran.error = "the program has no kernel '" + launch.kernel + "'";
            return ran;
        }
        session::SimulationResult result = session::simulate(config, program, *kernel, launch);
        ran.printed = std::move(result.printed);
        if (result.fault) {
            ran.error = result.exception;
        } else if (!result.stats.hazards.empty()) {
            const Hazard &hazard = result.stats.hazards.front();
            ran.error = fmt::format("hazard on {}{} between {:#x} and {:#x}", hazard.space, int{hazard.index},
                                    hazard.first, hazard.second);
        }
        for (const WarpStats &warp : result.stats.warps) {
            ran.instructions += warp.instructions;
        }
        for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
            if (launch.arguments[i].is_buffer) {
                ran.buffers.push_back(std::move(result.buffers[i]));
            }
        }
    } catch (const InputError &error) {
        ran.error = fmt::format("refused: {}", error.what());
    } catch (const std::exception &error) {
        ran.error = fmt::format("exception: {}", error.what());
    }
    return ran;
}

} // namespace

Ran run_model(const std::string &text, const launch::Launch &launch, const Config &config, ptx::CompileOptions code) {
    static fuzz::SharedBytes shared(kChannelBytes);
    std::memset(shared.data(), 0, 64);
    const pid_t child = fork();
    if (child == 0) {
        fuzz::limit_computing(kSeconds);
        const Ran ran = simulated(text, launch, config, std::move(code));
        Channel to(shared);
        to.put(ran.error.data(), ran.error.size());
        to.put(&ran.instructions, sizeof ran.instructions);
        to.put(ran.printed.data(), ran.printed.size());
        for (const auto &buffer : ran.buffers) {
            to.put(buffer.data(), buffer.size());
        }
        fuzz::end_child();
    }
    Ran ran;
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) {
        ran.error = "no process could be started";
        return ran;
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        ran.error = WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF
                        ? fmt::format("the model has not ended after {} seconds", kSeconds)
                        : fmt::format("the model has crashed, wait status {:#x}", status);
        return ran;
    }
    Channel from(shared);
    const auto error = from.get();
    ran.error.assign(error.begin(), error.end());
    const auto instructions = from.get();
    std::memcpy(&ran.instructions, instructions.data(), std::min(instructions.size(), sizeof ran.instructions));
    const auto printed = from.get();
    ran.printed.assign(printed.begin(), printed.end());
    for (const launch::Argument &argument : launch.arguments) {
        if (argument.is_buffer && ran.error.empty()) {
            ran.buffers.push_back(from.get());
        }
    }
    return ran;
}

} // namespace smsim::ptx_differential
