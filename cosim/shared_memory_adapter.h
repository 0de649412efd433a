// Shared memory made of RTL: the base-protocol socket of the part on one side, the pins of docs/pins.md on the other.
//
// Transactions of one warp access (AccessGroupExtension) that arrive in the same cycle become one request to the
// block; each is answered when the last of its slots is complete.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <systemc>
#include <tlm>

#include "cosim/block.h"
#include "cosim/channel_rules.h"
#include "cosim/channels.h"
#include "cosim/edge_clock.h"
#include "cosim/handshakes.h"
#include "cosim/pin.h"
#include "cosim/recent_transactions.h"
#include "cosim/shared_memory_reference.h"
#include "memory/bank_conflicts.h"
#include "memory/four_phase_target.h"
#include "model/config/sections/shared.h"
#include "model/parts/memories.h"
#include "model/protocol/memory.h"
#include "model/stats/statistics.h"

namespace smsim {
struct Config;
}

namespace smsim::cosim {

/// The pins of a shared memory (docs/pins.md "Shared memory").
struct SharedMemoryPins {
    static constexpr unsigned kSlots = 32; ///< of a request

    /// InputError when a pin is missing or has another width.
    explicit SharedMemoryPins(const Block &block);

    Pin rst;
    Pin cfg_latency;
    Pin cfg_atomic_latency;
    Pin req_valid;
    Pin req_ready;
    Pin req_kind;
    Pin req_tag;
    Pin req_slots;
    Pin req_address;
    Pin req_enable;
    Pin req_data;
    Pin req_op;
    Pin req_type;
    struct Response {
        Pin valid;
        Pin ready;
        Pin tag;
        Pin slots;
        Pin last;
        Pin data;
    };
    Response plain;
    Response atomic;
    Pin busy;
    Pin dbg_address;
    Pin dbg_data;
};

class SharedMemoryAdapter final : public sc_core::sc_module, public parts::SharedMemory {
  public:
    SC_HAS_PROCESS(SharedMemoryAdapter);

    /// `block` must have the pins of a shared memory and hold `config.shared.bytes` bytes. InputError when a pin is
    /// missing, when there are not 32 banks of 4 bytes, and for latencies above 65535.
    ///
    /// In lockstep, a plain memory begins with the same bytes and gets the same accesses. The first result or content
    /// that differs is reported to the findings of `watch`, and its transaction is answered with
    /// TLM_GENERIC_ERROR_RESPONSE.
    SharedMemoryAdapter(const sc_core::sc_module_name &name, const Config &config, std::unique_ptr<Block> block,
                        const Watch &watch = {}, Handshakes handshakes = {});

    // parts::SharedMemory
    tlm::tlm_target_socket<64, protocol::MemoryLink> &from_load_store() override { return target_.socket; }
    SharedMemoryStats stats() const override { return stats_; }
    void clear_statistics() override { stats_ = {}; }

  private:
    using Payload = tlm::tlm_generic_payload;
    enum class Kind : std::uint8_t { kRead, kWrite, kAtomic };

    /// A transaction that the block performs.
    struct Transaction {
        Payload *payload;
        unsigned slots_left = 0;
        std::uint64_t rank = 0;
        sc_core::sc_event *done = nullptr; ///< a blocking call waits for it
        bool failed = false;               ///< in lockstep: a slot has returned another result
    };
    struct Slot {
        Transaction *transaction; ///< null: already answered
        std::uint32_t address = 0;
        std::uint32_t enable = 0;
        std::array<unsigned char, 16> data{};
        std::array<unsigned char, 16> expected{}; ///< in lockstep: the result
    };
    /// A request to the block.
    struct Access {
        Cycle arrival = 0;
        Kind kind = Kind::kRead;
        bool grouped = false;
        std::uint64_t group = 0;
        unsigned op = 0;
        unsigned type = 0;
        std::vector<Slot> slots;
        std::uint64_t open = 0; ///< slots without an answer, a bit each
        Cycle started = 0;
        std::uint32_t passes = 0;
        std::uint32_t conflicts = 0; ///< of these passes
        Cycle due = 0;               ///< cycle in which the model has answered all of it
    };

    /// What the last write or atomic has written; compared when its passes have ended.
    struct Written {
        std::uint16_t tag;
        Cycle started;
        const char *name;
        std::vector<std::uint32_t> rows; ///< aligned addresses
    };

    memory::FourPhaseTarget::Answer request(unsigned tag, Payload &payload, memory::RawTime arrival);
    void respond() { target_.run(); }
    void blocking(unsigned tag, Payload &payload, sc_core::sc_time &delay);
    unsigned debug(unsigned tag, Payload &payload);
    tlm::tlm_response_status check(Payload &payload) const;
    void enqueue(Payload &payload, Cycle arrival, sc_core::sc_event *done);
    Access &access_for(const Payload &payload, Cycle arrival, Kind kind, unsigned op, unsigned type);
    void cut(Transaction &transaction, Cycle arrival, Kind kind);
    void cycle();
    void drive(const Access &access);
    void take(const SharedMemoryPins::Response &pins, unsigned number, Cycle next);
    void complete(Access &access, const SharedMemoryPins::Response &pins, Cycle next);
    void perform(Access &access);
    void schedule(Access &access);
    void remember(const Access &access);
    void compare_contents(Cycle now);
    void look_for_missing(Cycle now, Cycle due);
    bool differs(const Access &access, const Slot &slot, const unsigned char *there, Cycle next);
    static const char *name_of(const Access &access);
    static std::string text_of(const Access &access);
    const unsigned char *row_at(std::uint32_t address) const;
    void finish(Transaction &transaction, Cycle next);
    void call_for(Cycle cycle);

    SharedMemoryConfig config_;
    EdgeClock clock_;
    memory::RawTime period_;
    std::unique_ptr<Block> block_;
    ChannelRules rules_;
    Patience patience_;
    SharedMemoryPins pins_;
    Handshakes handshakes_;
    std::unique_ptr<SharedMemoryReference> reference_; ///< in lockstep
    std::unique_ptr<RecentTransactions> recent_;       ///< if `watch` has findings
    memory::BankConflicts conflicts_;                  ///< passes of the access that is taken
    Cycle free_at_ = 0;                                ///< the model's banks are free from then on
    std::optional<Written> written_;                   ///< in lockstep: not compared yet
    protocol::Alarm wake_;
    memory::FourPhaseTarget target_;
    std::deque<Access> waiting_;
    bool driven_ = false;          ///< the first of them is on the pins
    std::uint16_t driven_tag_ = 0; ///< with this tag
    std::vector<Access> flights_;  ///< by tag
    std::vector<std::uint16_t> free_tags_;
    std::vector<std::unique_ptr<Transaction>> transactions_;
    std::vector<Transaction *> free_transactions_;
    std::uint64_t next_rank_ = 0;
    SharedMemoryStats stats_;
    Cycle called_for_ = kNever;
    sc_core::sc_event event_;
};

} // namespace smsim::cosim
