// Runs PTX on the model for tests: compile, launch, read back. One run per process (SystemC elaborates once).
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "model/config/config.h"
#include "model/timing/dependence.h"
#include "ptx/compiler.h"
#include "session/simulation.h"

namespace smsim::ptx::tb {

/// A module with one kernel `k` that takes the address of a buffer as parameter `out`, and `body` between its braces.
/// %rd1 holds the address of this thread's 8 bytes of the buffer, %r0 its number in the CTA, %p0, %r1-%r9, %rd2-%rd9
/// are free.
inline std::string kernel_with(const std::string &body, const std::string &before = "") {
    return ".version 8.0\n.target sm_90\n.address_size 64\n" + before + R"(
.visible .entry k(.param .u64 out)
{
    .reg .pred %p<10>;
    .reg .b16 %h<10>;
    .reg .b32 %r<40>;
    .reg .f32 %f<10>;
    .reg .b64 %rd<20>;
    .reg .f64 %fd<10>;
    mov.u32 %r0, %tid.x;
    ld.param.u64 %rd0, [out];
    mad.wide.u32 %rd1, %r0, 8, %rd0;
)" + body + "\n}\n";
}

struct RunResult {
    std::vector<std::uint64_t> out; ///< 8 bytes per thread, `words` times
    std::string exception;
    std::string printed; ///< by vprintf
    RunStats stats;
};

/// Runs kernel `k` with one CTA of `threads`; the buffer has 8 * `words` bytes per thread and begins as zeros.
inline RunResult run_kernel(const std::string &ptx, unsigned threads, const CompileOptions &options = {},
                            unsigned words = 1) {
    Config config;
    config.sm.hazard_check = true;
    config.bru.engine = options.engine;
    const Program program = compile(ptx, "test.ptx", timing::SchedulingModel(config), options);
    launch::Launch launch;
    launch.block = {threads, 1, 1};
    launch::Argument out;
    out.name = "out";
    out.type = launch::ElementType::kU64;
    out.is_buffer = true;
    out.count = std::uint64_t{threads} * words;
    launch.arguments.push_back(out);
    const session::SimulationResult result = session::simulate(config, program, *program.find_kernel("k"), launch);
    RunResult found;
    found.exception = result.exception;
    found.printed = result.printed;
    found.stats = result.stats;
    found.out.resize(std::size_t{threads} * words);
    std::memcpy(found.out.data(), result.buffers.at(0).data(), 8 * found.out.size());
    return found;
}

/// Like run_kernel, for a body; the run must end without exception.
inline std::vector<std::uint64_t> run_body(const std::string &body, unsigned threads, const std::string &before = "",
                                           const CompileOptions &options = {}) {
    const RunResult result = run_kernel(kernel_with(body, before), threads, options);
    EXPECT_EQ(result.exception, "");
    return result.out;
}

} // namespace smsim::ptx::tb
