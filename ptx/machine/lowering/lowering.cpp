#include "ptx/machine/lowering/lowering.h"

#include <fmt/format.h>

#include "model/error.h"
#include "ptx/machine/lowering/convergence_barrier.h"
#include "ptx/machine/lowering/simt_stack.h"
#include "ptx/machine/lowering/token_stack.h"

namespace smsim::ptx::machine {

void Lowering::prepare(std::size_t, const CallsSync &) {}

std::unique_ptr<Lowering> make_lowering(ReconvergenceEngineKind engine, Module &module, const CallGraph &calls,
                                        bool force) {
    switch (engine) {
    case ReconvergenceEngineKind::kSimtStack:
        return std::make_unique<SimtStackLowering>(module, calls, force);
    case ReconvergenceEngineKind::kTokenStack:
        return std::make_unique<TokenStackLowering>(module, force);
    default:
        return std::make_unique<ConvergenceBarrierLowering>(module, calls);
    }
}

void refuse_waiting(const Module &module, const Function &function, const Regions &regions, std::string_view engine) {
    if (regions.needs_progress == kNoBlock) {
        return;
    }
    const Block &block = function.blocks[regions.needs_progress];
    const std::uint32_t line =
        block.code.empty() || block.code.front().line == 0 ? block.end.line : block.code.front().line;
    throw InputError(fmt::format(
        "{}:{}:1: '{}' may need independent progress of the threads of a warp, which {} does not have: in this loop "
        "threads may wait for what others write, and a waiting thread holds back those of its warp that are in "
        "other places; --force compiles it anyway",
        module.file, line, function.name, engine));
}

} // namespace smsim::ptx::machine
