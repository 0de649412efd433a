// SleepTimer: the SystemC shell of the sleep timers. It takes requests from the branch unit and reports expiries.
#pragma once

#include <systemc>

#include "model/protocol/clock.h"
#include "model/protocol/links.h"
#include "model/protocol/socket.h"
#include "model/timing/jitter.h"
#include "sm/parts.h"
#include "sm/timer/sleep_calendar.h"

namespace smsim {
struct Config;
}

namespace smsim::sm {

/// One sleep timer per warp slot (bru.md NANOSLEEP, `SleepMask`).
///
/// A request is completed on the call and takes effect at its annotated time t. The timer then expires at the earlier
/// of its present expiry, if it runs, and t + `cycles`, rounded up to a multiple of `timer.granularity` cycles since
/// the start of the simulation; never earlier than one cycle after t. The expiry is sent one cycle ahead with an
/// annotated delay of one cycle, so that it takes effect exactly at its cycle whatever the order of processes. An
/// expiry precedes everything else that takes effect in the same cycle: a request of that cycle restarts the timer, and
/// a warp that ends in that cycle does not stop it. Several expiries of one cycle are sent in the order of warp slots.
class SleepTimer final : public sc_core::sc_module, public parts::SleepTimer {
  public:
    protocol::Target<protocol::TimerLink> request{"request"};
    protocol::Initiator<protocol::TimerLink> expiry{"expiry"};
    /// Start and end of a warp stop the timer of its slot.
    protocol::Target<protocol::LifecycleLink> lifecycle{"lifecycle"};

    /// `config` is read during construction only; its sections sm and timer are used.
    SleepTimer(const sc_core::sc_module_name &name, const Config &config);

    // parts::SleepTimer
    tlm::tlm_target_socket<64, protocol::TimerLink> &from_branch_unit() override { return request; }
    tlm::tlm_initiator_socket<64, protocol::TimerLink> &to_branch_unit() override { return expiry; }
    tlm::tlm_target_socket<64, protocol::LifecycleLink> &from_dispatch() override { return lifecycle; }
    bool join(protocol::Calendar &calendar) override {
        clock_.follow(calendar.local_time());
        return true;
    }
    /// The calendar, for reports.
    const SleepCalendar &calendar() const { return calendar_; }

  private:
    tlm::tlm_sync_enum on_request(unsigned tag, protocol::TimerPayload &payload, tlm::tlm_phase &phase,
                                  sc_core::sc_time &delay);
    tlm::tlm_sync_enum on_lifecycle(unsigned tag, protocol::LifecyclePayload &payload, tlm::tlm_phase &phase,
                                    sc_core::sc_time &delay);
    void cycle();
    void call_for_next();

    protocol::Clock clock_;
    timing::Jitter jitter_;
    SleepCalendar calendar_;
    Cycle last_cycle_; ///< the simulation's time ends here; later expiries never occur
    sc_core::sc_event event_;
    Cycle called_for_ = kNever; ///< the expiry for which a notification is outstanding
    protocol::PayloadPool<protocol::TimerExtension> pool_;
};

} // namespace smsim::sm
