// When the parts of an SM are called: one event and one process for all that have joined a calendar.
//
// Parts that run in lockstep are mostly due in the same cycles. A separate event for each costs the SystemC kernel a
// notification, an entry in its queue and an activation every time; here a due part costs a comparison.
//
// A calendar may lead (temporal decoupling): if nothing else must be called before the next time requested by its
// entries, it continues there in the same activation, ahead of the kernel. Everything that its entries reach then takes
// the time from it (PresentTime::follow). A process due at a later time is called when the kernel has caught up with
// it; one notified at once is called with the calendar's time, and the kernel ends where the calendar does: what
// happens, when and in which order, is the same.
#pragma once

#include <cstdint>
#include <vector>

#include <systemc>

#include "model/due_times.h"
#include "model/protocol/present_time.h"
#include "model/protocol/time_memo.h"

namespace smsim::protocol {

/// Calls each entry at the earliest of the times requested since its last call, as an event would.
class Calendar final : public sc_core::sc_module {
  public:
    /// Absolute, in units of the time resolution.
    using Time = sc_core::sc_time::value_type;
    /// Calls an entry; `part` is the argument of `enter`.
    using Step = void (*)(void *part);

    explicit Calendar(const sc_core::sc_module_name &name);

    /// Adds an entry, called as `step(part)`; call before the simulation begins. Returns its number. Entries that are
    /// due at the same time are called in the order of their numbers, on which nothing may depend. At most 64:
    /// InputError for a further one.
    unsigned enter(Step step, void *part);
    /// Requests a call of entry `entry` at `at`, or in the next delta cycle if that has passed.
    void call(unsigned entry, Time at) {
        if (at < due_[entry]) {
            due_.set(entry, at);
            if (at < next_) {
                next_ = at;
                if (!running_) {
                    notify();
                }
            }
        }
    }

    /// From now on this may lead, up to times before `end` (absolute); 0: not. Set it only where all parts that its
    /// entries reach follow `local_time`, and nothing pauses or stops the simulation from within their calls; code that
    /// does so from another place must end leading first. A call of sc_start must not end before `end`.
    void lead_until(Time end) { lead_end_ = end; }
    /// The time that it has reached.
    LocalTime &local_time() { return local_; }
    /// As PresentTime::follow: of another calendar, whose entries call those of this one.
    void follow(LocalTime &local) { time_.follow(local); }

  private:
    static constexpr Time kNot = DueTimes::kNot;
    static constexpr std::size_t kMost = 64;
    struct Entry {
        Step step;
        void *part;
    };

    void run();
    /// Calls the entries that are due at `now`.
    void call_due(Time now);
    /// Continues at the next time of an entry if nothing else is due before. False: it must wait.
    bool lead();
    /// When the kernel next calls a process later than its present time, absolute.
    Time kernel_calls() const;
    /// Requests the next call of `run`.
    void notify();

    sc_core::sc_simcontext &kernel_ = *sc_core::sc_get_curr_simcontext();
    const sc_core::sc_time &kernel_time_ = sc_core::sc_time_stamp();
    PresentTime time_; ///< of the surroundings, not of this calendar
    std::vector<Entry> entries_;
    DueTimes due_; ///< by entry: when to call it; kNot: not requested
    TimeMemo spans_;
    LocalTime local_;
    Time lead_end_ = 0;
    Time next_ = kNot;     ///< the earliest of `due_`
    bool running_ = false; ///< `run` is under way, which makes the next notification
    sc_core::sc_event event_;
};

/// A part's own entry: in its own calendar, or in one that it has joined.
class Alarm {
  public:
    using Time = Calendar::Time;

    Alarm() = default;
    Alarm(const Alarm &) = delete;
    Alarm &operator=(const Alarm &) = delete;

    /// Binds `owner->*Method()` as the function to call. Call this first.
    template <auto Method, typename Owner> void on_due(Owner *owner) {
        part_ = owner;
        step_ = [](void *part) { (static_cast<Owner *>(part)->*Method)(); };
        join(own_);
    }
    /// From now on the calls come from `calendar`, which must outlive this; call before the simulation begins.
    void join(Calendar &calendar) {
        calendar_ = &calendar;
        entry_ = calendar.enter(step_, part_);
    }
    /// The code that sets this takes its time from another calendar (Calendar::follow).
    void follow(LocalTime &local) { own_.follow(local); }
    /// The part is called at `at`, absolute in units of the time resolution, or at an earlier requested time; in the
    /// next delta cycle if that has passed.
    void set(Time at) { calendar_->call(entry_, at); }

  private:
    Calendar own_{sc_core::sc_gen_unique_name("calendar")};
    Calendar *calendar_ = nullptr;
    unsigned entry_ = 0;
    Calendar::Step step_ = nullptr;
    void *part_ = nullptr;
};

} // namespace smsim::protocol
