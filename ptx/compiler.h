// PTX text to programs of the model (docs/ptx.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/config/sections/bru.h"
#include "model/program/program.h"
#include "model/timing/dependence.h"
#include "ptx/compile_log.h"
#include "ptx/left_out.h"

namespace smsim::ptx {

struct CompileOptions {
    unsigned level = 3;       ///< of optimisation, 0 to 3 (ptx/optimise/optimise.h)
    unsigned registers = 255; ///< maximum general registers per thread, 16 to 255; what does not fit is spilled
    /// Bytes of a thread's local memory for recursive functions, beyond one frame of each. If empty, 1024 as in CUDA;
    /// none for functions that might only recurse through pointers.
    std::optional<std::uint32_t> stack_bytes{};
    /// The reconvergence engine that the code is for.
    ReconvergenceEngineKind engine = ReconvergenceEngineKind::kConvergenceBarrier;
    /// On an engine without independent progress: also compiles code in which threads of a warp may wait for one
    /// another.
    bool force = false;
    /// Most steps of a product of one instruction that the machine has (`tensor.steps`): those of wmma become several.
    unsigned matrix_steps = 2;
    PassChoice passes{}; ///< of the optimiser; with all of them the code is as fast as the level allows
    /// Records what the passes do; null: no log.
    CompileLog *log = nullptr;
    /// Receives the kernels that need what is not covered, or what the engine cannot run; they are left out if another
    /// kernel remains. Null: what is not covered is an error of the module.
    std::vector<LeftOut> *left_out = nullptr;
};

/// The assembly of a module, with its PTX lines as comments; assembling it gives the result of `compile` except for
/// the line table. Messages refer to `file`. Throws InputError for what the parser or the checker rejects, for
/// functions without body, for data or frames that are too large, and for what the engine cannot run.
std::string compile_to_assembly(std::string_view text, const std::string &file, const CompileOptions &options = {});

/// The program of a module, scheduled for `model`. Its line table names lines of the PTX file, or, if the module has
/// `.loc` directives, of the source that it was made from (then without the source's text). Throws like
/// `compile_to_assembly`.
Program compile(std::string_view text, const std::string &file, const timing::SchedulingModel &model,
                const CompileOptions &options = {});

} // namespace smsim::ptx
