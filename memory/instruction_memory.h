// Instruction memory: serves the words of the resident programs to the sub-partitions, each through an L0 cache of its
// own.
//
// Programs are placed one after the other, each at the beginning of a line; the first one at 0.
//
// One read-only TLM-2.0 base-protocol target per sub-partition. A request is answered with TLM_COMPLETED if the time at
// which its line is there is known; the delay counts from its arrival, in cycles:
//
//     line in L0                      l0_latency
//     line on its way to L0           until it arrives, at least l0_latency
//     line absent                     l1_latency; prefetching as in l0_cache.h
//     no L0 (icache.l0 = false)       l1_latency
//
// If the L1 holds every program and takes any number of requests, there is nothing more: sub-partitions do not
// influence one another. With `l1_bytes` or `l1_requests_per_cycle` they share the L1 (l1_instruction_cache.h): a
// request whose line is absent gets END_REQ, the requests of a cycle are collected and arbitrated one delta cycle later
// (instruction_arbiter.h), and BEGIN_RESP follows as soon as the L1 has taken the request, with the time at which the
// line is there. Neither the order of processes nor that of the sub-partitions matters.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "memory/four_phase_target.h"
#include "memory/instruction_arbiter.h"
#include "memory/l0_cache.h"
#include "memory/payload_access.h"
#include "model/config/sections/icache.h"
#include "model/parts/memories.h"
#include "model/program/program.h"
#include "model/protocol/memory.h"
#include "model/protocol/present_time.h"
#include "model/protocol/socket.h"
#include "model/stats/statistics.h"

namespace smsim::memory {

class InstructionMemory final : public sc_core::sc_module, public parts::InstructionMemory {
  public:
    /// `period` is the clock period. InputError when `config` has a latency of 0, an L0 smaller than one line, an L1
    /// that is no multiple of a set, or a line size that is not a power of two of at least 16.
    InstructionMemory(const sc_core::sc_module_name &name, const ICacheConfig &config, std::uint32_t sub_partitions,
                      const sc_core::sc_time &period);

    /// Makes a program resident; it must outlive the module. Returns the address of its first instruction, the same
    /// address when it is resident already. InputError when one of its instructions has no encoding.
    std::uint64_t place(const Program &program) override;

    /// Socket of sub-partition `index` (0..sub_partitions-1). A 16-byte read of one instruction also gets the decoded
    /// instruction if it carries a DecodedExtension. Bytes outside every program give TLM_ADDRESS_ERROR_RESPONSE,
    /// writes TLM_COMMAND_ERROR_RESPONSE, both after `l0_latency`. An IGNORE command does nothing. Debug reads and
    /// read-only direct memory cover one program; a request for direct memory with a DecodedExtension is granted a line
    /// of the L0 and its instructions, until that line is evicted.
    protocol::Target<protocol::MemoryLink> &socket(std::uint32_t index) { return ports_[index].target->socket; }

    void invalidate() override;
    /// Fetches, hits, misses and prefetched lines of all sub-partitions (`discarded` stays 0: only the initiator knows
    /// it).
    FetchStats stats() const override;
    void add_use(Cycle end, UnitUses &uses) const override;
    /// Restarts all counts. The L0 caches keep their lines.
    void clear_statistics() override;
    tlm::tlm_target_socket<64, protocol::MemoryLink> &from_ibuffer(unsigned index) override { return socket(index); }
    bool join(protocol::Calendar &calendar) override;

  private:
    /// A thread that waits in blocking transport.
    struct Blocked {
        sc_core::sc_event answered;
        RawTime done = L0Cache::kUnknown;
    };
    /// A request whose lines have been requested.
    struct Waiting {
        Payload *payload = nullptr;       ///< null: a blocking one
        Blocked *blocked = nullptr;       ///< of a blocking one
        RawTime done = 0;                 ///< when those lines are there whose time is known
        std::vector<std::uint64_t> lines; ///< the others
        FetchCause cause = FetchCause::kFetch;
    };
    struct Port {
        std::unique_ptr<FourPhaseTarget> target;
        std::unique_ptr<L0Cache> l0;
        FetchStats stats;
        std::vector<Waiting> waiting;
        bool granted = false; ///< a line of the L0 may be read directly
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
    bool direct_line(Port &port, const Placed &placed, std::uint64_t address, protocol::DecodedExtension &decoded,
                     tlm::tlm_dmi &dmi);
    void revoke(Port &port);

    RawTime access(Port &port, Payload &payload, RawTime arrival);
    [[gnu::noinline]] RawTime fetch_time(Port &port, std::uint64_t address, std::uint64_t bytes, RawTime arrival);
    [[gnu::noinline]] tlm::tlm_sync_enum take_request(unsigned tag, Payload &payload, tlm::tlm_phase &phase,
                                                      sc_core::sc_time &delay);
    FourPhaseTarget::Answer answer_later(unsigned port, Payload &payload, RawTime arrival);
    void arbitrate();
    void wake_arbiter();
    void respond_all();
    void arrived(const InstructionArbiter::Taken &line);

    const Placed *program_at(std::uint64_t address, std::uint64_t count);

    ICacheConfig config_;
    protocol::PresentTime time_;
    RawTime period_;
    unsigned line_shift_; ///< log2 of the bytes of a line
    RawTime hit_;
    RawTime miss_;
    std::deque<Placed> programs_;     ///< by address
    const Placed *present_ = nullptr; ///< of all programs
    std::uint64_t lines_ = 0;         ///< the one read last
    std::vector<Port> ports_;
    FetchCause cause_ = FetchCause::kFetch; ///< of the fetch under way
    Waiting asked_;                         ///< the fetch under way, if one of its lines has been requested

    // if the sub-partitions share the L1
    bool is_shared_;
    InstructionArbiter arbiter_;
    std::vector<InstructionArbiter::Taken> taken_;
    std::uint64_t answers_ = 0;
    sc_core::sc_event collected_; ///< the requests of the present cycle have been collected
    sc_core::sc_event next_cycle_;
    protocol::Alarm response_ended_;
};

} // namespace smsim::memory
