// Connects a target that implements only b_transport to the non-blocking memory sockets of the model.
//
// Upstream it is a target of the base protocol: a request is accepted on the call (END_REQ at its arrival), and
// answered with BEGIN_RESP when b_transport has returned, at the annotated time. Downstream thread processes call
// b_transport, at most `concurrent` at a time.
//
// Order. Requests are passed down in the order of their arrival. A request that overlaps an earlier one waits until
// that has returned, unless both are reads; the requests after it wait, too. So overlapping requests take effect in
// order, as the base protocol demands, whatever a target does before and after it waits. At most one call begins in a
// delta cycle, and responses that are due at one time leave in the order of their requests, so that times do not depend
// on the order of the threads.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "memory/four_phase_target.h"
#include "memory/payload_access.h"
#include "model/protocol/memory.h"
#include "model/protocol/socket.h"

namespace smsim::memory {

class BlockingAdapter final : public sc_core::sc_module {
  private:
    protocol::Alarm due_;
    FourPhaseTarget target_{"from_initiator", due_, FourPhaseTarget::Telling::kAtItsTime};

  public:
    /// To the initiator. Blocking and debug calls pass through at once; direct memory is not granted.
    protocol::Target<protocol::MemoryLink> &from_initiator = target_.socket;
    /// To the target, whose b_transport (and transport_dbg, if an initiator uses it) is called.
    protocol::Initiator<protocol::MemoryLink> to_target{"to_target"};

    /// At most `concurrent` (at least 1) calls of b_transport are under way at a time: the number of accesses that the
    /// memory works on at once.
    BlockingAdapter(const sc_core::sc_module_name &name, unsigned concurrent);
    ~BlockingAdapter() override;

  private:
    class Caller;
    struct Request {
        Payload *payload;
        RawTime arrival;
        std::uint64_t number;
        std::uint64_t address; ///< as requested: an interconnect below may change it
        std::uint64_t bytes;
        bool reads; ///< and does nothing but read
    };

    FourPhaseTarget::Answer request(unsigned tag, Payload &payload, RawTime arrival);
    void blocking(unsigned tag, Payload &payload, sc_core::sc_time &delay);
    unsigned debug(unsigned tag, Payload &payload);
    bool must_wait(const Request &request) const;
    void hand_down();
    void returned(const Request &request, RawTime when);
    void respond();

    std::vector<std::unique_ptr<Caller>> callers_;
    std::deque<Request> waiting_;
    std::uint64_t next_number_ = 0;
    sc_core::sc_event work_;
};

} // namespace smsim::memory
