// What every part of an SM has in common, whatever implements it.
#pragma once

#include "model/protocol/calendar.h"

namespace smsim::parts {

/// Something that the SM is made of. One that joins its calendar keeps to two rules: every Clock, PresentTime, target
/// and initiator in it follows `Calendar::local_time`, and so does an Alarm that has not joined; an event for a later
/// time is notified with `Clock::notify` or `PresentTime::notify`, because `event.notify` counts from the kernel's
/// time, and the calendar would go on without the one that it wakes.
class Part {
  public:
    virtual ~Part() = default;

    /// The part takes the time from `calendar`, and may be called by it, together with others of the SM, instead of by
    /// events of its own. Before the simulation begins, once at most; the calendar outlives the part. True: nothing in
    /// it takes the time from elsewhere. False, as without this function: the calendar never leads.
    virtual bool join(protocol::Calendar & /*calendar*/) { return false; }
};

} // namespace smsim::parts
