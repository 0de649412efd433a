// Many random programs for one part, with RTL in lockstep in its place.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace smsim::cosim {

/// What a campaign is about.
/// The branch unit has a campaign for each reconvergence engine; kBranchUnit has convergence barriers.
enum class CampaignPart : std::uint8_t { kBranchUnit, kBarrierUnit, kSharedMemory, kSimtStack, kTokenStack };

/// How far a campaign goes, and with which block.
struct CampaignOptions {
    std::uint64_t first = 1;         ///< seed of the first program; the others follow
    std::uint64_t transactions = 0;  ///< it goes on until there have been so many
    std::string library;             ///< of the block (scripts/verilate); empty: that of this project
    std::vector<std::string> design; ///< `key=value` behind the settings of each program
    std::uint32_t warps = 8;         ///< of a CTA at most, in programs for the branch unit
    bool cycles = false;             ///< answers in other cycles, or a run of another length, are a failure
};

/// What a campaign has done.
struct LockstepCampaign {
    std::uint64_t programs = 0;
    /// Answers of the branch unit, operations of the barrier unit, or accesses of warps to shared memory.
    std::uint64_t transactions = 0;
    std::uint64_t same_cycles = 0; ///< programs that took as many cycles as on the model, with the same results
    /// Programs that ended with an exception of the SM, the same on model and RTL, by its name.
    std::map<std::string, std::uint64_t> exceptions;
    std::string failure; ///< the first one, with the command that shows it; empty when there is none
};

/// Runs random programs until there have been as many transactions as asked for, or a difference. With the block of
/// this project all four parts are RTL in lockstep in one of five programs, and where RTL has room for all that it is
/// sent at a time, cycles and results are compared with those of the model too. No answer of the branch unit may come
/// before the model's, but with a library without `cycles`.
LockstepCampaign run_lockstep_campaign(CampaignPart part, const CampaignOptions &options);

} // namespace smsim::cosim
