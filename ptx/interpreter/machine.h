// Threads of one CTA, their frames, and how one of them executes a step.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ptx/interpreter/fragments.h"
#include "ptx/interpreter/interpreter.h"
#include "ptx/interpreter/matrix_arithmetic.h"
#include "ptx/interpreter/memory.h"
#include "ptx/interpreter/program.h"

namespace smsim::ptx::interpreter {

inline constexpr unsigned kWarp = 32;

struct Frame {
    const CompiledFunction *function = nullptr;
    unsigned next = 0;          ///< step to be executed
    std::size_t registers = 0;  ///< where the frame's slots start
    std::uint64_t local = 0;    ///< where the frame's local memory starts
    const Step *call = nullptr; ///< that made the frame; null for the kernel
};

enum class State : std::uint8_t { kReady, kAtBarrier, kMeeting, kDone };

struct Thread {
    unsigned index = 0; ///< in the CTA
    std::array<std::uint32_t, 3> tid{};
    State state = State::kReady;
    std::vector<std::uint64_t> registers;
    std::vector<Frame> frames;
    std::vector<std::uint8_t> local;
    std::uint64_t stack_top = 0; ///< of local memory
    bool carry = false;
    const Step *waiting = nullptr; ///< at a barrier or meeting
    std::uint64_t mask = 0;        ///< of the meeting
    Inputs brought;                ///< to the meeting

    unsigned warp() const { return index / kWarp; }
    unsigned lane() const { return index % kWarp; }
};

/// The threads of a warp that meet, by lane.
using Members = std::array<Thread *, kWarp>;

struct Barrier {
    std::vector<std::uint32_t> arrivals; ///< by thread of the CTA, not yet counted with the whole warp
    std::vector<std::uint32_t> warps;    ///< by warp: how often all its alive threads have arrived
    std::uint64_t expected = 0;          ///< threads; 0: all
    std::vector<Thread *> waiting;
    std::uint64_t popc = 0;
    bool all = true;
    bool any = false;
};

class Cta {
  public:
    Cta(const CompiledModule &module, const CompiledFunction &kernel, const Launch &launch, Memories &memories,
        std::array<std::uint32_t, 3> number);

    /// Runs to the end of all threads. Throws Stop. `steps` counts up to `launch.max_steps`.
    void run(std::uint64_t &steps, std::uint64_t &random);

  private:
    std::uint64_t &slot(Thread &thread, unsigned number) {
        return thread.registers[thread.frames.back().registers + number];
    }
    std::uint64_t read(Thread &thread, const Source &source);
    std::uint64_t special(const Thread &thread, const Source &source) const;
    void write(Thread &thread, const Target &target, std::uint64_t value);
    Inputs inputs(Thread &thread, const Step &step, unsigned first = 0);
    void put(Thread &thread, const Step &step, const Outputs &outputs);
    void execute(Thread &thread);
    void turn(Thread &thread, unsigned length, std::uint64_t &steps);
    void move(Thread &thread, const Step &step);
    std::uint64_t address(Thread &thread, const Step &step);
    void load(Thread &thread, const Step &step);
    void store(Thread &thread, const Step &step);
    void atomic(Thread &thread, const Step &step);
    void convert_address(Thread &thread, const Step &step);
    void allocate(Thread &thread, const Step &step);
    void enter(Thread &thread, const CompiledFunction &function, const Step *call);
    void call(Thread &thread, const Step &step);
    std::uint64_t argument(Thread &thread, const Step &step, std::size_t index, unsigned bytes);
    void call_library(Thread &thread, const Step &step, std::string_view name);
    void print(Thread &thread, const Step &step);
    [[noreturn]] void fail_assertion(Thread &thread, const Step &step);
    std::string string_at(Thread &thread, std::uint64_t address);
    void pass(Thread &thread, const Parameter &from, const Parameter &to, const Frame &caller, const Frame &callee);
    void leave(Thread &thread);
    void finish(Thread &thread);
    void barrier(Thread &thread, const Step &step);
    void complete(Barrier &barrier);
    void count_warp(Barrier &barrier, unsigned warp);
    bool is_complete(const Barrier &barrier) const;
    void clear(Barrier &barrier) const;
    void meet(Thread &thread, const Step &step);
    void try_meeting(unsigned warp, const Thread &member);
    void meet_matrix(Thread &thread, const Step &step);
    void try_matrix(unsigned warp, const Thread &member);
    void resolve_matrix(const Members &members, const Step &step, const WarpRegisters &given, WarpRegisters &results);
    std::uint64_t matrix_address(const Thread &thread, const Step &step, const WarpRegisters &given) const;
    std::uint64_t common_address(const Members &members, const Step &step, const WarpRegisters &given);
    void check_rows(const Thread &thread, std::uint64_t base, std::uint64_t stride_bits, unsigned align) const;
    void load_wmma(const Members &members, const Step &step, const WarpRegisters &given, WarpRegisters &results);
    void store_wmma(const Members &members, const Step &step, const WarpRegisters &given);
    std::uint8_t *matrix_row(const Members &members, const Step &step, const WarpRegisters &given, unsigned number,
                             unsigned row);
    void load_matrices(const Members &members, const Step &step, const WarpRegisters &given, WarpRegisters &results);
    void store_matrices(const Members &members, const Step &step, const WarpRegisters &given);
    [[noreturn]] void fail(const Thread &thread, const std::string &why) const;

    const CompiledModule &module_;
    const Launch &launch_;
    Memories &memories_;
    std::array<std::uint32_t, 3> number_;
    std::vector<Thread> threads_;
    std::array<Barrier, 16> barriers_;
    std::vector<unsigned> live_; ///< threads by warp
    std::uint64_t clock_ = 0;
};

/// What the threads of a meeting get: `members` by lane, null where a lane is not a member.
void resolve_meeting(const Step &step, const Members &members, std::array<Outputs, kWarp> &results);

/// The registers of D of an mma or wmma.mma. `given` has for each lane those of A, B, C and, if sparse, metadata and
/// selector.
void multiply_matrices(const MatrixForm &form, const WarpRegisters &given, const MatrixArithmetic &arithmetic,
                       WarpRegisters &results);

/// The new value of an atomic operation on the old one.
std::uint64_t atomic_result(const Operation &operation, std::uint64_t old, std::uint64_t a, std::uint64_t b);

} // namespace smsim::ptx::interpreter
