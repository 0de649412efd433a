// Which CTA of a grid goes to which SM. What room an SM has is its own CTA dispatch's business.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include <systemc>

#include "model/types.h"
#include "sm/dispatch/grid.h"
#include "sm/dispatch/mid_flight.h"

namespace smsim::sm {

/// What receives CTAs: the CTA dispatch of an SM.
class CtaReceiver {
  public:
    virtual ~CtaReceiver() = default;
    /// A launch begins; nothing is resident. The receiver asks for CTAs from this cycle on.
    virtual void begin(const Grid &grid) = 0;
    /// The launch that has just begun is under way: in this cycle the residents `from`, which outlives the launch, go
    /// on, all together.
    virtual void go_on(const MidFlight &from) = 0;
    /// The answer to `GridDistributor::ask`, in the same cycle: the linear number of a CTA to start.
    virtual void take(std::uint64_t cta) = 0;
    /// The other answer: others have got the rest of the grid.
    virtual void nothing_left() = 0;
};

/// Hands out the CTAs of one grid after the other in order of their linear number (x fastest), to whoever asks first;
/// of SMs that ask in one cycle, in order of their numbers, whatever the order in which they were built or run.
class GridDistributor final : public sc_core::sc_module {
  public:
    explicit GridDistributor(const sc_core::sc_module_name &name);

    /// Makes an SM known, before the first launch. `receiver` outlives the distributor's last launch.
    void add(SmId sm, CtaReceiver &receiver);
    /// Begins a launch in the present cycle. No launch is under way.
    void begin(const Grid &grid);
    /// The same of a launch that is under way already: the residents of SM `sm` are those of `from`, which outlives the
    /// launch, and CTAs are handed out from its next one on.
    void begin(const Grid &grid, SmId sm, const MidFlight &from);
    /// SM `sm` has room for a CTA; it does not ask again before the answer, which comes within this cycle.
    void ask(SmId sm);
    /// An SM's CTA has ended.
    void completed();
    /// Who executes CTAs elsewhere than on an SM: called before one is handed out, with its number and that of CTAs of
    /// the grid, it returns the number of the first one from there on that an SM gets (that of the CTAs: none), and has
    /// taken care of those before it, the end of each of which it tells by `completed`.
    using Elsewhere = std::function<std::uint64_t(std::uint64_t next, std::uint64_t count)>;
    void elsewhere(Elsewhere take) { elsewhere_ = std::move(take); }
    /// Whether some CTA has not been handed out.
    bool any_left() const { return next_ < count_; }
    /// CTAs that have not been handed out.
    std::uint64_t left() const { return count_ - next_; }
    /// CTAs of the present launch that have ended.
    std::uint64_t completed_ctas() const { return completed_; }
    /// Whether every CTA of the present launch has ended.
    bool finished() const { return completed_ == count_; }
    /// Called when the last CTA of a launch has ended.
    void on_end(std::function<void()> callback) { end_ = std::move(callback); }

  private:
    void answer();

    std::vector<CtaReceiver *> receivers_; ///< by number of the SM
    std::vector<bool> asking_;             ///< likewise
    sc_core::sc_event asked_;
    std::uint64_t count_ = 0;
    std::uint64_t next_ = 0;
    std::uint64_t completed_ = 0;
    std::function<void()> end_;
    Elsewhere elsewhere_;
};

} // namespace smsim::sm
