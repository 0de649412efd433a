// Puts the events of the parts into an order that does not depend on the order of processes.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "model/observation/observer.h"

namespace smsim::views::timeline {

/// The recipient of the ordered events.
class EventReader {
  public:
    virtual ~EventReader() = default;
    /// All events that take effect in cycle `at`: by warp slot, then in the order of the kinds in
    /// `observation::Event`, then by ticket, number or sequence. Cycles are in ascending order; those without an event
    /// are left out.
    virtual void cycle(Cycle at, std::span<const observation::Event> events) = 0;
    /// The run has ended; no further call follows.
    virtual void end(Cycle at) = 0;
};

/// Holds events until the current cycle has passed the one in which they take effect. It holds the events of the
/// current cycle and those that parts have announced: as many as things can be under way in the SM.
class EventOrder final : public observation::Observer {
  public:
    explicit EventOrder(EventReader &reader) : reader_(reader) {}

    void observe(Cycle now, const observation::Event &event) override;
    void end(Cycle end) override;

  private:
    void release(Cycle before);

    EventReader &reader_;
    std::map<Cycle, std::vector<observation::Event>> held_;
    std::vector<std::vector<observation::Event>> spare_; ///< emptied vectors for reuse
    Cycle now_ = 0;
};

} // namespace smsim::views::timeline
