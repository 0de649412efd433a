// Choice of the reconvergence engine by configuration.
#include "bru/reconvergence_engine.h"

#include "bru/engines/convergence_barrier/engine.h"

namespace smsim::bru {

std::unique_ptr<ReconvergenceEngine> make_engine(const BruConfig &config, std::uint32_t warps) {
    switch (config.engine) {
    case ReconvergenceEngineKind::kConvergenceBarrier:
        return std::make_unique<convergence_barrier::Engine>(config, warps);
    }
    throw InputError("bru.engine: unknown engine; expected convergence_barrier");
}

} // namespace smsim::bru
