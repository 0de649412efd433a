// L1 data cache between the load/store unit and global memory: base-protocol target upstream, initiator downstream. The
// state is plain C++ (memory/l1/): the sectors that are present, the requests that wait for each fill, and what a
// change does to both. This class handles the protocol and its timing.
//
// Set-associative, write-through without allocation: nothing is ever dirty. The least recently used line is replaced,
// or the one that config.replacement chooses (l1/replacement.h); sectors of a line (config.sector_bytes; 0: a line is
// one sector) are filled and dropped individually. A read hits when all sectors that it touches are present. A miss
// fetches those that are neither present nor under way, adjacent ones in one fill, and waits for the others; it is
// answered when all are there. Bytes of sectors that were present are read at the look-up. A miss that would fetch
// something is forwarded instead where config.bypass says so (l1/bypass.h): it takes neither a line nor an MSHR, and
// counts as a look-up of its sectors. Timing in cycles, from the arrival of a request:
//
//     read hit           wait for the data array + latency; TLM_COMPLETED on the call
//     read miss          max(latency, time until the last fill is back); TLM_COMPLETED on the call when it needs no
//                        fill of others and all of its own are completed on their calls, otherwise END_REQ now and
//                        BEGIN_RESP then
//     write, atomic, read that bypasses, crosses lines or streams: whatever the memory below takes; the same
//                        payload is forwarded, and completed on the call when the memory completes it on the call
//
// Rows that come with a request (model/protocol/rows.h) have the times that they would have as requests. After a hit,
// rows are read here up to the first that is no hit; after a forwarded request, rows are offered to the memory up to
// the first that must wait or would be read here.
//
// The data array serves one access at a time, for the wavefronts that its initiator counts
// (AccessGroupExtension::wavefronts), but not faster than config.bytes_per_cycle with rows of 128 bytes; 0: it is never
// waited for. All hits of an access share this time; the initiator knows when the last word has arrived. A hit of an
// initiator that counts none takes the array alone, for its 32-byte words. A hit takes the earliest free stretch from
// its arrival on: a hit announced with a delay does not hold up one that arrives earlier. Fills and writes do not use
// the array.
//
// A miss takes one MSHR for what it fetches, however many fills that needs; a miss that only waits for fills of others
// takes none. When no MSHR is free the request is held (TLM_ACCEPTED) and accepted by END_REQ later; the base protocol
// allows no further request before that. If all fills under way were completed on their calls, the result of a request
// that would be held is known: it is handled ahead, at the times of these fills, and answered on the call. Requests
// after it are handled when it has been taken, as if it had been held. A fill that is refused, with whatever error (it
// extends past a mapped region, the target takes no bursts), is replaced by forwarding the requests that wait for it,
// whole and at once.
//
// Order. Requests are passed down in the order of their arrival, and the base protocol makes the memory execute
// overlapping ones in that order. Thus each read sees all earlier writes of this initiator and no later one
// (l1/line_order.h); a write or IGNORE command that must wait for an older read is held like a miss without MSHR.
//
// A write that the memory refuses is an error of its initiator. Present sectors took its bytes as it was passed down;
// they are dropped when the refusal takes effect, so that an initiator that knows of it reads what the memory holds.
//
// An answer from below takes effect at its annotated time, at least one cycle after the call (after the time at which
// the last request was handled, where that is ahead), and before anything that arrives from upstream at that time.
// Results therefore do not depend on the order of processes within a time step.
//
// An answer from below has the address that the interconnect left in it; the cache keeps the addresses it needs.
//
// Debug transport passes through and keeps present sectors up to date; direct memory access is not granted, since it
// would bypass them. Blocking reads make their fills one after the other. Other masters of the memory below are not
// seen: `invalidate` drops all lines.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "memory/bandwidth.h"
#include "memory/four_phase_target.h"
#include "memory/l1/bypass.h"
#include "memory/l1/line_order.h"
#include "memory/l1/lines.h"
#include "memory/l1/mshrs.h"
#include "memory/l1/seen_sectors.h"
#include "memory/payload_access.h"
#include "model/config/sections/l1.h"
#include "model/parts/memories.h"
#include "model/protocol/clock.h"
#include "model/protocol/memory_initiator.h"
#include "model/protocol/payload_pool.h"
#include "model/protocol/present_time.h"
#include "model/protocol/rows.h"
#include "model/protocol/socket.h"
#include "model/protocol/time_memo.h"
#include "model/ring.h"
#include "model/stats/statistics.h"

namespace smsim::memory {

class L1Cache final : public sc_core::sc_module, public parts::DataCache {
  private:
    protocol::Alarm wake_;
    FourPhaseTarget target_;

  public:
    /// To the load/store unit. Blocking calls first wait until no request of this cache is under way below.
    protocol::Target<protocol::MemoryLink> &socket = target_.socket;

    /// `period` is the clock period. `front`: cycles of `config.latency` that pass before a request arrives here or
    /// after its answer. InputError when the line size is not a power of two, when the sector size is neither 0 nor a
    /// power of two from 32 bytes to a line (of at most 32 sectors), when the cache holds no whole set, when ways,
    /// latency or MSHRs are 0, or when the library of a policy cannot be used.
    L1Cache(const sc_core::sc_module_name &name, const L1Config &config, const sc_core::sc_time &period,
            std::uint32_t front = 0);
    ~L1Cache() override;

    /// To the memory: any base-protocol target.
    protocol::Initiator<protocol::MemoryLink> &memory_socket() { return port_.socket; }

    // parts::DataCache
    tlm::tlm_target_socket<64, protocol::MemoryLink> &from_load_store() override { return socket; }
    tlm::tlm_initiator_socket<64, protocol::MemoryLink> &to_memory() override { return port_.socket; }
    bool join(protocol::Calendar &calendar) override {
        wake_.join(calendar);
        time_.follow(calendar.local_time());
        clock_.follow(calendar.local_time());
        target_.follow(calendar.local_time());
        port_.follow(calendar.local_time());
        return true;
    }
    std::optional<parts::UnansweredRequest> unanswered() const override;
    /// Drops every line and keeps fills under way from installing anything.
    void invalidate() override;
    /// Drops every line, and uses at most `bytes` of its room, in whole sets and at least one, from now on.
    void limit(std::uint64_t bytes) override;

    /// Adds hits (reads), misses (fills), merges (reads that only wait for fills of others) and sectors looked up in
    /// this cache to `stats`.
    void collect(GlobalMemoryStats &stats) const override;
    void add_use(Cycle end, UnitUses &uses) const override;
    /// Restarts all counts.
    void clear_statistics() override;

  private:
    /// Marks the cache's own fills among the transactions to the memory.
    struct FillExtension final : protocol::PooledExtension<FillExtension> {
        const L1Cache *owner = nullptr;
        l1::Mshrs<Payload>::Index mshr = 0;
        l1::Sectors sectors = 0; ///< of the line of the register
    };
    /// A fill that has been answered, and when that takes effect.
    struct Due {
        RawTime when = 0;
        Payload *fill = nullptr;
    };
    /// A write that was refused, and when that takes effect.
    struct Refused {
        RawTime when;
        std::uint64_t address;
        std::uint64_t span;
    };
    /// The number of registers in use from a cycle on.
    struct MshrLevel {
        Cycle cycle;
        std::size_t in_use;
    };
    using Answer = FourPhaseTarget::Answer;
    using Mshrs = l1::Mshrs<Payload>;

    // upstream
    Answer request(unsigned tag, Payload &payload, RawTime arrival);
    void blocking(unsigned tag, Payload &payload, sc_core::sc_time &delay);
    void blocking_read(Payload &payload, std::uint64_t line, sc_core::sc_time &delay);
    unsigned debug(unsigned tag, Payload &payload);
    void run();

    // meaning of a request `now` is the time at which a request is handled, which may be ahead of the present one.
    Answer handle(Payload &payload, RawTime now, RawTime arrival);
    Answer handle_held(Payload &payload, RawTime arrival);
    Answer handle_read(Payload &payload, std::uint64_t line, RawTime now, RawTime arrival);
    l1::Sectors read_present(Payload &payload, std::uint64_t line, l1::Sectors touched);
    bool is_forwarded(const Payload &payload, std::uint64_t line, l1::Sectors touched, l1::Sectors missing);
    void count_sectors(l1::Sectors touched, l1::Sectors fetched);
    RawTime data_of_hit(const protocol::AccessGroupExtension *group, std::uint64_t address, std::uint64_t bytes,
                        RawTime arrival);
    RawTime take_array(Cycle cycles, RawTime arrival);
    bool is_cacheable_read(const Payload &payload) const;
    Answer handle_rows(Payload &payload, protocol::RowsExtension &rows, RawTime now, RawTime arrival);
    std::size_t read_rows(const Payload &payload, std::span<MemoryRow> rows, RawTime arrival);
    void offer_below(const Payload &payload, protocol::RowsExtension &rows) const;
    void rows_performed(const Payload &payload, std::span<MemoryRow> rows, RawTime now);
    void change_lines(Payload &payload);

    // downstream
    Answer pass_down(Payload &payload, RawTime now, RawTime arrival);
    std::optional<RawTime> start_fills(const Mshrs::Place &place, std::uint64_t line, RawTime now, RawTime arrival);
    void answered(Payload &payload, const sc_core::sc_time &when);
    void write_answered(Payload &payload, RawTime effect);
    /// Completes everything that answers from below have made due by now. Call before anything else uses lines or
    /// MSHRs.
    void run_due(RawTime now) {
        if (!refused_.empty() || (!due_.empty() && due_.front().when <= now)) [[unlikely]] {
            take_effect(now);
        }
    }
    void take_effect(RawTime now);
    void wake_for_due();
    void add_due(const Due &due);
    void drop_refused(RawTime now);
    void complete_fill(Payload &fill, RawTime when);
    void note_mshr_use(RawTime when);
    void settle_mshr_use(RawTime now);
    UseSeries mshr_use(Cycle end) const;
    void retry_held(RawTime now);

    l1::LineSize size_;
    protocol::PresentTime time_;
    protocol::TimeMemo spans_;
    protocol::Clock clock_;
    RawTime period_;
    RawTime latency_;
    std::uint32_t bytes_per_cycle_; ///< of hits; 0: any
    Bandwidth array_{1};            ///< the data array, in raw time
    BusyTime array_use_;
    std::uint64_t served_group_ = 0; ///< the last access that took it; 0: none
    RawTime served_ = 0;             ///< as `data_of_hit` returned for it
    LevelTime mshr_use_;
    Ring<MshrLevel> mshr_levels_; ///< later ones
    l1::SeenSectors seen_;
    protocol::MemoryInitiator port_;

    l1::Lines lines_;
    Mshrs mshrs_;
    l1::LineOrder<Payload> line_order_{lines_, mshrs_};
    std::unique_ptr<l1::Bypass> bypass_; ///< null: no read that misses is forwarded
    bool asked_ = false;                 ///< whether the bypass policy has been asked about the present request

    protocol::PayloadPool<FillExtension> pool_;
    Ring<Due> due_;                ///< in order of time, then of the answers
    std::uint64_t order_ = 0;      ///< of responses that are due at one time
    std::vector<Refused> refused_; ///< those whose sectors are still to be dropped

    const Payload *passing_ = nullptr; ///< being passed down: its answer on the call goes to `passed_at_`
    std::optional<RawTime> passed_at_;
    RawTime looked_at_ = 0;            ///< the time at which the last request was handled
    RawTime free_at_ = 0;              ///< when the previous request is taken: the next one is not handled earlier
    const Payload *filling_ = nullptr; ///< fill being sent
    RawTime filled_at_ = 0;            ///< the last effect of fills of the present miss that were answered on the call

    GlobalMemoryStats stats_;
};

} // namespace smsim::memory
