// Target side of a memory socket that answers later: takes requests and returns responses in the four phases of the
// TLM-2.0 base protocol. Its owner decides what a request means and when it is done. The initiator side is
// protocol::MemoryInitiator.
//
// - Request: the owner's function decides on a BEGIN_REQ: done on the call, accepted (END_REQ on the return),
//   or held; one request can be held, and gets its END_REQ from `accept`. A request before that END_REQ is refused.
// - Response: one is under way at a time; the next one follows the END_RESP of the one before, on the return of the
//   call or on the forward path. With kAtItsTime BEGIN_RESP goes out in order of time, then of rank. With kAtOnce it
//   goes out on the call of `respond`, whatever its time; only those that find another one under way wait, and leave
//   in order of time, then of rank.
// - References: held on a payload from its request to the end of its response.
// - A call that breaks the protocol is reported with SC_REPORT_ERROR and has no effect; a request that breaks it is
//   answered with TLM_GENERIC_ERROR_RESPONSE. Extended phases are ignored.
//
// No process of its own: the owner's alarm calls the owner, which calls `run` or `run_behind`. So a part stays one
// process, and everything due is sent in the order in which the owner does its work.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <vector>

#include "memory/payload_access.h"
#include "model/protocol/calendar.h"
#include "model/protocol/memory.h"
#include "model/protocol/present_time.h"
#include "model/protocol/socket.h"
#include "model/protocol/time_memo.h"

namespace smsim::memory {

class FourPhaseTarget {
  public:
    /// When a response is announced.
    enum class Telling : std::uint8_t {
        kAtItsTime, ///< BEGIN_RESP goes out at the time of the response, from `run`
        kAtOnce,    ///< from `respond`, or when the one under way has ended, with the time annotated; overlapping times
                    ///< are up to the initiator
    };
    /// What happens with a request.
    struct Answer {
        enum class Kind : std::uint8_t {
            kDone,  ///< TLM_COMPLETED with the response valid at `when`
            kLater, ///< END_REQ on the return, at `when`; `respond` follows
            kHeld,  ///< no END_REQ before `accept`
        };
        Kind kind;
        RawTime when = 0; ///< kDone: not before now. kLater: of the END_REQ, not before the arrival
    };

    /// A request and its absolute time.
    struct Request {
        Payload *payload;
        RawTime arrival;
    };

    /// Bind to the initiator. The owner binds blocking and debug transport.
    protocol::Target<protocol::MemoryLink> socket;

    /// `wake` is set to the time at which to call `run`. At least `turnaround` passes between an END_RESP on the
    /// forward path and the next BEGIN_RESP.
    FourPhaseTarget(const char *name, protocol::Alarm &wake, Telling telling, RawTime turnaround = 0);
    FourPhaseTarget(const FourPhaseTarget &) = delete;
    FourPhaseTarget &operator=(const FourPhaseTarget &) = delete;

    /// As protocol::PresentTime::follow.
    void follow(protocol::LocalTime &local) { time_.follow(local); }

    /// Binds `owner->*Method(tag, payload, arrival) -> Answer`, called for each request that follows the protocol;
    /// `arrival` is its absolute time.
    template <auto Method, typename Owner> void on_request(Owner *owner, unsigned tag = 0) {
        owner_ = owner;
        tag_ = tag;
        take_ = [](void *o, unsigned t, Payload &p, RawTime arrival) {
            return (static_cast<Owner *>(o)->*Method)(t, p, arrival);
        };
    }

    /// Calls on the forward path. The socket calls this itself, unless its owner has bound another function to it that
    /// passes on what it does not complete itself: phases other than BEGIN_REQ, and requests to be answered later.
    tlm::tlm_sync_enum forward(unsigned tag, Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay);
    /// The request that is held, if there is one.
    const std::optional<Request> &held() const { return held_; }
    /// Accepts the held request: its END_REQ leaves with the next `run`, not before its arrival.
    void accept();
    /// Responds to an accepted request; the response is valid at `when` (absolute, not before now). Of responses for
    /// one time the one with the lowest `rank` leaves first. With kAtOnce, never call from within a forward call.
    void respond(Payload &payload, RawTime when, std::uint64_t rank);
    /// Sends what is due, and sets `wake` for the rest. Call only from that alarm.
    void run();
    /// Calls `work()`, then does the same. Accepts and responses made by `work()` leave with what is due and need no
    /// call of their own.
    template <typename Work> void run_behind(const Work &work) {
        running_ = true;
        work();
        running_ = false;
        run();
    }

  private:
    struct Response {
        RawTime when;
        std::uint64_t rank;
        Payload *payload;
        friend bool operator>(const Response &a, const Response &b) {
            return a.when != b.when ? a.when > b.when : a.rank > b.rank;
        }
    };

    [[gnu::always_inline]] inline tlm::tlm_sync_enum begin_request(Payload &payload, tlm::tlm_phase &phase,
                                                                   sc_core::sc_time &delay);
    tlm::tlm_sync_enum refuse(Payload &payload, const char *why);
    void end_response(Payload &payload, RawTime when);
    void send_responses(RawTime now);
    void wake_for_next(RawTime now);

    protocol::PresentTime time_;
    protocol::TimeMemo spans_;
    protocol::Alarm &wake_;
    Telling telling_;
    RawTime turnaround_;
    void *owner_ = nullptr;
    unsigned tag_ = 0;
    Answer (*take_)(void *, unsigned, Payload &, RawTime) = nullptr;

    std::optional<Request> held_;     ///< request without END_REQ
    std::optional<Request> accepted_; ///< END_REQ to be sent, not before its arrival
    std::priority_queue<Response, std::vector<Response>, std::greater<>> responses_;
    const Payload *responding_ = nullptr; ///< BEGIN_RESP sent, END_RESP not received
    RawTime free_at_ = 0;                 ///< earliest time of the next BEGIN_RESP
    bool running_ = false;                ///< `run` follows immediately
};

} // namespace smsim::memory
