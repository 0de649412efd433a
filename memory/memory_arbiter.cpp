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
    response_ended_.on_due<&MemoryArbiter::respond_all>(this);
    for (std::uint32_t i = 0; i < initiators; ++i) {
        // What the memory announces early is passed on early: an initiator counts from the time at which it learns of a
        // response.
        ports_.push_back(std::make_unique<FourPhaseTarget>(fmt::format("port_{}", i).c_str(), response_ended_,
                                                           FourPhaseTarget::Telling::kAtOnce));
        ports_.back()->on_request<&MemoryArbiter::request>(this, i);
        ports_.back()->socket.on_blocking<&MemoryArbiter::blocking>(this);
        ports_.back()->socket.on_debug<&MemoryArbiter::debug>(this);
    }
    memory.on_done<&MemoryArbiter::answered>(this);
}

FourPhaseTarget::Answer MemoryArbiter::request(unsigned port, Payload &payload, RawTime arrival) {
    requests_.push_back({arrival, port, &payload});
    collected_.notify(sc_core::SC_ZERO_TIME);
    return {FourPhaseTarget::Answer::Kind::kLater};
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
    if (found == under_way_.end()) {
        SC_REPORT_ERROR(name(), "the end of a transaction that is not under way, or was sent twice");
        return;
    }
    const std::uint32_t port = found->second;
    under_way_.erase(found);
    ports_[port]->respond(payload, std::max(when.value(), raw_now()), ++answers_);
}

void MemoryArbiter::respond_all() {
    for (const auto &port : ports_) {
        port->run();
    }
}

void MemoryArbiter::blocking(unsigned, Payload &payload, sc_core::sc_time &delay) {
    memory.socket->b_transport(payload, delay);
}

unsigned MemoryArbiter::debug(unsigned, Payload &payload) {
    return memory.socket->transport_dbg(payload);
}

} // namespace smsim::memory
