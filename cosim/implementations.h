// Selects, by the configuration, which parts of an SM are made of RTL.
#pragma once

#include <memory>
#include <string>

#include "cosim/recent_transactions.h"
#include "sm/part_factory.h"

namespace smsim {
struct Config;
}

namespace smsim::cosim {

/// A factory for the parts that `config` selects: `bru.implementation`, `bcu.implementation`, `timer.implementation`,
/// `shared.implementation`. Each table has the entries "rtl" and "lockstep" beside "standard". Errors of RTL blocks
/// are reported to `findings`. Blocks from libraries write waveforms of their internals to `PART.vcd` in the folder
/// `waveforms`, unless it is empty.
sm::PartFactory factory_of(const Config &config, const std::shared_ptr<Findings> &findings,
                           const std::string &waveforms = {});

} // namespace smsim::cosim
