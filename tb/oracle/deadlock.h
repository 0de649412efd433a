// Describes which threads wait where and for which others.
#pragma once

#include <string>

#include "tb/oracle/machine.h"

namespace smsim::oracle {

/// The waiting threads of all resident CTAs; those of a warp that wait for the same thing share one line.
std::string describe_waiting(Machine &machine);

} // namespace smsim::oracle
