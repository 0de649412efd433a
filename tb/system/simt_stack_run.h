// Runs kernels for the engine simt_stack whose threads store one number each.
#pragma once

#include <string>
#include <vector>

#include "tb/system/engine_run.h"

namespace smsim::test::simt_stack {

/// R0 is the thread, R4 its number; `body` computes it, `functions` follow the kernel.
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

/// Runs a kernel with one CTA of `threads` threads; hazards are exceptions.
inline KernelRun run(const std::string &text, unsigned threads, std::vector<std::string> settings = {}) {
    return run_for_engine("simt_stack", text, threads, std::move(settings));
}

} // namespace smsim::test::simt_stack
