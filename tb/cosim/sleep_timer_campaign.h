// Random requests and stops for the sleep timer of RTL, at the limits of its range: each cycle's expiries and the
// debug port must equal those of sm::SleepCalendar.
#pragma once

#include <cstdint>
#include <string>

namespace smsim::cosim {

/// The results of a campaign.
struct TimerCampaign {
    std::uint64_t requests = 0;
    std::uint64_t stops = 0;    ///< of timers that ran
    std::uint64_t expiries = 0; ///< reported
    std::uint64_t earlier = 0;  ///< requests that moved the expiry of a running timer
    std::uint64_t last = 0;     ///< requests that end in the last cycle, all ones
    std::uint64_t idle = 0;     ///< times that the clock stopped while `now` continued
    std::uint64_t states = 0;   ///< timers read at the debug port
    std::string difference;     ///< the first one, with seed and cycle; empty if none
};

/// Continues until `requests` requests, or a difference. Equal seeds give equal campaigns. The block is this
/// project's, or that of `library` (scripts/verilate).
TimerCampaign run_timer_campaign(std::uint64_t seed, std::uint64_t requests, const std::string &library = "");

} // namespace smsim::cosim
