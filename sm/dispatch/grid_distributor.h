// Distributes the CTAs of a grid to SMs. Each SM's CTA dispatch knows what room it has.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <systemc>

#include "model/types.h"
#include "sm/dispatch/cta_distribution.h"
#include "sm/dispatch/grid.h"
#include "sm/dispatch/mid_flight.h"

namespace smsim::sm {

/// Receives CTAs: the CTA dispatch of an SM.
class CtaReceiver {
  public:
    virtual ~CtaReceiver() = default;
    /// A launch begins; nothing is resident. The receiver asks for CTAs from this cycle on.
    virtual void begin(const Grid &grid) = 0;
    /// The launch that has just begun is already under way: in this cycle all residents of `from`, which must outlive
    /// the launch, continue together.
    virtual void go_on(const MidFlight &from) = 0;
    /// The answer to `GridDistributor::ask`, in the same cycle: the linear number of a CTA to start.
    virtual void take(std::uint64_t cta) = 0;
    /// The other answer: the rest of the grid has gone to others.
    virtual void nothing_left() = 0;
};

/// Hands out the CTAs of one grid after the other in order of their linear number (x fastest), or in the order of a
/// distribution, first come, first served; SMs that ask in one cycle are served in order of their numbers, whatever the
/// order in which they were built or run.
class GridDistributor final : public sc_core::sc_module {
  public:
    /// `distribution`: which CTA each SM gets; null: in order.
    explicit GridDistributor(const sc_core::sc_module_name &name,
                             std::unique_ptr<CtaDistribution> distribution = nullptr);

    /// Registers an SM, before the first launch. `receiver` must outlive the distributor's last launch.
    void add(SmId sm, CtaReceiver &receiver);
    /// Begins a launch in the present cycle. No launch may be under way.
    void begin(const Grid &grid);
    /// The same for a launch that is already under way: the residents of SM `sm` are those of `from`, which must
    /// outlive the launch, and CTAs are handed out from its next one on. In order only: with a distribution it throws
    /// std::logic_error.
    void begin(const Grid &grid, SmId sm, const MidFlight &from);
    /// SM `sm` has room for a CTA; it must not ask again before the answer, which arrives in this cycle.
    void ask(SmId sm);
    /// An SM's CTA has ended.
    void completed();
    /// Hook for code that executes CTAs without an SM. Called before a CTA is handed out, with its number and the
    /// number of CTAs of the grid; returns the number of the first CTA from there on that an SM gets (the number of
    /// CTAs: none). The hook takes care of those before it and reports the end of each with `completed`. In order only:
    /// with a distribution it throws std::logic_error.
    using Elsewhere = std::function<std::uint64_t(std::uint64_t next, std::uint64_t count)>;
    void elsewhere(Elsewhere take);
    /// Whether some CTA has not been handed out yet.
    bool any_left() const { return next_ < count_; }
    /// CTAs not handed out yet.
    std::uint64_t left() const { return count_ - next_; }
    /// CTAs of the present launch that have ended.
    std::uint64_t completed_ctas() const { return completed_; }
    /// Whether every CTA of the present launch has ended.
    bool finished() const { return completed_ == count_; }
    /// Called when the last CTA of a launch has ended.
    void on_end(std::function<void()> callback) { end_ = std::move(callback); }

  private:
    void answer();
    void require_order() const;
    std::uint64_t chosen(std::uint32_t sm);

    std::vector<CtaReceiver *> receivers_; ///< by number of the SM
    std::vector<bool> asking_;             ///< likewise
    sc_core::sc_event asked_;
    std::uint64_t count_ = 0;
    std::uint64_t next_ = 0; ///< in order: the next CTA; always: how many have been handed out
    std::uint64_t completed_ = 0;
    std::unique_ptr<CtaDistribution> distribution_; ///< null: in order
    std::vector<bool> handed_out_;                  ///< with a distribution: each CTA of the launch
    std::function<void()> end_;
    Elsewhere elsewhere_;
};

} // namespace smsim::sm
