// What the compiler did: the code after each of its passes, counted and as text.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace smsim::ptx {

/// Names of the passes in the order in which they first run: the values of `CompileLog::print_after`.
const std::vector<std::string> &pass_names();

/// Which passes of the optimiser run, of those that a level has.
struct PassChoice {
    std::vector<std::string> only{}; ///< names of `pass_names`; empty: all
    /// The number of pass runs for each function, counted in their order; later ones are left out.
    unsigned runs = std::numeric_limits<unsigned>::max();
};

/// One function after one pass. Passes that run in rounds have a record for each round.
struct PassRecord {
    std::string function;
    std::string pass;
    unsigned changes = 0; ///< as the pass counts them; 0 for those that do not
    unsigned instructions = 0;
    unsigned moves = 0;    ///< of these
    unsigned loads = 0;    ///< from memory, without constants
    unsigned stores = 0;   ///< atomics among them
    unsigned branches = 0; ///< block ends with more than one target
    unsigned meetings = 0; ///< WARPSYNC, and barriers of the CTA
    std::string text{};    ///< if the text after this pass was requested
};

/// The outcome of a kernel.
struct KernelRecord {
    std::string kernel;
    unsigned registers = 0;        ///< per thread, including those of called functions
    std::uint32_t local_bytes = 0; ///< of local memory per thread, for variables and spilled registers
};

struct CompileLog {
    std::string print_after; ///< pass whose text is requested; empty: none
    std::vector<PassRecord> passes{};
    std::vector<KernelRecord> kernels{};
};

} // namespace smsim::ptx
