// Searches programs of one of the two stacks under every option of the engine, each on a stack of exactly the maximum
// depth that the program may need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "model/config/sections/bru.h"
#include "tb/state_space/family.h"
#include "tb/state_space/stack_program.h"

namespace smsim::state_space {

/// The options under which each program of an engine runs: every order of sides.
std::vector<std::vector<std::string>> options_of(Stack stack);

/// Totals of a family, and the first programs that do not end as each thread alone does.
struct StackFamilyResult {
    std::uint64_t programs = 0; ///< programs lowered, each run under all options
    std::uint64_t states = 0;
    std::uint64_t transitions = 0;
    std::uint64_t tight = 0; ///< programs that use their maximum stack depth under some order
    std::uint64_t wrong = 0;
    std::vector<std::string> wrong_programs; ///< text, options, error and history; the first few
};

/// One program.
struct StackProgram {
    std::uint64_t index = 0;                                   ///< number in its family
    std::string text;                                          ///< assembly
    std::vector<std::uint32_t> expected;                       ///< R1 of each thread at the end, warp after warp
    std::function<std::size_t(const BruConfig &)> depth_bound; ///< most entries or tokens
};

class StackSearch {
  public:
    /// Threads, warps, settings and the limit of states come from `run`.
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
