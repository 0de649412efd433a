// Runs kernels for the engine simt_stack whose threads store one number each.
#pragma once

#include <array>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "model/assembler/assembler.h"
#include "model/config/loader.h"
#include "session/session.h"

namespace smsim::test::simt_stack {

inline constexpr std::uint64_t kBuffer = 0x10000000;

/// R0 is the thread, R4 its number; `body` computes it, `functions` stand behind the kernel.
inline std::string kernel(const std::string &body, const std::string &functions = {}) {
    return ".engine simt_stack\n"
           ".kernel k\n"
           ".shared 0x400\n"
           "    S2R R0, SR_TID.X;\n"
           "    MOV R1, 0x4;\n"
           "    IMAD.WIDE.U32 R[2:3], R0, R1, c[0x0][0x160];\n"
           "    MOV R4, RZ;\n" +
           body +
           "    STG [R[2:3]], R4;\n"
           "end:\n"
           "    JOIN;\n"
           "    ENDPRG;\n" +
           (functions.empty() ? "" : ".endkernel\n" + functions);
}

/// What became of a launch.
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
    /// Executions of the JOIN at `pc`.
    std::uint64_t executions(Pc pc) const { return result.stats.bru.syncs.at(pc).executions; }
};

/// Runs the one CTA of a kernel with `threads` threads; hazards are exceptions.
inline KernelRun run(const std::string &text, unsigned threads, std::vector<std::string> settings = {}) {
    settings.insert(settings.begin(), {"bru.engine=simt_stack", "sm.hazard_check=true", "sm.hazard_fatal=true"});
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

} // namespace smsim::test::simt_stack
