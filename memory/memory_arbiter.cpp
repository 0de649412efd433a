#include "memory/memory_arbiter.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace smsim::memory {

MemoryArbiter::MemoryArbiter(const sc_core::sc_module_name &name, std::uint32_t initiators,
                             const sc_core::sc_time &period)
    : sc_module(name), memory("memory", period) {
    SC_HAS_PROCESS(MemoryArbiter);
    SC_METHOD(hand_on);
    sensitive << collected_;
    dont_initialize();
    SC_METHOD(respond_all);
    sensitive << response_ended_;
    dont_initialize();
    for (std::uint32_t i = 0; i < initiators; ++i) {
        Port &port = ports_.emplace_back();
        port.socket = std::make_unique<protocol::Target<protocol::MemoryLink>>(fmt::format("port_{}", i).c_str());
        port.socket->on_request<&MemoryArbiter::forward_path>(this, i);
        port.socket->on_blocking<&MemoryArbiter::blocking>(this);
        port.socket->on_debug<&MemoryArbiter::debug>(this);
    }
    memory.on_done<&MemoryArbiter::answered>(this);
}

tlm::tlm_sync_enum MemoryArbiter::forward_path(unsigned port, Payload &payload, tlm::tlm_phase &phase,
                                               sc_core::sc_time &delay) {
    if (phase == tlm::END_RESP && ports_[port].responding == &payload) {
        ports_[port].responding = nullptr;
        payload.release();
        response_ended_.notify(sc_core::SC_ZERO_TIME); // no backward call within this forward call
        return tlm::TLM_COMPLETED;
    }
    if (phase != tlm::BEGIN_REQ) {
        return not_a_request(name(), phase);
    }
    if (!payload.has_mm()) {
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        SC_REPORT_ERROR(name(), "non-blocking transaction without a memory manager");
        return tlm::TLM_COMPLETED;
    }
    payload.acquire();
    requests_.push_back({raw_now() + delay.value(), port, &payload});
    collected_.notify(sc_core::SC_ZERO_TIME);
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
}

void MemoryArbiter::hand_on() {
    std::vector<Request> requests;
    requests.swap(requests_);
    std::ranges::stable_sort(requests, {}, [](const Request &one) { return std::tuple(one.arrival, one.port); });
    for (const Request &one : requests) {
        under_way_[one.payload] = one.port;
        memory.send(*one.payload, sc_core::sc_time::from_value(one.arrival - raw_now()));
    }
}

void MemoryArbiter::answered(Payload &payload, const sc_core::sc_time &when) {
    const auto found = under_way_.find(&payload);
    const std::uint32_t port = found->second;
    under_way_.erase(found);
    payload.set_dmi_allowed(false);
    ports_[port].answers.push_back({&payload, when.value()});
    respond(port);
}

// One response at a time and port: the next leaves when END_RESP has come, on the return or on the forward path.
void MemoryArbiter::respond(std::uint32_t number) {
    Port &port = ports_[number];
    while (port.responding == nullptr && !port.answers.empty()) {
        const Answer answer = port.answers.front();
        port.answers.pop_front();
        port.responding = answer.payload;
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time delay = sc_core::sc_time::from_value(std::max(answer.when, raw_now()) - raw_now());
        const tlm::tlm_sync_enum status = (*port.socket)->nb_transport_bw(*answer.payload, phase, delay);
        if (status == tlm::TLM_COMPLETED || (status == tlm::TLM_UPDATED && phase == tlm::END_RESP)) {
            port.responding = nullptr;
            answer.payload->release();
        }
    }
}

void MemoryArbiter::respond_all() {
    for (std::uint32_t port = 0; port < ports_.size(); ++port) {
        respond(port);
    }
}

void MemoryArbiter::blocking(unsigned, Payload &payload, sc_core::sc_time &delay) {
    memory.socket->b_transport(payload, delay);
}

unsigned MemoryArbiter::debug(unsigned, Payload &payload) {
    return memory.socket->transport_dbg(payload);
}

} // namespace smsim::memory
