// A bench around the datapath of one sub-partition: it plays the IBuffer, and stubs play BRU, BCU and load/store unit.
//
// Registers are filled and read only by instructions (MOV, S2R, and what a store hands to the load/store unit).
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <systemc>

#include "sm/datapath/datapath.h"

namespace smsim::sm::test {

using isa::Access;
using isa::Form;
using isa::Instruction;
using isa::Op;
using isa::SpecialRegister;
using protocol::BarrierExtension;
using protocol::BranchExtension;
using protocol::IssueExtension;
using protocol::LoadStoreExtension;

using protocol::BarrierPayload;
using protocol::BranchPayload;
using protocol::IssuePayload;
using protocol::LoadStorePayload;
using Lanes = std::array<std::uint32_t, kLanes>;

inline constexpr LaneMask kAll = LaneMask::all();
inline constexpr WarpSlot kWarp{5}; // of sub-partition 1, with 4 sub-partitions

inline Instruction make(Op op, Form form) {
    Instruction insn;
    insn.op = op;
    insn.form = form;
    insn.unit = isa::spec_of(op).unit;
    return insn;
}
inline Instruction mov(std::uint8_t rd, std::uint32_t value) {
    Instruction insn = make(Op::kMov, Form::kI);
    insn.rd = rd;
    insn.imm = value;
    return insn;
}
inline Instruction s2r(std::uint8_t rd, SpecialRegister which) {
    Instruction insn = make(Op::kS2r, Form::kX);
    insn.rd = rd;
    insn.imm2 = static_cast<std::uint32_t>(which);
    return insn;
}
inline Instruction umov(std::uint8_t urd, std::uint32_t value) {
    Instruction insn = make(Op::kUmov, Form::kI);
    insn.rd = urd;
    insn.imm = value;
    return insn;
}
/// Pu = lane < limit
inline Instruction lanes_below(std::uint8_t pu, std::uint8_t lane_register, std::uint32_t limit) {
    Instruction insn = make(Op::kIsetp, Form::kI);
    insn.pu = pu;
    insn.ra = lane_register;
    insn.imm = limit;
    insn.mod[0] = static_cast<std::uint8_t>(isa::Compare::kLt);
    return insn;
}
inline Instruction memory(Op op, Access access = Access::k32) {
    Instruction insn = make(op, Form::kR);
    insn.mod[0] = static_cast<std::uint8_t>(access);
    return insn;
}

/// What an issue returned within the call.
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
    IssuePayload *payload = nullptr; ///< when the answer follows
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
        if (config.pipes.fp64_per_sm) {
            fp64.emplace("fp64");
            datapath.to_shared_pipe(isa::Unit::kFp64).bind(*fp64);
            fp64->on_request<&Bench::on_fp64>(this);
        }
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
        protocol::LifecyclePayload &payload = lives_.acquire();
        auto *ext = protocol::extension_of(payload);
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

    /// Issues an instruction in the current cycle. `insn` must live as long as the bench.
    Answer issue(const Instruction &insn, LaneMask active = kAll, WarpSlot warp = kWarp) {
        elaborate();
        IssuePayload &payload = issues_.acquire();
        auto &ext = *protocol::extension_of(payload);
        ext.warp = warp;
        ext.insn = &insn;
        ext.active = active;
        ext.sequence = 7;
        ext.issued = clock.now();
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
    /// The same for an instruction of which only the effect matters; later uses need no waiting.
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
        on_load_store_call = [&](LoadStorePayload &payload, tlm::tlm_phase &, sc_core::sc_time &) {
            lanes = protocol::extension_of(payload)->data[0];
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

    void postponed(const ExecutedInstruction &instruction) override {
        observed.push_back("postponed " + text_of(instruction));
    }
    void executed(const ExecutedInstruction &instruction) override { observed.push_back(text_of(instruction)); }
    static std::string text_of(const ExecutedInstruction &instruction) {
        return fmt::format("{}: {} {:#x} {:#x}", instruction.cycle, instruction.insn.spec().name,
                           instruction.active.bits(), instruction.executed.bits());
    }

    static void fill(Answer &answer, IssuePayload &payload) {
        const auto &ext = *protocol::extension_of(payload);
        answer.response = payload.get_response_status();
        answer.interval = ext.interval;
        answer.outcome = ext.outcome;
        answer.next_pc = ext.next_pc;
        answer.next_active = ext.next_active;
        answer.executed = ext.executed;
        answer.fault = ext.fault;
    }

    template <typename Payload>
    using Call = std::function<tlm::tlm_sync_enum(Payload &, tlm::tlm_phase &, sc_core::sc_time &)>;
    Call<BranchPayload> on_branch_call;
    Call<BarrierPayload> on_barrier_call;
    Call<LoadStorePayload> on_load_store_call;
    Call<IssuePayload> on_fp64_call;
    /// What arrived on the backward path of the issue link: phases, and the last answer.
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
    std::optional<protocol::Target<protocol::IssueLink>> fp64; ///< with `pipes.fp64_per_sm`

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
    tlm::tlm_sync_enum on_branch(unsigned, BranchPayload &p, tlm::tlm_phase &ph, sc_core::sc_time &d) {
        return on_branch_call(p, ph, d);
    }
    tlm::tlm_sync_enum on_barrier(unsigned, BarrierPayload &p, tlm::tlm_phase &ph, sc_core::sc_time &d) {
        return on_barrier_call(p, ph, d);
    }
    tlm::tlm_sync_enum on_load_store(unsigned, LoadStorePayload &p, tlm::tlm_phase &ph, sc_core::sc_time &d) {
        return on_load_store_call(p, ph, d);
    }
    tlm::tlm_sync_enum on_fp64(unsigned, IssuePayload &p, tlm::tlm_phase &ph, sc_core::sc_time &d) {
        return on_fp64_call(p, ph, d);
    }
    tlm::tlm_sync_enum on_response(unsigned, IssuePayload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay) {
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

/// Completes within the call with OK after `cycles`.
template <typename Extension>
Bench::Call<protocol::LinkPayload<Extension>> completes(Bench &bench, Cycle cycles,
                                                        std::function<void(Extension &)> body = {}) {
    return
        [&bench, cycles, body](protocol::LinkPayload<Extension> &payload, tlm::tlm_phase &, sc_core::sc_time &delay) {
            if (body) {
                body(*protocol::extension_of(payload));
            }
            delay += bench.clock.span(cycles);
            payload.set_response_status(tlm::TLM_OK_RESPONSE);
            return tlm::TLM_COMPLETED;
        };
}

inline Lanes filled(const std::function<std::uint32_t(unsigned)> &value) {
    Lanes lanes{};
    for (unsigned i = 0; i < kLanes; ++i) {
        lanes[i] = value(i);
    }
    return lanes;
}

} // namespace smsim::sm::test
