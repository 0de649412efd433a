// Who waits where for whom, in words.
#pragma once

#include <string>

#include "tb/oracle/machine.h"

namespace smsim::oracle {

/// The waiting threads of all resident CTAs, those of a warp that wait for the same thing in one line.
std::string describe_waiting(Machine &machine);

} // namespace smsim::oracle
