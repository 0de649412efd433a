// The names come from the configuration files and documents of other simulators and from published tables of GPUs.
#include "model/config/other_names.h"

#include <algorithm>

namespace smsim {
namespace {

struct OtherName {
    std::string_view name; ///< a key, a section, or with ".*" at its end any key of a section
    std::string_view means;
};

constexpr std::string_view kMemoryBelow =
    "l2.dram_bytes_per_cycle and l2.miss_latency are those of the memory below the L2 (l2.bytes); without an L2, "
    "global.latency and global.bytes_per_cycle describe all that is below the L1";
constexpr std::string_view kIssueWidth =
    "ibuffer.issue_width is 1 or 2 instructions of a sub-partition per cycle; more issue slots are more sub-partitions "
    "(sm.sub_partitions), and a second pipe for single precision is pipes.second_fp32";
constexpr std::string_view kLoadStore =
    "use lsu.units; lsu.issue_interval and lsu.lines_per_cycle say how much each takes per cycle";
constexpr std::string_view kWarpSize =
    "a warp has 32 threads, because masks in instructions and registers have 32 bits";
constexpr std::string_view kNamedBarriers = "a CTA has 16 barriers, because instructions name them in four bits";
constexpr std::string_view kRegistersPerThread =
    "a thread has up to 255 registers; sm.registers is their number in an SM";
constexpr std::string_view kOneSm = "one SM is simulated; what it shares with others is in the sections global and l2";

constexpr OtherName kOtherNames[] = {
    {"bru.b_registers", "bru.convergence_barriers"},
    {"bru.barrier_registers", "bru.convergence_barriers"},
    {"bru.depth", "bru.simt_stack.depth and bru.token_stack.depth are those of the engines with a stack"},
    {"bru.election_policy", "bru.election"},
    {"bru.latency", "bru.branch_latency, bru.barrier_latency, bru.sync_latency, bru.yield_latency, bru.move_latency"},
    {"bru.path_choice", "bru.election"},
    {"bru.path_policy", "bru.election"},
    {"bru.stack_depth", "bru.simt_stack.depth and bru.token_stack.depth are those of the engines with a stack"},
    {"bcu.barriers", kNamedBarriers},
    {"bcu.latency", "bcu.arrival_latency and bcu.release_latency"},
    {"dram", kMemoryBelow},
    {"dram.*", kMemoryBelow},
    {"global.bandwidth", "global.bytes_per_cycle"},
    {"gpu", kOneSm},
    {"gpu.*", kOneSm},
    {"hbm", kMemoryBelow},
    {"hbm.*", kMemoryBelow},
    {"ibuffer.dual_issue", kIssueWidth},
    {"ibuffer.entries", "ibuffer.depth"},
    {"ibuffer.scheduler", "ibuffer.policy"},
    {"ibuffer.size", "ibuffer.depth"},
    {"icache.bytes", "icache.l0_bytes is the cache of a sub-partition, icache.l1_bytes that of the SM"},
    {"icache.size", "icache.l0_bytes is the cache of a sub-partition, icache.l1_bytes that of the SM"},
    {"issue", kIssueWidth},
    {"issue.*", kIssueWidth},
    {"l0", "the L0 instruction cache is icache.l0, icache.l0_bytes and icache.l0_latency"},
    {"l0.*", "the L0 instruction cache is icache.l0, icache.l0_bytes and icache.l0_latency"},
    {"l1.assoc", "l1.ways"},
    {"l1.associativity", "l1.ways"},
    {"l1.bandwidth", "l1.bytes_per_cycle"},
    {"l1.allocation", "l1.bypass says which reads take no line; writes never take one"},
    {"l1.eviction", "l1.replacement"},
    {"l1.eviction_policy", "l1.replacement"},
    {"l1.bypass_policy", "l1.bypass"},
    {"l1.mshr", "l1.mshrs"},
    {"l1.policy", "l1.replacement and l1.bypass"},
    {"l1.replacement_policy", "l1.replacement"},
    {"l1.size", "l1.bytes"},
    {"l1d", "the L1 data cache is the section l1"},
    {"l1d.*", "the L1 data cache is the section l1"},
    {"l1i",
     "the L1 instruction cache is icache.l1_bytes, icache.l1_ways, icache.l1_latency and icache.l1_miss_latency"},
    {"l1i.*",
     "the L1 instruction cache is icache.l1_bytes, icache.l1_ways, icache.l1_latency and icache.l1_miss_latency"},
    {"l2.assoc", "l2.ways"},
    {"l2.bandwidth", "global.bytes_per_cycle is the path from the SM to the L2"},
    {"l2.bytes_per_cycle", "global.bytes_per_cycle is the path from the SM to the L2"},
    {"l2.hit_latency", "global.latency, from a request to its data; a miss of the L2 takes l2.miss_latency more"},
    {"l2.latency", "global.latency, from a request to its data; a miss of the L2 takes l2.miss_latency more"},
    {"l2.size", "l2.bytes"},
    {"lsu.count", kLoadStore},
    {"lsu.pipelines", kLoadStore},
    {"lsu.pipes", kLoadStore},
    {"memory", kMemoryBelow},
    {"memory.*", kMemoryBelow},
    {"noc", kOneSm},
    {"noc.*", kOneSm},
    {"register_file.ports", "register_file.read_ports"},
    {"register_file.size", "sm.registers"},
    {"registers", "sm.registers is their number; banks and ports are in the section register_file"},
    {"scheduler", "the issue policy is ibuffer.policy"},
    {"scheduler.*", "the issue policy is ibuffer.policy"},
    {"shared.bandwidth", "shared.banks and shared.bank_bytes say how much shared memory moves per cycle"},
    {"shared.size", "shared.bytes"},
    {"shared_memory", "shared memory is the section shared"},
    {"shared_memory.*", "shared memory is the section shared"},
    {"sm.barriers", kNamedBarriers},
    {"sm.block_scheduler", "sm.cta_distribution"},
    {"sm.clock", "sm.clock_ghz"},
    {"sm.clock_mhz", "sm.clock_ghz"},
    {"sm.count", kOneSm},
    {"sm.cta_order", "sm.cta_distribution"},
    {"sm.cta_policy", "sm.cta_distribution"},
    {"sm.cta_scheduler", "sm.cta_distribution"},
    {"sm.frequency", "sm.clock_ghz"},
    {"sm.issue_width", kIssueWidth},
    {"sm.max_blocks", "sm.max_ctas"},
    {"sm.max_registers", kRegistersPerThread},
    {"sm.max_warps", "sm.warps_per_sub_partition, times sm.sub_partitions"},
    {"sm.partitions", "sm.sub_partitions"},
    {"sm.processing_blocks", "sm.sub_partitions"},
    {"sm.registers_per_thread", kRegistersPerThread},
    {"sm.schedulers", "sm.sub_partitions; each has one scheduler"},
    {"sm.shared_memory", "shared.bytes"},
    {"sm.warp_size", kWarpSize},
    {"sm.warps", "sm.warps_per_sub_partition, times sm.sub_partitions"},
    {"smem", "shared memory is the section shared"},
    {"smem.*", "shared memory is the section shared"},
    {"warp_size", kWarpSize},
};

} // namespace

std::string_view other_name(std::string_view name) {
    const std::string_view section = name.substr(0, name.find('.'));
    for (const OtherName &other : kOtherNames) {
        const bool of_section = other.name.ends_with(".*") && name.size() > section.size() &&
                                other.name.substr(0, other.name.size() - 2) == section;
        if (other.name == name || of_section) {
            return other.means;
        }
    }
    return {};
}

} // namespace smsim
