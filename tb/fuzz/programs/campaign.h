// A campaign: many random programs, several at a time, with one summary.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/program/program.h"
#include "tb/fuzz/programs/coverage.h"
#include "tb/fuzz/programs/judge.h"
#include "tb/fuzz/programs/outcome.h"
#include "tb/fuzz/programs/tree.h"

namespace smsim::fuzz {

struct CampaignOptions {
    std::uint64_t first_seed = 1;
    std::uint64_t programs = 1000;
    unsigned jobs = 1;                  ///< number of processes that judge programs
    bool stop_at_failure = false;       ///< stop after the first failure
    std::string engine{kDefaultEngine}; ///< the reconvergence engine that the programs are written for and run on
    bool without_timing = false;        ///< the model executes functionally
    unsigned cuts = 0;                  ///< see ModelRun::cuts
    double seconds = 0;                 ///< end after about this many seconds; 0: no limit
    std::vector<std::string> settings;  ///< settings of every design, "bru.election=oldest"; added to those of `vary`
    /// Called about once a second with the number of programs judged.
    std::function<void(std::uint64_t)> progress;
};

/// A failed program.
struct Failure {
    std::uint64_t seed = 0;
    Verdict::Kind kind = Verdict::Kind::kModel;
    std::string message; ///< at most 1000 characters
};

struct CampaignSummary {
    std::uint64_t programs = 0;
    std::uint64_t failed = 0;
    std::vector<Failure> failures; ///< the first few, by seed
    std::uint64_t warp_instructions = 0;
    std::uint64_t thread_instructions = 0;
    std::uint64_t oracle_instructions = 0;
    std::uint64_t static_instructions = 0;
    LockstepAnswers lockstep;
    double seconds = 0;
    CoverageCounts coverage{};
};

/// Judges the programs of the seeds first_seed .. first_seed + programs - 1, each on the design chosen by `vary`.
CampaignSummary run_campaign(const CampaignOptions &options);

/// The summary as text, without the coverage table.
std::string summary_text(const CampaignSummary &summary);

/// A failing program, reduced.
struct Reproducer {
    Tree tree;
    std::string message; ///< of its failure
};

/// Shrinks the program of a failed seed and writes what reproduces it into `folder`: SEED.sasm with the failure and
/// the command as a comment, SEED.launch.yaml, SEED.config.yaml, and the expected contents of the buffers. Uses from
/// `options` those that choose what runs and on what: engine and settings.
Reproducer write_reproducer(std::uint64_t seed, const std::string &folder, const CampaignOptions &options = {});

} // namespace smsim::fuzz
