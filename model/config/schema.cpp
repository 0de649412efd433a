// The table of configuration keys, and its listings.
#include "model/config/schema.h"

#include <algorithm>
#include <array>
#include <type_traits>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "model/config/config.h"
#include "model/config/effect.h"

namespace smsim {

namespace {

// Limits that keep sums of latencies and sizes far from overflow; real hardware is orders of magnitude below.
constexpr double kMaxCycles = 1'000'000;
constexpr double kMaxPipeCycles = 1000; // the scheduler fills what `stall` cannot cover with NOPs
constexpr double kMaxWatchdog = 1e15;
constexpr double kMaxSize = 1 << 30;
constexpr double kMaxAddress = 281474976710656.0; // 2^48
constexpr double kMaxSeed = 9007199254740992.0;   // 2^53

constexpr std::array<std::string_view, 9> kPolicyNames = {
    "greedy_then_youngest", "greedy_then_oldest", "greedy_then_least_recent",
    "loose_round_robin",    "two_level",          "cache_conscious",
    "criticality_aware",    "barrier_aware",      "divergent_first"};
constexpr std::array<std::string_view, 3> kFetchPolicyNames = {"empty_first", "youngest", "least_recent"};
constexpr std::array<std::string_view, 3> kEngineNames = {"convergence_barrier", "simt_stack", "token_stack"};
constexpr std::array<std::string_view, 3> kElectionNames = {"lowest_lane", "most_threads", "oldest"};
constexpr std::array<std::string_view, 2> kBranchOrderNames = {"fall_through_first", "taken_first"};
constexpr std::array<std::string_view, 3> kSimtStackOrderNames = {"minority_first", "fallthrough_first", "taken_first"};
constexpr std::array<std::string_view, 2> kTokenStackOrderNames = {"fallthrough_first", "taken_first"};
constexpr std::array<std::string_view, 2> kReleaseOrderNames = {"lowest_first", "highest_first"};
constexpr std::array<std::string_view, 6> kTensorArithmeticNames = {"7.0", "7.5", "8.0", "8.9", "9.0", "exact"};
constexpr std::array<std::string_view, 3> kSecondFp32Names = {"none", "own", "alu"};
constexpr std::array<std::string_view, 2> kGlobalAtomicsNames = {"native", "read_write"};
constexpr std::array<std::string_view, 2> kStreamPolicyNames = {"next_use", "head"};
constexpr std::array<std::string_view, 5> kReplacementNames = {"lru", "fifo", "random", "srrip", "brrip"};
constexpr std::array<std::string_view, 4> kBypassNames = {"none", "divergent", "stalled", "low_reuse"};
constexpr std::array<std::string_view, 5> kCtaDistributionNames = {"in_order", "blocked", "by_column", "by_tile",
                                                                   "last_first"};

constexpr ConfigKey kKeys[] = {
    {"sm.sub_partitions", "", "Sub-partitions of the SM; warp slot w belongs to sub-partition w mod this.",
     [](Config &c) -> ConfigReference { return &c.sm.sub_partitions; }, 1, 16},
    {"sm.warps_per_sub_partition", "warps", "Warp slots of each sub-partition.",
     [](Config &c) -> ConfigReference { return &c.sm.warps_per_sub_partition; }, 1, 64},
    {"sm.max_threads", "threads", "Resident threads of the SM.",
     [](Config &c) -> ConfigReference { return &c.sm.max_threads; }, 32, 8192, 32},
    {"sm.registers", "registers", "32-bit registers of the SM.",
     [](Config &c) -> ConfigReference { return &c.sm.registers; }, 1024, kMaxSize, 32},
    {"sm.register_unit", "registers", "Allocation granularity of registers per warp.",
     [](Config &c) -> ConfigReference { return &c.sm.register_unit; }, 32, 8192, 32},
    {"sm.max_ctas", "CTAs", "Resident CTAs of the SM.", [](Config &c) -> ConfigReference { return &c.sm.max_ctas; }, 1,
     128},
    {"sm.cta_launch_interval", "cycles", "Cycles between two CTA placements.",
     [](Config &c) -> ConfigReference { return &c.sm.cta_launch_interval; }, 1, kMaxCycles},
    {"sm.cta_restart", "cycles", "From the end of a CTA to the start of one that waits for its room.",
     [](Config &c) -> ConfigReference { return &c.sm.cta_restart; }, 0, kMaxCycles},
    {"sm.warp_start_interval", "cycles", "Cycles between two warps of a CTA that start in one sub-partition.",
     [](Config &c) -> ConfigReference { return &c.sm.warp_start_interval; }, 0, kMaxCycles},
    {"sm.cta_distribution", "", "Which CTA of the grid an SM gets that has room for one.",
     [](Config &c) -> ConfigReference { return &c.sm.cta_distribution; }},
    {"sm.watchdog_cycles", "cycles", "A launch that runs longer is ended with the exception Watchdog.",
     [](Config &c) -> ConfigReference { return &c.sm.watchdog_cycles; }, 1, kMaxWatchdog},
    {"sm.clock_ghz", "GHz", "Clock; the simulation's period is rounded to a picosecond, sleeps and timers are not.",
     [](Config &c) -> ConfigReference { return &c.sm.clock_ghz; }, 0.001, 100},
    {"sm.hazard_check", "",
     "Report instructions that touch a register still in flight, and barrier operands with bits that do not count.",
     [](Config &c) -> ConfigReference { return &c.sm.hazard_check; }},
    {"sm.hazard_fatal", "", "A hazard ends the run with the exception Hazard; needs sm.hazard_check.",
     [](Config &c) -> ConfigReference { return &c.sm.hazard_fatal; }},
    {"ibuffer.depth", "entries", "Instruction-buffer entries per warp.",
     [](Config &c) -> ConfigReference { return &c.ibuffer.depth; }, 1, 64},
    {"ibuffer.fetch_per_cycle", "instructions",
     "Instructions that a sub-partition fetches per cycle, for each that it issues.",
     [](Config &c) -> ConfigReference { return &c.ibuffer.fetch_per_cycle; }, 1, 8},
    {"ibuffer.issue_width", "instructions",
     "Instructions that a sub-partition issues per cycle: each of another warp and into another unit.",
     [](Config &c) -> ConfigReference { return &c.ibuffer.issue_width; }, 1, 2},
    {"ibuffer.decode_latency", "cycles", "Cycles from the fetch response until the instruction can issue.",
     [](Config &c) -> ConfigReference { return &c.ibuffer.decode_latency; }, 1, kMaxCycles},
    {"ibuffer.policy", "", "Which ready warp issues.", [](Config &c) -> ConfigReference { return &c.ibuffer.policy; }},
    {"ibuffer.fetch_policy", "", "For whom is fetched when the warp that issued last has no room.",
     [](Config &c) -> ConfigReference { return &c.ibuffer.fetch_policy; }},
    {"ibuffer.redirect_latency", "cycles", "From a jump that takes effect to the fetch at its target.",
     [](Config &c) -> ConfigReference { return &c.ibuffer.redirect_latency; }, 0, kMaxCycles},
    {"ibuffer.redirect_penalty", "cycles", "More, when the target's line is not among those fetched last for the warp.",
     [](Config &c) -> ConfigReference { return &c.ibuffer.redirect_penalty; }, 0, kMaxCycles},
    {"ibuffer.line_buffer", "lines", "Lines fetched last for a warp that cost no ibuffer.redirect_penalty.",
     [](Config &c) -> ConfigReference { return &c.ibuffer.line_buffer; }, 0, 8},
    {"ibuffer.fetch_behind_branch", "", "The path after a control instruction is fetched while that is under way.",
     [](Config &c) -> ConfigReference { return &c.ibuffer.fetch_behind_branch; }},
    {"ibuffer.two_level_active", "warps", "Active warps of the policy two_level.",
     [](Config &c) -> ConfigReference { return &c.ibuffer.two_level_active; }, 1, 64},
    {"ibuffer.starvation_limit", "cycles",
     "A warp that could issue and has been passed over for so long goes first; 0: never.",
     [](Config &c) -> ConfigReference { return &c.ibuffer.starvation_limit; }, 0, kMaxCycles},
    {"icache.l0", "", "Model the L0 instruction cache; without it every fetch costs icache.l1_latency.",
     [](Config &c) -> ConfigReference { return &c.icache.l0; }},
    {"icache.l0_bytes", "bytes", "Size of the L0 instruction cache of a sub-partition.",
     [](Config &c) -> ConfigReference { return &c.icache.l0_bytes; }, 128, kMaxSize},
    {"icache.line_bytes", "bytes", "Line of the L0 instruction cache.",
     [](Config &c) -> ConfigReference { return &c.icache.line_bytes; }, 16, 4096, 1, true},
    {"icache.l0_latency", "cycles", "Fetch that hits in L0.",
     [](Config &c) -> ConfigReference { return &c.icache.l0_latency; }, 1, kMaxCycles},
    {"icache.l1_latency", "cycles", "Fetch that misses L0 and is served by the L1 instruction cache.",
     [](Config &c) -> ConfigReference { return &c.icache.l1_latency; }, 1, kMaxCycles},
    {"icache.prefetch_lines", "lines", "Lines that the stream buffer fetches ahead of a miss.",
     [](Config &c) -> ConfigReference { return &c.icache.prefetch_lines; }, 0, 64},
    {"icache.stream", "", "Which lines the stream buffer asks for, and which of them can be used.",
     [](Config &c) -> ConfigReference { return &c.icache.stream; }},
    {"icache.l1_bytes", "bytes", "Size of the L1 instruction cache; 0: it holds every program.",
     [](Config &c) -> ConfigReference { return &c.icache.l1_bytes; }, 0, kMaxSize},
    {"icache.l1_ways", "ways", "Associativity of the L1 instruction cache.",
     [](Config &c) -> ConfigReference { return &c.icache.l1_ways; }, 1, 1024},
    {"icache.l1_miss_latency", "cycles", "What a line takes more that is not in the L1 instruction cache.",
     [](Config &c) -> ConfigReference { return &c.icache.l1_miss_latency; }, 0, kMaxCycles},
    {"icache.l1_requests_per_cycle", "lines", "Requests that the L1 instruction cache takes per cycle; 0: no limit.",
     [](Config &c) -> ConfigReference { return &c.icache.l1_requests_per_cycle; }, 0, 64},
    {"icache.cold_launch", "", "A launch begins with empty instruction caches.",
     [](Config &c) -> ConfigReference { return &c.icache.cold_launch; }},
    {"constants.operand_bytes", "bytes", "Cache of constant operands of a sub-partition; 0: every operand is there.",
     [](Config &c) -> ConfigReference { return &c.constants.operand_bytes; }, 0, 65536},
    {"constants.line_bytes", "bytes", "Line of the caches of constants.",
     [](Config &c) -> ConfigReference { return &c.constants.line_bytes; }, 8, 1024, 1, true},
    {"constants.ways", "ways", "Associativity of the cache of constant operands.",
     [](Config &c) -> ConfigReference { return &c.constants.ways; }, 1, 1024},
    {"constants.miss_latency", "cycles", "For how long a warp waits whose constant operand is not there.",
     [](Config &c) -> ConfigReference { return &c.constants.miss_latency; }, 1, kMaxCycles},
    {"constants.miss_hold", "cycles", "How long such a miss lets no warp issue, its own cycle included.",
     [](Config &c) -> ConfigReference { return &c.constants.miss_hold; }, 1, kMaxCycles},
    {"constants.load_bytes", "bytes", "Cache of the SM for LDC; 0: everything is there.",
     [](Config &c) -> ConfigReference { return &c.constants.load_bytes; }, 0, 65536},
    {"constants.load_ways", "ways", "Associativity of the cache for LDC.",
     [](Config &c) -> ConfigReference { return &c.constants.load_ways; }, 1, 1024},
    {"constants.load_miss_latency", "cycles", "By how much LDC takes longer whose line is not there.",
     [](Config &c) -> ConfigReference { return &c.constants.load_miss_latency; }, 1, kMaxCycles},
    {"constants.address_interval", "cycles", "For each further address that threads of one LDC read.",
     [](Config &c) -> ConfigReference { return &c.constants.address_interval; }, 0, kMaxCycles},
    {"register_file.banks", "", "Banks of a sub-partition's registers; register r lies in bank r mod banks.",
     [](Config &c) -> ConfigReference { return &c.register_file.banks; }, 1, 8, 1, true},
    {"register_file.read_ports", "",
     "Read ports of a bank, for instructions of fixed latency; 0: as many as they need.",
     [](Config &c) -> ConfigReference { return &c.register_file.read_ports; }, 0, 4},
    {"register_file.read_window", "cycles", "In which an instruction of fixed latency reads its registers.",
     [](Config &c) -> ConfigReference { return &c.register_file.read_window; }, 1, 8},
    {"register_file.reuse_cache", "", "Operands written `.reuse` are kept and need no port again.",
     [](Config &c) -> ConfigReference { return &c.register_file.reuse_cache; }},
    {"register_file.write_conflicts", "",
     "A late result waits a cycle when one of fixed latency is written in its bank.",
     [](Config &c) -> ConfigReference { return &c.register_file.write_conflicts; }},
    {"pipes.alu.latency", "cycles", "Result latency of the integer and logic pipe.",
     [](Config &c) -> ConfigReference { return &c.pipes.alu.latency; }, 1, kMaxPipeCycles},
    {"pipes.alu.interval", "cycles", "Cycles between two instructions of the integer and logic pipe.",
     [](Config &c) -> ConfigReference { return &c.pipes.alu.interval; }, 1, kMaxPipeCycles},
    {"pipes.fma.latency", "cycles", "Result latency of the single-precision and multiply pipe.",
     [](Config &c) -> ConfigReference { return &c.pipes.fma.latency; }, 1, kMaxPipeCycles},
    {"pipes.fma.interval", "cycles", "Cycles between two instructions of the single-precision and multiply pipe.",
     [](Config &c) -> ConfigReference { return &c.pipes.fma.interval; }, 1, kMaxPipeCycles},
    {"pipes.xu.latency", "cycles", "Result latency of the special-function pipe.",
     [](Config &c) -> ConfigReference { return &c.pipes.xu.latency; }, 1, kMaxPipeCycles},
    {"pipes.xu.interval", "cycles", "Cycles between two instructions of the special-function pipe.",
     [](Config &c) -> ConfigReference { return &c.pipes.xu.interval; }, 1, kMaxPipeCycles},
    {"pipes.fp64.latency", "cycles", "Result latency of the double-precision pipe.",
     [](Config &c) -> ConfigReference { return &c.pipes.fp64.latency; }, 1, kMaxPipeCycles},
    {"pipes.fp64.interval", "cycles", "Cycles between two instructions of the double-precision pipe.",
     [](Config &c) -> ConfigReference { return &c.pipes.fp64.interval; }, 1, kMaxPipeCycles},
    {"pipes.half.latency", "cycles", "Result latency of the pipe for pairs of 16-bit floats.",
     [](Config &c) -> ConfigReference { return &c.pipes.half.latency; }, 1, kMaxPipeCycles},
    {"pipes.half.interval", "cycles", "Cycles between two instructions of the pipe for pairs of 16-bit floats.",
     [](Config &c) -> ConfigReference { return &c.pipes.half.interval; }, 1, kMaxPipeCycles},
    {"pipes.tensor.latency", "cycles", "Result latency of a product of matrices of one step.",
     [](Config &c) -> ConfigReference { return &c.pipes.tensor.latency; }, 1, kMaxPipeCycles},
    {"pipes.tensor.interval", "cycles", "Least number of cycles between two products of matrices.",
     [](Config &c) -> ConfigReference { return &c.pipes.tensor.interval; }, 1, kMaxPipeCycles},
    {"pipes.uniform.latency", "cycles", "Result latency of the uniform pipe.",
     [](Config &c) -> ConfigReference { return &c.pipes.uniform.latency; }, 1, kMaxPipeCycles},
    {"pipes.uniform.interval", "cycles", "Cycles between two instructions of the uniform pipe.",
     [](Config &c) -> ConfigReference { return &c.pipes.uniform.interval; }, 1, kMaxPipeCycles},
    {"pipes.second_fp32", "",
     "A second FP32 pipe for FADD, FMUL and FFMA: none, one of its own, or the integer and logic pipe.",
     [](Config &c) -> ConfigReference { return &c.pipes.second_fp32; }},
    {"pipes.fp64_per_sm", "", "One double-precision pipe for all sub-partitions.",
     [](Config &c) -> ConfigReference { return &c.pipes.fp64_per_sm; }},
    {"pipes.fp64_queue", "instructions", "With pipes.fp64_per_sm: instructions that wait for it per sub-partition.",
     [](Config &c) -> ConfigReference { return &c.pipes.fp64_queue; }, 1, 64},
    {"pipes.fp64_fma", "cycles", "Cycles that DFMA takes beyond pipes.fp64.latency.",
     [](Config &c) -> ConfigReference { return &c.pipes.fp64_fma; }, 0, kMaxPipeCycles},
    {"pipes.i2f_on_alu", "cycles",
     "Latency of I2F from at most 32 bits to F32 in the integer and logic pipe; 0: the special-function pipe does it.",
     [](Config &c) -> ConfigReference { return &c.pipes.i2f_on_alu; }, 0, kMaxPipeCycles},
    {"pipes.alu_to_fma", "cycles", "Latency from an ALU result to an operand of the FMA pipe.",
     [](Config &c) -> ConfigReference { return &c.pipes.alu_to_fma; }, 1, kMaxPipeCycles},
    {"pipes.fma_to_alu", "cycles", "Latency from a result of the FMA pipe to an operand of the ALU.",
     [](Config &c) -> ConfigReference { return &c.pipes.fma_to_alu; }, 1, kMaxPipeCycles},
    {"pipes.to_half", "cycles", "Latency from another pipe to an operand of the pipe for pairs of 16-bit floats.",
     [](Config &c) -> ConfigReference { return &c.pipes.to_half; }, 1, kMaxPipeCycles},
    {"pipes.half_to_others", "cycles", "Latency from a pair of 16-bit floats to an operand of another unit.",
     [](Config &c) -> ConfigReference { return &c.pipes.half_to_others; }, 1, kMaxPipeCycles},
    {"pipes.to_tensor", "cycles", "Latency from a fixed-latency result to an operand of the tensor pipe.",
     [](Config &c) -> ConfigReference { return &c.pipes.to_tensor; }, 1, kMaxPipeCycles},
    {"pipes.to_memory", "cycles", "Latency from a fixed-latency result to an operand of memory, XU or FP64.",
     [](Config &c) -> ConfigReference { return &c.pipes.to_memory; }, 1, kMaxPipeCycles},
    {"pipes.to_branch", "cycles", "Latency from a register result to an operand of the branch or barrier unit.",
     [](Config &c) -> ConfigReference { return &c.pipes.to_branch; }, 1, kMaxPipeCycles},
    {"pipes.predicate_to_branch", "cycles", "Latency from a predicate to the guard of a control instruction.",
     [](Config &c) -> ConfigReference { return &c.pipes.predicate_to_branch; }, 1, kMaxPipeCycles},
    {"pipes.predicate_to_guard", "cycles", "Latency from a predicate to the guard of another instruction.",
     [](Config &c) -> ConfigReference { return &c.pipes.predicate_to_guard; }, 1, kMaxPipeCycles},
    {"pipes.predicate_to_alu", "cycles", "Latency from a predicate to a predicate operand of other instructions.",
     [](Config &c) -> ConfigReference { return &c.pipes.predicate_to_alu; }, 1, kMaxPipeCycles},
    {"pipes.predicate_to_fma", "cycles", "Latency from a predicate to a predicate operand of the FMA pipe.",
     [](Config &c) -> ConfigReference { return &c.pipes.predicate_to_fma; }, 1, kMaxPipeCycles},
    {"pipes.uniform_to_branch", "cycles", "Latency from a uniform register to a control instruction.",
     [](Config &c) -> ConfigReference { return &c.pipes.uniform_to_branch; }, 1, kMaxPipeCycles},
    {"pipes.uniform_to_memory", "cycles", "Latency from a uniform register to the address of a memory instruction.",
     [](Config &c) -> ConfigReference { return &c.pipes.uniform_to_memory; }, 1, kMaxPipeCycles},
    {"pipes.special_register", "cycles", "Latency of S2R and S2UR.",
     [](Config &c) -> ConfigReference { return &c.pipes.special_register; }, 1, kMaxPipeCycles},
    {"pipes.shuffle", "cycles", "Latency of SHFL.", [](Config &c) -> ConfigReference { return &c.pipes.shuffle; }, 1,
     kMaxPipeCycles},
    {"pipes.redux", "cycles", "Latency of REDUX.", [](Config &c) -> ConfigReference { return &c.pipes.redux; }, 1,
     kMaxPipeCycles},
    {"pipes.match", "cycles", "Latency of MATCH where all lanes have one value.",
     [](Config &c) -> ConfigReference { return &c.pipes.match; }, 1, kMaxPipeCycles},
    {"pipes.match_value", "cycles", "Cycles that MATCH.ANY takes for each further value.",
     [](Config &c) -> ConfigReference { return &c.pipes.match_value; }, 0, kMaxPipeCycles},
    {"pipes.vote", "cycles", "Latency of the register result of VOTE; 0: that of the ALU.",
     [](Config &c) -> ConfigReference { return &c.pipes.vote; }, 0, kMaxPipeCycles},
    {"pipes.imad_high", "cycles", "Latency of IMAD.HI; 0: that of the FMA pipe.",
     [](Config &c) -> ConfigReference { return &c.pipes.imad_high; }, 0, kMaxPipeCycles},
    {"tensor.arithmetic", "", "How sums of floating-point products are rounded: as a generation does, or once.",
     [](Config &c) -> ConfigReference { return &c.tensor.arithmetic; }},
    {"tensor.zero_terms", "", "Sums of a tensor pipe have a least exponent, whatever their terms.",
     [](Config &c) -> ConfigReference { return &c.tensor.zero_terms; }},
    {"tensor.f16", "multiply-adds per cycle", "Rate of F16 products with F16 results of the SM; 0: it has none.",
     [](Config &c) -> ConfigReference { return &c.tensor.f16; }, 0, kMaxSize},
    {"tensor.f16_to_f32", "multiply-adds per cycle", "Rate of F16 products with F32 results of the SM; 0: it has none.",
     [](Config &c) -> ConfigReference { return &c.tensor.f16_to_f32; }, 0, kMaxSize},
    {"tensor.bf16", "multiply-adds per cycle", "Rate of BF16 products of the SM; 0: it has none.",
     [](Config &c) -> ConfigReference { return &c.tensor.bf16; }, 0, kMaxSize},
    {"tensor.tf32", "multiply-adds per cycle", "Rate of TF32 products of the SM; 0: it has none.",
     [](Config &c) -> ConfigReference { return &c.tensor.tf32; }, 0, kMaxSize},
    {"tensor.fp8", "multiply-adds per cycle",
     "Rate of E4M3 and E5M2 products with F16 results of the SM; 0: it has none.",
     [](Config &c) -> ConfigReference { return &c.tensor.fp8; }, 0, kMaxSize},
    {"tensor.fp8_to_f32", "multiply-adds per cycle",
     "Rate of E4M3 and E5M2 products with F32 results of the SM; 0: it has none.",
     [](Config &c) -> ConfigReference { return &c.tensor.fp8_to_f32; }, 0, kMaxSize},
    {"tensor.s8", "multiply-adds per cycle", "Rate of S8 and U8 products of the SM; 0: it has none.",
     [](Config &c) -> ConfigReference { return &c.tensor.s8; }, 0, kMaxSize},
    {"tensor.s4", "multiply-adds per cycle", "Rate of S4 and U4 products of the SM; 0: it has none.",
     [](Config &c) -> ConfigReference { return &c.tensor.s4; }, 0, kMaxSize},
    {"tensor.b1", "multiply-adds per cycle", "Rate of products of bits of the SM; 0: it has none.",
     [](Config &c) -> ConfigReference { return &c.tensor.b1; }, 0, kMaxSize},
    {"tensor.f64", "multiply-adds per cycle", "Rate of F64 products of the SM; 0: it has none.",
     [](Config &c) -> ConfigReference { return &c.tensor.f64; }, 0, kMaxSize},
    {"tensor.sparse", "", "Products of matrices half of whose first source is left out exist.",
     [](Config &c) -> ConfigReference { return &c.tensor.sparse; }},
    {"tensor.steps", "", "Most steps of a product of matrices in one instruction, except of F64.",
     [](Config &c) -> ConfigReference { return &c.tensor.steps; }, 1, 2},
    {"tensor.step_latency", "cycles", "Latency that each further step of a product of matrices adds.",
     [](Config &c) -> ConfigReference { return &c.tensor.step_latency; }, 0, kMaxPipeCycles},
    {"tensor.m8_latency", "cycles", "Result latency of an integer product of matrices with 8 rows.",
     [](Config &c) -> ConfigReference { return &c.tensor.m8_latency; }, 1, kMaxPipeCycles},
    {"tensor.f64_latency", "cycles", "Result latency of an F64 product of matrices beyond its interval.",
     [](Config &c) -> ConfigReference { return &c.tensor.f64_latency; }, 0, kMaxPipeCycles},
    {"tensor.sparse_interval", "cycles", "By which the least interval of a sparse product grows with each step.",
     [](Config &c) -> ConfigReference { return &c.tensor.sparse_interval; }, 0, kMaxPipeCycles},
    {"bru.implementation", "", "What the part is made of: the model's own, RTL, or RTL of a library.",
     [](Config &c) -> ConfigReference { return &c.bru.implementation; }},
    {"bru.rtl_operations", "", "Operations that a block of RTL executes; kernels that need others are refused.",
     [](Config &c) -> ConfigReference { return &c.bru.rtl_operations; }},
    {"bru.engine", "", "How divergence is handled.", [](Config &c) -> ConfigReference { return &c.bru.engine; }},
    {"bru.convergence_barriers", "registers", "Convergence barriers of a thread; kernels that need more are rejected.",
     [](Config &c) -> ConfigReference { return &c.bru.convergence_barriers; }, 1, 16},
    {"bru.election", "", "Which of the waiting paths of a warp runs next; on a tie the one with the lowest lane.",
     [](Config &c) -> ConfigReference { return &c.bru.election; }},
    {"bru.branch_order", "", "Which side of a divergent jump goes on.",
     [](Config &c) -> ConfigReference { return &c.bru.branch_order; }},
    {"bru.pipelines", "pipelines", "Pipelines of the branch unit; sub-partition i uses pipeline i mod this.",
     [](Config &c) -> ConfigReference { return &c.bru.pipelines; }, 1, 16},
    {"bru.branch_latency", "cycles",
     "BRA, BRX, CALL, RET, EXIT, RTT, TRAP, SYSCALL, VBEQ and its like, ENDPRG, JMP, JMX, CAL, BRK, CONT.",
     [](Config &c) -> ConfigReference { return &c.bru.branch_latency; }, 1, kMaxCycles},
    {"bru.barrier_latency", "cycles", "BSSY, BREAK, LEPC, SETRPC, SSY, PBK, PCNT, PRET.",
     [](Config &c) -> ConfigReference { return &c.bru.barrier_latency; }, 1, kMaxCycles},
    {"bru.sync_latency", "cycles", "BSYNC, WARPSYNC, JOIN, SYNC.",
     [](Config &c) -> ConfigReference { return &c.bru.sync_latency; }, 1, kMaxCycles},
    {"bru.yield_latency", "cycles", "YIELD, NANOSLEEP.",
     [](Config &c) -> ConfigReference { return &c.bru.yield_latency; }, 1, kMaxCycles},
    {"bru.move_latency", "cycles", "BMOV to a register.",
     [](Config &c) -> ConfigReference { return &c.bru.move_latency; }, 1, kMaxCycles},
    {"bru.branch_interval", "cycles", "Cycles that a branch-unit pipeline is taken by branches.",
     [](Config &c) -> ConfigReference { return &c.bru.branch_interval; }, 1, kMaxCycles},
    {"bru.barrier_interval", "cycles",
     "Cycles that a branch-unit pipeline is taken by BSSY, BREAK, LEPC, SETRPC, SSY, PBK, PCNT and PRET.",
     [](Config &c) -> ConfigReference { return &c.bru.barrier_interval; }, 1, kMaxCycles},
    {"bru.sync_interval", "cycles", "Cycles that a branch-unit pipeline is taken by BSYNC, WARPSYNC, JOIN and SYNC.",
     [](Config &c) -> ConfigReference { return &c.bru.sync_interval; }, 1, kMaxCycles},
    {"bru.yield_interval", "cycles", "Cycles that a branch-unit pipeline is taken by YIELD and NANOSLEEP.",
     [](Config &c) -> ConfigReference { return &c.bru.yield_interval; }, 1, kMaxCycles},
    {"bru.move_interval", "cycles", "Cycles that a branch-unit pipeline is taken by BMOV.",
     [](Config &c) -> ConfigReference { return &c.bru.move_interval; }, 1, kMaxCycles},
    {"bru.nanosleep_sets_yield", "", "NANOSLEEP also marks the threads as having yielded.",
     [](Config &c) -> ConfigReference { return &c.bru.nanosleep_sets_yield; }},
    {"bru.bsync_spec_literal", "", "BSYNC by the literal rule that can deadlock, to show the hazard.",
     [](Config &c) -> ConfigReference { return &c.bru.bsync_spec_literal; }},
    {"bru.trap_handler", "byte address", "Address of the trap handler in the program; -1: none.",
     [](Config &c) -> ConfigReference { return &c.bru.trap_handler; }, -1, kMaxAddress},
    {"bru.simt_stack.order", "", "Engine simt_stack: the side of a divergent branch that runs first.",
     [](Config &c) -> ConfigReference { return &c.bru.simt_stack.order; }},
    {"bru.simt_stack.depth", "entries", "Engine simt_stack: depth; -1: 32 with minority_first, else 62; 0: unbounded.",
     [](Config &c) -> ConfigReference { return &c.bru.simt_stack.depth; }, -1, 1'000'000},
    {"bru.simt_stack.barrier_check", "", "Engine simt_stack: an arrival at a CTA barrier by one side is an exception.",
     [](Config &c) -> ConfigReference { return &c.bru.simt_stack.barrier_check; }},
    {"bru.token_stack.order", "", "Engine token_stack: who runs first after a divergence.",
     [](Config &c) -> ConfigReference { return &c.bru.token_stack.order; }},
    {"bru.token_stack.depth", "tokens", "Engine token_stack: tokens that the stack of a warp holds.",
     [](Config &c) -> ConfigReference { return &c.bru.token_stack.depth; }, 1, 65536},
    {"bru.token_stack.spill", "", "Engine token_stack: further tokens go to memory; else they are an exception.",
     [](Config &c) -> ConfigReference { return &c.bru.token_stack.spill; }},
    {"bru.token_stack.spill_cycles", "cycles", "Engine token_stack: for each token to memory, and for each one back.",
     [](Config &c) -> ConfigReference { return &c.bru.token_stack.spill_cycles; }, 0, kMaxCycles},
    {"bru.token_stack.call_limit", "calls", "Engine token_stack: most calls that are open in a warp; 0: any number.",
     [](Config &c) -> ConfigReference { return &c.bru.token_stack.call_limit; }, 0, 65536},
    {"bcu.implementation", "", "What the part is made of: the model's own, RTL, or RTL of a library.",
     [](Config &c) -> ConfigReference { return &c.bcu.implementation; }},
    {"bcu.arrival_latency", "cycles", "From the arrival of a warp to its bookkeeping.",
     [](Config &c) -> ConfigReference { return &c.bcu.arrival_latency; }, 1, kMaxCycles},
    {"bcu.release_latency", "cycles", "From the completion of a barrier to its first released warp.",
     [](Config &c) -> ConfigReference { return &c.bcu.release_latency; }, 1, kMaxCycles},
    {"bcu.release_interval", "cycles", "Cycles between two released warps of one barrier.",
     [](Config &c) -> ConfigReference { return &c.bcu.release_interval; }, 1, kMaxCycles},
    {"bcu.release_order", "", "Which warp of a completed barrier goes on first, by its number in the CTA.",
     [](Config &c) -> ConfigReference { return &c.bcu.release_order; }},
    {"bcu.interval", "cycles", "Cycles between two barrier operations.",
     [](Config &c) -> ConfigReference { return &c.bcu.interval; }, 1, kMaxCycles},
    {"bcu.move_latency", "cycles", "B2R, B2R.RESULT, R2B.",
     [](Config &c) -> ConfigReference { return &c.bcu.move_latency; }, 1, kMaxCycles},
    {"timer.implementation", "", "What the part is made of: the model's own, RTL, or RTL of a library.",
     [](Config &c) -> ConfigReference { return &c.timer.implementation; }},
    {"timer.granularity", "cycles", "The expiry of a sleep is rounded up to a multiple of this.",
     [](Config &c) -> ConfigReference { return &c.timer.granularity; }, 1, kMaxCycles},
    {"lsu.units", "units", "Load/store units of the SM, which take accesses from the queues of all sub-partitions.",
     [](Config &c) -> ConfigReference { return &c.lsu.units; }, 1, 4},
    {"lsu.queue_depth", "instructions", "Memory instructions that wait per sub-partition.",
     [](Config &c) -> ConfigReference { return &c.lsu.queue_depth; }, 1, 1024},
    {"lsu.queue_latency", "cycles", "From the issue of an access to its departure from the queue at the earliest.",
     [](Config &c) -> ConfigReference { return &c.lsu.queue_latency; }, 1, kMaxCycles},
    {"lsu.queue_interval", "cycles", "Cycles between two departures from the queue of a sub-partition.",
     [](Config &c) -> ConfigReference { return &c.lsu.queue_interval; }, 1, kMaxCycles},
    {"lsu.issue_interval", "cycles", "Cycles between two accesses that a unit takes from the queues.",
     [](Config &c) -> ConfigReference { return &c.lsu.issue_interval; }, 1, kMaxCycles},
    {"lsu.lines_per_cycle", "lines", "Lines of one global access for which the unit is taken a cycle.",
     [](Config &c) -> ConfigReference { return &c.lsu.lines_per_cycle; }, 1, 32},
    {"lsu.constant_latency", "cycles", "LDC.", [](Config &c) -> ConfigReference { return &c.lsu.constant_latency; }, 1,
     kMaxCycles},
    {"lsu.constant_immediate_latency", "cycles", "LDC whose address has no register.",
     [](Config &c) -> ConfigReference { return &c.lsu.constant_immediate_latency; }, 1, kMaxCycles},
    {"lsu.constant_sources", "cycles", "From the issue of LDC until its sources are read.",
     [](Config &c) -> ConfigReference { return &c.lsu.constant_sources; }, 1, kMaxCycles},
    {"lsu.shared_load_sources", "cycles", "From the issue of LDS until its sources are read.",
     [](Config &c) -> ConfigReference { return &c.lsu.shared_load_sources; }, 1, kMaxCycles},
    {"lsu.shared_store_sources", "cycles", "The same for STS and ATOMS of 4 bytes per thread.",
     [](Config &c) -> ConfigReference { return &c.lsu.shared_store_sources; }, 1, kMaxCycles},
    {"lsu.global_load_sources", "cycles", "The same for LDG and LDL.",
     [](Config &c) -> ConfigReference { return &c.lsu.global_load_sources; }, 1, kMaxCycles},
    {"lsu.global_store_sources", "cycles", "The same for STG, STL, ATOMG and RED of 4 bytes per thread.",
     [](Config &c) -> ConfigReference { return &c.lsu.global_store_sources; }, 1, kMaxCycles},
    {"lsu.uniform_load_sources", "cycles",
     "The same for loads whose address is in a uniform register; 0: as for other loads.",
     [](Config &c) -> ConfigReference { return &c.lsu.uniform_load_sources; }, 0, kMaxCycles},
    {"lsu.uniform_store_sources", "cycles",
     "The same for stores and atomics of 4 bytes per thread whose address is in a uniform register; 0: as for others.",
     [](Config &c) -> ConfigReference { return &c.lsu.uniform_store_sources; }, 0, kMaxCycles},
    {"lsu.uniform_shared_saving", "cycles",
     "By which LDS takes less when its address is in a uniform register; up to lsu.queue_latency - 1.",
     [](Config &c) -> ConfigReference { return &c.lsu.uniform_shared_saving; }, 0, kMaxCycles},
    {"lsu.uniform_global_saving", "cycles",
     "By which LDG and LDL take less when their address is in a uniform register; up to lsu.queue_latency - 1.",
     [](Config &c) -> ConfigReference { return &c.lsu.uniform_global_saving; }, 0, kMaxCycles},
    {"lsu.store_bytes", "bytes", "Store data that a sub-partition reads per cycle; 0: all at once.",
     [](Config &c) -> ConfigReference { return &c.lsu.store_bytes; }, 0, 512},
    {"lsu.return_bytes", "bytes", "Data of global loads that a sub-partition takes per cycle; 0: all at once.",
     [](Config &c) -> ConfigReference { return &c.lsu.return_bytes; }, 0, 512},
    {"lsu.max_outstanding", "transactions", "Global transactions in flight.",
     [](Config &c) -> ConfigReference { return &c.lsu.max_outstanding; }, 1, 65536},
    {"lsu.sector_bytes", "bytes", "Coalescing granularity of global accesses.",
     [](Config &c) -> ConfigReference { return &c.lsu.sector_bytes; }, 16, 128, 1, true},
    {"lsu.membar_cta", "cycles", "MEMBAR.CTA once the earlier accesses of the warp are performed.",
     [](Config &c) -> ConfigReference { return &c.lsu.membar_cta; }, 1, kMaxCycles},
    {"lsu.membar_gpu", "cycles", "MEMBAR.GPU once the earlier accesses of the warp are performed.",
     [](Config &c) -> ConfigReference { return &c.lsu.membar_gpu; }, 1, kMaxCycles},
    {"lsu.membar_sys", "cycles", "MEMBAR.SYS once the earlier accesses of the warp are performed.",
     [](Config &c) -> ConfigReference { return &c.lsu.membar_sys; }, 1, kMaxCycles},
    {"shared.implementation", "", "What the part is made of: the model's own, RTL, or RTL of a library.",
     [](Config &c) -> ConfigReference { return &c.shared.implementation; }},
    {"shared.bytes", "bytes", "Shared memory of the SM.", [](Config &c) -> ConfigReference { return &c.shared.bytes; },
     0, kMaxSize},
    {"shared.max_per_cta", "bytes", "Shared memory that one CTA can have.",
     [](Config &c) -> ConfigReference { return &c.shared.max_per_cta; }, 0, kMaxSize},
    {"shared.reserved_per_cta", "bytes",
     "Shared memory of each CTA that the system takes besides what the kernel asks for.",
     [](Config &c) -> ConfigReference { return &c.shared.reserved_per_cta; }, 0, 65536},
    {"shared.banks", "banks", "Banks of shared memory.", [](Config &c) -> ConfigReference { return &c.shared.banks; },
     1, 64, 1, true},
    {"shared.bank_bytes", "bytes", "Width of a bank.",
     [](Config &c) -> ConfigReference { return &c.shared.bank_bytes; }, 4, 16, 1, true},
    {"shared.latency", "cycles", "Load without bank conflicts, from its issue to that of an instruction that needs it.",
     [](Config &c) -> ConfigReference { return &c.shared.latency; }, 1, kMaxCycles},
    {"shared.atomic_latency", "cycles", "Additional cycles of an atomic pass.",
     [](Config &c) -> ConfigReference { return &c.shared.atomic_latency; }, 0, kMaxCycles},
    {"shared.pass_interval", "cycles", "Cycles between two passes for one sub-partition.",
     [](Config &c) -> ConfigReference { return &c.shared.pass_interval; }, 1, 64},
    {"shared.conflict_free", "", "No word waits for another of its bank: what conflicts cost.",
     [](Config &c) -> ConfigReference { return &c.shared.conflict_free; }},
    {"shared.phases", "", "Accesses of 8 and 16 bytes per thread go in phases of 16 and 8 threads.",
     [](Config &c) -> ConfigReference { return &c.shared.phases; }},
    {"shared.allocation_unit", "bytes", "Granularity in which a CTA gets shared memory.",
     [](Config &c) -> ConfigReference { return &c.shared.allocation_unit; }, 16, 65536, 1, true},
    {"shared.carveouts", "bytes",
     "Parts of the L1's bytes that a launch can give to shared memory; the smallest that holds its CTAs is taken.",
     [](Config &c) -> ConfigReference { return &c.shared.carveouts; }, 0, kMaxSize},
    {"l1.enabled", "", "Model the L1 data cache; without it every access goes to global memory.",
     [](Config &c) -> ConfigReference { return &c.l1.enabled; }},
    {"l1.bytes", "bytes", "Size of the L1 data cache.", [](Config &c) -> ConfigReference { return &c.l1.bytes; }, 128,
     kMaxSize},
    {"l1.line_bytes", "bytes", "Line of the L1 data cache.",
     [](Config &c) -> ConfigReference { return &c.l1.line_bytes; }, 32, 1024, 1, true},
    {"l1.sector_bytes", "bytes", "Part of a line that a miss brings; 0: the whole line.",
     [](Config &c) -> ConfigReference { return &c.l1.sector_bytes; }, 0, 1024},
    {"l1.ways", "ways", "Associativity of the L1 data cache.", [](Config &c) -> ConfigReference { return &c.l1.ways; },
     1, 1024},
    {"l1.hash_sets", "", "Lines whole rounds of the sets apart do not share a set.",
     [](Config &c) -> ConfigReference { return &c.l1.hash_sets; }},
    {"l1.latency", "cycles", "Load that hits in L1, from its issue to that of an instruction that needs it.",
     [](Config &c) -> ConfigReference { return &c.l1.latency; }, 1, kMaxCycles},
    {"l1.bytes_per_cycle", "bytes", "Data of hits per cycle; 0: any.",
     [](Config &c) -> ConfigReference { return &c.l1.bytes_per_cycle; }, 0, 1024},
    {"l1.conflict_free", "", "No word of an access to the L1 waits for another of its bank: what conflicts cost.",
     [](Config &c) -> ConfigReference { return &c.l1.conflict_free; }},
    {"l1.mshrs", "misses", "Misses that fetch something and that the L1 data cache can wait for.",
     [](Config &c) -> ConfigReference { return &c.l1.mshrs; }, 1, 65536},
    {"l1.replacement", "", "Which line of a full set of the L1 data cache makes room for another.",
     [](Config &c) -> ConfigReference { return &c.l1.replacement; }},
    {"l1.bypass", "",
     "Which reads that miss are forwarded without a line of the L1 data cache, besides those with .CG.",
     [](Config &c) -> ConfigReference { return &c.l1.bypass; }},
    {"global.latency", "cycles", "From a request to global memory to its data.",
     [](Config &c) -> ConfigReference { return &c.global.latency; }, 1, kMaxCycles},
    {"global.bytes_per_cycle", "bytes", "Bandwidth of global memory, per cycle.",
     [](Config &c) -> ConfigReference { return &c.global.bytes_per_cycle; }, 1, 65536},
    {"global.atomic_latency", "cycles", "Additional cycles of an atomic in global memory.",
     [](Config &c) -> ConfigReference { return &c.global.atomic_latency; }, 0, kMaxCycles},
    {"global.atomics", "", "Who performs atomics: the memory, or the load/store unit with a read and a write.",
     [](Config &c) -> ConfigReference { return &c.global.atomics; }},
    {"global.bytes", "bytes", "Size of the address window of global memory.",
     [](Config &c) -> ConfigReference { return &c.global.bytes; }, 65536, kMaxAddress, 16},
    {"l2.bytes", "bytes", "Size of the L2; 0: whatever goes beyond the L1 hits in it.",
     [](Config &c) -> ConfigReference { return &c.l2.bytes; }, 0, 1ULL << 32},
    {"l2.line_bytes", "bytes", "Line of the L2.", [](Config &c) -> ConfigReference { return &c.l2.line_bytes; }, 32,
     1024, 1, true},
    {"l2.sector_bytes", "bytes", "Part of a line that a miss of the L2 brings.",
     [](Config &c) -> ConfigReference { return &c.l2.sector_bytes; }, 32, 1024, 1, true},
    {"l2.ways", "ways", "Associativity of the L2.", [](Config &c) -> ConfigReference { return &c.l2.ways; }, 1, 1024},
    {"l2.partitions", "partitions",
     "2: half of the L2 is near to the SM, and keeps copies of the lines that the other half is home to.",
     [](Config &c) -> ConfigReference { return &c.l2.partitions; }, 1, 2},
    {"l2.far_latency", "cycles", "What a line that comes from or through the far half of the L2 takes longer.",
     [](Config &c) -> ConfigReference { return &c.l2.far_latency; }, 0, kMaxCycles},
    {"l2.miss_latency", "cycles", "What a miss of the L2 takes longer than a hit.",
     [](Config &c) -> ConfigReference { return &c.l2.miss_latency; }, 1, kMaxCycles},
    {"l2.dram_bytes_per_cycle", "bytes", "Bandwidth of DRAM, below the L2, per cycle.",
     [](Config &c) -> ConfigReference { return &c.l2.dram_bytes_per_cycle; }, 1, 65536},
    {"l2.loaded_latency", "cycles",
     "What a miss takes longer while DRAM's bandwidth is fully used; at a lower load a part in proportion.",
     [](Config &c) -> ConfigReference { return &c.l2.loaded_latency; }, 0, kMaxCycles},
    {"jitter.seed", "", "Seed of random extra cycles where no program may rely on the time; 0: none.",
     [](Config &c) -> ConfigReference { return &c.jitter.seed; }, 0, kMaxSeed},
    {"jitter.max", "cycles", "Most extra cycles of one event.",
     [](Config &c) -> ConfigReference { return &c.jitter.max; }, 1, 10'000},
    {"ideal.barriers", "",
     "No warp waits at a CTA barrier, to see what the waiting costs; results are not those of the program.",
     [](Config &c) -> ConfigReference { return &c.ideal.barriers; }},
    {"ideal.branches", "",
     "All active threads of a warp branch as the lowest does, to see what divergence costs; results are not those of "
     "the program.",
     [](Config &c) -> ConfigReference { return &c.ideal.branches; }},
    {"ideal.locks", "",
     "Every compare-and-swap succeeds and an exchange finds 0, to see what contention costs; results are not those of "
     "the program.",
     [](Config &c) -> ConfigReference { return &c.ideal.locks; }},
    {"rtl.stall_percent", "percent",
     "Chance that a channel of an RTL block is held up in a cycle: no request offered, no response taken.",
     [](Config &c) -> ConfigReference { return &c.rtl.stall_percent; }, 0, 90},
    {"rtl.patience", "cycles", "A block of RTL that owes an answer for longer is broken, which ends the run.",
     [](Config &c) -> ConfigReference { return &c.rtl.patience; }, 1, 1'000'000'000},
    {"rtl.stall_seed", "", "Seed of these stalls.", [](Config &c) -> ConfigReference { return &c.rtl.stall_seed; }, 0,
     kMaxSeed},
};

constexpr KeySynonym kSynonyms[] = {
    {"l2.latency", "global.latency"},
    {"dram.latency", "l2.miss_latency"},
    {"dram.bytes_per_cycle", "l2.dram_bytes_per_cycle"},
};

const Config &default_config() {
    static const Config config;
    return config;
}

template <typename Enum> constexpr std::span<const std::string_view> names_of() {
    if constexpr (std::is_same_v<Enum, IssuePolicyKind>) {
        return kPolicyNames;
    } else if constexpr (std::is_same_v<Enum, FetchPolicyKind>) {
        return kFetchPolicyNames;
    } else if constexpr (std::is_same_v<Enum, ElectionPolicy>) {
        return kElectionNames;
    } else if constexpr (std::is_same_v<Enum, BranchOrder>) {
        return kBranchOrderNames;
    } else if constexpr (std::is_same_v<Enum, SimtStackOrder>) {
        return kSimtStackOrderNames;
    } else if constexpr (std::is_same_v<Enum, TokenStackOrder>) {
        return kTokenStackOrderNames;
    } else if constexpr (std::is_same_v<Enum, ReleaseOrder>) {
        return kReleaseOrderNames;
    } else if constexpr (std::is_same_v<Enum, SecondFp32>) {
        return kSecondFp32Names;
    } else if constexpr (std::is_same_v<Enum, TensorArithmetic>) {
        return kTensorArithmeticNames;
    } else if constexpr (std::is_same_v<Enum, GlobalAtomics>) {
        return kGlobalAtomicsNames;
    } else if constexpr (std::is_same_v<Enum, StreamPolicy>) {
        return kStreamPolicyNames;
    } else if constexpr (std::is_same_v<Enum, L1ReplacementKind>) {
        return kReplacementNames;
    } else if constexpr (std::is_same_v<Enum, L1BypassKind>) {
        return kBypassNames;
    } else if constexpr (std::is_same_v<Enum, CtaDistributionKind>) {
        return kCtaDistributionNames;
    } else {
        static_assert(std::is_same_v<Enum, ReconvergenceEngineKind>);
        return kEngineNames;
    }
}

/// [[{"key", "is" or "is_not"}]]: an alternative of each list must hold.
nlohmann::ordered_json needs_json(const ConfigKey &key) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const std::span<const Condition> alternatives : requirements(key)) {
        nlohmann::ordered_json some = nlohmann::ordered_json::array();
        for (const Condition &condition : alternatives) {
            nlohmann::ordered_json value = nlohmann::ordered_json::parse(condition.value, nullptr, false);
            if (value.is_discarded()) {
                value = condition.value; // a name
            }
            some.push_back({{"key", condition.key}, {condition.equal ? "is" : "is_not", std::move(value)}});
        }
        all.push_back(std::move(some));
    }
    return all;
}

} // namespace

std::span<const ConfigKey> config_keys() {
    return kKeys;
}

std::span<const KeySynonym> key_synonyms() {
    return kSynonyms;
}

const ConfigKey *find_config_key(std::string_view name) {
    const auto synonym = std::ranges::find(kSynonyms, name, &KeySynonym::name);
    const auto found = std::ranges::find(kKeys, synonym == std::end(kSynonyms) ? name : synonym->key, &ConfigKey::name);
    return found == std::end(kKeys) ? nullptr : &*found;
}

std::span<const std::string_view> enum_names(const ConfigKey &key) {
    Config config;
    return std::visit(
        [](auto *member) -> std::span<const std::string_view> {
            using Member = std::remove_pointer_t<decltype(member)>;
            if constexpr (std::is_enum_v<Member>) {
                return names_of<Member>();
            } else if constexpr (kIsPolicyChoice<Member>) {
                return names_of<decltype(member->own())>();
            } else {
                return {};
            }
        },
        key.member(config));
}

bool is_policy(const ConfigKey &key) {
    Config config;
    return std::visit([](auto *member) { return kIsPolicyChoice<std::remove_pointer_t<decltype(member)>>; },
                      key.member(config));
}

std::string_view type_name(const ConfigKey &key) {
    Config config;
    return std::visit(
        [](auto *member) -> std::string_view {
            using Member = std::remove_pointer_t<decltype(member)>;
            if constexpr (std::is_enum_v<Member> || kIsPolicyChoice<Member>) {
                return "name";
            } else if constexpr (std::is_same_v<Member, Implementation>) {
                return "part";
            } else if constexpr (std::is_same_v<Member, OperationList>) {
                return "operations";
            } else if constexpr (std::is_same_v<Member, SizeList>) {
                return "sizes";
            } else if constexpr (std::is_same_v<Member, bool>) {
                return "flag";
            } else if constexpr (std::is_floating_point_v<Member>) {
                return "number";
            } else {
                return std::is_signed_v<Member> ? "integer" : "unsigned";
            }
        },
        key.member(config));
}

std::string range_text(const ConfigKey &key) {
    const std::string_view type = type_name(key);
    if (type == "flag") {
        return "true, false";
    }
    if (type == "name") {
        return fmt::format("{}{}{}", fmt::join(enum_names(key), ", "), is_policy(key) ? ", " : "",
                           is_policy(key) ? "library:LIBRARY" : "");
    }
    if (type == "part") {
        return "model, rtl, lockstep, rtl:LIBRARY, lockstep:LIBRARY";
    }
    if (type == "operations") {
        return "all, or mnemonics with commas between";
    }
    if (type == "sizes") {
        return "none, or ascending sizes with commas between";
    }
    std::string text = type == "number" ? fmt::format("{}..{}", key.low, key.high)
                                        : fmt::format("{}..{}", static_cast<std::int64_t>(key.low),
                                                      static_cast<std::int64_t>(key.high));
    if (key.power_of_two) {
        text += ", power of two";
    } else if (key.multiple_of > 1) {
        text += fmt::format(", multiple of {}", key.multiple_of);
    }
    return text;
}

ConfigValue value_of(const Config &config, const ConfigKey &key) {
    return std::visit(
        [](auto *member) -> ConfigValue {
            using Member = std::remove_pointer_t<decltype(member)>;
            if constexpr (std::is_enum_v<Member>) {
                return names_of<Member>()[static_cast<std::size_t>(*member)];
            } else if constexpr (kIsPolicyChoice<Member>) {
                using Own = decltype(member->own());
                return member->is_library() ? member->text() : names_of<Own>()[static_cast<std::size_t>(member->own())];
            } else if constexpr (std::is_same_v<Member, Implementation> || std::is_same_v<Member, OperationList> ||
                                 std::is_same_v<Member, SizeList>) {
                return member->text();
            } else if constexpr (std::is_same_v<Member, std::uint32_t>) {
                return std::uint64_t{*member};
            } else {
                return *member;
            }
        },
        key.member(const_cast<Config &>(config))); // the table has writable members; nothing is written
}

std::string value_text(const Config &config, const ConfigKey &key) {
    return std::visit([](const auto &value) { return fmt::format("{}", value); }, value_of(config, key));
}

std::string schema_table() {
    std::string text =
        fmt::format("{:<29} {:<8} {:<20} {:<13} {}\n", "key", "type", "default", "unit", "meaning [allowed values]");
    for (const ConfigKey &key : kKeys) {
        const std::string needs = requirement_text(key);
        text += fmt::format("{:<29} {:<8} {:<20} {:<13} {} [{}{}{}]\n", key.name, type_name(key),
                            value_text(default_config(), key), key.unit, key.meaning, range_text(key),
                            needs.empty() ? "" : "; ", needs);
    }
    return text;
}

std::string schema_json() {
    nlohmann::ordered_json keys = nlohmann::ordered_json::array();
    for (const ConfigKey &key : kKeys) {
        nlohmann::ordered_json entry;
        entry["key"] = key.name;
        entry["type"] = type_name(key);
        std::visit([&](const auto &value) { entry["default"] = value; }, value_of(default_config(), key));
        entry["unit"] = key.unit;
        entry["meaning"] = key.meaning;
        const std::string_view type = type_name(key);
        if (type == "number") {
            entry["low"] = key.low;
            entry["high"] = key.high;
        } else if (type == "name") {
            entry["values"] = enum_names(key);
            if (is_policy(key)) {
                entry["library"] = true;
            }
        } else if (type != "flag" && type != "part" && type != "operations" && type != "sizes") {
            entry["low"] = static_cast<std::int64_t>(key.low);
            entry["high"] = static_cast<std::int64_t>(key.high);
            entry["multiple_of"] = key.multiple_of;
            entry["power_of_two"] = key.power_of_two;
        }
        for (const KeySynonym &synonym : kSynonyms) {
            if (synonym.key == key.name) {
                entry["also"].push_back(synonym.name);
            }
        }
        if (nlohmann::ordered_json needs = needs_json(key); !needs.empty()) {
            entry["needs"] = std::move(needs);
        }
        keys.push_back(std::move(entry));
    }
    nlohmann::ordered_json document;
    document["keys"] = std::move(keys);
    return document.dump(2) + "\n";
}

} // namespace smsim
