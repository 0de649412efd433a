// `smsim compile`
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "app/commands.h"
#include "app/exit_status.h"
#include "app/output.h"
#include "app/program_file.h"
#include "app/translation_check.h"
#include "model/config/config.h"
#include "model/config/loader.h"
#include "model/error.h"
#include "ptx/compiler.h"

namespace smsim::app {

namespace {

/// A table with a line for each pass and function, and one for each kernel.
std::string statistics_of(const ptx::CompileLog &log) {
    std::string text = fmt::format("{:<24} {:<10} {:>8} {:>12} {:>6} {:>6} {:>6} {:>8} {:>8}\n", "function", "pass",
                                   "changes", "instructions", "moves", "loads", "stores", "branches", "meetings");
    for (const ptx::PassRecord &pass : log.passes) {
        text += fmt::format("{:<24} {:<10} {:>8} {:>12} {:>6} {:>6} {:>6} {:>8} {:>8}\n", pass.function, pass.pass,
                            pass.changes, pass.instructions, pass.moves, pass.loads, pass.stores, pass.branches,
                            pass.meetings);
    }
    for (const ptx::KernelRecord &kernel : log.kernels) {
        text += fmt::format("{}: {} registers, {} bytes of local memory\n", kernel.kernel, kernel.registers,
                            kernel.local_bytes);
    }
    return text;
}

std::string text_of(const ptx::CompileLog &log) {
    std::string text;
    for (const ptx::PassRecord &pass : log.passes) {
        text += pass.text;
    }
    return text;
}

/// The launches that --check runs.
std::vector<launch::Launch> launches_of(const CompileOptions &options, const PtxSource &source) {
    if (options.launch.empty()) {
        return random_launches(source, options.launches.value_or(4), options.seed.value_or(1));
    }
    return {launch::load_launch(options.launch)};
}

/// `--check`: a line for each launch, and one for each difference.
int check(const CompileOptions &options, const PtxSource &source, const ptx::CompileOptions &compile,
          const Simulation &simulation) {
    const Config config = load_config(std::nullopt, std::vector{"bru.engine=" + options.engine});
    std::size_t differences = 0;
    for (const launch::Launch &launch : launches_of(options, source)) {
        const TranslationVerdict verdict = check_translation(source, launch, config, compile, simulation);
        if (!verdict.inconclusive.empty()) {
            print(fmt::format("{}: nothing compared: {}\n", verdict.kernel, verdict.inconclusive));
            continue;
        }
        const std::string near =
            verdict.near == 0 ? "" : fmt::format(", {} of them as near as PTX asks of an approximation", verdict.near);
        print(fmt::format("{}: {} instructions of threads, {} words{}, after {} passes: {}\n", verdict.kernel,
                          verdict.instructions, verdict.words, near, verdict.runs,
                          verdict.differences.empty()
                              ? "equal"
                              : fmt::format("{} of {} states differ", verdict.differences.size(), verdict.runs + 1)));
        for (const std::string &line : verdict.differences) {
            print(fmt::format("  {}\n", line));
        }
        differences += verdict.differences.size();
    }
    return differences == 0 ? kSuccess : kCheckFailed;
}

} // namespace

int compile_command(const CompileOptions &options, const Simulation &simulation) {
    if (!options.check && (!options.launch.empty() || options.launches || options.seed)) {
        throw InputError("--launch, --launches and --seed say what --check runs; expected --check");
    }
    if (options.check && (!options.output.empty() || options.statistics || !options.print_after.empty())) {
        throw InputError("--check prints what it has compared; expected no -o, --statistics and --print-after");
    }
    if (!launch::is_compiled(options.input)) {
        throw InputError(options.input +
                         ": 'smsim compile' takes PTX (.ptx) or CUDA C++ (.cu); 'smsim asm' assembles .sasm");
    }
    std::error_code error;
    if (!options.output.empty() && std::filesystem::equivalent(options.input, options.output, error)) {
        throw InputError(options.output + ": the output would overwrite the input; name another with -o");
    }
    if (!options.code.macros.empty() && !launch::is_cuda(options.input)) {
        throw InputError(fmt::format("{}: -D {}={} defines a macro of CUDA C++; expected a .cu file", options.input,
                                     options.code.macros.front().name, options.code.macros.front().value));
    }
    const PtxSource source = read_ptx_source(options.input, options.code.macros);
    ptx::CompileOptions compile = compiler_options(options.code);
    compile.matrix_steps = options.matrix_steps.value_or(compile.matrix_steps);
    if (!options.engine.empty()) {
        compile.engine = load_config(std::nullopt, std::vector{"bru.engine=" + options.engine}).bru.engine;
    }
    if (options.check) {
        return check(options, source, compile, simulation);
    }
    ptx::CompileLog log{.print_after = options.print_after};
    const bool asked = options.statistics || !options.print_after.empty();
    if (asked) {
        compile.log = &log;
    }
    std::vector<ptx::LeftOut> left_out;
    compile.left_out = &left_out;
    const std::string text = ptx::compile_to_assembly(source.text, source.name, compile);
    warn_of(left_out);
    if (asked) {
        print((options.statistics ? statistics_of(log) : "") + text_of(log));
    }
    if (options.output.empty()) {
        if (!asked) {
            print(text);
        }
        return kSuccess;
    }
    write_file(options.output, text);
    return kSuccess;
}

} // namespace smsim::app
