// PTX text to programs of the model (docs/ptx.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/config/config.h"
#include "model/program/program.h"
#include "model/timing/dependence.h"
#include "ptx/compile_log.h"
#include "ptx/left_out.h"

namespace smsim::ptx {

struct CompileOptions {
    unsigned level = 3;       ///< of optimisation, 0 to 3 (ptx/optimise/optimise.h)
    unsigned registers = 255; ///< most general registers per thread, 16 to 255; what does not fit is spilled
    /// Bytes of a thread's local memory for functions that call themselves, beyond one frame of each. Not given: 1024
    /// as in CUDA; none for those that might do so through pointers only.
    std::optional<std::uint32_t> stack_bytes{};
    /// The mechanism of reconvergence that the code is for.
    ReconvergenceEngineKind engine = ReconvergenceEngineKind::kConvergenceBarrier;
    /// On an engine without independent progress: also code in which threads of a warp may wait for one another.
    bool force = false;
    PassChoice passes{}; ///< of the optimiser; with all of them the code is as fast as the level allows
    /// Takes what the passes do; null: nobody asks.
    CompileLog *log = nullptr;
    /// Takes the kernels that need what is not covered, or what the engine cannot run, and are no part of the program;
    /// there is another one then. Null: what a function has of it is an error of the module.
    std::vector<LeftOut> *left_out = nullptr;
};

/// The assembly of a module, with its PTX lines as comments; assembling it gives what `compile` gives, but for the line
/// table. `file` stands in messages. Throws InputError for what the parser or the checker refuses, for
/// functions without body, data or frames that are too large, and for what the engine cannot run.
std::string compile_to_assembly(std::string_view text, const std::string &file, const CompileOptions &options = {});

/// The program of a module, scheduled for `model`. Its line table names lines of the PTX file, or, where the module has
/// `.loc` directives, of the source that it was made from (then without the source's text). Throws as
/// `compile_to_assembly`.
Program compile(std::string_view text, const std::string &file, const timing::SchedulingModel &model,
                const CompileOptions &options = {});

} // namespace smsim::ptx
