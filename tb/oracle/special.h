// Reads of things other than registers: special registers, the code address, convergence and CTA barriers.
#pragma once

#include "tb/oracle/machine.h"

namespace smsim::oracle {

/// Executes an operation of Subject::kSpecial.
void execute_special(Machine &machine, std::uint32_t thread, const Step &step, std::uint32_t *row);

/// Value of a special register for `thread`; clocks are random because no result may depend on them.
std::uint32_t special_register(Machine &machine, std::uint32_t thread, isa::SpecialRegister which);

} // namespace smsim::oracle
