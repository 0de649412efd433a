// When the parts of an SM are called: one event and one process for all that have joined a calendar.
//
// Parts that run in lockstep are mostly due in the same cycles. An event of its own for each costs the kernel a
// notification, an entry in its queue and an activation every time; here a part that is due costs a comparison.
#pragma once

#include <cstdint>
#include <vector>

#include <systemc>

#include "model/protocol/present_time.h"

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
    /// due at the same time are called in the order of their numbers, on which nothing may depend.
    unsigned enter(Step step, void *part);
    /// Entry `entry` is to be called at `at`, or in the next delta cycle when that has come.
    void call(unsigned entry, Time at) {
        if (at < due_[entry]) {
            due_[entry] = at;
            if (at < next_) {
                next_ = at;
                if (!running_) {
                    notify();
                }
            }
        }
    }

  private:
    static constexpr Time kNot = ~Time{0};
    struct Entry {
        Step step;
        void *part;
    };

    void run();
    /// Asks for the next call of `run`.
    void notify();

    PresentTime time_;
    std::vector<Entry> entries_;
    std::vector<Time> due_;        ///< by entry: when it is to be called; kNot: it has not asked
    std::vector<unsigned> called_; ///< in the present call of `run`
    Time span_ = 0;                ///< what was waited for last; mostly it is so again
    sc_core::sc_time as_time_;     ///< the same
    Time next_ = kNot;             ///< the first of `due_`
    bool running_ = false;         ///< `run` is under way, which makes the next notification
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
