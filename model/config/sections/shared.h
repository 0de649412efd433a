// Shared memory.
#pragma once

#include <cstdint>

#include "model/config/implementation.h"
#include "model/config/size_list.h"

namespace smsim {

struct SharedMemoryConfig {
    Implementation implementation{};
    std::uint32_t bytes = 102400;       ///< of the SM
    std::uint32_t max_per_cta = 101376; ///< of what a kernel asks for
    std::uint32_t reserved_per_cta = 0; ///< bytes of each CTA that the system takes besides
    std::uint32_t banks = 32;
    std::uint32_t bank_bytes = 4;
    std::uint32_t latency = 24; ///< conflict-free load of 4 bytes per thread, cycles from issue to that of its consumer
    std::uint32_t atomic_latency = 6;    ///< additional cycles of an atomic pass
    std::uint32_t pass_interval = 1;     ///< cycles between two passes for one sub-partition
    bool conflict_free = false;          ///< words are spread evenly over the banks, whatever their addresses: for
                                         ///< experiments
    bool phases = false;                 ///< accesses of 8 and 16 bytes have phases of 16 and 8 threads
    std::uint32_t allocation_unit = 128; ///< bytes
    SizeList carveouts{};                ///< parts of the L1's bytes that become shared memory; none: it has its own
};

} // namespace smsim
