// Converts instructions and programs to text that assembles to the same words.
#pragma once

#include <functional>
#include <string>

#include "model/isa/instruction.h"
#include "model/program/program.h"

namespace smsim::assembler {

/// Returns the name of a code address, or an empty string when it has none.
using SymbolLookup = std::function<std::string(Pc)>;

/// One instruction without the final ';', control fields included: "@!P0 IADD3 R1, R2, -R3, RZ ?stall4 &req={0}".
/// Targets of BRA, BSSY and CALL are written as labels where `symbols` knows one, otherwise as numbers. Assembled at
/// the same address, the text gives the same word (encoding.md Assembly), if `decode` accepts `insn`.
std::string disassemble(const isa::Instruction &insn, const SymbolLookup &symbols = {});

/// The same without control fields: for reports, traces and messages about the operation.
std::string operation_text(const isa::Instruction &insn, const SymbolLookup &symbols = {});

/// The whole program as text: engine, kernels with their directives, code, labels, constant banks and global data. It
/// assembles to the same words, engine, kernels, symbols, constants and global data; schedules are kept as they are.
std::string disassemble(const Program &program);

} // namespace smsim::assembler
