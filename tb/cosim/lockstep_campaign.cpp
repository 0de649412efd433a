#include "tb/cosim/lockstep_campaign.h"

#include <fmt/format.h>

#include "tb/cosim/barrier_program.h"
#include "tb/cosim/branch_program.h"
#include "tb/cosim/shared_program.h"
#include "tb/cosim/wild_barrier_program.h"

namespace smsim::cosim {
namespace {

constexpr std::uint32_t kTransactions = 5000; // of a program, about

const char *key_of(CampaignPart part) {
    static constexpr const char *kKeys[] = {"bru", "bcu", "shared"};
    return kKeys[static_cast<unsigned>(part)];
}

/// Channels are held up with programs of these seeds.
bool stalls(std::uint64_t seed) {
    return seed % 10 < 2;
}

std::vector<std::string> implementations(CampaignPart part, std::uint64_t seed, const CampaignOptions &options) {
    std::vector<std::string> settings;
    if (!options.library.empty()) {
        settings.push_back(fmt::format("{}.implementation=lockstep:{}", key_of(part), options.library));
    } else {
        settings.emplace_back("timer.implementation=lockstep");
        for (const CampaignPart one :
             {CampaignPart::kBranchUnit, CampaignPart::kBarrierUnit, CampaignPart::kSharedMemory}) {
            if (seed % 5 == 0 || part == one) {
                settings.push_back(fmt::format("{}.implementation=lockstep", key_of(one)));
            }
        }
    }
    if (stalls(seed)) {
        settings.push_back(fmt::format("rtl.stall_percent={}", 10 + seed / 10 % 5 * 10));
        settings.push_back(fmt::format("rtl.stall_seed={}", seed));
    }
    settings.insert(settings.end(), options.design.begin(), options.design.end());
    return settings;
}

LockstepProgram program_of(CampaignPart part, std::uint64_t seed, const CampaignOptions &options) {
    switch (part) {
    case CampaignPart::kBranchUnit:
        return branch_program(seed, options.warps);
    case CampaignPart::kBarrierUnit:
        return seed % 32 == 15 ? barrier_program(seed, kTransactions) : wild_barrier_program(seed);
    default:
        return shared_program(seed, kTransactions);
    }
}

std::uint64_t transactions_of(CampaignPart part, const LockstepRun &run) {
    switch (part) {
    case CampaignPart::kBranchUnit:
        return run.branch_answers;
    case CampaignPart::kBarrierUnit:
        return run.barrier_operations;
    default:
        return run.shared_accesses;
    }
}

/// What differs between the run in lockstep and one on the model; "" when nothing does.
std::string difference(const LockstepRun &rtl, const LockstepRun &model) {
    if (model.failure != rtl.failure) {
        return "on the model: " + model.failure;
    }
    if (rtl.cycles != model.cycles) {
        return fmt::format("{} cycles; {} on the model", rtl.cycles, model.cycles);
    }
    return rtl.results == model.results ? "" : "the results are not those of the model";
}

/// An exception of the SM that the model has raised too.
bool expected(const LockstepProgram &program, const LockstepRun &run) {
    return program.may_fail && !run.failure.starts_with("LockstepDifference") && !run.failure.starts_with("error: ");
}

} // namespace

LockstepCampaign run_lockstep_campaign(CampaignPart part, const CampaignOptions &options) {
    LockstepCampaign done;
    for (std::uint64_t seed = options.first; done.transactions < options.transactions && done.failure.empty(); ++seed) {
        const LockstepProgram program = program_of(part, seed, options);
        const std::vector<std::string> settings = implementations(part, seed, options);
        const LockstepRun rtl = run(program, settings);
        ++done.programs;
        done.transactions += transactions_of(part, rtl);
        const bool exception = !rtl.failure.empty();
        if (exception && !expected(program, rtl)) {
            done.failure = rtl.failure;
        } else if (exception) {
            ++done.exceptions[rtl.failure.substr(0, rtl.failure.find(':'))];
        }
        if (done.failure.empty() && program.same_cycles && !stalls(seed)) {
            if (options.cycles && rtl.apart != 0) {
                done.failure = fmt::format("{} answers in another cycle than the model's", rtl.apart);
            } else if ((options.library.empty() || options.cycles) && !exception) {
                done.failure = difference(rtl, run(program, options.design));
                ++done.same_cycles;
            }
        }
        if (!done.failure.empty()) {
            done.failure = fmt::format("seed {}: {}\n{}", seed, done.failure,
                                       reproducer(program, fmt::format("{}_campaign", key_of(part)), settings));
        }
    }
    return done;
}

} // namespace smsim::cosim
