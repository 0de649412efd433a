// Load/store unit of the SM: takes memory instructions from the sub-partitions' queues, turns them into base-protocol
// transactions on shared and global memory, and returns data and completion.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <vector>

#include <systemc>

#include "model/config/config.h"
#include "model/error.h"
#include "model/observation/observer.h"
#include "model/protocol/clock.h"
#include "model/protocol/links.h"
#include "model/protocol/memory.h"
#include "model/protocol/memory_initiator.h"
#include "model/protocol/socket.h"
#include "model/stats/statistics.h"
#include "model/timing/jitter.h"
#include "sm/load_store/coalescer.h"
#include "sm/load_store/global_bounds.h"
#include "sm/parts.h"

namespace smsim::sm {

/// One queue of `lsu.queue_depth` instructions per sub-partition; every `lsu.issue_interval` cycles one of them is
/// served, in rotating order. A full queue withholds END_REQ. While `lsu.max_outstanding` global transactions are under
/// way, no further access to global or local memory is started; those of shared memory pass it only in other queues.
/// Alignment, the CTA's shared window, the thread's local window and, by the `GlobalBounds`, global addresses are
/// checked on the call of the request, which is then completed with the fault and has changed nothing; without a
/// `GlobalBounds` the memory itself judges each transaction. Accesses take their places in the order of memory as they
/// are served. When an instruction has its place before it is answered, PLACED says so; an atomic has it with its
/// answer.
///
/// Atomics on global memory go as `global.atomics` says. `native`: one transaction for each thread, which the memory
/// performs; one that answers without having performed it raises MemoryError. `read_write`: a read and a write for each
/// thread, one atomic instruction at a time, so that no other atomic of this unit comes between them; nothing but reads
/// and writes reaches the memory. Such reads pass an L1 by.
///
/// The accesses of a warp to global memory that lie in one row become one transaction: rows of 128 bytes, or of an L1's
/// line where that is smaller, because a request that crosses lines would pass the cache by.
class LoadStoreUnit final : public sc_core::sc_module, public parts::LoadStoreUnit {
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
    void check_bounds(GlobalBounds *check) override { check_ = check; }
    void observe(observation::Observer *observer) override { observer_ = observer; }
    const LoadStoreStats &stats() const override { return stats_; }
    void clear_statistics() override { stats_ = {}; }

  private:
    struct TransactionContext;
    /// What a transaction is for.
    enum class Role : std::uint8_t { kAccess, kRow, kAtomic, kModifyRead, kModifyWrite };
    /// An instruction whose transactions are on their way.
    struct Access {
        tlm::tlm_generic_payload *payload = nullptr;
        unsigned tag = 0;
        std::uint64_t number = 0; ///< among those of its sub-partition, for the observer
        unsigned pending = 0;     ///< transactions without an answer
        bool is_global = false;
        bool bypass_l1 = false;
        bool failed = false;
        unsigned failed_lane = 0; ///< lowest thread of the transaction that failed
        std::uint64_t group = 0;
        sc_core::sc_time done; ///< absolute time of the last answer
        std::vector<Piece> pieces;
        bool modifies = false;       ///< an atomic made of reads and writes of the pieces
        std::size_t modify_next = 0; ///< the piece that is read or written
        std::uint64_t new_value = 0; ///< what is written to it
    };
    struct Queued {
        tlm::tlm_generic_payload *payload;
        Cycle arrival;
        AddressSpan span;     ///< of the threads' addresses, where bounds or one transaction for all may need it
        bool outside = false; ///< threads leave the regions of global memory, which is tolerated and noted
    };
    /// Accesses of one sub-partition so far, for the observer.
    struct Numbers {
        std::uint64_t queued = 0;
        std::uint64_t started = 0;
    };

    tlm::tlm_sync_enum on_request(unsigned tag, tlm::tlm_generic_payload &payload, tlm::tlm_phase &phase,
                                  sc_core::sc_time &delay);
    void on_done(tlm::tlm_generic_payload &payload, const sc_core::sc_time &when);
    void cycle();
    /// Starts an instruction; returns the cycles for which it occupies the unit.
    Cycle serve(unsigned tag, const Queued &queued);
    /// What the check says against an access to global memory; sets `outside` of `queued`.
    std::optional<FaultReport> bounds_fault(const protocol::LoadStoreExtension &ext, Queued &queued) const;
    /// Tells the check of threads outside the regions.
    void note_outside(const protocol::LoadStoreExtension &ext);
    static void make_pieces(const protocol::LoadStoreExtension &ext, std::vector<Piece> &pieces);
    protocol::MemoryInitiator &port(const Access &access) { return access.is_global ? global : shared; }
    tlm::tlm_generic_payload &new_transaction(Access &access, Role role, std::uint64_t address, std::uint32_t bytes);
    void send(Access &access, Transaction &transaction, bool write);
    /// The common case: one transaction for the whole access, without a list of pieces. False: not such an access.
    bool send_row(Access &access, protocol::LoadStoreExtension &ext, const AddressSpan &span);
    static void scatter_row(protocol::LoadStoreExtension &ext, const TransactionContext &context);
    void send_atomic(Access &access, unsigned index);
    void send_modify(Access &access, Role role);
    void start_modify();
    void answer_atomic(Access &access, const TransactionContext &context);
    static void scatter(protocol::LoadStoreExtension &ext, const TransactionContext &context);
    static void store_old_value(protocol::LoadStoreExtension &ext, const TransactionContext &context);
    /// Keeps, of several errors, that of the lowest thread, in whatever order they come.
    static void note_error(Access &access, unsigned lane, std::uint64_t address, std::uint32_t bytes, Fault fault,
                           const std::string &answer);
    bool waits_for_room(const Queued &queued) const;
    void tell_started(const Access &access, const protocol::LoadStoreExtension &ext, std::size_t transactions);
    void finish(Access &access);
    void complete(Access &access);
    void respond(unsigned tag, tlm::tlm_generic_payload &payload, sc_core::sc_time delay);
    Access &acquire_access();

    const Config &config_;
    protocol::Clock clock_;
    const std::uint32_t global_row_bytes_;
    GlobalBounds *check_ = nullptr;
    timing::Jitter jitter_;
    std::unique_ptr<protocol::PayloadPool<TransactionContext>> pool_;
    std::vector<std::deque<Queued>> queues_;
    std::vector<tlm::tlm_generic_payload *> owed_end_req_;
    sc_core::sc_event event_;
    Cycle next_serve_ = 0;
    unsigned rotate_ = 0;
    std::size_t global_unanswered_ = 0; ///< global transactions without an answer
    /// Cycles from which global transactions that have been answered are no longer under way.
    std::priority_queue<Cycle, std::vector<Cycle>, std::greater<>> global_ends_;
    bool room_wanted_ = false; ///< a queue waits for the end of a global transaction
    std::uint64_t next_group_ = 1;
    std::deque<Access> accesses_;
    std::vector<Access *> free_accesses_;
    std::deque<Access *> modify_queue_; ///< one at a time, so that a read-modify-write is not torn by another atomic
    sc_core::sc_time modify_end_;       ///< when the last of them was done
    std::vector<Transaction> transactions_;
    LoadStoreStats stats_;
    std::vector<Numbers> numbers_; ///< by sub-partition
    observation::Observer *observer_ = nullptr;
};

} // namespace smsim::sm
