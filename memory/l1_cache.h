// L1 data cache between the load/store unit and global memory: base-protocol target upstream, initiator downstream.
// Which lines are there, who waits for which fill, and what a change does to both is plain C++ (memory/l1/); here is
// what a request becomes in the protocol, and when.
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
// ones in that order. With that, each read sees all earlier writes of this initiator and no later one
// (l1/line_order.h); a write or IGNORE command that has to wait for an older read is held like a miss without MSHR.
//
// A write that the memory refuses is a fault of whoever wrote. Present lines have taken its bytes as it went down; they
// are dropped when the refusal takes effect, so that whoever has heard of it reads what the memory holds.
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
#include <functional>
#include <optional>
#include <queue>
#include <vector>

#include "memory/four_phase_target.h"
#include "memory/l1/line_order.h"
#include "memory/l1/lines.h"
#include "memory/l1/mshrs.h"
#include "memory/transfer.h"
#include "model/config/config.h"
#include "model/parts/memories.h"
#include "model/protocol/memory_initiator.h"
#include "model/protocol/payload_pool.h"
#include "model/protocol/socket.h"
#include "model/stats/statistics.h"

namespace smsim::memory {

class L1Cache final : public sc_core::sc_module, public parts::DataCache {
  private:
    sc_core::sc_event wake_;
    FourPhaseTarget target_;

  public:
    /// Towards the load/store unit. Blocking calls first wait until no request of this cache is under way below.
    protocol::Target<protocol::MemoryLink> &socket = target_.socket;

    /// `period` is the clock period. `front`: cycles of `config.latency` that pass before a request comes here.
    /// InputError when lines are not a power of two in size, when the cache holds no whole set, or when ways, latency
    /// or MSHRs are 0.
    L1Cache(const sc_core::sc_module_name &name, const L1Config &config, const sc_core::sc_time &period,
            std::uint32_t front = 0);
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
        l1::Mshrs<Payload>::Index mshr = 0;
    };
    struct Due {
        RawTime when;
        std::uint64_t order; ///< breaks ties: order of the requests
        std::uint32_t mshr;
        friend bool operator>(const Due &a, const Due &b) {
            return a.when != b.when ? a.when > b.when : a.order > b.order;
        }
    };
    /// A write that was refused, and when that takes effect.
    struct Refused {
        RawTime when;
        std::uint64_t address;
        std::uint64_t span;
    };
    using Answer = FourPhaseTarget::Answer;
    using Mshrs = l1::Mshrs<Payload>;

    // upstream
    Answer request(unsigned tag, Payload &payload, RawTime arrival);
    void blocking(unsigned tag, Payload &payload, sc_core::sc_time &delay);
    void blocking_miss(Payload &payload, std::uint64_t line, sc_core::sc_time &delay);
    unsigned debug(unsigned tag, Payload &payload);
    void run();

    // meaning of a request
    Answer handle(Payload &payload, RawTime now, RawTime arrival);
    Answer handle_read(Payload &payload, std::uint64_t line, RawTime now, RawTime arrival);
    bool read_present(Payload &payload, std::uint64_t line);
    bool is_cacheable_read(const Payload &payload) const;
    void change_lines(Payload &payload);

    // downstream
    Answer pass_down(Payload &payload, RawTime now, RawTime arrival);
    void start_fill(Mshrs::Index index, std::uint64_t line, RawTime now, RawTime arrival);
    void prepare_fill(Payload &fill, std::uint64_t line, std::uint8_t *data) const;
    void answered(Payload &payload, const sc_core::sc_time &when);
    void write_answered(Payload &payload, RawTime effect);
    void run_due(RawTime now);
    void drop_refused(RawTime now);
    void complete_fill(Mshrs::Index index, RawTime now);
    void retry_held(RawTime now);

    l1::LineSize size_;
    RawTime period_;
    RawTime latency_;
    protocol::MemoryInitiator port_;

    l1::Lines lines_;
    Mshrs mshrs_;
    l1::LineOrder<Payload> line_order_{lines_, mshrs_};

    protocol::PayloadPool<FillExtension> pool_;
    std::vector<Payload *> fills_; ///< by MSHR
    std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
    std::uint64_t order_ = 0;      ///< of what is due at one time
    std::vector<Refused> refused_; ///< those whose lines are still to be dropped

    const Payload *passing_ = nullptr; ///< being passed down: an answer on the call goes to `passed_at_`
    std::optional<RawTime> passed_at_;
    std::optional<Mshrs::Index> filling_; ///< MSHR whose fill is being sent

    GlobalMemoryStats stats_;
};

} // namespace smsim::memory
