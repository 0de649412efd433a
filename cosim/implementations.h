// Which parts of an SM are made of RTL, as a configuration asks for.
#pragma once

#include <memory>
#include <string>

#include "cosim/witness.h"
#include "model/config/config.h"
#include "sm/part_factory.h"

namespace smsim::cosim {

/// The parts of this project as `config` wants them: `bru.implementation`, `bcu.implementation`,
/// `timer.implementation`, `shared.implementation`. Each table has the entries "rtl" and "lockstep"
/// beside "standard". What blocks of RTL do wrong they tell `findings`. Blocks from libraries write waveforms of their
/// inside to `PART.vcd` in the folder `waveforms`, unless it is empty.
sm::PartFactory factory_of(const Config &config, const std::shared_ptr<Findings> &findings,
                           const std::string &waveforms = {});

} // namespace smsim::cosim
