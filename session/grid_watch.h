// Finds launches whose CTAs wait for CTAs that have no room: a barrier of the whole grid, say, on an SM that cannot
// hold all of it at once. The CTAs that are resident look at memory for ever, and the others never start.
//
// Nothing is observed while CTAs start and end. Where none has for a while and some wait for room, the warps are
// watched now and then (PollWatch); what is found is certain, not a matter of patience.
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
    /// What executes the launch, in time or without.
    struct Machine {
        /// Who is told of instructions from now on.
        std::function<void(sm::ExecutionObserver *)> observe;
        /// Resident warps that do not wait at a CTA barrier.
        std::function<std::vector<WarpSlot>()> running;
        std::function<const WarpStart &(WarpSlot)> start_of;
    };

    /// `usual`: who is told of instructions whether somebody watches or not; null: nobody. `patience`: for so many
    /// cycles (instructions, where nothing has a time) without a CTA that ends nobody is watched.
    GridWatch(Machine machine, PollWatch watch, sm::ExecutionObserver *usual, std::uint64_t patience);
    ~GridWatch();
    GridWatch(const GridWatch &) = delete;
    GridWatch &operator=(const GridWatch &) = delete;

    /// A look in cycle `now`, between two time steps: `completed` CTAs have ended, and `waits` says that others wait
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
    std::uint64_t quiet_from_ = 0; ///< since then no CTA has ended
    std::uint64_t next_ = 0;       ///< when to watch again
    std::uint64_t until_ = 0;      ///< end of the present watch
    bool watching_ = false;
    bool began_ = false; ///< there has been a look
};

/// The end of such a launch in words: `left` of `count` CTAs have not started, `most` fit at once.
std::string grid_barrier_text(std::uint64_t left, std::uint64_t count, std::uint64_t most);

} // namespace smsim::session
