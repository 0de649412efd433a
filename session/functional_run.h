// Functional execution in a session: of whole launches, and of the CTAs of a launch that are not simulated in time.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "memory/regions.h"
#include "model/program/program.h"
#include "model/stats/early_end.h"
#include "model/stats/untimed_work.h"
#include "session/functional_memory.h"
#include "session/session.h"
#include "session/timed_ctas.h"
#include "sm/dispatch/grid.h"
#include "sm/dispatch/raised_fault.h"
#include "sm/execution_observer.h"
#include "sm/functional/executor.h"
#include "sm/load_store/global_bounds.h"

namespace smsim {
struct Config;
}

namespace smsim::session {

class GridWatch; // session/grid_watch.h

class FunctionalRun {
  public:
    /// All references must outlive the object. `direct`: as for FunctionalMemory.
    FunctionalRun(const Config &config, const Options &options, MemoryBackend &memory, bool direct,
                  const memory::Regions &regions);
    ~FunctionalRun();

    /// The observer of every instruction, which gets its number among all in place of a cycle; null: none. Call before
    /// the first launch.
    void observe(sm::ExecutionObserver *observer);

    /// Executes a launch to its end, or until it ends early.
    void run(const Kernel &kernel, const sm::Grid &grid, LaunchResult &result);

    /// Executes the first `count` instructions of a launch, or all if it has no more; the launch continues in time
    /// from what `hand_over` returns. The clock of programs is at least `clock`. False: it was stopped before.
    bool run_first(std::uint64_t count, const sm::Grid &grid, std::uint64_t clock);
    /// What continues in time after `run_first`, unless that has met a fault.
    sm::MidFlight hand_over() { return executor_.hand_over(next_); }

    /// Begins a launch of which some CTAs are executed here: those passed to `take`.
    void begin(const sm::Grid &grid);
    /// Executes the CTAs `first` to `last` - 1 here: now and `to_the_end`, or as far as they get in a while, because
    /// what they wait for may come from CTAs in time.
    void take(std::uint64_t first, std::uint64_t last, bool to_the_end);
    /// Continues those that have not ended, for a while; a short one beside CTAs `in_time`.
    void go_on(bool in_time);
    /// CTAs executed here that have ended and have not been counted yet.
    std::uint64_t take_completed();
    /// Whether any has not ended.
    bool is_busy() const { return !waiting_.empty() || executor_.has_residents(); }
    /// Why the launch cannot continue here; nothing: it can.
    std::optional<Fault> fault() const { return fault_; }
    /// The exception of an instruction, if `fault` is one.
    std::optional<sm::RaisedFault> raised() const;
    /// Describes `fault` where no instruction has raised it.
    std::string explain(const Kernel &kernel, const sm::Grid &grid) const;
    UntimedWork work() const;

    sm::functional::Executor &executor() { return executor_; }
    const sm::GlobalBounds &bounds() const { return bounds_; }

  private:
    class Teller;
    void tell(sm::ExecutionObserver *observer);
    std::string state_text(const sm::Grid &grid) const;
    /// Null where the outcome of a launch cannot be predicted: something else may change memory.
    std::unique_ptr<GridWatch> make_grid_watch();
    /// Begins a launch: discards the state of the previous one.
    void reset();
    /// Executes all CTAs of `grid` here, in their order.
    void begin_all(const sm::Grid &grid);
    void execute(std::uint64_t most);
    std::uint64_t most_of_launch() const;

    const Config &config_;
    const Options &options_;
    MemoryBackend &backend_;
    bool direct_;
    FunctionalMemory memory_;
    sm::GlobalBounds bounds_;
    std::unique_ptr<Teller> teller_;
    sm::ExecutionObserver *observer_ = nullptr; ///< set by `observe`
    sm::functional::Executor executor_;
    /// CTAs that had no room yet: the first, and one past the last.
    std::deque<std::pair<std::uint64_t, std::uint64_t>> waiting_;
    std::uint64_t next_ = 0; ///< of a grid that is executed from its first CTA on
    std::optional<Fault> fault_;
    std::uint64_t begun_at_ = 0; ///< instructions before the current launch
    std::uint64_t counted_ = 0;  ///< completed CTAs that were reported
};

} // namespace smsim::session
