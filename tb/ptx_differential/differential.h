// All instructions of PTX on the model and on the interpreter: kernels of many instructions, run and compared.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tb/ptx_differential/kernel_writer.h"
#include "tb/ptx_differential/runs.h"

namespace smsim::ptx_differential {

/// Runs a module; this is `run_model`, except in tests of the comparison itself.
using Machine = std::function<Ran(const std::string &text, const launch::Launch &launch)>;

/// One difference, or one kernel that did not run.
struct Difference {
    std::string instruction; ///< as written; empty: of a whole kernel
    std::string message;
    std::string text; ///< a module with only this instruction
};

struct Summary {
    std::size_t forms = 0;
    std::size_t variants = 0;     ///< forms with types and modifiers
    std::size_t instructions = 0; ///< as written, with their operands
    std::size_t kernels = 0;
    std::uint64_t values = 0;                 ///< compared
    std::uint64_t undefined = 0;              ///< of these, without a defined result
    std::map<std::string, double> worst_ulps; ///< largest error of approximations, by opcode and type
    std::vector<Difference> differences;
};

struct Options {
    std::string only;    ///< opcode; empty: all
    unsigned rounds = 1; ///< each with different values, constants and registers
    unsigned first_round = 0;
    std::size_t most_differences = 50;
    std::function<void(const KernelWriter &, const launch::Launch &)> written; ///< called for each kernel
};

/// The launch of a kernel of `writer`.
launch::Launch launch_of(const KernelWriter &writer);

/// Kernels with every variant of every covered form.
std::vector<KernelWriter> all_kernels(const Options &options, Summary &summary);

/// Compares all of them.
Summary compare_all(const Options &options, const Machine &machine);

std::string summary_text(const Summary &summary);

} // namespace smsim::ptx_differential
