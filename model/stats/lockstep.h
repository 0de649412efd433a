// Results of lockstep of RTL with the model (docs/co-simulation.md), as plain data: the first difference, and how far
// apart the two were in time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/types.h"

namespace smsim {

/// The first difference between RTL and model, or the first illegal action of the RTL.
struct LockstepDifference {
    bool lockstep = true;                  ///< RTL runs beside the model; otherwise alone, checked against the rules of
                                           ///< its pins
    std::string part;                      ///< named as its section of the configuration: "bru"
    Cycle cycle = 0;                       ///< of the simulation; in which it was seen
    std::string text;                      ///< what differs, both sides field by field, and the rule's reference
    std::vector<std::string> transactions; ///< the part's last ones, one line each, oldest first
    std::string waveform;                  ///< the pins of the part in the last cycles, as VCD; empty without the model
};

/// How often the RTL has answered this many cycles later than the model; a negative number: earlier.
using CyclesApart = std::map<std::int64_t, std::uint64_t>;

/// Operations of the branch unit that do not answer an instruction: the wake-up of a sleeping warp, and a request to
/// its timer.
inline constexpr const char *kWake = "wake";
inline constexpr const char *kTimerRequest = "request";
inline bool is_answer(const std::string &operation) {
    return operation != kWake && operation != kTimerRequest;
}

/// By part, by operation. A part that does not run in lockstep is not in it.
using LockstepStats = std::map<std::string, std::map<std::string, CyclesApart>>;

/// Answers of an operation, and how many of them arrived in the cycle of the model's.
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
