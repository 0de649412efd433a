#include "tb/fuzz/programs/model_watcher.h"

#include "model/config/config.h"
#include "tb/fuzz/programs/simt_rules.h"
#include "tb/fuzz/programs/stack_watcher.h"
#include "tb/fuzz/programs/token_rules.h"
#include "tb/fuzz/programs/watcher.h"

namespace smsim::fuzz {

void ModelWatcher::ended(const WarpStart &start, const sm::compute::WarpRegisters &registers) {
    EndedWarp &warp = warps_.emplace_back();
    warp.cta = start.cta_number;
    warp.warp_in_cta = start.warp_in_cta;
    warp.lanes = start.valid;
    warp.rows.resize(registers_);
    for (unsigned reg = 0; reg < registers_; ++reg) {
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            warp.rows[reg][lane] = registers.value(static_cast<std::uint8_t>(reg), lane);
        }
    }
    for (std::uint8_t p = 0; p < 7; ++p) {
        warp.predicates[p] = registers.predicate(p);
    }
}

std::unique_ptr<ModelWatcher> watcher_for(const Program &program, unsigned registers, CoverageCounts *counts,
                                          const Config &config) {
    switch (config.bru.engine) {
    case ReconvergenceEngineKind::kSimtStack:
        return std::make_unique<StackWatcher<SimtRules>>(program, registers, counts, config.bru);
    case ReconvergenceEngineKind::kTokenStack:
        return std::make_unique<StackWatcher<TokenRules>>(program, registers, counts, config.bru);
    default:
        return std::make_unique<Watcher>(program, registers, counts, config.bru);
    }
}

} // namespace smsim::fuzz
