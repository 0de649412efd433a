// Load/store unit of the SM: takes memory instructions from the sub-partitions' queues, turns them into base-protocol
// transactions on shared and global memory, and returns data and completion. This module handles sockets, payloads and
// time; the choice of the next instruction (service_queues.h) and the effect of an access (transfer.h) are plain C++.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <vector>

#include <systemc>

#include "model/divisor.h"
#include "model/observation/observer.h"
#include "model/protocol/calendar.h"
#include "model/protocol/clock.h"
#include "model/protocol/links.h"
#include "model/protocol/memory.h"
#include "model/protocol/memory_initiator.h"
#include "model/protocol/socket.h"
#include "model/stats/statistics.h"
#include "model/timing/jitter.h"
#include "sm/load_store/access_timing.h"
#include "sm/load_store/constant_loads.h"
#include "sm/load_store/global_transfer.h"
#include "sm/load_store/local_transfer.h"
#include "sm/load_store/service_queues.h"
#include "sm/load_store/shared_transfer.h"
#include "sm/load_store/transaction_limit.h"
#include "sm/parts.h"

namespace smsim {
struct Config;
}

namespace smsim::sm {

/// Takes loads, stores and atomics, and instructions that only pass through the queues for their timing (LDC, SHFL,
/// MOVM).
///
/// One queue of `lsu.queue_depth` instructions per sub-partition, served by `lsu.units`; each of these serves one of
/// them every `lsu.issue_interval` cycles, in rotating order, and one queue is served at most every
/// `lsu.queue_interval` cycles. An access leaves its queue `lsu.queue_latency` cycles after its issue at the earliest.
/// It is served `lsu.queue_latency` - 1 cycles before it leaves: everything that follows is annotated, so that the
/// order of accesses is known early and the times are exact. A load with a uniform address reaches its memory up to
/// `lsu.uniform_shared_saving` or `uniform_global_saving` cycles earlier, but not before the access that was served
/// before it: accesses reach their memories in order. A full queue withholds END_REQ; an entry is free in the cycle
/// after its instruction has left. An access that waits for a bank of shared memory delays those after it in its queue.
/// While `lsu.max_outstanding` global transactions are under way, no further access to global or local memory is
/// started; accesses to shared memory can overtake it only in other queues. Alignment, the CTA's shared window, the
/// thread's local window and, by the `GlobalBounds`, global addresses are checked on the call of the request, which is
/// then completed with the fault and without any change; without a `GlobalBounds` the memory itself judges each
/// transaction. Accesses take their places in the order of memory as they are served. PLACED reports that an
/// instruction has its place before it is answered; an atomic made of reads and writes gets it with its answer.
///
/// The transfer of its space decides what an access does. Atomics on global memory that are made of reads and writes
/// (`global.atomics: read_write`) run one instruction at a time, so that no other atomic of this unit can intervene;
/// until one has its last answer, nothing else leaves its queue, because it would reach the memory before the write.
class LoadStoreUnit final : public sc_core::sc_module, public parts::LoadStoreUnit {
  private:
    protocol::Alarm alarm_;

  public:
    std::vector<std::unique_ptr<protocol::Target<protocol::LoadStoreLink>>> datapaths;
    /// Memory sides; bind their `socket` to any base-protocol target.
    protocol::MemoryInitiator shared;
    protocol::MemoryInitiator global;

    LoadStoreUnit(const sc_core::sc_module_name &name, const Config &config);
    ~LoadStoreUnit() override;

    // parts::LoadStoreUnit
    tlm::tlm_target_socket<64, protocol::LoadStoreLink> &from_datapath(unsigned index) override {
        return *datapaths[index];
    }
    tlm::tlm_initiator_socket<64, protocol::MemoryLink> &to_shared() override { return shared.socket; }
    tlm::tlm_initiator_socket<64, protocol::MemoryLink> &to_global() override { return global.socket; }
    bool join(protocol::Calendar &calendar) override {
        alarm_.join(calendar);
        clock_.follow(calendar.local_time());
        shared.follow(calendar.local_time());
        global.follow(calendar.local_time());
        return true;
    }
    std::optional<parts::UnansweredRequest> unanswered() const override;
    std::optional<parts::WaitingAccess> waits_for(std::uint64_t address, std::uint32_t bytes) const override;
    void check_bounds(GlobalBounds *check) override { global_space_.check_bounds(check); }
    void observe(observation::Observer *observer) override { observer_ = observer; }
    const LoadStoreStats &stats() const override { return stats_; }
    void add_use(Cycle end, UnitUses &uses) const override;
    void clear_statistics() override;

  private:
    struct ChunkContext;
    /// An instruction whose chunks are under way.
    class Access final : public ChunkSink {
      public:
        explicit Access(LoadStoreUnit &owner) : unit(owner) {}
        Chunk &next() override;
        std::size_t send(Chunk &chunk, std::span<MemoryRow> following) override;

        LoadStoreUnit &unit;
        protocol::LoadStorePayload *payload = nullptr;
        Transfer *transfer = nullptr;
        TransferState state;
        CacheAnswer *found = nullptr; ///< where the initiator wants to know what the L1 had
        unsigned tag = 0;
        std::uint64_t number = 0; ///< among those of its sub-partition, for the observer
        unsigned pending = 0;     ///< chunks not answered yet
        std::uint64_t group = 0;
        sc_core::sc_time front; ///< from the service of the access until its chunks reach their memory
        sc_core::sc_time done;  ///< absolute time of the last answer
        sc_core::sc_time first; ///< and of the first answer
        Cycle begins = 0;       ///< when shared memory began to serve it, if it reports that
        const AccessTiming::Figures *figures = nullptr;
        Cycle issued = 0;
        std::size_t place = 0;       ///< of its instruction in `by_pc`
        std::uint64_t sectors = 0;   ///< of global memory that its transactions touch
        unsigned misses = 0;         ///< transactions not answered by a cache
        unsigned transactions = 0;   ///< chunks, and rows performed with one
        std::uint32_t passes = 0;    ///< of the banks of shared memory, if it reports them
        std::uint32_t conflicts = 0; ///< of these passes, if any

      private:
        void count_sectors(std::uint64_t touched);
        void add_performed(std::span<const MemoryRow> rows);
        void add_shared(std::span<const MemoryRow> rows);
    };
    struct Queued {
        protocol::LoadStorePayload *payload = nullptr;
        Transfer *transfer = nullptr; ///< null: no memory access
        Transfer::Checked checked;
    };
    /// Accesses of one sub-partition so far, for the observer.
    struct Numbers {
        std::uint64_t queued = 0;
        std::uint64_t started = 0;
    };

    tlm::tlm_sync_enum on_request(unsigned tag, protocol::LoadStorePayload &payload, tlm::tlm_phase &phase,
                                  sc_core::sc_time &delay);
    /// Puts what has been built in its place into the queue.
    tlm::tlm_sync_enum enqueue(unsigned tag, protocol::LoadStorePayload &payload, ServiceQueues<Queued>::Needs needs,
                               tlm::tlm_phase &phase, sc_core::sc_time &delay);
    void on_done(tlm::tlm_generic_payload &payload, const sc_core::sc_time &when);
    void cycle();
    /// What an instruction takes of its unit, in cycles: the whole, and the tag stage.
    struct Service {
        Cycle busy = 0;
        Cycle lines = 0;
    };
    /// Starts an instruction.
    Service serve(unsigned tag, const Queued &queued, Cycle arrival);
    /// The same for an instruction without memory access: its place in the queue decides its timing.
    Cycle pass(unsigned tag, protocol::LoadStorePayload &payload);
    /// Reports when the sources of an instruction that is served now have been read.
    void tell_sources(unsigned tag, protocol::LoadStorePayload &payload, Cycle after_issue);
    Transfer &transfer_of(const isa::Instruction &insn);
    void begin_alone();
    void tell_started(const Access &access, std::size_t transactions);
    void finish(Access &access);
    void complete(Access &access);
    [[gnu::always_inline]] inline void count(const Access &access, Cycle end);
    void count_swaps(const MemoryRequest &request);
    void respond(unsigned tag, protocol::LoadStorePayload &payload, sc_core::sc_time delay);
    [[gnu::always_inline]] inline Access &acquire_access(const AccessTiming::Figures &figures);
    void want_room(Cycle now);
    [[gnu::always_inline]] static inline Cycle return_cycles(const Access &access);
    /// Cycles that conflicts in the data of an L1 add to an access: each wavefront takes the data path of the
    /// sub-partition as a pass of shared memory does.
    Cycle conflict_cycles(const Wavefronts &wavefronts) const {
        return Cycle{wavefronts.data - wavefronts.ideal} * pass_interval_;
    }
    std::uint64_t sectors_of(std::uint64_t address, std::uint32_t bytes) const;

    const Config &config_;
    protocol::Clock clock_;
    AccessTiming timing_;
    ConstantLoads constants_;
    Cycle last_arrival_ = 0; ///< of an access, at its memory
    timing::Jitter jitter_;
    SharedTransfer shared_space_;
    GlobalTransfer global_space_;
    LocalTransfer local_space_;
    ServiceQueues<Queued> queues_;
    std::vector<protocol::LoadStorePayload *> owed_end_req_; ///< by sub-partition
    Divisor sector_;                                         ///< bytes
    Divisor lines_per_cycle_;
    Cycle pass_interval_;      ///< of the data path of a sub-partition
    bool fetched_takes_array_; ///< there is an L1 whose data array takes time
    Cycle array_free_ = 0;     ///< of loads with conflicts whose data the L1 had to fetch
    TransactionLimit limit_;
    bool room_wanted_ = false; ///< a queue waits for the end of a global transaction
    std::unique_ptr<protocol::PayloadPool<ChunkContext>> pool_;
    std::uint64_t next_group_ = 1;
    std::deque<Access> accesses_;
    std::vector<Access *> free_accesses_;
    std::deque<Access *> alone_; ///< one at a time, so that no other atomic intervenes in a read-modify-write
    sc_core::sc_time alone_end_; ///< when the last of them was done
    LoadStoreStats stats_;
    std::vector<TakenTime> unit_use_; ///< by unit
    std::vector<TakenTime> tag_use_;
    std::vector<TakenTime> address_use_; ///< by sub-partition
    std::vector<Numbers> numbers_;       ///< by sub-partition
    observation::Observer *observer_ = nullptr;
};

} // namespace smsim::sm
