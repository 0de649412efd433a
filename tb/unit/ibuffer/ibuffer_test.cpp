// The SystemC shell of the issue stage alone: a bench plays instruction memory (behind a protocol checker), datapath,
// CTA dispatch and the units that wake warps.
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <systemc>

#include "ibuffer/ibuffer.h"
#include "tb/support/base_protocol_checker.h"

namespace smsim::ibuffer {
namespace {

using isa::Form;
using isa::Instruction;
using isa::Op;
using protocol::IssueExtension;
using protocol::LifecycleExtension;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Payload = tlm::tlm_generic_payload;

constexpr unsigned kSubPartition = 1;
constexpr unsigned kSubPartitions = 4;

Instruction make(Op op) {
    Instruction insn;
    insn.op = op;
    insn.form = isa::spec_of(op).forms.front().form;
    insn.unit = isa::spec_of(op).unit;
    return insn;
}
Instruction mov() {
    Instruction insn = make(Op::kMov);
    insn.form = Form::kI;
    insn.rd = 1;
    return insn;
}

/// How the instruction memory answers: every sequence that the base protocol allows.
enum class Style {
    kCompleted,        ///< TLM_COMPLETED
    kUpdatedResponse,  ///< TLM_UPDATED with BEGIN_RESP
    kUpdatedEnd,       ///< TLM_UPDATED with END_REQ, then BEGIN_RESP
    kAccepted,         ///< TLM_ACCEPTED, then END_REQ, then BEGIN_RESP
    kAcceptedResponse, ///< TLM_ACCEPTED, then BEGIN_RESP that stands for END_REQ too
};

class Bench final : public sc_core::sc_module {
  public:
    explicit Bench(const Config &c, std::vector<Instruction> code, const sc_core::sc_module_name &name = "bench")
        : sc_module(name), config(c), clock(config), program(std::move(code)) {
        SC_HAS_PROCESS(Bench);
        SC_METHOD(step);
        sensitive << event_;
        dont_initialize();
        SC_METHOD(step_delta);
        sensitive << delta_event_;
        dont_initialize();
        for (std::size_t i = 0; i < program.size(); ++i) {
            program[i].pc = i * kInstructionBytes;
            const auto word = isa::encode(program[i]);
            words.push_back(std::get<isa::Word>(word));
        }
        unit = std::make_unique<IBuffer>("ibuffer", config, kSubPartition);
        unit->fetch_socket.bind(checker.from_initiator);
        checker.to_target.bind(memory_);
        unit->issue_socket.bind(datapath_);
        unit->lifecycle_out.bind(dispatch_);
        life_.bind(unit->lifecycle_in);
        barrier_wake_.bind(unit->barrier_wake);
        sleep_wake_.bind(unit->sleep_wake);
        memory_.on_request<&Bench::on_fetch>(this);
        datapath_.on_request<&Bench::on_issue>(this);
        dispatch_.on_request<&Bench::on_message>(this);
    }

    void at_time(const sc_core::sc_time &time, std::function<void()> action) {
        actions_.emplace(time, std::move(action));
        event_.notify(actions_.begin()->first - sc_core::sc_time_stamp());
    }
    void at(Cycle cycle, std::function<void()> action) { at_time(clock.span(cycle), std::move(action)); }
    /// In the present time step, after all processes that run in it now.
    void after_this_delta(std::function<void()> action) {
        next_delta_ = std::move(action);
        delta_event_.notify(sc_core::SC_ZERO_TIME);
    }
    /// Announces at `cycle` a warp that begins one cycle later.
    void start(Cycle cycle, unsigned warp, LaneMask valid = LaneMask::all()) {
        at(cycle, [=, this] {
            Payload &payload = lives_.acquire();
            auto *ext = protocol::extension_of<LifecycleExtension>(payload);
            ext->kind = LifecycleExtension::Kind::kWarpStart;
            ext->start = {};
            ext->start.warp = WarpSlot(warp * kSubPartitions + kSubPartition);
            ext->start.cta = CtaSlot(2);
            ext->start.cta_number = 6;
            ext->start.valid = valid;
            ext->start.code_bytes = program.size() * kInstructionBytes;
            ext->start.code_base = code_base;
            ext->start.age = warp;
            complete(life_, payload);
        });
    }
    void wake(Cycle cycle, protocol::Initiator<protocol::WakeLink> &socket, unsigned warp, Cycle delay) {
        at(cycle, [=, this, &socket] {
            Payload &payload = wakes_.acquire();
            protocol::extension_of<protocol::WakeExtension>(payload)->warp =
                WarpSlot(warp * kSubPartitions + kSubPartition);
            complete(socket, payload, delay);
        });
    }
    void wake_from_barrier(Cycle cycle, unsigned warp, Cycle delay) { wake(cycle, barrier_wake_, warp, delay); }
    void wake_from_sleep(Cycle cycle, unsigned warp, Cycle delay) { wake(cycle, sleep_wake_, warp, delay); }
    /// Sends a phase of an issued instruction back at the present cycle, in effect `delay` cycles later.
    tlm::tlm_sync_enum answer(Payload &payload, tlm::tlm_phase phase, sc_core::sc_time delay) {
        return datapath_->nb_transport_bw(payload, phase, delay);
    }
    tlm::tlm_sync_enum answer(Payload &payload, tlm::tlm_phase phase, Cycle delay = 1) {
        return answer(payload, phase, clock.span(delay));
    }
    void run() {
        sc_core::sc_start();
        EXPECT_THAT(checker.final_violations(), IsEmpty());
        EXPECT_EQ(lives_.in_use() + wakes_.in_use(), 0U);
        for (const Payload *payload : seen_) {
            EXPECT_EQ(payload->get_ref_count(), 0) << "a payload has not gone back to its pool";
        }
    }

    Config config;
    protocol::Clock clock;
    std::vector<Instruction> program;
    std::vector<isa::Word> words;
    std::uint64_t code_base = 0; ///< of the warps that start
    std::unique_ptr<IBuffer> unit;
    tb::BaseProtocolChecker checker{"checker"};

    Style style = Style::kCompleted;
    Cycle fetch_latency = 1;
    bool decodes = true; ///< the memory leaves the decoded form
    std::map<Pc, tlm::tlm_response_status> refusals;
    bool unknown_phases = false; ///< an ignorable phase before each answer on the backward path
    /// Answer of the datapath; default: done after one cycle, EXIT after two.
    std::function<tlm::tlm_sync_enum(Payload &, IssueExtension &, tlm::tlm_phase &, sc_core::sc_time &)> on_issue_call;

    std::vector<std::string> fetches; ///< "cycle pc"
    std::vector<std::string> issues;  ///< "cycle warp pc active"
    std::vector<std::string> ends;    ///< "effect slot exited", "effect slot ended" or "effect slot fault: detail"
    protocol::RaisedAt fault_at;

    tlm::tlm_sync_enum done(Payload &payload, IssueExtension &ext, sc_core::sc_time &delay) {
        ext.executed = ext.active;
        ext.next_pc = ext.insn->pc + kInstructionBytes;
        ext.next_active = ext.active;
        if (ext.insn->op == Op::kExit) {
            ext.outcome = Outcome::kExited;
            delay += clock.span(2);
        } else {
            delay += clock.period();
        }
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    }

  private:
    template <typename Socket> void complete(Socket &socket, Payload &payload, Cycle delay = 1) {
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time annotated = clock.span(delay);
        EXPECT_EQ(socket->nb_transport_fw(payload, phase, annotated), tlm::TLM_COMPLETED);
        EXPECT_TRUE(payload.is_response_ok());
        payload.release();
    }
    tlm::tlm_sync_enum on_fetch(unsigned, Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay) {
        if (phase == tlm::END_RESP) {
            return tlm::TLM_COMPLETED;
        }
        seen_.insert(&payload);
        EXPECT_EQ(payload.get_data_length(), kInstructionBytes);
        fetches.push_back(fmt::format("{} {:#x}", clock.now(), payload.get_address()));
        const Pc pc = payload.get_address() - code_base;
        if (refusals.contains(pc)) {
            payload.set_response_status(refusals[pc]);
        } else if (pc / kInstructionBytes >= program.size()) {
            payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        } else {
            std::memcpy(payload.get_data_ptr(), &words[pc / kInstructionBytes].lo, 8);
            std::memcpy(payload.get_data_ptr() + 8, &words[pc / kInstructionBytes].hi, 8);
            if (auto *decoded = payload.get_extension<protocol::DecodedExtension>(); decoded != nullptr && decodes) {
                decoded->insn = &program[pc / kInstructionBytes];
            }
            payload.set_response_status(tlm::TLM_OK_RESPONSE);
        }
        // Backward calls are made a cycle ahead of their time, which they carry as annotated delay.
        switch (style) {
        case Style::kCompleted:
            delay += clock.span(fetch_latency);
            return tlm::TLM_COMPLETED;
        case Style::kUpdatedResponse:
            delay += clock.span(fetch_latency);
            phase = tlm::BEGIN_RESP;
            return tlm::TLM_UPDATED;
        case Style::kUpdatedEnd:
            later(fetch_latency - 1, payload, tlm::BEGIN_RESP);
            phase = tlm::END_REQ;
            return tlm::TLM_UPDATED;
        case Style::kAccepted:
            later(1, payload, tlm::END_REQ);
            later(fetch_latency - 1, payload, tlm::BEGIN_RESP);
            return tlm::TLM_ACCEPTED;
        case Style::kAcceptedResponse:
            later(fetch_latency - 1, payload, tlm::BEGIN_RESP);
            return tlm::TLM_ACCEPTED;
        }
        return tlm::TLM_COMPLETED;
    }
    void later(Cycle cycles, Payload &payload, const tlm::tlm_phase &what) {
        payload.acquire();
        at(clock.now() + cycles, [this, &payload, what] {
            sc_core::sc_time delay = clock.period();
            if (unknown_phases) {
                tlm::tlm_phase strange = protocol::SOURCES_READ;
                EXPECT_EQ(memory_->nb_transport_bw(payload, strange, delay), tlm::TLM_ACCEPTED);
            }
            tlm::tlm_phase phase = what;
            EXPECT_EQ(memory_->nb_transport_bw(payload, phase, delay),
                      what == tlm::END_REQ ? tlm::TLM_ACCEPTED : tlm::TLM_COMPLETED);
            payload.release();
        });
    }
    tlm::tlm_sync_enum on_issue(unsigned, Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay) {
        EXPECT_EQ(phase, tlm::BEGIN_REQ);
        seen_.insert(&payload);
        auto &ext = *protocol::extension_of<IssueExtension>(payload);
        EXPECT_EQ(ext.warp.value() % kSubPartitions, kSubPartition);
        issues.push_back(fmt::format("{} {} {:#x} {:#x}", clock.now(), ext.warp.value() / kSubPartitions, ext.insn->pc,
                                     ext.active.bits()));
        return on_issue_call ? on_issue_call(payload, ext, phase, delay) : done(payload, ext, delay);
    }
    tlm::tlm_sync_enum on_message(unsigned, Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay) {
        EXPECT_EQ(phase, tlm::BEGIN_REQ);
        seen_.insert(&payload);
        const auto &ext = *protocol::extension_of<LifecycleExtension>(payload);
        EXPECT_EQ(ext.cta.value(), 2U);
        if (ext.kind == LifecycleExtension::Kind::kFault) {
            EXPECT_EQ(ext.start.cta_number, 6U);
            ends.push_back(fmt::format("{} {} {}: {}", clock.at(delay), ext.warp.value(), fault_name(ext.fault.fault),
                                       ext.fault.detail));
            fault_at = ext.raised;
        } else {
            const bool ended = ext.kind == LifecycleExtension::Kind::kWarpEnded;
            EXPECT_TRUE(ended || ext.kind == LifecycleExtension::Kind::kWarpExited);
            ends.push_back(fmt::format("{} {} {}", clock.at(delay), ext.warp.value(), ended ? "ended" : "exited"));
        }
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    void step() {
        while (!actions_.empty() && actions_.begin()->first <= sc_core::sc_time_stamp()) {
            const auto action = actions_.begin()->second;
            actions_.erase(actions_.begin());
            action();
        }
        if (!actions_.empty()) {
            event_.notify(actions_.begin()->first - sc_core::sc_time_stamp());
        }
    }
    void step_delta() { next_delta_(); }

    protocol::Target<protocol::MemoryLink> memory_{"memory"};
    protocol::Target<protocol::IssueLink> datapath_{"datapath"};
    protocol::Target<protocol::LifecycleLink> dispatch_{"dispatch"};
    protocol::Initiator<protocol::LifecycleLink> life_{"life"};
    protocol::Initiator<protocol::WakeLink> barrier_wake_{"barrier_wake"};
    protocol::Initiator<protocol::WakeLink> sleep_wake_{"sleep_wake"};
    protocol::PayloadPool<LifecycleExtension> lives_;
    protocol::PayloadPool<protocol::WakeExtension> wakes_;
    std::set<const Payload *> seen_;
    std::multimap<sc_core::sc_time, std::function<void()>> actions_;
    sc_core::sc_event event_;
    std::function<void()> next_delta_;
    sc_core::sc_event delta_event_;
};

Config bench_config() {
    Config config;
    config.sm.sub_partitions = kSubPartitions;
    config.sm.warps_per_sub_partition = 4;
    config.ibuffer.depth = 3;
    config.ibuffer.decode_latency = 1;
    return config;
}

std::vector<Instruction> straight_line() {
    return {mov(), mov(), make(Op::kExit)};
}

// --- fetch ---------------------------------------------------------------------------------------------------------

TEST(IBuffer, AWarpFetchesFromItsFirstCycleAndIssuesAfterDecoding) {
    Bench bench(bench_config(), straight_line());
    bench.start(9, 2, LaneMask(0xff));
    bench.run();
    EXPECT_THAT(bench.fetches, ElementsAre("10 0x0", "11 0x10", "12 0x20", "13 0x30"));
    EXPECT_THAT(bench.issues, ElementsAre("12 2 0x0 0xff", "13 2 0x10 0xff", "14 2 0x20 0xff"));
    EXPECT_THAT(bench.ends, ElementsAre("17 9 exited", "17 9 ended"));
    ASSERT_EQ(bench.unit->stage().finished().size(), 1U);
    EXPECT_EQ(bench.unit->stage().finished()[0].start, 10U);
    EXPECT_EQ(bench.unit->stage().finished()[0].end, 16U);
}

/// Four cycles of fetch latency; the legal sequences differ in when the next request may go out.
std::vector<std::string> issues_with(Style style, bool unknown_phases = false) {
    Bench bench(bench_config(), straight_line());
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

TEST(IBuffer, DecodesTheBytesWhereTheMemoryHasNoDecodedForm) {
    Bench bench(bench_config(), straight_line());
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
    Bench bench(bench_config(), straight_line());
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

TEST(IBuffer, BytesThatComeLaterAreDecodedAtTheAddressThatWasAskedFor) {
    Bench bench(bench_config(), straight_line());
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
    Bench bench(bench_config(), straight_line());
    bench.decodes = false;
    bench.words[1] = {};
    bench.start(0, 0);
    bench.run();
    ASSERT_EQ(bench.ends.size(), 1U);
    EXPECT_THAT(bench.ends[0], HasSubstr("5 1 IllegalInstruction: 0x0010: word"));
    EXPECT_EQ(bench.issues.size(), 1U);
}

TEST(IBuffer, ARefusedFetchFaultsWithTheStatus) {
    Bench bench(bench_config(), straight_line());
    bench.refusals[0x10] = tlm::TLM_GENERIC_ERROR_RESPONSE;
    bench.start(0, 0);
    bench.run();
    EXPECT_THAT(bench.ends, ElementsAre("5 1 MemoryError: instruction memory refused 16 bytes at 0x0010: "
                                        "TLM_GENERIC_ERROR_RESPONSE"));
}

void expect_fault_past_the_end(Style style, Cycle latency) {
    Bench bench(bench_config(), {mov(), mov()});
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

// --- issue ---------------------------------------------------------------------------------------------------------

TEST(IBuffer, AUnitThatIsFullGetsNothingBeforeItsEndReq) {
    Instruction load = make(Op::kLdg);
    load.mod[0] = static_cast<std::uint8_t>(isa::Access::k32);
    Bench bench(bench_config(), {load, load, make(Op::kExit)});
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

TEST(IBuffer, AnExitIsToldWhenAccessesHaveTheirPlaceAndTheEndWhenTheyArePerformed) {
    Instruction load = make(Op::kLdg);
    load.mod[0] = static_cast<std::uint8_t>(isa::Access::k32);
    Bench bench(bench_config(), {load, load, make(Op::kExit)});
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
    bench.at(20, [&] { answer(1, 100); }); // an answer that is told early says that the access has its place
    bench.at(60, [&] { answer(0, 1); });
    bench.run();
    EXPECT_THAT(bench.ends, ElementsAre("22 1 exited", "121 1 ended"));
}

TEST(IBuffer, ScoreboardsAreReleasedAtTheAnnotatedTimes) {
    Instruction load = make(Op::kLdg);
    load.mod[0] = static_cast<std::uint8_t>(isa::Access::k32);
    load.wsb = 1;
    load.rsb = 2;
    load.stall = 2;
    Instruction needs_source = mov();
    needs_source.req = 1U << 2;
    Instruction needs_result = mov();
    needs_result.req = 1U << 1;
    Bench bench(bench_config(), {load, needs_source, needs_result, make(Op::kExit)});
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
    Bench bench(bench_config(), straight_line());
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
    Bench bench(bench_config(), straight_line());
    std::vector<std::uint64_t> sequence;
    bench.on_issue_call = [&](Payload &payload, IssueExtension &ext, tlm::tlm_phase &, sc_core::sc_time &delay) {
        sequence.push_back(ext.sequence);
        return bench.done(payload, ext, delay);
    };
    bench.start(0, 0);
    bench.run();
    EXPECT_THAT(sequence, ElementsAre(0, 1, 2));
}

// --- faults --------------------------------------------------------------------------------------------------------

TEST(IBuffer, AFaultOnTheCallEndsTheSubPartition) {
    Bench bench(bench_config(), straight_line());
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
    Instruction load = make(Op::kLdg);
    load.mod[0] = static_cast<std::uint8_t>(isa::Access::k32);
    Bench bench(bench_config(), {load, make(Op::kExit)});
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
        protocol::extension_of<IssueExtension>(*held)->fault = {Fault::kIllegalAddress, "nowhere"};
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

// --- control flow and wakes --------------------------------------------------------------------------------------

TEST(IBuffer, AJumpAnsweredOnTheCallGoesOnAtItsTargetWithItsThreads) {
    Bench bench(bench_config(), {make(Op::kBra), mov(), mov(), make(Op::kExit)});
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
    Bench bench(bench_config(), {make(Op::kYield), make(Op::kExit)});
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

/// A barrier arrival that blocks; the wake comes before or after the unit's answer.
std::string issue_after_barrier(Cycle answer_at, Cycle wake_at) {
    Bench bench(bench_config(), {make(Op::kBar), make(Op::kExit)});
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
        protocol::extension_of<IssueExtension>(*held)->outcome = Outcome::kBlocked;
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
TEST(IBuffer, AWakeThatComesBeforeTheAnswerCounts) {
    EXPECT_EQ(issue_after_barrier(20, 15), "25 0 0x10 0xffffffff");
}

/// A branch whose answer comes from a shared pipeline at cycle 9, before or after the IBuffer's own step of that cycle.
std::vector<std::string> fetches_around_late_answer(bool before_step) {
    Config config = bench_config();
    config.ibuffer.depth = 16;
    std::vector<Instruction> code(24, mov());
    code.front() = make(Op::kBra);
    code.back() = make(Op::kExit);
    Bench bench(config, code);
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
        auto &ext = *protocol::extension_of<IssueExtension>(*held);
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
TEST(IBuffer, ALateAnswerOfTheBranchUnitTakesEffectAtItsTimeWhateverTheOrderOfProcesses) {
    const auto fetches = fetches_around_late_answer(true);
    ASSERT_GE(fetches.size(), 13U);
    EXPECT_THAT(std::vector(fetches.begin(), fetches.begin() + 13),
                ::testing::ElementsAreArray(kFetchesAroundLateAnswer));
}

// --- observation ---------------------------------------------------------------------------------------------------

TEST(IBuffer, DescribesResidentWarpsAndCloseChargesTheirLives) {
    Bench bench(bench_config(), {make(Op::kYield), make(Op::kExit)});
    bench.on_issue_call = [&](Payload &payload, IssueExtension &ext, tlm::tlm_phase &, sc_core::sc_time &delay) {
        const auto status = bench.done(payload, ext, delay);
        ext.outcome = Outcome::kSleep;
        return status;
    };
    bench.start(0, 1, LaneMask(0xf));
    bench.at(30, [] {});
    bench.run();
    EXPECT_EQ(bench.unit->describe(), "  CTA 6 warp 0 (slot 5): Sleeping (sleeping) at 0x0010, active 0x0000000f\n");
    bench.unit->close();
    ASSERT_EQ(bench.unit->stage().finished().size(), 1U);
    EXPECT_EQ(bench.unit->stage().finished()[0].end, 30U);
    EXPECT_THAT(bench.unit->describe(), IsEmpty());
}

} // namespace
} // namespace smsim::ibuffer
