#include "tb/cosim/lockstep_campaign.h"

#include <string_view>

#include <fmt/format.h>

#include "tb/cosim/barrier_program.h"
#include "tb/cosim/branch_program.h"
#include "tb/cosim/exit_barrier_program.h"
#include "tb/cosim/shared_program.h"
#include "tb/cosim/simt_stack_program.h"
#include "tb/cosim/token_stack_program.h"
#include "tb/cosim/wild_barrier_program.h"

namespace smsim::cosim {
namespace {

constexpr std::uint32_t kTransactions = 5000; // of a program, approximately

const char *key_of(CampaignPart part) {
    static constexpr const char *kKeys[] = {"bru", "bcu", "shared", "bru", "bru"};
    return kKeys[static_cast<unsigned>(part)];
}

/// rtl.stall_percent of the program: its own, or a value above 0 in a fifth of all programs.
std::uint64_t stall_percent(std::uint64_t seed, const LockstepProgram &program) {
    if (program.stall_percent != 0) {
        return program.stall_percent;
    }
    return seed % 10 < 2 ? 10 + seed / 10 % 5 * 10 : 0;
}

std::vector<std::string> implementations(CampaignPart part, std::uint64_t seed, std::uint64_t percent,
                                         const CampaignOptions &options) {
    std::vector<std::string> settings;
    if (!options.library.empty()) {
        settings.push_back(fmt::format("{}.implementation=lockstep:{}", key_of(part), options.library));
    } else {
        settings.emplace_back("timer.implementation=lockstep");
        for (const CampaignPart one :
             {CampaignPart::kBranchUnit, CampaignPart::kBarrierUnit, CampaignPart::kSharedMemory}) {
            if (seed % 5 == 0 || std::string_view(key_of(part)) == key_of(one)) {
                settings.push_back(fmt::format("{}.implementation=lockstep", key_of(one)));
            }
        }
    }
    if (percent != 0) {
        settings.push_back(fmt::format("rtl.stall_percent={}", percent));
        settings.push_back(fmt::format("rtl.stall_seed={}", seed));
    }
    settings.insert(settings.end(), options.design.begin(), options.design.end());
    return settings;
}

LockstepProgram program_of(CampaignPart part, std::uint64_t seed, const CampaignOptions &options) {
    switch (part) {
    case CampaignPart::kBranchUnit:
        return branch_program(seed, options.warps);
    case CampaignPart::kSimtStack:
        return simt_stack_program(seed, options.warps);
    case CampaignPart::kTokenStack:
        return token_stack_program(seed, options.warps);
    case CampaignPart::kBarrierUnit:
        if (seed % 128 == 15) { // each as long as hundreds of the others
            return barrier_program(seed, kTransactions);
        }
        return seed % 8 == 3 ? exit_barrier_program(seed) : wild_barrier_program(seed);
    default:
        return shared_program(seed, kTransactions);
    }
}

std::uint64_t transactions_of(CampaignPart part, const LockstepRun &run) {
    switch (part) {
    case CampaignPart::kBranchUnit:
    case CampaignPart::kSimtStack:
    case CampaignPart::kTokenStack:
        return run.branch_answers;
    case CampaignPart::kBarrierUnit:
        return run.barrier_operations;
    default:
        return run.shared_accesses;
    }
}

/// The name of the exception that ended the run; "" if none did.
std::string exception_of(const LockstepRun &run) {
    return run.failure.substr(0, run.failure.find(':'));
}

/// Whether the run can be compared with a run on the model: an exception of an instruction ends the latter earlier,
/// because the model knows of it when the instruction begins.
bool comparable(const LockstepRun &run) {
    return run.failure.empty() || exception_of(run) == "Watchdog";
}

/// The differences between the run in lockstep and a run on the model; "" if there are none.
std::string difference(const LockstepRun &rtl, const LockstepRun &model) {
    if (exception_of(model) != exception_of(rtl)) {
        return "on the model: " + model.failure;
    }
    if (rtl.cycles != model.cycles) {
        return fmt::format("{} cycles; {} on the model", rtl.cycles, model.cycles);
    }
    return rtl.results == model.results ? "" : "the results are not those of the model";
}

/// An exception of the SM that the model has raised as well.
bool expected(const LockstepProgram &program, const LockstepRun &run) {
    return program.may_fail && !run.failure.starts_with("LockstepDifference") && !run.failure.starts_with("error: ");
}

} // namespace

LockstepCampaign run_lockstep_campaign(CampaignPart part, const CampaignOptions &options) {
    LockstepCampaign done;
    for (std::uint64_t seed = options.first; done.transactions < options.transactions && done.failure.empty(); ++seed) {
        const LockstepProgram program = program_of(part, seed, options);
        const std::uint64_t percent = stall_percent(seed, program);
        const std::vector<std::string> settings = implementations(part, seed, percent, options);
        const LockstepRun rtl = run(program, settings);
        ++done.programs;
        done.transactions += transactions_of(part, rtl);
        const bool exception = !rtl.failure.empty();
        if (exception && !expected(program, rtl)) {
            done.failure = rtl.failure;
        } else if (exception) {
            ++done.exceptions[exception_of(rtl)];
        }
        const bool cycles = options.library.empty() || options.cycles;
        if (done.failure.empty() && cycles && rtl.early != 0) { // whichever channels are held up
            done.failure = fmt::format("{} answers of the branch unit in an earlier cycle than the model's", rtl.early);
        }
        if (done.failure.empty() && cycles && program.same_cycles && percent == 0) {
            if (rtl.apart != 0) {
                done.failure = fmt::format("{} answers in another cycle than the model's", rtl.apart);
            } else if (program.same_run && comparable(rtl)) {
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
