// Global memory, as the SM sees it.
#pragma once

#include <cstdint>

namespace smsim {

/// How atomics on global memory travel: as transactions that the memory performs as one (protocol::AtomicExtension), or
/// as a read and a write of the load/store unit, for memories that support nothing else.
enum class GlobalAtomics : std::uint8_t { kNative, kReadWrite };

struct GlobalMemoryConfig {
    std::uint32_t latency = 253; ///< cycles from request to data
    std::uint32_t bytes_per_cycle = 64;
    std::uint32_t atomic_latency = 20; ///< additional cycles of an atomic
    GlobalAtomics atomics = GlobalAtomics::kNative;
    std::uint64_t bytes = 1ULL << 36; ///< size of the address window
};

} // namespace smsim
