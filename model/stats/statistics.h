// The counters of a run: plain data that the parts fill and the report reads. All times are in cycles.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/isa/isa.h"
#include "model/stats/barrier_operand.h"
#include "model/stats/fetch_cause.h"
#include "model/stats/interval_counters.h"
#include "model/stats/latency_stats.h"
#include "model/stats/level_stats.h"
#include "model/stats/lockstep.h"
#include "model/stats/memory_check.h"
#include "model/stats/occupancy.h"
#include "model/stats/release_kind.h"
#include "model/stats/stall.h"
#include "model/stats/utilisation.h"
#include "model/stats/warp_records.h"
#include "model/types.h"

namespace smsim {

/// One instruction address, summed over all warps, filled by the IBuffers.
struct PcStats {
    std::uint64_t issues = 0;
    std::uint64_t active_lanes = 0;   ///< lanes of ActiveMask summed over issues
    std::uint64_t executed_lanes = 0; ///< those whose guard was true
    StallCycles stalls{};             ///< warp-cycles charged to this address: selected, branch_resolve, barrier and
                                      ///< sleeping to the instruction that caused them, all others to the waiting one
};

/// For how long an instruction has waited at a scoreboard that another one held.
struct Dependence {
    Pc waits = 0;
    Pc producer = 0;
    std::uint8_t scoreboard = 0;
    Cycle cycles = 0; ///< warp-cycles of short_scoreboard or long_scoreboard
    friend bool operator==(const Dependence &, const Dependence &) = default;
};

/// The memory accesses of one instruction address, summed over all warps, filled by the load/store unit.
struct AccessStats {
    std::uint64_t accesses = 0; ///< warp accesses served
    std::uint64_t transactions = 0;
    std::uint64_t sectors = 0;          ///< of global memory, touched by its transactions (`lsu.sector_bytes`)
    std::uint64_t shared_passes = 0;    ///< bank passes of shared memory, if it reports them
    std::uint64_t bank_conflicts = 0;   ///< those passes due to conflicts
    std::uint64_t tag_wavefronts = 0;   ///< cycles in which the L1 looked up lines of loads and stores
    std::uint64_t wavefronts = 0;       ///< cycles that their data takes the banks of the L1
    std::uint64_t ideal_wavefronts = 0; ///< those of these that as many words take without conflicts
    std::uint64_t requested_bytes = 0;  ///< requested by the threads
    std::uint64_t l1_hits = 0;          ///< accesses answered entirely by the L1
    Cycle cycles = 0;                   ///< issue to result, or to being performed, summed over accesses
    Cycle most = 0;                     ///< of a single access

    friend bool operator==(const AccessStats &, const AccessStats &) = default;
};

/// One branch instruction (BRA, BRX, CALL, RET, VBEQ and the like, JMP, JMX, CAL).
struct BranchStats {
    std::uint64_t executions = 0;
    std::uint64_t taken = 0;             ///< executions in which some thread jumped
    std::uint64_t taken_lanes = 0;       ///< threads that jumped
    std::uint64_t active_lanes = 0;      ///< threads that executed it
    std::uint64_t diverged = 0;          ///< executions that split the active threads
    std::uint64_t reconverged = 0;       ///< those that a later sync has reconverged
    std::uint64_t path_instructions = 0; ///< warp instructions from a divergence to its reconvergence, summed
    std::uint64_t path_max = 0;
};

/// One BSYNC, WARPSYNC or JOIN instruction, or one that takes threads to a token (SYNC, BRK, CONT, RET of token_stack).
struct SyncStats {
    std::uint64_t executions = 0;
    std::uint64_t passed = 0;
    std::uint64_t switched = 0;                          ///< did not pass, another path continued
    std::array<std::uint64_t, kReleaseKinds> releases{}; ///< BSYNC: by kind
};

/// A counter specific to a reconvergence engine.
struct EngineCounter {
    std::string_view name;
    std::string_view meaning; ///< a few words for reports
    std::uint64_t value = 0;
    friend bool operator==(const EngineCounter &, const EngineCounter &) = default;
};

/// Counters of the branch unit.
struct BruStats {
    std::uint64_t instructions = 0;
    std::map<Pc, BranchStats> branches;
    std::map<Pc, SyncStats> syncs;
    std::uint64_t yields = 0;           ///< YIELD executed by all active threads of a diverged warp
    std::uint64_t yields_converged = 0; ///< YIELD without effect
    std::uint64_t sleeps = 0;           ///< NANOSLEEP with a non-zero time
    std::uint64_t warp_sleeps = 0;      ///< times a whole warp went to sleep
    std::uint64_t wakes = 0;            ///< timer expiries
    std::uint64_t parked = 0;           ///< parking rule applied
    std::uint64_t syscalls = 0;
    std::uint64_t busy_cycles = 0;     ///< initiation intervals summed over pipelines
    std::vector<EngineCounter> engine; ///< filled, like `level`, when the counters are collected
    LevelStats level;
};

/// What the warps with one number in their CTA did at one barrier, summed over CTAs.
struct BarrierWarpStats {
    std::uint64_t arrivals = 0;             ///< SYNC and RED
    std::uint64_t arrivals_nonblocking = 0; ///< ARV
    std::uint64_t last_arrivals = 0; ///< arrivals that completed the barrier: the others had waited for this warp
    std::uint64_t wait_cycles = 0;   ///< blocked cycles
};

/// One CTA barrier number, summed over CTAs.
struct BarrierStats {
    std::uint64_t arrivals = 0;             ///< SYNC and RED
    std::uint64_t arrivals_nonblocking = 0; ///< ARV
    std::uint64_t completions = 0;
    std::uint64_t wait_cycles = 0;      ///< blocked cycles summed over warps
    std::uint64_t imbalance_cycles = 0; ///< first to last arrival, summed over completions
    Cycle imbalance_max = 0;
    std::uint64_t reductions = 0;
    std::vector<BarrierWarpStats> warps; ///< index: warp in its CTA; up to the highest that has arrived
};

/// Counters of the barrier unit.
struct BcuStats {
    std::array<BarrierStats, kBarriers> barriers{};
    std::uint64_t undefined_reads = 0; ///< B2R.RESULT before any BAR.RED
    std::uint64_t instructions = 0;
    LatencyStats waits; ///< of blocked warps that were released
};

/// Counters of a shared memory.
struct SharedMemoryStats {
    std::uint64_t accesses = 0; ///< warp accesses (groups)
    std::uint64_t passes = 0;   ///< bank passes
    /// Passes that the accesses would not have taken if their words had been spread evenly over the banks: 16 bytes of
    /// each of 32 threads take four passes, and more are conflicts.
    std::uint64_t conflicts = 0;
    std::uint64_t atomics = 0;
    std::array<std::uint64_t, 33> ways{}; ///< histogram: accesses that took n passes, n = 0..31, and 32 or more
    std::uint64_t read_bytes = 0;
    std::uint64_t write_bytes = 0;
};

/// Counters of the L1, of global memory and of its parts.
struct GlobalMemoryStats {
    std::uint64_t l1_hits = 0;
    std::uint64_t l1_misses = 0;
    std::uint64_t l1_mshr_merges = 0;
    std::uint64_t l1_refetches = 0; ///< misses of sectors that had been there before in the launch
                                    ///< (memory/l1/seen_sectors.h)
    // sectors (`l1.sector_bytes`, lines where that is 0) that reads looked for in the L1
    std::uint64_t l1_sector_hits = 0;   ///< present, or under way for an earlier read
    std::uint64_t l1_sector_misses = 0; ///< fetched for the read
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;
    std::uint64_t atomics = 0;
    std::uint64_t read_bytes = 0;
    std::uint64_t write_bytes = 0;
    Cycle busy_cycles = 0; ///< cycles the memory's bandwidth was in use
    // with an L2 (`l2.bytes`)
    std::uint64_t l2_hits = 0;        ///< sectors that reads, writes and atomics found there
    std::uint64_t l2_misses = 0;      ///< sectors that they did not find
    std::uint64_t l2_write_backs = 0; ///< sectors that went to DRAM
    Cycle dram_busy_cycles = 0;       ///< cycles the bandwidth of DRAM was in use
};

/// Counters of instruction fetch.
struct FetchStats {
    std::uint64_t fetches = 0;
    std::uint64_t l0_hits = 0;
    std::uint64_t l0_misses = 0;
    std::uint64_t discarded = 0;         ///< fetched, then dropped because the warp jumped
    std::uint64_t l1_hits = 0;           ///< lines requested by the L0 caches that the L1 had
    std::uint64_t l1_misses = 0;         ///< those that it had not, or not yet
    std::uint64_t prefetches = 0;        ///< of these lines, those that no fetch had requested
    std::uint64_t prefetches_used = 0;   ///< prefetched lines whose first use was counted
    std::uint64_t prefetches_unused = 0; ///< prefetched lines that were dropped without a use
};

/// Counters of the load/store unit.
struct LoadStoreStats {
    std::array<std::uint64_t, 256> by_op{}; ///< instructions by operation number
    std::uint64_t transactions_shared = 0;
    std::uint64_t transactions_global = 0;
    std::uint64_t requested_global_bytes = 0; ///< bytes the threads asked for
    std::uint64_t moved_global_bytes = 0;     ///< bytes of the transactions
    std::uint64_t constant_misses = 0;        ///< lines of constants requested by LDC that were absent
    std::uint64_t cas = 0;                    ///< compare-and-swaps of threads, and those that found another value
    std::uint64_t cas_failed = 0;
    std::vector<AccessStats> by_pc; ///< index pc / 16, up to the last one with an access
    Latencies latencies{};          ///< those of accesses
};

/// Instruction mix and lanes by unit.
struct DatapathStats {
    std::array<std::uint64_t, isa::kUnits> by_unit{};
    std::uint64_t hazards = 0;
};

/// The maximum number of CTAs of a launch resident at once, in total and by resource.
struct OccupancyLimits {
    static constexpr std::uint32_t kNone = ~std::uint32_t{0}; ///< the resource is not needed

    std::uint32_t ctas = 0;       ///< the least of the limits below
    std::uint32_t warps_each = 0; ///< of a CTA
    std::uint32_t by_warps = kNone;
    std::uint32_t by_threads = kNone;
    std::uint32_t by_ctas = kNone;
    std::uint32_t by_registers = kNone;
    std::uint32_t by_shared = kNone;
    std::uint64_t grid = 0; ///< CTAs of the launch: if fewer than the limits, room is left
};

/// A finding of the hazard checker: `second` touched a register that `first` still had in flight, or an arrival at a
/// CTA barrier has a register operand with set bits that are ignored (both are the arrival then).
struct Hazard {
    Pc first = 0;     ///< instruction whose result (or source) was in flight
    Pc second = 0;    ///< the instruction that was too early
    char space = 'R'; ///< 'R' register, 'P' predicate, 'U' uniform register, 'C' condition flags
    std::uint8_t index = 0;
    enum class Kind : std::uint8_t {
        kReadAfterWrite,
        kWriteAfterWrite,
        kWriteAfterRead,
        kBarrierBits, ///< of the number of a barrier
        kCountBits,   ///< of the count of a barrier
        kJointBits,   ///< of both in one register
    } kind = Kind::kReadAfterWrite;
    std::uint64_t count = 0;   ///< times seen
    Cycle cycle = 0;           ///< first time
    std::uint32_t missing = 0; ///< cycles by which it was too early; 0 when a scoreboard was missing
    std::uint32_t value = 0;   ///< of the operand with other bits, the first time
};

/// Whether it is about ignored bits of an operand.
inline bool is_of_operand_bits(const Hazard &hazard) {
    return hazard.kind >= Hazard::Kind::kBarrierBits;
}
/// The operand of such a hazard.
inline BarrierOperand operand_of(const Hazard &hazard) {
    return {hazard.kind == Hazard::Kind::kBarrierBits ? BarrierOperand::Kind::kBarrier
            : hazard.kind == Hazard::Kind::kCountBits ? BarrierOperand::Kind::kCount
                                                      : BarrierOperand::Kind::kBoth,
            hazard.index, hazard.value};
}

/// What a hazard is about, as assembly names it: "R3", "P0", "UR4", or "CC".
inline std::string hazard_register(const Hazard &hazard) {
    if (hazard.space == 'C') {
        return "CC";
    }
    std::string name(hazard.space == 'U' ? "UR" : hazard.space == 'P' ? "P" : "R");
    return name.append(std::to_string(hazard.index));
}

/// All counters of one run.
struct RunStats {
    Cycle cycles = 0;
    std::vector<WarpSums> sums;          ///< of all warps, by sub-partition
    std::vector<WarpStats> warps;        ///< records of the warps of every n-th CTA, by CTA number, then warp
    std::uint64_t warps_every = 1;       ///< the n above
    std::vector<Cycle> cta_ends;         ///< in order of CTA numbers; empty if not requested
    std::vector<PcStats> pcs;            ///< index pc / 16
    std::vector<Dependence> dependences; ///< by the waiting instruction, then most cycles first
    BruStats bru;
    BcuStats bcu;
    SharedMemoryStats shared;
    GlobalMemoryStats global;
    FetchStats fetch;
    FetchCauseCycles no_instruction{};             ///< stall cycles of that reason, of all warps, by cause
    std::array<std::uint64_t, kLanes + 1> lanes{}; ///< issues by the number of lanes that executed
    Latencies latencies{};
    LoadStoreStats lsu;
    DatapathStats datapath;
    std::vector<Hazard> hazards;
    OutsideAccesses outside;
    OccupancyCurve occupancy;
    OccupancyLimits occupancy_limits;
    std::uint64_t ctas = 0;                  ///< completed
    std::vector<IntervalCounters> over_time; ///< one for each sub-partition, all of one interval width
    UnitUses units;                          ///< all series have the width of `over_time`, or a larger one
    LockstepStats lockstep;                  ///< empty when no part runs in lockstep

    /// Sums over all warps: `totals().instructions` are the warp instructions of the launch.
    WarpSums totals() const {
        WarpSums all;
        for (const WarpSums &some : sums) {
            all.add(some);
        }
        return all;
    }
    /// Adds a warp with its record.
    void add(const WarpStats &warp) {
        if (warp.sub_partition >= sums.size()) {
            sums.resize(warp.sub_partition + 1);
        }
        sums[warp.sub_partition].add(warp);
        warps.push_back(warp);
    }
};

} // namespace smsim
