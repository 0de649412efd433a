#include "tb/fuzz/programs/vary.h"

#include <algorithm>
#include <bit>

#include "model/config/config.h"
#include "model/config/loader.h"
#include "model/error.h"
#include "tb/fuzz/programs/random.h"

namespace smsim::fuzz {
namespace {

/// The most that generated programs need.
constexpr std::uint32_t kMostRegisters = 40;
constexpr std::uint32_t kSharedBase = 256;
constexpr std::uint32_t kSharedPerWarp = 36 * kLanes;

void vary_sm(Config &config, Random &random, std::uint32_t warps) {
    config.sm.sub_partitions = random.of({1, 2, 4, 8});
    const std::uint32_t least = (warps + config.sm.sub_partitions - 1) / config.sm.sub_partitions;
    config.sm.warps_per_sub_partition = least + random.below(4);
    // Room for one, two or three CTAs, in terms of each resource.
    config.sm.max_ctas = random.between(1, 8);
    config.sm.max_threads = kLanes * warps * random.between(1, 3);
    config.sm.registers = kMostRegisters * kLanes * least * config.sm.sub_partitions * random.between(1, 3);
    config.shared.bytes = (kSharedBase + kSharedPerWarp * warps) * random.between(1, 3);
    config.shared.max_per_cta = config.shared.bytes;
    config.shared.reserved_per_cta = warps % 3 == 0 ? 256 : 0;
    config.shared.bytes += config.shared.reserved_per_cta;
    config.sm.cta_launch_interval = random.of({1, 1, 7, 100});
    constexpr double kClocks[] = {1.0, 1.0, 0.5, 1.41, 2.0, 3.0};
    config.sm.clock_ghz = kClocks[random.below(6)];
    config.ibuffer.depth = random.of({1, 2, 3, 4, 5, 6, 8, 16});
    config.ibuffer.fetch_per_cycle = random.between(1, 3);
    config.ibuffer.decode_latency = random.between(1, 4);
    config.ibuffer.policy = static_cast<IssuePolicyKind>(random.below(9));
    config.ibuffer.two_level_active = random.between(1, 6);
    config.icache.l0 = random.chance(80);
    config.icache.l0_latency = random.between(1, 5);
    config.icache.l1_latency = random.between(1, 80);
    config.icache.prefetch_lines = random.below(9);
}

void vary_pipes(Config &config, Random &random) {
    // Above 15 cycles the scheduler has to insert NOPs, which takes it several rounds: occasionally is enough.
    const std::uint32_t longest = random.chance(15) ? 20 : 14;
    for (PipeConfig *pipe :
         {&config.pipes.alu, &config.pipes.fma, &config.pipes.xu, &config.pipes.fp64, &config.pipes.uniform}) {
        pipe->latency = random.between(1, longest);
        pipe->interval = random.between(1, 8);
    }
    for (std::uint32_t *latency :
         {&config.pipes.alu_to_fma, &config.pipes.to_memory, &config.pipes.to_branch, &config.pipes.predicate_to_branch,
          &config.pipes.predicate_to_guard, &config.pipes.predicate_to_alu, &config.pipes.uniform_to_branch}) {
        *latency = random.between(1, longest);
    }
    config.pipes.special_register = random.between(1, 40);
    config.pipes.shuffle = random.between(1, 40);
}

void vary_control(Config &config, Random &random) {
    BruConfig &bru = config.bru;
    bru.pipelines = random.between(1, config.sm.sub_partitions);
    for (std::uint32_t *time :
         {&bru.branch_latency, &bru.barrier_latency, &bru.sync_latency, &bru.yield_latency, &bru.move_latency}) {
        *time = random.between(1, 30);
    }
    for (std::uint32_t *time :
         {&bru.branch_interval, &bru.barrier_interval, &bru.sync_interval, &bru.yield_interval, &bru.move_interval}) {
        *time = random.between(1, 6);
    }
    BcuConfig &bcu = config.bcu;
    bcu.arrival_latency = random.between(1, 40);
    bcu.release_latency = random.between(1, 60);
    bcu.release_interval = random.between(1, 8);
    bcu.interval = random.between(1, 8);
    bcu.move_latency = random.between(1, 40);
    config.timer.granularity = random.of({1, 1, 8, 50, 333});
}

void vary_paths(BruConfig &bru, Random &random) {
    bru.election = static_cast<ElectionPolicy>(random.below(3));
    bru.branch_order = static_cast<BranchOrder>(random.below(2));
}

void vary_fetch(Config &config, Random &random) {
    config.ibuffer.fetch_policy = static_cast<FetchPolicyKind>(random.below(3));
    config.ibuffer.redirect_latency = random.of({0, 0, 1, 3, 12});
    config.ibuffer.redirect_penalty = random.of({0, 0, 5, 20});
    config.ibuffer.line_buffer = random.below(4);
    config.ibuffer.fetch_behind_branch = random.chance(50);
    config.bcu.release_order = static_cast<ReleaseOrder>(random.below(2));
}

void vary_queues(Config &config, Random &random) {
    config.sm.cta_restart = random.of({0, 0, 20, 100});
    config.sm.warp_start_interval = random.of({0, 0, 1, 9});
    LsuConfig &lsu = config.lsu;
    lsu.queue_interval = random.of({1, 1, 4, random.between(1, 12)});
    lsu.lines_per_cycle = random.of({1, 1, 4});
    for (std::uint32_t *sources : {&lsu.constant_sources, &lsu.shared_load_sources, &lsu.shared_store_sources,
                                   &lsu.global_load_sources, &lsu.global_store_sources}) {
        *sources = random.between(1, 30);
    }
    lsu.store_bytes = random.of({0, 8, 64});
    lsu.return_bytes = random.of({0, 8, 64});
    config.shared.pass_interval = random.of({1, 1, 2, 5});
    config.shared.phases = random.chance(50);
}

void vary_second_pipes(PipesConfig &pipes, Random &random) {
    pipes.second_fp32 = static_cast<SecondFp32>(random.below(3));
    pipes.fp64_per_sm = random.chance(50);
    pipes.fp64_queue = random.between(1, 4);
    pipes.fp64_fma = random.of({0, 0, 6});
    pipes.i2f_on_alu = random.of({0, 1, 5});
    pipes.fma_to_alu = random.between(1, 10);
}

void vary_registers(RegisterFileConfig &registers, Random &random) {
    registers.banks = random.of({1, 2, 4});
    registers.read_ports = random.of({0, 1, 2});
    registers.read_window = random.between(4, 8);
    registers.reuse_cache = random.chance(50);
    registers.write_conflicts = random.chance(50);
}

void vary_constants(ConstantsConfig &constants, Random &random) {
    if (random.chance(50)) {
        return;
    }
    constants.line_bytes = random.of({8, 64});
    constants.ways = random.of({1, 2, 3});
    constants.operand_bytes = constants.line_bytes * constants.ways * random.of({1, 4});
    constants.miss_latency = random.of({1, 20, 79});
    constants.miss_hold = random.of({1, 4, 90});
}

void vary_constant_loads(ConstantsConfig &constants, Random &random) {
    if (random.chance(50)) {
        return;
    }
    constants.load_ways = random.of({1, 2, 4});
    constants.load_bytes = constants.line_bytes * constants.load_ways * random.of({0, 1, 4});
    constants.load_miss_latency = random.of({1, 62});
    constants.address_interval = random.of({0, 1, 4});
}

void vary_l2(L2Config &l2, Random &random) {
    if (random.chance(50)) {
        return;
    }
    l2.line_bytes = random.of({32, 128, 1024});
    l2.sector_bytes = std::min<std::uint32_t>(l2.line_bytes, random.of({32, 64, 1024}));
    l2.ways = random.of({1, 4, 16});
    l2.bytes = std::uint64_t{l2.line_bytes} * l2.ways * random.of({1, 3, 256});
    l2.miss_latency = random.of({1, 100, 900});
    l2.dram_bytes_per_cycle = random.of({1, 5, 64});
}

void vary_half(PipesConfig &pipes, Random &random) {
    pipes.half = {random.between(1, 14), random.between(1, 8)};
    pipes.to_half = random.between(1, 14);
    pipes.half_to_others = random.between(1, 14);
}

void vary_uniform_addresses(Config &config, Random &random) {
    LsuConfig &lsu = config.lsu;
    config.pipes.uniform_to_memory = random.between(1, 14);
    lsu.uniform_load_sources = random.of({0, random.between(1, 30)});
    lsu.uniform_store_sources = random.of({0, random.between(1, 30)});
    lsu.uniform_shared_saving = random.below(12);
    lsu.uniform_global_saving = random.below(12);
}

void vary_supply(ICacheConfig &icache, Random &random) {
    icache.stream = static_cast<StreamPolicy>(random.below(2));
    icache.cold_launch = random.chance(50);
    icache.l1_requests_per_cycle = random.of({0, 1, 1, 2});
    icache.l0_bytes = icache.line_bytes * random.of({1, 2, 5, 256, 256});
    if (random.chance(50)) {
        return;
    }
    icache.l1_ways = random.of({1, 2, 4});
    icache.l1_bytes = icache.line_bytes * icache.l1_ways * random.of({1, 3, 64});
    icache.l1_miss_latency = random.of({0, 1, 60, 300});
}

/// As for every design: a quarter has the default. Programs need no more depth than the order itself requires.
void vary_simt_stack(SimtStackConfig &stack, Random &random) {
    if (random.chance(25)) {
        return;
    }
    stack.order = static_cast<SimtStackOrder>(random.below(3));
    const std::int64_t least = stack.order == SimtStackOrder::kMinorityFirst ? 32 : 62;
    const std::int64_t depths[] = {-1, -1, 0, least, least + 1};
    stack.depth = depths[random.below(5)];
    stack.barrier_check = random.chance(75);
}

void vary_token_stack(TokenStackConfig &stack, Random &random) {
    if (random.chance(25)) {
        return;
    }
    stack.order = static_cast<TokenStackOrder>(random.below(2));
    stack.spill = random.chance(75);
    // What does not fit goes to memory, or there is enough room.
    stack.depth = stack.spill ? random.of({1, 2, 3, 4, 6, 8, 16, 32}) : 200;
    stack.spill_cycles = random.of({0, 1, 7, 30, 200});
    stack.call_limit = random.of({0, 0, 1, 1, 2, 5});
}

void vary_memory(Config &config, Random &random) {
    config.lsu.queue_depth = random.between(1, 10);
    config.lsu.issue_interval = random.between(1, 4);
    config.lsu.queue_latency = random.between(1, 10);
    config.lsu.constant_latency = random.between(1, 20);
    config.lsu.max_outstanding = random.of({1, 4, 32, 256});
    config.lsu.sector_bytes = random.of({32, 64, 128});
    config.lsu.membar_cta = random.between(1, 100);
    config.lsu.membar_gpu = random.between(1, 200);
    config.shared.banks = random.of({8, 16, 32, 64});
    config.shared.bank_bytes = random.of({4, 8, 16});
    config.shared.latency = config.outside_memory() + random.between(1, 40);
    config.shared.atomic_latency = random.below(20);
    config.l1.enabled = random.chance(75);
    config.l1.bytes = random.of({4096, 16384, 131072});
    config.l1.latency = config.outside_memory() + random.between(1, 60);
    config.l1.mshrs = random.of({1, 3, 16, 64});
    config.global.latency = random.of({1, 17, 80, 250, 600});
    config.global.bytes_per_cycle = random.of({4, 32, 64, 256});
    config.global.atomic_latency = random.below(40);
}

void vary_l1(L1Config &l1, Random &random) {
    l1.sector_bytes = random.of({0, 0, 32, 32, 64, l1.line_bytes});
    l1.bytes_per_cycle = random.of({0, 0, 32, 64, 128});
}

/// At least half of the designs have the default of each.
void vary_policies(Config &config, Random &random) {
    if (random.chance(50)) {
        config.l1.replacement = static_cast<L1ReplacementKind>(random.below(5));
    }
    if (random.chance(50)) {
        config.l1.bypass = static_cast<L1BypassKind>(random.below(4));
    }
    if (random.chance(50)) {
        config.sm.cta_distribution = static_cast<CtaDistributionKind>(random.below(5));
    }
}

} // namespace

ModelRun vary(std::uint64_t seed, std::uint32_t threads) {
    Random random(seed ^ 0x5bf03635dcb3a5a9);
    ModelRun run;
    const std::uint32_t warps = (threads + kLanes - 1) / kLanes;
    if (random.chance(25)) {
        // Unused slots only cost time at the start.
        run.config.sm.warps_per_sub_partition = std::max(2U, (warps + 3) / 4);
        return run;
    }
    vary_sm(run.config, random, warps);
    vary_pipes(run.config, random);
    vary_control(run.config, random);
    vary_memory(run.config, random);
    run.reverse_order = random.chance(50);
    run.ahead = Random(seed ^ 0x91e6d3a7705cb24d).chance(50);
    Random paths(seed ^ 0x2f0b6d1c94e7a835);
    vary_paths(run.config.bru, paths);
    run.config.global.atomics = static_cast<GlobalAtomics>(paths.below(2));
    vary_fetch(run.config, paths);
    vary_queues(run.config, paths);
    vary_second_pipes(run.config.pipes, paths);
    vary_l1(run.config.l1, paths);
    vary_uniform_addresses(run.config, paths);
    vary_l2(run.config.l2, paths);
    vary_constants(run.config.constants, paths);
    vary_half(run.config.pipes, paths);
    vary_constant_loads(run.config.constants, paths);
    vary_supply(run.config.icache, paths);
    vary_registers(run.config.register_file, paths);
    run.config.ibuffer.issue_width = paths.between(1, 2);
    Random policies(seed ^ 0x6d41f8a2c37e905b);
    vary_policies(run.config, policies);
    return run;
}

ModelRun vary(std::uint64_t seed, std::uint32_t threads, const std::vector<std::string> &settings,
              std::string_view engine) {
    ModelRun run = vary(seed, threads);
    Random stacks(seed ^ 0x71c6a5d3e08f294b);
    if (engine == "simt_stack") {
        run.config.bru.engine = ReconvergenceEngineKind::kSimtStack;
        vary_simt_stack(run.config.bru.simt_stack, stacks);
    } else if (engine == "token_stack") {
        run.config.bru.engine = ReconvergenceEngineKind::kTokenStack;
        vary_token_stack(run.config.bru.token_stack, stacks);
    }
    if (!settings.empty()) {
        run.config = parse_config(dump_config(run.config), "design", settings);
    }
    if (run.config.bru.election.is_library()) {
        throw InputError("bru.election: random programs are checked against the rules of the model's own elections; "
                         "expected none from a library");
    }
    return run;
}

} // namespace smsim::fuzz
