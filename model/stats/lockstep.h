// What lockstep of RTL with the model has found (docs/co-simulation.md), as plain data: the first difference, and how
// far apart the two were in time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/types.h"

namespace smsim {

/// The first difference between RTL and model, or the first thing that RTL has done without a right to it.
struct LockstepDifference {
    bool lockstep = true;                  ///< RTL stands beside the model; else alone, against the rules of its pins
    std::string part;                      ///< as its section of the configuration is called: "bru"
    Cycle cycle = 0;                       ///< of the simulation; in which it was seen
    std::string text;                      ///< what differs, both sides field by field, and where the rule stands
    std::vector<std::string> transactions; ///< the last ones of the part, a line each, oldest first
    std::string waveform;                  ///< the pins of the part in the last cycles, as VCD; empty without the model
};

/// How often the RTL has answered so many cycles later than the model; a negative number: earlier.
using CyclesApart = std::map<std::int64_t, std::uint64_t>;

/// Operations of the branch unit that answer no instruction: a sleeping warp that is woken, and a request to its timer.
inline constexpr const char *kWake = "wake";
inline constexpr const char *kTimerRequest = "request";
inline bool is_answer(const std::string &operation) {
    return operation != kWake && operation != kTimerRequest;
}

/// By part, by operation. A part that does not run in lockstep is not in it.
using LockstepStats = std::map<std::string, std::map<std::string, CyclesApart>>;

/// Answers of an operation, and how many of them came in the cycle of the model's.
struct AnswerCount {
    std::uint64_t answers = 0;
    std::uint64_t together = 0;
};
inline AnswerCount count_answers(const CyclesApart &apart) {
    AnswerCount count;
    for (const auto &[cycles, answers] : apart) {
        count.answers += answers;
        count.together += cycles == 0 ? answers : 0;
    }
    return count;
}

} // namespace smsim
