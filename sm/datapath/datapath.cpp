#include "sm/datapath/datapath.h"

#include <any>

#include <fmt/format.h>

#include "bcu/barrier.h"
#include "model/config/config.h"
#include "model/config/validate.h"
#include "model/state/warp_resume.h"
#include "sm/datapath/compute/matrix_move.h"
#include "sm/datapath/operands.h"

namespace smsim::sm {

using protocol::BarrierExtension;
using protocol::BarrierPayload;
using protocol::BranchExtension;
using protocol::BranchPayload;
using protocol::IssueExtension;
using protocol::IssuePayload;
using protocol::LoadStoreExtension;
using protocol::LoadStorePayload;
using sc_core::sc_time;
using tlm::tlm_phase;
using tlm::tlm_sync_enum;

namespace {

const char *hazard_text(Hazard::Kind kind) {
    switch (kind) {
    case Hazard::Kind::kReadAfterWrite:
        return "reads";
    case Hazard::Kind::kWriteAfterWrite:
        return "overwrites the pending result";
    case Hazard::Kind::kWriteAfterRead:
        return "overwrites the unread source";
    default:
        return "";
    }
}

} // namespace

Datapath::Datapath(const sc_core::sc_module_name &name, const Config &config)
    : sc_module(name_if_valid(name, config)), config_(config), sub_partitions_(config.sm.sub_partitions),
      clock_(config), rate_(config.sm.clock_ghz), pipes_(config), warps_(config.sm.warps_per_sub_partition),
      result_jitter_(config.jitter, timing::Jitter::Part::kPipeResult),
      pipe_jitter_(config.jitter, timing::Jitter::Part::kPipe) {
    if (config.sm.hazard_check) {
        checker_.emplace(config, config.warps());
    }
    for (const timing::PipeSpec &pipe : timing::execution_pipes()) {
        if (timing::is_shared(pipe, config.pipes)) {
            auto &socket = shared_pipes[static_cast<std::size_t>(pipe.unit)];
            socket = std::make_unique<protocol::Initiator<protocol::IssueLink>>(std::string(pipe.name).c_str());
            socket->on_response<&Datapath::on_shared_pipe_response>(this);
        }
    }
    issue_socket.on_request<&Datapath::on_issue>(this);
    branch_socket.on_response<&Datapath::on_branch_response>(this);
    barrier_socket.on_response<&Datapath::on_barrier_response>(this);
    load_store_socket.on_response<&Datapath::on_load_store_response>(this);
    lifecycle.on_request<&Datapath::on_lifecycle>(this);
}

void Datapath::clear_statistics() {
    stats_ = {};
    if (checker_) [[unlikely]] {
        checker_->clear();
    }
}

tlm_sync_enum Datapath::on_lifecycle(unsigned, protocol::LifecyclePayload &payload, tlm_phase &, sc_time &) {
    const auto *ext = protocol::extension_of(payload);
    if (ext->kind == protocol::LifecycleExtension::Kind::kWarpStart) {
        begin(ext->start);
    } else if (observer_ != nullptr && ext->kind == protocol::LifecycleExtension::Kind::kWarpEnded) {
        const Warp &warp = warp_of(ext->warp);
        observer_->ended(warp.start, warp.registers);
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

void Datapath::begin(const WarpStart &start) {
    Warp &warp = warp_of(start.warp);
    if (warp.accesses != 0) {
        departed_.emplace(warp.start.age, std::move(warp));
    }
    warp = Warp{};
    warp.start = start;
    warp.registers = compute::WarpRegisters(start.registers);
    warp.identity = compute::WarpIdentity::of({start.cta_id[0], start.cta_id[1], start.cta_id[2]}, start.launch->block,
                                              start.launch->grid, start.warp_in_cta, start.sm.value());
    if (start.resume != nullptr) {
        using Registers = std::shared_ptr<const compute::WarpRegisters>;
        warp.registers = std::any_cast<const Registers &>(start.resume->registers)->copy();
        warp.refuses_arrivals = start.resume->refuses_arrivals;
    }
    if (checker_) [[unlikely]] {
        checker_->start(start.warp);
    }
}

// --- issue ---------------------------------------------------------------------------------------------------------

tlm_sync_enum Datapath::on_issue(unsigned, IssuePayload &payload, tlm_phase &phase, sc_time &delay) {
    auto &ext = *protocol::extension_of(payload);
    Warp &warp = warp_of(ext.warp);
    const isa::Instruction &insn = *ext.insn;
    ext.executed = ext.active & compute::guard(warp.registers, insn.pg, insn.pg_not);
    if (insn.unit == isa::Unit::kBranch) {
        ext.executed &= compute::second_guard(warp.registers, insn);
    }
    ++stats_.by_unit[static_cast<std::size_t>(insn.unit)];
    if (checker_) [[unlikely]] {
        const Hazard *hazard = checker_->issue(ext.warp, insn, ext.active, ext.executed, clock_.now());
        stats_.hazards = checker_->count();
        if (hazard != nullptr && config_.sm.hazard_fatal) {
            return refuse(
                ext, payload,
                {Fault::kHazard, fmt::format("the instruction {} {} of the instruction at {:#06x}, still in flight",
                                             hazard_text(hazard->kind), hazard_register(*hazard), hazard->first)});
        }
    }
    // Compute instructions are checked where they are executed.
    const bool leaves =
        insn.unit == isa::Unit::kBranch || insn.unit == isa::Unit::kBarrier || insn.unit == isa::Unit::kLoadStore;
    if (leaves && ext.executed.any() && !compute::has_all_registers(insn, warp.registers.count())) [[unlikely]] {
        if (auto fault = compute::register_fault(insn, warp.registers.count())) {
            return refuse(ext, payload, std::move(*fault));
        }
    }
    tlm_sync_enum status = tlm::TLM_COMPLETED;
    switch (insn.unit) {
    case isa::Unit::kBranch:
        status = branch(warp, ext, payload, phase, delay);
        break;
    case isa::Unit::kBarrier:
        status = barrier(warp, ext, payload, phase, delay);
        break;
    case isa::Unit::kLoadStore:
        status = load_store(warp, ext, payload, phase, delay);
        break;
    case isa::Unit::kNone:
        // NOP and MEMBAR: the issue stage decides on their time.
        delay += clock_.period();
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        break;
    default:
        if (const auto &shared = shared_pipes[static_cast<std::size_t>(insn.unit)]) [[unlikely]] {
            if (execute(warp, ext, insn.spec(), payload)) {
                status = (*shared)->nb_transport_fw(payload, phase, delay);
            }
        } else {
            status = compute(warp, ext, payload, delay);
        }
        break;
    }
    // A control instruction that waits for a shared pipeline of the BRU has not been executed yet.
    if (insn.unit != isa::Unit::kBranch || status == tlm::TLM_COMPLETED) {
        report(warp, payload);
    } else if (is_observed(payload)) [[unlikely]] {
        observer_->postponed({clock_.now(), warp.start, insn, ext.active, ext.executed, ext.sequence});
    }
    if (status == tlm::TLM_COMPLETED) {
        report_completed(warp, payload, delay);
    }
    return status;
}

tlm_sync_enum Datapath::refuse(IssueExtension &ext, IssuePayload &payload, FaultReport fault) {
    ext.fault = std::move(fault);
    payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    return tlm::TLM_COMPLETED;
}

void Datapath::note_result(WarpSlot warp, const isa::Instruction &insn, LaneMask lanes, const sc_time &delay) {
    if (checker_) [[unlikely]] {
        checker_->result(warp, insn, lanes, clock_.at(delay));
    }
}

void Datapath::tell_executed(const Warp &warp, const IssuePayload &payload, Cycle issued) {
    const auto &ext = payload.extension();
    observer_->executed({issued, warp.start, *ext.insn, ext.active, ext.executed, ext.sequence});
}

void Datapath::tell_completed(const Warp &warp, const IssuePayload &payload, const sc_time &delay,
                              const LoadStoreExtension *access) {
    const auto &ext = payload.extension();
    observer_->completed({clock_.at(delay), warp.start, *ext.insn, ext.executed, ext.sequence, warp.registers, access});
}

// --- compute pipes -------------------------------------------------------------------------------------------------

inline bool Datapath::execute(Warp &warp, IssueExtension &ext, const isa::OpSpec &spec, IssuePayload &payload) {
    compute::ExecutionContext context{warp.identity, warp.start.launch->banks};
    context.tensor = &config_.tensor;
    if (spec.has(isa::kSpecialRegister)) {
        context.cycle = clock_.now() + warp.start.launch->clock_offset;
        context.nanoseconds = rate_.nanoseconds_at(context.cycle);
    }
    if (auto fault = compute::execute(*ext.insn, warp.registers, ext.executed, context)) {
        refuse(ext, payload, std::move(*fault));
        return false;
    }
    return true;
}

tlm_sync_enum Datapath::compute(Warp &warp, IssueExtension &ext, IssuePayload &payload, sc_time &delay) {
    const isa::Instruction &insn = *ext.insn;
    const isa::OpSpec &spec = insn.spec();
    if (!execute(warp, ext, spec, payload)) {
        return tlm::TLM_COMPLETED;
    }
    ext.interval = pipes_.interval(insn);
    delay += clock_.span(pipes_.latency(insn, spec));
    if (spec.latency == isa::LatencyClass::kMatch) [[unlikely]] {
        delay += clock_.span(pipes_.match_cycles(compute::match_values(insn, warp.registers, ext.executed)));
    }
    if (config_.jitter.seed != 0) [[unlikely]] {
        const Cycle now = clock_.now();
        ext.interval += static_cast<std::uint32_t>(pipe_jitter_(now, ext.warp.value()));
        delay += clock_.span(timing::needs_write_scoreboard(insn) ? result_jitter_(now, ext.warp.value()) : 0);
    }
    if (checker_) [[unlikely]] {
        note_result(ext.warp, insn, ext.executed, delay);
        checker_->sources_read(ext.warp, insn, ext.executed, clock_.now());
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

tlm_sync_enum Datapath::on_shared_pipe_response(unsigned, IssuePayload &payload, tlm_phase &phase, sc_time &delay) {
    if (phase == tlm::BEGIN_RESP) {
        const auto &ext = *protocol::extension_of(payload);
        note_result(ext.warp, *ext.insn, ext.executed, delay);
        report_completed(warp_of(ext.warp), payload, delay);
    }
    return issue_socket->nb_transport_bw(payload, phase, delay);
}

// --- control instructions ------------------------------------------------------------------------------------------

tlm_sync_enum Datapath::branch(Warp &warp, IssueExtension &ext, IssuePayload &payload, tlm_phase &phase,
                               sc_time &delay) {
    BranchPayload &request = branch_pool_.acquire();
    auto &branch = *protocol::extension_of(request);
    const isa::Instruction &insn = *ext.insn;
    branch.warp = ext.warp;
    branch.insn = &insn;
    const BranchGuards guards = branch_guards(insn, warp.registers);
    branch.guard = guards.first;
    branch.guard_pp = guards.second;
    if (config_.ideal.branches && ext.active.any()) {
        branch.guard = as_lowest(ext.active, guards.first);
        branch.guard_pp = as_lowest(ext.active, guards.second);
        ext.executed = ext.active & branch.guard;
    }
    branch.sequence = ext.sequence;
    branch.interval = 1;
    branch.upstream = &payload;
    branch.write_lanes = LaneMask{};
    branch.refuses_arrivals.reset();
    if (auto fault = read_operands(insn, warp.registers, warp.start.launch->banks, branch.vectors, branch.scalar)) {
        request.release();
        return refuse(ext, payload, std::move(*fault));
    }
    if (config_.ideal.branches && ext.active.any()) {
        as_lowest(insn, ext.active, branch.vectors);
    }
    const tlm_sync_enum status = branch_socket->nb_transport_fw(request, phase, delay);
    ext.interval = branch.interval;
    if (status == tlm::TLM_COMPLETED) {
        finish_branch(request, delay);
    }
    return status;
}

void Datapath::finish_branch(BranchPayload &request, const sc_time &delay) {
    auto &branch = *protocol::extension_of(request);
    IssuePayload &issue = *branch.upstream;
    auto &ext = *protocol::extension_of(issue);
    Warp &warp = warp_of(branch.warp);
    ext.outcome = branch.outcome;
    ext.next_pc = branch.next_pc;
    ext.next_active = branch.next_active;
    warp.refuses_arrivals = branch.refuses_arrivals;
    const isa::Instruction &insn = *branch.insn;
    if (branch.write_lanes.any()) {
        write_result(insn, warp.registers, branch.write_lanes, branch.value);
    }
    if (!request.is_response_ok()) [[unlikely]] {
        ext.fault = branch.fault;
    }
    note_result(branch.warp, insn, ext.executed, delay);
    issue.set_response_status(request.get_response_status());
    request.release();
}

tlm_sync_enum Datapath::on_branch_response(unsigned, BranchPayload &request, tlm_phase &phase, sc_time &delay) {
    auto &branch = *protocol::extension_of(request);
    IssuePayload &issue = *branch.upstream;
    if (phase != tlm::BEGIN_RESP) {
        return issue_socket->nb_transport_bw(issue, phase, delay);
    }
    const WarpSlot warp = branch.warp;
    finish_branch(request, delay);
    if (is_observed(issue)) [[unlikely]] {
        tell_executed(warp_of(warp), issue, protocol::extension_of(issue)->issued);
    }
    report_completed(warp_of(warp), issue, delay);
    respond(issue, delay);
    return tlm::TLM_COMPLETED;
}

void Datapath::respond(IssuePayload &issue, sc_time delay) {
    tlm_phase phase = tlm::BEGIN_RESP;
    issue_socket->nb_transport_bw(issue, phase, delay);
}

// --- barrier instructions ------------------------------------------------------------------------------------------

tlm_sync_enum Datapath::barrier(Warp &warp, IssueExtension &ext, IssuePayload &payload, tlm_phase &phase,
                                sc_time &delay) {
    BarrierPayload &request = barrier_pool_.acquire();
    auto &barrier = *protocol::extension_of(request);
    const isa::Instruction &insn = *ext.insn;
    if (auto fault = arrival_fault(insn, ext.executed, warp.refuses_arrivals)) {
        request.release();
        return refuse(ext, payload, std::move(*fault));
    }
    barrier.warp = ext.warp;
    barrier.insn = &insn;
    barrier.pmask = ext.executed;
    barrier.contribution = compute::guard(warp.registers, insn.pp, insn.pp_not);
    barrier.outcome = Outcome::kContinue;
    barrier.writes = false;
    barrier.upstream = &payload;
    read_operands(insn, warp.registers, barrier.vectors);
    const bcu::Operation operation = bcu::operation_of(insn, barrier.pmask, barrier.contribution, barrier.vectors);
    // A fault decided by the operands is an exception of this instruction and not of its arrival: nothing may run after
    // it.
    auto fault = bcu::operand_fault(operation);
    if (!fault && checker_) [[unlikely]] {
        fault = check_operands(operation);
    }
    if (fault) {
        request.release();
        return refuse(ext, payload, std::move(*fault));
    }
    const tlm_sync_enum status = barrier_socket->nb_transport_fw(request, phase, delay);
    if (status == tlm::TLM_COMPLETED) {
        finish_barrier(request, delay);
    }
    return status;
}

std::optional<FaultReport> Datapath::check_operands(const bcu::Operation &operation) {
    std::optional<FaultReport> fault;
    for (const BarrierOperand &operand : bcu::operands_with_other_bits(operation)) {
        checker_->other_bits(operation.insn, operand, clock_.now());
        stats_.hazards = checker_->count();
        if (config_.sm.hazard_fatal && !fault) {
            fault = {Fault::kHazard, text_of(operand)};
        }
    }
    return fault;
}

void Datapath::finish_barrier(BarrierPayload &request, const sc_time &delay) {
    auto &barrier = *protocol::extension_of(request);
    IssuePayload &issue = *barrier.upstream;
    auto &ext = *protocol::extension_of(issue);
    ext.outcome = barrier.outcome;
    if (!request.is_response_ok()) [[unlikely]] {
        ext.fault = barrier.fault;
    }
    const isa::Instruction &insn = *barrier.insn;
    if (barrier.writes) {
        Warp &warp = warp_of(barrier.warp);
        write_result(insn, warp.registers, barrier.pmask, barrier.value);
        write_predicate(insn, warp.registers, barrier.pmask, barrier.predicate);
    }
    note_result(barrier.warp, insn, barrier.pmask, delay);
    issue.set_response_status(request.get_response_status());
    request.release();
}

tlm_sync_enum Datapath::on_barrier_response(unsigned, BarrierPayload &request, tlm_phase &phase, sc_time &delay) {
    auto &barrier = *protocol::extension_of(request);
    IssuePayload &issue = *barrier.upstream;
    if (phase != tlm::BEGIN_RESP) {
        return issue_socket->nb_transport_bw(issue, phase, delay);
    }
    const WarpSlot warp = barrier.warp;
    finish_barrier(request, delay);
    report_completed(warp_of(warp), issue, delay);
    respond(issue, delay);
    return tlm::TLM_COMPLETED;
}

// --- memory instructions -------------------------------------------------------------------------------------------

tlm_sync_enum Datapath::load_store(Warp &warp, IssueExtension &ext, IssuePayload &payload, tlm_phase &phase,
                                   sc_time &delay) {
    const isa::Instruction &insn = *ext.insn;
    if (ext.executed.none()) {
        // No thread accesses memory: the instruction is dropped before the queue.
        delay += clock_.span(2);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    const isa::OpSpec &spec = insn.spec();
    if (!spec.accesses_memory()) {
        return pass_queue(warp, ext, payload, phase, delay);
    }
    if (lacks_threads(spec, ext.executed)) [[unlikely]] {
        return refuse(ext, payload, compute::move_fault(ext.executed));
    }
    LoadStorePayload &request = load_store_pool_.acquire();
    auto &access = *protocol::extension_of(request);
    access.upstream = &payload;
    access.found = ext.asks_cache ? &ext.found : nullptr;
    const std::uint64_t slot = std::uint64_t{warp.start.sm.value()} * config_.warps() + warp.start.warp.value();
    read_access(insn, ext.executed, warp.registers, warp.start, slot, access);
    const tlm_sync_enum status = load_store_socket->nb_transport_fw(request, phase, delay);
    if (observer_ != nullptr && request.get_response_status() != tlm::TLM_GENERIC_ERROR_RESPONSE) [[unlikely]] {
        observer_->accesses(access);
    }
    if (status == tlm::TLM_COMPLETED) {
        finish_load_store(warp, access, request, payload, delay);
    } else {
        ++warp.accesses;
    }
    request.release(); // the unit holds a reference of its own until its response
    return status;
}

tlm_sync_enum Datapath::pass_queue(Warp &warp, IssueExtension &ext, IssuePayload &payload, tlm_phase &phase,
                                   sc_time &delay) {
    LoadStorePayload &request = load_store_pool_.acquire();
    auto &passing = *protocol::extension_of(request);
    const isa::OpSpec &spec = ext.insn->spec();
    if (spec.has(isa::kConstant)) { // before it is executed, which may overwrite them
        read_addresses(*ext.insn, warp.registers, passing.address);
    }
    if (!execute(warp, ext, spec, payload)) {
        request.release();
        return tlm::TLM_COMPLETED;
    }
    passing.warp = ext.warp;
    passing.insn = ext.insn;
    passing.lanes = ext.executed;
    passing.upstream = &payload;
    const tlm_sync_enum status = load_store_socket->nb_transport_fw(request, phase, delay);
    if (status == tlm::TLM_COMPLETED) {
        finish_pass(passing, request, payload, delay);
    }
    request.release(); // the unit holds a reference of its own until its response
    return status;
}

void Datapath::finish_pass(const LoadStoreExtension &passing, const LoadStorePayload &request, IssuePayload &issue,
                           const sc_time &delay) {
    note_result(passing.warp, *passing.insn, passing.lanes, delay);
    if (checker_ && passing.insn->rsb == isa::kNoScoreboard)
        [[unlikely]] { // with a scoreboard, SOURCES_READ has already reported it
        checker_->sources_read(passing.warp, *passing.insn, passing.lanes, clock_.at(delay));
    }
    issue.set_response_status(request.get_response_status());
}

tlm_sync_enum Datapath::on_load_store_response(unsigned, LoadStorePayload &request, tlm_phase &phase, sc_time &delay) {
    auto &access = *protocol::extension_of(request);
    IssuePayload &issue = *access.upstream;
    if (phase == protocol::SOURCES_READ && checker_) [[unlikely]] {
        const LaneMask executed = protocol::extension_of(issue)->executed; // more than access rows of matrices
        checker_->sources_read(access.warp, *access.insn, executed, clock_.at(delay));
    }
    if (phase != tlm::BEGIN_RESP) {
        return issue_socket->nb_transport_bw(issue, phase, delay);
    }
    if (!access.insn->spec().accesses_memory()) {
        finish_pass(access, request, issue, delay);
        report_completed(warp_of(access.warp), issue, delay);
        respond(issue, delay);
        return tlm::TLM_COMPLETED;
    }
    const std::uint64_t age = protocol::extension_of(issue)->age;
    Warp &warp = warp_of(*protocol::extension_of(issue));
    finish_load_store(warp, access, request, issue, delay);
    report_completed(warp, issue, delay, &access);
    if (--warp.accesses == 0 && warp_of(access.warp).start.age != age) {
        departed_.erase(age);
    }
    respond(issue, delay);
    return tlm::TLM_COMPLETED;
}

void Datapath::finish_load_store(Warp &warp, LoadStoreExtension &access, const LoadStorePayload &request,
                                 IssuePayload &issue, const sc_time &delay) {
    const isa::Instruction &insn = *access.insn;
    auto &ext = *protocol::extension_of(issue);
    if (!request.is_response_ok()) [[unlikely]] {
        ext.fault = access.fault;
    }
    ext.placed_at = access.placed;
    if (request.is_response_ok() && insn.spec().has(isa::kReadsMemory)) {
        write_loaded(insn, warp.registers, ext.executed, access.data);
    }
    if (&warp == &warp_of(access.warp)) [[likely]] { // otherwise the checker has dropped it
        note_result(access.warp, insn, ext.executed, delay);
        if (checker_ && insn.rsb == isa::kNoScoreboard)
            [[unlikely]] { // with a scoreboard, SOURCES_READ has already reported it
            checker_->sources_read(access.warp, insn, ext.executed, clock_.at(delay));
        }
    }
    issue.set_response_status(request.get_response_status());
}

} // namespace smsim::sm
