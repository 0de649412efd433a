// The command `fuzz_programs`: runs N random programs on model and oracle and reports the outcome.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <systemc>

#include "model/config/loader.h"
#include "tb/fuzz/programs/campaign.h"
#include "tb/fuzz/programs/emit.h"
#include "tb/fuzz/programs/generate_tree.h"

namespace {

using namespace smsim::fuzz;

struct Arguments {
    CampaignOptions campaign;
    std::string output;
    bool coverage = false;
    bool quiet = false;
    std::optional<std::uint64_t> show;
};

int run(Arguments &arguments) {
    if (arguments.show) {
        std::cout << emit(grow(*arguments.show), arguments.campaign.engine).text;
        return 0;
    }
    static_cast<void>(smsim::load_config(
        std::nullopt, arguments.campaign.settings)); // wrong settings are rejected before the first program
    if (!arguments.quiet) {
        arguments.campaign.progress = [&](std::uint64_t programs) {
            std::cerr << fmt::format("\r{} of {} programs", programs, arguments.campaign.programs) << std::flush;
        };
    }
    const CampaignSummary summary = run_campaign(arguments.campaign);
    if (!arguments.quiet) {
        std::cerr << "\r\x1b[K";
    }
    std::cout << summary_text(summary);
    if (arguments.coverage) {
        const auto empty = empty_cells(summary.coverage, arguments.campaign.engine);
        std::cout << "\n"
                  << coverage_table(summary.coverage, arguments.campaign.engine) << "\n"
                  << empty.size() << " of " << coverage_cells(arguments.campaign.engine) << " cells are empty\n";
    }
    if (!arguments.output.empty()) {
        for (const Failure &failure : summary.failures) {
            std::cout << fmt::format("{}/{}.sasm: {}\n", arguments.output, failure.seed,
                                     write_reproducer(failure.seed, arguments.output, arguments.campaign).message);
        }
    }
    return summary.failed == 0 ? 0 : 1;
}

} // namespace

int sc_main(int argc, char **argv) {
    Arguments arguments;
    arguments.campaign.jobs = std::max(1U, std::thread::hardware_concurrency());
    CLI::App app("Runs random programs on the model and on the scalar oracle and compares all results.");
    app.add_option("-n,--programs", arguments.campaign.programs, "Number of programs")->capture_default_str();
    app.add_option("-s,--seed", arguments.campaign.first_seed, "Seed of the first program; the others follow")
        ->capture_default_str();
    app.add_option("-j,--jobs", arguments.campaign.jobs, "Processes")->check(CLI::Range(1, 256))->capture_default_str();
    app.add_option("-t,--time", arguments.campaign.seconds, "End after so many seconds");
    app.add_option("-o,--output", arguments.output, "Folder for shrunk programs that reproduce failures");
    app.add_option("--engine", arguments.campaign.engine, "Reconvergence engine that the programs are for")
        ->check(CLI::IsMember({"convergence_barrier", "simt_stack", "token_stack"}))
        ->capture_default_str();
    app.add_option("--set", arguments.campaign.settings, "key=value for every design")->take_all();
    app.add_flag("--without-timing", arguments.campaign.without_timing, "The model executes without timing");
    app.add_option("--cuts", arguments.campaign.cuts,
                   "Run each program so often, in time from one instruction after the other on, only executed before");
    app.add_flag("--stop", arguments.campaign.stop_at_failure, "Stop at the first failure");
    app.add_flag("--coverage", arguments.coverage, "Print the table of what was exercised");
    app.add_flag("-q,--quiet", arguments.quiet, "No progress");
    app.add_option("--show", arguments.show, "Print the program of a seed and end");
    try {
        app.parse(argc, argv);
        spdlog::set_level(spdlog::level::off); // thousands of programs: SYSCALL need not log its notice
        return run(arguments);
    } catch (const CLI::ParseError &error) {
        return app.exit(error) == 0 ? 0 : 2;
    } catch (const std::exception &error) {
        std::cerr << "fuzz_programs: " << error.what() << "\n";
        return 2;
    }
}
