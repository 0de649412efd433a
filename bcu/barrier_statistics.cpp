#include "bcu/barrier_statistics.h"

#include <vector>

namespace smsim::bcu {

BarrierWarpStats &warp_stats(BcuStats &stats, BarrierId id, std::uint32_t warp) {
    std::vector<BarrierWarpStats> &warps = stats.barriers[id.value()].warps;
    if (warp >= warps.size()) {
        warps.resize(warp + 1);
    }
    return warps[warp];
}

void count_arrival(BcuStats &stats, std::uint32_t warp, const isa::Instruction &insn, const Effect &effect) {
    BarrierStats &barrier = stats.barriers[effect.arrived->value()];
    BarrierWarpStats &by_warp = warp_stats(stats, *effect.arrived, warp);
    const bool waits = isa::waits_at_barrier(insn);
    ++(waits ? barrier.arrivals : barrier.arrivals_nonblocking);
    ++(waits ? by_warp.arrivals : by_warp.arrivals_nonblocking);
    by_warp.last_arrivals += effect.completion ? 1 : 0;
}

void count_completion(BcuStats &stats, const Completion &completion) {
    BarrierStats &barrier = stats.barriers[completion.id.value()];
    ++barrier.completions;
    barrier.reductions += completion.state.kind == BarrierKind::kRed ? 1 : 0;
}

} // namespace smsim::bcu
