#include "cosim/bru_blocks.h"

namespace smsim::cosim {

const BruBlock &bru_block(const BruConfig &config) {
    static constexpr BruBlock kConvergenceBarrier{BlockKind::kBru, 4, "docs/branch-unit.md"};
    static constexpr BruBlock kSimtStack{BlockKind::kBruSimtStack, 5, "docs/reconvergence.md, simt_stack"};
    static constexpr BruBlock kTokenStack{BlockKind::kBruTokenStack, 5, "docs/reconvergence.md, token_stack"};
    switch (config.engine) {
    case ReconvergenceEngineKind::kSimtStack:
        return kSimtStack;
    case ReconvergenceEngineKind::kTokenStack:
        return kTokenStack;
    default:
        return kConvergenceBarrier;
    }
}

} // namespace smsim::cosim
