// Runs kernels for any reconvergence engine whose threads store one number each.
#pragma once

#include <array>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "assembler/assembler.h"
#include "model/config/loader.h"
#include "session/session.h"

namespace smsim::test {

/// The outcome of a launch.
struct KernelRun {
    session::LaunchResult result;
    std::vector<std::uint32_t> numbers;

    std::uint64_t counter(std::string_view name) const {
        for (const EngineCounter &one : result.stats.bru.engine) {
            if (one.name == name) {
                return one.value;
            }
        }
        throw std::out_of_range(std::string(name));
    }
    /// Executions of the sync at `pc`.
    std::uint64_t executions(Pc pc) const { return result.stats.bru.syncs.at(pc).executions; }
};

/// Runs a kernel with one CTA of `threads` threads, each of which stores its number in the buffer given as argument;
/// hazards are exceptions.
inline KernelRun run_for_engine(std::string_view engine, const std::string &text, unsigned threads,
                                std::vector<std::string> settings = {}) {
    constexpr std::uint64_t kBuffer = 0x10000000;
    settings.insert(settings.begin(),
                    {fmt::format("bru.engine={}", engine), "sm.hazard_check=true", "sm.hazard_fatal=true"});
    const Config config = load_config(std::nullopt, settings);
    const Program program = assemble(text, "k.sasm", timing::SchedulingModel(config));
    session::Session session(config);
    session.map(kBuffer, std::uint64_t{threads} * 4, "numbers");
    launch::Launch what;
    what.path = "test";
    what.block = {threads, 1, 1};
    what.arguments.resize(1);
    what.arguments[0].is_buffer = true;
    const std::array<std::uint64_t, 1> addresses{kBuffer};
    KernelRun ran;
    ran.result = session.launch(program, program.kernels.at(0), what, addresses);
    std::vector<std::uint8_t> bytes(std::size_t{threads} * 4);
    session.read(kBuffer, bytes);
    ran.numbers.resize(threads);
    std::memcpy(ran.numbers.data(), bytes.data(), bytes.size());
    return ran;
}

/// What is wrong with the numbers of a run: nothing, the exception that ended it, or the first thread whose number
/// differs from `expected`.
template <typename Expected> std::string wrong_numbers(const KernelRun &ran, const Expected &expected) {
    if (!ran.result.completed()) {
        return ran.result.exception;
    }
    for (std::uint32_t tid = 0; tid < ran.numbers.size(); ++tid) {
        if (ran.numbers[tid] != expected(tid)) {
            return fmt::format("thread {} gives {}; expected {}", tid, ran.numbers[tid], expected(tid));
        }
    }
    return {};
}

} // namespace smsim::test
