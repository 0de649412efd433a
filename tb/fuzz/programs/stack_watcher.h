// Inspects a model with a stack engine after each instruction: checks the control state against the engine's rules,
// and counts coverage.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "assembler/disassembler.h"
#include "tb/fuzz/programs/coverage.h"
#include "tb/fuzz/programs/model_watcher.h"

namespace smsim::fuzz {

/// Members of `Rules`: kEngine, the name of the engine; State with `pc` and `active`; started, the state in which a
/// warp begins; read, a state from a snapshot; valid, the threads that have not ended; broken, the rule that an
/// instruction has broken; room, the number of entries before they go to memory; skips, whether a call is skipped at
/// the call limit.
template <typename Rules> class StackWatcher final : public ModelWatcher {
  public:
    /// See Watcher.
    StackWatcher(const Program &program, unsigned registers, CoverageCounts *counts, const BruConfig &config)
        : ModelWatcher(registers), counts_(counts), rules_(program, config) {}

    void executed(const sm::ExecutedInstruction &instruction) override {
        const std::uint32_t slot = instruction.start.warp.value();
        if (slots_.size() <= slot) {
            slots_.resize(slot + 1);
        }
        Warp &warp = slots_[slot];
        if (warp.age != instruction.start.age) {
            warp = {instruction.start.age, Rules::started(instruction.start)};
        }
        if (counts_ != nullptr) {
            const LaneMask valid = Rules::valid(instruction.start, warp.before);
            count(*counts_, Rules::kEngine, instruction.insn, instruction.active, instruction.executed,
                  situation_of(instruction.active, valid));
        }
        const bool control = instruction.insn.unit == isa::Unit::kBranch;
        typename Rules::State after = Rules::read(snapshot(instruction));
        if (!control) {
            after.pc = instruction.insn.pc + kInstructionBytes;
        }
        if (violation().empty()) {
            check(instruction, warp.before, after);
        }
        count_stack(instruction, warp.before, after);
        warp.before = std::move(after);
    }

    std::string miscounted(const std::vector<EngineCounter> &counters) const override {
        const std::pair<std::string_view, std::uint64_t> seen[] = {{"stack_depth", most_},
                                                                   {"stack_pushes", pushed_},
                                                                   {"tokens_spilled", spilled_},
                                                                   {"tokens_filled", filled_},
                                                                   {"calls_at_limit", limited_}};
        for (const EngineCounter &counter : counters) {
            for (const auto &[name, value] : seen) {
                if (counter.name == name && counter.value != value) {
                    return fmt::format("{} is {}, {} were seen", name, counter.value, value);
                }
            }
        }
        return {};
    }

  private:
    struct Warp {
        std::uint64_t age = ~std::uint64_t{0};
        typename Rules::State before{};
    };

    void count_stack(const sm::ExecutedInstruction &instruction, const typename Rules::State &before,
                     const typename Rules::State &after) {
        const auto grown = [](std::uint64_t from, std::uint64_t to) { return to > from ? to - from : 0; };
        const std::uint64_t had = grown(rules_.room(), before.stack.size()); // in memory
        const std::uint64_t has = grown(rules_.room(), after.stack.size());
        most_ = std::max<std::uint64_t>(most_, after.stack.size());
        pushed_ += grown(before.stack.size(), after.stack.size());
        spilled_ += grown(had, has);
        filled_ += grown(has, had);
        limited_ += rules_.skips(instruction, before) ? 1 : 0;
    }

    void check(const sm::ExecutedInstruction &instruction, const typename Rules::State &before,
               const typename Rules::State &after) {
        std::string broken;
        if (instruction.insn.pc != before.pc) {
            broken = fmt::format("the warp should be at {:#x}", before.pc);
        } else if (instruction.active != before.active) {
            broken = fmt::format("the active threads should be {:#010x}", before.active.bits());
        } else if (!instruction.active.contains(instruction.executed)) {
            broken = "threads execute that are not active";
        } else {
            broken = rules_.broken(instruction, before, after);
        }
        if (!broken.empty()) {
            set_violation(
                fmt::format("{}; cycle {}, CTA {}, warp {}, pc {:#x}: {}; executed {:#010x}; before {}; then {}",
                            broken, instruction.cycle, instruction.start.cta_number, instruction.start.warp_in_cta,
                            instruction.insn.pc, assembler::operation_text(instruction.insn),
                            instruction.executed.bits(), Rules::text(before), Rules::text(after)));
        }
    }

    CoverageCounts *counts_;
    Rules rules_;
    std::vector<Warp> slots_;
    std::uint64_t most_ = 0; ///< entries of a stack
    std::uint64_t pushed_ = 0;
    std::uint64_t spilled_ = 0;
    std::uint64_t filled_ = 0;
    std::uint64_t limited_ = 0; ///< calls at the call limit
};

} // namespace smsim::fuzz
