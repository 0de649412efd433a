// The instruction trace with values written, memory accessed and events of barriers, timers and releases between its
// lines (`smsim run --trace --trace-fields`); docs/trace.md describes all of it.
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

/// The lines of TraceWriter with further members, and lines of events. With fields of results a line is held back until
/// the answer of its instruction has come, and with it all that follow: lines come in order of cycle and warp slot.
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
    /// Writes everything but events announced for cycles behind `last`; instructions without an answer have
    /// `"done":null`.
    void end(Cycle last) override;

  private:
    /// Lines are read in this order: cycle, warp slot, instructions in program order, events by kind, order of coming.
    using Place = std::tuple<Cycle, WarpSlot, std::size_t, std::uint64_t>;
    struct Line {
        std::string text;      ///< without the end, a brace and a newline
        bool waits = false;    ///< for `completed`
        std::string memory{};  ///< beginning of the member `memory`; empty: none
        std::string result{};  ///< what `completed` has told
        Cycle result_at = 0;   ///< when that is so: of an access it may be told before
        bool expected = false; ///< its instruction has been issued, `executed` is still to come
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
    Place present_; ///< of the event that is being told
    std::map<Place, Line> lines_;
    std::map<std::pair<std::uint64_t, std::uint64_t>, Line *> open_; ///< by age and sequence: without an answer
    std::optional<std::string> access_; ///< of the instruction that is about to be reported
    std::vector<Warp> warps_;           ///< by slot
};

} // namespace smsim::views
