// The parts of a session, their connections, and what comes before a launch.
#include "session/machine.h"

#include <algorithm>

#include "cosim/recent_transactions.h"
#include "model/launch/layout.h"
#include "session/model_memory.h"
#include "views/trace/detailed_trace.h"

namespace smsim::session {
namespace {

constexpr std::uint64_t kLocalAlignment = 16; ///< of a thread's window, in bytes

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
    return (value + unit - 1) / unit * unit;
}

} // namespace

std::uint32_t local_bytes_of(const Kernel &kernel) {
    return static_cast<std::uint32_t>(round_up(kernel.local_bytes, kLocalAlignment));
}
std::uint64_t local_window(const Kernel &kernel) {
    return std::uint64_t{local_bytes_of(kernel)} * kLanes;
}

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

} // namespace smsim::session
