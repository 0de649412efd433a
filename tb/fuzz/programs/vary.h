// Random designs: everything that takes time may take a different time, and results must not change.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/program/program.h"
#include "tb/fuzz/programs/run_model.h"

namespace smsim::fuzz {

/// The design of a seed, large enough for a CTA of `threads` threads: a quarter of the seeds give the default, the
/// others random latencies, policies, depths, sub-partitions, pipelines, caches, clocks, and the order of construction.
ModelRun vary(std::uint64_t seed, std::uint32_t threads);

/// The same with the given engine, and `settings` ("bru.election=oldest") applied last. Throws InputError if they are
/// wrong or inconsistent with the rest of the design.
ModelRun vary(std::uint64_t seed, std::uint32_t threads, const std::vector<std::string> &settings,
              std::string_view engine = kDefaultEngine);

} // namespace smsim::fuzz
