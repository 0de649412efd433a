// The test of one seeded bug: random programs must find it, and the failures must be the model's fault.
//
// mutant_NAME [-n PROGRAMS] [-j JOBS] [--engine ENGINE] [--shrink FOLDER --smsim PROGRAM]: prints the seed and message
// of the first failure. With --shrink the failing program is also reduced, and the correct model must run the written
// files. Exit status 0: all of this holds; 1: not found, a program is at fault, or the reduced program is invalid.
#include <sys/wait.h>

#include <cstdlib>
#include <iostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <systemc>

#include "tb/fuzz/programs/campaign.h"

namespace {

using namespace smsim::fuzz;

constexpr std::size_t kSmall = 25; ///< most statements of a small program

/// Shrinks the failure into `folder`; true when it is small, still fails here, and passes on the program `smsim`, which
/// has no bug.
bool shrinks(const Failure &failure, const CampaignOptions &options, const std::string &folder,
             const std::string &smsim) {
    const Reproducer small = write_reproducer(failure.seed, folder, options);
    std::size_t statements = size_of(small.tree.body);
    for (const Block &function : small.tree.functions) {
        statements += size_of(function);
    }
    std::cout << fmt::format("shrunk to {} statements, {} threads: {}\n", statements, small.tree.threads,
                             small.message);
    const std::string name = fmt::format("{}/{}", folder, failure.seed);
    const int status = std::system(
        fmt::format("'{}' run --report none '{}.launch.yaml' -c '{}.config.yaml'", smsim, name, name).c_str());
    const bool sound = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    std::cout << (sound ? "" : "the program without the bug fails on the small program\n");
    return sound && statements <= kSmall && !small.message.empty();
}

} // namespace

int sc_main(int argc, char **argv) {
    CampaignOptions options;
    options.programs = 3000;
    options.stop_at_failure = true;
    std::string folder;
    std::string smsim;
    CLI::App app("Looks for a seeded bug with random programs.");
    app.add_option("-n,--programs", options.programs, "Most programs to try")->capture_default_str();
    app.add_option("-j,--jobs", options.jobs, "Processes")->check(CLI::Range(1, 256))->capture_default_str();
    app.add_option("--engine", options.engine, "Reconvergence engine that the programs are for")
        ->check(CLI::IsMember({"convergence_barrier", "simt_stack", "token_stack"}))
        ->capture_default_str();
    auto *shrink = app.add_option("--shrink", folder, "Make the failing program small, in this folder");
    shrink->needs(app.add_option("--smsim", smsim, "The simulator without the bug"));
    CLI11_PARSE(app, argc, argv);
    spdlog::set_level(spdlog::level::off); // SYSCALL need not log its notice
    const CampaignSummary summary = run_campaign(options);
    std::cout << summary_text(summary);
    if (summary.failures.empty()) {
        std::cout << "the seeded bug has not been found\n";
        return 1;
    }
    const Failure &first = summary.failures.front();
    const bool found = first.kind == Verdict::Kind::kModel;
    return found && (folder.empty() || shrinks(first, options, folder, smsim)) ? 0 : 1;
}
