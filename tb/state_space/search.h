// Exhaustive search of the possible behaviour of a program on the functional machine: all reachable states, including
// the ends, and whether an end can still be reached from each state.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "model/error.h"
#include "tb/state_space/machine.h"

namespace smsim::state_space {

/// Checks a state in which all threads have exited; returns what is wrong with it.
using ResultCheck = std::function<std::optional<std::string>(const Machine &, const State &)>;

struct Limits {
    std::uint64_t states = 2'000'000; ///< the search gives up after this number
};

/// Ways in which a program can fail.
enum class Problem : std::uint8_t {
    kWrongResult, ///< an end with an unexpected result
    kFault,       ///< an exception, including BarrierDeadlock
    kStuck,       ///< nothing can ever happen again, and no barrier is the cause
    kLivelock,    ///< a state from which no end can be reached
    kViolation,   ///< a rule that must hold in every state is violated
    kTruncated,   ///< the limit has been reached: nothing is known about the rest
};
const char *problem_name(Problem problem);

/// The result of a search. The first instance of each problem (by number of moves) is described with its history.
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

/// Nothing if the program always ends with the expected result and without other events.
std::optional<std::string> judge_legal(const SearchResult &searched);

/// Nothing if the program cannot end and is always reported: every path leads to `expected`, or still can.
std::optional<std::string> judge_illegal(const SearchResult &searched, Fault expected);

/// Nothing if the program has states from which it cannot end, and nothing else is wrong.
std::optional<std::string> judge_endless(const SearchResult &searched);

} // namespace smsim::state_space
