// Several initiators on one memory: collects the requests of a time step and passes them on in a fixed order, so that a
// memory that serves calls in order gives the same times whatever the order in which its users were built or run.
//
// A base-protocol target per initiator, one initiator to the memory. The requests of one time step are passed on in the
// same time step, in order of their arrival, then of the initiators' numbers; no time is added. Debug and blocking
// transport pass through at once. Direct memory is not granted.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "memory/four_phase_target.h"
#include "memory/payload_access.h"
#include "model/protocol/memory.h"
#include "model/protocol/memory_initiator.h"
#include "model/protocol/socket.h"

namespace smsim::memory {

class MemoryArbiter final : public sc_core::sc_module {
  public:
    /// To the memory: any base-protocol target.
    protocol::MemoryInitiator memory;

    /// For `initiators` initiators; `period` is the clock period.
    MemoryArbiter(const sc_core::sc_module_name &name, std::uint32_t initiators, const sc_core::sc_time &period);

    /// The socket of initiator `index`.
    protocol::Target<protocol::MemoryLink> &port(std::uint32_t index) { return ports_[index]->socket; }

  private:
    struct Request {
        RawTime arrival;
        std::uint32_t port;
        Payload *payload;
    };

    FourPhaseTarget::Answer request(unsigned port, Payload &payload, RawTime arrival);
    void blocking(unsigned port, Payload &payload, sc_core::sc_time &delay);
    unsigned debug(unsigned port, Payload &payload);
    void hand_on();
    void answered(Payload &payload, const sc_core::sc_time &when);
    void respond_all();

    std::vector<std::unique_ptr<FourPhaseTarget>> ports_;
    std::vector<Request> requests_;                      ///< of this time step
    std::map<const Payload *, std::uint32_t> under_way_; ///< and the port each arrived at; looked up only
    std::uint64_t answers_ = 0;
    sc_core::sc_event collected_;
    protocol::Alarm response_ended_;
};

} // namespace smsim::memory
