// Searches programs of one of the two stacks under every option of the engine, each on a stack that is just as deep as
// the program may need at most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "model/config/config.h"
#include "tb/state_space/family.h"
#include "tb/state_space/stack_program.h"

namespace smsim::state_space {

/// The options under which each program of an engine is run: every order of sides.
std::vector<std::vector<std::string>> options_of(Stack stack);

/// Sums over a family, and the first programs that do not end as each thread alone.
struct StackFamilyResult {
    std::uint64_t programs = 0; ///< that are lowered, each run under all options
    std::uint64_t states = 0;
    std::uint64_t transitions = 0;
    std::uint64_t tight = 0; ///< programs that need all of the stack that they may need, under some order
    std::uint64_t wrong = 0;
    std::vector<std::string> wrong_programs; ///< text, options, what is wrong and how it comes to it; the first few
};

/// One program.
struct StackProgram {
    std::uint64_t index = 0;                                   ///< in its family
    std::string text;                                          ///< assembly
    std::vector<std::uint32_t> expected;                       ///< R1 of each thread at the end, warp after warp
    std::function<std::size_t(const BruConfig &)> depth_bound; ///< most entries or tokens
};

class StackSearch {
  public:
    /// Threads, warps, settings and limit of states are those of `run`.
    StackSearch(Stack stack, const FamilyRun &run);

    void search_all_options(const StackProgram &program);
    const StackFamilyResult &result() const { return result_; }

  private:
    SearchResult searched_with(const BruConfig &config, const StackProgram &program);

    Stack stack_;
    const FamilyRun run_;
    std::vector<std::pair<std::string, BruConfig>> options_;
    Setup setup_;
    StackFamilyResult result_;
};

} // namespace smsim::state_space
