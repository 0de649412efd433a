// Random PTX programs on the model and on the interpreter, in sequence.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tb/fuzz/ptx/tree.h"
#include "tb/ptx_differential/runs.h"

namespace smsim::ptx_fuzz {

struct Failure {
    std::uint64_t seed = 0;
    std::string message;
};

struct Summary {
    std::uint64_t programs = 0;
    std::uint64_t refused = 0; ///< programs that the engine cannot hold
    std::uint64_t warp_instructions = 0;
    std::uint64_t thread_instructions = 0; ///< of the interpreter, in PTX
    double seconds = 0;
    std::vector<Failure> failures;
};

struct Options {
    std::uint64_t programs = 100;
    std::uint64_t first_seed = 1;
    ReconvergenceEngineKind engine = ReconvergenceEngineKind::kConvergenceBarrier;
    bool vary_design = true; ///< other designs of the SM for other seeds
    /// Other levels, passes and single passes for other seeds; if false, all passes of the highest level.
    bool vary_passes = false;
    bool beyond_compiler = false; ///< of the trees
    std::function<void(const Summary &)> progress;
};

/// Level and passes for compiling the program of a seed: by turns a level, one pass alone, or a number of runs of
/// passes.
ptx::CompileOptions varied_passes(std::uint64_t seed);

/// Why model and interpreter disagree on the program; empty if they agree, or if the compiler reports that the engine
/// cannot hold it. Counts what was executed.
std::string judge(const Tree &tree, const Options &options, Summary &summary);

Summary run_campaign(const Options &options);

/// The smallest tree found by removing parts that still fails; `runs`: programs tried at most.
Tree shrink(Tree tree, const Options &options, unsigned runs);

/// Writes the program and its launch file as NAME.ptx and NAME.yaml into `folder`.
void write_reproducer(const Tree &tree, const std::string &message, const std::string &folder);

} // namespace smsim::ptx_fuzz
