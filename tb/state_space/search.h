// Exhaustive search of everything that a program can do on the functional machine: all reachable states, the ends
// among them, and whether from each state an end can still be reached.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "model/error.h"
#include "tb/state_space/machine.h"

namespace smsim::state_space {

/// Looks at a state in which all threads have exited; returns what is wrong with it.
using ResultCheck = std::function<std::optional<std::string>(const Machine &, const State &)>;

struct Limits {
    std::uint64_t states = 2'000'000; ///< the search gives up behind this number
};

/// Ways in which a program can go wrong.
enum class Problem : std::uint8_t {
    kWrongResult, ///< an end with another result than expected
    kFault,       ///< an exception, BarrierDeadlock included
    kStuck,       ///< nothing can ever happen again, and no barrier is the reason
    kLivelock,    ///< a state from which no end can be reached
    kViolation,   ///< something does not hold that must hold in every state
    kTruncated,   ///< the limit has been reached: nothing is known about the rest
};
const char *problem_name(Problem problem);

/// What a search has found. Of each problem the first instance (by number of moves) is described with its history.
struct SearchResult {
    std::uint64_t states = 0;
    std::uint64_t transitions = 0;
    std::uint64_t ends = 0; ///< states in which all threads have exited
    std::map<Problem, std::uint64_t> problems;
    std::map<Fault, std::uint64_t> faults; ///< transitions and stuck states that end in an exception
    std::map<Problem, std::string> witness;
};

/// Searches everything that can follow from `machine.initial()`, breadth first.
SearchResult search(Machine &machine, const ResultCheck &check, const Limits &limits = {});

/// Nothing when the program always ends with the expected result and nothing else happened on the way.
std::optional<std::string> judge_legal(const SearchResult &searched);

/// Nothing when the program cannot end and is always reported: every path leads to `expected`, or can still do so.
std::optional<std::string> judge_illegal(const SearchResult &searched, Fault expected);

/// Nothing when the program has states from which it cannot end, and nothing else is wrong.
std::optional<std::string> judge_endless(const SearchResult &searched);

} // namespace smsim::state_space
