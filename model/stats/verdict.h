// What bounds a launch, as far as its counters tell: candidates with the share of the time that each seems to hold.
// A guess with reasons, from utilisation and stall reasons; `smsim run --what-if` finds out by experiment.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/config/config.h"
#include "model/stats/statistics.h"

namespace smsim {

/// One thing that the launch may be bound by.
struct Candidate {
    std::string_view relief; ///< what would help, as model/config/reliefs.h names it
    double score = 0;        ///< 0 to 1: the share of the time that it seems to hold
    std::string evidence;    ///< a few words with the figures it is seen from
};

struct Verdict {
    enum class Certainty : std::uint8_t {
        kClear,  ///< much of the time, and nothing else comes near
        kLikely, ///< the most probable of several
        kOpen,   ///< nothing stands out
    };
    Certainty certainty = Certainty::kOpen;
    std::vector<Candidate> candidates; ///< best first; those with a score below 0.05 are left out
};

/// "clear", "likely" or "open".
std::string_view certainty_name(Verdict::Certainty certainty);

/// The verdict on a launch that ran on `config`; without candidates when nothing was executed.
Verdict judge(const RunStats &stats, const Config &config);

} // namespace smsim
