// Chooses the reconvergence engine by configuration; defaults for engines.
#include "bru/reconvergence_engine.h"

#include <stdexcept>

#include "bru/engines/convergence_barrier/engine.h"
#include "bru/engines/simt_stack/engine.h"
#include "bru/engines/token_stack/engine.h"

namespace smsim::bru {

void ReconvergenceEngine::runs(WarpSlot, const Program &) {}

std::any ReconvergenceEngine::save(WarpSlot) const {
    throw std::logic_error("this reconvergence engine cannot hand a warp over");
}

void ReconvergenceEngine::restore(WarpSlot, const std::any &) {
    throw std::logic_error("this reconvergence engine cannot take a warp over");
}

std::string ReconvergenceEngine::held_back(WarpSlot) const {
    return {};
}

std::vector<EngineCounter> ReconvergenceEngine::counters() const {
    return {};
}

std::optional<LevelName> ReconvergenceEngine::measured() const {
    return std::nullopt;
}

std::uint64_t ReconvergenceEngine::level(WarpSlot) const {
    return 0;
}

std::unique_ptr<ReconvergenceEngine> make_engine(const BruConfig &config, std::uint32_t warps) {
    switch (config.engine) {
    case ReconvergenceEngineKind::kConvergenceBarrier:
        return std::make_unique<convergence_barrier::Engine>(config, warps);
    case ReconvergenceEngineKind::kSimtStack:
        return std::make_unique<simt_stack::Engine>(config, warps);
    case ReconvergenceEngineKind::kTokenStack:
        return std::make_unique<token_stack::Engine>(config, warps);
    }
    throw InputError("bru.engine: unknown engine; expected convergence_barrier, simt_stack or token_stack");
}

} // namespace smsim::bru
