// What bounds a launch, as far as its counters tell: candidates with the share of the time that each seems to hold.
// A guess with reasons, from utilisation and stall reasons; `smsim run --what-if` finds out by experiment.
#pragma once

#include <cstdint>
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

/// An instruction whose accesses to global memory touch more sectors than their bytes would fill: what a change of the
/// kernel gains, where no configuration helps.
struct Scattered {
    Pc pc = 0;
    double sectors = 0; ///< that a request, the access of a warp, touches
    double needed = 0;  ///< that would hold what its threads ask for
    double share = 0;   ///< 0 to 1: of all sectors of the launch, those that this instruction touches beyond need
};

struct Verdict {
    enum class Certainty : std::uint8_t {
        kClear,  ///< much of the time, and nothing else comes near
        kLikely, ///< the most probable of several
        kOpen,   ///< nothing stands out
    };
    Certainty certainty = Certainty::kOpen;
    std::vector<Candidate> candidates; ///< best first; those with a score below 0.05 are left out
    /// Where the first candidate is a way to global memory, or what is behind it, and a quarter of the sectors at least
    /// is beyond need: the instructions to look at, those with the most such sectors first.
    std::vector<Scattered> scattered;
};

/// "clear", "likely" or "open".
std::string_view certainty_name(Verdict::Certainty certainty);

/// The verdict on a launch that ran on `config`; without candidates when nothing was executed.
Verdict judge(const RunStats &stats, const Config &config);

} // namespace smsim
