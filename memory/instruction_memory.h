// Instruction memory: serves the words of a program to the sub-partitions, each through an L0 cache of its own.
//
// A TLM-2.0 base-protocol target per sub-partition that only reads. Requests are answered with TLM_COMPLETED; the delay
// counts from their arrival, in cycles:
//
//     line in L0                      l0_latency
//     line on its way to L0           until it arrives, at least l0_latency
//     line absent                     l1_latency; the next prefetch_lines lines follow one cycle apart (l0_cache.h)
//     no L0 (icache.l0 = false)       l1_latency
//
// The second level holds every program and has no conflicts, so that sub-partitions do not influence one another.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "memory/l0_cache.h"
#include "memory/transfer.h"
#include "model/config/config.h"
#include "model/program/program.h"
#include "model/protocol/memory.h"
#include "model/protocol/socket.h"
#include "model/stats/statistics.h"

namespace smsim::memory {

class InstructionMemory final : public sc_core::sc_module {
  public:
    /// `program` outlives the module. `period` is the clock period. InputError when an instruction of the program has
    /// no encoding, or when `config` has a latency of 0, an L0 smaller than one line, or lines that are not a
    /// power of two from 16 in size.
    InstructionMemory(const sc_core::sc_module_name &name, const Program &program, const ICacheConfig &config,
                      std::uint32_t sub_partitions, const sc_core::sc_time &period);

    /// Socket of sub-partition `index` (0..sub_partitions-1). A read that is 16 bytes at the address of an instruction
    /// and carries a DecodedExtension also gets the decoded instruction. Bytes outside the program give
    /// TLM_ADDRESS_ERROR_RESPONSE, writes TLM_COMMAND_ERROR_RESPONSE, both after `l0_latency`. An IGNORE command does
    /// nothing. Debug reads and read-only direct memory cover the whole program.
    protocol::Target<protocol::MemoryLink> &socket(std::uint32_t index) { return *ports_[index].socket; }

    /// Fetches, hits and misses of all sub-partitions (`discarded` is the initiator's knowledge and stays 0).
    FetchStats stats() const;

  private:
    struct Port {
        std::unique_ptr<protocol::Target<protocol::MemoryLink>> socket;
        L0Cache l0;
        FetchStats stats;
    };

    tlm::tlm_sync_enum request(unsigned tag, Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay);
    void blocking(unsigned tag, Payload &payload, sc_core::sc_time &delay);
    unsigned debug(unsigned tag, Payload &payload);
    bool direct(unsigned tag, Payload &payload, tlm::tlm_dmi &dmi);

    RawTime access(Port &port, Payload &payload, RawTime arrival);
    RawTime fetch_time(Port &port, std::uint64_t address, std::uint64_t bytes, RawTime arrival);

    const Program &program_;
    bool has_l0_;
    unsigned line_shift_; ///< log2 of the bytes of a line
    RawTime hit_;
    RawTime miss_;
    std::vector<std::uint8_t> bytes_; ///< the program as encoded words
    std::vector<Port> ports_;
};

} // namespace smsim::memory
