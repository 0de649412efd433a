// Which parts of an SM are made of RTL, as a configuration asks for.
#pragma once

#include <memory>

#include "cosim/witness.h"
#include "model/config/config.h"
#include "sm/part_factory.h"

namespace smsim::cosim {

/// The parts of this project as `config` wants them: `bru.implementation`, `bcu.implementation`,
/// `timer.implementation`, `shared.implementation`. Each table has the entries "rtl" and "lockstep"
/// beside "standard". What parts in lockstep find they tell `findings`.
sm::PartFactory factory_of(const Config &config, const std::shared_ptr<Findings> &findings);

} // namespace smsim::cosim
