// The environment of an issue stage for tests: a program in an array, and answers chosen by the test.
#pragma once

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "ibuffer/issue_stage.h"
#include "model/config/config.h"
#include "tb/unit/ibuffer/instructions.h"

namespace smsim::ibuffer::test {

/// One entry per issued instruction.
struct Seen {
    Cycle cycle;
    unsigned warp;
    Pc pc;
};

class FakePorts final : public IssuePorts {
  public:
    std::vector<isa::Instruction> program;
    Cycle now = 0;
    Cycle fetch_latency = 1;
    FetchCause fetch_cause = FetchCause::kFetch; ///< of fetches that are not answered
    bool answers_fetches = true;                 ///< false: `IssueStage::fetched` must be called
    /// Answer to an issue; default: done after one cycle, control instructions fall through.
    std::function<Issued(unsigned, const isa::Instruction &, LaneMask)> answer;
    std::vector<Seen> seen;
    std::vector<std::pair<Cycle, unsigned>> exits; ///< cycle and warp
    std::vector<std::pair<Cycle, unsigned>> ends;
    std::vector<std::pair<Cycle, std::uint64_t>> performances; ///< cycle of the report, and age of the warp
    std::vector<Pc> past_end;
    unsigned fetches = 0;

    void append(isa::Instruction insn) {
        insn.pc = program.size() * kInstructionBytes;
        program.push_back(insn);
    }

    Fetched fetch(unsigned, Pc pc) override {
        ++fetches;
        if (!answers_fetches) {
            return {nullptr, kNever, fetches, fetch_cause};
        }
        const std::size_t index = pc / kInstructionBytes;
        return {index < program.size() ? &program[index] : nullptr, now + fetch_latency, fetches};
    }
    Issued issue(unsigned warp, const isa::Instruction &insn, LaneMask active, std::uint64_t) override {
        seen.push_back({now, warp, insn.pc});
        if (answer) {
            return answer(warp, insn, active);
        }
        return plain(insn, active, 1);
    }
    void exited(unsigned warp) override { exits.emplace_back(now, warp); }
    void ended(unsigned warp, bool) override { ends.emplace_back(now, warp); }
    void performed(const WarpStart &start, Cycle at) override { performances.emplace_back(at, start.age); }
    void ran_past_end(unsigned, Pc pc, LaneMask) override { past_end.push_back(pc); }

    /// Done `latency` cycles from now; EXIT ends the warp, other control instructions fall through.
    Issued plain(const isa::Instruction &insn, LaneMask active, Cycle latency) const {
        Issued issued;
        issued.result_at = now + latency;
        issued.executed = active;
        issued.next_pc = insn.pc + kInstructionBytes;
        issued.next_active = active;
        issued.outcome = insn.op == isa::Op::kExit ? Outcome::kExited : Outcome::kContinue;
        return issued;
    }
};

/// Cycles of issue of one warp.
inline std::vector<Cycle> cycles_of(const FakePorts &ports, unsigned warp) {
    std::vector<Cycle> cycles;
    for (const Seen &seen : ports.seen) {
        if (seen.warp == warp) {
            cycles.push_back(seen.cycle);
        }
    }
    return cycles;
}

/// A stage with its ports, stepped as the SystemC shell steps it: only in the cycles that `next_wake` returns.
class Bench {
  public:
    explicit Bench(unsigned warps = 4, const std::function<void(Config &)> &adjust = {}) {
        config.sm.warps_per_sub_partition = warps;
        if (adjust) {
            adjust(config);
        }
    }
    /// Call when the program is complete.
    void build() { stage = std::make_unique<IssueStage>(config, 0, ports); }

    void start(unsigned warp, Cycle at, unsigned lanes = 32) {
        WarpStart start;
        start.warp = WarpSlot(warp * config.sm.sub_partitions);
        start.cta_number = warp;
        start.valid = LaneMask::first(lanes);
        start.code_bytes = ports.program.size() * kInstructionBytes;
        start.age = next_age++;
        stage->start(warp, start, at);
    }
    /// Runs to the end of cycle `until`, or until nothing is left to do. `messages` maps a cycle to what arrives after
    /// the step of that cycle.
    void run(Cycle until, std::multimap<Cycle, std::function<void()>> messages = {}) {
        while (true) {
            Cycle next = stage->next_wake();
            if (!messages.empty()) {
                next = std::min(next, messages.begin()->first);
            }
            if (next == kNever || next > until) {
                return;
            }
            ports.now = next;
            if (stage->next_wake() <= next) {
                ++steps;
                stage->step(next);
            }
            while (!messages.empty() && messages.begin()->first == next) {
                messages.begin()->second();
                messages.erase(messages.begin());
            }
        }
    }
    Cycle stall(const WarpStats &warp, StallReason reason) const {
        return warp.stalls[static_cast<std::size_t>(reason)];
    }

    Config config;
    FakePorts ports;
    std::unique_ptr<IssueStage> stage;
    std::uint64_t next_age = 0;
    unsigned steps = 0;
};

inline Cycle total(const WarpStats &warp) {
    Cycle sum = 0;
    for (const Cycle cycles : warp.stalls) {
        sum += cycles;
    }
    return sum;
}

} // namespace smsim::ibuffer::test
