// Executes the instructions of one warp after the other without time: the meaning is that of the parts of the SM
// (compute, reconvergence engine, barriers, load/store), here is what brings them together. Plain C++.
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
#include "model/config/config.h"
#include "model/isa/operands.h"
#include "model/program/program.h"
#include "model/state/warp_resume.h"
#include "model/stats/statistics.h"
#include "sm/functional/memory_access.h"
#include "sm/functional/warp.h"
#include "sm/functional/watcher.h"

namespace smsim::sm::functional {

class WarpRunner {
  public:
    /// All references outlive the object. Programs see the number of instructions that have been executed, by all
    /// warps, as the clock, unless `set_clock` has put it forward.
    WarpRunner(const Config &config, GlobalPort &global, GlobalBounds &bounds);
    /// Tells `watcher` of all that is executed from now on; null: nobody.
    void watch(Watcher *watcher) { watcher_ = watcher; }

    /// A launch of `program`, which outlives it, begins: counters begin anew. `local_slot` is added to the slot of a
    /// warp to give the number of its window of local memory.
    void begin(const Program &program, std::uint64_t local_slot);
    /// A warp of `cta` begins as its `start` says.
    void start(Warp &warp);
    /// Runs `warp` of `cta`, which is running, for at most `most` instructions: until it waits, has ended or has
    /// raised an exception. Warps that wait for it go on. Returns how many it has executed.
    std::uint64_t run(Cta &cta, Warp &warp, std::uint64_t most);
    /// The sleep timer of `warp` expires: it is awake.
    void expire(Warp &warp);

    /// What `warp`, which has not ended, goes on with in time, but for the barriers of its CTA; it does not go on here.
    /// It is awake.
    WarpResume save(Warp &warp);
    /// The clock that programs see is `least` or more from now on.
    void set_clock(std::uint64_t least) { clock_offset_ = least > clock() ? least - executed_ : clock_offset_; }
    std::uint64_t clock() const { return executed_ + clock_offset_; }

    /// The exception that has ended the launch.
    const std::optional<Raised> &raised() const { return raised_; }
    /// Instructions executed since construction.
    std::uint64_t executed() const { return executed_; }
    const bru::ReconvergenceEngine &engine() const { return *engine_; }
    MemoryAccess &memory() { return memory_; }
    /// Adds what has been counted since `begin`, but for warps.
    void collect(RunStats &stats) const;

  private:
    /// How an instruction is executed, known before.
    enum class Kind : std::uint8_t { kCompute, kControl, kBarrier, kMemory, kQueued, kNothing };
    struct Step {
        Kind kind = Kind::kCompute;
        bool may_jump = false;
    };
    /// The instruction on its way.
    struct Present {
        Cta &cta;
        Warp &warp;
        const isa::Instruction &insn;
        LaneMask active;
        LaneMask executed;
    };

    static Kind kind_of(const isa::Instruction &insn);
    /// Whether the warp goes on with the next instruction.
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
    // of one instruction, kept for their storage
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
