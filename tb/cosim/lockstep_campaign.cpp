#include "tb/cosim/lockstep_campaign.h"

#include <vector>

#include <fmt/format.h>

#include "tb/cosim/barrier_program.h"
#include "tb/cosim/shared_program.h"

namespace smsim::cosim {
namespace {

constexpr std::uint32_t kTransactions = 5000; // of a program, about

/// Channels are held up with programs of these seeds.
bool stalls(std::uint64_t seed) {
    return seed % 10 < 2;
}

std::vector<std::string> implementations(CampaignPart part, std::uint64_t seed) {
    std::vector<std::string> settings = {"timer.implementation=lockstep"};
    const bool all = seed % 5 == 0;
    if (all || part == CampaignPart::kBarrierUnit) {
        settings.emplace_back("bcu.implementation=lockstep");
    }
    if (all || part == CampaignPart::kSharedMemory) {
        settings.emplace_back("shared.implementation=lockstep");
    }
    if (all) {
        settings.emplace_back("bru.implementation=lockstep");
    }
    if (stalls(seed)) {
        settings.push_back(fmt::format("rtl.stall_percent={}", 10 + seed / 10 % 5 * 10));
        settings.push_back(fmt::format("rtl.stall_seed={}", seed));
    }
    return settings;
}

/// What differs between the run in lockstep and one on the model; "" when nothing does.
std::string difference(const LockstepRun &rtl, const LockstepRun &model) {
    if (!model.failure.empty()) {
        return "on the model: " + model.failure;
    }
    if (rtl.cycles != model.cycles) {
        return fmt::format("{} cycles; {} on the model", rtl.cycles, model.cycles);
    }
    return rtl.results == model.results ? "" : "the results are not those of the model";
}

} // namespace

LockstepCampaign run_lockstep_campaign(CampaignPart part, std::uint64_t first, std::uint64_t transactions) {
    const bool barriers = part == CampaignPart::kBarrierUnit;
    LockstepCampaign done;
    for (std::uint64_t seed = first; done.transactions < transactions && done.failure.empty(); ++seed) {
        const LockstepProgram program =
            barriers ? barrier_program(seed, kTransactions) : shared_program(seed, kTransactions);
        const std::vector<std::string> settings = implementations(part, seed);
        const LockstepRun rtl = run(program, settings);
        ++done.programs;
        done.transactions += barriers ? rtl.barrier_operations : rtl.shared_accesses;
        done.failure = rtl.failure;
        if (done.failure.empty() && program.same_cycles && !stalls(seed)) {
            done.failure = difference(rtl, run(program, {}));
            ++done.same_cycles;
        }
        if (!done.failure.empty()) {
            const std::string name = barriers ? "barrier_campaign" : "shared_campaign";
            done.failure = fmt::format("seed {}: {}\n{}", seed, done.failure, reproducer(program, name, settings));
        }
    }
    return done;
}

} // namespace smsim::cosim
