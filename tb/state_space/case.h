// A small program in assembly text with what must come out, and the run of it: how tests and the command line describe
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
    std::vector<Expected> registers;          ///< those that matter
    std::vector<std::uint32_t> shared;        ///< first words of shared memory at the end; may be empty
    std::optional<Fault> fault;               ///< the program is illegal: it never ends but with this
    std::vector<std::string> settings;        ///< as for `rules_of`
    std::optional<std::uint32_t> sleep_steps; ///< as in Setup
    bool endless = false;                     ///< it must be found that it can never end
};

/// Names the case in the output of tests.
inline std::ostream &operator<<(std::ostream &out, const Case &program) {
    return out << program.name;
}

/// By which rules a program is executed.
struct Rules {
    BruConfig bru;
    readings::Readings readings;
};

/// The rules under `settings`: each is a key of the configuration with its value ("bru.nanosleep_sets_yield=false") or
/// a rejected reading ("d7"). Throws InputError for what is neither.
Rules rules_of(const std::vector<std::string> &settings);

/// The machine for a case. Throws InputError for a text or setting that is wrong.
Machine machine_of(const Case &program, const std::vector<std::string> &settings = {});

/// Compares registers and shared memory of an end with those of the case.
ResultCheck check_of(const Case &program);

/// Searches a case, with `settings` behind its own.
SearchResult run(const Case &program, const std::vector<std::string> &settings = {}, const Limits &limits = {});

/// What is wrong with a case: nothing if it is legal and always ends as expected, or illegal and always reported, or
/// endless and found to be so.
std::optional<std::string> judge(const Case &program, const SearchResult &searched);

} // namespace smsim::state_space
