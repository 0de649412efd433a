// The IBuffer and the instruction memory: every legal sequence of phases, decoding, and instructions that cannot be
// fetched.
#include "tb/unit/ibuffer/ibuffer_bench.h"

namespace smsim::ibuffer::test {
namespace {

using isa::Instruction;
using protocol::IssueExtension;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Payload = protocol::IssuePayload;

TEST(IBuffer, AWarpFetchesFromItsFirstCycleAndIssuesAfterDecoding) {
    IBufferBench bench(bench_config(), straight_line());
    bench.start(9, 2, LaneMask(0xff));
    bench.run();
    EXPECT_THAT(bench.fetches, ElementsAre("10 0x0", "11 0x10", "12 0x20", "13 0x30"));
    EXPECT_THAT(bench.issues, ElementsAre("12 2 0x0 0xff", "13 2 0x10 0xff", "14 2 0x20 0xff"));
    EXPECT_THAT(bench.ends, ElementsAre("17 9 exited", "17 9 ended"));
    ASSERT_EQ(bench.unit->stage().ended().kept().size(), 1U);
    EXPECT_EQ(bench.unit->stage().ended().kept()[0].start, 10U);
    EXPECT_EQ(bench.unit->stage().ended().kept()[0].end, 16U);
}

/// Four cycles of fetch latency; the legal sequences differ in when the next request may go out.
std::vector<std::string> issues_with(Style style, bool unknown_phases = false) {
    IBufferBench bench(bench_config(), straight_line());
    bench.style = style;
    bench.fetch_latency = 4;
    bench.unknown_phases = unknown_phases;
    bench.start(0, 0);
    bench.run();
    EXPECT_EQ(bench.ends.size(), 2U);
    std::vector<std::string> cycles;
    for (const std::string &line : bench.issues) {
        cycles.push_back(line.substr(0, line.find(' ')));
    }
    return cycles;
}
TEST(IBuffer, FetchCompletedOnTheCall) {
    EXPECT_THAT(issues_with(Style::kCompleted), ElementsAre("6", "7", "8"));
}
TEST(IBuffer, FetchAcceptedOnTheCallAndAnsweredLater) {
    EXPECT_THAT(issues_with(Style::kUpdatedEnd), ElementsAre("6", "7", "8"));
}
TEST(IBuffer, FetchWhoseRequestEndsLaterHoldsTheNextOneUp) {
    EXPECT_THAT(issues_with(Style::kAccepted), ElementsAre("6", "8", "10"));
}
TEST(IBuffer, FetchWhoseResponseEndsTheRequestHoldsTheNextOneUp) {
    EXPECT_THAT(issues_with(Style::kAcceptedResponse), ElementsAre("6", "10", "14"));
}
TEST(IBuffer, FetchAnsweredOnTheReturnEndsItsRequestWithTheResponse) {
    EXPECT_THAT(issues_with(Style::kUpdatedResponse), ElementsAre("6", "10", "14"));
}
TEST(IBuffer, PhasesThatTheBaseProtocolDoesNotKnowAreIgnored) {
    EXPECT_THAT(issues_with(Style::kAccepted, true), ElementsAre("6", "8", "10"));
}

TEST(IBuffer, GrantedLinesAreFetchedWithoutTransactionsInTheSameCycles) {
    IBufferBench bench(bench_config(), straight_line());
    bench.code_base = 0x1000;
    bench.offers = true;
    bench.start(9, 2, LaneMask(0xff));
    bench.run();
    EXPECT_THAT(bench.fetches, ElementsAre("10 0x1000", "13 0x1030"));
    EXPECT_THAT(bench.issues, ElementsAre("12 2 0x0 0xff", "13 2 0x10 0xff", "14 2 0x20 0xff"));
    EXPECT_EQ(bench.asked, 1U);
    EXPECT_EQ(bench.unit->stats().direct_fetches, 2U);
    bench.unit->clear_statistics();
    EXPECT_EQ(bench.unit->stats().direct_fetches, 0U);
}
TEST(IBuffer, ATargetThatRefusesDirectReadsIsNotAskedAgain) {
    IBufferBench bench(bench_config(), straight_line());
    bench.offers = true;
    bench.grants = false;
    bench.start(9, 2, LaneMask(0xff));
    bench.run();
    EXPECT_THAT(bench.fetches, ElementsAre("10 0x0", "11 0x10", "12 0x20", "13 0x30"));
    EXPECT_EQ(bench.asked, 1U);
}
TEST(IBuffer, ARevokedLineIsFetchedByTransactions) {
    IBufferBench bench(bench_config(), straight_line());
    bench.offers = true;
    bench.at(11, [&] {
        bench.offers = false;
        bench.revoke(0, 127);
    });
    bench.start(9, 2, LaneMask(0xff));
    bench.run();
    EXPECT_EQ(bench.fetches.size(), 4U - bench.unit->stats().direct_fetches);
    EXPECT_LE(bench.unit->stats().direct_fetches, 1U) << "the one of the cycle in which it is revoked at most";
    EXPECT_EQ(bench.issues.size(), 3U);
}

TEST(IBuffer, DecodesTheBytesWhereTheMemoryHasNoDecodedForm) {
    IBufferBench bench(bench_config(), straight_line());
    bench.decodes = false;
    std::vector<Instruction> seen;
    bench.on_issue_call = [&](Payload &payload, IssueExtension &ext, tlm::tlm_phase &, sc_core::sc_time &delay) {
        seen.push_back(*ext.insn);
        return bench.done(payload, ext, delay);
    };
    bench.start(0, 0);
    bench.run();
    EXPECT_EQ(seen, bench.program);
}

TEST(IBuffer, AProgramIsFetchedFromWhereItLiesAndKnowsNothingOfThat) {
    IBufferBench bench(bench_config(), straight_line());
    bench.code_base = 0x1000;
    std::vector<Pc> issued;
    bench.on_issue_call = [&](Payload &payload, IssueExtension &ext, tlm::tlm_phase &, sc_core::sc_time &delay) {
        issued.push_back(ext.insn->pc);
        return bench.done(payload, ext, delay);
    };
    bench.start(0, 0);
    bench.run();
    EXPECT_THAT(bench.fetches, ::testing::Contains(::testing::EndsWith(" 0x1010")));
    EXPECT_THAT(issued, ElementsAre(0, 16, 32));
}

TEST(IBuffer, LateBytesAreDecodedAtTheRequestedAddress) {
    IBufferBench bench(bench_config(), straight_line());
    bench.decodes = false;
    bench.style = Style::kUpdatedEnd;
    bench.fetch_latency = 4;
    bench.words[1] = {};
    std::vector<Instruction> seen;
    bench.on_issue_call = [&](Payload &payload, IssueExtension &ext, tlm::tlm_phase &, sc_core::sc_time &delay) {
        seen.push_back(*ext.insn);
        return bench.done(payload, ext, delay);
    };
    bench.start(0, 0);
    bench.run();
    EXPECT_THAT(seen, ElementsAre(bench.program[0]));
    ASSERT_EQ(bench.ends.size(), 1U);
    EXPECT_THAT(bench.ends[0], HasSubstr("IllegalInstruction: 0x0010: word"));
}

TEST(IBuffer, AWordThatIsNoInstructionFaultsWithTheReasonWhenItIsReached) {
    IBufferBench bench(bench_config(), straight_line());
    bench.decodes = false;
    bench.words[1] = {};
    bench.start(0, 0);
    bench.run();
    ASSERT_EQ(bench.ends.size(), 1U);
    EXPECT_THAT(bench.ends[0], HasSubstr("5 1 IllegalInstruction: 0x0010: word"));
    EXPECT_EQ(bench.issues.size(), 1U);
}

TEST(IBuffer, ARefusedFetchFaultsWithTheStatus) {
    IBufferBench bench(bench_config(), straight_line());
    bench.refusals[0x10] = tlm::TLM_GENERIC_ERROR_RESPONSE;
    bench.start(0, 0);
    bench.run();
    EXPECT_THAT(bench.ends, ElementsAre("5 1 MemoryError: instruction memory refused 16 bytes at 0x0010: "
                                        "TLM_GENERIC_ERROR_RESPONSE"));
}

void expect_fault_past_the_end(Style style, Cycle latency) {
    IBufferBench bench(bench_config(), {mov(), mov()});
    bench.style = style;
    bench.fetch_latency = latency;
    bench.start(0, 3, LaneMask(0xf));
    bench.run();
    ASSERT_EQ(bench.ends.size(), 1U);
    EXPECT_THAT(bench.ends[0],
                HasSubstr("13 IllegalTarget: there is no instruction at 0x0020: the warp ran past the program"));
    EXPECT_EQ(bench.fault_at.insn, nullptr);
    EXPECT_EQ(bench.fault_at.pc, 0x20U);
    EXPECT_EQ(bench.fault_at.active, LaneMask(0xf));
}
TEST(IBuffer, Bru_RunningPastTheProgramIsAFault) {
    expect_fault_past_the_end(Style::kCompleted, 1);
}
TEST(IBuffer, Bru_RunningPastTheProgramIsAFaultWithALateAnswer) {
    expect_fault_past_the_end(Style::kAccepted, 4);
}

} // namespace
} // namespace smsim::ibuffer::test
