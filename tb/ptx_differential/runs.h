// One PTX program on the interpreter and on the model, with the same launch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/config/config.h"
#include "model/launch/launch.h"
#include "ptx/compiler.h"

namespace smsim::ptx_differential {

/// What a run has left behind.
struct Ran {
    std::string error;                              ///< why there is no result; empty: there is one
    std::string printed;                            ///< by vprintf
    std::vector<std::vector<std::uint8_t>> buffers; ///< of the arguments that are buffers, in their order
    std::uint64_t instructions = 0;                 ///< of threads (interpreter), of warps (model)
};

/// Runs kernel `launch.kernel` of the module on the interpreter.
Ran run_interpreter(const std::string &text, const launch::Launch &launch, std::uint64_t max_steps = 100'000'000);

/// Compiles the module and runs the kernel on the model, in a process of its own. A refusal of the compiler is an error
/// that begins with "refused: ". `code`: level, passes and most registers per thread; the engine is the
/// configuration's, and programs whose threads wait are forced on it.
Ran run_model(const std::string &text, const launch::Launch &launch, const Config &config = {},
              ptx::CompileOptions code = {});

/// An argument that is a buffer of 32-bit words.
launch::Argument buffer_argument(const std::string &name, const std::vector<std::uint32_t> &words);
/// A 64-bit argument.
launch::Argument scalar_argument(const std::string &name, std::uint64_t value);

/// The launch as the text of a launch file for the program `program`.
std::string launch_text(const launch::Launch &launch, const std::string &program);

} // namespace smsim::ptx_differential
