// Phase sequences of the TLM-2.0 base protocol, initiator side.
#include "model/protocol/memory_initiator.h"

#include <algorithm>

namespace smsim::protocol {

MemoryInitiator::MemoryInitiator(const sc_core::sc_module_name &name, const sc_core::sc_time &period)
    : sc_module(name), period_(period.value()), own_(std::in_place), wake_(*own_) {
    wake_.on_due<&MemoryInitiator::run>(this);
    socket.on_response<&MemoryInitiator::backward>(this);
}

MemoryInitiator::MemoryInitiator(const sc_core::sc_module_name &name, const sc_core::sc_time &period, Alarm &wake)
    : sc_module(name), period_(period.value()), wake_(wake) {
    socket.on_response<&MemoryInitiator::backward>(this);
}

void MemoryInitiator::send(Payload &payload, const sc_core::sc_time &delay) {
    const RawTime now = time_.raw();
    payload.acquire();
    const Waiting request{&payload, now + delay.value()};
    if (!in_backward_ && !flushing_ && queue_.empty() && may_issue(now)) [[likely]] {
        // Requests never wait for targets that complete on the call.
        flushing_ = true;
        issue(request, now);
        flushing_ = false;
        if (!queue_.empty()) [[unlikely]] {
            flush(now);
        }
        return;
    }
    queue_.push_back(request);
    if (in_backward_) {
        run_at(now);
    } else if (!flushing_) {
        flush(now);
    }
}

void MemoryInitiator::run() {
    const RawTime now = time_.raw();
    wake_at_ = kNot;
    end_responses(now);
    flush(now);
    for (const Waiting &pending : end_responses_) {
        run_at(pending.earliest);
    }
}

/// Sends what may be sent now. A `done` in between may queue more, which is sent in the same loop: it is called from
/// the return of a forward call here, never on the backward path.
void MemoryInitiator::flush(RawTime now) {
    flushing_ = true;
    while (!queue_.empty() && may_issue(now)) {
        const Waiting next = queue_.front();
        queue_.pop_front();
        issue(next, now);
    }
    flushing_ = false;
    if (!queue_.empty() && requesting_ == nullptr) {
        run_at(free_at_);
    }
}

void MemoryInitiator::issue(const Waiting &next, RawTime now) {
    Payload &payload = *next.payload;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = spans_.of(std::max(next.earliest, now) - now);
    requesting_ = &payload;
    ++in_flight_;
    calling_ = &payload;
    calling_step_ = Step::kRequest;
    const tlm::tlm_sync_enum answer = socket->nb_transport_fw(payload, phase, delay);
    // Calls on the backward path may have changed these meanwhile.
    const bool has_ended = calling_ == nullptr;
    const Step step = calling_step_;
    calling_ = nullptr;
    if (answer == tlm::TLM_ACCEPTED) {
        if (!has_ended) {
            flights_.add(payload, {step, std::max(next.earliest, now)});
        }
        return;
    }
    const RawTime when = now + delay.value();
    if (has_ended) [[unlikely]] {
        SC_REPORT_ERROR(name(), "target continued a transaction that it had ended");
        return;
    }
    if (requesting_ == &payload) [[likely]] {
        requesting_ = nullptr;
    }
    if (answer == tlm::TLM_COMPLETED) {
        finish(payload, delay);
        payload.release();
    } else if (phase == tlm::END_REQ) {
        flights_.add(payload, {Step::kAccepted, std::max(next.earliest, now)});
        free_at_ = std::max(free_at_, when);
    } else if (phase == tlm::BEGIN_RESP) {
        flights_.add(payload, {Step::kResponse, std::max(next.earliest, now)});
        free_at_ = std::max(free_at_, when);
        end_responses_.push_back({&payload, when});
        run_at(when);
        finish(payload, delay);
    } else {
        flights_.add(payload, {step, std::max(next.earliest, now)});
        requesting_ = &payload; // still waiting for the end of the request
        SC_REPORT_ERROR(name(),
                        "target answered a request with TLM_UPDATED and a phase other than END_REQ, BEGIN_RESP");
    }
}

/// Sends the END_RESP that are due, in the order of arrival of the responses.
void MemoryInitiator::end_responses(RawTime now) {
    for (std::size_t i = 0; i < end_responses_.size();) {
        if (end_responses_[i].earliest > now) {
            ++i;
            continue;
        }
        Payload &payload = *end_responses_[i].payload;
        end_responses_.erase(end_responses_.begin() + static_cast<std::ptrdiff_t>(i));
        forget(payload);
        tlm::tlm_phase phase = tlm::END_RESP;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        const tlm::tlm_sync_enum answer = socket->nb_transport_fw(payload, phase, delay);
        payload.release();
        if (answer == tlm::TLM_UPDATED) {
            SC_REPORT_ERROR(name(),
                            "target answered END_RESP with TLM_UPDATED; expected TLM_ACCEPTED or TLM_COMPLETED");
        }
    }
}

tlm::tlm_sync_enum MemoryInitiator::backward(unsigned, Payload &payload, tlm::tlm_phase &phase,
                                             sc_core::sc_time &delay) {
    if (phase != tlm::BEGIN_REQ && phase != tlm::END_REQ && phase != tlm::BEGIN_RESP && phase != tlm::END_RESP) {
        return tlm::TLM_ACCEPTED; // extended phases may be ignored
    }
    const RawTime now = time_.raw();
    const RawTime when = now + delay.value();
    Step *flight = find(payload);
    if (flight == nullptr) [[unlikely]] {
        SC_REPORT_ERROR(name(), "target called back with a transaction that is not in flight");
        return tlm::TLM_ACCEPTED;
    }
    const Step step = *flight;
    const bool in_order =
        phase == tlm::END_REQ ? step == Step::kRequest : phase == tlm::BEGIN_RESP && step != Step::kResponse;
    if (!in_order) [[unlikely]] {
        SC_REPORT_ERROR(name(), "target called back with a phase that is not next in the base protocol");
        return tlm::TLM_ACCEPTED;
    }
    if (step == Step::kRequest) { // END_REQ, or a BEGIN_RESP that implies it
        requesting_ = nullptr;
        free_at_ = std::max(std::max(free_at_, when), now + period_);
        if (!queue_.empty()) {
            run_at(free_at_);
        }
    }
    if (phase == tlm::END_REQ) {
        *flight = Step::kAccepted;
        return tlm::TLM_ACCEPTED;
    }
    forget(payload);
    in_backward_ = true;
    finish(payload, delay);
    in_backward_ = false;
    payload.release();
    return tlm::TLM_COMPLETED;
}

/// The response is valid `delay` from now.
void MemoryInitiator::finish(Payload &payload, const sc_core::sc_time &delay) {
    --in_flight_;
    if (idle_waiters_ != 0 && outstanding() == 0) [[unlikely]] {
        idle_.notify(sc_core::SC_ZERO_TIME);
    }
    done_(owner_, payload, time_.get() + delay);
}

void MemoryInitiator::wait_idle() {
    ++idle_waiters_;
    while (outstanding() != 0) {
        wait(idle_);
    }
    --idle_waiters_;
}

MemoryInitiator::Step *MemoryInitiator::find(const Payload &payload) {
    if (calling_ == &payload) {
        return &calling_step_;
    }
    Flight *const flight = flights_.find(payload);
    return flight != nullptr ? &flight->step : nullptr;
}

void MemoryInitiator::forget(const Payload &payload) {
    if (calling_ == &payload) {
        calling_ = nullptr;
    } else {
        flights_.remove(payload);
    }
}

void MemoryInitiator::run_at(RawTime when) {
    wake_at_ = std::min(wake_at_, when);
    wake_.set(when);
}

} // namespace smsim::protocol
