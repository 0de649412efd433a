// IBuffer: the SystemC shell of one sub-partition's issue stage. It maps cycles to one timed method process and the
// stage's calls to transactions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <systemc>

#include "ibuffer/direct_lines.h"
#include "ibuffer/issue_stage.h"
#include "model/config/config.h"
#include "model/divisor.h"
#include "model/parts/instruction_buffer.h"
#include "model/protocol/calendar.h"
#include "model/protocol/clock.h"
#include "model/protocol/links.h"
#include "model/protocol/memory.h"
#include "model/protocol/socket.h"
#include "model/timing/jitter.h"

namespace smsim::ibuffer {

/// One sub-partition's instruction buffers, scoreboards and issue scheduler.
///
/// Warp slot w of the SM is handled here when w mod sub_partitions equals this sub-partition; inside, it is warp
/// w / sub_partitions.
class IBuffer final : public sc_core::sc_module, public parts::InstructionBuffer, private IssuePorts {
  public:
    protocol::Initiator<protocol::MemoryLink> fetch_socket{"fetch"};
    protocol::Initiator<protocol::IssueLink> issue_socket{"issue"};
    protocol::Target<protocol::WakeLink> barrier_wake{"barrier_wake"};
    protocol::Target<protocol::WakeLink> sleep_wake{"sleep_wake"};
    protocol::Target<protocol::LifecycleLink> lifecycle_in{"lifecycle_in"};
    protocol::Initiator<protocol::LifecycleLink> lifecycle_out{"lifecycle_out"};

    /// Uses the issue policy of the configuration. `config` must outlive the module.
    IBuffer(const sc_core::sc_module_name &name, const Config &config, unsigned sub_partition);
    /// Uses the given issue policy.
    IBuffer(const sc_core::sc_module_name &name, const Config &config, unsigned sub_partition,
            std::unique_ptr<IssuePolicy> policy);
    ~IBuffer() override;

    // parts::InstructionBuffer
    tlm::tlm_initiator_socket<64, protocol::MemoryLink> &to_instruction_memory() override { return fetch_socket; }
    tlm::tlm_initiator_socket<64, protocol::IssueLink> &to_datapath() override { return issue_socket; }
    tlm::tlm_target_socket<64, protocol::WakeLink> &from_barrier_unit() override { return barrier_wake; }
    tlm::tlm_target_socket<64, protocol::WakeLink> &from_branch_unit() override { return sleep_wake; }
    tlm::tlm_target_socket<64, protocol::LifecycleLink> &from_dispatch() override { return lifecycle_in; }
    tlm::tlm_initiator_socket<64, protocol::LifecycleLink> &to_dispatch() override { return lifecycle_out; }
    bool join(protocol::Calendar &calendar) override {
        alarm_.join(calendar);
        clock_.follow(calendar.local_time());
        return true;
    }
    void observe(observation::Observer *observer) override;
    parts::IssueStats stats() const override {
        return {&stage_.ended(),         stage_.pcs(),   &stage_.over_time(),  stage_.fetches_discarded(),
                stage_.no_instruction(), stage_.lanes(), stage_.dependences(), &stage_.wake_to_issue(),
                direct_.reads()};
    }
    void add_use(Cycle end, UnitUses &uses) const override { stage_.add_use(end, uses); }
    bool is_resident(WarpSlot warp) const override { return stage_.resident(local(warp)); }
    bool is_blocked(WarpSlot warp) const override { return stage_.is_blocked(local(warp)); }
    const WarpStart &start_of(WarpSlot warp) const override { return stage_.start_of(local(warp)); }
    /// The stage, for statistics and reports.
    const IssueStage &stage() const { return stage_; }
    void clear_statistics() override {
        stage_.clear_statistics(clock_.now());
        direct_.clear_reads();
    }
    void close() override;
    std::string describe(Cycle at) const override;
    Cycle changes_until() const override { return stage_.changes_until(); }

  private:
    // IssuePorts
    Fetched fetch(unsigned warp, Pc pc) override;
    Issued issue(unsigned warp, const isa::Instruction &insn, LaneMask active, std::uint64_t sequence) override;
    void exited(unsigned warp) override;
    void ended(unsigned warp, bool stores_left) override;
    void performed(const WarpStart &start, Cycle at) override;
    void ran_past_end(unsigned warp, Pc pc, LaneMask active) override;

    // sockets
    tlm::tlm_sync_enum on_fetch_response(unsigned tag, tlm::tlm_generic_payload &payload, tlm::tlm_phase &phase,
                                         sc_core::sc_time &delay);
    tlm::tlm_sync_enum on_issue_response(unsigned tag, protocol::IssuePayload &payload, tlm::tlm_phase &phase,
                                         sc_core::sc_time &delay);
    tlm::tlm_sync_enum on_wake(unsigned tag, protocol::WakePayload &payload, tlm::tlm_phase &phase,
                               sc_core::sc_time &delay);
    tlm::tlm_sync_enum on_lifecycle(unsigned tag, protocol::LifecyclePayload &payload, tlm::tlm_phase &phase,
                                    sc_core::sc_time &delay);

    void cycle();
    void call_at(Cycle at);
    WarpSlot slot(unsigned warp) const { return WarpSlot(warp * config_.sm.sub_partitions + sub_partition_); }
    unsigned local(WarpSlot slot) const { return static_cast<unsigned>(sub_partitions_.quotient(slot.value())); }
    const isa::Instruction *fetched_instruction(tlm::tlm_generic_payload &payload);
    Fetched fetch_by_transaction(unsigned warp, Pc pc, std::uint64_t address);
    void ask_for_line(std::uint64_t address);
    void on_invalidate(sc_dt::uint64 first, sc_dt::uint64 last) { direct_.revoke(first, last); }
    Cycle fetched_at(Cycle there, std::uint64_t ticket, unsigned warp) const {
        return there + config_.ibuffer.decode_latency + jitter_(ticket, slot(warp).value());
    }
    inline void on_placed(unsigned warp, Cycle at);
    [[gnu::always_inline]] inline void on_answer(const protocol::IssueExtension &ext, bool ok, Cycle at);
    void tell_dispatch(protocol::LifecyclePayload &payload, Cycle ahead = 0);
    void tell_warp(unsigned warp, protocol::LifecycleExtension::Kind kind, bool stores_left = false);
    void report_fault(const WarpStart &start, const protocol::RaisedAt &at, FaultReport fault);
    static protocol::RaisedAt raised_at(std::uint64_t issued, const protocol::IssueExtension &ext);

    struct FetchBuffer;

    const Config &config_;
    Divisor sub_partitions_; ///< their number
    unsigned sub_partition_;
    protocol::Clock clock_;
    timing::Jitter jitter_; ///< of fetches
    IssueStage stage_;
    bool asks_cache_; ///< what the L1 had of each load is to be reported to the stage
    observation::Observer *observer_ = nullptr;
    protocol::Alarm alarm_;
    bool stepping_ = false;
    Cycle step_ = 0; ///< cycle of the present step

    protocol::PayloadPool<protocol::IssueExtension> issue_pool_;
    protocol::PayloadPool<protocol::LifecycleExtension> lifecycle_pool_;
    std::unique_ptr<FetchBuffer> fetches_;
    DirectLines direct_;
    bool direct_refused_ = false;
    std::uint64_t next_ticket_ = 1; ///< of a fetch
};

} // namespace smsim::ibuffer
