// What the compiler did: the code behind each of its passes, counted and as text.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace smsim::ptx {

/// Names of the passes in the order in which they first run: what `CompileLog::print_after` can be.
const std::vector<std::string> &pass_names();

/// Which passes of the optimiser run, of those that a level has.
struct PassChoice {
    std::vector<std::string> only{}; ///< names of `pass_names`; empty: all
    /// So many runs of passes for each function, counted in their order; those behind are left out.
    unsigned runs = std::numeric_limits<unsigned>::max();
};

/// One function behind one pass. Passes that run in rounds have a record for each.
struct PassRecord {
    std::string function;
    std::string pass;
    unsigned changes = 0; ///< as the pass counts them; 0 for those that do not
    unsigned instructions = 0;
    unsigned moves = 0;    ///< of these
    unsigned loads = 0;    ///< from memory, without constants
    unsigned stores = 0;   ///< atomics among them
    unsigned branches = 0; ///< ends of blocks that go to more than one place
    unsigned meetings = 0; ///< WARPSYNC, and barriers of the CTA
    std::string text{};    ///< of the pass that was asked for
};

/// What came of a kernel.
struct KernelRecord {
    std::string kernel;
    unsigned registers = 0;        ///< per thread, those of called functions included
    std::uint32_t local_bytes = 0; ///< of local memory per thread, for variables and spilled registers
};

struct CompileLog {
    std::string print_after; ///< pass whose text is wanted; empty: none
    std::vector<PassRecord> passes{};
    std::vector<KernelRecord> kernels{};
};

} // namespace smsim::ptx
