// What an SM needs from its memories, whatever implements them. Their sockets follow the base protocol (docs/memory.md
// "Protocol").
#pragma once

#include <cstdint>
#include <optional>

#include <tlm>

#include "model/parts/part.h"
#include "model/parts/unanswered.h"
#include "model/program/program.h"
#include "model/protocol/memory.h"
#include "model/stats/statistics.h"
#include "model/stats/utilisation.h"

namespace smsim::parts {

/// Instruction memory with the caches of the sub-partitions.
class InstructionMemory : public Part {
  public:
    /// Fetches of sub-partition `index`.
    virtual tlm::tlm_target_socket<64, protocol::MemoryLink> &from_ibuffer(unsigned index) = 0;
    /// Makes a program resident; it must outlive the part. Returns the address of its first instruction, the same
    /// address when it is resident already. InputError when one of its instructions has no encoding.
    virtual std::uint64_t place(const Program &program) = 0;
    /// Drops the lines of all caches.
    virtual void invalidate() = 0;
    /// Counters since construction, or since the last `clear_statistics`; `discarded` is 0.
    virtual FetchStats stats() const = 0;
    /// Adds its use in the present launch up to cycle `end`; a part that does not count it adds nothing.
    virtual void add_use(Cycle /*end*/, UnitUses &) const {}
    /// Restarts all counts.
    virtual void clear_statistics() = 0;
};

/// Shared memory of the SM. Debug transport reads it.
class SharedMemory : public Part {
  public:
    virtual tlm::tlm_target_socket<64, protocol::MemoryLink> &from_load_store() = 0;
    /// Counters since construction, or since the last `clear_statistics`.
    virtual SharedMemoryStats stats() const = 0;
    /// Adds its use in the present launch up to cycle `end`; a part that does not count it adds nothing.
    virtual void add_use(Cycle /*end*/, UnitUses &) const {}
    /// Restarts all counts; nothing may be under way.
    virtual void clear_statistics() = 0;
};

/// The cache between load/store unit and global memory.
class DataCache : public Part {
  public:
    virtual tlm::tlm_target_socket<64, protocol::MemoryLink> &from_load_store() = 0;
    virtual tlm::tlm_initiator_socket<64, protocol::MemoryLink> &to_memory() = 0;
    /// The transaction that has waited longest for the memory; none when all have been answered, or if the part does
    /// not know.
    virtual std::optional<UnansweredRequest> unanswered() const { return std::nullopt; }
    /// Drops every line and keeps fills under way from installing one.
    virtual void invalidate() = 0;
    /// The same, and from now on only `bytes` of its room are for lines, the others for shared memory; a part that
    /// has a memory of its own keeps all.
    virtual void limit(std::uint64_t /*bytes*/) { invalidate(); }
    /// Adds hits, misses and merges since construction, or since the last `clear_statistics`, to `stats`.
    virtual void collect(GlobalMemoryStats &stats) const = 0;
    /// Adds its use in the present launch up to cycle `end`; a part that does not count it adds nothing.
    virtual void add_use(Cycle /*end*/, UnitUses &) const {}
    /// Restarts all counts.
    virtual void clear_statistics() = 0;
};

} // namespace smsim::parts
