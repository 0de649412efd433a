#include "session/functional_run.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "model/config/config.h"
#include "session/grid_watch.h"
#include "sm/dispatch/cta_allocator.h"

namespace smsim::session {
namespace {

/// Instructions between two checks of the progress and of the stop request: some milliseconds.
constexpr std::uint64_t kSlice = 100'000;
/// The most that each of the CTAs executed beside timed ones runs at once before the timed ones continue: what it
/// waits for may be there.
constexpr std::uint64_t kAtOnce = 1'000'000;
constexpr std::uint64_t kBeside = 20'000;
/// No check for CTAs that wait for ever while a CTA has ended within this many instructions.
constexpr std::uint64_t kQuiet = 1'000'000;

} // namespace

/// Reports what is executed to an observer of the SM, in the SM's terms.
class FunctionalRun::Teller final : public sm::functional::Watcher {
  public:
    explicit Teller(sm::ExecutionObserver &observer) : observer_(observer) {}

    void accesses(const MemoryRequest &request) override {
        static_cast<MemoryRequest &>(access_) = request;
        observer_.accesses(access_);
    }
    void executed(const sm::functional::Executed &done) override {
        observer_.executed({done.number, done.start, done.insn, done.active, done.executed, done.sequence});
        if (done.access != nullptr) {
            static_cast<MemoryRequest &>(access_) = *done.access;
        }
        observer_.completed({done.number, done.start, done.insn, done.executed, done.sequence, done.registers,
                             done.access != nullptr ? &access_ : nullptr});
    }
    void ended(const WarpStart &start, const sm::compute::WarpRegisters &registers) override {
        observer_.ended(start, registers);
    }

  private:
    sm::ExecutionObserver &observer_;
    protocol::LoadStoreExtension access_;
};

FunctionalRun::FunctionalRun(const Config &config, const Options &options, MemoryBackend &memory, bool direct,
                             const memory::Regions &regions)
    : config_(config), options_(options), backend_(memory), direct_(direct), memory_(memory, direct),
      bounds_(regions, options.memory_check,
              [this](WarpSlot warp) -> const WarpStart & { return executor_.start_of(warp); }),
      executor_(config, memory_, bounds_) {
    executor_.keep_records(options.timed.is_none()); // otherwise the records are those of the CTAs in time
}

FunctionalRun::~FunctionalRun() = default;

void FunctionalRun::observe(sm::ExecutionObserver *observer) {
    observer_ = observer;
    tell(observer);
}

void FunctionalRun::tell(sm::ExecutionObserver *observer) {
    teller_ = observer != nullptr ? std::make_unique<Teller>(*observer) : nullptr;
    executor_.watch(teller_.get());
}

std::unique_ptr<GridWatch> FunctionalRun::make_grid_watch() {
    if (!direct_ || config_.ideal.locks) {
        return nullptr;
    }
    return std::make_unique<GridWatch>(
        GridWatch::Machine{[this](sm::ExecutionObserver *observer) { tell(observer); },
                           [this] { return executor_.running(); },
                           [this](WarpSlot warp) -> const WarpStart & { return executor_.start_of(warp); }},
        PollWatch([this](WarpSlot warp, std::optional<Pc> next) { return executor_.snapshot(warp, next); },
                  [this](WarpSlot warp) -> const sm::compute::WarpRegisters & { return executor_.registers(warp); },
                  [this](std::uint64_t address, std::span<std::uint8_t> to) { backend_.read(address, to); }),
        observer_, kQuiet);
}

// --- whole launches ------------------------------------------------------------------------------------------------

/// More than the watchdog would allow in time, whatever the timing.
std::uint64_t FunctionalRun::most_of_launch() const {
    const std::uint64_t per_cycle = config_.sm.sub_partitions;
    return config_.sm.watchdog_cycles > kNever / per_cycle ? kNever : config_.sm.watchdog_cycles * per_cycle;
}

void FunctionalRun::reset() {
    bounds_.clear();
    waiting_.clear();
    fault_.reset();
    counted_ = 0;
    begun_at_ = executor_.executed();
}

void FunctionalRun::begin(const sm::Grid &grid) {
    reset();
    executor_.begin(
        grid,
        [this]() -> std::optional<std::uint64_t> {
            if (waiting_.empty()) {
                return std::nullopt;
            }
            auto &[first, behind] = waiting_.front();
            const std::uint64_t cta = first++;
            if (first == behind) {
                waiting_.pop_front();
            }
            return cta;
        },
        config_.warps()); // after those of the warps in time
}

void FunctionalRun::begin_all(const sm::Grid &grid) {
    reset();
    next_ = 0;
    executor_.begin(
        grid, [this, count = grid.cta_count()]() { return next_ < count ? std::optional(next_++) : std::nullopt; });
}

bool FunctionalRun::run_first(std::uint64_t count, const sm::Grid &grid, std::uint64_t clock) {
    begin_all(grid);
    executor_.set_clock(clock);
    const std::uint64_t until = executor_.executed() + std::min(count, kNever - executor_.executed());
    while (!fault_ && executor_.executed() != until && executor_.completed() != grid.cta_count()) {
        execute(std::min(kSlice, until - executor_.executed()));
        if (options_.progress) {
            options_.progress(0, executor_.completed());
        }
        if (options_.stop && options_.stop()) {
            return false;
        }
    }
    return true;
}

void FunctionalRun::run(const Kernel &kernel, const sm::Grid &grid, LaunchResult &result) {
    begin_all(grid);
    const std::uint64_t limit = options_.max_instructions != 0 ? options_.max_instructions : kNever;
    const std::unique_ptr<GridWatch> grid_watch = make_grid_watch();
    while (!fault_) {
        execute(std::min(kSlice, limit - executor_.executed()));
        if (options_.progress) {
            options_.progress(executor_.executed() - begun_at_, executor_.completed());
        }
        if (fault_ || executor_.completed() == grid.cta_count()) {
            break;
        }
        if (const std::uint64_t count = grid.cta_count();
            grid_watch && grid_watch->stands_still(executor_.executed(), executor_.completed(), next_ < count)) {
            fault_ = Fault::kBarrierDeadlock;
            result.fault = fault_;
            result.exception = fmt::format(
                "BarrierDeadlock: kernel '{}': {}; {}", kernel.name,
                grid_barrier_text(count - next_, count, sm::CtaAllocator(config_).max_resident(grid.demand)),
                state_text(grid));
            return;
        }
        if (executor_.executed() == limit) {
            result.early_end = EarlyEnd::kInstructionLimit;
            return;
        }
        if (options_.stop && options_.stop()) {
            result.early_end = EarlyEnd::kInterrupted;
            return;
        }
    }
    result.fault = fault_;
    if (fault_ && !executor_.raised()) {
        result.exception = explain(kernel, grid);
    }
}

void FunctionalRun::execute(std::uint64_t most) {
    switch (executor_.run(most)) {
    case sm::functional::Executor::Stopped::kRaised:
        fault_ = executor_.raised()->report.fault;
        return;
    case sm::functional::Executor::Stopped::kBlocked:
        fault_ = Fault::kBarrierDeadlock;
        return;
    default:
        if (executor_.executed() - begun_at_ > most_of_launch()) {
            fault_ = Fault::kWatchdog;
        }
    }
}

std::optional<sm::RaisedFault> FunctionalRun::raised() const {
    if (!executor_.raised()) {
        return std::nullopt;
    }
    const sm::functional::Raised &raised = *executor_.raised();
    sm::RaisedFault fault;
    fault.report = raised.report;
    fault.warp = raised.start.warp;
    fault.start = raised.start;
    fault.at = {raised.insn, raised.pc, raised.active, raised.executed, 0, 0};
    return fault;
}

std::string FunctionalRun::state_text(const sm::Grid &grid) const {
    return fmt::format("{} of {} CTAs have completed. Its warps:\n{}", executor_.completed(), grid.cta_count(),
                       executor_.describe());
}

std::string FunctionalRun::explain(const Kernel &kernel, const sm::Grid &grid) const {
    const std::string state = state_text(grid);
    if (fault_ == Fault::kWatchdog) {
        return fmt::format("Watchdog: kernel '{}' has not ended after {} warp instructions, the most of {} cycles "
                           "(sm.watchdog_cycles); {}",
                           kernel.name, most_of_launch(), config_.sm.watchdog_cycles, state);
    }
    return fmt::format("BarrierDeadlock: kernel '{}': nothing can happen any more and {}", kernel.name, state);
}

// --- some CTAs of a launch -----------------------------------------------------------------------------------------

void FunctionalRun::take(std::uint64_t first, std::uint64_t last, bool to_the_end) {
    if (first < last) {
        waiting_.emplace_back(first, last);
    }
    const bool no_limit = to_the_end || last - first > (kNever - executor_.executed()) / kAtOnce;
    const std::uint64_t until = no_limit ? kNever : executor_.executed() + kAtOnce * (last - first);
    while (!fault_ && is_busy() && executor_.executed() < until && !(options_.stop && options_.stop())) {
        execute(kSlice);
    }
}

void FunctionalRun::go_on(bool in_time) {
    if (!fault_ && is_busy()) {
        execute(in_time ? kBeside : kSlice);
    }
}

std::uint64_t FunctionalRun::take_completed() {
    return executor_.completed() - std::exchange(counted_, executor_.completed());
}

UntimedWork FunctionalRun::work() const {
    RunStats stats;
    executor_.collect(stats);
    const WarpSums sums = stats.totals();
    return {stats.ctas, sums.instructions, sums.thread_instructions};
}

} // namespace smsim::session
