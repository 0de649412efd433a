// Turns assembly text into a program (encoding.md Assembly; the language is described in docs/instruction-set.md).
#pragma once

#include <string>
#include <string_view>

#include "model/error.h"
#include "model/program/program.h"
#include "model/timing/dependence.h"

namespace smsim::assembler {

/// Assembles `text`. `file_name` appears in messages and in the line table. Kernels without written control fields are
/// scheduled for `model` (encoding.md Assembly); NOPs are inserted where 15 cycles of stall are too few. Throws
/// InputError for text of more than 64 MiB, and otherwise for all errors found (at most the first 100), one per line:
/// "file:line:column: what is wrong; expected ...".
Program assemble(std::string_view text, const std::string &file_name, const timing::SchedulingModel &model);

/// Whether `name` is a valid name of the language, such as that of a kernel. It may equal a register name, as no
/// operand names kernels.
bool is_name(std::string_view name);

/// Whether `name` can be a label or a symbol: a name of the language that is not a register.
bool is_symbol_name(std::string_view name);

} // namespace smsim::assembler

namespace smsim {
using assembler::assemble;
}
