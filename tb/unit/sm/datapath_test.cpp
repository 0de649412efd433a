// The datapath of one sub-partition alone: a bench plays the IBuffer, and stubs play BRU, BCU and load/store unit.
//
// Registers are filled and looked at by instructions only (MOV, S2R, and what a store hands to the load/store unit).
#include <array>
#include <deque>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <systemc>

#include "sm/datapath/datapath.h"

namespace smsim::sm {
namespace {

using isa::Access;
using isa::Form;
using isa::Instruction;
using isa::Op;
using isa::SpecialRegister;
using protocol::BarrierExtension;
using protocol::BranchExtension;
using protocol::IssueExtension;
using protocol::LoadStoreExtension;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Payload = tlm::tlm_generic_payload;
using Lanes = std::array<std::uint32_t, kLanes>;

constexpr LaneMask kAll = LaneMask::all();
constexpr unsigned kSubPartition = 1;
constexpr WarpSlot kWarp{5}; // of sub-partition 1, with 4 sub-partitions

Instruction make(Op op, Form form) {
    Instruction insn;
    insn.op = op;
    insn.form = form;
    insn.unit = isa::spec_of(op).unit;
    return insn;
}
Instruction mov(std::uint8_t rd, std::uint32_t value) {
    Instruction insn = make(Op::kMov, Form::kI);
    insn.rd = rd;
    insn.imm = value;
    return insn;
}
Instruction s2r(std::uint8_t rd, SpecialRegister which) {
    Instruction insn = make(Op::kS2r, Form::kX);
    insn.rd = rd;
    insn.imm2 = static_cast<std::uint32_t>(which);
    return insn;
}
Instruction umov(std::uint8_t urd, std::uint32_t value) {
    Instruction insn = make(Op::kUmov, Form::kI);
    insn.rd = urd;
    insn.imm = value;
    return insn;
}
/// Pu = lane < limit
Instruction lanes_below(std::uint8_t pu, std::uint8_t lane_register, std::uint32_t limit) {
    Instruction insn = make(Op::kIsetp, Form::kI);
    insn.pu = pu;
    insn.ra = lane_register;
    insn.imm = limit;
    insn.mod[0] = static_cast<std::uint8_t>(isa::Compare::kLt);
    return insn;
}
Instruction memory(Op op, Access access = Access::k32) {
    Instruction insn = make(op, Form::kR);
    insn.mod[0] = static_cast<std::uint8_t>(access);
    return insn;
}

/// What an issue brought back on the call.
struct Answer {
    tlm::tlm_sync_enum status = tlm::TLM_ACCEPTED;
    tlm::tlm_phase phase;
    Cycle latency = 0;
    tlm::tlm_response_status response = tlm::TLM_INCOMPLETE_RESPONSE;
    std::uint32_t interval = 0;
    Outcome outcome = Outcome::kContinue;
    Pc next_pc = 0;
    LaneMask next_active;
    LaneMask executed;
    FaultReport fault;
    Payload *payload = nullptr; ///< when the answer follows
};

class Bench final : public sc_core::sc_module, public ExecutionObserver {
  public:
    explicit Bench(const Config &c = Config{}, const sc_core::sc_module_name &name = "bench")
        : sc_module(name), config(c), clock(config), datapath("datapath", config) {
        describe_launch();
        issue_.bind(datapath.issue_socket);
        issue_.on_response<&Bench::on_response>(this);
        lifecycle_.bind(datapath.lifecycle);
        datapath.branch_socket.bind(branch);
        datapath.barrier_socket.bind(barrier);
        datapath.load_store_socket.bind(load_store);
        branch.on_request<&Bench::on_branch>(this);
        barrier.on_request<&Bench::on_barrier>(this);
        load_store.on_request<&Bench::on_load_store>(this);
    }
    ~Bench() override {
        EXPECT_EQ(issues_.in_use(), 0U);
        EXPECT_EQ(lives_.in_use(), 0U);
    }

    void start(WarpSlot slot, std::uint32_t registers) {
        elaborate();
        WarpStart start;
        start.warp = slot;
        start.registers = registers;
        start.cta_id = {3, 0, 0};
        start.warp_in_cta = 1;
        start.shared_base = 0x800;
        start.shared_bytes = 512;
        start.sm = SmId(5);
        start.launch = &launch;
        Payload &payload = lives_.acquire();
        auto *ext = protocol::extension_of<protocol::LifecycleExtension>(payload);
        ext->kind = protocol::LifecycleExtension::Kind::kWarpStart;
        ext->start = start;
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay = clock.period();
        EXPECT_EQ(lifecycle_->nb_transport_fw(payload, phase, delay), tlm::TLM_COMPLETED);
        EXPECT_TRUE(payload.is_response_ok());
        payload.release();
    }
    void advance(Cycle cycles) {
        elaborate();
        sc_core::sc_start(clock.span(cycles));
    }

    /// Issues an instruction in the present cycle. `insn` must live as long as the bench.
    Answer issue(const Instruction &insn, LaneMask active = kAll, WarpSlot warp = kWarp) {
        elaborate();
        Payload &payload = issues_.acquire();
        auto &ext = *protocol::extension_of<IssueExtension>(payload);
        ext.warp = warp;
        ext.insn = &insn;
        ext.active = active;
        ext.sequence = 7;
        ext.interval = 1;
        ext.outcome = Outcome::kContinue;
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        Answer answer;
        answer.status = issue_->nb_transport_fw(payload, phase, delay);
        answer.phase = phase;
        answer.latency = delay / clock.period();
        fill(answer, payload);
        if (answer.status == tlm::TLM_COMPLETED) {
            payload.release();
        } else {
            answer.payload = &payload;
        }
        return answer;
    }
    /// The same for an instruction of which nothing is asked but its effect; later uses need no waiting.
    Answer run(const Instruction &insn, LaneMask active = kAll) {
        Answer answer = issue(kept_.emplace_back(insn), active);
        EXPECT_EQ(answer.response, tlm::TLM_OK_RESPONSE) << answer.fault.detail;
        advance(50);
        return answer;
    }
    /// The value of a register in all lanes, as a store would write it.
    Lanes peek(std::uint8_t reg) {
        Instruction store = memory(Op::kStg);
        store.rb = reg;
        const auto saved = on_load_store_call;
        Lanes lanes{};
        on_load_store_call = [&](Payload &payload, tlm::tlm_phase &, sc_core::sc_time &) {
            lanes = protocol::extension_of<LoadStoreExtension>(payload)->data[0];
            payload.set_response_status(tlm::TLM_OK_RESPONSE);
            return tlm::TLM_COMPLETED;
        };
        run(store);
        on_load_store_call = saved;
        return lanes;
    }
    /// The lanes in which a predicate is true.
    LaneMask peek_predicate(std::uint8_t predicate) {
        Instruction guarded = mov(15, 0);
        guarded.pg = predicate;
        return run(guarded).executed;
    }

    void executed(const ExecutedInstruction &instruction) override {
        observed.push_back(fmt::format("{}: {} {:#x} {:#x}", instruction.cycle, instruction.insn.spec().name,
                                       instruction.active.bits(), instruction.executed.bits()));
    }

    static void fill(Answer &answer, Payload &payload) {
        const auto &ext = *protocol::extension_of<IssueExtension>(payload);
        answer.response = payload.get_response_status();
        answer.interval = ext.interval;
        answer.outcome = ext.outcome;
        answer.next_pc = ext.next_pc;
        answer.next_active = ext.next_active;
        answer.executed = ext.executed;
        answer.fault = ext.fault;
    }

    using Call = std::function<tlm::tlm_sync_enum(Payload &, tlm::tlm_phase &, sc_core::sc_time &)>;
    Call on_branch_call;
    Call on_barrier_call;
    Call on_load_store_call;
    /// What came on the backward path of the issue link: phases, and the last answer.
    std::vector<std::string> phases;
    Answer answered;
    std::vector<std::string> observed;

    Config config;
    protocol::Clock clock;
    LaunchContext launch;
    Datapath datapath;
    protocol::Target<protocol::BranchLink> branch{"branch"};
    protocol::Target<protocol::BarrierLink> barrier{"barrier"};
    protocol::Target<protocol::LoadStoreLink> load_store{"load_store"};

  private:
    /// Once elaborated, the test calls the sockets itself. One warp of 16 registers is resident.
    void elaborate() {
        if (!elaborated_) {
            elaborated_ = true;
            sc_core::sc_start(sc_core::SC_ZERO_TIME);
            start(kWarp, 16);
        }
    }
    void describe_launch() {
        std::vector<std::uint8_t> bank0(64);
        std::iota(bank0.begin(), bank0.end(), std::uint8_t{0});
        launch.grid = {9, 1, 1};
        launch.block = {64, 1, 1};
        launch.set_bank(0, std::move(bank0));
        launch.local_base = 0x10000;
        launch.local_bytes = 16;
    }
    tlm::tlm_sync_enum on_branch(unsigned, Payload &p, tlm::tlm_phase &ph, sc_core::sc_time &d) {
        return on_branch_call(p, ph, d);
    }
    tlm::tlm_sync_enum on_barrier(unsigned, Payload &p, tlm::tlm_phase &ph, sc_core::sc_time &d) {
        return on_barrier_call(p, ph, d);
    }
    tlm::tlm_sync_enum on_load_store(unsigned, Payload &p, tlm::tlm_phase &ph, sc_core::sc_time &d) {
        return on_load_store_call(p, ph, d);
    }
    tlm::tlm_sync_enum on_response(unsigned, Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay) {
        const char *name = phase == tlm::END_REQ             ? "END_REQ"
                           : phase == protocol::SOURCES_READ ? "SOURCES_READ"
                                                             : "BEGIN_RESP";
        phases.push_back(fmt::format("{} {}", clock.at(delay), name));
        if (phase != tlm::BEGIN_RESP) {
            return tlm::TLM_ACCEPTED;
        }
        fill(answered, payload);
        payload.release();
        return tlm::TLM_COMPLETED;
    }

    protocol::Initiator<protocol::IssueLink> issue_{"issue"};
    protocol::Initiator<protocol::LifecycleLink> lifecycle_{"life"};
    protocol::PayloadPool<IssueExtension> issues_;
    protocol::PayloadPool<protocol::LifecycleExtension> lives_;
    std::deque<Instruction> kept_;
    bool elaborated_ = false;
};

/// Completes on the call with OK after `cycles`.
template <typename Extension>
Bench::Call completes(Bench &bench, Cycle cycles, std::function<void(Extension &)> body = {}) {
    return [&bench, cycles, body](Payload &payload, tlm::tlm_phase &, sc_core::sc_time &delay) {
        if (body) {
            body(*protocol::extension_of<Extension>(payload));
        }
        delay += bench.clock.span(cycles);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    };
}

Lanes filled(const std::function<std::uint32_t(unsigned)> &value) {
    Lanes lanes{};
    for (unsigned i = 0; i < kLanes; ++i) {
        lanes[i] = value(i);
    }
    return lanes;
}

// --- compute pipes -------------------------------------------------------------------------------------------------

TEST(Datapath, LatencyAndIntervalOfEachPipe) {
    Config config;
    config.pipes.alu = {4, 1};
    config.pipes.fma = {5, 2};
    config.pipes.xu = {17, 3};
    config.pipes.fp64 = {33, 8};
    config.pipes.uniform = {7, 6};
    config.pipes.special_register = 20;
    config.pipes.shuffle = 23;
    config.lsu.constant_latency = 9;
    Bench bench(config);
    struct Case {
        Instruction insn;
        Cycle latency;
        std::uint32_t interval;
    };
    const Case kCases[] = {
        {mov(1, 5), 4, 1},
        {make(Op::kFadd, Form::kR), 5, 2},
        {make(Op::kPopc, Form::kR), 17, 3},
        {make(Op::kDadd, Form::kR), 33, 8},
        {umov(1, 2), 7, 6},
        {s2r(1, SpecialRegister::kLaneId), 20, 3},
        {make(Op::kShfl, Form::kI), 23, 3},
        {make(Op::kLdc, Form::kC), 9, 1},
    };
    for (const Case &c : kCases) {
        Instruction insn = c.insn;
        if (insn.op == Op::kLdc) {
            insn.mod[0] = static_cast<std::uint8_t>(Access::k32);
        }
        const Answer answer = bench.run(insn);
        EXPECT_EQ(answer.status, tlm::TLM_COMPLETED) << insn.spec().name;
        EXPECT_EQ(answer.latency, c.latency) << insn.spec().name;
        EXPECT_EQ(answer.interval, c.interval) << insn.spec().name;
        EXPECT_EQ(answer.outcome, Outcome::kContinue);
    }
    const auto &by_unit = bench.datapath.stats().by_unit;
    EXPECT_EQ(by_unit[static_cast<std::size_t>(isa::Unit::kXu)], 3U);
    EXPECT_EQ(by_unit[static_cast<std::size_t>(isa::Unit::kLoadStore)], 1U);
}

TEST(Datapath, OnlyActiveThreadsWithATrueGuardExecute) {
    Bench bench;
    bench.run(s2r(1, SpecialRegister::kLaneId));
    bench.run(lanes_below(2, 1, 8));
    bench.run(mov(3, 100));
    Instruction guarded = mov(3, 200);
    guarded.pg = 2;
    EXPECT_EQ(bench.run(guarded, LaneMask(0xf0)).executed, LaneMask(0xf0));
    guarded.imm = 300;
    guarded.pg_not = true;
    EXPECT_EQ(bench.run(guarded, LaneMask(0xff00)).executed, LaneMask(0xff00));
    guarded.imm = 400;
    EXPECT_EQ(bench.run(guarded, LaneMask(0xff)).executed, LaneMask{});
    EXPECT_EQ(bench.peek(3), filled([](unsigned i) {
                  return i >= 4 && i < 8 ? 200U : i >= 8 && i < 16 ? 300U : 100U;
              }));
}

TEST(Datapath, SpecialRegistersKnowWarpAndCycle) {
    Bench bench;
    bench.advance(123);
    Instruction clock = s2r(1, SpecialRegister::kClockLo);
    bench.run(clock);
    bench.run(s2r(2, SpecialRegister::kTidX));
    bench.run(s2r(3, SpecialRegister::kCtaIdX));
    bench.run(s2r(4, SpecialRegister::kNctaIdX));
    EXPECT_EQ(bench.peek(1)[0], 123U);
    EXPECT_EQ(bench.peek(2), filled([](unsigned i) { return 32 + i; })) << "second warp of its CTA";
    EXPECT_EQ(bench.peek(3)[0], 3U);
    EXPECT_EQ(bench.peek(4)[0], 9U);
}

TEST(Datapath, TheGlobalTimerFollowsTheClockAsConfigured) {
    Config config;
    config.sm.clock_ghz = 1.1;
    Bench bench(config);
    bench.advance(11'000'000);
    bench.run(s2r(1, SpecialRegister::kGlobalTimerLo));
    EXPECT_EQ(bench.peek(1)[0], 10'000'000U) << "the simulation's period of 909 ps would give 9999000";
}

TEST(Datapath, AWarpStartsWithClearRegistersAndWarpsDoNotShareThem) {
    Bench bench;
    bench.start(WarpSlot(1), 16);
    bench.run(mov(1, 77));
    const Instruction other = mov(1, 88);
    bench.issue(other, kAll, WarpSlot(1));
    EXPECT_EQ(bench.peek(1)[0], 77U);
    bench.start(kWarp, 16);
    EXPECT_EQ(bench.peek(1)[0], 0U);
}

TEST(Datapath, TheSpecialRegisterOfTheSmHoldsItsNumber) {
    Bench bench;
    bench.run(s2r(1, SpecialRegister::kSmId));
    EXPECT_EQ(bench.peek(1), filled([](unsigned) { return 5U; }));
}

TEST(Datapath, AFaultOfAComputeInstructionIsAnErrorResponse) {
    Bench bench;
    Instruction ldc = make(Op::kLdc, Form::kC);
    ldc.rd = 1;
    ldc.mod[0] = static_cast<std::uint8_t>(Access::k32);
    ldc.const_offset = 64;
    const Answer answer = bench.issue(ldc);
    EXPECT_EQ(answer.response, tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(answer.fault.fault, Fault::kIllegalAddress);
    EXPECT_EQ(bench.peek(1)[0], 0U);
}

TEST(Datapath, LdcReadsTheConstantBank) {
    Bench bench;
    bench.run(s2r(1, SpecialRegister::kLaneId));
    Instruction ldc = make(Op::kLdc, Form::kC);
    ldc.rd = 2;
    ldc.ra = 1;
    ldc.const_offset = 4;
    ldc.mod[0] = static_cast<std::uint8_t>(Access::kU8);
    bench.run(ldc);
    EXPECT_EQ(bench.peek(2), filled([](unsigned i) { return 4 + i; }));
}

TEST(Datapath, ARegisterThatTheWarpDoesNotHaveIsAnIllegalInstructionOnEveryUnit) {
    Bench bench; // 16 registers
    const auto refused = [&](const Instruction &insn) {
        const Answer answer = bench.issue(insn);
        EXPECT_EQ(answer.response, tlm::TLM_GENERIC_ERROR_RESPONSE) << insn.spec().name;
        EXPECT_EQ(answer.fault.fault, Fault::kIllegalInstruction) << insn.spec().name;
        EXPECT_THAT(answer.fault.detail, ::testing::HasSubstr("R16")) << insn.spec().name;
    };
    refused(mov(16, 1));
    Instruction load = memory(Op::kLdg);
    load.rd = 16;
    refused(load);
    Instruction jump = make(Op::kBrx, Form::kR);
    jump.ra = 16;
    refused(jump);
    Instruction read = make(Op::kB2r, Form::kI);
    read.rd = 16;
    refused(read);
}

// --- control instructions ----------------------------------------------------------------------------------------

TEST(Datapath, ABranchGetsGuardsOfAllLanesAndItsAnswerComesBack) {
    Bench bench;
    bench.run(s2r(1, SpecialRegister::kLaneId));
    bench.run(lanes_below(2, 1, 16));
    bench.run(lanes_below(3, 1, 4));
    Instruction bra = make(Op::kBra, Form::kX);
    bra.pg = 2;
    bra.pp = 3;
    bra.pp_not = true;
    bench.on_branch_call = completes<BranchExtension>(bench, 2, [&](BranchExtension &ext) {
        EXPECT_EQ(ext.warp, kWarp);
        EXPECT_EQ(ext.insn->op, Op::kBra);
        EXPECT_EQ(ext.guard, LaneMask(0xffff));
        EXPECT_EQ(ext.guard_pp, ~LaneMask(0xf));
        EXPECT_EQ(ext.sequence, 7U);
        ext.interval = 3;
        ext.outcome = Outcome::kSleep;
        ext.next_pc = 0x80;
        ext.next_active = LaneMask(0x3);
    });
    const Answer answer = bench.run(bra, LaneMask(0xff));
    EXPECT_EQ(answer.executed, LaneMask(0xf0));
    EXPECT_EQ(answer.latency, 2U);
    EXPECT_EQ(answer.interval, 3U);
    EXPECT_EQ(answer.outcome, Outcome::kSleep);
    EXPECT_EQ(answer.next_pc, 0x80U);
    EXPECT_EQ(answer.next_active, LaneMask(0x3));
}

TEST(Datapath, OperandsOfControlInstructionsByForm) {
    Bench bench;
    bench.run(s2r(4, SpecialRegister::kLaneId));
    bench.run(mov(5, 9));
    bench.run(umov(6, 0xabcd));
    bench.run(umov(7, 0x12));
    std::array<std::uint64_t, kLanes> lanes{};
    std::uint64_t scalar = 0;
    bench.on_branch_call = completes<BranchExtension>(bench, 2, [&](BranchExtension &ext) {
        lanes = ext.lanes;
        scalar = ext.scalar;
    });
    const auto vector = [&](Op op, bool in_rb) {
        Instruction insn = make(op, Form::kR);
        (in_rb ? insn.rb : insn.ra) = 4;
        lanes.fill(0);
        bench.run(insn, LaneMask(0x1));
    };
    for (const Op op : {Op::kBrx, Op::kBmov}) {
        vector(op, false);
        EXPECT_EQ(lanes[31], 31U) << "all lanes, active or not";
    }
    for (const Op op : {Op::kWarpsync, Op::kNanosleep, Op::kTrap}) {
        vector(op, true);
        EXPECT_EQ(lanes[31], 31U);
    }
    for (const Op op : {Op::kCall, Op::kRet}) {
        vector(op, false);
        EXPECT_EQ(lanes[31], 0x90000001fULL) << "a pair";
    }
    Instruction uniform = make(Op::kNanosleep, Form::kU);
    uniform.ur = 6;
    bench.run(uniform);
    EXPECT_EQ(scalar, 0xabcdU);
    uniform = make(Op::kCall, Form::kU);
    uniform.ur = 6;
    bench.run(uniform);
    EXPECT_EQ(scalar, 0x120000abcdULL);
    Instruction constant = make(Op::kBrx, Form::kC);
    constant.const_offset = 8;
    bench.run(constant);
    EXPECT_EQ(scalar, 0x0b0a0908U);
    constant = make(Op::kRet, Form::kC);
    constant.const_offset = 8;
    bench.run(constant);
    EXPECT_EQ(scalar, 0x0f0e0d0c0b0a0908ULL);
}

TEST(Datapath, AConstantOperandOutsideItsBankFaultsBeforeTheBranchUnit) {
    Bench bench;
    bench.on_branch_call = [](Payload &, tlm::tlm_phase &, sc_core::sc_time &) {
        ADD_FAILURE() << "the branch unit must not see it";
        return tlm::TLM_COMPLETED;
    };
    Instruction insn = make(Op::kCall, Form::kC);
    insn.const_bank = 3;
    insn.const_offset = 0x20;
    const Answer answer = bench.issue(insn);
    EXPECT_EQ(answer.response, tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(answer.fault.fault, Fault::kIllegalAddress);
    EXPECT_EQ(answer.fault.detail, "constant c[0x3][0x20] is outside its bank");
}

TEST(Datapath, ResultsOfControlInstructionsAreWrittenInTheLanesThatTheUnitNames) {
    Bench bench;
    bench.on_branch_call = completes<BranchExtension>(bench, 2, [](BranchExtension &ext) {
        ext.write_lanes = LaneMask(0x6);
        ext.value = 0x1122334455667788ULL;
    });
    Instruction lepc = make(Op::kLepc, Form::kI);
    lepc.rd = 2;
    bench.run(lepc);
    EXPECT_EQ(bench.peek(2), filled([](unsigned i) { return i == 1 || i == 2 ? 0x55667788U : 0U; }));
    EXPECT_EQ(bench.peek(3), filled([](unsigned i) { return i == 1 || i == 2 ? 0x11223344U : 0U; }));
    Instruction bmov = make(Op::kBmov, Form::kX);
    bmov.rd = 4;
    bench.run(bmov);
    EXPECT_EQ(bench.peek(4)[1], 0x55667788U);
    EXPECT_EQ(bench.peek(5)[1], 0U);
}

TEST(Datapath, AControlInstructionThatWaitsForASharedPipelineIsAnsweredLater) {
    Bench bench;
    bench.datapath.observe(&bench);
    Payload *held = nullptr;
    bench.on_branch_call = [&](Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &) {
        payload.acquire();
        held = &payload;
        protocol::extension_of<BranchExtension>(payload)->interval = 2;
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    };
    const Instruction exit = make(Op::kExit, Form::kX);
    const Answer first = bench.issue(exit, LaneMask(0xf));
    EXPECT_EQ(first.status, tlm::TLM_UPDATED);
    EXPECT_EQ(first.phase, tlm::END_REQ);
    EXPECT_EQ(first.interval, 2U);
    EXPECT_THAT(bench.observed, IsEmpty()) << "not executed yet";
    bench.advance(3);
    auto &ext = *protocol::extension_of<BranchExtension>(*held);
    ext.outcome = Outcome::kExited;
    held->set_response_status(tlm::TLM_OK_RESPONSE);
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = bench.clock.span(2);
    EXPECT_EQ(bench.branch->nb_transport_bw(*held, phase, delay), tlm::TLM_COMPLETED);
    held->release();
    EXPECT_THAT(bench.phases, ElementsAre("5 BEGIN_RESP"));
    EXPECT_EQ(bench.answered.outcome, Outcome::kExited);
    EXPECT_EQ(bench.answered.response, tlm::TLM_OK_RESPONSE);
    EXPECT_THAT(bench.observed, ElementsAre("3: EXIT 0xf 0xf"));
}

TEST(Datapath, AFaultOfTheBranchUnitReachesTheIBuffer) {
    Bench bench;
    bench.on_branch_call = [&](Payload &payload, tlm::tlm_phase &, sc_core::sc_time &) {
        protocol::extension_of<BranchExtension>(payload)->fault = {Fault::kIllegalTarget, "far away"};
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    };
    const Instruction bra = make(Op::kBra, Form::kX);
    const Answer answer = bench.issue(bra);
    EXPECT_EQ(answer.response, tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(answer.fault.fault, Fault::kIllegalTarget);
    EXPECT_EQ(answer.fault.detail, "far away");
}

// --- barrier instructions ------------------------------------------------------------------------------------------

TEST(Datapath, OperandsOfBarrierInstructionsByForm) {
    Bench bench;
    bench.run(mov(4, 3));
    bench.run(mov(5, 64));
    bench.run(s2r(6, SpecialRegister::kLaneId));
    bench.run(mov(7, 0x203));
    Lanes ids{};
    Lanes counts{};
    bench.on_barrier_call = completes<BarrierExtension>(bench, 6, [&](BarrierExtension &ext) {
        EXPECT_EQ(ext.warp, kWarp);
        EXPECT_EQ(ext.pmask, LaneMask(0xff));
        ids = ext.id_lanes;
        counts = ext.count_lanes;
    });
    const Lanes all_3 = filled([](unsigned) { return 3U; });
    const Lanes all_64 = filled([](unsigned) { return 64U; });
    Instruction bar = make(Op::kBar, Form::kR);
    bar.ra = 4;
    bar.rb = 5;
    EXPECT_EQ(bench.run(bar, LaneMask(0xff)).latency, 6U);
    EXPECT_EQ(ids, all_3);
    EXPECT_EQ(counts, all_64);
    bar = make(Op::kBar, Form::kRri);
    bar.rb = 4;
    ids = {};
    bench.run(bar, LaneMask(0xff));
    EXPECT_EQ(ids, all_3);
    bar = make(Op::kBar, Form::kRir);
    bar.rc = 5;
    counts = {};
    bench.run(bar, LaneMask(0xff));
    EXPECT_EQ(counts, all_64);
    Instruction red = make(Op::kBarRed, Form::kR);
    red.rb = 7;
    bench.run(red, LaneMask(0xff));
    EXPECT_EQ(ids, filled([](unsigned) { return 0x203U; })) << "id and count in one register";
    Instruction r2b = make(Op::kR2b, Form::kRi);
    r2b.ra = 6;
    bench.run(r2b, LaneMask(0xff));
    EXPECT_EQ(counts, filled([](unsigned i) { return i; }));
}

TEST(Datapath, AFaultOfBarrierOperandsIsRaisedAtTheIssueAndDoesNotReachTheUnit) {
    Bench bench;
    bench.on_barrier_call = [](Payload &, tlm::tlm_phase &, sc_core::sc_time &) {
        ADD_FAILURE() << "the unit was asked";
        return tlm::TLM_COMPLETED;
    };
    Instruction arrive = make(Op::kBar, Form::kI);
    arrive.mod[0] = 1;
    arrive.imm2 = 48;
    const Answer answer = bench.issue(arrive);
    EXPECT_EQ(answer.status, tlm::TLM_COMPLETED);
    EXPECT_EQ(answer.response, tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(answer.fault.fault, Fault::kBarrierCount);
}

TEST(Datapath, AReductionContributesThePredicateOfEveryLane) {
    Bench bench;
    bench.run(s2r(4, SpecialRegister::kLaneId));
    bench.run(lanes_below(2, 4, 3));
    LaneMask contribution;
    bench.on_barrier_call =
        completes<BarrierExtension>(bench, 6, [&](BarrierExtension &ext) { contribution = ext.contribution; });
    Instruction red = make(Op::kBarRed, Form::kI);
    red.pp = 2;
    bench.run(red);
    EXPECT_EQ(contribution, LaneMask(0x7));
    red.pp_not = true;
    bench.run(red);
    EXPECT_EQ(contribution, ~LaneMask(0x7));
}

TEST(Datapath, BarrierResultsAreWrittenForTheExecutingThreads) {
    Bench bench;
    bench.on_barrier_call = completes<BarrierExtension>(bench, 16, [](BarrierExtension &ext) {
        ext.writes = true;
        ext.value = 42;
        ext.predicate = true;
    });
    Instruction result = make(Op::kB2rResult, Form::kX);
    result.rd = 3;
    result.pu = 2;
    bench.run(result, LaneMask(0x5));
    EXPECT_EQ(bench.peek(3), filled([](unsigned i) { return i == 0 || i == 2 ? 42U : 0U; }));
    EXPECT_EQ(bench.peek_predicate(2), LaneMask(0x5));
    bench.on_barrier_call = completes<BarrierExtension>(bench, 16, [](BarrierExtension &ext) { ext.value = 99; });
    bench.run(result);
    EXPECT_EQ(bench.peek(3)[0], 42U) << "the unit said that nothing is written";
}

TEST(Datapath, ABarrierThatBlocksIsAnsweredLater) {
    Bench bench;
    Payload *held = nullptr;
    bench.on_barrier_call = [&](Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &) {
        payload.acquire();
        held = &payload;
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    };
    const Instruction bar = make(Op::kBar, Form::kI);
    EXPECT_EQ(bench.issue(bar).status, tlm::TLM_UPDATED);
    bench.advance(6);
    protocol::extension_of<BarrierExtension>(*held)->outcome = Outcome::kBlocked;
    held->set_response_status(tlm::TLM_OK_RESPONSE);
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = bench.clock.period();
    EXPECT_EQ(bench.barrier->nb_transport_bw(*held, phase, delay), tlm::TLM_COMPLETED);
    held->release();
    EXPECT_THAT(bench.phases, ElementsAre("7 BEGIN_RESP"));
    EXPECT_EQ(bench.answered.outcome, Outcome::kBlocked);
}

// --- memory instructions -------------------------------------------------------------------------------------------

TEST(Datapath, AddressesOfEachSpace) {
    Bench bench;
    bench.run(mov(4, 0x10));
    bench.run(mov(5, 0x2));
    std::uint64_t address = 0;
    std::uint64_t base = 0;
    std::uint64_t bytes = 0;
    bench.on_load_store_call = completes<LoadStoreExtension>(bench, 1, [&](LoadStoreExtension &ext) {
        EXPECT_EQ(ext.warp, kWarp);
        address = ext.address[0];
        base = ext.window_base;
        bytes = ext.window_bytes;
    });
    Instruction insn = memory(Op::kLdg);
    insn.ra = 4;
    insn.imm = -0x20;
    bench.run(insn);
    EXPECT_EQ(address, 0x1fffffff0ULL) << "64 bits: R5:R4 - 0x20";
    insn.ra = isa::kRz;
    insn.imm = 0x30;
    bench.run(insn);
    EXPECT_EQ(address, 0x30U);
    insn = memory(Op::kLds);
    insn.ra = 4;
    insn.imm = -0x20;
    bench.run(insn);
    EXPECT_EQ(address, 0xfffffff0U) << "32 bits";
    EXPECT_EQ(base, 0x800U);
    EXPECT_EQ(bytes, 512U);
    insn = memory(Op::kLdl);
    insn.ra = 4;
    bench.run(insn);
    EXPECT_EQ(address, 0x10U);
    EXPECT_EQ(base, 0x10000 + (5 * bench.config.warps() + 5) * 16 * 32U) << "the window of slot 5 of SM 5";
    EXPECT_EQ(bytes, 16U);
}

TEST(Datapath, StoreDataAndAtomicOperandsByWidth) {
    Bench bench;
    for (std::uint8_t reg = 4; reg < 12; ++reg) {
        bench.run(mov(reg, 1000U + reg));
    }
    std::array<std::uint32_t, 4> data{};
    std::array<std::uint32_t, 2> compare{};
    LaneMask lanes;
    bench.on_load_store_call = completes<LoadStoreExtension>(bench, 1, [&](LoadStoreExtension &ext) {
        lanes = ext.lanes;
        for (unsigned i = 0; i < 4; ++i) {
            data[i] = ext.data[i][31];
        }
        compare = {ext.compare[0][31], ext.compare[1][31]};
    });
    Instruction store = memory(Op::kStg, Access::k128);
    store.rb = 4;
    bench.run(store, LaneMask(0x80000001));
    EXPECT_EQ(lanes, LaneMask(0x80000001));
    EXPECT_THAT(data, ElementsAre(1004, 1005, 1006, 1007));
    store.rb = isa::kRz;
    bench.run(store);
    EXPECT_THAT(data, ElementsAre(0, 0, 0, 0));
    Instruction cas = make(Op::kAtomgCas, Form::kR);
    cas.rb = 6;
    cas.rc = 8;
    cas.mod[0] = static_cast<std::uint8_t>(isa::AtomicType::kU64);
    bench.run(cas);
    EXPECT_THAT(compare, ElementsAre(1006, 1007));
    EXPECT_EQ(data[0], 1008U);
    EXPECT_EQ(data[1], 1009U);
    Instruction red = make(Op::kRed, Form::kR);
    red.rb = 10;
    bench.run(red);
    EXPECT_EQ(data[0], 1010U);
}

TEST(Datapath, ALoadThatAnswersLaterIsWrittenWithItsAnswer) {
    Bench bench;
    Payload *held = nullptr;
    bench.on_load_store_call = [&](Payload &payload, tlm::tlm_phase &, sc_core::sc_time &) {
        payload.acquire();
        held = &payload;
        return tlm::TLM_ACCEPTED;
    };
    Instruction load = memory(Op::kLdg, Access::k64);
    load.rd = 2;
    const Answer first = bench.issue(load, LaneMask(0x3));
    EXPECT_EQ(first.status, tlm::TLM_ACCEPTED);
    const auto back = [&](const tlm::tlm_phase &what, Cycle cycles) {
        tlm::tlm_phase phase = what;
        sc_core::sc_time delay = bench.clock.span(cycles);
        return bench.load_store->nb_transport_bw(*held, phase, delay);
    };
    EXPECT_EQ(back(tlm::END_REQ, 1), tlm::TLM_ACCEPTED);
    bench.advance(1);
    EXPECT_EQ(back(protocol::SOURCES_READ, 1), tlm::TLM_ACCEPTED);
    bench.advance(10);
    auto &ext = *protocol::extension_of<LoadStoreExtension>(*held);
    ext.data[0].fill(5);
    ext.data[1].fill(6);
    held->set_response_status(tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(back(tlm::BEGIN_RESP, 4), tlm::TLM_COMPLETED);
    held->release();
    EXPECT_THAT(bench.phases, ElementsAre("1 END_REQ", "2 SOURCES_READ", "15 BEGIN_RESP"));
    EXPECT_EQ(bench.answered.response, tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(bench.peek(2), filled([](unsigned i) { return i < 2 ? 5U : 0U; }));
    EXPECT_EQ(bench.peek(3), filled([](unsigned i) { return i < 2 ? 6U : 0U; }));
}

TEST(Datapath, ALoadMayAlsoBeAnsweredOnTheCall) {
    Bench bench;
    bench.on_load_store_call =
        completes<LoadStoreExtension>(bench, 9, [](LoadStoreExtension &ext) { ext.data[0].fill(77); });
    Instruction load = memory(Op::kLds);
    load.rd = 2;
    const Answer answer = bench.run(load);
    EXPECT_EQ(answer.status, tlm::TLM_COMPLETED);
    EXPECT_EQ(answer.latency, 9U);
    EXPECT_EQ(bench.peek(2)[31], 77U);
}

TEST(Datapath, ALoadToTheZeroRegisterAndAStoreWriteNoRegister) {
    Bench bench;
    bench.on_load_store_call =
        completes<LoadStoreExtension>(bench, 9, [](LoadStoreExtension &ext) { ext.data[0].fill(77); });
    bench.run(memory(Op::kLds));
    bench.run(memory(Op::kSts));
    for (std::uint8_t reg = 0; reg < 8; ++reg) {
        EXPECT_EQ(bench.peek(reg)[0], 0U);
    }
}

TEST(Datapath, AnErrorOfTheLoadStoreUnitReachesTheIBufferAndWritesNothing) {
    Bench bench;
    bench.on_load_store_call = [&](Payload &payload, tlm::tlm_phase &, sc_core::sc_time &) {
        auto &ext = *protocol::extension_of<LoadStoreExtension>(payload);
        ext.data[0].fill(77);
        ext.fault = {Fault::kMisalignedAddress, "odd"};
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    };
    Instruction load = memory(Op::kLdg);
    load.rd = 2;
    const Answer answer = bench.issue(load);
    EXPECT_EQ(answer.response, tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(answer.fault.fault, Fault::kMisalignedAddress);
    EXPECT_EQ(bench.peek(2)[0], 0U);
}

TEST(Datapath, AnAccessOfNobodyIsDroppedBeforeTheQueue) {
    Bench bench;
    bench.on_load_store_call = [](Payload &, tlm::tlm_phase &, sc_core::sc_time &) {
        ADD_FAILURE() << "the load/store unit must not see it";
        return tlm::TLM_COMPLETED;
    };
    Instruction load = memory(Op::kLdg);
    load.pg = 0; // false in all threads of a new warp
    const Answer answer = bench.run(load);
    EXPECT_EQ(answer.status, tlm::TLM_COMPLETED);
    EXPECT_EQ(answer.latency, 2U);
    EXPECT_EQ(answer.executed, LaneMask{});
}

// --- observation ---------------------------------------------------------------------------------------------------

TEST(Datapath, TheObserverSeesWhatWasExecutedAndNoInstructionThatFaulted) {
    Bench bench;
    bench.datapath.observe(&bench);
    bench.advance(10);
    bench.run(mov(1, 5), LaneMask(0xff));
    Instruction bad = mov(16, 5);
    bench.issue(bad);
    bench.on_load_store_call = completes<LoadStoreExtension>(bench, 1);
    Instruction store = memory(Op::kSts);
    store.pg = 0;
    store.pg_not = true;
    bench.run(store, LaneMask(0xf));
    EXPECT_THAT(bench.observed, ElementsAre("10: MOV 0xff 0xff", "60: STS 0xf 0xf"));
}

TEST(Datapath, InstructionsWithoutAUnitPassInOneCycleAndAreSeen) {
    Bench bench;
    bench.datapath.observe(&bench);
    for (const Op op : {Op::kNop, Op::kMembar}) {
        const Answer answer = bench.run(make(op, Form::kX), LaneMask(0xf));
        EXPECT_EQ(answer.status, tlm::TLM_COMPLETED);
        EXPECT_EQ(answer.latency, 1U);
        EXPECT_EQ(answer.interval, 1U);
        EXPECT_EQ(answer.executed, LaneMask(0xf));
    }
    EXPECT_THAT(bench.observed, ElementsAre("0: NOP 0xf 0xf", "50: MEMBAR 0xf 0xf"));
}

TEST(Datapath, HazardsAreCountedAndReported) {
    Config config;
    config.sm.hazard_check = true;
    Bench bench(config);
    Instruction write = mov(1, 5);
    write.pc = 0x10;
    Instruction use = make(Op::kMov, Form::kR);
    use.rd = 2;
    use.rb = 1;
    use.pc = 0x20;
    bench.issue(write);
    bench.advance(1);
    EXPECT_EQ(bench.issue(use).response, tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(bench.datapath.stats().hazards, 1U);
    ASSERT_EQ(bench.datapath.hazards().size(), 1U);
    EXPECT_EQ(bench.datapath.hazards()[0].second, 0x20U);
}

TEST(Datapath, AFatalHazardIsAFaultWithBothPlaces) {
    Config config;
    config.sm.hazard_check = true;
    config.sm.hazard_fatal = true;
    Bench bench(config);
    Instruction write = mov(1, 5);
    write.pc = 0x10;
    Instruction use = make(Op::kMov, Form::kR);
    use.rd = 2;
    use.rb = 1;
    bench.issue(write);
    bench.advance(1);
    const Answer answer = bench.issue(use);
    EXPECT_EQ(answer.response, tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(answer.fault.fault, Fault::kHazard);
    EXPECT_EQ(answer.fault.detail, "the instruction reads R1 of the instruction at 0x0010, still in flight");
}

TEST(Datapath, AnswersOfMemoryEndTheirHazards) {
    Config config;
    config.sm.hazard_check = true;
    config.sm.hazard_fatal = true;
    Bench bench(config);
    bench.on_load_store_call = completes<LoadStoreExtension>(bench, 9);
    Instruction load = memory(Op::kLds);
    load.rd = 1;
    load.ra = 3;
    bench.issue(load);
    Instruction use = make(Op::kMov, Form::kR);
    use.rd = 2;
    use.rb = 1;
    Instruction over = mov(3, 1);
    bench.advance(9);
    EXPECT_EQ(bench.issue(use).response, tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(bench.issue(over).response, tlm::TLM_OK_RESPONSE);
}

TEST(Datapath, WithoutTheCheckerNothingIsReported) {
    Bench bench;
    EXPECT_THAT(bench.datapath.hazards(), IsEmpty());
}

} // namespace
} // namespace smsim::sm
