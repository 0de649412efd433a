#include "tb/fuzz/programs/judge.h"

#include <algorithm>

#include <fmt/format.h>

#include "assembler/assembler.h"
#include "assembler/scheduler.h"
#include "model/config/config.h"
#include "model/program/engine.h"
#include "tb/fuzz/programs/emit.h"
#include "tb/fuzz/programs/run_oracle.h"

namespace smsim::fuzz {
namespace {

/// Runs the model once with the options `run`, into `verdict`. Returns what is wrong with it; empty: nothing.
std::string judge_once(const Case &test, const Program &program, const ModelRun &run, const Outcome &expected,
                       ModelRunner &runner, Verdict &verdict) {
    const Outcome got = runner.run(test, program, run);
    verdict.warp_instructions += got.warp_instructions;
    verdict.thread_instructions += got.thread_instructions;
    verdict.lockstep += got.lockstep;
    return got.failure.empty() ? difference(test, got, expected) : got.failure;
}

/// The same with the number of cuts in `run`.
std::string judge_cut(const Case &test, const Program &program, const ModelRun &given, const Outcome &expected,
                      ModelRunner &runner, Verdict &verdict) {
    ModelRun run = given;
    ModelRun whole = given;
    whole.without_timing = true;
    whole.counts = nullptr;
    const Outcome without_time = runner.run(test, program, whole);
    if (!without_time.failure.empty()) {
        return without_time.failure;
    }
    for (unsigned cut = 1; cut <= run.cuts; ++cut) {
        run.from_instruction = std::max<std::uint64_t>(1, without_time.warp_instructions * cut / (run.cuts + 1));
        if (std::string wrong = judge_once(test, program, run, expected, runner, verdict); !wrong.empty()) {
            return fmt::format("in time from instruction {} of {}: {}", run.from_instruction,
                               without_time.warp_instructions, wrong);
        }
    }
    return {};
}

} // namespace

Verdict judge(const Tree &tree, const ModelRun &run, ModelRunner &runner) {
    Verdict verdict;
    const auto end = [&](Verdict::Kind kind, std::string message) {
        verdict.kind = kind;
        verdict.message = std::move(message);
        return verdict;
    };
    const Case test = emit(tree, engine_names()[static_cast<std::size_t>(run.config.bru.engine)]);
    const std::uint32_t call_limit = run.config.bru.token_stack.call_limit;
    Program program;
    try {
        program = assemble(test.text, "generated.sasm", timing::SchedulingModel(run.config));
    } catch (const InputError &error) {
        return end(Verdict::Kind::kGenerator, error.what());
    }
    verdict.static_instructions = program.code.size();
    const auto missing = assembler::verify_schedule(program, timing::SchedulingModel(run.config));
    if (!missing.empty()) {
        return end(Verdict::Kind::kModel, fmt::format("schedule between {:#x} and {:#x}: {}", missing.front().producer,
                                                      missing.front().consumer, missing.front().reason));
    }
    const Outcome expected = run_oracle(test, program, 1, call_limit);
    verdict.oracle_instructions = expected.thread_instructions;
    if (!expected.failure.empty()) {
        return end(Verdict::Kind::kGenerator, expected.failure);
    }
    const Outcome again = run_oracle(test, program, 2, call_limit);
    if (!again.failure.empty()) {
        return end(Verdict::Kind::kGenerator, again.failure);
    }
    if (const std::string differs = difference(test, again, expected); !differs.empty()) {
        return end(Verdict::Kind::kGenerator, "the program is not determinate: " + differs);
    }
    const auto judged = run.cuts != 0 ? judge_cut : judge_once;
    if (std::string wrong = judged(test, program, run, expected, runner, verdict); !wrong.empty()) {
        return end(Verdict::Kind::kModel, std::move(wrong));
    }
    return verdict;
}

} // namespace smsim::fuzz
