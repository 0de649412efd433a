// Which instructions a program for a reconvergence engine may contain (engines.md Engines 2). An engine gives meaning
// to control instructions of its own and lacks some of the others; instructions not listed for any engine belong to
// all.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/isa/instruction.h"

namespace smsim::isa {

/// Whether programs for the engine of that name (`bru.engine`) may contain `op` in some form.
bool engine_has(std::string_view engine, Op op);

/// Why `insn` cannot appear in a program for the engine of that name: it belongs to another engine, or has a form that
/// the engine does not support. None if it can. "EXIT in a program for simt_stack: ...".
std::optional<std::string> engine_refusal(const Instruction &insn, std::string_view engine);

} // namespace smsim::isa
