// When the parts of an SM are called: one event and one process for all that have joined a calendar.
//
// Parts that run in lockstep are mostly due in the same cycles. An event of its own for each costs the kernel a
// notification, an entry in its queue and an activation every time; here a part that is due costs a comparison.
//
// A calendar may lead (temporal decoupling): where nobody else is to be called before the next time that its entries
// have asked for, it goes on there in the same activation, ahead of the kernel. Everything that its entries reach takes
// the time from it then (PresentTime::follow). Whoever is to be called at a later time is called when the kernel has
// come up with it, who is notified at once is called with the calendar's time, and the kernel ends where the calendar
// has: what happens, when and in which order, is the same.
#pragma once

#include <cstdint>
#include <vector>

#include <systemc>

#include "model/due_times.h"
#include "model/protocol/present_time.h"
#include "model/protocol/time_memo.h"

namespace smsim::protocol {

/// Calls each entry at the earliest of the times for which it has asked since its last call, as an event would.
class Calendar final : public sc_core::sc_module {
  public:
    /// Absolute, in units of the time resolution.
    using Time = sc_core::sc_time::value_type;
    /// Calls an entry; `part` is what it was entered with.
    using Step = void (*)(void *part);

    explicit Calendar(const sc_core::sc_module_name &name);

    /// A new entry, to be called as `step(part)`; before the simulation begins. Returns its number. Entries that are
    /// due at the same time are called in the order of their numbers, on which nothing may depend. At most 64:
    /// InputError for a further one.
    unsigned enter(Step step, void *part);
    /// Entry `entry` is to be called at `at`, or in the next delta cycle when that has come.
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

    /// From now on this may lead, up to times before `end` (absolute); 0: not. To be set only where all parts that its
    /// entries reach follow `local_time`, and where nobody pauses or stops the simulation from within their calls; who
    /// does so from elsewhere, ends leading before. A call of sc_start must not end before `end`.
    void lead_until(Time end) { lead_end_ = end; }
    /// How far this is.
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
    /// Goes on to the next time of an entry when nobody else comes before. False: it has to be waited for.
    bool lead();
    /// When the kernel calls somebody at a later time than its present one, absolute.
    Time kernel_calls() const;
    /// Asks for the next call of `run`.
    void notify();

    sc_core::sc_simcontext &kernel_ = *sc_core::sc_get_curr_simcontext();
    const sc_core::sc_time &kernel_time_ = sc_core::sc_time_stamp();
    PresentTime time_; ///< not of this calendar
    std::vector<Entry> entries_;
    DueTimes due_; ///< by entry: when it is to be called; kNot: it has not asked
    TimeMemo spans_;
    LocalTime local_;
    Time lead_end_ = 0;
    Time next_ = kNot;     ///< the first of `due_`
    bool running_ = false; ///< `run` is under way, which makes the next notification
    sc_core::sc_event event_;
};

/// A part's own entry: in a calendar that it has for itself, or in one that it has joined.
class Alarm {
  public:
    using Time = Calendar::Time;

    Alarm() = default;
    Alarm(const Alarm &) = delete;
    Alarm &operator=(const Alarm &) = delete;

    /// Binds `owner->*Method()` as what is called. First of all.
    template <auto Method, typename Owner> void on_due(Owner *owner) {
        part_ = owner;
        step_ = [](void *part) { (static_cast<Owner *>(part)->*Method)(); };
        join(own_);
    }
    /// The calls come from `calendar`, which outlives this; before the simulation begins.
    void join(Calendar &calendar) {
        calendar_ = &calendar;
        entry_ = calendar.enter(step_, part_);
    }
    /// What sets this takes the time from another calendar (Calendar::follow).
    void follow(LocalTime &local) { own_.follow(local); }
    /// The part is called at `at`, absolute in units of the time resolution, or at an earlier time for which it has
    /// asked; in the next delta cycle when that has come.
    void set(Time at) { calendar_->call(entry_, at); }

  private:
    Calendar own_{sc_core::sc_gen_unique_name("calendar")};
    Calendar *calendar_ = nullptr;
    unsigned entry_ = 0;
    Calendar::Step step_ = nullptr;
    void *part_ = nullptr;
};

} // namespace smsim::protocol
