// Register numbers and frame positions for all functions of a module: callees before callers, because a caller must
// know which registers a call changes, and how much local memory it takes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "ptx/machine/allocate.h"
#include "ptx/machine/call_graph.h"
#include "ptx/machine/module.h"

namespace smsim::ptx::machine {

/// Bytes of local memory of a thread for recursion by default, as in CUDA.
inline constexpr std::uint32_t kStackBytes = 1024;

struct NumberingRules {
    unsigned registers = kGeneralRegisters; ///< maximum per thread; what does not fit is spilled
    bool rotate = false;                    ///< AllocationRules::rotate, of kernels
    /// Bytes of a thread's local memory for the further frames of recursive functions. If empty, kStackBytes where
    /// they recurse by name, none where they might recurse only through pointers.
    std::optional<std::uint32_t> stack_bytes{};
    std::function<void(const Function &)> ordered{}; ///< called when the instructions of a function are in their final
                                                     ///< order
};

/// The outcome of one function.
struct Numbering {
    Allocation allocation;
    std::uint32_t frames_bytes = 0; ///< of local memory: its frame and those of all that it calls, each once
    // Of kernels:
    unsigned kernel_registers = 1; ///< per thread, including those of called functions
    std::uint32_t local_bytes = 0; ///< frames, stack and memory of alloca
    bool has_alloca = false;       ///< some function of the module has one
};

/// Orders the instructions of all functions and numbers their registers. Throws InputError, with the line, for an
/// instruction that needs more registers than exist, for frames beyond kMostFrameBytes, and for kernels that have both
/// recursion and alloca: nothing would keep their memories apart.
std::vector<Numbering> number_module(Module &module, const CallGraph &calls, const NumberingRules &rules);

} // namespace smsim::ptx::machine
