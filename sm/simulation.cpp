#include "sm/simulation.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <systemc>

#include "memory/global_memory.h"
#include "model/assembler/disassembler.h"
#include "model/launch/layout.h"
#include "sm/detailed_trace.h"
#include "sm/global_bounds.h"
#include "sm/state_dump.h"
#include "sm/streaming_multiprocessor.h"
#include "sm/trace.h"

namespace smsim::sm {
namespace {

/// Cycles between two looks at the progress and at the wish to stop: a fraction of a second also where every cycle is
/// written to a file.
constexpr Cycle kSlice = 2'000;

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
    return (value + unit - 1) / unit * unit;
}

Grid make_grid(const Config &config, const Kernel &kernel, const launch::Launch &launch) {
    launch::check_parameters(launch, kernel);
    Grid grid;
    grid.ctas = launch.grid;
    grid.threads = launch.block;
    grid.entry = kernel.entry;
    grid.demand.threads = launch.block[0] * launch.block[1] * launch.block[2];
    grid.demand.registers_per_thread = std::max<std::uint32_t>(kernel.registers, 1);
    grid.demand.shared_bytes = launch::shared_bytes(launch, kernel);
    if (const std::string reason = CtaAllocator(config).impossible(grid.demand); !reason.empty()) {
        throw InputError(fmt::format("{}: kernel '{}' cannot be launched: {}", launch.path, kernel.name, reason));
    }
    return grid;
}

/// Maps and fills the buffers.
void load_buffers(memory::GlobalMemory &memory, const launch::Launch &launch, const launch::BufferLayout &layout) {
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
        const launch::Argument &argument = launch.arguments[i];
        if (argument.is_buffer) {
            memory.map(layout.addresses[i], argument.bytes(), argument.name);
            const std::vector<std::uint8_t> bytes = launch::initial_bytes(argument);
            memory.write(layout.addresses[i], bytes);
        }
    }
}

/// Maps and fills the data of the program.
void load_global_data(memory::GlobalMemory &memory, const Program &program) {
    if (program.global_data_bytes != 0) {
        memory.map_anywhere(kGlobalDataBase, program.global_data_bytes, "global data");
        memory.write(kGlobalDataBase, program.global_data);
    }
}

LaunchContext make_context(const Program &program, const Kernel &kernel, const launch::Launch &launch,
                           const launch::BufferLayout &layout) {
    LaunchContext context;
    context.program = &program;
    context.kernel = &kernel;
    context.grid = {launch.grid[0], launch.grid[1], launch.grid[2]};
    context.block = {launch.block[0], launch.block[1], launch.block[2]};
    for (const auto &[number, bytes] : program.constants) {
        context.bank_bytes.at(number) = bytes;
    }
    context.bank_bytes[0] = launch::constant_bank0_bytes(launch, kernel, layout.addresses);
    context.local_base = layout.end;
    context.local_bytes = static_cast<std::uint32_t>(round_up(kernel.local_bytes, 16));
    return context;
}

/// Hands every report on to those that are there.
class ExecutionObservers final : public ExecutionObserver {
  public:
    void add(ExecutionObserver *observer) {
        if (observer != nullptr) {
            all_.push_back(observer);
        }
    }
    /// For the datapaths: null without observers.
    ExecutionObserver *as_one() { return all_.empty() ? nullptr : all_.size() == 1 ? all_.front() : this; }
    void executed(const ExecutedInstruction &instruction) override {
        for (ExecutionObserver *observer : all_) {
            observer->executed(instruction);
        }
    }
    void accesses(const protocol::LoadStoreExtension &access) override {
        for (ExecutionObserver *observer : all_) {
            observer->accesses(access);
        }
    }
    void completed(const CompletedInstruction &instruction) override {
        for (ExecutionObserver *observer : all_) {
            observer->completed(instruction);
        }
    }
    void ended(const WarpStart &start, const compute::WarpRegisters &registers) override {
        for (ExecutionObserver *observer : all_) {
            observer->ended(start, registers);
        }
    }

  private:
    std::vector<ExecutionObserver *> all_;
};

/// Pauses the simulation when a number of warp instructions has been executed.
class InstructionLimit final : public ExecutionObserver {
  public:
    explicit InstructionLimit(std::uint64_t limit) : left_(limit) {}
    void executed(const ExecutedInstruction &) override {
        if (left_ != 0 && --left_ == 0) {
            sc_core::sc_pause();
        }
    }
    bool reached() const { return left_ == 0; }

  private:
    std::uint64_t left_;
};

/// Hands what happens in the parts on to those that are there.
class PartObservers final : public observation::Observer {
  public:
    void add(observation::Observer *observer) {
        if (observer != nullptr) {
            all_.push_back(observer);
        }
    }
    /// For the parts: null without observers.
    observation::Observer *as_one() { return all_.empty() ? nullptr : all_.size() == 1 ? all_.front() : this; }
    void observe(Cycle now, const observation::Event &event) override {
        for (observation::Observer *observer : all_) {
            observer->observe(now, event);
        }
    }

  private:
    std::vector<observation::Observer *> all_;
};

RaisedException::Place place_of(const RaisedFault &fault, const Program &program) {
    RaisedException::Place place;
    place.cta = fault.start.cta_number;
    place.cta_id = fault.start.cta_id;
    place.warp = fault.start.warp_in_cta;
    place.pc = fault.at.pc;
    place.active = fault.at.active;
    place.threads = fault.at.executed;
    place.issued = fault.at.issued;
    place.issued_since = fault.at.issued_since;
    if (fault.at.insn != nullptr) {
        place.instruction = assembler::operation_text(*fault.at.insn);
        const std::size_t index = place.pc / kInstructionBytes;
        if (index < program.lines.size() && program.lines[index].line != 0) {
            const SourcePlace &source = program.lines[index];
            place.file = source.file < program.files.size() ? program.files[source.file] : "?";
            place.line = source.line;
        }
    }
    return place;
}

/// Where an address of global memory lies that was refused: the first byte outside every buffer, and the buffer before.
std::string nearest_buffer(const memory::GlobalMemory &memory, std::uint64_t address, std::uint32_t bytes) {
    const memory::GlobalMemory::Region *before = nullptr;
    for (const memory::GlobalMemory::Region &region : memory.regions()) {
        if (region.base <= address) {
            before = &region;
        }
    }
    if (before == nullptr) {
        return "; it lies before every buffer";
    }
    const std::uint64_t end = before->base + before->bytes;
    const std::uint64_t first = std::max(address, end);
    if (first - address >= bytes) {
        return {};
    }
    return fmt::format("; {:#x} is {} bytes past the end of '{}' ({} bytes)", first, first - end, before->name,
                       before->bytes);
}

/// The full message of an exception of one warp (bru.md "The others").
std::string fault_text(const RaisedFault &fault, const RaisedException::Place &place, const Kernel &kernel,
                       const StreamingMultiprocessor &sm, const memory::GlobalMemory &memory) {
    std::string text =
        fmt::format("{}: kernel '{}', CTA {} ({},{},{}), warp {}, cycle {}", fault_name(fault.report.fault),
                    kernel.name, place.cta, place.cta_id[0], place.cta_id[1], place.cta_id[2], place.warp, fault.cycle);
    if (!place.instruction.empty()) {
        text += fmt::format(", pc {:#06x}", place.pc);
        text += place.line != 0 ? fmt::format(" ({}:{})", place.file, place.line) : "";
        text += ": " + place.instruction;
    }
    text += ": " + fault.report.detail;
    if (fault.report.bytes != 0) {
        text += nearest_buffer(memory, fault.report.address, fault.report.bytes);
    }
    text += fmt::format("\n  active {:#010x}", place.active.bits());
    if (fault.cycle != place.issued) {
        text += fmt::format(", executed by threads {:#010x}; found {} cycles after its issue", place.threads.bits(),
                            fault.cycle - place.issued);
    }
    if (place.issued_since != 0) { // the branch unit has gone on with the warp
        return text + fmt::format(", later instructions of the warp issued: {}", place.issued_since);
    }
    return text + "; branch unit since its last control instruction: " + sm.bru().describe(fault.warp);
}

/// Whether a run that goes on is to end here, and why.
std::optional<EarlyEnd> early_end(const SimulationOptions &options, const InstructionLimit *limit,
                                  const CtaDispatch &dispatch) {
    if (dispatch.finished() || dispatch.fault()) {
        return std::nullopt;
    }
    if (limit != nullptr && limit->reached()) {
        return EarlyEnd::kInstructionLimit;
    }
    return options.stop && options.stop() ? std::optional(EarlyEnd::kInterrupted) : std::nullopt;
}

} // namespace

SimulationResult simulate(const Config &config, const Program &program, const Kernel &kernel,
                          const launch::Launch &launch, const SimulationOptions &options) {
    // Normal ends are this function's business; SystemC need not announce them.
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    const Grid grid = make_grid(config, kernel, launch);
    const protocol::Clock clock(config);

    memory::GlobalMemory memory("global_memory", config.global, clock.period(), GlobalBounds::kPageBytes,
                                timing::Jitter(config.jitter, timing::Jitter::Part::kMemory));
    const launch::BufferLayout layout = launch::lay_out_buffers(launch);
    load_buffers(memory, launch, layout);
    load_global_data(memory, program);
    LaunchContext context = make_context(program, kernel, launch, layout);
    for (std::size_t i = 0; i < context.banks.size(); ++i) {
        context.banks[i] = context.bank_bytes[i];
    }
    if (context.local_bytes != 0) {
        memory.map(layout.end, context.local_window() * config.warps(), "local memory");
    }

    std::optional<waveforms::Waveforms> waves;
    if (options.waveforms) {
        waves.emplace("waveforms", *options.waveforms, config);
    }
    waveforms::Waveforms *const watching = waves ? &*waves : nullptr;
    StreamingMultiprocessor sm("sm", config, context, grid, options.reverse_order, watching);
    if (watching != nullptr) {
        watching->join<protocol::MemoryLink>(sm.global, memory.socket, "global");
        watching->declare();
    } else {
        sm.global.bind(memory.socket);
    }
    GlobalBounds check(memory, options.memory_check,
                       [&sm](WarpSlot warp) -> const WarpStart & { return sm.start_of(warp); });
    sm.check_bounds(check);
    const auto state_of = [&sm](WarpSlot warp) { return sm.bru().snapshot(warp); };
    std::unique_ptr<TraceWriter> trace;
    observation::Observer *traced_events = nullptr;
    if (options.trace != nullptr) {
        if (options.trace_fields.any()) {
            auto detailed = std::make_unique<DetailedTrace>(*options.trace, program, state_of, options.trace_fields);
            traced_events = options.trace_fields.of_events() ? detailed.get() : nullptr;
            trace = std::move(detailed);
        } else {
            trace = std::make_unique<TraceWriter>(*options.trace, program, state_of);
        }
    }
    std::optional<StateDump> state;
    if (options.state != nullptr) {
        state.emplace(*options.state,
                      [&sm](std::uint64_t base, std::uint32_t bytes) { return sm.read_shared(base, bytes); });
    }
    if (options.observer != nullptr) {
        options.observer->begin(state_of);
    }
    std::optional<InstructionLimit> limit;
    if (options.max_instructions != 0) {
        limit.emplace(options.max_instructions);
    }
    ExecutionObservers instructions;
    instructions.add(trace.get());
    instructions.add(options.observer);
    instructions.add(state ? &*state : nullptr);
    instructions.add(limit ? &*limit : nullptr);
    sm.observe(instructions.as_one());
    PartObservers observers;
    observers.add(options.parts);
    observers.add(watching);
    observers.add(traced_events);
    sm.observe_parts(observers.as_one());
    CtaDispatch &dispatch = sm.dispatch();
    dispatch.on_end([] { sc_core::sc_pause(); });

    SimulationResult result;
    Cycle now = 0;
    while (!dispatch.finished() && !dispatch.fault()) {
        // A slice reaches at least the next event: a sleep may be longer than any slice.
        Cycle to_event = 0;
        if (sc_core::sc_pending_activity_at_future_time()) {
            to_event = clock.at(sc_core::sc_time_to_pending_activity()) - now + 1;
        }
        const Cycle left = config.sm.watchdog_cycles > now ? config.sm.watchdog_cycles - now : 0;
        if (left == 0 || to_event > left) {
            if (left != 0) {
                sc_core::sc_start(clock.span(left), sc_core::SC_RUN_TO_TIME);
                now = clock.now();
            }
            result.fault = Fault::kWatchdog;
            result.exception = fmt::format("Watchdog: kernel '{}' has not ended after {} cycles (sm.watchdog_cycles); "
                                           "{} of {} CTAs have completed. Its warps:\n{}",
                                           kernel.name, config.sm.watchdog_cycles, dispatch.completed(),
                                           grid.cta_count(), sm.describe());
            break;
        }
        // Starvation ends the call at the last event, so that a deadlock is dated exactly.
        sc_core::sc_start(clock.span(std::min(std::max(kSlice, to_event), left)), sc_core::SC_EXIT_ON_STARVATION);
        now = clock.now();
        if (options.progress) {
            options.progress(now, dispatch.completed());
        }
        if (!dispatch.finished() && !dispatch.fault() && !sc_core::sc_pending_activity()) {
            result.fault = Fault::kBarrierDeadlock;
            result.exception = fmt::format("BarrierDeadlock: kernel '{}': nothing can happen any more and {} of {} "
                                           "CTAs have completed. Its warps:\n{}",
                                           kernel.name, dispatch.completed(), grid.cta_count(), sm.describe());
            break;
        }
        result.early_end = early_end(options, limit ? &*limit : nullptr, dispatch);
        if (result.early_end) {
            if (*result.early_end == EarlyEnd::kInstructionLimit) { // every part gets to the end of this cycle
                sc_core::sc_start(clock.period(), sc_core::SC_RUN_TO_TIME);
            }
            break;
        }
    }
    if (dispatch.finished() || dispatch.fault()) { // in the very cycle of the limit
        result.early_end.reset();
    }
    if (const auto &fault = dispatch.fault()) {
        const RaisedException::Place place = place_of(*fault, program);
        result.fault = fault->report.fault;
        result.exception = fault_text(*fault, place, kernel, sm, memory);
        result.raised = RaisedException{fault->report.fault, fault->cycle, place};
        if (trace && fault->at.insn != nullptr) {
            trace->raised(*result.raised);
        }
    } else if (result.fault) {
        result.raised = RaisedException{*result.fault, now, std::nullopt};
    }
    if (trace) {
        trace->end(now);
    }
    if (state) {
        sm.for_each_ending([&state](const WarpStart &start, const compute::WarpRegisters &registers) {
            state->ended(start, registers);
        });
        sm.for_each_resident([&state](const WarpStart &start, const compute::WarpRegisters &registers) {
            state->unfinished(start, registers);
        });
    }
    result.stats = sm.collect(result.fault || result.early_end);
    memory.collect(result.stats.global);
    result.stats.outside = check.found();
    if (options.parts != nullptr) {
        options.parts->end(result.stats.cycles);
    }
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
        const launch::Argument &argument = launch.arguments[i];
        result.buffers.emplace_back(argument.bytes());
        if (argument.is_buffer) {
            memory.read(layout.addresses[i], result.buffers.back());
        }
    }
    if (waves) {
        if (std::string error = waves->finish(); !error.empty()) {
            result.file_errors.push_back(std::move(error));
        }
    }
    return result;
}

} // namespace smsim::sm
