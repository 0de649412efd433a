// The validated configuration of a model: plain constants, one struct per part. `loader.h` reads the values (YAML,
// --set, defaults); keys are `section.member` with the names used here.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "model/config/implementation.h"
#include "model/config/operation_list.h"

namespace smsim {

/// Warp issue policies of a sub-partition.
enum class IssuePolicyKind : std::uint8_t {
    kGreedyThenYoungest,
    kGreedyThenOldest,
    kGreedyThenLeastRecent,
    kLooseRoundRobin,
    kTwoLevel,
};
/// The warp for which a sub-partition fetches when the warp that issued last has no room in its buffer: a warp with an
/// empty buffer first, in cyclic order; the youngest; or the one with the least recent fetch.
enum class FetchPolicyKind : std::uint8_t { kEmptyFirst, kYoungest, kLeastRecent };
/// What a sub-partition's instruction cache prefetches: `kNextUse` brings lines into the L0, one more for each that is
/// used; `kHead` keeps them in a stream buffer of which only the first can be used, and which a miss of another line
/// restarts.
enum class StreamPolicy : std::uint8_t { kNextUse, kHead };
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
/// The second FP32 pipe of a sub-partition, which takes FFMA, FADD and FMUL besides `pipes.fma`: there is none, it is a
/// separate pipe, or it is the integer and logic pipe.
enum class SecondFp32 : std::uint8_t { kNone, kOwn, kAlu };
/// The order in which the warps of a completed barrier continue, by their number in the CTA.
enum class ReleaseOrder : std::uint8_t { kLowestFirst, kHighestFirst };
/// How atomics on global memory travel: as transactions that the memory performs as one (protocol::AtomicExtension), or
/// as a read and a write of the load/store unit, for memories that support nothing else.
enum class GlobalAtomics : std::uint8_t { kNative, kReadWrite };

struct SmConfig {
    std::uint32_t sub_partitions = 4;
    std::uint32_t warps_per_sub_partition = 16;
    std::uint32_t max_threads = 2048;
    std::uint32_t registers = 65536;   ///< 32-bit registers of the SM
    std::uint32_t register_unit = 256; ///< allocation granularity per warp, registers
    std::uint32_t max_ctas = 32;
    std::uint32_t cta_launch_interval = 1; ///< cycles between two CTA placements
    std::uint32_t cta_restart = 0;         ///< cycles from the end of a CTA to the start of one that waits for its room
    std::uint32_t warp_start_interval = 0; ///< cycles between two warps of a CTA that start in one sub-partition
    std::uint64_t watchdog_cycles = 100'000'000;
    double clock_ghz = 1.0;
    bool hazard_check = false;
    bool hazard_fatal = false; ///< a hazard ends the run instead of being counted and reported
};

struct IBufferConfig {
    std::uint32_t depth = 3; ///< entries per warp
    std::uint32_t fetch_per_cycle = 1;
    std::uint32_t decode_latency = 1; ///< cycles from the fetch response to issue-ready
    IssuePolicyKind policy = IssuePolicyKind::kGreedyThenYoungest;
    FetchPolicyKind fetch_policy = FetchPolicyKind::kEmptyFirst;
    std::uint32_t redirect_latency = 0; ///< cycles from a jump that takes effect to the fetch at its target
    std::uint32_t redirect_penalty = 0; ///< additional cycles, when the target's line is not among those fetched last
                                        ///< for the warp
    std::uint32_t line_buffer = 3;      ///< the number of these lines
    bool fetch_behind_branch = true;    ///< the path after a control instruction is fetched while that is under way
    std::uint32_t two_level_active = 4; ///< active set of the two-level policy, warps
    /// The most cycles for which a warp that could issue is passed over, whatever the policy; 0: for ever
    std::uint32_t starvation_limit = 10000;
};

struct ICacheConfig {
    bool l0 = true;
    std::uint32_t l0_bytes = 32768;
    std::uint32_t line_bytes = 128;
    std::uint32_t l0_latency = 1;     ///< cycles of a hit
    std::uint32_t l1_latency = 39;    ///< cycles of an L0 miss
    std::uint32_t prefetch_lines = 8; ///< stream buffer: lines prefetched after a miss
    StreamPolicy stream = StreamPolicy::kNextUse;
    std::uint32_t l1_bytes = 0; ///< size of the L1 instruction cache; 0: it holds every program
    std::uint32_t l1_ways = 16;
    std::uint32_t l1_miss_latency = 200;     ///< additional cycles for a line that is not in the L1
    std::uint32_t l1_requests_per_cycle = 0; ///< requests that the L1 takes, and lines that it returns; 0: no limit
    bool cold_launch = false;                ///< a launch begins with empty caches
};

/// Caches of constants (timing.md 5): for operands, one per sub-partition; for LDC, one per SM.
struct ConstantsConfig {
    std::uint32_t operand_bytes = 0; ///< size; 0: every operand is there
    std::uint32_t line_bytes = 64;
    std::uint32_t ways = 2;
    std::uint32_t miss_latency = 79; ///< cycles for which a warp waits whose operand is absent
    std::uint32_t miss_hold = 4;     ///< cycles, including that of the miss, in which no warp issues then
    std::uint32_t load_bytes = 0;    ///< size of the cache for LDC; 0: everything is there
    std::uint32_t load_ways = 4;
    std::uint32_t load_miss_latency = 62; ///< additional cycles of an LDC that misses it
    std::uint32_t address_interval = 0;   ///< cycles for each further address of one LDC
};

/// Register file of a sub-partition; register r is in bank r mod `banks`.
struct RegisterFileConfig {
    std::uint32_t banks = 2;
    std::uint32_t read_ports = 0;  ///< per bank, for instructions of fixed latency; 0: unlimited
    std::uint32_t read_window = 3; ///< cycles in which such an instruction reads its registers
    bool reuse_cache = true;       ///< with read_ports: an operand written `.reuse` is kept for the next instruction
    bool write_conflicts = false;  ///< a result of variable latency gives way to one of fixed latency in its bank
};

/// Result latency and initiation interval of one execution pipe, cycles.
struct PipeConfig {
    std::uint32_t latency = 4;
    std::uint32_t interval = 1;
};

struct PipesConfig {
    PipeConfig alu{4, 1};
    PipeConfig fma{4, 1};
    PipeConfig xu{15, 4};
    PipeConfig fp64{16, 4};
    PipeConfig half{5, 1};
    PipeConfig uniform{6, 1};
    SecondFp32 second_fp32 = SecondFp32::kNone;
    bool fp64_per_sm = false;               ///< one double-precision pipe for all sub-partitions, after queues
    std::uint32_t fp64_queue = 3;           ///< fp64_per_sm: instructions that wait for it per sub-partition
    std::uint32_t fp64_fma = 0;             ///< additional cycles of DFMA over fp64.latency
    std::uint32_t i2f_on_alu = 0;           ///< latency of integer to FP32 on the ALU pipe; 0: the XU pipe executes it
    std::uint32_t alu_to_fma = 5;           ///< RAW latency from ALU to FMA pipe
    std::uint32_t fma_to_alu = 1;           ///< RAW latency from FMA pipe to ALU
    std::uint32_t to_half = 5;              ///< RAW latency from another pipe to the pipe of 16-bit floats
    std::uint32_t half_to_others = 5;       ///< RAW latency from the pipe of 16-bit floats to another unit
    std::uint32_t to_memory = 6;            ///< RAW latency of a fixed-latency result to memory, XU and FP64 operands
    std::uint32_t to_branch = 6;            ///< RAW latency to BRU and BCU register operands
    std::uint32_t predicate_to_branch = 13; ///< RAW latency from a predicate to a control instruction's guard
    std::uint32_t predicate_to_alu = 5;     ///< RAW latency from a predicate to a guard or predicate source of other
                                            ///< instructions
    std::uint32_t uniform_to_branch = 10;   ///< RAW latency from a uniform register to a control instruction
    std::uint32_t uniform_to_memory = 9;    ///< RAW latency from a uniform register to the address of an access
    std::uint32_t special_register = 16;    ///< S2R, S2UR latency
    std::uint32_t shuffle = 15;             ///< SHFL, MATCH, REDUX latency
};

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
    ElectionPolicy election = ElectionPolicy::kLowestLane;
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

struct BcuConfig {
    Implementation implementation{};
    std::uint32_t arrival_latency = 6;  ///< arrival to bookkeeping, cycles
    std::uint32_t release_latency = 16; ///< completion to first released warp
    std::uint32_t release_interval = 1; ///< cycles between two released warps of one barrier
    ReleaseOrder release_order = ReleaseOrder::kLowestFirst;
    std::uint32_t interval = 1;      ///< cycles between two barrier operations
    std::uint32_t move_latency = 16; ///< B2R, B2R.RESULT, R2B
};

struct TimerConfig {
    Implementation implementation{};
    std::uint32_t granularity = 1; ///< cycles; an expiry is rounded up to a multiple
};

struct LsuConfig {
    std::uint32_t units = 1;                      ///< that take accesses from the queues
    std::uint32_t queue_depth = 8;                ///< instructions waiting per sub-partition
    std::uint32_t queue_latency = 1;              ///< earliest departure from the queue, cycles after issue
    std::uint32_t queue_interval = 1;             ///< cycles between two departures from one queue
    std::uint32_t issue_interval = 2;             ///< cycles between two accesses that a unit takes
    std::uint32_t lines_per_cycle = 1;            ///< lines of one global access that take the unit for one cycle
    std::uint32_t constant_latency = 4;           ///< LDC
    std::uint32_t constant_immediate_latency = 4; ///< LDC without a register in its address
    std::uint32_t constant_sources = 2;           ///< cycles from issue to the last read of sources: LDC
    std::uint32_t shared_load_sources = 2;        ///< LDS
    std::uint32_t shared_store_sources = 2;       ///< STS, ATOMS, 4 bytes per thread
    std::uint32_t global_load_sources = 2;        ///< LDG, LDL
    std::uint32_t global_store_sources = 2;       ///< STG, STL, ATOMG, RED, 4 bytes per thread
    std::uint32_t uniform_load_sources = 0;       ///< loads with a uniform address; 0: as others
    std::uint32_t uniform_store_sources = 0;      ///< stores and atomics with a uniform address; 0: as others
    std::uint32_t uniform_shared_saving = 0;      ///< cycles saved by LDS with a uniform address
    std::uint32_t uniform_global_saving = 0;      ///< cycles saved by LDG, LDL with a uniform address
    std::uint32_t store_bytes = 0;                ///< store data that a sub-partition reads per cycle; 0: any
    std::uint32_t return_bytes = 0;               ///< global data that a sub-partition takes per cycle; 0: any
    std::uint32_t max_outstanding = 256;          ///< global transactions in flight
    std::uint32_t sector_bytes = 32;              ///< coalescing granularity of global accesses
    std::uint32_t membar_cta = 53;                ///< MEMBAR latency once the warp's accesses are performed, cycles
    std::uint32_t membar_gpu = 186;
    std::uint32_t membar_sys = 2900;
};

struct SharedMemoryConfig {
    Implementation implementation{};
    std::uint32_t bytes = 102400; ///< of the SM
    std::uint32_t max_per_cta = 101376;
    std::uint32_t banks = 32;
    std::uint32_t bank_bytes = 4;
    std::uint32_t latency = 24; ///< conflict-free load of 4 bytes per thread, cycles from issue to that of its consumer
    std::uint32_t atomic_latency = 6;    ///< additional cycles of an atomic pass
    std::uint32_t pass_interval = 1;     ///< cycles between two passes for one sub-partition
    bool conflict_free = false;          ///< words are spread evenly over the banks, whatever their addresses: for
                                         ///< experiments
    bool phases = false;                 ///< accesses of 8 and 16 bytes have phases of 16 and 8 threads
    std::uint32_t allocation_unit = 128; ///< bytes
};

struct L1Config {
    bool enabled = true;
    std::uint32_t bytes = 131072;
    std::uint32_t line_bytes = 128;
    std::uint32_t sector_bytes = 0; ///< part of a line that a miss brings; 0: the whole line
    std::uint32_t ways = 4;
    std::uint32_t latency = 35;        ///< hit of 4 bytes per thread, cycles from issue to that of its consumer
    std::uint32_t bytes_per_cycle = 0; ///< of hits; 0: any
    std::uint32_t mshrs = 64;
};

struct GlobalMemoryConfig {
    std::uint32_t latency = 253; ///< cycles from request to data
    std::uint32_t bytes_per_cycle = 64;
    std::uint32_t atomic_latency = 20; ///< additional cycles of an atomic
    GlobalAtomics atomics = GlobalAtomics::kNative;
    std::uint64_t bytes = 1ULL << 36; ///< size of the address window
};

/// The L2 and the DRAM below it, as one SM sees them (memory/l2_cache.h).
struct L2Config {
    std::uint64_t bytes = 0; ///< size; 0: every access below the L1 hits
    std::uint32_t line_bytes = 128;
    std::uint32_t sector_bytes = 32; ///< what a miss brings
    std::uint32_t ways = 16;
    std::uint32_t miss_latency = 200; ///< additional cycles of a miss over a hit
    std::uint32_t dram_bytes_per_cycle = 32;
};

/// Random delays of events whose timing no program may rely on (model/timing/jitter.h).
struct JitterConfig {
    std::uint64_t seed = 0; ///< 0: none
    std::uint32_t max = 32; ///< maximum number of extra cycles of one event
};

/// What if something cost nothing that it costs on every machine: for experiments, whose results are then not those of
/// the program.
struct IdealConfig {
    bool barriers = false; ///< no warp waits at a CTA barrier
    bool branches = false; ///< all active threads of a warp branch as the lowest of them does
    bool locks = false;    ///< every compare-and-swap succeeds, and an exchange finds 0
};

/// Channels of RTL blocks that are stalled at random (cosim/handshakes.h); the parts of the model do not use it.
struct RtlConfig {
    std::uint32_t stall_percent = 0; ///< chance of each channel in each cycle
    std::uint64_t stall_seed = 0;
    std::uint32_t patience = 1'000'000; ///< cycles for which a block may delay an answer
};

struct Config {
    SmConfig sm;
    IBufferConfig ibuffer;
    ICacheConfig icache;
    ConstantsConfig constants;
    RegisterFileConfig register_file;
    PipesConfig pipes;
    BruConfig bru;
    BcuConfig bcu;
    TimerConfig timer;
    LsuConfig lsu;
    SharedMemoryConfig shared;
    L1Config l1;
    GlobalMemoryConfig global;
    L2Config l2;
    JitterConfig jitter;
    IdealConfig ideal;
    RtlConfig rtl;

    std::uint32_t warps() const { return sm.sub_partitions * sm.warps_per_sub_partition; }
    /// Cycles of `shared.latency` and `l1.latency` spent outside the memory: in the queue, and on the way back.
    std::uint32_t outside_memory() const { return lsu.queue_latency + 1; }
    /// Clock period of the simulation in picoseconds, rounded to the nearest. Times that programs see follow ClockRate.
    std::uint64_t period_ps() const { return static_cast<std::uint64_t>(std::llround(1000.0 / sm.clock_ghz)); }
};

} // namespace smsim
