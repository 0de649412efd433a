// A small program in assembly text with its expected results, and its run: how tests and the command line describe
// what they search.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "tb/state_space/search.h"

namespace smsim::state_space {

/// Values of a register at the end, lane 0 first.
struct Expected {
    std::uint8_t reg = 0;
    std::vector<std::uint32_t> lanes;
    std::uint32_t warp = 0;
};

struct Case {
    std::string name;
    std::vector<unsigned> threads;            ///< of each warp
    std::string text;                         ///< body of the kernel
    std::vector<Expected> registers;          ///< those that are compared
    std::vector<std::uint32_t> shared;        ///< first words of shared memory at the end; may be empty
    std::optional<Fault> fault;               ///< the program is illegal: it can only end with this
    std::vector<std::string> settings;        ///< see `rules_of`
    std::optional<std::uint32_t> sleep_steps; ///< see Setup
    bool endless = false;                     ///< the search must find that it can never end
};

/// Names the case in the output of tests.
inline std::ostream &operator<<(std::ostream &out, const Case &program) {
    return out << program.name;
}

/// The rules by which a program is executed.
struct Rules {
    BruConfig bru;
    independent_rules::RejectedReadings readings;
};

/// The rules under `settings`: each is a key of the configuration with its value ("bru.nanosleep_sets_yield=false") or
/// a rejected reading ("d7"). Throws InputError for anything else.
Rules rules_of(const std::vector<std::string> &settings);

/// The machine for a case. Throws InputError for an invalid text or setting.
Machine machine_of(const Case &program, const std::vector<std::string> &settings = {});

/// Compares registers and shared memory of an end with those of the case.
ResultCheck check_of(const Case &program);

/// Searches a case, with `settings` after its own.
SearchResult run(const Case &program, const std::vector<std::string> &settings = {}, const Limits &limits = {});

/// What is wrong with a case: nothing if it is legal and always ends as expected, or illegal and always reported, or
/// endless and recognised as such.
std::optional<std::string> judge(const Case &program, const SearchResult &searched);

} // namespace smsim::state_space
