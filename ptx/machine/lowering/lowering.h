// From regions to the instructions of one mechanism of reconvergence. All mechanisms are lowered from the same
// analysis (regions.h), so that they differ only in the mechanism (engines.md Lowering).
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "model/config/sections/bru.h"
#include "ptx/machine/call_graph.h"
#include "ptx/machine/regions.h"

namespace smsim::ptx::machine {

/// Whether a CALL may lead to a place where threads must be together (`is_sync`).
using CallsSync = std::function<bool(const Instruction &)>;

/// How calls return.
enum class ReturnAddress : std::uint8_t {
    kInRegisters, ///< LEPC makes it, CALL and RET use registers
    kOnStack,     ///< CAL puts it on the stack of the mechanism, RET takes it from there
};

class Lowering {
  public:
    virtual ~Lowering() = default;

    /// The engine that it writes for, as named by bru.engine.
    virtual std::string_view engine() const = 0;
    virtual ReturnAddress return_address() const { return ReturnAddress::kInRegisters; }

    /// Transforms the control flow of a function into a form that the mechanism supports, without its instructions.
    /// What is computed does not change. Throws InputError, with the line, where that is impossible.
    virtual void prepare(std::size_t function, const CallsSync &calls_sync);

    /// Writes the mechanism's instructions into a prepared function, whose `regions` these are. Callers precede
    /// callees. Throws InputError, with the line, for a function that the mechanism cannot run.
    virtual void lower(std::size_t function, const Regions &regions) = 0;
};

/// The lowering for an engine; both references must outlive it. `force`: functions that need independent progress are
/// lowered even if the mechanism has none; threads of such a warp may wait for one another for ever.
std::unique_ptr<Lowering> make_lowering(ReconvergenceEngineKind engine, Module &module, const CallGraph &calls,
                                        bool force);

/// Throws InputError when threads of a warp may wait for one another in the function, which `engine` does not support.
void refuse_waiting(const Module &module, const Function &function, const Regions &regions, std::string_view engine);

} // namespace smsim::ptx::machine
