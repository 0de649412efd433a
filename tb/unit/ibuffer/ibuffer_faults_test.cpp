// Faults of instructions on their way from the IBuffer to the CTA dispatch.
#include "tb/unit/ibuffer/ibuffer_bench.h"

namespace smsim::ibuffer::test {
namespace {

using isa::Instruction;
using isa::Op;
using protocol::IssueExtension;
using ::testing::ElementsAre;
using Payload = protocol::IssuePayload;

TEST(IBuffer, AFaultOnTheCallEndsTheSubPartition) {
    IBufferBench bench(bench_config(), straight_line());
    bench.on_issue_call = [&](Payload &payload, IssueExtension &ext, tlm::tlm_phase &, sc_core::sc_time &) {
        ext.fault = {Fault::kTrap, "seven"};
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    };
    bench.start(0, 0, LaneMask(0x3));
    bench.start(0, 1);
    bench.run();
    EXPECT_THAT(bench.ends, ElementsAre("4 1 Trap: seven"));
    EXPECT_EQ(bench.fault_at.insn, &bench.program[0]);
    EXPECT_EQ(bench.fault_at.active, LaneMask(0x3));
    EXPECT_EQ(bench.fault_at.issued, 3U);
    EXPECT_EQ(bench.fault_at.issued_since, 0U);
    EXPECT_EQ(bench.issues.size(), 1U);
}

TEST(IBuffer, AFaultOfALaterAnswerReachesTheDispatch) {
    Instruction load = ldg();
    IBufferBench bench(bench_config(), {load, make(Op::kExit)});
    Payload *held = nullptr;
    bench.on_issue_call = [&](Payload &payload, IssueExtension &ext, tlm::tlm_phase &phase, sc_core::sc_time &delay) {
        if (ext.insn->op != Op::kLdg) {
            return bench.done(payload, ext, delay);
        }
        held = &payload;
        ext.executed = LaneMask(0xf0);
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    };
    bench.start(0, 0);
    bench.at(30, [&] {
        protocol::extension_of(*held)->fault = {Fault::kIllegalAddress, "nowhere"};
        held->set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        EXPECT_EQ(bench.answer(*held, tlm::BEGIN_RESP), tlm::TLM_COMPLETED);
    });
    bench.run();
    EXPECT_THAT(bench.ends, ElementsAre("31 1 IllegalAddress: nowhere"));
    EXPECT_EQ(bench.fault_at.insn, &bench.program[0]);
    EXPECT_EQ(bench.fault_at.active, LaneMask::all());
    EXPECT_EQ(bench.fault_at.executed, LaneMask(0xf0));
    EXPECT_EQ(bench.fault_at.issued, 3U);
    EXPECT_EQ(bench.fault_at.issued_since, 1U) << "the EXIT";
}

} // namespace
} // namespace smsim::ibuffer::test
