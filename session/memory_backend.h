// The global memory of a session, as the session sees it: bytes that are accessed through a socket. Any memory can be
// used; docs/memory.md "What a global memory must do" has the requirements. The session decides which bytes a program
// may touch, so that a memory needs no notion of regions.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <tlm>

#include "memory/expected_accesses.h"
#include "model/protocol/calendar.h"
#include "model/stats/statistics.h"
#include "model/stats/utilisation.h"

namespace smsim::session {

/// What a memory socket is bound to: tlm::tlm_target_socket<64>, and every socket derived from it. Sockets of other
/// widths need a memory::WidthAdapter, blocking ones a memory::BlockingAdapter.
using MemorySocket = tlm::tlm_target_socket<64>::base_type;

class MemoryBackend {
  public:
    virtual ~MemoryBackend() = default;

    /// Where the SM's requests arrive, or a waveform's monitor before it. Bound once, before the simulation starts.
    virtual MemorySocket &socket() = 0;

    /// Takes the time from `calendar`, like parts::Part::join: false for a memory that does not, or that has
    /// processes. The calendar ends with the session; a memory that has joined must not ask for time after that.
    virtual bool join(protocol::Calendar & /*calendar*/) { return false; }

    /// `bytes` from `base` on will be accessed. They are zeros, except what has been written before. No two of these
    /// ranges overlap, but the last one of a base counts: that of local memory grows. Called before the first access
    /// to them, also between two launches; takes no time. A memory that holds every address has nothing to do. Throws
    /// InputError when it cannot hold them, with both ranges in the message.
    virtual void map(std::uint64_t base, std::uint64_t bytes, const std::string &name) = 0;

    /// Host accesses, which take no time: read the bytes as the SM would, and replace them. They lie in one mapped
    /// range. No transaction of the SM is under way, except after a launch that has not completed: each of those has
    /// then been performed or not. Throw InputError when the memory cannot serve them.
    virtual void read(std::uint64_t address, std::span<std::uint8_t> to) = 0;
    virtual void write(std::uint64_t address, std::span<const std::uint8_t> from) = 0;

    /// The observer of accesses before they arrive; null: none.
    virtual const memory::ExpectedAccesses *expected() const { return nullptr; }

    /// Adds what this memory has counted since `clear_statistics` to `stats`; a memory that counts nothing leaves the
    /// figures of global memory in reports at zero.
    virtual void collect(GlobalMemoryStats &) const {}
    /// Adds what was used of it in the current launch up to cycle `end`; a memory that does not count that adds
    /// nothing.
    virtual void add_use(Cycle /*end*/, UnitUses &) const {}
    virtual void clear_statistics() {}
};

} // namespace smsim::session
