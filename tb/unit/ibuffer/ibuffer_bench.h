// A bench for the SystemC shell of the issue stage alone: plays instruction memory (through a protocol checker),
// datapath, CTA dispatch and the units that wake warps.
#pragma once

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
#include "tb/unit/ibuffer/instructions.h"

namespace smsim::ibuffer::test {

inline constexpr unsigned kSubPartition = 1;
inline constexpr unsigned kSubPartitions = 4;

/// How the instruction memory answers: every sequence that the base protocol permits.
enum class Style {
    kCompleted,        ///< TLM_COMPLETED
    kUpdatedResponse,  ///< TLM_UPDATED with BEGIN_RESP
    kUpdatedEnd,       ///< TLM_UPDATED with END_REQ, then BEGIN_RESP
    kAccepted,         ///< TLM_ACCEPTED, then END_REQ, then BEGIN_RESP
    kAcceptedResponse, ///< TLM_ACCEPTED, then BEGIN_RESP that implies END_REQ
};

class IBufferBench final : public sc_core::sc_module {
  public:
    using Payload = tlm::tlm_generic_payload;

    explicit IBufferBench(const Config &c, std::vector<isa::Instruction> code,
                          const sc_core::sc_module_name &name = "bench")
        : sc_module(name), config(c), clock(config), program(std::move(code)) {
        SC_HAS_PROCESS(IBufferBench);
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
        memory_.on_request<&IBufferBench::on_fetch>(this);
        memory_.on_dmi<&IBufferBench::on_direct>(this);
        datapath_.on_request<&IBufferBench::on_issue>(this);
        dispatch_.on_request<&IBufferBench::on_message>(this);
    }

    void at_time(const sc_core::sc_time &time, std::function<void()> action) {
        actions_.emplace(time, std::move(action));
        event_.notify(actions_.begin()->first - sc_core::sc_time_stamp());
    }
    void at(Cycle cycle, std::function<void()> action) { at_time(clock.span(cycle), std::move(action)); }
    /// In the current time step, after all processes that run in it now.
    void after_this_delta(std::function<void()> action) {
        next_delta_ = std::move(action);
        delta_event_.notify(sc_core::SC_ZERO_TIME);
    }
    /// Announces at `cycle` a warp that begins one cycle later.
    void start(Cycle cycle, unsigned warp, LaneMask valid = LaneMask::all()) {
        at(cycle, [=, this] {
            auto &payload = lives_.acquire();
            auto *ext = protocol::extension_of(payload);
            ext->kind = protocol::LifecycleExtension::Kind::kWarpStart;
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
            auto &payload = wakes_.acquire();
            protocol::extension_of(payload)->warp = WarpSlot(warp * kSubPartitions + kSubPartition);
            complete(socket, payload, delay);
        });
    }
    void wake_from_barrier(Cycle cycle, unsigned warp, Cycle delay) { wake(cycle, barrier_wake_, warp, delay); }
    void wake_from_sleep(Cycle cycle, unsigned warp, Cycle delay) { wake(cycle, sleep_wake_, warp, delay); }
    /// Sends a phase of an issued instruction back at the current cycle, in effect `delay` cycles later.
    tlm::tlm_sync_enum answer(protocol::IssuePayload &payload, tlm::tlm_phase phase, sc_core::sc_time delay) {
        return datapath_->nb_transport_bw(payload, phase, delay);
    }
    tlm::tlm_sync_enum answer(protocol::IssuePayload &payload, tlm::tlm_phase phase, Cycle delay = 1) {
        return answer(payload, phase, clock.span(delay));
    }
    /// Revokes the granted direct reads.
    void revoke(std::uint64_t first, std::uint64_t last) { memory_->invalidate_direct_mem_ptr(first, last); }
    void run() {
        sc_core::sc_start();
        EXPECT_THAT(checker.final_violations(), ::testing::IsEmpty());
        EXPECT_EQ(lives_.in_use() + wakes_.in_use(), 0U);
        for (const Payload *payload : seen_) {
            EXPECT_EQ(payload->get_ref_count(), 0) << "a payload has not gone back to its pool";
        }
    }

    Config config;
    protocol::Clock clock;
    std::vector<isa::Instruction> program;
    std::vector<isa::Word> words;
    std::uint64_t code_base = 0; ///< of the warps that start
    std::unique_ptr<IBuffer> unit;
    tb::BaseProtocolChecker checker{"checker"};

    Style style = Style::kCompleted;
    Cycle fetch_latency = 1;
    bool decodes = true; ///< the memory leaves the decoded form
    bool offers = false; ///< it offers direct reads with each answer
    bool grants = true;  ///< it grants them for the whole program
    unsigned asked = 0;  ///< how often they have been requested
    std::map<Pc, tlm::tlm_response_status> refusals;
    bool unknown_phases = false; ///< an ignorable phase before each answer on the backward path
    /// Answer of the datapath; default: done after one cycle, EXIT after two.
    std::function<tlm::tlm_sync_enum(protocol::IssuePayload &, protocol::IssueExtension &, tlm::tlm_phase &,
                                     sc_core::sc_time &)>
        on_issue_call;

    std::vector<std::string> fetches; ///< "cycle pc"
    std::vector<std::string> issues;  ///< "cycle warp pc active"
    std::vector<std::string> ends;    ///< "effect slot exited", "effect slot ended" or "effect slot fault: detail"
    protocol::RaisedAt fault_at;

    tlm::tlm_sync_enum done(protocol::IssuePayload &payload, protocol::IssueExtension &ext, sc_core::sc_time &delay) {
        ext.executed = ext.active;
        ext.next_pc = ext.insn->pc + kInstructionBytes;
        ext.next_active = ext.active;
        if (ext.insn->op == isa::Op::kExit) {
            ext.outcome = Outcome::kExited;
            delay += clock.span(2);
        } else {
            delay += clock.period();
        }
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    }

  private:
    template <typename Traits>
    void complete(protocol::Initiator<Traits> &socket, typename Traits::tlm_payload_type &payload, Cycle delay = 1) {
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
        payload.set_dmi_allowed(offers && payload.is_response_ok());
        // Backward calls are made a cycle ahead of their effect, which they carry as annotated delay.
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
    bool on_direct(unsigned, Payload &payload, tlm::tlm_dmi &dmi) {
        ++asked;
        dmi.init();
        dmi.set_start_address(code_base);
        dmi.set_end_address(code_base + program.size() * kInstructionBytes - 1);
        dmi.set_read_latency(clock.span(fetch_latency));
        if (grants) {
            dmi.allow_read();
            dmi.set_dmi_ptr(reinterpret_cast<unsigned char *>(words.data()));
            payload.get_extension<protocol::DecodedExtension>()->direct = program.data();
        }
        if (!grants) {
            dmi.init(); // all addresses
            dmi.allow_none();
        }
        return grants;
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
    tlm::tlm_sync_enum on_issue(unsigned, protocol::IssuePayload &payload, tlm::tlm_phase &phase,
                                sc_core::sc_time &delay) {
        EXPECT_EQ(phase, tlm::BEGIN_REQ);
        seen_.insert(&payload);
        auto &ext = *protocol::extension_of(payload);
        EXPECT_EQ(ext.warp.value() % kSubPartitions, kSubPartition);
        issues.push_back(fmt::format("{} {} {:#x} {:#x}", clock.now(), ext.warp.value() / kSubPartitions, ext.insn->pc,
                                     ext.active.bits()));
        return on_issue_call ? on_issue_call(payload, ext, phase, delay) : done(payload, ext, delay);
    }
    tlm::tlm_sync_enum on_message(unsigned, protocol::LifecyclePayload &payload, tlm::tlm_phase &phase,
                                  sc_core::sc_time &delay) {
        EXPECT_EQ(phase, tlm::BEGIN_REQ);
        seen_.insert(&payload);
        const auto &ext = *protocol::extension_of(payload);
        EXPECT_EQ(ext.cta.value(), 2U);
        if (ext.kind == protocol::LifecycleExtension::Kind::kFault) {
            EXPECT_EQ(ext.start.cta_number, 6U);
            ends.push_back(fmt::format("{} {} {}: {}", clock.at(delay), ext.warp.value(), fault_name(ext.fault.fault),
                                       ext.fault.detail));
            fault_at = ext.raised;
        } else {
            const bool ended = ext.kind == protocol::LifecycleExtension::Kind::kWarpEnded;
            EXPECT_TRUE(ended || ext.kind == protocol::LifecycleExtension::Kind::kWarpExited);
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
    protocol::PayloadPool<protocol::LifecycleExtension> lives_;
    protocol::PayloadPool<protocol::WakeExtension> wakes_;
    std::set<const Payload *> seen_;
    std::multimap<sc_core::sc_time, std::function<void()>> actions_;
    sc_core::sc_event event_;
    std::function<void()> next_delta_;
    sc_core::sc_event delta_event_;
};

inline Config bench_config() {
    Config config;
    config.sm.sub_partitions = kSubPartitions;
    config.sm.warps_per_sub_partition = 4;
    config.ibuffer.depth = 3;
    config.ibuffer.decode_latency = 1;
    return config;
}

} // namespace smsim::ibuffer::test
