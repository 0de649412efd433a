// Memories as users may write them, each with one behaviour that the model's own lacks. All hold every address.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <string>

#include <systemc>
#include <tlm>

#include "memory/blocking_adapter.h"
#include "memory/byte_store.h"
#include "memory/payload_access.h"
#include "memory/width_adapter.h"
#include "session/memory_backend.h"
#include "tb/support/base_protocol_checker.h"

namespace smsim::tb {

/// A target whose socket is `Width` bits wide; it reports an error for everything that a memory does not support.
template <unsigned Width> class ForeignTarget : public sc_core::sc_module, protected tlm::tlm_fw_transport_if<> {
  public:
    using Payload = tlm::tlm_generic_payload;
    tlm::tlm_target_socket<Width> socket{"socket"};
    memory::PagedStore store;

    explicit ForeignTarget(const sc_core::sc_module_name &name) : sc_module(name) { socket.bind(*this); }

  protected:
    static sc_core::sc_time cycles(unsigned count) { return {static_cast<double>(count), sc_core::SC_NS}; }
    /// A read or a write; every other command is rejected.
    void perform(Payload &payload) {
        tlm::tlm_response_status status = memory::check_fields(payload);
        if (status == tlm::TLM_OK_RESPONSE && payload.get_command() == tlm::TLM_IGNORE_COMMAND) {
            status = tlm::TLM_COMMAND_ERROR_RESPONSE;
        }
        if (status == tlm::TLM_OK_RESPONSE) {
            memory::transfer(payload, store);
        }
        payload.set_response_status(status);
    }

    tlm::tlm_sync_enum nb_transport_fw(Payload &, tlm::tlm_phase &, sc_core::sc_time &) override {
        SC_REPORT_ERROR(this->name(), "no non-blocking transport here");
        return tlm::TLM_COMPLETED;
    }
    void b_transport(Payload &, sc_core::sc_time &) override {
        SC_REPORT_ERROR(this->name(), "no blocking transport here");
    }
    unsigned transport_dbg(Payload &) override { return 0; }
    bool get_direct_mem_ptr(Payload &, tlm::tlm_dmi &dmi) override {
        dmi.allow_none();
        return false;
    }
};

/// Uses all four phases: TLM_ACCEPTED, a late END_REQ, BEGIN_RESP, END_RESP. Its socket is 32 bits wide.
class FourPhaseMemory final : public ForeignTarget<32> {
  public:
    explicit FourPhaseMemory(const sc_core::sc_module_name &name) : ForeignTarget(name) {
        SC_HAS_PROCESS(FourPhaseMemory);
        SC_THREAD(accept);
        SC_THREAD(answer);
    }

  private:
    struct Answer {
        Payload *payload;
        sc_core::sc_time when;
    };

    tlm::tlm_sync_enum nb_transport_fw(Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay) override {
        if (phase == tlm::BEGIN_REQ) {
            payload.acquire();
            requests_.push_back(&payload);
            requested_.notify(delay + cycles(3));
        } else {
            ended_.notify(sc_core::SC_ZERO_TIME);
        }
        return tlm::TLM_ACCEPTED;
    }
    void accept() {
        while (true) {
            wait(requested_);
            Payload *payload = requests_.front(); // the only one: there is no other before END_REQ
            requests_.pop_front();
            perform(*payload);
            answers_.push_back({payload, sc_core::sc_time_stamp() + cycles(80)});
            performed_.notify(sc_core::SC_ZERO_TIME);
            tlm::tlm_phase phase = tlm::END_REQ;
            sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
            socket->nb_transport_bw(*payload, phase, delay);
        }
    }
    void answer() {
        while (true) {
            while (answers_.empty()) {
                wait(performed_);
            }
            const Answer next = answers_.front();
            answers_.pop_front();
            if (next.when > sc_core::sc_time_stamp()) {
                wait(next.when - sc_core::sc_time_stamp());
            }
            tlm::tlm_phase phase = tlm::BEGIN_RESP;
            sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
            if (socket->nb_transport_bw(*next.payload, phase, delay) == tlm::TLM_ACCEPTED) {
                wait(ended_);
            }
            next.payload->release();
        }
    }

    std::deque<Payload *> requests_;
    std::deque<Answer> answers_;
    sc_core::sc_event requested_;
    sc_core::sc_event performed_;
    sc_core::sc_event ended_;
};

/// Supports only b_transport, and waits in it: reads take effect before the wait, writes after it.
class BlockingMemory final : public ForeignTarget<64> {
  public:
    using ForeignTarget::ForeignTarget;

  private:
    void b_transport(Payload &payload, sc_core::sc_time &delay) override {
        wait(delay);
        delay = cycles(1);
        if (payload.is_read()) {
            perform(payload);
            wait(cycles(60));
        } else {
            wait(cycles(90));
            perform(payload);
        }
    }
};

/// Completes requests within the call, and has a process that never ends: sometimes everything waits for a refresh.
class RefreshedMemory final : public ForeignTarget<64> {
  public:
    explicit RefreshedMemory(const sc_core::sc_module_name &name) : ForeignTarget(name) {
        SC_HAS_PROCESS(RefreshedMemory);
        SC_THREAD(refresh);
    }
    /// Called with each request; may be empty.
    std::function<void(const Payload &)> on_request;
    bool loses_requests = false; ///< it accepts them and never answers

  private:
    tlm::tlm_sync_enum nb_transport_fw(Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay) override {
        if (phase != tlm::BEGIN_REQ) {
            return tlm::TLM_ACCEPTED;
        }
        if (on_request) {
            on_request(payload);
        }
        if (loses_requests) {
            return tlm::TLM_ACCEPTED;
        }
        const sc_core::sc_time &now = sc_core::sc_time_stamp();
        delay = std::max(now + delay, busy_until_) - now + cycles(100);
        perform(payload);
        return tlm::TLM_COMPLETED;
    }
    void refresh() {
        while (true) {
            wait(cycles(780));
            busy_until_ = sc_core::sc_time_stamp() + cycles(70);
        }
    }

    sc_core::sc_time busy_until_;
};

/// Completes requests within the call, except one that it never answers; nothing of that one proceeds by itself.
class ForgetfulMemory final : public ForeignTarget<64> {
  public:
    using ForeignTarget::ForeignTarget;
    unsigned forgets = 1;   ///< this request, and none before it
    bool accepts = false;   ///< it, by END_REQ
    std::uint64_t lost = 0; ///< its address, once it has arrived
    unsigned lost_bytes = 0;

  private:
    tlm::tlm_sync_enum nb_transport_fw(Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay) override {
        if (phase != tlm::BEGIN_REQ) {
            return tlm::TLM_ACCEPTED;
        }
        if (++requests_ == forgets) {
            lost = payload.get_address();
            lost_bytes = payload.get_data_length();
            phase = accepts ? tlm::END_REQ : phase;
            return accepts ? tlm::TLM_UPDATED : tlm::TLM_ACCEPTED;
        }
        perform(payload);
        delay += cycles(50);
        return tlm::TLM_COMPLETED;
    }

    unsigned requests_ = 0;
};

/// Treats every command other than a read as a write, and completes requests within the call.
class CarelessMemory final : public ForeignTarget<64> {
  public:
    using ForeignTarget::ForeignTarget;

  private:
    tlm::tlm_sync_enum nb_transport_fw(Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay) override {
        if (phase != tlm::BEGIN_REQ) {
            return tlm::TLM_ACCEPTED;
        }
        if (payload.is_read()) {
            store.read(payload.get_address(), payload.get_data_ptr(), payload.get_data_length());
        } else {
            for (unsigned i = 0; i < payload.get_data_length(); ++i) {
                if (memory::byte_enabled(payload, i)) {
                    store.write(payload.get_address() + i, payload.get_data_ptr() + i, 1);
                }
            }
        }
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        delay += cycles(50);
        return tlm::TLM_COMPLETED;
    }
};

/// `Memory` as the memory of a session, with a protocol checker in front of it and of the adapter that it needs.
template <typename Memory> class ForeignBackend final : public session::MemoryBackend {
  public:
    ForeignBackend() {
        if constexpr (std::is_same_v<Memory, FourPhaseMemory>) {
            checker.to_target.bind(width_.emplace("width_adapter").from_initiator);
            width_->to_target.bind(memory.socket);
        } else if constexpr (std::is_same_v<Memory, BlockingMemory>) {
            checker.to_target.bind(blocking_.emplace("blocking_adapter", 4).from_initiator);
            blocking_->to_target.bind(memory.socket);
        } else {
            checker.to_target.bind(memory.socket);
        }
    }
    session::MemorySocket &socket() override { return checker.from_initiator; }
    void map(std::uint64_t, std::uint64_t, const std::string &) override {}
    void read(std::uint64_t address, std::span<std::uint8_t> to) override {
        memory.store.read(address, to.data(), to.size());
    }
    void write(std::uint64_t address, std::span<const std::uint8_t> from) override {
        memory.store.write(address, from.data(), from.size());
    }

    BaseProtocolChecker checker{"checker"};
    Memory memory{"foreign_memory"};

  private:
    std::optional<memory::WidthAdapter<32>> width_;
    std::optional<memory::BlockingAdapter> blocking_;
};

} // namespace smsim::tb
