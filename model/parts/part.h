// What all parts of an SM have in common, whatever implements them.
#pragma once

#include "model/protocol/calendar.h"

namespace smsim::parts {

/// A part of an SM. If it joins its SM's calendar, it must follow two rules. Every Clock, PresentTime, target and
/// initiator in it follows `Calendar::local_time`, and so does an Alarm that has not joined. An event for a later time
/// is notified with `Clock::notify` or `PresentTime::notify`, because `event.notify` counts from the SystemC kernel's
/// time, and the calendar would continue without the process that it wakes.
class Part {
  public:
    virtual ~Part() = default;

    /// Makes the part take its time from `calendar`, which may call it together with other parts of the SM, in place of
    /// its own events. Call before the simulation begins, at most once; the calendar must outlive the part. Returns
    /// true if nothing in the part takes its time from another source; false, the default, keeps the calendar from ever
    /// leading.
    virtual bool join(protocol::Calendar & /*calendar*/) { return false; }
};

} // namespace smsim::parts
