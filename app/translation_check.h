// Translation validation: compares what a kernel computes after every pass of the compiler with the interpreter of PTX
// and with the code as it was selected (docs/ptx-compiler.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/program_file.h"
#include "app/simulate.h"
#include "model/launch/launch.h"
#include "ptx/compiler.h"

namespace smsim {
struct Config;
}

namespace smsim::app {

/// The outcome of one launch.
struct TranslationVerdict {
    std::string kernel;
    unsigned runs = 0;              ///< of passes, each followed by a run of the model; one more run without passes
    std::uint64_t instructions = 0; ///< of all threads, in PTX
    std::uint64_t words = 0;        ///< of buffers that were compared after each
    /// Of `words`, floats that are not bit-identical to the interpreter's, but within its tolerance.
    std::uint64_t near = 0;
    std::vector<std::string> differences; ///< a line each
    std::string inconclusive;             ///< why there is nothing to compare; empty: there was something
};

/// Launches with random arguments, `count` for each kernel of the module: buffers of small numbers, of floats and of
/// any words for 64-bit parameters, small numbers for others. Throws InputError for a kernel with parameters that are
/// neither, and for a module without a kernel.
std::vector<launch::Launch> random_launches(const PtxSource &source, unsigned count, std::uint64_t seed);

/// Runs a launch on the interpreter, and on the model (`simulation`, in separate processes) after no pass of the
/// optimiser, after one, and so on up to all that `compile.level` has. Compares the buffers that the launch checks, or
/// all when it checks none. Throws InputError for a module that is rejected.
TranslationVerdict check_translation(const PtxSource &source, const launch::Launch &launch, const Config &config,
                                     const ptx::CompileOptions &compile, const Simulation &simulation);

} // namespace smsim::app
