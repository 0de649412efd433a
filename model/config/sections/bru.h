// The branch unit and its reconvergence engines.
#pragma once

#include <cstdint>

#include "model/config/implementation.h"
#include "model/config/operation_list.h"
#include "model/config/policy_choice.h"

namespace smsim {

/// How a warp tracks threads that have gone different ways (bru::ReconvergenceEngine).
enum class ReconvergenceEngineKind : std::uint8_t { kConvergenceBarrier, kSimtStack, kTokenStack };
/// Which of the paths that could run next does: the one with the lowest lane (bru.md Notation, `ffs`), the one with the
/// most threads, or the one whose threads have waited longest; on a tie the one with the lowest lane.
enum class ElectionPolicy : std::uint8_t { kLowestLane, kMostThreads, kOldest };
/// Which side of a divergent jump continues; the other is parked (bru.md "Effect" is kFallThroughFirst).
enum class BranchOrder : std::uint8_t { kFallThroughFirst, kTakenFirst };
/// Which side of a divergent branch runs first under the engine simt_stack: the side with fewer threads (on a tie the
/// one that jumps), the one that does not jump, or the one that does.
enum class SimtStackOrder : std::uint8_t { kMinorityFirst, kFallthroughFirst, kTakenFirst };
/// Which group of threads runs first after a divergence under the engine token_stack: those that do not jump, or the
/// first of those that do.
enum class TokenStackOrder : std::uint8_t { kFallthroughFirst, kTakenFirst };

/// The engine simt_stack (engines.md simt_stack).
struct SimtStackConfig {
    SimtStackOrder order = SimtStackOrder::kMinorityFirst;
    std::int64_t depth = -1;   ///< entries of the stack; -1: what legal programs need at most [E-4], 0: any number
    bool barrier_check = true; ///< an arrival at a CTA barrier while another side waits is BarrierDiverged [E-3]
};

/// The engine token_stack (engines.md token_stack).
struct TokenStackConfig {
    TokenStackOrder order = TokenStackOrder::kFallthroughFirst;
    std::uint32_t depth = 32;        ///< tokens that the stack holds
    bool spill = true;               ///< further ones are spilled to memory; otherwise they cause StackOverflow
    std::uint32_t spill_cycles = 30; ///< for a token to memory, and for one back
    std::uint32_t call_limit = 0;    ///< maximum number of RET tokens of a warp; 0: any number
};

struct BruConfig {
    Implementation implementation{};
    OperationList rtl_operations{}; ///< that are executed by a block of RTL
    ReconvergenceEngineKind engine = ReconvergenceEngineKind::kConvergenceBarrier;
    std::uint32_t convergence_barriers = 16; ///< of a thread, B0 and on; kernels that need more are rejected
    PolicyChoice<ElectionPolicy> election = ElectionPolicy::kLowestLane;
    BranchOrder branch_order = BranchOrder::kFallThroughFirst;
    std::uint32_t pipelines = 4;       ///< sub-partition i uses pipeline i mod pipelines
    std::uint32_t branch_latency = 2;  ///< BRA, BRX, CALL, RET, EXIT, RTT, TRAP, SYSCALL
    std::uint32_t barrier_latency = 2; ///< BSSY, BREAK, LEPC
    std::uint32_t sync_latency = 4;    ///< BSYNC, WARPSYNC
    std::uint32_t yield_latency = 2;   ///< YIELD, NANOSLEEP
    std::uint32_t move_latency = 16;   ///< BMOV to a register
    std::uint32_t branch_interval = 1;
    std::uint32_t barrier_interval = 1;
    std::uint32_t sync_interval = 1;
    std::uint32_t yield_interval = 1;
    std::uint32_t move_interval = 1;
    bool nanosleep_sets_yield = true; ///< bru.md NANOSLEEP 5
    bool bsync_spec_literal = false;  ///< bru.md D-8: the other rule, to show the hazard
    std::int64_t trap_handler = -1;   ///< byte address of the handler, -1: none
    SimtStackConfig simt_stack;
    TokenStackConfig token_stack;
};

} // namespace smsim
