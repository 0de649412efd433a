#include "session/grid_watch.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "session/observers.h"

namespace smsim::session {
namespace {

/// A watch takes a small part of the time in which nothing has happened.
constexpr std::uint64_t kShare = 8;

} // namespace

/// The permanent observer and the watch.
class GridWatch::Both {
  public:
    Both(sm::ExecutionObserver *usual, sm::ExecutionObserver &watch) {
        all_.add(usual);
        all_.add(&watch);
    }
    sm::ExecutionObserver *as_one() { return all_.as_one(); }

  private:
    ExecutionObservers all_;
};

GridWatch::GridWatch(Machine machine, PollWatch watch, sm::ExecutionObserver *usual, std::uint64_t patience)
    : machine_(std::move(machine)), watch_(std::move(watch)), usual_(usual),
      both_(std::make_unique<Both>(usual, watch_)), patience_(patience) {}

GridWatch::~GridWatch() {
    if (watching_) {
        machine_.observe(usual_);
    }
}

void GridWatch::watch(std::uint64_t now) {
    watching_ = true;
    until_ = now + std::max(patience_, (now - quiet_from_) / kShare);
    watch_.restart();
    machine_.observe(both_->as_one());
}

void GridWatch::pause(std::uint64_t now) {
    if (std::exchange(watching_, false)) {
        machine_.observe(usual_);
    }
    next_ = now + std::max(patience_, now - quiet_from_);
}

bool GridWatch::stands_still(std::uint64_t now, std::uint64_t completed, bool waits) {
    if (!waits || completed != completed_ || !began_) {
        began_ = true;
        completed_ = completed;
        quiet_from_ = now;
        pause(now);
        return false;
    }
    if (!watching_) {
        if (now >= next_) {
            watch(now);
        }
        return false;
    }
    if (watch_.is_disturbed()) {
        pause(now);
        return false;
    }
    const std::vector<WarpSlot> running = machine_.running();
    if (!running.empty() &&
        std::ranges::all_of(running, [&](WarpSlot slot) { return watch_.repeats(machine_.start_of(slot)); })) {
        return true;
    }
    if (now >= until_) {
        pause(now);
    }
    return false;
}

std::string grid_barrier_text(std::uint64_t left, std::uint64_t count, std::uint64_t most) {
    return fmt::format(
        "{} of {} CTAs {} never started: {} fit at once, and none of these will end, because each of their "
        "warps waits at a CTA barrier or repeats reads of memory that nothing changes any more. A barrier "
        "of the whole grid needs all of its CTAs resident at once",
        left, count, left == 1 ? "has" : "have", most);
}

} // namespace smsim::session
