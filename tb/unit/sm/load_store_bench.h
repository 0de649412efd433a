// The load/store unit alone: a bench plays the datapaths and two memories, with protocol checkers in front of them.
#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <systemc>

#include "sm/load_store/load_store_unit.h"
#include "tb/support/base_protocol_checker.h"
#include "tb/unit/sm/memory_instructions.h"

namespace smsim::sm {
using protocol::LoadStoreExtension;
using protocol::LoadStorePayload;

using Payload = tlm::tlm_generic_payload; ///< of the memories
inline constexpr unsigned kQueues = 4;
inline constexpr std::uint64_t kMemoryBytes = 1 << 16;

/// How the stub memory answers.
enum class Style {
    kCompleted,   ///< TLM_COMPLETED with the latency annotated
    kAcceptedEnd, ///< TLM_ACCEPTED, END_REQ after a cycle, BEGIN_RESP after the latency
    kEndResponse, ///< TLM_UPDATED with END_REQ, BEGIN_RESP after the latency
    kUpdated,     ///< TLM_UPDATED with BEGIN_RESP at the latency
};

/// A memory of bytes. Every request is recorded.
class StubMemory final : public sc_core::sc_module {
  public:
    protocol::Target<protocol::MemoryLink> socket{"socket"};

    StubMemory(const sc_core::sc_module_name &name, const Config &config) : sc_module(name), clock_(config) {
        SC_HAS_PROCESS(StubMemory);
        SC_METHOD(step);
        sensitive << event_;
        dont_initialize();
        socket.on_request<&StubMemory::on_request>(this);
    }

    Style style = Style::kCompleted;
    Cycle latency = 20;
    bool knows_atomics = true;
    std::uint64_t bytes = kMemoryBytes;
    Cycle begins = 0; ///< what it reports about the start of the first access
    tlm::tlm_response_status refusal = tlm::TLM_ADDRESS_ERROR_RESPONSE; ///< beyond `bytes`
    std::vector<unsigned char> data = std::vector<unsigned char>(kMemoryBytes);
    /// "cycle R|W|A address+bytes", with the enabled bytes of a write where not all are.
    std::vector<std::string> log;
    std::vector<std::uint64_t> groups;
    std::vector<bool> bypasses;

    template <typename T> T get(std::uint64_t address) const {
        T value;
        std::memcpy(&value, &data[address], sizeof(T));
        return value;
    }
    template <typename T> void put(std::uint64_t address, T value) { std::memcpy(&data[address], &value, sizeof(T)); }

  private:
    tlm::tlm_sync_enum on_request(unsigned, Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay) {
        if (phase == tlm::END_RESP) {
            return tlm::TLM_COMPLETED;
        }
        perform(payload, clock_.at(delay));
        const sc_core::sc_time span = clock_.span(latency);
        switch (style) {
        case Style::kCompleted:
            delay += span;
            return tlm::TLM_COMPLETED;
        case Style::kUpdated:
            delay += span;
            phase = tlm::BEGIN_RESP;
            return tlm::TLM_UPDATED;
        case Style::kEndResponse:
            phase = tlm::END_REQ;
            later(latency, payload, tlm::BEGIN_RESP);
            return tlm::TLM_UPDATED;
        case Style::kAcceptedEnd:
            later(1, payload, tlm::END_REQ);
            later(latency, payload, tlm::BEGIN_RESP);
            return tlm::TLM_ACCEPTED;
        }
        return tlm::TLM_COMPLETED;
    }
    void later(Cycle cycles, Payload &payload, tlm::tlm_phase phase) {
        payload.acquire();
        calls_.emplace(clock_.now() + cycles, std::pair(&payload, phase));
        event_.notify(clock_.until(calls_.begin()->first));
    }
    void step() {
        while (!calls_.empty() && calls_.begin()->first <= clock_.now()) {
            auto [payload, phase] = calls_.begin()->second;
            calls_.erase(calls_.begin());
            sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
            const auto answer = socket->nb_transport_bw(*payload, phase, delay);
            EXPECT_EQ(answer, phase == tlm::END_REQ ? tlm::TLM_ACCEPTED : tlm::TLM_COMPLETED);
            payload->release();
        }
        if (!calls_.empty()) {
            event_.notify(clock_.until(calls_.begin()->first));
        }
    }
    void perform(Payload &payload, Cycle at) {
        const std::uint64_t address = payload.get_address();
        const unsigned length = payload.get_data_length();
        const char kind = payload.is_read() ? 'R' : payload.is_write() ? 'W' : 'A';
        std::string line = fmt::format("{} {} {:#x}+{}", at, kind, address, length);
        if (const unsigned char *enable = payload.get_byte_enable_ptr()) {
            EXPECT_EQ(payload.get_byte_enable_length(), length);
            line += ' ';
            for (unsigned i = 0; i < length; ++i) {
                line += enable[i] == TLM_BYTE_ENABLED ? '#' : '.';
            }
        }
        log.push_back(line);
        if (const auto *group = payload.get_extension<protocol::AccessGroupExtension>()) {
            groups.push_back(group->group);
            if (begins != 0 && groups.size() == 1) {
                payload.get_extension<protocol::AccessGroupExtension>()->begins = clock_.span(begins);
            }
            bypasses.push_back(group->bypass_l1);
        }
        if (address >= bytes || bytes - address < length) {
            payload.set_response_status(refusal);
            return;
        }
        unsigned char *const at_memory = &data[address];
        auto *atomic = payload.get_extension<protocol::AtomicExtension>();
        EXPECT_EQ(kind == 'A', atomic != nullptr && atomic->active);
        if (payload.is_read()) {
            std::memcpy(payload.get_data_ptr(), at_memory, length);
        } else if (payload.is_write()) {
            for (unsigned i = 0; i < length; ++i) {
                if (payload.get_byte_enable_ptr() == nullptr || payload.get_byte_enable_ptr()[i] == TLM_BYTE_ENABLED) {
                    at_memory[i] = payload.get_data_ptr()[i];
                }
            }
        } else if (knows_atomics) {
            std::uint64_t old = 0;
            std::memcpy(&old, at_memory, length);
            const std::uint64_t now =
                protocol::atomic_result(atomic->op, atomic->type, old, atomic->operand, atomic->compare);
            std::memcpy(payload.get_data_ptr(), &old, length);
            std::memcpy(at_memory, &now, length);
            atomic->performed = true;
        }
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }

    protocol::Clock clock_;
    std::multimap<Cycle, std::pair<Payload *, tlm::tlm_phase>> calls_;
    sc_core::sc_event event_;
};

/// One memory instruction and its outcome.
struct Job {
    isa::Instruction insn;
    LaneMask lanes = LaneMask::all();
    std::array<std::uint64_t, kLanes> address{};
    std::array<std::array<std::uint32_t, kLanes>, 4> data{};
    std::array<std::array<std::uint32_t, kLanes>, 2> compare{};
    std::uint64_t window_base = 0;
    std::uint64_t window_bytes = kMemoryBytes;
    // results
    tlm::tlm_sync_enum accepted = tlm::TLM_COMPLETED;
    Cycle accepts_at = 0;   ///< END_REQ within the call: when it takes effect, the next cycle at the earliest
    Cycle end_req = 0;      ///< when a withheld END_REQ takes effect
    Cycle sources_read = 0; ///< when SOURCES_READ takes effect
    Cycle placed = 0;       ///< when PLACED takes effect
    Cycle placed_at = 0;    ///< the same, as reported by the answer
    Cycle answered = 0;     ///< when BEGIN_RESP takes effect
    bool ok = false;
    FaultReport fault;
};

class Bench final : public sc_core::sc_module {
  public:
    explicit Bench(const Config &c, const sc_core::sc_module_name &name = "bench")
        : sc_module(name), config(c), clock(config), unit("unit", config), shared("shared_memory", config),
          global("global_memory", config) {
        SC_HAS_PROCESS(Bench);
        SC_METHOD(step);
        sensitive << event_;
        dont_initialize();
        for (unsigned i = 0; i < kQueues; ++i) {
            datapaths_.push_back(std::make_unique<protocol::Initiator<protocol::LoadStoreLink>>(
                sc_core::sc_gen_unique_name("datapath")));
            datapaths_.back()->on_response<&Bench::on_response>(this, i);
            datapaths_.back()->bind(*unit.datapaths[i]);
        }
        unit.shared.socket.bind(shared_checker.from_initiator);
        shared_checker.to_target.bind(shared.socket);
        unit.global.socket.bind(global_checker.from_initiator);
        global_checker.to_target.bind(global.socket);
    }

    /// Sends a job of sub-partition `queue` at cycle `at`.
    Job &add(Cycle at, unsigned queue, const isa::Instruction &insn) {
        Job &job = *jobs_.emplace_back(std::make_unique<Job>());
        job.insn = insn;
        actions_.emplace(at, [this, queue, &job] { send(queue, job); });
        return job;
    }
    /// A job whose thread t accesses address base + t * stride.
    Job &strided(Cycle at, unsigned queue, const isa::Instruction &insn, std::uint64_t base, std::uint64_t stride,
                 LaneMask lanes = LaneMask::all()) {
        Job &job = add(at, queue, insn);
        job.lanes = lanes;
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            job.address[lane] = base + lane * stride;
        }
        return job;
    }
    void run() {
        event_.notify(clock.until(actions_.begin()->first));
        sc_core::sc_start();
        EXPECT_THAT(shared_checker.final_violations(), ::testing::IsEmpty());
        EXPECT_THAT(global_checker.final_violations(), ::testing::IsEmpty());
        EXPECT_EQ(unit.shared.outstanding() + unit.global.outstanding(), 0U);
        EXPECT_EQ(pool_.in_use(), 0U) << "the unit keeps a reference, or has not answered";
    }

    Config config;
    protocol::Clock clock;
    LoadStoreUnit unit;
    tb::BaseProtocolChecker shared_checker{"shared_checker"};
    tb::BaseProtocolChecker global_checker{"global_checker"};
    StubMemory shared;
    StubMemory global;

  private:
    void send(unsigned queue, Job &job) {
        LoadStorePayload &payload = pool_.acquire();
        auto &ext = *protocol::extension_of(payload);
        ext.warp = WarpSlot(queue);
        ext.insn = &job.insn;
        ext.lanes = job.lanes;
        ext.address = job.address;
        ext.data = job.data;
        ext.compare = job.compare;
        ext.window_base = job.window_base;
        ext.window_bytes = job.window_bytes;
        ext.upstream = nullptr;
        owners_[&payload] = &job;
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        job.accepted = (*datapaths_[queue])->nb_transport_fw(payload, phase, delay);
        EXPECT_EQ(phase, job.accepted == tlm::TLM_UPDATED ? tlm::END_REQ : tlm::BEGIN_REQ);
        if (job.accepted == tlm::TLM_UPDATED) {
            job.accepts_at = clock.at(delay);
        }
        if (job.accepted == tlm::TLM_COMPLETED) {
            EXPECT_EQ(payload.get_response_status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
            job.fault = ext.fault;
        }
        payload.release();
    }
    tlm::tlm_sync_enum on_response(unsigned, LoadStorePayload &payload, tlm::tlm_phase &phase,
                                   sc_core::sc_time &delay) {
        Job &job = *owners_.at(&payload);
        EXPECT_GE(delay, clock.period()) << "takes effect in the cycle in which it is reported";
        if (phase == tlm::END_REQ) {
            job.end_req = clock.at(delay);
            return tlm::TLM_ACCEPTED;
        }
        if (phase == protocol::SOURCES_READ) {
            job.sources_read = clock.at(delay);
            return tlm::TLM_ACCEPTED;
        }
        if (phase == protocol::PLACED) {
            EXPECT_EQ(job.answered, 0U);
            job.placed = clock.at(delay);
            return tlm::TLM_ACCEPTED;
        }
        EXPECT_EQ(phase, tlm::BEGIN_RESP);
        EXPECT_EQ(job.answered, 0U) << "answered twice";
        const auto &ext = *protocol::extension_of(payload);
        job.answered = clock.at(delay);
        job.placed_at = ext.placed;
        job.ok = payload.is_response_ok();
        if (!job.ok) {
            EXPECT_EQ(payload.get_response_status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
            job.fault = ext.fault;
        }
        job.data = ext.data;
        return tlm::TLM_COMPLETED;
    }
    void step() {
        while (!actions_.empty() && actions_.begin()->first <= clock.now()) {
            const auto action = actions_.begin()->second;
            actions_.erase(actions_.begin());
            action();
        }
        if (!actions_.empty()) {
            event_.notify(clock.until(actions_.begin()->first));
        }
    }

    std::vector<std::unique_ptr<protocol::Initiator<protocol::LoadStoreLink>>> datapaths_;
    protocol::PayloadPool<LoadStoreExtension> pool_;
    std::map<const LoadStorePayload *, Job *> owners_;
    std::vector<std::unique_ptr<Job>> jobs_;
    std::multimap<Cycle, std::function<void()>> actions_;
    sc_core::sc_event event_;
};

/// A short queue and round latencies.
inline Config bench_config() {
    Config config;
    config.lsu.queue_depth = 2;
    config.lsu.issue_interval = 2;
    return config;
}

} // namespace smsim::sm
