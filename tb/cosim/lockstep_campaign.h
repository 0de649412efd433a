// Many random programs for one part, with RTL in lockstep in its place.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace smsim::cosim {

/// The part that a campaign tests.
/// The branch unit has one campaign per reconvergence engine; kBranchUnit means convergence barriers.
enum class CampaignPart : std::uint8_t { kBranchUnit, kBarrierUnit, kSharedMemory, kSimtStack, kTokenStack };

/// The length of a campaign, and the block that it uses.
struct CampaignOptions {
    std::uint64_t first = 1;         ///< seed of the first program; the others follow
    std::uint64_t transactions = 0;  ///< it continues until there have been this many
    std::string library;             ///< library of the block (scripts/verilate); empty: this project's block
    std::vector<std::string> design; ///< `key=value`, after the settings of each program
    std::uint32_t warps = 8;         ///< most warps of a CTA, in programs for the branch unit
    bool cycles = false;             ///< answers in other cycles, or a run of another length, count as a failure
};

/// The results of a campaign.
struct LockstepCampaign {
    std::uint64_t programs = 0;
    /// Answers of the branch unit, operations of the barrier unit, or accesses to shared memory.
    std::uint64_t transactions = 0;
    std::uint64_t same_cycles = 0; ///< programs with the same cycles and results as on the model
    /// Programs that ended with an exception of the SM, the same on model and RTL, by its name.
    std::map<std::string, std::uint64_t> exceptions;
    std::string failure; ///< the first one, with the command that shows it; empty if none
};

/// Runs random programs until the requested number of transactions, or a difference. With this project's block, one of
/// five programs has all four parts as RTL in lockstep. Where RTL has room for everything that is sent to it at a
/// time, cycles and results are also compared with those of the model. No answer of the branch unit may arrive before
/// the model's, except from a library without `cycles`.
LockstepCampaign run_lockstep_campaign(CampaignPart part, const CampaignOptions &options);

} // namespace smsim::cosim
