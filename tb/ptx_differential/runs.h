// Runs one PTX program on the interpreter and on the model, with the same launch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/config/config.h"
#include "model/launch/launch.h"
#include "ptx/compiler.h"

namespace smsim::ptx_differential {

/// The outcome of a run.
struct Ran {
    std::string error;                              ///< why there is no result; empty if there is one
    std::string printed;                            ///< by vprintf
    std::vector<std::vector<std::uint8_t>> buffers; ///< contents of the buffer arguments, in order
    std::uint64_t instructions = 0;                 ///< of threads (interpreter), of warps (model)
};

/// Runs kernel `launch.kernel` of the module on the interpreter. `tensor`: how products of matrices are rounded.
Ran run_interpreter(const std::string &text, const launch::Launch &launch, std::uint64_t max_steps = 100'000'000,
                    const TensorConfig &tensor = {});

/// Compiles the module and runs the kernel on the model, in a separate process. A rejection by the compiler is an
/// error that begins with "refused: ". `code`: level, passes and most registers per thread; the engine is the
/// configuration's, and programs whose threads wait are compiled for it anyway.
Ran run_model(const std::string &text, const launch::Launch &launch, const Config &config = {},
              ptx::CompileOptions code = {});

/// An argument that is a buffer of 32-bit words.
launch::Argument buffer_argument(const std::string &name, const std::vector<std::uint32_t> &words);
/// A 64-bit argument.
launch::Argument scalar_argument(const std::string &name, std::uint64_t value);

/// The launch as the text of a launch file for the program `program`.
std::string launch_text(const launch::Launch &launch, const std::string &program);

} // namespace smsim::ptx_differential
