// Counts what barrier instructions did, without timing: the BCU adds waiting cycles. No SystemC.
#pragma once

#include <cstdint>

#include "bcu/barrier.h"
#include "model/isa/instruction.h"
#include "model/stats/statistics.h"

namespace smsim::bcu {

/// The counters of the warps with number `warp` in their CTA at barrier `id`.
BarrierWarpStats &warp_stats(BcuStats &stats, BarrierId id, std::uint32_t warp);
/// Counts the arrival made by `insn` of warp `warp` of its CTA: `effect.arrived` is set.
void count_arrival(BcuStats &stats, std::uint32_t warp, const isa::Instruction &insn, const Effect &effect);
/// Counts a completed barrier.
void count_completion(BcuStats &stats, const Completion &completion);

} // namespace smsim::bcu
