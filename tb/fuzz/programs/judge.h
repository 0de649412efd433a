// Judges one random program: oracle and model must agree.
#pragma once

#include <cstdint>
#include <string>

#include "tb/fuzz/programs/outcome.h"
#include "tb/fuzz/programs/run_model.h"
#include "tb/fuzz/programs/tree.h"

namespace smsim::fuzz {

/// The verdict on one program.
struct Verdict {
    enum class Kind : std::uint8_t {
        kAgree,
        kModel,     ///< the model differs from the oracle or failed, or the scheduler pass failed
        kGenerator, ///< the program is at fault: it does not assemble, or the oracle's runs disagree with one another
    };
    Kind kind = Kind::kAgree;
    std::string message;
    std::uint64_t warp_instructions = 0;   ///< of the model
    std::uint64_t thread_instructions = 0; ///< of the model
    std::uint64_t oracle_instructions = 0;
    std::uint64_t static_instructions = 0; ///< of the program
    LockstepAnswers lockstep;
};

/// Runs `tree` on the oracle with two interleavings and on the model with the options `run`; with `run.cuts`, the
/// model counts only the instructions that it simulated in time.
Verdict judge(const Tree &tree, const ModelRun &run, ModelRunner &runner);

} // namespace smsim::fuzz
