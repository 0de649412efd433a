// Many random programs for one part, with RTL in lockstep in its place.
#pragma once

#include <cstdint>
#include <string>

namespace smsim::cosim {

/// What a campaign is about.
enum class CampaignPart : std::uint8_t { kBarrierUnit, kSharedMemory };

/// What a campaign has done.
struct LockstepCampaign {
    std::uint64_t programs = 0;
    std::uint64_t transactions = 0; ///< operations of the barrier unit, or accesses of warps to shared memory
    std::uint64_t same_cycles = 0;  ///< programs that took as many cycles as on the model, with the same results
    std::string failure;            ///< the first one, with the command that shows it; empty when there is none
};

/// Runs the programs of the seeds from `first` on, until there have been `transactions`, or a difference. In one of
/// five programs all four parts are RTL in lockstep; where RTL has room for all that it is sent at a time, cycles and
/// results are compared with those of the model too.
LockstepCampaign run_lockstep_campaign(CampaignPart part, std::uint64_t first, std::uint64_t transactions);

} // namespace smsim::cosim
