// The common part of the random kernels for the stack engines: the frame, predicates, values that threads have seen,
// jump targets, and the design.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tb/cosim/lockstep_program.h"
#include "tb/fuzz/programs/random.h"
#include "tb/fuzz/programs/writer.h"

namespace smsim::cosim {

/// Registers: R3 a constant, R8 lane, R9 thread of the CTA, R11 iteration, R12 and R13 random numbers of the warp and
/// of the thread, R20 what the thread has seen, R24 to R31 for use within one place, R[36:37] return address, R38 and
/// R39 targets, R40, R44 and up loop counters, R[50:51] address of the result; P0 to P3 are guards, P4 and P5 are for
/// use within one place, P6 is true for all threads of a warp or for none.
class StackWriter {
  public:
    StackWriter(std::uint64_t seed, std::string_view engine, std::uint32_t warps);
    virtual ~StackWriter() = default;
    StackWriter(const StackWriter &) = delete;
    StackWriter &operator=(const StackWriter &) = delete;

    /// The kernel, with the settings of its design.
    LockstepProgram program();

  protected:
    static constexpr std::uint32_t kDepth = 4; ///< nesting of constructs

    /// One engine-specific statement.
    virtual void own_statement() = 0;
    /// A branch back to `iteration` under P6, which is uniform within a warp.
    virtual void repeat() = 0;
    /// Ends the kernel and writes its functions.
    virtual void end() = 0;
    /// Settings of the engine.
    virtual std::vector<std::string> design() = 0;

    /// Some statements; fewer at greater depth.
    void block();
    /// The number of statements that may still be written, in a function.
    void allow(std::uint32_t statements) { statements_ = statements; }
    void set(const char *key, std::uint32_t value);
    void draw();
    void see(const std::string &name);
    void predicate(std::uint32_t number);
    /// P6: true for all threads of the warp, or for none.
    void uniform_predicate();
    std::string guard();
    /// The instruction with its own guard.
    void put(const std::string &text) { out_.instruction(guard(), text); }
    std::string compare(); ///< LT or another name of a comparison
    /// A statement somewhere in the kernel, usually a little further on.
    std::string somewhere();
    /// Loads one of the expressions for each thread, as a word, into `destination`; one for the warp if `uniform`.
    void choose(const std::string &destination, const std::vector<std::string> &expressions, bool uniform);
    void nanosleep();
    void nothing_of_the_engine();

    fuzz::Random random_;
    fuzz::Writer out_;
    bool faults_;                ///< statements need not match
    std::uint32_t wild_percent_; ///< share of the engine's statements that do not match
    std::uint32_t depth_ = 0;    ///< of the enclosing constructs
    bool same_run_ = true;       ///< the run takes the same cycles as on the model

  private:
    void statement();
    std::uint32_t threads_of_a_cta(std::uint32_t warps);

    std::string engine_;
    std::uint32_t ctas_;
    std::uint32_t threads_;
    std::uint32_t statements_; ///< that may still be written
    std::uint32_t total_;
    std::uint32_t at_ = 0;
    std::vector<std::string> settings_;
};

} // namespace smsim::cosim
