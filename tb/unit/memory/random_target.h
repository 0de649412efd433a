// A foreign memory: legal on the base protocol, otherwise as difficult as possible.
//
// Each request is answered in a randomly chosen legal way: completed within the call, BEGIN_RESP within the call,
// END_REQ within the call or later, END_REQ left out, with random annotated delays; responses arrive in random order.
// Requests execute in order, but at a random time between request and response, so that a reader sees late data.
// Rejects addresses beyond `bytes`, and on request all transfers longer than `max_burst`.
#pragma once

#include <deque>
#include <random>
#include <vector>

#include <systemc>

#include "memory/byte_store.h"
#include "memory/payload_access.h"
#include "tb/unit/memory/requester.h"

namespace smsim::tb {

class RandomTarget final : public sc_core::sc_module, private tlm::tlm_fw_transport_if<> {
  public:
    tlm::tlm_target_socket<64> socket{"socket"};

    RandomTarget(const sc_core::sc_module_name &name, std::uint64_t bytes, unsigned seed, unsigned max_burst = ~0U)
        : sc_module(name), store(bytes), random_(seed), max_burst_(max_burst) {
        SC_HAS_PROCESS(RandomTarget);
        SC_METHOD(run);
        sensitive << wake_;
        dont_initialize();
        socket.bind(*this);
    }

    memory::ByteStore store;

  private:
    using Payload = tlm::tlm_generic_payload;
    struct Job {
        Payload *payload;
        bool needs_end_req;
        bool executed;
        sc_core::sc_time requested_at;
        sc_core::sc_time respond_at;
    };

    unsigned draw(unsigned below) { return static_cast<unsigned>(random_() % below); }
    sc_core::sc_time cycles(unsigned below) { return draw(below) * kPeriod; }

    void execute(Payload &payload) {
        memory::Payload &p = payload;
        protocol::AtomicExtension *atomic = memory::atomic_of(p);
        tlm::tlm_response_status status =
            atomic != nullptr ? memory::check_atomic(p, *atomic) : memory::check_fields(p);
        if (status == tlm::TLM_OK_RESPONSE && p.get_data_length() > max_burst_) {
            status = tlm::TLM_BURST_ERROR_RESPONSE;
        } else if (status == tlm::TLM_OK_RESPONSE && !store.contains(p.get_address(), memory::span_of(p))) {
            status = tlm::TLM_ADDRESS_ERROR_RESPONSE;
        } else if (status == tlm::TLM_OK_RESPONSE && atomic != nullptr) {
            memory::perform(p, *atomic, store);
        } else if (status == tlm::TLM_OK_RESPONSE && p.get_command() != tlm::TLM_IGNORE_COMMAND) {
            memory::transfer(p, store);
        }
        p.set_response_status(status);
    }
    /// Executes everything up to and including `last`.
    void execute_through(const Payload *last) {
        for (Job &job : jobs_) {
            if (!job.executed) {
                execute(*job.payload);
                job.executed = true;
            }
            if (job.payload == last) {
                return;
            }
        }
    }

    tlm::tlm_sync_enum nb_transport_fw(Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay) override {
        if (phase == tlm::END_RESP) {
            responding_ = nullptr;
            payload.release();
            wake_.notify(kPeriod);
            return draw(2) == 0 ? tlm::TLM_ACCEPTED : tlm::TLM_COMPLETED;
        }
        const unsigned choice = draw(6);
        if (choice == 0) {
            execute_through(nullptr);
            execute(payload);
            delay += cycles(20);
            return tlm::TLM_COMPLETED;
        }
        payload.acquire();
        if (choice == 1 && responding_ == nullptr) {
            execute_through(nullptr);
            execute(payload);
            responding_ = &payload;
            phase = tlm::BEGIN_RESP;
            delay += cycles(20);
            return tlm::TLM_UPDATED;
        }
        const sc_core::sc_time base = sc_core::sc_time_stamp() + delay + kPeriod;
        const bool early = choice == 2 || choice == 3;
        jobs_.push_back({&payload, !early && choice != 5, false, base - kPeriod, base + cycles(40)});
        wake_.notify(kPeriod);
        if (early) {
            phase = tlm::END_REQ;
            delay += cycles(4);
            jobs_.back().respond_at += delay;
            return tlm::TLM_UPDATED;
        }
        return tlm::TLM_ACCEPTED;
    }

    void run() {
        const sc_core::sc_time &now = sc_core::sc_time_stamp();
        if (draw(2) == 0 && !jobs_.empty()) {
            execute_through(jobs_[draw(static_cast<unsigned>(jobs_.size()))].payload);
        }
        for (Job &job : jobs_) {
            if (job.needs_end_req && draw(2) == 0) {
                job.needs_end_req = false;
                tlm::tlm_phase phase = tlm::END_REQ;
                sc_core::sc_time delay = std::max(now, job.requested_at) - now + cycles(3);
                job.respond_at = std::max(job.respond_at, now + delay + kPeriod);
                socket->nb_transport_bw(*job.payload, phase, delay);
                break;
            }
        }
        for (std::size_t i = 0; i < jobs_.size() && responding_ == nullptr; ++i) {
            if (jobs_[i].respond_at > now || jobs_[i].needs_end_req) {
                continue;
            }
            Payload &payload = *jobs_[i].payload;
            execute_through(&payload);
            jobs_.erase(jobs_.begin() + static_cast<std::ptrdiff_t>(i));
            responding_ = &payload;
            tlm::tlm_phase phase = tlm::BEGIN_RESP;
            sc_core::sc_time delay = cycles(5);
            const tlm::tlm_sync_enum answer = socket->nb_transport_bw(payload, phase, delay);
            if (answer != tlm::TLM_ACCEPTED) {
                responding_ = nullptr;
                payload.release();
            }
        }
        if (!jobs_.empty()) {
            wake_.notify(kPeriod);
        }
    }

    void b_transport(Payload &payload, sc_core::sc_time &delay) override {
        execute_through(nullptr);
        execute(payload);
        delay += cycles(20);
    }
    unsigned transport_dbg(Payload &payload) override {
        execute_through(nullptr);
        if (!store.contains(payload.get_address(), payload.get_data_length())) {
            return 0;
        }
        memory::transfer(payload, store);
        return payload.get_data_length();
    }
    bool get_direct_mem_ptr(Payload &, tlm::tlm_dmi &dmi) override {
        dmi.allow_none();
        return false;
    }

    std::mt19937 random_;
    unsigned max_burst_;
    std::deque<Job> jobs_;
    const Payload *responding_ = nullptr;
    sc_core::sc_event wake_;
};

} // namespace smsim::tb
