// The SM: all parts and the links between them. The only module that knows every part.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <systemc>
#include <tlm>

#include "model/config/config.h"
#include "model/protocol/calendar.h"
#include "model/stats/statistics.h"
#include "sm/link_binder.h"
#include "sm/part_factory.h"

namespace smsim::sm {

struct CtaDemand;

/// One streaming multiprocessor. It is built from a configuration; the distributor of the grid sends it launches, one
/// after the other, and `place` loads programs.
class StreamingMultiprocessor final : public sc_core::sc_module {
  public:
    /// The SM's port to global memory: base protocol, any target will do.
    tlm::tlm_initiator_socket<64> global{"global"};

    /// SM number `number` of those that share the grids of `distributor`; both and `config` must outlive the module.
    /// Its parts are made by `factory`, which is only needed during construction. `reverse_order` constructs the parts
    /// in the opposite order, which reverses the order of their processes: results must not change. `binder` binds the
    /// links between the parts; null: they are bound directly.
    StreamingMultiprocessor(const sc_core::sc_module_name &name, const Config &config, GridDistributor &distributor,
                            SmId number = {}, bool reverse_order = false, LinkBinder *binder = nullptr,
                            const PartFactory &factory = PartFactory::standard());

    /// Makes a program resident in instruction memory; it must outlive the module. Returns its address
    /// (`LaunchContext::code_base`): SMs in which the same programs were placed in the same order agree. InputError
    /// when an instruction of it has no encoding.
    std::uint64_t place(const Program &program) { return instructions_->place(program); }
    /// Prepares the next launch, with CTAs of this demand: all counters restart, the L1 drops its lines, as between
    /// kernels on the hardware, and gives part of its room to the CTAs' shared memory (`shared.carveouts`);
    /// instruction caches keep theirs. No warp may be resident.
    void begin_launch(const CtaDemand &demand);

    /// Provides the time to the parts that have joined it, and calls those of them that work in most cycles.
    protocol::Calendar &calendar() { return calendar_; }
    /// Whether that calendar may lead, provided that the global memory joins it and nothing is bound between the parts:
    /// no part has refused to join.
    bool may_lead() const { return all_joined_; }

    parts::CtaDispatch &dispatch() { return *dispatch_; }
    const parts::CtaDispatch &dispatch() const { return *dispatch_; }
    const parts::BranchUnit &branch_unit() const { return *branch_unit_; }
    const parts::BarrierUnit &barrier_unit() const { return *barrier_unit_; }
    /// Lets `check` judge the program's accesses to global memory; otherwise the memory judges them itself.
    void check_bounds(GlobalBounds &check) { load_store_->check_bounds(&check); }
    /// The warp in a slot: the resident one, or the last one.
    const WarpStart &start_of(WarpSlot warp) const;
    /// Reports every executed instruction to `observer`.
    void observe(ExecutionObserver *observer);
    /// The registers of the warp in a slot: the resident one, or the last one.
    const compute::WarpRegisters &registers(WarpSlot warp) const {
        return datapaths_[warp.value() % config_.sm.sub_partitions]->registers(warp);
    }
    /// Resident warps that do not wait at a CTA barrier, in order of warp slots.
    std::vector<WarpSlot> running() const;
    /// Calls `body` for every warp that has ended but still has its slot, because the CTA dispatch learns of the end in
    /// a later cycle; in the order of their ends.
    void for_each_ending(
        const std::function<void(const WarpStart &start, const compute::WarpRegisters &registers)> &body) const;
    /// Calls `body` for every warp that is resident, in order of warp slots.
    void for_each_resident(
        const std::function<void(const WarpStart &start, const compute::WarpRegisters &registers)> &body) const;
    /// Functional read of shared memory.
    std::vector<std::uint8_t> read_shared(std::uint64_t base, std::uint32_t bytes);
    /// Functional write of `contents` to shared memory from byte `base` on. InputError when its part refuses.
    void write_shared(std::uint64_t base, std::span<std::uint8_t> contents);
    /// Reports events inside all parts to `observer`.
    void observe_parts(observation::Observer *observer);
    /// Counters of all parts since the last `begin_launch`, for a launch of `program`. `cut_short` closes open
    /// intervals at the present cycle first; then nothing more can be launched.
    RunStats collect(const Program &program, bool cut_short);
    /// Whether all resident warps (at least one) wait at CTA barriers for one another: no warp is left that could
    /// release them, whatever else may still happen. Call between two time steps.
    bool is_deadlocked() const;
    /// What every resident warp is doing in cycle `at`, the present one if it has been stepped or the previous one, and
    /// which warps wait at which barrier now; several lines, the last without a newline.
    std::string describe(Cycle at) const;
    /// The transaction on global memory that has waited longest for its answer, and the oldest access that waits for
    /// it.
    struct Unanswered {
        parts::UnansweredRequest request;
        std::optional<parts::WaitingAccess> access;
    };
    /// None when the memory has answered all of them. Call between two time steps.
    std::optional<Unanswered> unanswered() const;
    /// The last cycle known to change the state of a warp when nothing else can happen any more.
    Cycle changes_until() const;

  private:
    void build(const PartFactory &factory, bool reverse_order);
    void connect(LinkBinder *binder);
    /// Debug transport to shared memory; returns the number of bytes moved.
    unsigned reach_shared(tlm::tlm_command command, std::uint64_t base, std::span<std::uint8_t> bytes);
    /// Adds the use of all parts up to cycle `end`.
    void add_use(Cycle end, UnitUses &uses) const;
    parts::InstructionBuffer &ibuffer_of(WarpSlot warp) const {
        return *ibuffers_[warp.value() % config_.sm.sub_partitions];
    }

    const Config &config_;
    protocol::Calendar calendar_{"calendar"}; ///< of the parts that work in most cycles
    bool all_joined_ = true;                  ///< all parts take their time from it
    GridDistributor &distributor_;
    SmId number_;
    Cycle begun_ = 0; ///< the cycle in which the present launch began
    std::unique_ptr<parts::CtaDispatch> dispatch_;
    std::vector<std::unique_ptr<parts::InstructionBuffer>> ibuffers_;
    std::vector<std::unique_ptr<parts::Datapath>> datapaths_;
    std::unique_ptr<parts::BranchUnit> branch_unit_;
    std::unique_ptr<parts::BarrierUnit> barrier_unit_;
    std::unique_ptr<parts::SleepTimer> timer_;
    /// Execution pipes that all sub-partitions share, each with its unit.
    std::vector<std::pair<isa::Unit, std::unique_ptr<parts::SharedPipe>>> shared_pipes_;
    std::unique_ptr<parts::LoadStoreUnit> load_store_;
    std::unique_ptr<parts::InstructionMemory> instructions_;
    std::unique_ptr<parts::SharedMemory> shared_;
    std::unique_ptr<parts::DataCache> l1_; ///< null: there is none
};

} // namespace smsim::sm
