// Random designs: whatever takes time may take another time, and results must not change.
#pragma once

#include <cstdint>

#include "tb/fuzz/run_model.h"

namespace smsim::fuzz {

/// The design of a seed, large enough for a CTA of `threads` threads: a quarter of the seeds give the default, the
/// others random latencies, policies, depths, sub-partitions, pipelines, caches, clocks, and the order of construction.
ModelRun vary(std::uint64_t seed, std::uint32_t threads);

} // namespace smsim::fuzz
