#include "sm/functional/warp_runner.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "bcu/barrier_statistics.h"
#include "model/config/config.h"
#include "model/program/past_end.h"
#include "model/state/launch_context.h"
#include "sm/datapath/compute/matrix_move.h"
#include "sm/datapath/operands.h"
#include "sm/load_store/lane_data.h"
#include "sm/load_store/memory_operation.h"

namespace smsim::sm::functional {

WarpRunner::WarpRunner(const Config &config, GlobalPort &global, GlobalBounds &bounds)
    : config_(config), rate_(config.sm.clock_ghz), engine_(bru::make_engine(config.bru, config.warps())),
      branches_(config.warps()), memory_(config, global, bounds) {}

WarpRunner::Kind WarpRunner::kind_of(const isa::Instruction &insn) {
    switch (insn.unit) {
    case isa::Unit::kNone: // NOP and MEMBAR: accesses are performed in order anyway
        return Kind::kNothing;
    case isa::Unit::kBranch:
        return Kind::kControl;
    case isa::Unit::kBarrier:
        return Kind::kBarrier;
    case isa::Unit::kLoadStore:
        return insn.spec().accesses_memory() ? Kind::kMemory : Kind::kQueued;
    default:
        return Kind::kCompute;
    }
}

void WarpRunner::begin(const Program &program, std::uint64_t local_slot) {
    program_ = &program;
    local_slot_ = local_slot;
    steps_.clear();
    for (const isa::Instruction &insn : program.code) {
        steps_.push_back({kind_of(insn), insn.spec().has(isa::kMayJump)});
    }
    raised_.reset();
    pcs_.assign(program.code.size(), PcStats{});
    lanes_ = {};
    bcu_ = {};
    lsu_ = {};
    branches_.clear();
    engine_->clear_counters();
}

void WarpRunner::start(Warp &warp) {
    const WarpStart &start = warp.start;
    warp.registers = compute::WarpRegisters(start.registers);
    warp.identity = compute::WarpIdentity::of({start.cta_id[0], start.cta_id[1], start.cta_id[2]}, start.launch->block,
                                              start.launch->grid, start.warp_in_cta, start.sm.value());
    warp.pc = start.entry;
    warp.active = start.valid;
    engine_->start(start.warp, start.entry, start.valid, start.code_bytes);
    engine_->runs(start.warp, *program_);
    branches_.start(start.warp);
}

void WarpRunner::expire(Warp &warp) {
    if (!std::exchange(warp.timer_runs, false)) {
        return;
    }
    warp.timer_expired = true;
    branches_.count_wake();
    if (warp.condition == Condition::kAsleep) {
        warp.condition = Condition::kRunning;
    }
}

WarpResume WarpRunner::save(Warp &warp) {
    expire(warp);
    if (std::exchange(warp.timer_expired, false)) {
        engine_->timer_expired(warp.start.warp);
    }
    WarpResume saved;
    saved.pc = warp.pc;
    saved.active = warp.active;
    saved.waits_at_barrier = warp.condition == Condition::kBlocked;
    saved.refuses_arrivals = warp.refuses_arrivals;
    saved.registers = std::make_shared<const compute::WarpRegisters>(std::move(warp.registers));
    saved.control = engine_->save(warp.start.warp);
    return saved;
}

std::uint64_t WarpRunner::run(Cta &cta, Warp &warp, std::uint64_t most) {
    const std::uint64_t before = executed_;
    const std::uint64_t until = executed_ + most;
    while (executed_ != until && step(cta, warp)) {
    }
    return executed_ - before;
}

bool WarpRunner::step(Cta &cta, Warp &warp) {
    const std::size_t index = warp.pc / kInstructionBytes;
    if (!program_->contains(warp.pc)) [[unlikely]] {
        raised_ = Raised{ran_past_end(warp.pc), warp.start, nullptr, warp.pc, warp.active, warp.active};
        return false;
    }
    const isa::Instruction &insn = program_->code[index];
    const Step how = steps_[index];
    Present present{cta, warp, insn, warp.active, warp.active & compute::guard(warp.registers, insn.pg, insn.pg_not)};
    const bool goes_on = perform(present, how.kind);
    count(present);
    if (raised_) [[unlikely]] {
        return false;
    }
    ++executed_;
    if (watcher_ != nullptr) [[unlikely]] {
        tell(present, how.kind);
    }
    if (!how.may_jump) {
        warp.pc += kInstructionBytes;
    }
    if (warp.condition == Condition::kEnded) {
        end(cta, warp);
    }
    return goes_on;
}

inline bool WarpRunner::perform(Present &present, Kind kind) {
    switch (kind) {
    case Kind::kControl:
        return control(present);
    case Kind::kBarrier:
        return barrier(present);
    case Kind::kMemory:
        return access(present);
    case Kind::kQueued:
        return present.executed.none() || compute(present);
    case Kind::kNothing:
        return true;
    default:
        return compute(present);
    }
}

inline void WarpRunner::count(const Present &present) {
    PcStats &pc = pcs_[present.insn.pc / kInstructionBytes];
    const unsigned executed = present.executed.count();
    ++pc.issues;
    pc.active_lanes += present.active.count();
    pc.executed_lanes += executed;
    ++lanes_[executed];
    ++present.warp.instructions;
    present.warp.thread_instructions += executed;
}

bool WarpRunner::raise(const Present &present, FaultReport fault) {
    raised_ =
        Raised{std::move(fault), present.warp.start, &present.insn, present.insn.pc, present.active, present.executed};
    return false;
}

void WarpRunner::tell(const Present &present, Kind kind) {
    const bool accesses = kind == Kind::kMemory && present.executed.any();
    watcher_->executed({executed_ - 1, present.warp.start, present.insn, present.active, present.executed,
                        present.warp.instructions - 1, present.warp.registers, accesses ? &request_ : nullptr});
}

// --- the kinds of instructions -------------------------------------------------------------------------------------

inline bool WarpRunner::compute(const Present &present) {
    compute::ExecutionContext context{present.warp.identity, present.warp.start.launch->banks};
    context.tensor = &config_.tensor;
    if (present.insn.spec().has(isa::kSpecialRegister)) {
        context.cycle = clock();
        context.nanoseconds = rate_.nanoseconds_at(context.cycle);
    }
    if (auto fault = compute::execute(present.insn, present.warp.registers, present.executed, context)) [[unlikely]] {
        return raise(present, std::move(*fault));
    }
    return true;
}

bool WarpRunner::control(Present &present) {
    Warp &warp = present.warp;
    const isa::Instruction &insn = present.insn;
    BranchGuards guards = branch_guards(insn, warp.registers);
    present.executed &= guards.second;
    if (present.executed.any()) {
        if (auto fault = compute::register_fault(insn, warp.registers.count())) {
            return raise(present, std::move(*fault));
        }
    }
    if (config_.ideal.branches && present.active.any()) {
        guards = {as_lowest(present.active, guards.first), as_lowest(present.active, guards.second)};
        present.executed = present.active & guards.first;
    }
    std::uint64_t scalar = 0;
    if (auto fault = read_operands(insn, warp.registers, warp.start.launch->banks, vectors_, scalar)) {
        return raise(present, std::move(*fault));
    }
    if (config_.ideal.branches && present.active.any()) {
        as_lowest(insn, present.active, vectors_);
    }
    if (std::exchange(warp.timer_expired, false)) {
        engine_->timer_expired(warp.start.warp);
    }
    bru::StepResult result = engine_->execute(warp.start.warp, insn, {guards.first, guards.second, vectors_, scalar});
    if (result.fault) {
        return raise(present, std::move(*result.fault));
    }
    branches_.record(warp.start.warp, insn, result, warp.instructions);
    return follow(present, result);
}

/// What a control instruction has decided.
bool WarpRunner::follow(Present &present, const bru::StepResult &result) {
    Warp &warp = present.warp;
    if (result.event.kind == bru::StepEvent::Kind::kSyscall) {
        bru::log_syscall({warp.start, present.insn, result.event.active, result.executed, executed_});
    }
    if (result.write_lanes.any()) {
        write_result(present.insn, warp.registers, result.write_lanes, result.value);
    }
    warp.refuses_arrivals = result.refuses_arrivals;
    if (result.sleep_ns) {
        warp.timer_runs = true;
    }
    if (result.outcome == Outcome::kExited) {
        warp.condition = Condition::kEnded;
        return false;
    }
    if (present.insn.spec().has(isa::kMayJump)) {
        warp.pc = result.next_pc;
        warp.active = result.next_active;
    }
    if (result.outcome == Outcome::kSleep) {
        warp.condition = Condition::kAsleep;
        return false;
    }
    return true;
}

bool WarpRunner::barrier(const Present &present) {
    Warp &warp = present.warp;
    const isa::Instruction &insn = present.insn;
    if (present.executed.any()) {
        if (auto fault = compute::register_fault(insn, warp.registers.count())) {
            return raise(present, std::move(*fault));
        }
    }
    if (auto fault = arrival_fault(insn, present.executed, warp.refuses_arrivals)) {
        return raise(present, std::move(*fault));
    }
    read_operands(insn, warp.registers, narrow_);
    const bcu::Operation operation =
        bcu::operation_of(insn, present.executed, compute::guard(warp.registers, insn.pp, insn.pp_not), narrow_);
    if (auto fault = bcu::operand_fault(operation)) {
        return raise(present, std::move(*fault));
    }
    ++bcu_.instructions;
    if (config_.ideal.barriers && isa::waits_at_barrier(insn)) {
        return true;
    }
    auto result = present.cta.barriers.execute(warp.start.warp_in_cta, operation);
    if (auto *fault = std::get_if<FaultReport>(&result)) {
        return raise(present, std::move(*fault));
    }
    const auto &effect = std::get<bcu::Effect>(result);
    if (effect.writes) {
        write_result(insn, warp.registers, present.executed, effect.value);
        write_predicate(insn, warp.registers, present.executed, effect.predicate);
    }
    bcu_.undefined_reads += effect.undefined_read ? 1 : 0;
    if (effect.arrived) {
        bcu::count_arrival(bcu_, warp.start.warp_in_cta, insn, effect);
    }
    if (effect.completion) {
        release(present.cta, *effect.completion);
    }
    warp.condition = effect.blocked ? Condition::kBlocked : Condition::kRunning;
    return !effect.blocked;
}

bool WarpRunner::access(const Present &present) {
    if (present.executed.none()) {
        return true;
    }
    Warp &warp = present.warp;
    const isa::Instruction &insn = present.insn;
    const isa::OpSpec &spec = insn.spec();
    if (auto fault = compute::register_fault(insn, warp.registers.count())) {
        return raise(present, std::move(*fault));
    }
    if (lacks_threads(spec, present.executed)) [[unlikely]] {
        return raise(present, compute::move_fault(present.executed));
    }
    read_access(insn, present.executed, warp.registers, warp.start, local_slot_ + warp.start.warp.value(), request_);
    if (auto fault = memory_.check(request_)) {
        return raise(present, std::move(*fault));
    }
    if (watcher_ != nullptr) [[unlikely]] {
        watcher_->accesses(request_);
    }
    if (auto fault = memory_.perform(request_)) {
        return raise(present, std::move(*fault));
    }
    ++lsu_.by_op[static_cast<std::uint8_t>(insn.op)];
    if (!spec.has(isa::kShared)) {
        lsu_.requested_global_bytes += std::uint64_t{present.executed.count()} * bytes_per_thread(insn);
    }
    if (spec.has(isa::kReadsMemory)) {
        if (spec.has(isa::kCompareSwap)) {
            lsu_.cas += present.executed.count();
            lsu_.cas_failed += failed_swaps(request_);
        }
        write_loaded(insn, warp.registers, present.executed, request_.data);
    }
    return true;
}

// --- other warps ---------------------------------------------------------------------------------------------------

void WarpRunner::release(Cta &cta, const bcu::Completion &completion) {
    bcu::count_completion(bcu_, completion);
    for (const std::uint32_t released : completion.released) {
        cta.warps[released].condition = Condition::kRunning;
    }
}

void WarpRunner::end(Cta &cta, Warp &warp) {
    --cta.left;
    if (watcher_ != nullptr) {
        watcher_->ended(warp.start, warp.registers);
    }
    for (const bcu::Completion &completion : cta.barriers.exit(warp.start.warp_in_cta)) {
        release(cta, completion);
    }
}

// --- counters ------------------------------------------------------------------------------------------------------

void WarpRunner::collect(RunStats &stats) const {
    stats.pcs = pcs_;
    stats.lanes = lanes_;
    for (std::size_t i = 0; i < pcs_.size(); ++i) {
        stats.datapath.by_unit[static_cast<std::size_t>(program_->code[i].unit)] += pcs_[i].issues;
    }
    stats.bru = branches_.stats();
    stats.bru.engine = engine_->counters();
    stats.bcu = bcu_;
    stats.lsu = lsu_;
}

} // namespace smsim::sm::functional
