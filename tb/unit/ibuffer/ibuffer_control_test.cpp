// Jumps, barriers and sleeps as the IBuffer sees them, and what it reports about its warps.
#include "model/config/config.h"
#include "tb/unit/ibuffer/ibuffer_bench.h"

namespace smsim::ibuffer::test {
namespace {

using isa::Instruction;
using isa::Op;
using protocol::IssueExtension;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Payload = protocol::IssuePayload;

TEST(IBuffer, AJumpAnsweredOnTheCallGoesOnAtItsTargetWithItsThreads) {
    IBufferBench bench(bench_config(), {make(Op::kBra), mov(), mov(), make(Op::kExit)});
    bench.on_issue_call = [&](Payload &payload, IssueExtension &ext, tlm::tlm_phase &, sc_core::sc_time &delay) {
        const auto status = bench.done(payload, ext, delay);
        if (ext.insn->op == Op::kBra) {
            ext.next_pc = 0x30;
            ext.next_active = LaneMask(0x5);
            delay += bench.clock.period();
        }
        return status;
    };
    bench.start(0, 0);
    bench.run();
    // Issued at 3, resolved at 5: fetched then, in the buffer at 7.
    EXPECT_THAT(bench.issues, ElementsAre("3 0 0x0 0xffffffff", "7 0 0x30 0x5"));
}

TEST(IBuffer, Bru_ElectRule4_ASleepingWarpGoesOnAfterTheWake) {
    IBufferBench bench(bench_config(), {make(Op::kYield), make(Op::kExit)});
    bench.on_issue_call = [&](Payload &payload, IssueExtension &ext, tlm::tlm_phase &, sc_core::sc_time &delay) {
        const auto status = bench.done(payload, ext, delay);
        if (ext.insn->op == Op::kYield) {
            ext.outcome = Outcome::kSleep;
        }
        return status;
    };
    bench.start(0, 1);
    bench.wake_from_sleep(50, 1, 4);
    bench.run();
    ASSERT_EQ(bench.issues.size(), 2U);
    EXPECT_EQ(bench.issues[1].substr(0, 2), "54");
}

/// A barrier arrival that blocks; the wake arrives before or after the unit's answer.
std::string issue_after_barrier(Cycle answer_at, Cycle wake_at) {
    IBufferBench bench(bench_config(), {make(Op::kBar), make(Op::kExit)});
    Payload *held = nullptr;
    bench.on_issue_call = [&](Payload &payload, IssueExtension &ext, tlm::tlm_phase &phase, sc_core::sc_time &delay) {
        if (ext.insn->op != Op::kBar) {
            return bench.done(payload, ext, delay);
        }
        held = &payload;
        ext.executed = ext.active;
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    };
    bench.start(0, 0);
    bench.at(answer_at, [&] {
        protocol::extension_of(*held)->outcome = Outcome::kBlocked;
        held->set_response_status(tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(bench.answer(*held, tlm::BEGIN_RESP), tlm::TLM_COMPLETED);
    });
    bench.wake_from_barrier(wake_at, 0, 10);
    bench.run();
    return bench.issues.size() == 2 ? bench.issues[1] : "never";
}
TEST(IBuffer, ABlockedWarpGoesOnAfterTheWake) {
    EXPECT_EQ(issue_after_barrier(10, 40), "50 0 0x10 0xffffffff");
}
TEST(IBuffer, AWakeBeforeTheAnswerCounts) {
    EXPECT_EQ(issue_after_barrier(20, 15), "25 0 0x10 0xffffffff");
}

/// A branch whose answer arrives from a shared pipeline at cycle 9, before or after the IBuffer's own step of that
/// cycle.
std::vector<std::string> fetches_around_late_answer(bool before_step) {
    Config config = bench_config();
    config.ibuffer.depth = 16;
    std::vector<Instruction> code(24, mov());
    code.front() = make(Op::kBra);
    code.back() = make(Op::kExit);
    IBufferBench bench(config, code);
    Payload *held = nullptr;
    bench.on_issue_call = [&](Payload &payload, IssueExtension &ext, tlm::tlm_phase &phase, sc_core::sc_time &delay) {
        if (ext.insn->op != Op::kBra) {
            return bench.done(payload, ext, delay);
        }
        held = &payload;
        ext.executed = ext.active;
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    };
    const auto answer = [&] {
        auto &ext = *protocol::extension_of(*held);
        ext.outcome = Outcome::kContinue;
        ext.next_pc = 23 * kInstructionBytes;
        ext.next_active = ext.active;
        held->set_response_status(tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(bench.fetches.back().starts_with("9 "), !before_step) << "the bench has lost its order";
        EXPECT_EQ(bench.answer(*held, tlm::BEGIN_RESP, 13 * bench.clock.period() - sc_core::sc_time_stamp()),
                  tlm::TLM_COMPLETED);
    };
    bench.start(0, 0);
    if (before_step) {
        bench.at_time(8.5 * bench.clock.period(), answer);
    } else {
        bench.at(9, [&] { bench.after_this_delta(answer); });
    }
    bench.run();
    return bench.fetches;
}
// The old path until the answer takes effect at 13, then the target.
const char *const kFetchesAroundLateAnswer[] = {"1 0x0",   "2 0x10",  "3 0x20",  "4 0x30", "5 0x40",
                                                "6 0x50",  "7 0x60",  "8 0x70",  "9 0x80", "10 0x90",
                                                "11 0xa0", "12 0xb0", "13 0x170"};
TEST(IBuffer, ALateAnswerOfTheBranchUnitTakesEffectAtItsTime) {
    const auto fetches = fetches_around_late_answer(false);
    ASSERT_GE(fetches.size(), 13U);
    EXPECT_THAT(std::vector(fetches.begin(), fetches.begin() + 13),
                ::testing::ElementsAreArray(kFetchesAroundLateAnswer));
}
TEST(IBuffer, ALateAnswerOfTheBranchUnitTakesEffectAtItsTimeInReverseProcessOrder) {
    const auto fetches = fetches_around_late_answer(true);
    ASSERT_GE(fetches.size(), 13U);
    EXPECT_THAT(std::vector(fetches.begin(), fetches.begin() + 13),
                ::testing::ElementsAreArray(kFetchesAroundLateAnswer));
}

TEST(IBuffer, DescribesResidentWarpsAndCloseChargesTheirLives) {
    IBufferBench bench(bench_config(), {make(Op::kYield), make(Op::kExit)});
    bench.on_issue_call = [&](Payload &payload, IssueExtension &ext, tlm::tlm_phase &, sc_core::sc_time &delay) {
        const auto status = bench.done(payload, ext, delay);
        ext.outcome = Outcome::kSleep;
        return status;
    };
    bench.start(0, 1, LaneMask(0xf));
    bench.at(30, [] {});
    bench.run();
    EXPECT_EQ(bench.unit->describe(30), "  CTA 6 warp 0 (slot 5): Sleeping (sleeping) at 0x0010, active 0x0000000f\n");
    bench.unit->close();
    ASSERT_EQ(bench.unit->stage().ended().kept().size(), 1U);
    EXPECT_EQ(bench.unit->stage().ended().kept()[0].end, 30U);
    EXPECT_THAT(bench.unit->describe(30), IsEmpty());
}

} // namespace
} // namespace smsim::ibuffer::test
