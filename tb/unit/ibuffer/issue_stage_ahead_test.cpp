// What the issue stage knows about a warp after its issue is not re-evaluated in each cycle. With an observer it is:
// both must give the same result, for random programs.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <utility>
#include <vector>

#include "model/config/config.h"
#include "tb/unit/ibuffer/fake_ports.h"

namespace smsim::ibuffer::test {
namespace {

using isa::Op;

constexpr unsigned kWarps = 6;
constexpr Cycle kEnd = 6000;

class Onlooker final : public observation::Observer {
  public:
    void observe(Cycle, const observation::Event &) override {}
};

/// A number that depends only on its arguments, not on earlier calls.
unsigned draw(unsigned seed, unsigned warp, std::uint64_t number, unsigned below) {
    std::seed_seq sequence{seed, warp, static_cast<unsigned>(number)};
    return std::mt19937(sequence)() % below;
}

std::vector<isa::Instruction> random_program(unsigned seed) {
    constexpr std::array kOps{Op::kMov, Op::kMov, Op::kMov, Op::kMufu,  Op::kLdg,
                              Op::kLds, Op::kStg, Op::kBra, Op::kMembar};
    std::mt19937 random(seed);
    std::vector<isa::Instruction> program;
    for (unsigned i = 0; i < 120; ++i) {
        isa::Instruction insn = make(kOps[random() % kOps.size()]);
        insn.stall = static_cast<std::uint8_t>(random() % 6);
        insn.yield = random() % 8 == 0;
        insn.req = random() % 3 == 0 ? static_cast<std::uint8_t>(random() % 64) : std::uint8_t{0};
        const isa::OpSpec &spec = isa::spec_of(insn.op);
        if (insn.op == Op::kMufu || spec.has(isa::kReadsMemory)) {
            insn.wsb = static_cast<std::uint8_t>(random() % isa::kScoreboards);
        }
        if (spec.accesses_memory()) {
            insn.mod[0] = static_cast<std::uint8_t>(isa::Access::k32);
            insn.rsb = random() % 2 == 0 ? static_cast<std::uint8_t>(random() % isa::kScoreboards) : isa::kNoScoreboard;
        }
        program.push_back(insn);
    }
    program.push_back(make(Op::kExit));
    program.push_back(make(Op::kExit)); // for a branch over the first
    return program;
}

/// The outcome of a run.
struct Behaviour {
    std::vector<std::tuple<Cycle, unsigned, Pc>> issues;
    std::vector<std::pair<WarpState, StallReason>> states; ///< of each warp in each cycle
    std::vector<WarpStats> warps;
    std::vector<StallCycles> by_pc;
    std::vector<StallCycles> over_time;
    std::map<std::tuple<Pc, Pc, unsigned>, Cycle> dependences;
    FetchCauseCycles no_instruction{};
    unsigned steps = 0;
};

Behaviour run_of(unsigned seed, IssuePolicyKind policy, bool observed) {
    Bench bench(kWarps, [&](Config &config) {
        config.ibuffer.policy = policy;
        config.ibuffer.two_level_active = 2;
        config.register_file.read_ports = seed % 2; // limited ports close the gate before the latches
    });
    for (const isa::Instruction &insn : random_program(seed)) {
        bench.ports.append(insn);
    }
    bench.ports.fetch_latency = 1 + seed % 3;
    std::multimap<Cycle, std::function<void(Cycle)>> messages; // what arrives in that cycle, after its step
    std::array<std::uint64_t, kWarps> issued_by{};
    bench.ports.answer = [&](unsigned warp, const isa::Instruction &insn, LaneMask active) {
        IssuePorts::Issued issued = bench.ports.plain(insn, active, 4);
        const std::uint64_t number = issued_by[warp]++;
        const Cycle now = bench.ports.now;
        const auto later = [&](unsigned most) { return now + draw(seed, warp, number, most); };
        issued.interval = insn.op == Op::kMufu ? 4 : insn.op == Op::kMov ? 1 : 2;
        if (insn.op == Op::kBra) {
            issued.result_at = now + 3;
            issued.next_pc = insn.pc + kInstructionBytes * (1 + draw(seed, warp, number, 3) / 2);
        } else if (insn.spec().accesses_memory()) {
            issued.kind = IssuePorts::Issued::Kind::kAccepted;
            messages.emplace(later(8), [&, warp](Cycle at) { bench.stage->placed(warp, at + 2, at + 1); });
            if (insn.rsb != isa::kNoScoreboard) {
                messages.emplace(
                    later(12), [&, warp, which = &insn](Cycle at) { bench.stage->sources_read(warp, *which, at + 3); });
            }
            const unsigned latency = insn.op == Op::kLdg ? 200 : 30;
            messages.emplace(later(latency) + 13, [&, warp, which = &insn, active](Cycle at) {
                bench.stage->answered(warp, *which, Outcome::kContinue, 0, active, at + 1 + at % 4);
            });
        }
        return issued;
    };
    bench.build();
    Onlooker onlooker;
    bench.stage->observe(observed ? &onlooker : nullptr);
    for (unsigned warp = 0; warp < kWarps; ++warp) {
        bench.start(warp, 5 * warp + 1);
    }
    Behaviour result;
    for (Cycle now = 0; now < kEnd; ++now) {
        bench.ports.now = now;
        if (bench.stage->next_wake() <= now) {
            ++result.steps;
            bench.stage->step(now);
        }
        for (auto due = messages.begin(); due != messages.end() && due->first <= now; due = messages.erase(due)) {
            due->second(now);
        }
        for (unsigned warp = 0; warp < kWarps; ++warp) {
            result.states.emplace_back(bench.stage->state(warp, now), bench.stage->reason(warp, now));
        }
    }
    bench.stage->close(kEnd);
    for (const Seen &seen : bench.ports.seen) {
        result.issues.emplace_back(seen.cycle, seen.warp, seen.pc);
    }
    result.warps = bench.stage->ended().kept();
    for (const PcStats &pc : bench.stage->pcs()) {
        result.by_pc.push_back(pc.stalls);
    }
    for (const IntervalCounters::Interval &interval : bench.stage->over_time().intervals()) {
        result.over_time.push_back(interval.stalls);
    }
    for (const Dependence &one : bench.stage->dependences()) {
        result.dependences[{one.waits, one.producer, one.scoreboard}] = one.cycles;
    }
    result.no_instruction = bench.stage->no_instruction();
    return result;
}

class IssueStageAhead : public testing::TestWithParam<IssuePolicyKind> {};

TEST_P(IssueStageAhead, LookingAheadAfterAnIssueMatchesSteppingEachCycle) {
    unsigned steps = 0;
    unsigned steps_observed = 0;
    for (unsigned seed = 0; seed < 12; ++seed) {
        SCOPED_TRACE(seed);
        const Behaviour ahead = run_of(seed, GetParam(), false);
        const Behaviour looked = run_of(seed, GetParam(), true);
        ASSERT_EQ(ahead.issues, looked.issues);
        ASSERT_EQ(ahead.warps.size(), looked.warps.size());
        for (std::size_t i = 0; i < ahead.warps.size(); ++i) {
            EXPECT_EQ(ahead.warps[i].stalls, looked.warps[i].stalls);
            EXPECT_EQ(ahead.warps[i].states, looked.warps[i].states);
            EXPECT_EQ(ahead.warps[i].end, looked.warps[i].end);
        }
        EXPECT_EQ(ahead.states, looked.states);
        EXPECT_EQ(ahead.by_pc, looked.by_pc);
        EXPECT_EQ(ahead.over_time, looked.over_time);
        EXPECT_EQ(ahead.dependences, looked.dependences);
        EXPECT_EQ(ahead.no_instruction, looked.no_instruction);
        steps += ahead.steps;
        steps_observed += looked.steps;
    }
    EXPECT_LT(steps, steps_observed);
}

INSTANTIATE_TEST_SUITE_P(Policies, IssueStageAhead,
                         testing::Values(IssuePolicyKind::kGreedyThenYoungest, IssuePolicyKind::kGreedyThenLeastRecent,
                                         IssuePolicyKind::kLooseRoundRobin, IssuePolicyKind::kTwoLevel));

} // namespace
} // namespace smsim::ibuffer::test
