// A failing program as files: reduced, and runnable with `smsim run`.
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "assembler/assembler.h"
#include "model/config/config.h"
#include "model/config/loader.h"
#include "tb/fuzz/programs/campaign.h"
#include "tb/fuzz/programs/emit.h"
#include "tb/fuzz/programs/generate_tree.h"
#include "tb/fuzz/programs/run_oracle.h"
#include "tb/fuzz/programs/shrink.h"
#include "tb/fuzz/programs/vary.h"

namespace smsim::fuzz {
namespace {

void write(const std::filesystem::path &path, const std::string &text) {
    std::ofstream out(path, std::ios::binary);
    out << text;
    if (!out.flush()) {
        throw InputError(fmt::format("{}: cannot be written", path.string()));
    }
}

/// The buffers that the oracle expects, as files, and the checks in the launch file that name them.
std::string write_expected(const Case &test, const Program &program, const std::filesystem::path &folder,
                           const std::string &name, std::uint32_t call_limit) {
    const Outcome expected = run_oracle(test, program, 1, call_limit);
    std::string checks;
    for (std::size_t i = 0; i < expected.buffers.size(); ++i) {
        const std::string file = fmt::format("{}.{}.bin", name, test.launch.arguments[i].name);
        write(folder / file, std::string(expected.buffers[i].begin(), expected.buffers[i].end()));
        checks += fmt::format("  - {{buffer: {}, file: {}}}\n", test.launch.arguments[i].name, file);
    }
    return checks.empty() ? "" : "check:\n" + checks;
}

} // namespace

Reproducer write_reproducer(std::uint64_t seed, const std::string &folder, const CampaignOptions &options) {
    ModelRunner runner;
    Tree tree = grow(seed);
    ModelRun run = vary(seed, tree.threads, options.settings, options.engine);
    run.without_timing = options.without_timing;
    run.cuts = options.cuts;
    const Verdict::Kind kind = judge(tree, run, runner).kind;
    ModelRun plain;
    plain.without_timing = options.without_timing;
    plain.cuts = options.cuts;
    std::vector<std::string> settings{"bru.engine=" + options.engine};
    settings.insert(settings.end(), options.settings.begin(), options.settings.end());
    plain.config = load_config(std::nullopt, settings);
    if (judge(tree, plain, runner).kind == kind) {
        run = plain; // the design is not to blame
    }
    tree = shrink(tree, [&](const Tree &smaller) { return judge(smaller, run, runner).kind == kind; });
    const Verdict verdict = judge(tree, run, runner);

    const std::filesystem::path base(folder);
    std::filesystem::create_directories(base);
    const std::string name = fmt::format("{}", seed);
    const Case test = emit(tree, options.engine);
    std::string comment = verdict.message;
    for (std::size_t at = 0; (at = comment.find('\n', at)) != std::string::npos; at += 4) {
        comment.replace(at, 1, "\n// ");
    }
    write(base / (name + ".sasm"),
          fmt::format("// seed {}: {}\n//\n// smsim run {}.launch.yaml -c {}.config.yaml{}\n", seed, comment, name,
                      name, options.without_timing ? " --timing none" : "") +
              test.text);
    std::string launch = launch_text(test, name + ".sasm");
    Config config = run.config;
    config.sm.hazard_check = !options.without_timing;
    try {
        const Program program = assemble(test.text, name + ".sasm", timing::SchedulingModel(config));
        config.bru.trap_handler = trap_handler_of(test, program);
        launch += write_expected(test, program, base, name, config.bru.token_stack.call_limit);
    } catch (const InputError &) {
        // A program that does not assemble is written unchanged.
    }
    write(base / (name + ".launch.yaml"), launch);
    write(base / (name + ".config.yaml"), dump_config(config));
    return {tree, verdict.message};
}

} // namespace smsim::fuzz
