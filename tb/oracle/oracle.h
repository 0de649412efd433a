// The scalar oracle: runs every thread of a launch as its own program, with fair interleaving.
//
// The model is compared with the oracle, so the oracle shares only the decoder with the model: it has no masks that
// diverge and reconverge, no pipelines and no schedulers. Convergence barriers are hints without a result, so BSSY,
// BSYNC, BREAK and YIELD do nothing here; NANOSLEEP does nothing; WARPSYNC is a meeting of the threads that it names;
// BAR* are CTA barriers. Whatever the specification leaves open (a clock, the contents of a B register, whether
// BRA.DIV finds its warp diverged, which thread gets a lock first) is drawn from the seed: two runs with different
// seeds agree in everything that a program may rely on.
//
// Programs for simt_stack and token_stack (engines.md) run in the same way: reconvergence does nothing, and each
// thread has its own stack of tokens.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/error.h"
#include "model/program/program.h"
#include "model/types.h"

namespace smsim::oracle {

/// A range of global memory.
struct Region {
    std::uint64_t base = 0; ///< byte address
    std::vector<std::uint8_t> bytes;
};

/// What runs: program, grid, memory.
struct Launch {
    const Program *program = nullptr;
    Pc entry = 0;
    std::array<std::uint32_t, 3> grid = {1, 1, 1};
    std::array<std::uint32_t, 3> block = {1, 1, 1};
    std::uint32_t registers = 8;                         ///< per thread, 1..255
    std::uint32_t shared_bytes = 0;                      ///< of each CTA, static and dynamic
    std::uint32_t local_bytes = 0;                       ///< of each thread
    std::array<std::vector<std::uint8_t>, 32> constants; ///< contents of the banks, bank 0 with the arguments
    std::vector<Region> regions;                         ///< global memory before the launch
    std::int64_t trap_handler = -1;                      ///< byte address, -1: none
    std::uint32_t call_limit = 0;                        ///< of token_stack: most open calls of a thread, 0: no limit
};

struct Options {
    std::uint64_t seed = 1;                ///< of the interleaving and of everything unspecified
    std::uint64_t step_limit = 50'000'000; ///< thread instructions after which the run ends as `kTooLong`
};

/// The final state of a thread.
struct ThreadState {
    std::vector<std::uint32_t> registers; ///< R0 .. registers-1
    std::uint8_t predicates = 0;          ///< bit p: predicate p, 0..6
};

/// Why a run ended before all threads had exited.
struct Failure {
    enum class Kind : std::uint8_t {
        kFault,    ///< an exception of the specification: `fault`
        kDeadlock, ///< all living threads wait at WARPSYNC or BAR
        kTooLong,  ///< the step limit
        kIllegal,  ///< the program needs a result that depends on the warp where no meeting has determined it
    };
    Kind kind = Kind::kFault;
    Fault fault = Fault::kIllegalInstruction; ///< of kFault
    std::string detail;                       ///< place, thread and cause
};

struct Result {
    std::optional<Failure> failure;
    /// Threads in the order CTA (linear), then thread number in the CTA (x first).
    std::vector<ThreadState> threads;
    std::vector<Region> regions;    ///< global memory after the launch
    std::uint64_t instructions = 0; ///< thread instructions executed, not counting waits
};

/// Runs the launch to its end, CTA by CTA in a random order or interleaved; never throws because of the program's
/// behaviour.
///
/// Together: threads of a warp that are known to execute the next instruction at the same time. At the start these are
/// all threads of the warp, after a WARPSYNC those that met; exiting threads leave the set. A thread also leaves it
/// with its first jump that has a guard or a register target, and with its first YIELD, NANOSLEEP or BSYNC. The whole
/// set executes BAR, BAR.RED, R2B, R2UR, VOTE, MATCH, REDUX, SHFL at once; they are `kIllegal` for a thread without a
/// set. The set determines the outcome of BRA.U, BRA.DIV and BRA.CONV where it can, otherwise the seed does.
Result run(const Launch &launch, const Options &options = {});

} // namespace smsim::oracle
