// The command `lockstep_campaigns`: random programs for one part, with a block from a library in lockstep in its
// place; for the sleep timer, requests and stops of the block alone.
#include <iostream>
#include <map>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <systemc>

#include "tb/cosim/lockstep_campaign.h"
#include "tb/cosim/sleep_timer_campaign.h"

namespace {

using namespace smsim::cosim;

/// Prints the figures, then the differences; returns whether there are any.
int show(std::uint64_t programs, std::uint64_t transactions, const std::map<std::string, std::uint64_t> &exceptions,
         const std::string &difference) {
    std::cout << fmt::format("programs {}\ntransactions {}\n", programs, transactions);
    for (const auto &[name, count] : exceptions) {
        std::cout << fmt::format("exception {} {}\n", name, count);
    }
    if (!difference.empty()) {
        std::cout << difference << "\n";
    }
    return difference.empty() ? 0 : 1;
}

int run(const std::string &part, const CampaignOptions &options) {
    if (part == "timer") {
        const TimerCampaign done = run_timer_campaign(options.first, options.transactions, options.library);
        return show(0, done.requests, {}, done.difference);
    }
    static const std::map<std::string, CampaignPart> kParts = {{"bru", CampaignPart::kBranchUnit},
                                                               {"bcu", CampaignPart::kBarrierUnit},
                                                               {"shared", CampaignPart::kSharedMemory},
                                                               {"simt_stack", CampaignPart::kSimtStack},
                                                               {"token_stack", CampaignPart::kTokenStack}};
    const LockstepCampaign done = run_lockstep_campaign(kParts.at(part), options);
    return show(done.programs, done.transactions, done.exceptions, done.failure);
}

} // namespace

int sc_main(int argc, char **argv) {
    std::string part;
    CampaignOptions options;
    options.transactions = 100'000;
    CLI::App app("Random programs for one part, with RTL in lockstep in its place, up to the first difference.");
    app.add_option("part", part, "bru, bcu, timer or shared; simt_stack or token_stack: bru with this engine")
        ->required()
        ->check(CLI::IsMember({"bru", "bcu", "timer", "shared", "simt_stack", "token_stack"}));
    app.add_option("--library", options.library, "Library of the block (scripts/verilate); else that of this project")
        ->check(CLI::ExistingFile);
    app.add_option("-s,--seed", options.first, "Seed of the first program")->capture_default_str();
    app.add_option("-n,--transactions", options.transactions, "End after so many answers, operations or accesses")
        ->capture_default_str();
    app.add_option("--warps", options.warps, "Warps of a CTA at most, in programs for the branch unit")
        ->capture_default_str()
        ->check(CLI::Range(1, 32));
    app.add_option("--set", options.design, "key=value for every design")->take_all();
    app.add_flag("--cycles", options.cycles, "An answer in another cycle than the model's is a difference");
    try {
        app.parse(argc, argv);
        return run(part, options);
    } catch (const CLI::ParseError &error) {
        return app.exit(error) == 0 ? 0 : 2;
    } catch (const std::exception &error) {
        std::cerr << "lockstep_campaigns: " << error.what() << "\n";
        return 2;
    }
}
