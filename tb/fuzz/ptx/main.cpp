// `ptx_fuzz`: compares random PTX programs on the model with the interpreter.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <systemc>

#include "model/config/loader.h"
#include "model/program/engine.h"
#include "tb/fuzz/ptx/campaign.h"
#include "tb/fuzz/ptx/program_writer.h"

namespace {

using namespace smsim::ptx_fuzz;

struct Arguments {
    Options options;
    std::optional<std::uint64_t> show;
    std::string folder;
    bool quiet = false;
};

int run(Arguments &arguments) {
    if (arguments.show) {
        fmt::print("{}", write_program(grow(*arguments.show)));
        return 0;
    }
    std::size_t failed = 0;
    arguments.options.progress = [&](const Summary &summary) {
        for (; failed < summary.failures.size(); ++failed) {
            const Failure &failure = summary.failures[failed];
            fmt::print("seed {}: {}\n", failure.seed, failure.message);
            if (!arguments.folder.empty()) {
                Tree tree = grow(failure.seed);
                tree.engine = arguments.options.engine;
                tree.beyond_compiler = arguments.options.beyond_compiler;
                write_reproducer(shrink(std::move(tree), arguments.options, 300), failure.message, arguments.folder);
            }
        }
        if (!arguments.quiet && summary.programs % 100 == 0) {
            fmt::print(stderr, "{} programs, {:.1f}/s\n", summary.programs,
                       static_cast<double>(summary.programs) / summary.seconds);
        }
    };
    const Summary summary = run_campaign(arguments.options);
    fmt::print(
        "{} programs, {} refused, {} failed, {:.1f} programs/s, {} warp instructions, {} PTX instructions of threads\n",
        summary.programs, summary.refused, summary.failures.size(),
        static_cast<double>(summary.programs) / summary.seconds, summary.warp_instructions,
        summary.thread_instructions);
    return summary.failures.empty() ? 0 : 1;
}

} // namespace

int sc_main(int argc, char **argv) {
    spdlog::set_level(spdlog::level::off);
    Arguments arguments;
    bool plain = false;
    CLI::App app{"Runs random PTX programs on the model and on the interpreter and compares all results."};
    app.add_option("-n,--programs", arguments.options.programs, "number of programs")->capture_default_str();
    app.add_option("-s,--seed", arguments.options.first_seed, "seed of the first program; the others follow")
        ->capture_default_str();
    app.add_option("--show", arguments.show, "print the program of a seed and end");
    app.add_option("-o,--output", arguments.folder, "folder for shrunk programs and launches that reproduce failures");
    app.add_option_function<std::string>(
           "--engine",
           [&](const std::string &name) {
               arguments.options.engine =
                   smsim::load_config(std::nullopt, std::vector{"bru.engine=" + name}).bru.engine;
           },
           "reconvergence engine to compile for and run on")
        ->check(CLI::IsMember(std::vector<std::string>(smsim::engine_names().begin(), smsim::engine_names().end())));
    app.add_flag("--default-design", plain, "all programs on the default design");
    app.add_flag("--passes", arguments.options.vary_passes,
                 "other levels of optimisation, single passes and pieces of the pipeline for other seeds");
    app.add_flag("--beyond-compiler", arguments.options.beyond_compiler,
                 "also what PTX allows and the compiler does not cover");
    app.add_flag("-q,--quiet", arguments.quiet, "no progress");
    CLI11_PARSE(app, argc, argv);
    arguments.options.vary_design = !plain;
    return run(arguments);
}
