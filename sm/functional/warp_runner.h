// Executes the instructions of one warp after the other functionally: the semantics are those of the parts of the SM
// (compute, reconvergence engine, barriers, load/store), which this class combines. Plain C++.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "bru/branch_statistics.h"
#include "bru/reconvergence_engine.h"
#include "bru/syscall.h"
#include "model/config/clock_rate.h"
#include "model/isa/operands.h"
#include "model/program/program.h"
#include "model/state/warp_resume.h"
#include "model/stats/statistics.h"
#include "sm/functional/memory_access.h"
#include "sm/functional/warp.h"
#include "sm/functional/watcher.h"

namespace smsim {
struct Config;
}

namespace smsim::sm::functional {

class WarpRunner {
  public:
    /// All references must outlive the object. The clock that programs see is the number of instructions executed by
    /// all warps, unless `set_clock` has advanced it.
    WarpRunner(const Config &config, GlobalPort &global, GlobalBounds &bounds);
    /// Reports everything executed from now on to `watcher`; null: no watcher.
    void watch(Watcher *watcher) { watcher_ = watcher; }

    /// Begins a launch of `program`, which must outlive it: all counters restart. `local_slot` is added to the slot of
    /// a warp to give the number of its window of local memory.
    void begin(const Program &program, std::uint64_t local_slot);
    /// Starts a warp of `cta` as its `start` says.
    void start(Warp &warp);
    /// Runs `warp` of `cta`, which must be running, for at most `most` instructions: until it waits, has ended or has
    /// raised an exception. Warps that wait for it may continue. Returns the number of executed instructions.
    std::uint64_t run(Cta &cta, Warp &warp, std::uint64_t most);
    /// The sleep timer of `warp` expires: it is awake.
    void expire(Warp &warp);

    /// The state with which `warp`, which has not ended, continues in timed simulation, except for the barriers of its
    /// CTA; it must not continue here. It must be awake.
    WarpResume save(Warp &warp);
    /// Sets the clock that programs see to at least `least` from now on.
    void set_clock(std::uint64_t least) { clock_offset_ = least > clock() ? least - executed_ : clock_offset_; }
    std::uint64_t clock() const { return executed_ + clock_offset_; }

    /// The exception that has ended the launch.
    const std::optional<Raised> &raised() const { return raised_; }
    /// Instructions executed since construction.
    std::uint64_t executed() const { return executed_; }
    const bru::ReconvergenceEngine &engine() const { return *engine_; }
    MemoryAccess &memory() { return memory_; }
    /// Adds the counts since `begin`, except for warps.
    void collect(RunStats &stats) const;

  private:
    /// How an instruction is executed, determined in advance.
    enum class Kind : std::uint8_t { kCompute, kControl, kBarrier, kMemory, kQueued, kNothing };
    struct Step {
        Kind kind = Kind::kCompute;
        bool may_jump = false;
    };
    /// The instruction being executed.
    struct Present {
        Cta &cta;
        Warp &warp;
        const isa::Instruction &insn;
        LaneMask active;
        LaneMask executed;
    };

    static Kind kind_of(const isa::Instruction &insn);
    /// Executes one instruction; returns whether the warp continues with the next one.
    bool step(Cta &cta, Warp &warp);
    bool perform(Present &present, Kind kind);
    bool compute(const Present &present);
    bool control(Present &present);
    bool follow(Present &present, const bru::StepResult &result);
    bool barrier(const Present &present);
    bool access(const Present &present);
    void release(Cta &cta, const bcu::Completion &completion);
    void end(Cta &cta, Warp &warp);
    void count(const Present &present);
    void tell(const Present &present, Kind kind);
    bool raise(const Present &present, FaultReport fault);

    const Config &config_;
    ClockRate rate_;
    std::unique_ptr<bru::ReconvergenceEngine> engine_;
    bru::BranchStatistics branches_;
    MemoryAccess memory_;
    Watcher *watcher_ = nullptr;
    const Program *program_ = nullptr;
    std::vector<Step> steps_; ///< by pc / 16
    std::uint64_t local_slot_ = 0;
    std::uint64_t executed_ = 0;
    std::uint64_t clock_offset_ = 0;
    std::optional<Raised> raised_;
    // for one instruction, kept for their storage
    MemoryRequest request_;
    isa::VectorOperands vectors_{};
    isa::NarrowVectorOperands narrow_{};
    // counters
    std::vector<PcStats> pcs_;
    std::array<std::uint64_t, kLanes + 1> lanes_{};
    BcuStats bcu_;
    LoadStoreStats lsu_;
};

} // namespace smsim::sm::functional
