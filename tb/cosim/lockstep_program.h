// A random kernel for lockstep campaigns: its frame, its run on the model and on RTL, and the outcome.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/types.h"
#include "tb/fuzz/programs/random.h"
#include "tb/fuzz/programs/writer.h"

namespace smsim::cosim {

/// A kernel with its launch and its design.
struct LockstepProgram {
    std::string text; ///< assembly; its only argument is a buffer of one word per thread
    std::uint32_t ctas = 1;
    std::uint32_t threads = 32;        ///< of a CTA
    std::vector<std::string> settings; ///< `key=value`, except those that choose implementations
    /// Whether RTL has room for everything that the program sends it at a time, so that it takes the same cycles as
    /// the model.
    bool same_cycles = true;
    bool same_run = true;            ///< with `same_cycles`: so does the run as a whole, not only the answers
    bool may_fail = false;           ///< it may end with an exception, the same on model and RTL
    std::uint32_t stall_percent = 0; ///< the program needs channels held up this often; 0: any
};

/// The outcome of a run.
struct LockstepRun {
    std::string failure; ///< empty: every CTA has completed; "error: ...": not an exception of the SM
    Cycle cycles = 0;
    std::uint64_t barrier_operations = 0;
    std::uint64_t shared_accesses = 0;
    std::uint64_t branch_answers = 0;  ///< answers of the branch unit in lockstep
    std::uint64_t apart = 0;           ///< answers, wakes and timer requests of RTL in another cycle than the model's
    std::uint64_t early = 0;           ///< of these, those of the branch unit in an earlier cycle
    std::vector<std::uint8_t> results; ///< contents of the buffer
};

/// Runs the program in its own process with `settings` after those of the program.
LockstepRun run(const LockstepProgram &program, const std::vector<std::string> &settings);

/// Writes the program to files in the temporary folder, for `smsim run`; returns the command to run it.
std::string reproducer(const LockstepProgram &program, const std::string &name,
                       const std::vector<std::string> &settings);

/// The common frame of the kernels. Registers: R3 a constant, R8 lane, R9 thread of the CTA, R10 warp of the CTA, R11
/// iteration, R12 and R13 random numbers of the warp and of the thread, R20 what the thread has seen, R[50:51] address
/// of its result; P6, R30 and R31 are free for delays.
class LockstepKernel {
  public:
    LockstepKernel(std::uint64_t seed, std::uint32_t ctas, std::uint32_t threads, std::uint32_t iterations);

    std::uint32_t warps() const { return (threads_ + 31) / 32; }
    /// `before` writes the code before the loop over the iterations, `body` the code in it; `settings` are those of
    /// the program. `shared`: bytes of a CTA.
    template <typename Before, typename Body>
    LockstepProgram build(Before before, Body body, std::uint32_t shared, std::vector<std::string> settings) {
        begin();
        before();
        out.place("iteration");
        body();
        end();
        return finished(shared, std::move(settings));
    }

    /// New random numbers in R12 and R13; R12 is uniform within a warp.
    void draw();
    /// Lets some time pass, or none, differently for each warp.
    void delay();
    /// Adds the word in `name` to what the thread has seen.
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
