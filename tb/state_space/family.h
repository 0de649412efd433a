// A family of structured programs: all trees of a given number of pieces over an alphabet, each with a number, so that
// a family can be run completely or in even steps.
#pragma once

#include <cstdint>
#include <vector>

#include "tb/state_space/search.h"
#include "tb/state_space/structured_program.h"

namespace smsim::state_space {

/// The pieces of programs: those without a body, and those with one (their body is replaced).
struct Alphabet {
    std::vector<Piece> leaves;
    std::vector<Piece> containers;
};

/// Everything that structured programs can have.
Alphabet full_alphabet();
/// Everything that affects waiting: meetings, spinning, exits and joined branches, without variants that differ
/// little.
Alphabet waiting_alphabet();

class Family {
  public:
    explicit Family(Alphabet alphabet) : alphabet_(std::move(alphabet)) {}

    /// Number of programs with exactly `pieces` pieces.
    std::uint64_t size(unsigned pieces) { return blocks(pieces); }
    /// Program `index` (below `size(pieces)`) of `pieces` pieces.
    Block program(unsigned pieces, std::uint64_t index);

  private:
    std::uint64_t blocks(unsigned pieces);
    std::uint64_t trees(unsigned pieces);
    Piece tree(unsigned pieces, std::uint64_t index);

    Alphabet alphabet_;
    std::vector<std::uint64_t> blocks_; ///< by pieces, as far as known
};

/// Whether running a program is informative: it spins if and only if it sets the flag somewhere.
bool is_interesting(const Block &program);

/// The programs to run and how.
struct FamilyRun {
    unsigned pieces = 3;
    unsigned threads = 2; ///< of each warp
    unsigned warps = 1;
    std::uint64_t stride = 1;                      ///< one in so many programs
    std::uint64_t offset = 0;                      ///< the first of them
    std::vector<std::string> settings = {};        ///< see `rules_of`
    std::optional<std::uint32_t> sleep_steps = {}; ///< see Setup
    std::uint64_t states = 50'000;                 ///< limit for each program
};

/// Totals of a family, and the first programs whose verdict differs from that of independent threads.
struct FamilyResult {
    std::uint64_t programs = 0;
    std::uint64_t complete = 0; ///< legal, by kind of end of independent threads
    std::uint64_t deadlock = 0;
    std::uint64_t endless = 0;
    std::uint64_t states = 0;
    std::uint64_t transitions = 0;
    std::uint64_t wrong = 0;
    std::vector<std::string> wrong_programs; ///< text, error and history; the first few
};

/// Searches programs of a family and compares them with independent threads: programs that complete must always end
/// with the same R1 in every thread, deadlocks must always be reported as SyncDeadlock, and endless programs must
/// neither end nor be reported.
FamilyResult run_family(Family &family, const FamilyRun &run);

} // namespace smsim::state_space
