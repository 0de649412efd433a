// A simulation as its users see it: an SM with its global memory, which runs programs and launches one after the
// other.
//
//     session::Session session(config);
//     session.map(0x10000000, 4096, "data");
//     session.write(0x10000000, bytes);
//     const session::LaunchResult result = session.launch(program, kernel, what, addresses);
//     session.read(0x10000000, bytes);
//
// SystemC elaborates once in a process, so that a process has one session.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "model/config/config.h"
#include "model/error.h"
#include "model/launch/launch.h"
#include "model/program/program.h"
#include "model/stats/early_end.h"
#include "model/stats/lockstep.h"
#include "model/stats/memory_check.h"
#include "model/stats/raised_exception.h"
#include "model/stats/statistics.h"
#include "model/stats/untimed_work.h"
#include "session/timed_ctas.h"
#include "views/trace/trace_fields.h"
#include "views/waveforms/request.h"

// Types that options may point to; code that sets one includes its header, and only such code needs SystemC's headers.
namespace smsim::observation {
class Observer; // model/observation/observer.h
}
namespace smsim::cosim {
class Findings; // cosim/recent_transactions.h
}
namespace smsim::launch {
class Contents; // model/launch/contents.h
}
namespace smsim::sm {
class ExecutionObserver; // sm/execution_observer.h
class LinkBinder;        // sm/link_binder.h
struct PartFactory;      // sm/part_factory.h
} // namespace smsim::sm

namespace smsim::session {

class MemoryBackend; // session/memory_backend.h

/// What a caller may request beside the results.
struct Options {
    std::ostream *trace = nullptr; ///< one line per executed warp instruction
    views::TraceForm trace_form = views::TraceForm::kJson;
    views::TraceFields trace_fields{}; ///< what a JSON trace holds beside its default members
    std::ostream *state = nullptr;     ///< registers, shared memory and control state at the ends of warps and CTAs
    sm::ExecutionObserver *observer = nullptr; ///< notified of every executed warp instruction and every warp's end
    observation::Observer *parts = nullptr;    ///< notified of what happens inside the parts, and when
    std::optional<views::waveforms::Request> waveforms; ///< VCD of states and sockets
    /// Called from time to time with the cycles of the current launch (its warp instructions, in functional execution)
    /// and the number of its completed CTAs.
    std::function<void(Cycle, std::uint64_t)> progress;
    /// What happens to accesses outside every buffer that stay in a page of one (docs/memory.md "Bounds").
    MemoryCheck memory_check = MemoryCheck::kStrict;
    /// Polled as often as `progress` is called, before each launch, and while buffers are filled; true ends the launch
    /// at the cycle boundary that it has reached.
    std::function<bool()> stop;
    /// The session ends with the cycle in which this many warp instructions have been executed; 0: no limit.
    std::uint64_t max_instructions = 0;
    /// The global memory, which must outlive the session; null: memory::GlobalMemory.
    MemoryBackend *memory = nullptr;
    /// Folder for waveforms of the inside of blocks from libraries (`PART.vcd`); empty: none.
    std::string block_waveforms;
    /// Makes the parts of the SM; null: those of this project, according to `config`.
    const sm::PartFactory *factory = nullptr;
    /// What parts in lockstep of `factory` find; null: the session's own, which those of this project use.
    std::shared_ptr<cosim::Findings> findings;
    /// Binds the links of the SM and the one to its memory ("global"); not together with waveforms. Null: directly.
    sm::LinkBinder *binder = nullptr;
    /// File that the transactions of branch unit, barrier unit, sleep timer and shared memory are recorded to
    /// (docs/transactions.md), also together with waveforms or a binder; empty: none.
    std::string transactions;
    /// CTAs that are simulated in time, the same for each launch; the others are executed functionally, when their
    /// turn arrives (docs/estimate.md). If there are none, nothing has cycles: not together with `parts`,
    /// `waveforms`, `block_waveforms`, `transactions`, a trace of times or events, `factory` or `binder`. Where
    /// launches continue in time from their middle, not together with `transactions`, `factory`, or RTL of branch
    /// unit, barrier unit or shared memory; an observer sees a CTA that was cut from there on.
    TimedCtas timed;
    /// The model may run ahead of the SystemC kernel's time, which saves an activation of the kernel for each cycle.
    /// Requires that the simulation consists only of parts and memory of this project, bound directly
    /// (docs/architecture.md "Ahead of the kernel"). Results do not change; an observer that calls sc_time_stamp()
    /// gets an earlier time than that of the notification. Not with `max_instructions`.
    bool ahead = false;
    /// Approximate number of records of single warps that RunStats keeps of a launch: where it has more warps, those
    /// of every n-th CTA.
    std::uint64_t warp_records = 4096;
    bool cta_ends = false;      ///< RunStats has the end of each CTA that is simulated in time
    bool reverse_order = false; ///< construct the parts in reverse order; results do not change
};

/// The outcome of one launch.
struct LaunchResult {
    /// Cycles count from `begin`; those of `exception` and `raised` from the start of the session, as the trace does.
    RunStats stats;
    Cycle begin = 0;                         ///< of the session; the first warp starts in the following cycle
    std::optional<Fault> fault;              ///< empty: every CTA has completed, or the launch has ended early
    std::optional<EarlyEnd> early_end;       ///< never together with a fault
    std::string exception;                   ///< the full message of the fault: where, what, masks, who waits for whom
    std::optional<RaisedException> raised{}; ///< the fault as fields
    /// The cause of the exception LockstepDifference.
    std::optional<LockstepDifference> difference{};
    bool in_time = true; ///< false: no CTA was simulated in time, and `stats` has no cycles
    /// What was executed functionally in a launch whose other CTAs were simulated in time; `stats` covers only those.
    UntimedWork untimed;
    /// What the kernel has printed by printf (docs/ptx.md "Printing"), in the order of simulated time.
    std::string printed;
    /// Whether every CTA has completed.
    bool completed() const { return !fault && !early_end; }
};

class Session {
  public:
    /// `config` and what `options` points to must outlive the session. Throws InputError when the configuration is not
    /// valid (model/config/validate.h), the process has or had another session, a file cannot be created,
    /// both waveforms and a binder are given, or an option needs cycle timing and nothing is simulated in time.
    explicit Session(const Config &config, const Options &options = {});
    ~Session();
    Session(const Session &) = delete;
    Session &operator=(const Session &) = delete;

    /// Makes `bytes` of global memory from `base` on accessible, filled with zeros. Throws InputError when there are
    /// none, or they leave the address window (`global.bytes`) or overlap others; the message names both.
    void map(std::uint64_t base, std::uint64_t bytes, const std::string &name);
    /// Copies to and from global memory, in no simulated time. Throws InputError when the bytes are not in one mapped
    /// region.
    void write(std::uint64_t address, std::span<const std::uint8_t> bytes);
    void read(std::uint64_t address, std::span<std::uint8_t> bytes) const;
    /// Like `write`, for contents that are produced in pieces. False: `Options::stop` ended it between two of them.
    bool fill(std::uint64_t address, launch::Contents &contents);
    /// Places the local memory of all threads from `base` on; it is mapped with the first launch that needs some. The
    /// default is 0x40000000.
    void place_local_memory(std::uint64_t base);
    /// Makes a program resident, with its data in global memory; `launch` does so if it has not been done. The program
    /// must outlive the session. Throws InputError when it cannot be encoded, or when its data overlap others.
    void place(const Program &program);

    /// Checks in advance what `launch` would reject: throws InputError when a launch of `kernel` according to `what`
    /// cannot run. Places the program and maps the local memory that the kernel needs.
    void require(const Program &program, const Kernel &kernel, const launch::Launch &what);

    /// Runs `kernel` of `program` with the grid, block, dynamic shared memory and arguments of `what`; buffers are
    /// those at `addresses`, one per argument (ignored for scalars). It begins in the current cycle, after the end of
    /// the previous launch, whose warps have all ended; the L1 drops its lines. The counters of the result cover only
    /// this launch, and are complete up to the last cycle also when it ends with a fault or early.
    ///
    /// Throws InputError when the launch cannot run on this configuration (a program for another reconvergence engine;
    /// too many threads, registers or bytes of shared memory for one CTA), gives other arguments than the kernel
    /// expects (launch::check_parameters), or follows one that has not completed: as on the hardware, nothing runs
    /// after an exception.
    LaunchResult launch(const Program &program, const Kernel &kernel, const launch::Launch &what,
                        std::span<const std::uint64_t> addresses);

    /// The current cycle.
    Cycle now() const;
    /// Completes trace, timelines, waveforms and transactions; no launch may follow. Returns messages with path and
    /// cause for files that could not be written to their end.
    std::vector<std::string> finish();

  private:
    struct Machine;
    std::unique_ptr<Machine> machine_;
};

} // namespace smsim::session
