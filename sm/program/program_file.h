// Programs from and to files, text or binary, for all subcommands.
#pragma once

#include <string>

#include "model/config/config.h"
#include "model/program/program.h"

namespace smsim::program {

/// Loads a program: a binary, or assembly text, which is assembled with the latencies of `config`. Throws InputError.
Program load_program_file(const std::string &path, const Config &config);

/// Writes a program as binary. Throws InputError when the file cannot be written.
void save_program_file(const Program &program, const std::string &path);

/// The whole program as text that assembles to the same words.
std::string listing(const Program &program);

/// The instruction at `pc` as text; empty when `pc` is outside the program.
std::string instruction_text(const Program &program, Pc pc);

} // namespace smsim::program
