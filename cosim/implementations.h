// Which parts of an SM are made of RTL, as a configuration asks for.
#pragma once

#include "model/config/config.h"
#include "sm/part_factory.h"

namespace smsim::cosim {

/// The parts of this project as `config` wants them: `bru.implementation`, `bcu.implementation`,
/// `timer.implementation`, `shared.implementation`. Each table has the entries "rtl" and "lockstep"
/// beside "standard".
sm::PartFactory factory_of(const Config &config);

} // namespace smsim::cosim
