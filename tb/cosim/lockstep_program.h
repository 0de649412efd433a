// A random kernel for the campaigns in lockstep: its frame, its run on the model and on RTL, and what came of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/types.h"
#include "tb/fuzz/random.h"
#include "tb/fuzz/writer.h"

namespace smsim::cosim {

/// A kernel with its launch and its design.
struct LockstepProgram {
    std::string text; ///< assembly; its only argument is a buffer of one word per thread
    std::uint32_t ctas = 1;
    std::uint32_t threads = 32;        ///< of a CTA
    std::vector<std::string> settings; ///< `key=value`; without those that choose implementations
    /// Whether RTL has room for all that the program sends it at a time, so that it takes as many cycles as the model.
    bool same_cycles = true;
    bool same_run = true;            ///< with `same_cycles`: the run as a whole does so too, not the answers alone
    bool may_fail = false;           ///< it may end with an exception, which must be the same on model and RTL
    std::uint32_t stall_percent = 0; ///< channels that are held up so often are what it is about; 0: any
};

/// What a run has shown.
struct LockstepRun {
    std::string failure; ///< empty: every CTA has completed; "error: ..." where it was not an exception of the SM
    Cycle cycles = 0;
    std::uint64_t barrier_operations = 0;
    std::uint64_t shared_accesses = 0;
    std::uint64_t branch_answers = 0; ///< of the branch unit in lockstep
    std::uint64_t apart = 0; ///< answers, wakes and timer requests of RTL in lockstep in another cycle than the model's
    std::uint64_t early = 0; ///< of these, those of the branch unit in an earlier one
    std::vector<std::uint8_t> results; ///< the buffer
};

/// Runs the program in a process of its own with `settings` behind those of the program.
LockstepRun run(const LockstepProgram &program, const std::vector<std::string> &settings);

/// The program as files in the folder for temporary files, to be run with `smsim run`: the command to do so.
std::string reproducer(const LockstepProgram &program, const std::string &name,
                       const std::vector<std::string> &settings);

/// What the kernels have in common. Registers: R3 a constant, R8 lane, R9 thread of the CTA, R10 warp of the CTA, R11
/// iteration, R12 and R13 random numbers of the warp and of the thread, R20 what the thread has seen, R[50:51] address
/// of its result; P6 is free for delays, R30 and R31 too.
class LockstepKernel {
  public:
    LockstepKernel(std::uint64_t seed, std::uint32_t ctas, std::uint32_t threads, std::uint32_t iterations);

    std::uint32_t warps() const { return (threads_ + 31) / 32; }
    /// `before` writes what stands in front of the loop over the iterations, `body` what stands in it; `settings` are
    /// the program's. `shared`: bytes of a CTA.
    template <typename Before, typename Body>
    LockstepProgram build(Before before, Body body, std::uint32_t shared, std::vector<std::string> settings) {
        begin();
        before();
        out.place("iteration");
        body();
        end();
        return finished(shared, std::move(settings));
    }

    /// New random numbers in R12 and R13, uniform in a warp the first.
    void draw();
    /// Lets some time pass, or none; each warp another time.
    void delay();
    /// Makes the word in `name` part of what the thread has seen.
    void see(const std::string &name) { out.line("IMAD R20, R20, 0x1003f, {}", name); }
    /// Stores what the thread has seen, under `guard`.
    void store(const std::string &guard) { out.instruction(guard, "STG [R[50:51]], R20"); }

    fuzz::Random random;
    fuzz::Writer out;

  private:
    void begin();
    void end();
    LockstepProgram finished(std::uint32_t shared, std::vector<std::string> settings);

    std::uint32_t ctas_;
    std::uint32_t threads_;
    std::uint32_t iterations_;
};

/// Random latencies of the units that the programs use. `slow`: some are so long that more is under way at a time than
/// RTL has room for.
std::vector<std::string> random_design(fuzz::Random &random, bool slow);

} // namespace smsim::cosim
