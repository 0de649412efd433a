#include "session/session.h"

#include <algorithm>

#include <fmt/format.h>
#include <systemc>

#include "cosim/implementations.h"
#include "cosim/recent_transactions.h"
#include "cosim/rtl_operations.h"
#include "cosim/transactions/recorder.h"
#include "memory/regions.h"
#include "model/config/config.h"
#include "model/config/validate.h"
#include "model/launch/contents.h"
#include "model/launch/layout.h"
#include "model/program/engine.h"
#include "model/state/launch_context.h"
#include "session/cta_demand.h"
#include "session/device_output.h"
#include "session/fault_text.h"
#include "session/functional_run.h"
#include "session/grid_watch.h"
#include "session/model_memory.h"
#include "session/no_response.h"
#include "session/observers.h"
#include "session/session_claim.h"
#include "session/timing_only_options.h"
#include "sm/dispatch/cta_allocator.h"
#include "sm/dispatch/grid_distributor.h"
#include "sm/load_store/global_bounds.h"
#include "sm/program_order.h"
#include "sm/streaming_multiprocessor.h"
#include "views/trace/control_log.h"
#include "views/trace/detailed_trace.h"
#include "views/trace/state_dump.h"
#include "views/trace/trace.h"
#include "views/waveforms/waveforms.h"

namespace smsim::session {
namespace {

/// Cycles between two checks of the progress and of the stop request: a fraction of a second even when every cycle is
/// written to a file.
constexpr Cycle kSlice = 2'000;
/// No check for CTAs that wait for ever while a CTA has ended within this many cycles.
constexpr Cycle kQuiet = 20'000;
/// When the watchdog ends a run, RTL that is this many cycles later than the model will not answer any more.
constexpr Cycle kOverdue = 1'000;
constexpr std::uint64_t kLocalMemory = 0x4000'0000;
constexpr std::uint64_t kLocalAlignment = 16; ///< of a thread's window, in bytes

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
    return (value + unit - 1) / unit * unit;
}

/// The grid of a launch; rejects launches that cannot run.
sm::Grid make_grid(const Config &config, const Program &program, const Kernel &kernel, const launch::Launch &what) {
    const auto refuse = [&](const std::string &reason) {
        throw InputError(fmt::format("{}kernel '{}' cannot be launched: {}", what.place(), kernel.name, reason));
    };
    if (const std::string reason = engine_mismatch(program, config); !reason.empty()) {
        refuse(reason);
    }
    if (const std::string reason = barrier_shortage(program, kernel, config); !reason.empty()) {
        refuse(reason);
    }
    if (const std::string reason = cosim::unclaimed(config, program, kernel); !reason.empty()) {
        refuse(reason);
    }
    launch::check_limits(what);
    launch::check_parameters(what, kernel);
    launch::check_block(what, kernel);
    sm::Grid grid;
    grid.ctas = what.grid;
    grid.threads = what.block;
    grid.entry = kernel.entry;
    grid.demand = cta_demand(kernel, what);
    if (const std::string reason = sm::CtaAllocator(config).impossible(grid.demand); !reason.empty()) {
        refuse(reason);
    }
    return grid;
}

/// Bytes of local memory of one thread, and of one warp.
std::uint32_t local_bytes_of(const Kernel &kernel) {
    return static_cast<std::uint32_t>(round_up(kernel.local_bytes, kLocalAlignment));
}
std::uint64_t local_window(const Kernel &kernel) {
    return std::uint64_t{local_bytes_of(kernel)} * kLanes;
}

/// Pauses the simulation when a number of warp instructions has been executed.
class InstructionLimit final : public sm::ExecutionObserver {
  public:
    explicit InstructionLimit(std::uint64_t limit) : left_(limit) {}
    void executed(const sm::ExecutedInstruction &) override {
        if (left_ != 0 && --left_ == 0) {
            sc_core::sc_pause();
        }
    }
    bool reached() const { return left_ == 0; }

  private:
    std::uint64_t left_;
};

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

struct Session::Machine {
    Machine(const Config &given, const Options &wanted);

    sm::LinkBinder *make_binder();
    void watch();
    void prepare(LaunchContext &context, const Program &program, const Kernel &kernel, const launch::Launch &what,
                 std::span<const std::uint64_t> addresses);
    std::uint64_t records_every(std::uint64_t ctas, std::uint64_t warps_each) const;
    void place(const Program &program);
    void map(std::uint64_t base, std::uint64_t bytes, const std::string &name);
    void map_local_memory(std::uint64_t bytes);
    std::uint64_t execute_elsewhere(std::uint64_t next, std::uint64_t count);
    void count_completed();
    void go_on_elsewhere();
    void execute(const Kernel &kernel, const sm::Grid &grid, LaunchResult &result);
    bool begin_in_mid_flight(const sm::Grid &grid);
    void run(const Kernel &kernel, const sm::Grid &grid, LaunchResult &result);
    std::unique_ptr<GridWatch> make_grid_watch();
    void run_slice(const sc_core::sc_time &span);
    void pause();
    void dump_states();
    void collect(const Program &program, LaunchResult &result);
    void explain(const LaunchContext &context, LaunchResult &result);
    std::optional<EarlyEnd> early_end() const;
    std::string describe(const sm::Grid &grid, Cycle at) const;
    bool over() const {
        return distributor.finished() || unit.dispatch().fault().has_value() || differs ||
               (functional && functional->fault());
    }
    /// Whether the caller requests an end.
    bool is_stopped() const { return options.stop && options.stop(); }
    /// Whether everything is executed functionally.
    bool untimed() const { return options.timed.is_none(); }
    /// Windows of local memory for all warps that are resident at once.
    std::uint64_t local_windows() const {
        const bool beside = functional && !untimed() && options.timed.instructions_before() == 0;
        return std::uint64_t{config.warps()} * (beside ? 2 : 1);
    }

    SessionClaim claim;
    const Config &config;
    Options options;
    protocol::Clock clock;
    memory::Regions regions; ///< whatever the memory knows about them
    std::unique_ptr<MemoryBackend> own_memory;
    MemoryBackend &memory;
    std::optional<views::waveforms::Waveforms> waves;
    std::optional<cosim::transactions::Recorder> recorder;
    sm::GridDistributor distributor{"distributor", sm::make_cta_distribution(config.sm)};
    std::shared_ptr<cosim::Findings> findings; ///< of parts in lockstep
    bool differs = false;                      ///< one of them has found a difference that no instruction will report
    sm::StreamingMultiprocessor unit;
    bool leads; ///< its calendar may run ahead, as Options::ahead
    sm::GlobalBounds bounds;
    std::optional<FunctionalRun> functional; ///< of CTAs that are not simulated in time
    std::unique_ptr<views::TraceWriter> trace;
    std::optional<views::ControlLog> control_log; ///< in place of `trace`
    std::optional<views::StateDump> state;
    std::optional<InstructionLimit> limit;
    ExecutionObservers in_order; ///< get each warp's instructions in program order
    std::optional<sm::ProgramOrder> program_order;
    ExecutionObservers instructions; ///< get them as they are executed
    PartObservers events;
    std::unique_ptr<LaunchContext> present; ///< of the current launch, or the last one
    std::uint32_t launches = 0;             ///< so far
    std::vector<const Program *> programs;  ///< resident
    std::uint64_t local_base = kLocalMemory;
    std::uint64_t local_bytes = 0;           ///< mapped
    Cycle last_end = 0;                      ///< of a warp
    Cycle clock_offset = 0;                  ///< of the clock of programs, as LaunchContext::clock_offset
    std::optional<sm::MidFlight> mid_flight; ///< where the current launch continues in time, or the last one
    std::uint64_t handed_out = 0;            ///< CTAs of the current launch that are simulated in time
    Cycle reached = 0;                       ///< the last cycle that counts
    std::optional<sm::RaisedFault> lost;     ///< NoResponse has ended the launch
    bool ended = false;                      ///< a launch has not completed, or `finish` was called
};

Session::Machine::Machine(const Config &given, const Options &wanted)
    : config(given), options(wanted), clock(given), regions(given.global.bytes, sm::GlobalBounds::kPageBytes),
      own_memory(wanted.memory == nullptr ? std::make_unique<ModelMemory>(given) : nullptr),
      memory(own_memory ? *own_memory : *wanted.memory), waves(), recorder(),
      findings(wanted.findings ? wanted.findings : std::make_shared<cosim::Findings>()),
      unit("sm", given, distributor, SmId(), wanted.reverse_order, make_binder(),
           wanted.factory != nullptr ? *wanted.factory : cosim::factory_of(given, findings, wanted.block_waveforms)),
      bounds(regions, wanted.memory_check, [this](WarpSlot warp) -> const WarpStart & { return unit.start_of(warp); }) {
    if (sm::LinkBinder *const binder = waves ? &*waves : options.binder; binder != nullptr) {
        binder->join(unit.global, memory.socket(), "global");
    } else {
        unit.global.bind(memory.socket());
    }
    const bool all_joined = memory.join(unit.calendar()) && unit.may_lead();
    leads = options.ahead && all_joined && options.binder == nullptr && !waves && !recorder &&
            options.max_instructions == 0;
    if (waves) {
        waves->declare();
    }
    bounds.tell(memory.expected());
    unit.check_bounds(bounds);
    if (!options.timed.is_all()) {
        functional.emplace(config, options, memory, own_memory != nullptr, regions);
    }
    if (functional && !untimed() && options.timed.instructions_before() == 0) {
        distributor.elsewhere(
            [this](std::uint64_t next, std::uint64_t count) { return execute_elsewhere(next, count); });
    }
    watch();
    distributor.on_end([this] {
        if (sc_core::sc_is_running()) {
            pause();
        }
    });
    unit.dispatch().on_fault([this] { pause(); });
    findings->on_end([this] {
        differs = true;
        pause();
    });
}

/// The binder of the links. Waveforms and recorder, if requested, stand between the parts and are created before them.
sm::LinkBinder *Session::Machine::make_binder() {
    if (options.waveforms && options.binder != nullptr) {
        throw InputError("waveforms bind the links of the SM themselves; expected no other binder");
    }
    sm::LinkBinder *const binder =
        options.waveforms ? &waves.emplace("waveforms", *options.waveforms, config) : options.binder;
    return options.transactions.empty() ? binder : &recorder.emplace(options.transactions, config, binder);
}

/// Connects all observers to the SM.
void Session::Machine::watch() {
    const auto state_of = [this](WarpSlot warp, std::optional<Pc> next) {
        return untimed() ? functional->executor().snapshot(warp, next) : unit.branch_unit().snapshot(warp, next);
    };
    observation::Observer *traced_events = nullptr;
    const views::TraceClock trace_clock = untimed() ? views::TraceClock::kNumber : views::TraceClock::kCycle;
    if (options.trace != nullptr) {
        if (options.trace_form != views::TraceForm::kJson) {
            control_log.emplace(*options.trace, state_of, options.trace_form == views::TraceForm::kTimedControl);
        } else if (options.trace_fields.any()) {
            auto detailed =
                std::make_unique<views::DetailedTrace>(*options.trace, state_of, options.trace_fields, trace_clock);
            traced_events = options.trace_fields.of_events() ? detailed.get() : nullptr;
            trace = std::move(detailed);
        } else {
            trace = std::make_unique<views::TraceWriter>(*options.trace, state_of, trace_clock);
        }
    }
    if (options.state != nullptr) {
        state.emplace(
            *options.state,
            [this](std::uint64_t base, std::uint32_t bytes) {
                return untimed() ? functional->executor().read_shared(base, bytes) : unit.read_shared(base, bytes);
            },
            state_of);
    }
    if (options.observer != nullptr) {
        options.observer->begin(state_of);
    }
    if (options.max_instructions != 0 && !untimed()) {
        limit.emplace(options.max_instructions);
    }
    in_order.add(trace.get());
    in_order.add(control_log ? &*control_log : nullptr);
    in_order.add(options.observer);
    in_order.add(state ? &*state : nullptr);
    if (sm::ExecutionObserver *const observer = in_order.as_one()) {
        program_order.emplace(*observer);
        instructions.add(&*program_order);
    }
    instructions.add(limit ? &*limit : nullptr);
    if (untimed()) {
        functional->observe(instructions.as_one());
        return;
    }
    unit.observe(instructions.as_one());
    events.add(options.parts);
    events.add(waves ? &*waves : nullptr);
    events.add(recorder ? &*recorder : nullptr);
    events.add(traced_events);
    unit.observe_parts(events.as_one());
}

// --- before a launch -----------------------------------------------------------------------------------------------

/// The n for which the warps of every n-th of `ctas` CTAs have records.
std::uint64_t Session::Machine::records_every(std::uint64_t ctas, std::uint64_t warps_each) const {
    const std::uint64_t most = std::max<std::uint64_t>(options.warp_records / warps_each, 1); // CTAs
    return std::max<std::uint64_t>((ctas + most - 1) / most, 1);
}

void Session::Machine::place(const Program &program) {
    if (std::ranges::find(programs, &program) != programs.end()) {
        return;
    }
    unit.place(program); // first: it may reject the program
    if (program.global_data_bytes != 0) {
        regions.map_anywhere(kGlobalDataBase, program.global_data_bytes, "global data");
        memory.map(kGlobalDataBase, program.global_data_bytes, "global data");
        memory.write(kGlobalDataBase, program.global_data);
    }
    programs.push_back(&program);
}

void Session::Machine::map(std::uint64_t base, std::uint64_t bytes, const std::string &name) {
    regions.map(base, bytes, name);
    try {
        memory.map(base, bytes, name);
    } catch (...) {
        regions.unmap(base);
        throw;
    }
}

void Session::Machine::map_local_memory(std::uint64_t bytes) {
    if (bytes > local_bytes) {
        if (local_bytes != 0) {
            regions.unmap(local_base);
        }
        try {
            map(local_base, bytes, "local memory");
        } catch (...) {
            if (local_bytes != 0) {
                regions.map_anywhere(local_base, local_bytes, "local memory");
            }
            throw;
        }
        local_bytes = bytes;
    }
}

void Session::Machine::prepare(LaunchContext &context, const Program &program, const Kernel &kernel,
                               const launch::Launch &what, std::span<const std::uint64_t> addresses) {
    place(program);
    context.program = &program;
    context.kernel = &kernel;
    context.grid = {what.grid[0], what.grid[1], what.grid[2]};
    context.block = {what.block[0], what.block[1], what.block[2]};
    for (const auto &[number, bytes] : program.constants) {
        context.banks.at(number) = bytes; // the program outlives the session
    }
    context.set_bank(0, launch::constant_bank0_bytes(what, kernel, addresses));
    const std::uint64_t ctas = std::uint64_t{context.grid.x} * context.grid.y * context.grid.z;
    const std::uint64_t warps_each =
        (std::uint64_t{context.block.x} * context.block.y * context.block.z + kLanes - 1) / kLanes;
    context.warp_wish.every = records_every(options.timed.is_none() ? ctas : options.timed.count(ctas), warps_each);
    context.warp_wish.cta_ends = options.cta_ends;
    context.local_base = local_base;
    context.local_bytes = local_bytes_of(kernel);
    context.code_base = unit.place(program);
    map_local_memory(local_window(kernel) * local_windows());
}

// --- a launch ------------------------------------------------------------------------------------------------------

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

// --- Session -------------------------------------------------------------------------------------------------------

Session::Session(const Config &config, const Options &options) {
    // Normal ends are up to the session; SystemC need not announce them.
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    validate(config);
    reject_what_needs_timing(config, options);
    reject_what_needs_a_whole_launch(config, options);
    machine_ = std::make_unique<Machine>(config, options);
}

Session::~Session() = default;

void Session::map(std::uint64_t base, std::uint64_t bytes, const std::string &name) {
    machine_->map(base, bytes, name);
}

void Session::write(std::uint64_t address, std::span<const std::uint8_t> bytes) {
    machine_->regions.require(address, bytes.size());
    machine_->memory.write(address, bytes);
}

void Session::read(std::uint64_t address, std::span<std::uint8_t> bytes) const {
    machine_->regions.require(address, bytes.size());
    machine_->memory.read(address, bytes);
}

bool Session::fill(std::uint64_t address, launch::Contents &contents) {
    for (std::span<const std::uint8_t> piece = contents.next(); !piece.empty(); piece = contents.next()) {
        if (machine_->is_stopped()) {
            return false;
        }
        write(address, piece);
        address += piece.size();
    }
    return true;
}

void Session::place_local_memory(std::uint64_t base) {
    if (machine_->local_bytes != 0) {
        throw InputError("local memory has its place already; expected to place it before the first launch");
    }
    machine_->local_base = base;
}

void Session::place(const Program &program) {
    machine_->place(program);
}

void Session::require(const Program &program, const Kernel &kernel, const launch::Launch &what) {
    Machine &m = *machine_;
    make_grid(m.config, program, kernel, what);
    m.place(program);
    m.map_local_memory(local_window(kernel) * m.local_windows());
}

Cycle Session::now() const {
    return machine_->clock.now();
}

LaunchResult Session::launch(const Program &program, const Kernel &kernel, const launch::Launch &what,
                             std::span<const std::uint64_t> addresses) {
    Machine &m = *machine_;
    if (m.ended) {
        throw InputError(
            fmt::format("{}kernel '{}' cannot be launched: the session has ended", what.place(), kernel.name));
    }
    sm::Grid grid = make_grid(m.config, program, kernel, what);
    auto context = std::make_unique<LaunchContext>();
    m.prepare(*context, program, kernel, what, addresses);
    grid.launch = context.get();
    const std::uint32_t number = m.launches++;
    m.present = std::move(context); // nothing of the previous launch is left that could use its own
    if (m.trace) {
        m.trace->begin_launch(program, number);
    }
    if (m.control_log) {
        m.control_log->begin_launch(number);
    }
    if (m.state) {
        m.state->begin_launch(number);
    }
    LaunchResult result;
    result.begin = m.clock.now();
    result.in_time = !m.untimed();
    m.bounds.clear();
    m.memory.clear_statistics();
    m.unit.begin_launch();
    m.execute(kernel, grid, result);
    if (m.program_order) {
        m.program_order->tell_rest();
    }
    m.explain(*m.present, result);
    m.ended = !result.completed();
    take_output(m.memory, program, result);
    m.dump_states();
    if (m.untimed()) {
        m.functional->executor().collect(result.stats);
        result.stats.outside = m.functional->bounds().found();
    } else {
        m.collect(program, result);
    }
    result.stats.occupancy_limits = sm::CtaAllocator(m.config).limits(grid.demand);
    result.stats.occupancy_limits.grid = grid.cta_count();
    return result;
}

std::vector<std::string> Session::finish() {
    Machine &m = *machine_;
    m.ended = true;
    if (m.trace) {
        m.trace->end(m.reached);
    }
    if (m.control_log) {
        m.control_log->flush();
    }
    if (m.options.parts != nullptr) {
        m.options.parts->end(m.last_end);
    }
    std::vector<std::string> errors;
    if (m.waves) {
        if (std::string error = m.waves->finish(); !error.empty()) {
            errors.push_back(std::move(error));
        }
    }
    if (m.recorder) {
        if (std::string error = m.recorder->finish(); !error.empty()) {
            errors.push_back(std::move(error));
        }
    }
    return errors;
}

} // namespace smsim::session
