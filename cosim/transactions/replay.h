// Replay into parts: each alone between stubs, made as in a run (docs/transactions.md).
#pragma once

#include <span>

#include "cosim/transactions/comparison.h"
#include "model/config/config.h"
#include "model/transactions/file.h"

namespace smsim::cosim::transactions {

/// Replays `parts` of `file` side by side, up to the first difference. The parts are those that `config` asks for,
/// which is a valid one. InputError for records that cannot be read or follow one another, and where a part refuses its
/// configuration.
///
/// SystemC elaborates once in a process: a second call in the same process ends in a SystemC error.
ReplayResult replay_into_parts(const File &file, const Config &config, std::span<const Part> parts);

} // namespace smsim::cosim::transactions
