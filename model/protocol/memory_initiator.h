// Initiator side of a memory socket: sends transactions one after the other and follows the TLM-2.0 base protocol with
// any legal sequence of phases that a target chooses.
//
// The owner passes a filled payload with `send` and gets it back, exactly once, through the function bound with
// `on_done`. In between the payload belongs to the initiator and its target: the owner neither reads nor writes it.
//
// - Request exclusion: BEGIN_REQ is sent only when the previous request has ended (END_REQ, BEGIN_RESP or
//   TLM_COMPLETED). Until then `send` queues, in order. Targets that complete on the call never make it queue.
// - Response: `done(payload, when)` is called when the target reports the end, which may be earlier than `when`, the
//   absolute time at which the response is valid (annotated delays are kept, not waited for). It may be called from
//   within `send`, on the same payload. When it is not, it is called within the target's call on the backward path.
// - END_RESP: a BEGIN_RESP on the backward path is answered with TLM_COMPLETED; a BEGIN_RESP on the return of the
//   request is followed by an END_RESP at its annotated time.
// - References: the initiator holds one on the payload from `send` until the protocol has ended. The owner keeps its
//   own and releases it at any time, at the earliest in `done`.
// - Order of processes: an END_REQ that arrives on the backward path allows the next request one cycle later at the
//   earliest, and what is due is sent before anything passed later. So results do not depend on which process
//   of a time step runs first, provided that the owner treats `when` in the same way.
// - A call that breaks the protocol (a phase out of order, a payload that is not in flight) is reported with
//   SC_REPORT_ERROR and has no effect. Extended phases are ignored.
//
// `send` may be called from method processes, from within forward calls and from within `done`; it never waits. From
// within `done` it only queues: the request is sent when the call in progress has returned (on the backward path: from
// the process of the initiator, or of its owner, in the same time step), so that no forward call nests in a backward
// call.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "model/protocol/calendar.h"
#include "model/protocol/memory.h"
#include "model/protocol/payload_map.h"
#include "model/protocol/present_time.h"
#include "model/protocol/socket.h"
#include "model/protocol/time_memo.h"
#include "model/ring.h"

namespace smsim::protocol {

class MemoryInitiator final : public sc_core::sc_module {
  public:
    using Payload = tlm::tlm_generic_payload;

    /// Bind to the target; blocking, debug and direct memory calls may be made on it as usual.
    Initiator<MemoryLink> socket{"socket"};

    /// `period` is the clock period. What is not sent during a call of `send` is sent from a separate process.
    MemoryInitiator(const sc_core::sc_module_name &name, const sc_core::sc_time &period);
    /// The same without a process: `wake`, which must outlive it, belongs to the owner, which calls `run_due` from
    /// there.
    MemoryInitiator(const sc_core::sc_module_name &name, const sc_core::sc_time &period, Alarm &wake);

    /// As PresentTime::follow.
    void follow(LocalTime &local) {
        time_.follow(local);
        if (own_) {
            own_->follow(local);
        }
    }

    /// Binds `owner->*Method(payload, when)`: the transaction has ended, its response is valid at `when` (absolute, not
    /// before now). Bind before the first `send`.
    template <auto Method, typename Owner> void on_done(Owner *owner) {
        owner_ = owner;
        done_ = [](void *o, Payload &p, const sc_core::sc_time &when) { (static_cast<Owner *>(o)->*Method)(p, when); };
    }

    /// Sends `payload`, whose request starts `delay` after now. The caller sets every standard field (status
    /// INCOMPLETE, DMI hint off), and the payload has a memory manager. A payload must not be sent again before its
    /// `done`.
    void send(Payload &payload, const sc_core::sc_time &delay = sc_core::SC_ZERO_TIME);

    /// Transactions passed and not yet done, including those in the queue.
    std::size_t outstanding() const { return queue_.size() + in_flight_; }

    /// Calls `body(payload, sent, accepted)` for every transaction whose BEGIN_REQ has been sent and that has not been
    /// answered: the time of the request, and whether the target has ended it. In any order.
    template <typename Body> void for_each_unanswered(Body &&body) const {
        flights_.for_each([&](const Payload &payload, const Flight &flight) {
            if (flight.step != Step::kResponse) {
                body(payload, sc_core::sc_time::from_value(flight.sent), flight.step == Step::kAccepted);
            }
        });
    }
    /// Transactions waiting to be sent.
    std::size_t queued() const { return queue_.size(); }

    /// Sends what is due, and sets the owner's alarm for the rest. Call only from that alarm.
    void run_due() {
        if (wake_at_ <= time_.raw()) {
            run();
        } else if (wake_at_ != kNot) {
            wake_.set(wake_at_);
        }
    }

    /// Waits until nothing is outstanding. Thread processes only.
    void wait_idle();

  private:
    using RawTime = sc_core::sc_time::value_type;
    enum class Step : std::uint8_t {
        kRequest,  ///< BEGIN_REQ sent
        kAccepted, ///< END_REQ received
        kResponse, ///< BEGIN_RESP received on the return of the request, END_RESP to be sent
    };
    struct Flight {
        Step step = Step::kRequest;
        RawTime sent = 0;
    };
    struct Waiting {
        Payload *payload = nullptr;
        RawTime earliest = 0;
    };

    static constexpr RawTime kNot = ~RawTime{0};

    tlm::tlm_sync_enum backward(unsigned tag, Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay);
    void run();
    bool may_issue(RawTime now) const { return requesting_ == nullptr && free_at_ <= now; }
    void flush(RawTime now);
    void issue(const Waiting &next, RawTime now);
    void end_responses(RawTime now);
    void finish(Payload &payload, const sc_core::sc_time &delay);
    /// Null: it is not in flight. Valid until the next one is sent or removed.
    Step *find(const Payload &payload);
    void forget(const Payload &payload);
    void run_at(RawTime when);

    PresentTime time_;
    TimeMemo spans_;
    RawTime period_;
    void *owner_ = nullptr;
    void (*done_)(void *, Payload &, const sc_core::sc_time &) = nullptr;

    Ring<Waiting> queue_;
    const Payload *calling_ = nullptr; ///< the one whose BEGIN_REQ call is in progress; null: none, or it has ended
    Step calling_step_ = Step::kRequest;
    PayloadMap<Flight> flights_;          ///< the others whose protocol has not ended
    std::size_t in_flight_ = 0;           ///< transactions sent and not done
    const Payload *requesting_ = nullptr; ///< BEGIN_REQ sent, request not ended
    RawTime free_at_ = 0;                 ///< earliest time of the next BEGIN_REQ
    bool flushing_ = false;               ///< inside `flush`, which sends what `send` queues
    bool in_backward_ = false;            ///< inside a backward call: `send` leaves the request to the process
    std::vector<Waiting> end_responses_;  ///< END_RESP to send, and when
    unsigned idle_waiters_ = 0;
    sc_core::sc_event idle_;
    std::optional<Alarm> own_; ///< for an initiator with a process
    Alarm &wake_;
    RawTime wake_at_ = kNot; ///< when to call `run`
};

} // namespace smsim::protocol
