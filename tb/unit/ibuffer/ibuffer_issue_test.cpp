// The IBuffer and the datapath: full units, scoreboards, intervals, and the end of a warp.
#include "tb/unit/ibuffer/ibuffer_bench.h"

namespace smsim::ibuffer::test {
namespace {

using isa::Instruction;
using isa::Op;
using protocol::IssueExtension;
using ::testing::ElementsAre;
using Payload = protocol::IssuePayload;

TEST(IBuffer, AUnitThatIsFullGetsNothingBeforeItsEndReq) {
    Instruction load = ldg();
    IBufferBench bench(bench_config(), {load, load, make(Op::kExit)});
    std::vector<Payload *> loads;
    bench.on_issue_call = [&](Payload &payload, IssueExtension &ext, tlm::tlm_phase &phase, sc_core::sc_time &delay) {
        if (ext.insn->op != Op::kLdg) {
            return bench.done(payload, ext, delay);
        }
        ext.executed = ext.active;
        loads.push_back(&payload);
        if (loads.size() == 1) {
            return tlm::TLM_ACCEPTED;
        }
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    };
    bench.start(0, 0);
    bench.at(20, [&] { EXPECT_EQ(bench.answer(*loads[0], tlm::END_REQ), tlm::TLM_ACCEPTED); });
    bench.at(40, [&] {
        for (Payload *payload : loads) {
            payload->set_response_status(tlm::TLM_OK_RESPONSE);
            EXPECT_EQ(bench.answer(*payload, tlm::BEGIN_RESP, 3), tlm::TLM_COMPLETED);
        }
    });
    bench.run();
    EXPECT_THAT(bench.issues, ElementsAre("3 0 0x0 0xffffffff", "21 0 0x10 0xffffffff", "22 0 0x20 0xffffffff"));
    EXPECT_THAT(bench.ends, ElementsAre("42 1 exited", "44 1 ended"))
        << "ended not before the loads are performed at 43";
}

TEST(IBuffer, AnExitIsReportedWhenAccessesHaveTheirPlaceAndTheEndWhenTheyArePerformed) {
    Instruction load = ldg();
    IBufferBench bench(bench_config(), {load, load, make(Op::kExit)});
    std::vector<Payload *> loads;
    bench.on_issue_call = [&](Payload &payload, IssueExtension &ext, tlm::tlm_phase &phase, sc_core::sc_time &delay) {
        if (ext.insn->op != Op::kLdg) {
            return bench.done(payload, ext, delay);
        }
        loads.push_back(&payload);
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    };
    const auto answer = [&](std::size_t index, Cycle delay) {
        loads[index]->set_response_status(tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(bench.answer(*loads[index], tlm::BEGIN_RESP, delay), tlm::TLM_COMPLETED);
    };
    bench.start(0, 0);
    bench.at(10, [&] { EXPECT_EQ(bench.answer(*loads[0], protocol::PLACED), tlm::TLM_ACCEPTED); });
    bench.at(20, [&] { answer(1, 100); }); // an answer that is reported early says that the access has its place
    bench.at(60, [&] { answer(0, 1); });
    bench.run();
    EXPECT_THAT(bench.ends, ElementsAre("22 1 exited", "121 1 ended"));
}

TEST(IBuffer, ScoreboardsAreReleasedAtTheAnnotatedTimes) {
    Instruction load = ldg();
    load.wsb = 1;
    load.rsb = 2;
    load.stall = 2;
    Instruction needs_source = mov();
    needs_source.req = 1U << 2;
    Instruction needs_result = mov();
    needs_result.req = 1U << 1;
    IBufferBench bench(bench_config(), {load, needs_source, needs_result, make(Op::kExit)});
    Payload *held = nullptr;
    bench.on_issue_call = [&](Payload &payload, IssueExtension &ext, tlm::tlm_phase &phase, sc_core::sc_time &delay) {
        if (ext.insn->op != Op::kLdg) {
            return bench.done(payload, ext, delay);
        }
        held = &payload;
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    };
    bench.start(0, 0);
    bench.at(10, [&] { EXPECT_EQ(bench.answer(*held, protocol::SOURCES_READ, 2), tlm::TLM_ACCEPTED); });
    bench.at(20, [&] {
        held->set_response_status(tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(bench.answer(*held, tlm::BEGIN_RESP, 5), tlm::TLM_COMPLETED);
    });
    bench.run();
    ASSERT_EQ(bench.issues.size(), 4U);
    EXPECT_EQ(bench.issues[1].substr(0, 2), "12");
    EXPECT_EQ(bench.issues[2].substr(0, 2), "25");
}

TEST(IBuffer, TheIntervalOfAUnitIsKept) {
    IBufferBench bench(bench_config(), straight_line());
    bench.on_issue_call = [&](Payload &payload, IssueExtension &ext, tlm::tlm_phase &, sc_core::sc_time &delay) {
        ext.interval = 4;
        return bench.done(payload, ext, delay);
    };
    bench.start(0, 0);
    bench.run();
    EXPECT_EQ(bench.issues[1].substr(0, 2), "7 ");
    EXPECT_EQ(bench.issues[2].substr(0, 2), "8 ") << "EXIT goes to another unit";
}

TEST(IBuffer, SequenceCountsTheInstructionsOfTheWarp) {
    IBufferBench bench(bench_config(), straight_line());
    std::vector<std::uint64_t> sequence;
    bench.on_issue_call = [&](Payload &payload, IssueExtension &ext, tlm::tlm_phase &, sc_core::sc_time &delay) {
        sequence.push_back(ext.sequence);
        return bench.done(payload, ext, delay);
    };
    bench.start(0, 0);
    bench.run();
    EXPECT_THAT(sequence, ElementsAre(0, 1, 2));
}

} // namespace
} // namespace smsim::ibuffer::test
