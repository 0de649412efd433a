// Issue policies that ask for more than what is ready: with facts that the test makes up, and the facts and events that
// the issue stage gives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <fmt/format.h>

#include "model/config/config.h"
#include "model/error.h"
#include "tb/unit/ibuffer/fake_ports.h"

namespace smsim::ibuffer::test {
namespace {

using isa::Op;
using testing::ElementsAre;

// --- policies ------------------------------------------------------------------------------------------------------

/// Eight warps in two CTAs, 0 to 3 and 4 to 7, all resident; warp w is number w in the order of starts.
struct FakeFacts final : WarpFacts {
    std::vector<isa::Instruction> heads = std::vector<isa::Instruction>(8, mov());
    std::vector<WarpStart> starts = std::vector<WarpStart>(8);
    std::vector<unsigned> parked_lanes = std::vector<unsigned>(8, 0);
    std::vector<std::uint64_t> issued = std::vector<std::uint64_t>(8, 10);
    WarpSet waiting = 0;

    WarpSet resident() const override { return 0xff; }
    const WarpStart &start_of(unsigned warp) const override { return starts[warp]; }
    WarpSet of_cta(unsigned warp) const override { return warp < 4 ? 0x0f : 0xf0; }
    unsigned buffered(unsigned) const override { return 1; }
    const isa::Instruction *head(unsigned warp) const override { return &heads[warp]; }
    bool operands_ready(unsigned) const override { return true; }
    WarpState state(unsigned) const override { return WarpState::kReady; }
    StallReason reason(unsigned) const override { return StallReason::kNotSelected; }
    Cycle since(unsigned) const override { return 0; }
    std::uint64_t instructions(unsigned warp) const override { return issued[warp]; }
    LaneMask active(unsigned) const override { return LaneMask::first(32); }
    LaneMask parked(unsigned warp) const override { return LaneMask::first(parked_lanes[warp]); }
    unsigned outstanding_accesses(unsigned) const override { return 0; }
    WarpSet at_barrier() const override { return waiting; }
};

const std::vector<std::uint64_t> kAges = {0, 1, 2, 3, 4, 5, 6, 7};

struct Chooser {
    explicit Chooser(IssuePolicyKind kind) {
        IBufferConfig config;
        config.policy = kind;
        policy = make_issue_policy(config, 8);
    }
    unsigned choose(WarpSet ready, unsigned last = kNoWarp, Cycle now = 1000) {
        return policy->select({ready, 0, last, false, kAges, now, &facts});
    }

    FakeFacts facts;
    std::unique_ptr<IssuePolicy> policy;
};

TEST(BarrierAware, PrefersTheCtaOfWhichMostWait) {
    Chooser chooser(IssuePolicyKind::kBarrierAware);
    EXPECT_EQ(chooser.choose(0b00100110), 1U) << "no warp waits: the oldest";
    chooser.facts.waiting = 0b11000001;
    EXPECT_EQ(chooser.choose(0b00100110), 5U);
    EXPECT_EQ(chooser.choose(0b00100110, 1), 5U) << "although warp 1 issued last";
}

TEST(DivergentFirst, PrefersTheWarpWithMostParkedThreads) {
    Chooser chooser(IssuePolicyKind::kDivergentFirst);
    EXPECT_EQ(chooser.choose(0b1100), 2U);
    EXPECT_EQ(chooser.choose(0b1100, 3), 3U);
    chooser.facts.parked_lanes[2] = 4;
    chooser.facts.parked_lanes[3] = 5;
    EXPECT_EQ(chooser.choose(0b1110, 1), 3U);
}

TEST(CriticalityAware, PrefersTheWarpWithMostLeft) {
    Chooser chooser(IssuePolicyKind::kCriticalityAware);
    for (WarpStart &start : chooser.facts.starts) {
        start.code_bytes = 20 * kInstructionBytes;
    }
    chooser.facts.heads[0].pc = 5 * kInstructionBytes;
    chooser.facts.heads[1].pc = 2 * kInstructionBytes;
    chooser.facts.heads[2].pc = 4 * kInstructionBytes;
    EXPECT_EQ(chooser.choose(0b111), 1U);
    EXPECT_EQ(chooser.choose(0b111, 2), 2U) << "stays on the warp that issued last";
    // Warp 2 started late, so it is faster: what it has left takes less time.
    chooser.policy->started(1, chooser.facts.starts[1], 980);
    EXPECT_EQ(chooser.choose(0b111), 2U);
}

/// Answers a load of `warp`, issued at `issued`, of which all of `lines` missed.
void miss(IssuePolicy &policy, unsigned warp, const std::vector<std::uint64_t> &lines, Cycle issued, Cycle at) {
    CacheAnswer found;
    for (const std::uint64_t line : lines) {
        found.add(line * 128, false);
    }
    policy.loaded(warp, found, issued, at);
}

TEST(CacheConscious, LimitsLoadsWhileWarpsMissWhatTheyHaveFetched) {
    Chooser chooser(IssuePolicyKind::kCacheConscious);
    for (isa::Instruction &head : chooser.facts.heads) {
        head = ldg();
    }
    miss(*chooser.policy, 3, {7}, 100, 300);
    EXPECT_EQ(chooser.choose(0xff), 0U) << "no locality lost: the oldest";
    miss(*chooser.policy, 3, {7}, 200, 400);
    EXPECT_EQ(chooser.choose(0xff), 0U) << "the line was still under way when the second load was issued";
    for (int i = 0; i < 16; ++i) { // one loss in 16 instructions adds 8 * 8 * 100 / 16 = 400 to the score
        chooser.policy->issued(0, chooser.facts.heads[0], 400);
    }
    miss(*chooser.policy, 3, {7}, 500, 1000);
    EXPECT_EQ(chooser.choose(0xff), 0U);
    EXPECT_EQ(chooser.choose(0b11110000), kNoWarp) << "the four youngest must not load";
    chooser.facts.heads[6] = mov();
    EXPECT_EQ(chooser.choose(0b11110000), 6U) << "other instructions may issue";
    EXPECT_EQ(chooser.choose(0b11110000, kNoWarp, 1000 + 400), 4U) << "the score has fallen";
}

TEST(CacheConscious, AWarpInTheSameSlotBeginsWithoutLines) {
    Chooser chooser(IssuePolicyKind::kCacheConscious);
    for (isa::Instruction &head : chooser.facts.heads) {
        head = ldg();
    }
    miss(*chooser.policy, 3, {7}, 100, 300);
    chooser.policy->started(3, {}, 400);
    miss(*chooser.policy, 3, {7}, 500, 900);
    EXPECT_EQ(chooser.choose(0b11100000), 5U);
}

// --- what the stage gives ------------------------------------------------------------------------------------------

/// Writes down what it sees, and chooses the lowest warp, or none before cycle `from`.
class Recorder final : public IssuePolicy {
  public:
    explicit Recorder(std::vector<std::string> &lines, Cycle from = 0) : lines_(lines), from_(from) {}
    unsigned select(const PolicyView &view) override {
        if (look) {
            look(view);
        }
        return view.now < from_ ? kNoWarp : first_of(view.ready);
    }
    bool wants_events() const override { return true; }
    void started(unsigned warp, const WarpStart &start, Cycle at) override {
        lines_.push_back(fmt::format("{} starts {}, cta {}", at, warp, start.cta_number));
    }
    void issued(unsigned warp, const isa::Instruction &insn, Cycle now) override {
        lines_.push_back(fmt::format("{} issues {} at {}", now, warp, insn.pc));
    }
    void loaded(unsigned warp, const CacheAnswer &found, Cycle issued, Cycle at) override {
        lines_.push_back(fmt::format("{} loaded {}: {} of {} missed, issued {}", at, warp, found.missed.size(),
                                     found.transactions, issued));
    }
    void woken(unsigned warp, Cycle at) override { lines_.push_back(fmt::format("{} wakes {}", at, warp)); }
    void ended(unsigned warp, Cycle at) override { lines_.push_back(fmt::format("{} ends {}", at, warp)); }

    std::function<void(const PolicyView &)> look;

  private:
    std::vector<std::string> &lines_;
    Cycle from_;
};

struct InformedBench : Bench {
    /// Call when the program is complete; returns the policy.
    Recorder &build(Cycle from = 0) {
        auto made = std::make_unique<Recorder>(lines, from);
        Recorder &policy = *made;
        stage = std::make_unique<IssueStage>(config, 0, ports, std::move(made));
        return policy;
    }
    std::vector<std::string> lines;
};

TEST(IssuePolicy, MayLeaveTheSlotEmpty) {
    InformedBench bench;
    bench.ports.append(mov());
    bench.ports.append(make(Op::kExit));
    bench.build(10);
    bench.start(0, 0);
    bench.run(100);
    EXPECT_THAT(cycles_of(bench.ports, 0), ElementsAre(10, 11));
    const WarpStats &warp = bench.stage->ended().kept()[0];
    EXPECT_EQ(bench.stall(warp, StallReason::kNotSelected), 9U);
}

TEST(IssuePolicy, CannotHoldAWarpForLongerThanTheStarvationLimit) {
    InformedBench bench;
    bench.config.ibuffer.starvation_limit = 50;
    bench.ports.append(make(Op::kExit));
    bench.build(1'000'000);
    bench.start(0, 0);
    bench.run(1000);
    EXPECT_THAT(cycles_of(bench.ports, 0), ElementsAre(51));
}

TEST(IssuePolicy, MustChooseAWarpThatIsReady) {
    class Wrong final : public IssuePolicy {
      public:
        unsigned select(const PolicyView &) override { return 3; }
    };
    Bench bench;
    bench.ports.append(make(Op::kExit));
    bench.stage = std::make_unique<IssueStage>(bench.config, 0, bench.ports, std::make_unique<Wrong>());
    bench.start(0, 0);
    EXPECT_THROW(bench.run(100), InputError);
}

TEST(IssuePolicy, GetsEventsInTheOrderOfTheirCycles) {
    InformedBench bench;
    bench.ports.append(ldg());
    for (int i = 0; i < 6; ++i) {
        bench.ports.append(mov());
    }
    bench.ports.append(make(Op::kExit));
    bench.ports.answer = [&](unsigned, const isa::Instruction &insn, LaneMask active) {
        IssuePorts::Issued issued = bench.ports.plain(insn, active, 1);
        issued.kind = insn.op == Op::kLdg ? IssuePorts::Issued::Kind::kAccepted : issued.kind;
        return issued;
    };
    bench.build();
    EXPECT_TRUE(bench.stage->wants_cache_answers());
    bench.start(0, 0);
    bench.start(1, 4);
    bench.run(100, {{2, [&] {
                         CacheAnswer found;
                         found.add(0x100, true);
                         found.add(0x200, false);
                         bench.stage->placed(0, 3, 3);
                         bench.stage->answered(0, bench.ports.program[0], Outcome::kContinue, 0, {}, 6);
                         bench.stage->loaded(0, found, 1, 6);
                     }}});
    ASSERT_GE(bench.lines.size(), 9U);
    bench.lines.resize(9);
    EXPECT_THAT(bench.lines, ElementsAre("0 starts 0, cta 0", "1 issues 0 at 0", "2 issues 0 at 16", "3 issues 0 at 32",
                                         "4 starts 1, cta 1", "4 issues 0 at 48", "5 issues 0 at 64",
                                         "6 loaded 0: 1 of 2 missed, issued 1", "6 issues 0 at 80"));
}

TEST(IssuePolicy, SeesItsWarpsAsTheyAreInTheCycle) {
    InformedBench bench;
    bench.ports.append(mov());
    bench.ports.append(make(Op::kBar));
    bench.ports.append(mov());
    bench.ports.append(make(Op::kExit));
    bench.ports.answer = [&](unsigned, const isa::Instruction &insn, LaneMask active) {
        IssuePorts::Issued issued = bench.ports.plain(insn, active, 2);
        issued.outcome = insn.op == Op::kBar ? Outcome::kBlocked : issued.outcome;
        return issued;
    };
    struct Look {
        Cycle now;
        WarpSet resident, waiting, of_cta;
        const isa::Instruction *head;
        std::uint64_t issued;
        WarpState state0;
    };
    std::vector<Look> looks;
    bench.build().look = [&](const PolicyView &view) {
        const unsigned warp = first_of(view.ready);
        const WarpFacts &warps = *view.warps;
        EXPECT_TRUE(warps.operands_ready(warp));
        EXPECT_GE(warps.buffered(warp), 1U);
        EXPECT_EQ(warps.reason(warp), StallReason::kNotSelected);
        EXPECT_LE(warps.since(warp), view.now);
        EXPECT_EQ(warps.active(warp).count(), 32U);
        EXPECT_TRUE(warps.parked(warp).none());
        EXPECT_EQ(warps.outstanding_accesses(warp), 0U);
        looks.push_back({view.now, warps.resident(), warps.at_barrier(), warps.of_cta(warp), warps.head(warp),
                         warps.instructions(warp), warps.state(0)});
    };
    bench.start(0, 0);
    bench.start(1, 8);
    bench.run(12);
    ASSERT_GE(looks.size(), 4U);
    EXPECT_EQ(looks[0].now, 1U);
    EXPECT_EQ(looks[0].resident, 0b01U) << "warp 1 has not started";
    EXPECT_EQ(looks[0].head, &bench.ports.program[0]);
    EXPECT_EQ(looks[1].issued, 1U);
    EXPECT_EQ(looks[1].waiting, 0U);
    EXPECT_EQ(looks[2].now, 9U);
    EXPECT_EQ(looks[2].resident, 0b11U);
    EXPECT_EQ(looks[2].of_cta, 0b10U) << "warp 0 has another CTA";
    EXPECT_EQ(looks[2].waiting, 0b01U);
    EXPECT_EQ(looks[2].state0, WarpState::kBarrier);
}

} // namespace
} // namespace smsim::ibuffer::test
