// Global memory: a TLM-2.0 base-protocol target with mapped regions, a latency and a bandwidth.
//
// Memory is mapped in whole pages: an access may reach to the ends of the pages that a region lies in, so that a cache
// can fetch the last line of a region. Which of these bytes a program may touch does not concern this memory.
//
// The functional effect occurs on the call, time is annotated: every non-blocking request is answered with
// TLM_COMPLETED. Times are in cycles; an arrival between two cycles counts as the later one:
//
//     last = cycle in which the last byte of the transfer moves (bandwidth.h)
//     done = last + latency [+ atomic_latency] [+ jitter]
//
// Rows that come with a request (model/protocol/rows.h) have the times that they would have as requests after it.
//
// With an L2 (l2_cache.h), `last` of an access that misses is later: not before the data it reads has arrived.
//
// An idle memory thus answers a transfer of up to `bytes_per_cycle` after exactly `latency` cycles. Requests of one
// initiator that arrive in the same cycle move in the order of its calls. Their order changes neither the time at which
// all of them have moved nor requests of other cycles. A request that is announced earlier but arrives later does not
// delay one that arrives before it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "memory/bandwidth.h"
#include "memory/byte_store.h"
#include "memory/expected_accesses.h"
#include "memory/l2_cache.h"
#include "memory/payload_access.h"
#include "memory/regions.h"
#include "model/config/sections/global.h"
#include "model/config/sections/l2.h"
#include "model/protocol/calendar.h"
#include "model/protocol/clock.h"
#include "model/protocol/memory.h"
#include "model/protocol/present_time.h"
#include "model/protocol/rows.h"
#include "model/protocol/socket.h"
#include "model/protocol/time_memo.h"
#include "model/stats/statistics.h"
#include "model/stats/utilisation.h"
#include "model/timing/jitter.h"

namespace smsim::memory {

class GlobalMemory final : public sc_core::sc_module, public ExpectedAccesses {
  public:
    using Region = Regions::Region;

    /// Base protocol: blocking, non-blocking, debug and direct memory interface (per page of the store). An access
    /// outside the pages of one region gives TLM_ADDRESS_ERROR_RESPONSE, invalid standard fields give the status of
    /// `check_fields`; both take `latency` cycles and no bandwidth. An IGNORE command that is no atomic does nothing.
    protocol::Target<protocol::MemoryLink> socket{"socket"};

    /// `period` is the clock period, `page_bytes` (a power of two) the size of the mapped pages; 1 maps exactly the
    /// regions. `jitter` lengthens answers. `l2`: with a size of 0 everything hits. A latency or bandwidth of 0 is an
    /// InputError, as is an L2 without whole sets.
    GlobalMemory(const sc_core::sc_module_name &name, const GlobalMemoryConfig &config, const sc_core::sc_time &period,
                 std::uint64_t page_bytes = 1, const timing::Jitter &jitter = {}, const L2Config &l2 = {});

    /// Takes the time from `calendar`, as parts::Part::join.
    void join(protocol::Calendar &calendar) {
        time_.follow(calendar.local_time());
        clock_.follow(calendar.local_time());
    }

    /// As `Regions::map`, `map_anywhere`: bytes never written are zeros.
    void map(std::uint64_t base, std::uint64_t bytes, const std::string &name) { regions_.map(base, bytes, name); }
    void map_anywhere(std::uint64_t base, std::uint64_t bytes, const std::string &name) {
        regions_.map_anywhere(base, bytes, name);
    }
    /// As `Regions::unmap`. The bytes are kept for the next region mapped there.
    void unmap(std::uint64_t base) { regions_.unmap(base); }
    /// The mapped regions.
    const Regions &regions() const { return regions_; }

    /// Prefetches the bytes of an access of up to a row into the host's cache, if their page has been written.
    void expect(std::uint64_t address, std::uint64_t bytes) const override {
        if (bytes <= kRow) {
            store_.prefetch(address);
            if (l2_) {
                l2_->expect(address);
            }
        }
    }

    /// Functional host access: copies `to.size()` bytes from `address`. Throws InputError when they are not in one
    /// region.
    void read(std::uint64_t address, std::span<std::uint8_t> to) const;
    /// Functional host access: copies `from` to `address`. Throws InputError when the bytes are not in one region.
    void write(std::uint64_t address, std::span<const std::uint8_t> from);

    /// Adds reads, writes, atomics, bytes and busy cycles of this memory to `stats`.
    void collect(GlobalMemoryStats &stats) const;
    /// Adds the use of its path, and of the path below the L2, up to cycle `end`.
    void add_use(Cycle end, UnitUses &uses) const;
    /// Restarts all counts.
    void clear_statistics();

  private:
    tlm::tlm_sync_enum request(unsigned tag, Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay);
    void blocking(unsigned tag, Payload &payload, sc_core::sc_time &delay);
    unsigned debug(unsigned tag, Payload &payload);
    bool direct(unsigned tag, Payload &payload, tlm::tlm_dmi &dmi);

    /// What an access moves, and when it arrives.
    struct Move {
        enum class Kind : std::uint8_t { kRead, kWrite, kAtomic };
        Kind kind;
        std::uint64_t address;
        std::uint64_t span;  ///< number of addresses it touches
        std::uint64_t bytes; ///< over the path
    };

    RawTime access(Payload &payload, RawTime arrival);
    [[gnu::always_inline]] inline tlm::tlm_response_status perform_access(Payload &payload);
    std::size_t perform_rows(Payload &payload, std::span<MemoryRow> rows, RawTime arrival);
    static Move::Kind kind_of(const Payload &payload);
    void count(Move::Kind kind, std::uint64_t moves, std::uint64_t bytes);
    /// Absolute time at which the answer to an access that arrives in cycle `arrival`, and has been performed, is
    /// valid.
    [[gnu::always_inline]] inline RawTime done_at(const Move &move, Cycle arrival);

    static constexpr std::uint64_t kRow = 128; ///< longest access that is prefetched

    GlobalMemoryConfig config_;
    protocol::PresentTime time_;
    protocol::TimeMemo spans_;
    protocol::Clock clock_;
    RawTime period_;
    PagedStore store_;
    Regions regions_;
    Bandwidth bandwidth_;
    BusyTime path_use_;
    std::optional<L2Cache> l2_;
    timing::Jitter jitter_;
    GlobalMemoryStats stats_;
};

} // namespace smsim::memory
