// Runs small programs given as text on the oracle.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "assembler/assembler.h"
#include "model/config/loader.h"
#include "tb/oracle/oracle.h"

namespace smsim::oracle::test {

/// The address of the global buffer of a test.
inline constexpr std::uint64_t kBuffer = 0x10000;

/// A program given as text, with a launch that the test may change: one CTA of one warp, 64 registers, a buffer of 256
/// bytes whose address is in c[0x0][0x0] (and in c[0x0][0x8], so that pairs can be loaded).
struct Bench {
    Program program;
    Launch launch;

    explicit Bench(const std::string &text)
        : program(assemble(".kernel test\n" + text, "test.sasm", timing::SchedulingModel(load_config({}, {})))) {
        launch.program = &program;
        launch.block = {32, 1, 1};
        launch.registers = 64;
        launch.regions.push_back({kBuffer, std::vector<std::uint8_t>(256)});
        launch.constants[0].resize(16);
        std::memcpy(launch.constants[0].data(), &kBuffer, sizeof(kBuffer));
        std::memcpy(launch.constants[0].data() + 8, &kBuffer, sizeof(kBuffer));
    }
    Bench(const Bench &) = delete; // the launch points to the program
    Bench &operator=(const Bench &) = delete;

    Result run(std::uint64_t seed = 1) const { return oracle::run(launch, {.seed = seed, .step_limit = 1'000'000}); }

    /// Runs to the end, which must be without a failure.
    Result finish(std::uint64_t seed = 1) const {
        Result result = run(seed);
        EXPECT_FALSE(result.failure) << result.failure->detail;
        return result;
    }

    /// The failure of a run that must have one.
    Failure fail(std::uint64_t seed = 1) const {
        const Result result = run(seed);
        EXPECT_TRUE(result.failure) << "the run ended well";
        return result.failure.value_or(Failure{Failure::Kind::kTooLong, Fault::kWatchdog, "none"});
    }

    /// The fault of a run that must end with one.
    std::string fault(std::uint64_t seed = 1) const {
        const Failure failure = fail(seed);
        EXPECT_EQ(failure.kind, Failure::Kind::kFault) << failure.detail;
        return fault_name(failure.fault);
    }
};

/// Register `number` of every thread.
inline std::vector<std::uint32_t> registers(const Result &result, unsigned number) {
    std::vector<std::uint32_t> values;
    for (const ThreadState &thread : result.threads) {
        values.push_back(thread.registers.at(number));
    }
    return values;
}

/// Register `number` of thread 0 of a program of one thread; EXIT is added.
inline std::uint32_t compute(const std::string &text, unsigned number = 0) {
    Bench bench(text + "\nEXIT;");
    bench.launch.block = {1, 1, 1};
    return bench.finish().threads.at(0).registers.at(number);
}

/// Whether predicate `number` of such a program is true.
inline bool compute_predicate(const std::string &text, unsigned number = 0) {
    Bench bench(text + "\nEXIT;");
    bench.launch.block = {1, 1, 1};
    return ((bench.finish().threads.at(0).predicates >> number) & 1) != 0;
}

} // namespace smsim::oracle::test
