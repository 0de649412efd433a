// Reads programs from files and writes them, text or binary, for all subcommands.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/options.h"
#include "model/program/program.h"
#include "ptx/compiler.h"
#include "ptx/left_out.h"

namespace smsim {
struct Config;
}

namespace smsim::app {

/// PTX text and how messages name places in it.
struct PtxSource {
    std::string text;
    std::string name;
};

/// The PTX of a file of PTX (.ptx) or CUDA C++ (.cu); clang compiles the latter with `macros` (cuda_source.h), and its
/// warnings are logged. Throws InputError.
PtxSource read_ptx_source(const std::string &path, std::span<const launch::Macro> macros);

/// Loads a program: a binary, or assembly text, PTX or CUDA C++, which is scheduled for the latencies of `config`. PTX
/// and CUDA C++ are compiled as `code` says, for its reconvergence engine.
/// Kernels that cannot be compiled are left out with a warning, and added to `left_out`, as long as another one
/// remains. Throws InputError.
Program load_program_file(const std::string &path, const Config &config, const CodeOptions &code = {},
                          std::vector<ptx::LeftOut> *left_out = nullptr);

/// The options for the compiler of PTX, without those that do not come from a launch.
ptx::CompileOptions compiler_options(const CodeOptions &code);

/// Logs a warning for each kernel that was left out.
void warn_of(const std::vector<ptx::LeftOut> &left_out);

/// Writes a program as binary. Throws InputError when the file cannot be written.
void save_program_file(const Program &program, const std::string &path);

/// The whole program as text that assembles to the same words.
std::string listing(const Program &program);

/// The instruction at `pc` as text; empty when `pc` is outside the program.
std::string instruction_text(const Program &program, Pc pc);

} // namespace smsim::app
