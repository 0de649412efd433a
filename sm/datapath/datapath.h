// Datapath of one sub-partition: register files, execution pipes, and the transfer of operands and results between
// registers and units.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <systemc>

#include "model/config/clock_rate.h"
#include "model/divisor.h"
#include "model/protocol/clock.h"
#include "model/protocol/links.h"
#include "model/protocol/socket.h"
#include "model/state/launch_context.h"
#include "model/stats/statistics.h"
#include "model/timing/jitter.h"
#include "model/timing/pipes.h"
#include "sm/datapath/compute/execute.h"
#include "sm/datapath/compute/registers.h"
#include "sm/datapath/hazard_checker.h"
#include "sm/execution_observer.h"
#include "sm/parts.h"

namespace smsim {
struct Config;
}

namespace smsim::bcu {
struct Operation; // bcu/barrier.h
}

namespace smsim::sm {

/// Takes issued instructions from the IBuffer. Compute instructions are executed here, on the call, with the latency
/// and initiation interval of their pipe; control, barrier and memory instructions get their operands here and are
/// passed to BRU, BCU and load/store unit, whose answers are written back here and passed to the IBuffer. LDC, SHFL and
/// MOVM are executed here and pass through the queue of the load/store unit for their timing. Where the
/// sub-partitions share an execution pipe (`pipes.fp64_per_sm`), its instructions are also executed here and sent there
/// for their timing.
///
/// Values are read and written at issue (memory results at their answer); the control fields decide when a consumer may
/// use them, and the hazard checker verifies that (`sm.hazard_check`).
class Datapath final : public sc_core::sc_module, public parts::Datapath {
  public:
    protocol::Target<protocol::IssueLink> issue_socket{"issue"};
    protocol::Initiator<protocol::BranchLink> branch_socket{"branch"};
    protocol::Initiator<protocol::BarrierLink> barrier_socket{"barrier"};
    protocol::Initiator<protocol::LoadStoreLink> load_store_socket{"load_store"};
    /// By unit: the way to an execution pipe that the sub-partitions share; null: there is none.
    std::array<std::unique_ptr<protocol::Initiator<protocol::IssueLink>>, isa::kUnits> shared_pipes;
    protocol::Target<protocol::LifecycleLink> lifecycle{"lifecycle"};

    /// `config` must outlive the module. Warps that start here have a `WarpStart::launch`.
    Datapath(const sc_core::sc_module_name &name, const Config &config);

    // parts::Datapath
    tlm::tlm_target_socket<64, protocol::IssueLink> &from_ibuffer() override { return issue_socket; }
    tlm::tlm_initiator_socket<64, protocol::BranchLink> &to_branch_unit() override { return branch_socket; }
    tlm::tlm_initiator_socket<64, protocol::BarrierLink> &to_barrier_unit() override { return barrier_socket; }
    tlm::tlm_initiator_socket<64, protocol::LoadStoreLink> &to_load_store() override { return load_store_socket; }
    tlm::tlm_initiator_socket<64, protocol::IssueLink> &to_shared_pipe(isa::Unit unit) override {
        return *shared_pipes[static_cast<std::size_t>(unit)];
    }
    tlm::tlm_target_socket<64, protocol::LifecycleLink> &from_dispatch() override { return lifecycle; }
    bool join(protocol::Calendar &calendar) override {
        clock_.follow(calendar.local_time());
        return true;
    }
    void observe(ExecutionObserver *observer) override { observer_ = observer; }
    const DatapathStats &stats() const override { return stats_; }
    void clear_statistics() override;
    const compute::WarpRegisters &registers(WarpSlot warp) const override {
        return warps_[sub_partitions_.quotient(warp.value())].registers;
    }
    std::vector<Hazard> hazards() const override { return checker_ ? checker_->hazards() : std::vector<Hazard>{}; }

  private:
    struct Warp {
        compute::WarpRegisters registers{0};
        compute::WarpIdentity identity;
        WarpStart start;
        std::optional<ArrivalRefusal> refuses_arrivals; ///< the last one reported by the branch unit
        unsigned accesses = 0;                          ///< not answered by the load/store unit yet
    };

    tlm::tlm_sync_enum on_issue(unsigned tag, protocol::IssuePayload &payload, tlm::tlm_phase &phase,
                                sc_core::sc_time &delay);
    tlm::tlm_sync_enum on_branch_response(unsigned tag, protocol::BranchPayload &payload, tlm::tlm_phase &phase,
                                          sc_core::sc_time &delay);
    tlm::tlm_sync_enum on_barrier_response(unsigned tag, protocol::BarrierPayload &payload, tlm::tlm_phase &phase,
                                           sc_core::sc_time &delay);
    tlm::tlm_sync_enum on_load_store_response(unsigned tag, protocol::LoadStorePayload &payload, tlm::tlm_phase &phase,
                                              sc_core::sc_time &delay);
    tlm::tlm_sync_enum on_shared_pipe_response(unsigned tag, protocol::IssuePayload &payload, tlm::tlm_phase &phase,
                                               sc_core::sc_time &delay);
    tlm::tlm_sync_enum on_lifecycle(unsigned tag, protocol::LifecyclePayload &payload, tlm::tlm_phase &phase,
                                    sc_core::sc_time &delay);

    /// False, with the payload refused, when the instruction raises an exception.
    bool execute(Warp &warp, protocol::IssueExtension &ext, const isa::OpSpec &spec, protocol::IssuePayload &payload);
    tlm::tlm_sync_enum compute(Warp &warp, protocol::IssueExtension &ext, protocol::IssuePayload &payload,
                               sc_core::sc_time &delay);
    tlm::tlm_sync_enum branch(Warp &warp, protocol::IssueExtension &ext, protocol::IssuePayload &payload,
                              tlm::tlm_phase &phase, sc_core::sc_time &delay);
    tlm::tlm_sync_enum barrier(Warp &warp, protocol::IssueExtension &ext, protocol::IssuePayload &payload,
                               tlm::tlm_phase &phase, sc_core::sc_time &delay);
    tlm::tlm_sync_enum load_store(Warp &warp, protocol::IssueExtension &ext, protocol::IssuePayload &payload,
                                  tlm::tlm_phase &phase, sc_core::sc_time &delay);
    /// Sends an executed instruction through the queue of the load/store unit for its timing.
    tlm::tlm_sync_enum pass_queue(Warp &warp, protocol::IssueExtension &ext, protocol::IssuePayload &payload,
                                  tlm::tlm_phase &phase, sc_core::sc_time &delay);
    /// Records operands with set bits that are ignored; returns the fault, if there is one.
    std::optional<FaultReport> check_operands(const bcu::Operation &operation);
    tlm::tlm_sync_enum refuse(protocol::IssueExtension &ext, protocol::IssuePayload &payload, FaultReport fault);

    /// Writes back an answer of the BRU, passes it to its issue payload and releases the request.
    void finish_branch(protocol::BranchPayload &request, const sc_core::sc_time &delay);
    /// The same for an answer of the BCU.
    void finish_barrier(protocol::BarrierPayload &request, const sc_core::sc_time &delay);
    void finish_load_store(Warp &warp, protocol::LoadStoreExtension &access, const protocol::LoadStorePayload &request,
                           protocol::IssuePayload &issue, const sc_core::sc_time &delay);
    /// The same for an instruction that has passed through the queue.
    void finish_pass(const protocol::LoadStoreExtension &passing, const protocol::LoadStorePayload &request,
                     protocol::IssuePayload &issue, const sc_core::sc_time &delay);
    void respond(protocol::IssuePayload &issue, sc_core::sc_time delay);
    void begin(const WarpStart &start);
    Warp &warp_of(WarpSlot slot) { return warps_[sub_partitions_.quotient(slot.value())]; }
    /// The warp of an access, which may have ended and been replaced by another one in its slot.
    Warp &warp_of(const protocol::IssueExtension &ext) {
        Warp &warp = warp_of(ext.warp);
        if (warp.start.age == ext.age) [[likely]] {
            return warp;
        }
        return departed_.at(ext.age);
    }
    void note_result(WarpSlot warp, const isa::Instruction &insn, LaneMask lanes, const sc_core::sc_time &delay);
    /// Reports an instruction that is executed in the cycle of its issue, the present one.
    void report(const Warp &warp, const protocol::IssuePayload &payload) {
        if (is_observed(payload)) [[unlikely]] {
            tell_executed(warp, payload, clock_.now());
        }
    }
    void report_completed(const Warp &warp, const protocol::IssuePayload &payload, const sc_core::sc_time &delay,
                          const protocol::LoadStoreExtension *access = nullptr) {
        if (is_observed(payload)) [[unlikely]] {
            tell_completed(warp, payload, delay, access);
        }
    }
    bool is_observed(const protocol::IssuePayload &payload) const {
        return observer_ != nullptr && payload.get_response_status() != tlm::TLM_GENERIC_ERROR_RESPONSE;
    }
    void tell_executed(const Warp &warp, const protocol::IssuePayload &payload, Cycle issued);
    void tell_completed(const Warp &warp, const protocol::IssuePayload &payload, const sc_core::sc_time &delay,
                        const protocol::LoadStoreExtension *access);

    const Config &config_;
    Divisor sub_partitions_; ///< their number
    protocol::Clock clock_;
    ClockRate rate_;
    timing::Pipes pipes_;
    std::vector<Warp> warps_;
    std::map<std::uint64_t, Warp> departed_; ///< by age: warps with stores under way whose slot has another warp
    ExecutionObserver *observer_ = nullptr;
    std::optional<HazardChecker> checker_;
    protocol::PayloadPool<protocol::BranchExtension> branch_pool_;
    protocol::PayloadPool<protocol::BarrierExtension> barrier_pool_;
    protocol::PayloadPool<protocol::LoadStoreExtension> load_store_pool_;
    DatapathStats stats_;
    timing::Jitter result_jitter_; ///< of results that a scoreboard guards
    timing::Jitter pipe_jitter_;   ///< until a pipe takes the next instruction
};

} // namespace smsim::sm
