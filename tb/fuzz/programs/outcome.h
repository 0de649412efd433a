// The final state of one run of a test case, on the model or on the oracle, and the comparison of two of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/error.h"
#include "model/stats/statistics.h"
#include "model/types.h"
#include "tb/fuzz/programs/case.h"
#include "tb/fuzz/programs/pair_watch.h"

namespace smsim::fuzz {

/// A thread at its end.
struct ThreadOutcome {
    std::vector<std::uint32_t> registers; ///< at least those that the case compares
    std::uint8_t predicates = 0;          ///< bit p: predicate p
};

/// Answers of RTL that were compared in lockstep (docs/co-simulation.md), by part.
struct LockstepAnswers {
    std::uint64_t bru = 0;
    std::uint64_t bcu = 0;
    std::uint64_t timer = 0;
    std::uint64_t shared = 0;
    std::uint64_t apart = 0; ///< of all these, answers in another cycle than the model's

    LockstepAnswers &operator+=(const LockstepAnswers &other) {
        bru += other.bru;
        bcu += other.bcu;
        timer += other.timer;
        shared += other.shared;
        apart += other.apart;
        return *this;
    }
};

struct Outcome {
    /// Why the run has no result: an exception, a hang, a crash, a broken invariant. Empty: it has one.
    std::string failure;
    std::optional<Fault> fault; ///< of an exception
    /// Order: CTA, then thread of the CTA.
    std::vector<ThreadOutcome> threads;
    bool partial = false; ///< threads without registers ended before timing began and were not observed
    std::vector<std::vector<std::uint8_t>> buffers; ///< by argument
    std::uint64_t warp_instructions = 0;
    std::uint64_t thread_instructions = 0;
    LockstepAnswers lockstep;
    Cycle cycles = 0;
    std::vector<Hazard> hazards;    ///< of the model; the first one is the failure, unless there was another
    std::vector<WatchedPair> pairs; ///< of the model: those of its run, with their distances
};

/// The first difference in what the case compares, "CTA 0 thread 3: R5 is 0x7, expected 0x8"; empty if there is none.
std::string difference(const Case &test, const Outcome &got, const Outcome &expected);

} // namespace smsim::fuzz
