// Instruction memory: serves the words of the resident programs to the sub-partitions, each through an L0 cache of its
// own.
//
// Programs lie one behind the other, each at the beginning of a line; the first one at 0.
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
#include <deque>
#include <memory>
#include <vector>

#include "memory/l0_cache.h"
#include "memory/transfer.h"
#include "model/config/config.h"
#include "model/parts/memories.h"
#include "model/program/program.h"
#include "model/protocol/memory.h"
#include "model/protocol/socket.h"
#include "model/stats/statistics.h"

namespace smsim::memory {

class InstructionMemory final : public sc_core::sc_module, public parts::InstructionMemory {
  public:
    /// `period` is the clock period. InputError when `config` has a latency of 0, an L0 smaller than one line, or lines
    /// that are not a power of two from 16 in size.
    InstructionMemory(const sc_core::sc_module_name &name, const ICacheConfig &config, std::uint32_t sub_partitions,
                      const sc_core::sc_time &period);

    /// Makes a program resident; it outlives the module. Returns the address of its first instruction, the same when it
    /// is resident already. InputError when an instruction of it has no encoding.
    std::uint64_t place(const Program &program) override;

    /// Socket of sub-partition `index` (0..sub_partitions-1). A read that is 16 bytes at the address of an instruction
    /// and carries a DecodedExtension also gets the decoded instruction. Bytes outside every program give
    /// TLM_ADDRESS_ERROR_RESPONSE, writes TLM_COMMAND_ERROR_RESPONSE, both after `l0_latency`. An IGNORE command does
    /// nothing. Debug reads and read-only direct memory cover one program.
    protocol::Target<protocol::MemoryLink> &socket(std::uint32_t index) { return *ports_[index].socket; }

    /// Fetches, hits and misses of all sub-partitions (`discarded` is the initiator's knowledge and stays 0).
    FetchStats stats() const override;
    /// Begins to count anew. The L0 caches keep their lines.
    void clear_statistics() override;
    tlm::tlm_target_socket<64, protocol::MemoryLink> &from_ibuffer(unsigned index) override { return socket(index); }

  private:
    struct Port {
        std::unique_ptr<protocol::Target<protocol::MemoryLink>> socket;
        L0Cache l0;
        FetchStats stats;
    };

    struct Placed {
        const Program *program;
        std::uint64_t base;
        std::vector<std::uint8_t> bytes; ///< as encoded words
        bool holds(std::uint64_t address, std::uint64_t count) const {
            return address >= base && count <= bytes.size() && address - base <= bytes.size() - count;
        }
    };

    tlm::tlm_sync_enum request(unsigned tag, Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay);
    void blocking(unsigned tag, Payload &payload, sc_core::sc_time &delay);
    unsigned debug(unsigned tag, Payload &payload);
    bool direct(unsigned tag, Payload &payload, tlm::tlm_dmi &dmi);

    RawTime access(Port &port, Payload &payload, RawTime arrival);
    RawTime fetch_time(Port &port, std::uint64_t address, std::uint64_t bytes, RawTime arrival);

    const Placed *program_at(std::uint64_t address, std::uint64_t count);

    ICacheConfig config_;
    unsigned line_shift_; ///< log2 of the bytes of a line
    RawTime hit_;
    RawTime miss_;
    std::deque<Placed> programs_;     ///< by address
    const Placed *present_ = nullptr; ///< the one that was read last
    std::uint64_t lines_ = 0;         ///< of all programs
    std::vector<Port> ports_;
};

} // namespace smsim::memory
