// Translation validation: what a kernel computes behind every pass of the compiler, against the interpreter of PTX and
// against the code as it was selected (docs/ptx-compiler.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/program_file.h"
#include "app/simulate.h"
#include "model/config/config.h"
#include "model/launch/launch.h"
#include "ptx/compiler.h"

namespace smsim::app {

/// What came of one launch.
struct TranslationVerdict {
    std::string kernel;
    unsigned runs = 0;              ///< of passes, each with a run of the model behind it; one more for none
    std::uint64_t instructions = 0; ///< of all threads, in PTX
    std::uint64_t words = 0;        ///< of buffers that were compared behind each
    std::uint64_t near = 0; ///< of these, floats that are not the interpreter's to the bit, within its tolerance
    std::vector<std::string> differences; ///< a line each
    std::string inconclusive;             ///< why there is nothing to compare; empty: there was
};

/// Launches with random arguments, `count` for each kernel of the module: buffers of small numbers, of floats and of
/// any words for 64-bit parameters, small numbers for others. Throws InputError for a kernel with parameters that are
/// neither, and for a module without kernel.
std::vector<launch::Launch> random_launches(const PtxSource &source, unsigned count, std::uint64_t seed);

/// Runs a launch on the interpreter, and on the model (`simulation`, in processes of their own) behind no pass of the
/// optimiser, behind one, and so on to all that `compile.level` has. The buffers that
/// the launch checks are compared, all when it checks none. Throws InputError for a module that is refused.
TranslationVerdict check_translation(const PtxSource &source, const launch::Launch &launch, const Config &config,
                                     const ptx::CompileOptions &compile, const Simulation &simulation);

} // namespace smsim::app
