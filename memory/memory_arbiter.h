// Several initiators on one memory: collects the requests of a time step and hands them on in a fixed order, so that a
// memory that serves calls as they come gives the same times whatever the order in which its users were built or run.
//
// A base-protocol target per initiator, an initiator towards the memory. The requests of one time step go on in the
// same time step, in order of their arrival, then of the initiators' numbers; no time is added. Debug and blocking
// transport pass through at once. Direct memory is not granted.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "memory/transfer.h"
#include "model/protocol/memory.h"
#include "model/protocol/memory_initiator.h"
#include "model/protocol/socket.h"

namespace smsim::memory {

class MemoryArbiter final : public sc_core::sc_module {
  public:
    /// Towards the memory: any base-protocol target.
    protocol::MemoryInitiator memory;

    /// For `initiators` initiators; `period` is the clock period.
    MemoryArbiter(const sc_core::sc_module_name &name, std::uint32_t initiators, const sc_core::sc_time &period);

    /// The socket of initiator `index`. Non-blocking transactions have a memory manager; one without is answered with
    /// TLM_GENERIC_ERROR_RESPONSE and reported.
    protocol::Target<protocol::MemoryLink> &port(std::uint32_t index) { return *ports_[index].socket; }

  private:
    struct Request {
        RawTime arrival;
        std::uint32_t port;
        Payload *payload;
    };

    tlm::tlm_sync_enum forward_path(unsigned port, Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay);
    void blocking(unsigned port, Payload &payload, sc_core::sc_time &delay);
    unsigned debug(unsigned port, Payload &payload);
    void hand_on();
    void answered(Payload &payload, const sc_core::sc_time &when);
    void respond(std::uint32_t port);
    void respond_all();

    struct Answer {
        Payload *payload;
        RawTime when;
    };
    struct Port {
        std::unique_ptr<protocol::Target<protocol::MemoryLink>> socket;
        std::deque<Answer> answers;    ///< not told yet
        Payload *responding = nullptr; ///< BEGIN_RESP sent, END_RESP not received
    };
    std::vector<Port> ports_;
    std::vector<Request> requests_;                      ///< of this time step
    std::map<const Payload *, std::uint32_t> under_way_; ///< and the port it came from; looked up only
    sc_core::sc_event collected_;
    sc_core::sc_event response_ended_;
};

} // namespace smsim::memory
