// The fixture of the tests that remove control fields: every field set by the scheduler pass is removed alone. The
// loss must be reported by the check of the schedule and by the hazard checker in a run, or the field must turn out to
// be unnecessary.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iostream>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "assembler/assembler.h"
#include "assembler/scheduler.h"
#include "tb/fuzz/programs/control_fields.h"
#include "tb/fuzz/programs/emit.h"
#include "tb/fuzz/programs/generate_tree.h"
#include "tb/fuzz/programs/run_model.h"
#include "tb/fuzz/programs/run_oracle.h"
#include "tb/fuzz/programs/vary.h"

namespace smsim::fuzz {

/// A design on which results of variable latency arrive late, so that a missing wait is a hazard whenever the pair is
/// executed.
inline Config slow_design(std::uint32_t threads) {
    Config config;
    config.sm.warps_per_sub_partition = std::max(2U, (threads + 4 * kLanes - 1) / (4 * kLanes));
    config.icache.l1_latency = 1;
    config.icache.l0_latency = 1;
    config.l1.enabled = false;
    config.pipes.special_register = 200;
    config.pipes.shuffle = 200;
    config.pipes.xu.latency = 200;
    config.lsu.constant_latency = 200;
    config.lsu.constant_immediate_latency = 200;
    config.lsu.shared_load_sources = 150;
    config.lsu.shared_store_sources = 150;
    config.lsu.global_load_sources = 150;
    config.lsu.global_store_sources = 150;
    config.shared.latency = 200;
    config.bru.move_latency = 200;
    config.bcu.move_latency = 200;
    return config;
}

/// The outcome of removing one kind of field.
struct Count {
    unsigned removed = 0;
    unsigned by_schedule = 0;  ///< reported by verify_schedule
    unsigned tried = 0;        ///< of these, run on the model
    unsigned by_run = 0;       ///< reported by the hazard checker
    unsigned not_executed = 0; ///< no thread has executed a pair that lost its protection
    unsigned in_time = 0;      ///< one has, but the value had already arrived
    unsigned indirect = 0;     ///< only a jump needed the wait, on behalf of the code after it
    unsigned not_needed = 0;   ///< not reported, and runs are unchanged
};

class ControlFields : public ::testing::Test {
  protected:
    /// Removes fields from the programs of `programs` seeds from `first` on; every `stride`-th loss is also tried in a
    /// run.
    void examine(std::uint64_t first, unsigned programs, unsigned stride) {
        spdlog::set_level(spdlog::level::off);
        for (std::uint64_t seed = first; seed < first + programs; ++seed) {
            const Tree tree = grow(seed);
            if (tree.threads > 2 * kLanes) {
                continue; // few threads give the same result in less time
            }
            test_ = emit(tree);
            run_.config = slow_design(tree.threads);
            model_ = timing::SchedulingModel(run_.config);
            program_ = assemble(test_.text, "generated.sasm", model_);
            expected_ = run_oracle(test_, program_, 1);
            seed_ = seed;
            EXPECT_TRUE(assembler::verify_schedule(program_, model_).empty()) << "seed " << seed;
            ++programs_;
            for (const Removal &removal : removals(program_)) {
                remove(removal, ++removals_ % stride == 0);
            }
        }
        print();
    }

    std::array<Count, kRemovalFields> counts_{};

  private:
    std::string place(const Removal &removal) const {
        return fmt::format("seed {}, {:#x}: {} {}", seed_, removal.index * kInstructionBytes, name_of(removal.field),
                           removal.scoreboard);
    }

    void remove(const Removal &removal, bool in_run) {
        Count &count = counts_[static_cast<std::size_t>(removal.field)];
        ++count.removed;
        const Program changed = without(program_, removal);
        const auto missing = assembler::verify_schedule(changed, model_);
        if (missing.empty()) {
            ++count.not_needed;
            expect_unchanged(removal, changed);
            return;
        }
        ++count.by_schedule;
        if (in_run) {
            ++count.tried;
            expect_reported(removal, changed, missing, count);
        }
    }

    /// Neither check reports the loss: then no design may reveal it.
    void expect_unchanged(const Removal &removal, const Program &changed) {
        std::cout << place(removal) << " is not needed\n";
        for (const std::uint64_t design : {1U, 2U}) {
            ModelRun run = vary(seed_ * 16 + design, test_.launch.block[0]);
            run.config.pipes = run_.config.pipes; // the schedule is made for these
            const Outcome got = runner_.run(test_, changed, run);
            EXPECT_EQ(got.failure, "") << place(removal);
            EXPECT_EQ(difference(test_, got, expected_), "") << place(removal);
        }
    }

    /// Every unprotected dependence between two instructions that a thread executed too close together must be
    /// reported.
    void expect_reported(const Removal &removal, const Program &changed,
                         const std::vector<assembler::MissingProtection> &missing, Count &count) {
        ModelRun run = run_;
        for (const assembler::MissingProtection &pair : missing) {
            const isa::Instruction &producer = changed.at(pair.producer);
            const isa::Instruction &consumer = changed.at(pair.consumer);
            if (timing::required_distance(model_, producer, consumer) != 0 ||
                timing::touches_result(producer, consumer) || timing::overwrites_source(producer, consumer)) {
                run.pairs.push_back(
                    {pair.producer, pair.consumer, isa::dependences_of(producer).uniform_write.count != 0, kNever});
            }
        }
        const Outcome got = runner_.run(test_, changed, run);
        if (!got.hazards.empty()) {
            ++count.by_run;
        }
        bool executed = false;
        for (const WatchedPair &pair : got.pairs) {
            const bool reported = std::ranges::any_of(got.hazards, [&](const Hazard &hazard) {
                return hazard.first == pair.first && hazard.second == pair.second;
            });
            executed = executed || pair.least != kNever;
            EXPECT_TRUE(reported || !too_close(changed, pair))
                << place(removal) << ": " << std::hex << pair.first << " and " << pair.second << std::dec << ", "
                << pair.least << " cycles apart; " << got.failure;
        }
        if (got.hazards.empty()) {
            ++(run.pairs.empty() ? count.indirect : executed ? count.in_time : count.not_executed);
        }
    }

    /// True if the value cannot have arrived: fewer cycles than the minimum of the first instruction.
    bool too_close(const Program &changed, const WatchedPair &pair) const {
        const isa::Instruction &first = changed.at(pair.first);
        const isa::Instruction &second = changed.at(pair.second);
        if (pair.least == kNever) {
            return false;
        }
        if (!timing::needs_write_scoreboard(first) && !timing::needs_read_scoreboard(first)) {
            return pair.least < timing::required_distance(model_, first, second);
        }
        constexpr Cycle kLeastLatency = 100; // of everything with a variable latency in the slow design
        return timing::touches_result(first, second) && first.op != isa::Op::kLepc && pair.least < kLeastLatency;
    }

    void print() const {
        std::cout << programs_ << " programs\n"
                  << "field      removed reported unneeded | tried hazard unexecuted in-time indirect\n";
        for (std::size_t f = 0; f < kRemovalFields; ++f) {
            const Count &c = counts_[f];
            std::cout << fmt::format("{:<10} {:>7} {:>8} {:>8} | {:>5} {:>6} {:>10} {:>7} {:>8}\n",
                                     name_of(static_cast<Removal::Field>(f)), c.removed, c.by_schedule, c.not_needed,
                                     c.tried, c.by_run, c.not_executed, c.in_time, c.indirect);
        }
    }

    Case test_;
    Program program_;
    timing::SchedulingModel model_;
    ModelRun run_;
    Outcome expected_;
    ModelRunner runner_;
    std::uint64_t seed_ = 0;
    unsigned programs_ = 0;
    unsigned removals_ = 0;
};

} // namespace smsim::fuzz
