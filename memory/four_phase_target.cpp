#include "memory/four_phase_target.h"

#include <algorithm>

namespace smsim::memory {

FourPhaseTarget::FourPhaseTarget(const char *name, protocol::Alarm &wake, Telling telling, RawTime turnaround)
    : socket(name), wake_(wake), telling_(telling), turnaround_(turnaround) {
    socket.on_request<&FourPhaseTarget::forward>(this);
}

inline tlm::tlm_sync_enum FourPhaseTarget::begin_request(Payload &payload, tlm::tlm_phase &phase,
                                                         sc_core::sc_time &delay) {
    if (!payload.has_mm()) [[unlikely]] {
        return refuse(payload, "non-blocking transaction without a memory manager");
    }
    if (held_ || accepted_) [[unlikely]] {
        return refuse(payload, "BEGIN_REQ before the END_REQ of the previous request");
    }
    const RawTime now = time_.raw();
    const RawTime arrival = now + delay.value();
    payload.acquire();
    const Answer answer = take_(owner_, tag_, payload, arrival);
    switch (answer.kind) {
    case Answer::Kind::kDone:
        payload.set_dmi_allowed(false);
        payload.release();
        delay = spans_.of(answer.when - now);
        return tlm::TLM_COMPLETED;
    case Answer::Kind::kHeld:
        held_ = Request{&payload, arrival};
        return tlm::TLM_ACCEPTED;
    case Answer::Kind::kLater:
        break;
    }
    phase = tlm::END_REQ;
    if (answer.when > arrival) {
        delay = spans_.of(answer.when - now);
    }
    return tlm::TLM_UPDATED;
}

tlm::tlm_sync_enum FourPhaseTarget::forward(unsigned, Payload &payload, tlm::tlm_phase &phase,
                                            sc_core::sc_time &delay) {
    if (phase == tlm::BEGIN_REQ) [[likely]] {
        return begin_request(payload, phase, delay);
    }
    if (phase == tlm::END_RESP && responding_ == &payload) {
        const RawTime now = time_.raw();
        end_response(payload, std::max(now + delay.value(), now + turnaround_));
        wake_for_next(now);
        return tlm::TLM_COMPLETED;
    }
    return not_a_request(socket.name(), phase);
}

tlm::tlm_sync_enum FourPhaseTarget::refuse(Payload &payload, const char *why) {
    payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    SC_REPORT_ERROR(socket.name(), why);
    return tlm::TLM_COMPLETED;
}

void FourPhaseTarget::accept() {
    accepted_ = held_;
    held_.reset();
    if (!running_) {
        wake_.set(time_.raw());
    }
}

void FourPhaseTarget::respond(Payload &payload, RawTime when, std::uint64_t rank) {
    responses_.push({when, rank, &payload});
    const RawTime now = time_.raw();
    if (telling_ == Telling::kAtOnce) {
        send_responses(now);
    } else if (!running_) {
        wake_.set(when);
    }
}

void FourPhaseTarget::run() {
    const RawTime now = time_.raw();
    if (accepted_) [[unlikely]] {
        const Request accepted = *accepted_;
        accepted_.reset();
        tlm::tlm_phase phase = tlm::END_REQ;
        sc_core::sc_time delay = sc_core::sc_time::from_value(std::max(accepted.arrival, now) - now);
        socket->nb_transport_bw(*accepted.payload, phase, delay);
    }
    send_responses(now);
    wake_for_next(now);
}

void FourPhaseTarget::send_responses(RawTime now) {
    while (responding_ == nullptr && !responses_.empty()) {
        const Response next = responses_.top();
        if (telling_ == Telling::kAtItsTime && std::max(next.when, free_at_) > now) {
            return;
        }
        responses_.pop();
        Payload &payload = *next.payload;
        responding_ = &payload;
        payload.set_dmi_allowed(false);
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time delay = spans_.of(std::max(next.when, now) - now);
        const tlm::tlm_sync_enum answer = socket->nb_transport_bw(payload, phase, delay);
        if (answer == tlm::TLM_COMPLETED || (answer == tlm::TLM_UPDATED && phase == tlm::END_RESP)) {
            if (responding_ == &payload) {
                end_response(payload, now + delay.value());
            }
        } else if (answer == tlm::TLM_UPDATED) {
            SC_REPORT_ERROR(socket.name(),
                            "initiator answered BEGIN_RESP with TLM_UPDATED and a phase other than END_RESP");
        }
    }
}

void FourPhaseTarget::end_response(Payload &payload, RawTime when) {
    responding_ = nullptr;
    free_at_ = when;
    payload.release();
}

void FourPhaseTarget::wake_for_next(RawTime now) {
    if (responding_ != nullptr || responses_.empty()) {
        return;
    }
    const RawTime at = telling_ == Telling::kAtOnce ? now : std::max(std::max(responses_.top().when, free_at_), now);
    wake_.set(at);
}

} // namespace smsim::memory
