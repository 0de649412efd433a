// The instruction trace with written values, accessed memory, and events of barriers, timers and releases between its
// lines (`smsim run --trace --trace-fields`); docs/traces.md describes all of it.
#pragma once

#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "model/observation/observer.h"
#include "views/trace/trace.h"
#include "views/trace/trace_fields.h"

namespace smsim::views {

/// The lines of TraceWriter with further members, and lines of events. With fields of results, a line and all that
/// follow are held until the answer of its instruction has arrived: lines are in order of cycle and warp slot.
class DetailedTrace final : public TraceWriter, public observation::Observer {
  public:
    DetailedTrace(std::ostream &out, ControlStateOf state_of, const TraceFields &fields,
                  TraceClock clock = TraceClock::kCycle);
    ~DetailedTrace() override;

    void accesses(const protocol::LoadStoreExtension &access) override;
    void postponed(const sm::ExecutedInstruction &instruction) override;
    void executed(const sm::ExecutedInstruction &instruction) override;
    void completed(const sm::CompletedInstruction &instruction) override;
    void observe(Cycle now, const observation::Event &event) override;
    void raised(const RaisedException &exception) override;
    /// Writes everything except events announced for cycles after `last`; instructions without an answer have
    /// `"done":null`.
    void end(Cycle last) override;

  private:
    /// The order of lines: cycle, warp slot, instructions in program order, events by kind, order of arrival.
    using Place = std::tuple<Cycle, WarpSlot, std::size_t, std::uint64_t>;
    struct Line {
        std::string text;      ///< without the end, a brace and a newline
        bool waits = false;    ///< for `completed`
        std::string memory{};  ///< beginning of the member `memory`; empty: none
        std::string result{};  ///< what `completed` has reported
        Cycle result_at = 0;   ///< when that holds: for an access it may be reported earlier
        bool expected = false; ///< its instruction has been issued, but `executed` has not been called yet
    };
    /// The warp in a slot, as lines name it.
    struct Warp {
        SmId sm;
        std::uint64_t cta = 0;
        std::uint32_t number = 0;
    };

    void advance(Cycle now);
    void write(const Line &line);
    std::string event(const char *kind, Cycle at, WarpSlot warp) const;
    void add_event(std::string text);
    void release(const observation::ControlExecuted &event);
    void tell_barriers(const observation::Event &event);
    void tell_timers(const observation::Event &event);
    void tell_releases(const observation::Event &event);

    TraceFields fields_;
    Cycle now_ = 0;
    std::uint64_t order_ = 0;
    Place present_; ///< of the event that is being reported
    std::map<Place, Line> lines_;
    std::map<std::pair<std::uint64_t, std::uint64_t>, Line *> open_; ///< by age and sequence: without an answer
    std::optional<std::string> access_; ///< of the instruction that is about to be reported
    std::vector<Warp> warps_;           ///< by slot
};

} // namespace smsim::views
