// One launch: its run in time beside the CTAs that are only executed, its end, its counters and its exception.
#include <algorithm>

#include <fmt/format.h>

#include "session/fault_text.h"
#include "session/machine.h"
#include "session/no_response.h"
#include "sm/dispatch/cta_allocator.h"

namespace smsim::session {
namespace {

/// Cycles between two checks of the progress and of the stop request: a fraction of a second even when every cycle is
/// written to a file.
constexpr Cycle kSlice = 2'000;
/// No check for CTAs that wait for ever while a CTA has ended within this many cycles.
constexpr Cycle kQuiet = 20'000;
/// When the watchdog ends a run, RTL that is this many cycles later than the model will not answer any more.
constexpr Cycle kOverdue = 1'000;

/// Adds what functional execution has found; its accesses have no cycle.
void add_outside(const OutsideAccesses &more, OutsideAccesses &all) {
    all.count += more.count;
    for (const OutsidePlace &place : more.places) {
        const auto same = std::ranges::find(all.places, place.pc, &OutsidePlace::pc);
        if (same == all.places.end()) {
            all.places.push_back(place);
        } else {
            same->count += place.count;
        }
    }
}

/// Makes cycles count from `begin`.
void count_from(Cycle begin, RunStats &stats) {
    for (WarpStats &warp : stats.warps) {
        warp.start -= begin;
        warp.end -= begin;
    }
    for (Cycle &end : stats.cta_ends) {
        end -= begin;
    }
    stats.occupancy.count_from(begin);
    for (Hazard &hazard : stats.hazards) {
        hazard.cycle -= begin;
    }
    for (OutsidePlace &place : stats.outside.places) {
        place.cycle -= std::min(begin, place.cycle);
    }
    stats.cycles -= std::min(begin, stats.cycles);
}

/// Gives all counts over time intervals of one width.
void to_one_width(RunStats &stats) {
    Cycle width = stats.over_time.empty() ? 1 : stats.over_time.front().width();
    settle_uses(stats.units, width);
    for (const UnitUse &use : stats.units) {
        width = use.instances.front().width();
    }
    for (IntervalCounters &counters : stats.over_time) {
        counters.widen_to(width);
    }
}

} // namespace

/// Executes the CTAs from `next` on that are functional, up to the next timed one, which is returned.
std::uint64_t Session::Machine::execute_elsewhere(std::uint64_t next, std::uint64_t count) {
    const std::uint64_t timed = std::min(options.timed.next(next), count);
    if (timed != next) {
        functional->take(next, timed, options.timed.is_rest());
        count_completed();
        if (functional->fault()) {
            pause();
        }
    }
    handed_out += timed != count ? 1 : 0;
    return timed;
}

/// Reports CTAs that have ended in functional execution to the distributor.
void Session::Machine::count_completed() {
    for (std::uint64_t left = functional->take_completed(); left != 0; --left) {
        distributor.completed();
    }
}

/// Gives functional CTAs that have not ended a turn beside the timed ones.
void Session::Machine::go_on_elsewhere() {
    if (functional && functional->is_busy()) {
        functional->go_on(handed_out > unit.dispatch().completed());
        count_completed();
    }
}

std::string Session::Machine::describe(const sm::Grid &grid, Cycle at) const {
    return fmt::format("{} of {} CTAs have completed. Its warps:\n{}", distributor.completed_ctas(), grid.cta_count(),
                       unit.describe(at));
}

/// Whether a running launch must end here, and why.
std::optional<EarlyEnd> Session::Machine::early_end() const {
    if (over()) {
        return std::nullopt;
    }
    if (limit && limit->reached()) {
        return EarlyEnd::kInstructionLimit;
    }
    if (recorder && recorder->failed()) {
        return EarlyEnd::kFileError;
    }
    return is_stopped() ? std::optional(EarlyEnd::kInterrupted) : std::nullopt;
}

void Session::Machine::run(const Kernel &kernel, const sm::Grid &grid, LaunchResult &result) {
    Cycle &now = reached;
    now = clock.now();
    const Cycle watchdog = result.begin + std::min(config.sm.watchdog_cycles, kNever - result.begin);
    const std::unique_ptr<GridWatch> grid_watch = make_grid_watch();
    while (!over()) {
        // A slice reaches at least the next event: a sleep may be longer than any slice.
        Cycle to_event = 0;
        if (sc_core::sc_pending_activity_at_future_time()) {
            to_event = clock.at(sc_core::sc_time_to_pending_activity()) - now + 1;
        }
        const Cycle left = watchdog > now ? watchdog - now : 0;
        if (left == 0 || to_event > left) {
            if (left != 0) {
                sc_core::sc_start(clock.span(left), sc_core::SC_RUN_TO_TIME);
                now = clock.now();
            }
            findings->look_for_missing(now, now - std::min(now, kOverdue));
            result.fault = Fault::kWatchdog;
            result.exception =
                fmt::format("Watchdog: kernel '{}' has not ended after {} cycles (sm.watchdog_cycles); {}", kernel.name,
                            config.sm.watchdog_cycles, describe(grid, now - 1)); // nothing of `now` has happened
            if (const std::string owed = unanswered_text(unit, regions, now, kOverdue); !owed.empty()) {
                result.exception += "\n  " + owed;
            }
            break;
        }
        // Starvation ends the call at the last event, so that a deadlock is dated by it; where events continue, by
        // this check.
        run_slice(clock.span(std::min(std::max(kSlice, to_event), left)));
        now = clock.now();
        if (options.progress) {
            options.progress(now - result.begin, distributor.completed_ctas());
        }
        go_on_elsewhere();
        const bool others = functional && functional->is_busy();
        if (!over() && ((!sc_core::sc_pending_activity() && !others) || unit.is_deadlocked())) {
            // It is over when no state changes any more.
            if (const Cycle last = unit.changes_until(); last > now && !sc_core::sc_pending_activity()) {
                sc_core::sc_start(clock.span(last - now), sc_core::SC_RUN_TO_TIME);
                now = clock.now();
            }
            findings->look_for_missing(now, now);
            if (!sc_core::sc_pending_activity()) {
                lost = no_response(unit, regions, now);
            }
            if (lost) {
                result.fault = Fault::kNoResponse;
                result.exception = fmt::format("NoResponse: kernel '{}': {}; nothing else can happen any more",
                                               kernel.name, lost->report.detail);
                break;
            }
            result.fault = Fault::kBarrierDeadlock;
            result.exception = fmt::format("BarrierDeadlock: kernel '{}': nothing can happen any more and {}",
                                           kernel.name, describe(grid, now));
            break;
        }
        if (!over() && grid_watch &&
            grid_watch->stands_still(now, distributor.completed_ctas(),
                                     distributor.any_left() && unit.dispatch().is_quiet())) {
            const std::uint64_t most = sm::CtaAllocator(config).max_resident(grid.demand);
            result.fault = Fault::kBarrierDeadlock;
            result.exception =
                fmt::format("BarrierDeadlock: kernel '{}': {}; {}", kernel.name,
                            grid_barrier_text(distributor.left(), grid.cta_count(), most), describe(grid, now));
            break;
        }
        result.early_end = early_end();
        if (result.early_end) {
            if (*result.early_end == EarlyEnd::kInstructionLimit) { // every part reaches the end of this cycle
                sc_core::sc_start(clock.period(), sc_core::SC_RUN_TO_TIME);
            }
            break;
        }
    }
    if (over()) { // in the very cycle of the limit
        result.early_end.reset();
    }
    if (functional && functional->fault() && !functional->raised()) {
        result.fault = functional->fault();
        result.exception = functional->explain(kernel, grid);
    }
}

/// Null where the outcome of a launch cannot be predicted: something outside the SM may change memory.
std::unique_ptr<GridWatch> Session::Machine::make_grid_watch() {
    if (!own_memory || functional || config.ideal.locks) {
        return nullptr;
    }
    return std::make_unique<GridWatch>(
        GridWatch::Machine{[this](sm::ExecutionObserver *observer) { unit.observe(observer); },
                           [this] { return unit.running(); },
                           [this](WarpSlot warp) -> const WarpStart & { return unit.start_of(warp); }},
        PollWatch([this](WarpSlot warp, std::optional<Pc> next) { return unit.branch_unit().snapshot(warp, next); },
                  [this](WarpSlot warp) -> const sm::compute::WarpRegisters & { return unit.registers(warp); },
                  [this](std::uint64_t address, std::span<std::uint8_t> to) { memory.read(address, to); }),
        instructions.as_one(), kQuiet);
}

/// Lets `span` pass, or what is left of it until nothing can happen any more.
void Session::Machine::run_slice(const sc_core::sc_time &span) {
    unit.calendar().lead_until(leads ? (sc_core::sc_time_stamp() + span).value() : 0);
    sc_core::sc_start(span, sc_core::SC_EXIT_ON_STARVATION);
    unit.calendar().lead_until(0);
}

/// The simulation ends at the current time, also for a calendar that is called after this.
void Session::Machine::pause() {
    unit.calendar().lead_until(0);
    sc_core::sc_pause();
}

/// Executes the first instructions of a launch, and starts time for what is resident then. False: it was stopped
/// before.
bool Session::Machine::begin_in_mid_flight(const sm::Grid &grid) {
    const Cycle now = clock.now();
    const bool goes_on = functional->run_first(options.timed.instructions_before(), grid, now + clock_offset);
    if (!goes_on || functional->fault()) { // it ends here, with everything where it is
        distributor.begin(grid);
        return goes_on;
    }
    mid_flight.emplace(functional->hand_over());
    clock_offset =
        std::max(clock_offset, functional->executor().clock() - std::min(functional->executor().clock(), now));
    present->clock_offset = clock_offset;
    std::vector<std::uint8_t> shared = functional->executor().read_shared(0, config.shared.bytes);
    unit.write_shared(0, shared);
    distributor.begin(grid, SmId(), *mid_flight);
    return true;
}

/// Runs the launch, timed or functional.
void Session::Machine::execute(const Kernel &kernel, const sm::Grid &grid, LaunchResult &result) {
    reached = result.begin;
    if (is_stopped()) { // while buffers were filled
        distributor.begin(grid);
        result.early_end = EarlyEnd::kInterrupted;
        return;
    }
    if (untimed()) {
        functional->run(kernel, grid, result);
        reached = functional->executor().executed();
        return;
    }
    if (options.timed.instructions_before() != 0) {
        if (begin_in_mid_flight(grid)) {
            run(kernel, grid, result);
        } else {
            result.early_end = EarlyEnd::kInterrupted;
        }
        return;
    }
    if (functional) {
        functional->begin(grid);
        handed_out = 0;
    }
    distributor.begin(grid);
    run(kernel, grid, result);
}

/// The state of warps that have not dumped it at their end.
void Session::Machine::dump_states() {
    if (!state) {
        return;
    }
    const auto at_its_end = [this](const WarpStart &start, const sm::compute::WarpRegisters &registers) {
        state->ended(start, registers);
    };
    const auto unfinished = [this](const WarpStart &start, const sm::compute::WarpRegisters &registers) {
        state->unfinished(start, registers);
    };
    if (untimed()) {
        functional->executor().for_each_resident(unfinished);
    } else {
        unit.for_each_ending(at_its_end);
        unit.for_each_resident(unfinished);
    }
}

/// The counters of a launch in time.
void Session::Machine::collect(const Program &program, LaunchResult &result) {
    RunStats &stats = result.stats;
    stats = unit.collect(program, !result.completed());
    stats.warps_every = present->warp_wish.every;
    memory.collect(stats.global);
    memory.add_use(stats.cycles, stats.units);
    to_one_width(stats);
    stats.outside = bounds.found();
    if (functional) {
        result.untimed = functional->work();
        add_outside(functional->bounds().found(), stats.outside);
    }
    stats.lockstep = findings->take_stats();
    last_end = stats.cycles;
    count_from(result.begin, stats);
    if (options.parts != nullptr) {
        options.parts->used(result.begin, stats.cycles, stats.units);
    }
}

/// The exception of a launch, with its message and its place in the trace. If RTL differs from the model or has broken
/// the rules of its pins, that takes precedence over any other outcome.
void Session::Machine::explain(const LaunchContext &context, LaunchResult &result) {
    result.difference = findings->first();
    const auto difference_fault = [&result] {
        return result.difference->lockstep ? Fault::kLockstepDifference : Fault::kRtlViolation;
    };
    const auto difference_text = [&result] {
        return fmt::format("{} in cycle {}: {}", result.difference->part, result.difference->cycle,
                           result.difference->text);
    };
    const bool in_functional = functional && functional->fault();
    const bool owed = lost && lost->at.insn != nullptr;
    if (const std::optional<sm::RaisedFault> raised = in_functional ? functional->raised()
                                                      : owed        ? lost
                                                                    : unit.dispatch().fault()) {
        sm::RaisedFault fault = *raised;
        if (result.difference) {
            fault.report = {difference_fault(), difference_text()};
        }
        const RaisedException::Place place = place_of(fault, *context.program);
        result.fault = fault.report.fault;
        const std::string control =
            in_functional ? functional->executor().describe(fault.warp) : unit.branch_unit().describe(fault.warp);
        result.exception =
            fault_text(fault, place, *context.program, *context.kernel, control, regions, !in_functional);
        result.raised = RaisedException{fault.report.fault, in_functional ? reached : fault.cycle, place};
        if (trace && fault.at.insn != nullptr && (!in_functional || untimed())) {
            trace->raised(*result.raised);
        }
    } else if (result.difference) {
        result.early_end.reset();
        result.fault = difference_fault();
        result.exception =
            fmt::format("{}: kernel '{}': {}", fault_name(*result.fault), context.kernel->name, difference_text());
        result.raised = RaisedException{*result.fault, result.difference->cycle, std::nullopt};
    } else if (result.fault) {
        result.raised = RaisedException{*result.fault, reached, std::nullopt};
    }
    if (result.difference && !result.difference->lockstep) {
        result.difference.reset(); // its message is that of the exception
    }
}

} // namespace smsim::session
