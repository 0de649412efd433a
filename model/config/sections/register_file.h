// The register file of a sub-partition.
#pragma once

#include <cstdint>

namespace smsim {

/// Register file of a sub-partition; register r is in bank r mod `banks`.
struct RegisterFileConfig {
    std::uint32_t banks = 2;
    std::uint32_t read_ports = 0;  ///< per bank, for instructions of fixed latency; 0: unlimited
    std::uint32_t read_window = 3; ///< cycles in which such an instruction reads its registers
    bool reuse_cache = true;       ///< with read_ports: an operand written `.reuse` is kept for the next instruction
    bool write_conflicts = false;  ///< a result of variable latency gives way to one of fixed latency in its bank
};

} // namespace smsim
