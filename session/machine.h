// What a session consists of: the SM with its memory and observers, and the state of the launch. machine.cpp builds it
// and prepares launches, timed_launch.cpp runs one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <systemc>

#include "cosim/implementations.h"
#include "cosim/transactions/recorder.h"
#include "memory/regions.h"
#include "model/config/config.h"
#include "model/protocol/clock.h"
#include "model/state/launch_context.h"
#include "session/functional_run.h"
#include "session/grid_watch.h"
#include "session/observers.h"
#include "session/session.h"
#include "session/session_claim.h"
#include "sm/dispatch/grid_distributor.h"
#include "sm/load_store/global_bounds.h"
#include "sm/program_order.h"
#include "sm/streaming_multiprocessor.h"
#include "views/trace/control_log.h"
#include "views/trace/state_dump.h"
#include "views/trace/trace.h"
#include "views/waveforms/waveforms.h"

namespace smsim::session {

inline constexpr std::uint64_t kLocalMemory = 0x4000'0000; ///< address of local memory, unless the user places it

/// Bytes of local memory of one thread, and of one warp.
std::uint32_t local_bytes_of(const Kernel &kernel);
std::uint64_t local_window(const Kernel &kernel);

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

} // namespace smsim::session
