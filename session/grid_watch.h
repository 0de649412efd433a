// Finds launches whose CTAs wait for CTAs that have no room: for example at a barrier of the whole grid, on an SM that
// cannot hold all of it at once. The resident CTAs poll memory for ever, and the others never start.
//
// Nothing is observed while CTAs start and end. When none has for a while and some wait for room, the warps are
// watched at intervals (PollWatch). A finding is certain, not a timeout.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "session/poll_watch.h"

namespace smsim::session {

class GridWatch {
  public:
    /// What executes the launch, timed or functional.
    struct Machine {
        /// Sets the observer of instructions from now on.
        std::function<void(sm::ExecutionObserver *)> observe;
        /// Resident warps that do not wait at a CTA barrier.
        std::function<std::vector<WarpSlot>()> running;
        std::function<const WarpStart &(WarpSlot)> start_of;
    };

    /// `usual`: the observer that is notified of instructions whether there is a watch or not; null: none. `patience`:
    /// no warp is watched until this many cycles (instructions in functional execution) have passed without the end of
    /// a CTA.
    GridWatch(Machine machine, PollWatch watch, sm::ExecutionObserver *usual, std::uint64_t patience);
    ~GridWatch();
    GridWatch(const GridWatch &) = delete;
    GridWatch &operator=(const GridWatch &) = delete;

    /// Checks in cycle `now`, between two time steps: `completed` CTAs have ended, and `waits` says that others wait
    /// for room and that none of them is about to start. True: each of the resident warps waits at a CTA barrier or
    /// repeats the same reads, and none of them will ever do anything else.
    bool stands_still(std::uint64_t now, std::uint64_t completed, bool waits);

  private:
    class Both;
    void watch(std::uint64_t now);
    void pause(std::uint64_t now);

    Machine machine_;
    PollWatch watch_;
    sm::ExecutionObserver *usual_;
    std::unique_ptr<Both> both_;
    std::uint64_t patience_;
    std::uint64_t completed_ = 0;
    std::uint64_t quiet_from_ = 0; ///< no CTA has ended since then
    std::uint64_t next_ = 0;       ///< when to watch again
    std::uint64_t until_ = 0;      ///< end of the current watch
    bool watching_ = false;
    bool began_ = false; ///< there has been a check
};

/// The message for such a launch: `left` of `count` CTAs have not started, `most` fit at once.
std::string grid_barrier_text(std::uint64_t left, std::uint64_t count, std::uint64_t most);

} // namespace smsim::session
