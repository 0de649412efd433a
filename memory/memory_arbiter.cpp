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
    for (std::uint32_t i = 0; i < initiators; ++i) {
        ports_.push_back(std::make_unique<protocol::Target<protocol::MemoryLink>>(fmt::format("port_{}", i).c_str()));
        ports_.back()->on_request<&MemoryArbiter::forward_path>(this, i);
        ports_.back()->on_blocking<&MemoryArbiter::blocking>(this);
        ports_.back()->on_debug<&MemoryArbiter::debug>(this);
    }
    memory.on_done<&MemoryArbiter::answered>(this);
}

tlm::tlm_sync_enum MemoryArbiter::forward_path(unsigned port, Payload &payload, tlm::tlm_phase &phase,
                                               sc_core::sc_time &delay) {
    if (phase == tlm::END_RESP) {
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
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = when - sc_core::sc_time_stamp();
    (*ports_[port])->nb_transport_bw(payload, phase, delay);
    payload.release();
}

void MemoryArbiter::blocking(unsigned, Payload &payload, sc_core::sc_time &delay) {
    memory.socket->b_transport(payload, delay);
}

unsigned MemoryArbiter::debug(unsigned, Payload &payload) {
    return memory.socket->transport_dbg(payload);
}

} // namespace smsim::memory
