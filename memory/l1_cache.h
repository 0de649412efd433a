// L1 data cache between the load/store unit and global memory: base-protocol target upstream, initiator downstream.
//
// Set-associative, least recently used, write-through without allocation: a line is never dirty. Timing in cycles, from
// the arrival of a request:
//
//     read hit           latency; TLM_COMPLETED on the call
//     read miss          max(latency, time until the fill of the whole line is back); END_REQ now, BEGIN_RESP then
//     write, atomic, read that bypasses (.CG), crosses lines or streams: whatever the memory below takes; the same
//                        payload is forwarded, and completed on the call when the memory completes it on the call
//
// A miss to a line whose fill is under way joins it (MSHR). When no MSHR is free the request is held (TLM_ACCEPTED) and
// accepted by END_REQ later; the base protocol lets no further request come before that. A fill that is refused, with
// whatever error (the line sticks out of a mapped region, the target takes no bursts), is replaced by forwarding the
// requests that wait for it.
//
// Order. Requests go down in the order in which they came, and the base protocol makes the memory execute overlapping
// ones in that order. With that, each read sees all earlier writes of this initiator and no later one:
// - a write updates a present line, and detaches a fill under way: those who wait for it are older and get the data
//   without the write, but the line is not installed, and a later read starts a fill that goes down behind the write;
// - a write to bytes that an older read still waits for is held until the fill is in hand, because after a refused fill
//   those bytes are read again;
// - atomics and other IGNORE commands drop the line before they go down; a write that fails drops it too.
//
// An answer from below takes effect at its annotated time, at least one cycle after the call, and before anything that
// comes from upstream at that time. Results therefore do not depend on the order of processes within a time step.
//
// What comes back from below has the address that the interconnect there left in it; the cache keeps those it needs.
//
// Debug transport passes through and keeps present lines up to date; direct memory access is not granted, since it
// would bypass the lines. Other masters of the memory below are not seen: `invalidate` drops all lines.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <queue>
#include <vector>

#include "memory/transfer.h"
#include "model/config/config.h"
#include "model/parts/memories.h"
#include "model/protocol/memory_initiator.h"
#include "model/protocol/payload_pool.h"
#include "model/protocol/socket.h"
#include "model/stats/statistics.h"

namespace smsim::memory {

class L1Cache final : public sc_core::sc_module, public parts::DataCache {
  public:
    /// Towards the load/store unit. Every transaction of the non-blocking path has a memory manager; one without is
    /// answered with TLM_GENERIC_ERROR_RESPONSE and reported. Blocking calls first wait until all non-blocking
    /// transactions are done.
    protocol::Target<protocol::MemoryLink> socket{"socket"};

    /// `period` is the clock period. InputError when lines are not a power of two in size, when the cache holds no
    /// whole set, or when ways, latency or MSHRs are 0.
    L1Cache(const sc_core::sc_module_name &name, const L1Config &config, const sc_core::sc_time &period);
    ~L1Cache() override;

    /// Towards the memory: any base-protocol target.
    protocol::Initiator<protocol::MemoryLink> &memory_socket() { return port_.socket; }

    // parts::DataCache
    tlm::tlm_target_socket<64, protocol::MemoryLink> &from_load_store() override { return socket; }
    tlm::tlm_initiator_socket<64, protocol::MemoryLink> &to_memory() override { return port_.socket; }
    /// Drops every line and lets no fill under way install one.
    void invalidate() override;

    /// Adds hits, misses (line fills) and merges of this cache to `stats`.
    void collect(GlobalMemoryStats &stats) const override;
    /// Begins to count anew.
    void clear_statistics() override { stats_ = {}; }

  private:
    /// Marks the cache's own line fills among the transactions on the way down.
    struct FillExtension final : protocol::PooledExtension<FillExtension> {
        const L1Cache *owner = nullptr;
        std::uint32_t mshr = 0;
    };
    struct Waiter {
        Payload *payload;
        RawTime arrival;
    };
    struct Mshr {
        bool in_use = false;
        bool open = false;    ///< later misses may join, and the line will be installed
        bool in_hand = false; ///< the data came on the call: no older read can depend on memory any more
        std::uint64_t line = 0;
        Payload *fill = nullptr;
        std::vector<Waiter> waiters;
        std::vector<std::uint8_t> data;
    };
    /// A write on its way below. An interconnect there may change the address of its payload.
    struct WriteBelow {
        const Payload *payload;
        std::uint64_t address;
    };
    struct Due {
        RawTime when;
        std::uint64_t order; ///< breaks ties: order of the requests
        std::uint32_t mshr;
        friend bool operator>(const Due &a, const Due &b) {
            return a.when != b.when ? a.when > b.when : a.order > b.order;
        }
    };
    struct Response {
        RawTime when;
        std::uint64_t order;
        Payload *payload;
        friend bool operator>(const Response &a, const Response &b) {
            return a.when != b.when ? a.when > b.when : a.order > b.order;
        }
    };
    template <typename T> using Calendar = std::priority_queue<T, std::vector<T>, std::greater<>>;
    /// What became of a request.
    struct Verdict {
        enum class Kind : std::uint8_t { kHeld, kLater, kDone } kind;
        RawTime when = 0; ///< kDone
    };

    // upstream
    tlm::tlm_sync_enum forward_path(unsigned tag, Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay);
    tlm::tlm_sync_enum begin_request(Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay);
    tlm::tlm_sync_enum end_response(Payload &payload, RawTime when);
    void blocking(unsigned tag, Payload &payload, sc_core::sc_time &delay);
    void blocking_miss(Payload &payload, std::uint64_t line, sc_core::sc_time &delay);
    unsigned debug(unsigned tag, Payload &payload);
    void run();
    void send_responses(RawTime now);
    void schedule_response(Payload &payload, RawTime when);

    // meaning of a request
    Verdict handle(Payload &payload, RawTime now, RawTime arrival);
    Verdict handle_read(Payload &payload, std::uint64_t line, RawTime now, RawTime arrival);
    bool is_cacheable_read(const Payload &payload) const;
    bool overlaps_waiting_read(std::uint64_t address, std::uint64_t span) const;
    void before_change(Payload &payload);

    // downstream
    Verdict pass_down(Payload &payload, RawTime now, RawTime arrival);
    void start_fill(std::uint32_t index, std::uint64_t line, RawTime now, RawTime arrival);
    void prepare_fill(Payload &fill, std::uint64_t line, std::uint8_t *data) const;
    std::uint64_t take_write(const Payload &payload);
    void answered(Payload &payload, const sc_core::sc_time &when);
    void run_due(RawTime now);
    void complete_fill(std::uint32_t index, RawTime now);
    void retry_held(RawTime now);

    // lines
    std::uint64_t line_of(std::uint64_t address) const { return address & ~std::uint64_t{config_.line_bytes - 1}; }
    std::uint8_t *find_line(std::uint64_t line, bool touch);
    void install(std::uint64_t line, const std::uint8_t *data);
    void drop_lines(std::uint64_t address, std::uint64_t span);
    void detach_fills(std::uint64_t address, std::uint64_t span);
    bool range_touches(std::uint64_t line, std::uint64_t address, std::uint64_t span) const;
    friend struct PresentLines;

    L1Config config_;
    RawTime period_;
    RawTime latency_;
    std::uint64_t sets_;
    protocol::MemoryInitiator port_;

    struct Tag {
        std::uint64_t line = ~std::uint64_t{0}; ///< no line has an odd address
        std::uint64_t used = 0;                 ///< order of last use
    };
    std::vector<Tag> tags_;
    std::vector<std::uint8_t> lines_;
    std::uint64_t uses_ = 0;
    std::uint64_t changes_ = 0; ///< counts writes, atomics and invalidations

    protocol::PayloadPool<FillExtension> fills_;
    std::vector<Mshr> mshrs_;
    std::uint32_t mshrs_in_use_ = 0;
    Calendar<Due> due_;
    std::uint64_t order_ = 0;

    const Payload *passing_ = nullptr; ///< being passed down: an answer on the call goes to `passed_at_`
    std::optional<RawTime> passed_at_;
    std::vector<WriteBelow> writes_below_;
    std::optional<std::uint32_t> filling_; ///< MSHR whose fill is being sent

    std::optional<Waiter> held_;   ///< request without END_REQ
    std::optional<Waiter> accept_; ///< END_REQ to be sent, not before its arrival
    Calendar<Response> responses_;
    const Payload *responding_ = nullptr; ///< BEGIN_RESP sent, END_RESP not received
    RawTime response_free_at_ = 0;        ///< next BEGIN_RESP not before
    sc_core::sc_event wake_;
    GlobalMemoryStats stats_;
};

} // namespace smsim::memory
