// What bounds a launch, as far as its counters show: candidates with their apparent share of the time. A guess with
// reasons, from utilisation and stall reasons; `smsim run --what-if` finds out by experiment.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/stats/statistics.h"

namespace smsim {

struct Config;

/// One thing that may bound the launch.
struct Candidate {
    std::string_view relief; ///< what would help, as model/config/what_if_reliefs.h names it
    double score = 0;        ///< 0 to 1: its apparent share of the time
    std::string evidence;    ///< a few words with the figures that show it
};

/// An instruction whose accesses to global memory touch more sectors than their bytes would fill: what a change of the
/// kernel could gain, where no configuration helps.
struct Scattered {
    Pc pc = 0;
    double sectors = 0; ///< average number of sectors touched by a request, the access of a warp
    double needed = 0;  ///< number that would hold what its threads request
    double share = 0;   ///< 0 to 1: share in all sectors of the launch of the unneeded sectors that this instruction
                        ///< touches
};

struct Verdict {
    enum class Certainty : std::uint8_t {
        kClear,  ///< much of the time, and no other candidate is close
        kLikely, ///< the most probable of several
        kOpen,   ///< nothing stands out
    };
    Certainty certainty = Certainty::kOpen;
    std::vector<Candidate> candidates; ///< best first; those with a score below 0.05 are left out
    /// If the first candidate is a way to global memory, or what is below it, and at least a quarter of the sectors is
    /// not needed: the instructions to examine, those with the most such sectors first.
    std::vector<Scattered> scattered;
};

/// "clear", "likely" or "open".
std::string_view certainty_name(Verdict::Certainty certainty);

/// The verdict on a launch that ran on `config`; without candidates when nothing was executed.
Verdict judge(const RunStats &stats, const Config &config);

} // namespace smsim
