// `state_space`: runs families of small programs and the programs of the rejected readings, and prints the results.
//
//   state_space family PIECES THREADS [--stride N] [--alphabet NAME] [-s KEY=VALUE]...
//   state_space stacks ENGINE PIECES THREADS [--stride N] [--alphabet NAME] [-s KEY=VALUE]...
//   state_space graphs NODES THREADS [--stride N]
//   state_space readings
#include <cstdio>
#include <ctime>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <systemc>

#include "tb/state_space/family.h"
#include "tb/state_space/flow_graphs.h"
#include "tb/state_space/rejected_reading_cases.h"
#include "tb/state_space/stack_family.h"

namespace smsim::state_space {
namespace {

int print_family(const FamilyRun &run, const std::string &alphabet) {
    Family family(alphabet == "waiting" ? waiting_alphabet() : full_alphabet());
    const std::clock_t start = std::clock();
    const FamilyResult result = run_family(family, run);
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    for (const std::string &program : result.wrong_programs) {
        fmt::print("{}\n\n", program);
    }
    fmt::print("pieces {}  warps {}  threads {}  programs {} (complete {}, deadlock {}, endless {})\n"
               "states {}  transitions {}  processor seconds {:.1f}  states/s {:.0f}  programs/s {:.0f}\n"
               "wrong {}\n",
               run.pieces, run.warps, run.threads, result.programs, result.complete, result.deadlock, result.endless,
               result.states, result.transitions, seconds, static_cast<double>(result.states) / seconds,
               static_cast<double>(result.programs) / seconds, result.wrong);
    return result.wrong == 0 ? 0 : 1;
}

template <typename Search> int print_stacks(const char *what, const FamilyRun &run, std::uint64_t all, Search search) {
    const std::clock_t start = std::clock();
    const StackFamilyResult result = search();
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    for (const std::string &program : result.wrong_programs) {
        fmt::print("{}\n\n", program);
    }
    fmt::print("{}  pieces {}  warps {}  threads {}  programs {} of {} (tight {})\n"
               "states {}  transitions {}  processor seconds {:.1f}\n"
               "wrong {}\n",
               what, run.pieces, run.warps, run.threads, result.programs, all, result.tight, result.states,
               result.transitions, seconds, result.wrong);
    return result.wrong == 0 ? 0 : 1;
}

int print_readings() {
    int status = 0;
    for (const RejectedReadingCase &reading : rejected_reading_cases()) {
        const SearchResult right = run(reading.program);
        const SearchResult other = run(reading.program, {reading.setting});
        const bool shown = !judge(reading.program, right) && other.problems.contains(reading.problem);
        fmt::print("{:<55} {:<32} {} {}\n", reading.program.name, reading.setting, problem_name(reading.problem),
                   shown ? "" : "NOT SHOWN");
        status = shown ? status : 1;
    }
    return status;
}

int run_command_line(int argc, char **argv) {
    CLI::App app("Searches everything that small programs can do.", "state_space");
    app.require_subcommand(1);
    FamilyRun run;
    std::string alphabet = "full";
    CLI::App *family = app.add_subcommand("family", "all programs of a number of pieces");
    CLI::App *stacks = app.add_subcommand("stacks", "all programs of a number of pieces for another engine");
    std::string engine;
    stacks->add_option("engine", engine)->required()->check(CLI::IsMember({"simt_stack", "token_stack"}));
    CLI::App *graphs = app.add_subcommand("graphs", "all flow graphs of a number of nodes, for simt_stack");
    for (CLI::App *one : {family, stacks, graphs}) {
        one->add_option("pieces", run.pieces, "pieces or nodes")->required()->check(CLI::Range(1, 8));
        one->add_option("threads", run.threads)->required()->check(CLI::Range(1, 32));
        one->add_option("--warps", run.warps, "warps that run the program")->check(CLI::Range(1, 4));
        one->add_option("--stride", run.stride, "every so many programs")->check(CLI::PositiveNumber);
        one->add_option("--offset", run.offset, "first program");
        one->add_option("-s,--set", run.settings, "configuration, key=value, or a rejected reading, as d7");
    }
    family->add_option("--sleep-steps", run.sleep_steps, "every sleep ends after so many instructions");
    family->add_option("--alphabet", alphabet)->check(CLI::IsMember({"full", "waiting"}));
    stacks->add_option("--alphabet", alphabet)->check(CLI::IsMember({"control", "barrier"}));
    CLI::App *readings = app.add_subcommand("readings", "the programs of the rejected readings");
    CLI11_PARSE(app, argc, argv);
    if (graphs->parsed()) {
        run.warps = 1;
        return print_stacks("graphs", run, flow_graphs(run.pieces), [&] { return run_flow_graphs(run); });
    }
    if (stacks->parsed()) {
        Family programs(alphabet == "barrier" ? barrier_alphabet() : control_alphabet());
        const Stack stack = engine == "simt_stack" ? Stack::kSimt : Stack::kToken;
        return print_stacks(engine.c_str(), run, programs.size(run.pieces),
                            [&] { return run_stack_family(programs, stack, run); });
    }
    return readings->parsed() ? print_readings() : print_family(run, alphabet);
}

} // namespace
} // namespace smsim::state_space

int sc_main(int argc, char **argv) {
    try {
        return smsim::state_space::run_command_line(argc, argv);
    } catch (const std::exception &error) {
        fmt::print(stderr, "state_space: error: {}\n", error.what());
        return 2;
    }
}
