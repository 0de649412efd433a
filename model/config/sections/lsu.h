// The load/store unit.
#pragma once

#include <cstdint>

namespace smsim {

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

} // namespace smsim
