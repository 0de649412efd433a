// Transactions and the single event of the sleep timers.
#include "sm/timer/sleep_timer.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/config/config.h"
#include "model/config/validate.h"

namespace smsim::sm {

using protocol::LifecycleExtension;
using protocol::TimerPayload;
using sc_core::sc_time;
using tlm::tlm_phase;
using tlm::tlm_sync_enum;

SleepTimer::SleepTimer(const sc_core::sc_module_name &name, const Config &config)
    : sc_module(name_if_valid(name, config)), clock_(config), jitter_(config.jitter, timing::Jitter::Part::kTimer),
      calendar_(config.warps(), config.timer.granularity),
      last_cycle_(sc_core::sc_max_time().value() / clock_.period().value()) {
    SC_HAS_PROCESS(SleepTimer);
    SC_METHOD(cycle);
    sensitive << event_;
    dont_initialize();
    request.on_request<&SleepTimer::on_request>(this);
    lifecycle.on_request<&SleepTimer::on_lifecycle>(this);
}

tlm_sync_enum SleepTimer::on_request(unsigned, TimerPayload &payload, tlm_phase &phase, sc_time &delay) {
    const auto *ext = protocol::extension_of(payload);
    if (phase != tlm::BEGIN_REQ || ext->warp.value() >= calendar_.warps()) {
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    const Cycle at = clock_.at(delay);
    calendar_.request(ext->warp, at, ext->cycles + jitter_(at, ext->warp.value()));
    call_for_next();
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

tlm_sync_enum SleepTimer::on_lifecycle(unsigned, protocol::LifecyclePayload &payload, tlm_phase &, sc_time &delay) {
    const auto *ext = protocol::extension_of(payload);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (ext->kind == LifecycleExtension::Kind::kFault) {
        return tlm::TLM_COMPLETED; // the run ends; nothing to do
    }
    const WarpSlot warp = ext->kind == LifecycleExtension::Kind::kWarpStart ? ext->start.warp : ext->warp;
    if (warp.value() >= calendar_.warps()) {
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    // An expiry of the next cycle may already have been sent; it remains in either case.
    calendar_.stop(warp, std::max(clock_.at(delay), clock_.now() + 1));
    call_for_next();
    return tlm::TLM_COMPLETED;
}

void SleepTimer::cycle() {
    called_for_ = kNever;
    for (const WarpSlot warp : calendar_.take(clock_.now() + 1)) {
        TimerPayload &payload = pool_.acquire();
        auto *ext = protocol::extension_of(payload);
        ext->warp = warp;
        ext->cycles = 0;
        if (!expiry.tell(payload, clock_.period())) {
            SC_REPORT_ERROR(name(), fmt::format("the expiry of warp slot {} was not completed", warp.value()).c_str());
        }
    }
    call_for_next();
}

void SleepTimer::call_for_next() {
    const Cycle next = calendar_.next();
    if (next == called_for_) {
        return;
    }
    if (next > called_for_) {
        event_.cancel(); // an expiry has been withdrawn: avoid a needless wake-up
        called_for_ = kNever;
    }
    if (next <= last_cycle_) {
        called_for_ = next;
        clock_.notify(event_, next - 1);
    }
}

} // namespace smsim::sm
