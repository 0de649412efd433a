// Functional execution of CTAs: places them as the SM does and gives their warps turns, until all have ended, one has
// raised an exception, or none can continue. Plain C++; docs/estimate.md describes the turns.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/state/control_snapshot.h"
#include "model/stats/statistics.h"
#include "sm/dispatch/cta_allocator.h"
#include "sm/dispatch/grid.h"
#include "sm/dispatch/mid_flight.h"
#include "sm/functional/warp_runner.h"

namespace smsim {
struct Config;
}

namespace smsim::sm::functional {

class Executor {
  public:
    /// Instructions of a warp in one turn, and of a CTA.
    static constexpr std::uint64_t kWarpTurn = 256;
    static constexpr std::uint64_t kCtaTurn = 4096;

    /// The number of the next CTA to execute; nullopt: none at present. Called when there is room for it.
    using NextCta = std::function<std::optional<std::uint64_t>()>;
    /// Why `run` has returned.
    enum class Stopped : std::uint8_t {
        kBudget, ///< the requested number of instructions has been executed
        kEmpty,  ///< no CTA is resident, and there is no next one
        kRaised,
        kBlocked, ///< all resident warps wait at CTA barriers for one another
    };

    /// All references must outlive the object.
    Executor(const Config &config, GlobalPort &global, GlobalBounds &bounds);
    /// As WarpRunner::watch.
    void watch(Watcher *watcher) { runner_.watch(watcher); }

    /// Whether `collect` gives records of single warps, as the launch requests, or only sums. True at first.
    void keep_records(bool records) { records_ = records; }

    /// Begins a launch; nothing may be resident. `next` says which CTAs are executed here. `grid.launch` must outlive
    /// it. `local_slot`: as for WarpRunner::begin.
    void begin(const Grid &grid, NextCta next, std::uint64_t local_slot = 0);
    /// Executes at most `most` further instructions.
    Stopped run(std::uint64_t most);

    /// Transfers all residents, which are not resident here any more; `next` is the first CTA that has not started. Not
    /// after an exception.
    MidFlight hand_over(std::uint64_t next);
    /// As those of WarpRunner.
    void set_clock(std::uint64_t least) { runner_.set_clock(least); }
    std::uint64_t clock() const { return runner_.clock(); }

    bool has_residents() const { return !ctas_.empty(); }
    /// CTAs that have ended since `begin`.
    std::uint64_t completed() const { return completed_; }
    /// Instructions executed since construction.
    std::uint64_t executed() const { return runner_.executed(); }
    const std::optional<Raised> &raised() const { return runner_.raised(); }
    /// Warps that are resident or were last, by slot.
    const WarpStart &start_of(WarpSlot warp) const { return starts_[warp.value()]; }
    /// The control state of a resident warp. Its engine learns of other instructions only with the next control
    /// instruction: with `next` the state is as it will be then.
    ControlSnapshot snapshot(WarpSlot warp, std::optional<Pc> next) const;
    /// Where the threads of a resident warp are and why, in one line.
    std::string describe(WarpSlot warp) const { return runner_.engine().describe(warp); }
    /// What every resident warp is doing, and which warps wait at which barrier; several lines, the last without a
    /// newline.
    std::string describe() const;
    /// The registers of a resident warp.
    const compute::WarpRegisters &registers(WarpSlot warp) const;
    /// Resident warps that do not wait at a CTA barrier, in order of warp slots.
    std::vector<WarpSlot> running() const;
    /// Calls `body` for every warp that is resident, in order of warp slots.
    void for_each_resident(const std::function<void(const WarpStart &, const compute::WarpRegisters &)> &body) const;
    /// Reads bytes of shared memory.
    std::vector<std::uint8_t> read_shared(std::uint64_t base, std::uint32_t bytes);
    /// Adds the counts since `begin`, including warps that have not ended.
    void collect(RunStats &stats) const;

  private:
    void place_more();
    void keep(const Warp &warp);
    /// One turn of a CTA of at most `most` instructions. Returns how many it has executed.
    std::uint64_t run_cta(Cta &cta, std::uint64_t most);
    void note_end(const Warp &warp);
    void retire(std::size_t index);
    WarpStats stats_of(const Warp &warp) const;
    const Warp *resident(WarpSlot slot) const;

    const Config &config_;
    WarpRunner runner_;
    CtaAllocator allocator_;
    Grid grid_;
    NextCta next_;
    std::vector<std::unique_ptr<Cta>> ctas_; ///< resident, in the order of their turns
    std::size_t turn_ = 0;
    bool has_room_ = false; ///< something has ended since the last attempt to place a CTA
    std::uint64_t next_age_ = 0;
    bool records_ = true; ///< keep records of warps
    std::uint64_t completed_ = 0;
    std::vector<WarpStart> starts_;  ///< by warp slot
    std::vector<WarpRecords> ended_; ///< by sub-partition, warps that have ended or been transferred
};

} // namespace smsim::sm::functional
