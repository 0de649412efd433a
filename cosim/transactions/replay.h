// Replay into parts: each one alone between stubs, and made as in a run (docs/transactions.md).
#pragma once

#include <span>

#include "cosim/transactions/comparison.h"
#include "model/transactions/file.h"

namespace smsim {
struct Config;
}

namespace smsim::cosim::transactions {

/// Replays `parts` of `file` side by side, up to the first difference. `config`, which must be valid, selects the
/// implementation of the parts. InputError for records that cannot be read or that cannot follow one another, and when
/// a part rejects its configuration.
///
/// SystemC elaborates only once in a process: a second call ends in a SystemC error.
ReplayResult replay_into_parts(const File &file, const Config &config, std::span<const Part> parts);

} // namespace smsim::cosim::transactions
