// The test of one seeded bug: random programs must find it, and what they find must be the model's fault.
//
// mutant_NAME [-n PROGRAMS] [-j JOBS]: prints seed and message of the first failure. Exit status 0: found; 1: not
// found, or a program is at fault.
#include <cstdio>
#include <iostream>

#include <CLI/CLI.hpp>
#include <spdlog/spdlog.h>
#include <systemc>

#include "tb/fuzz/campaign.h"

int sc_main(int argc, char **argv) {
    using namespace smsim::fuzz;
    CampaignOptions options;
    options.programs = 3000;
    options.stop_at_failure = true;
    CLI::App app("Looks for a seeded bug with random programs.");
    app.add_option("-n,--programs", options.programs, "Most programs to try")->capture_default_str();
    app.add_option("-j,--jobs", options.jobs, "Processes")->check(CLI::Range(1, 256))->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    spdlog::set_level(spdlog::level::off); // SYSCALL need not announce itself
    const CampaignSummary summary = run_campaign(options);
    std::cout << summary_text(summary);
    if (summary.failures.empty()) {
        std::cout << "the seeded bug has not been found\n";
        return 1;
    }
    const Failure &first = summary.failures.front();
    return first.kind == Verdict::Kind::kModel ? 0 : 1;
}
