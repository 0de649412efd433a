#include "sm/datapath/datapath.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "bcu/barrier.h"

namespace smsim::sm {

using protocol::BarrierExtension;
using protocol::BranchExtension;
using protocol::IssueExtension;
using protocol::LoadStoreExtension;
using sc_core::sc_time;
using tlm::tlm_generic_payload;
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
    }
    return "";
}

/// The first general register of an instruction of BRU, BCU or load/store unit that the warp does not have; the others
/// are checked where they are executed.
std::optional<std::uint8_t> unallocated_register(const isa::Instruction &insn, unsigned count) {
    if (insn.unit == isa::Unit::kBranch || insn.unit == isa::Unit::kBarrier || insn.unit == isa::Unit::kLoadStore) {
        for (const std::uint8_t reg : {insn.rd, insn.ra, insn.rb, insn.rc}) {
            if (reg != isa::kRz && reg >= count) {
                return reg;
            }
        }
    }
    return std::nullopt;
}

} // namespace

Datapath::Datapath(const sc_core::sc_module_name &name, const Config &config)
    : sc_module(name), config_(config), clock_(config), rate_(config.sm.clock_ghz),
      warps_(config.sm.warps_per_sub_partition), result_jitter_(config.jitter, timing::Jitter::Part::kPipeResult),
      pipe_jitter_(config.jitter, timing::Jitter::Part::kPipe) {
    if (config.sm.hazard_check) {
        checker_.emplace(config, config.warps());
    }
    issue_socket.on_request<&Datapath::on_issue>(this);
    branch_socket.on_response<&Datapath::on_branch_response>(this);
    barrier_socket.on_response<&Datapath::on_barrier_response>(this);
    load_store_socket.on_response<&Datapath::on_load_store_response>(this);
    lifecycle.on_request<&Datapath::on_lifecycle>(this);
}

void Datapath::clear_statistics() {
    stats_ = {};
    if (checker_) {
        checker_->clear();
    }
}

tlm_sync_enum Datapath::on_lifecycle(unsigned, tlm_generic_payload &payload, tlm_phase &, sc_time &) {
    const auto *ext = protocol::extension_of<protocol::LifecycleExtension>(payload);
    if (ext->kind == protocol::LifecycleExtension::Kind::kWarpStart) {
        const WarpStart &start = ext->start;
        Warp &warp = warp_of(start.warp);
        warp.start = start;
        warp.registers = compute::WarpRegisters(start.registers);
        warp.identity =
            compute::WarpIdentity::of({start.cta_id[0], start.cta_id[1], start.cta_id[2]}, start.launch->block,
                                      start.launch->grid, start.warp_in_cta, start.sm.value());
        if (checker_) {
            checker_->start(start.warp);
        }
    } else if (observer_ != nullptr && ext->kind == protocol::LifecycleExtension::Kind::kWarpEnded) {
        const Warp &warp = warp_of(ext->warp);
        observer_->ended(warp.start, warp.registers);
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

// --- issue ---------------------------------------------------------------------------------------------------------

tlm_sync_enum Datapath::on_issue(unsigned, tlm_generic_payload &payload, tlm_phase &phase, sc_time &delay) {
    auto &ext = *protocol::extension_of<IssueExtension>(payload);
    Warp &warp = warp_of(ext.warp);
    const isa::Instruction &insn = *ext.insn;
    ext.executed = ext.active & compute::guard(warp.registers, insn.pg, insn.pg_not);
    if (insn.unit == isa::Unit::kBranch && insn.spec().has(isa::kGuardPp)) {
        ext.executed &= compute::guard(warp.registers, insn.pp, insn.pp_not);
    }
    ++stats_.by_unit[static_cast<std::size_t>(insn.unit)];
    if (checker_) {
        const Hazard *hazard = checker_->issue(ext.warp, insn, ext.active, ext.executed, clock_.now());
        stats_.hazards = checker_->count();
        if (hazard != nullptr && config_.sm.hazard_fatal) {
            return refuse(
                ext, payload,
                {Fault::kHazard, fmt::format("the instruction {} {}{} of the instruction at {:#06x}, still in flight",
                                             hazard_text(hazard->kind), hazard->space, hazard->index, hazard->first)});
        }
    }
    const std::optional<std::uint8_t> missing = unallocated_register(insn, warp.registers.count());
    if (missing && ext.executed.any()) {
        return refuse(ext, payload,
                      {Fault::kIllegalInstruction,
                       fmt::format("R{} is beyond the {} registers of the warp", *missing, warp.registers.count())});
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
        status = insn.op == isa::Op::kLdc ? compute(warp, ext, payload, delay)
                                          : load_store(warp, ext, payload, phase, delay);
        break;
    case isa::Unit::kNone:
        // NOP and MEMBAR: their time is the issue stage's business.
        delay += clock_.period();
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        break;
    default:
        status = compute(warp, ext, payload, delay);
        break;
    }
    // A control instruction that waits for a shared pipeline of the BRU has not been executed yet.
    if (insn.unit != isa::Unit::kBranch || status == tlm::TLM_COMPLETED) {
        report(warp, payload);
    }
    if (status == tlm::TLM_COMPLETED) {
        report_completed(warp, payload, delay);
    }
    return status;
}

tlm_sync_enum Datapath::refuse(IssueExtension &ext, tlm_generic_payload &payload, FaultReport fault) {
    ext.fault = std::move(fault);
    payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    return tlm::TLM_COMPLETED;
}

void Datapath::note_result(WarpSlot warp, const isa::Instruction &insn, LaneMask lanes, const sc_time &delay) {
    if (checker_) {
        checker_->result(warp, insn, lanes, clock_.at(delay));
    }
}

void Datapath::report(const Warp &warp, const tlm_generic_payload &payload) {
    if (observer_ != nullptr && payload.get_response_status() != tlm::TLM_GENERIC_ERROR_RESPONSE) {
        const auto &ext = *payload.get_extension<IssueExtension>();
        observer_->executed({clock_.now(), warp.start, *ext.insn, ext.active, ext.executed, ext.sequence});
    }
}

void Datapath::report_completed(const Warp &warp, const tlm_generic_payload &payload, const sc_time &delay,
                                const LoadStoreExtension *access) {
    if (observer_ != nullptr && payload.get_response_status() != tlm::TLM_GENERIC_ERROR_RESPONSE) {
        const auto &ext = *payload.get_extension<IssueExtension>();
        observer_->completed(
            {clock_.at(delay), warp.start, *ext.insn, ext.executed, ext.sequence, warp.registers, access});
    }
}

// --- compute pipes -------------------------------------------------------------------------------------------------

const PipeConfig &Datapath::pipe(isa::Unit unit) const {
    switch (unit) {
    case isa::Unit::kFma:
        return config_.pipes.fma;
    case isa::Unit::kXu:
        return config_.pipes.xu;
    case isa::Unit::kFp64:
        return config_.pipes.fp64;
    case isa::Unit::kUniform:
        return config_.pipes.uniform;
    default:
        return config_.pipes.alu;
    }
}

std::uint32_t Datapath::latency(const isa::Instruction &insn) const {
    switch (insn.op) {
    case isa::Op::kS2r:
    case isa::Op::kS2ur:
        return config_.pipes.special_register;
    case isa::Op::kShfl:
    case isa::Op::kMatch:
    case isa::Op::kRedux:
        return config_.pipes.shuffle;
    case isa::Op::kLdc:
        return config_.lsu.constant_latency;
    default:
        return pipe(insn.unit).latency;
    }
}

tlm_sync_enum Datapath::compute(Warp &warp, IssueExtension &ext, tlm_generic_payload &payload, sc_time &delay) {
    const isa::Instruction &insn = *ext.insn;
    compute::ExecutionContext context{warp.identity, warp.start.launch->banks};
    if (insn.op == isa::Op::kS2r || insn.op == isa::Op::kCs2r || insn.op == isa::Op::kS2ur) {
        context.cycle = clock_.now();
        context.nanoseconds = rate_.nanoseconds_at(context.cycle);
    }
    if (auto fault = compute::execute(insn, warp.registers, ext.executed, context)) {
        return refuse(ext, payload, std::move(*fault));
    }
    ext.interval = insn.op == isa::Op::kLdc ? 1 : pipe(insn.unit).interval;
    delay += clock_.span(latency(insn));
    if (config_.jitter.seed != 0) {
        const Cycle now = clock_.now();
        ext.interval += static_cast<std::uint32_t>(pipe_jitter_(now, ext.warp.value()));
        delay += clock_.span(timing::needs_write_scoreboard(insn) ? result_jitter_(now, ext.warp.value()) : 0);
    }
    if (checker_) {
        note_result(ext.warp, insn, ext.executed, delay);
        checker_->sources_read(ext.warp, insn, ext.executed, clock_.now());
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

// --- control instructions ------------------------------------------------------------------------------------------

bool Datapath::fill_branch_operands(const Warp &warp, const isa::Instruction &insn, BranchExtension &ext) {
    const bool wide = insn.op == isa::Op::kCall || insn.op == isa::Op::kRet;
    switch (insn.form) {
    case isa::Form::kR: {
        const bool in_rb = insn.op == isa::Op::kWarpsync || insn.op == isa::Op::kNanosleep || insn.op == isa::Op::kTrap;
        const std::uint8_t reg = in_rb ? insn.rb : insn.ra;
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            ext.lanes[lane] = wide ? warp.registers.pair(reg, lane) : warp.registers.value(reg, lane);
        }
        return true;
    }
    case isa::Form::kU:
        ext.scalar = wide ? warp.registers.uniform_pair(insn.ur) : warp.registers.uniform(insn.ur);
        return true;
    case isa::Form::kC: {
        const std::optional<std::uint64_t> value =
            wide ? compute::read_constant64(warp.start.launch->banks, insn.const_bank, insn.const_offset)
                 : std::optional<std::uint64_t>(
                       compute::read_constant32(warp.start.launch->banks, insn.const_bank, insn.const_offset));
        if (!value) {
            ext.fault = {Fault::kIllegalAddress, fmt::format("constant c[{:#x}][{:#x}] is outside its bank",
                                                             insn.const_bank, insn.const_offset)};
            return false;
        }
        ext.scalar = *value;
        return true;
    }
    default:
        return true;
    }
}

tlm_sync_enum Datapath::branch(Warp &warp, IssueExtension &ext, tlm_generic_payload &payload, tlm_phase &phase,
                               sc_time &delay) {
    tlm_generic_payload &request = branch_pool_.acquire();
    auto &branch = *protocol::extension_of<BranchExtension>(request);
    const isa::Instruction &insn = *ext.insn;
    branch.warp = ext.warp;
    branch.insn = &insn;
    branch.guard = compute::guard(warp.registers, insn.pg, insn.pg_not);
    branch.guard_pp = compute::guard(warp.registers, insn.pp, insn.pp_not);
    branch.sequence = ext.sequence;
    branch.interval = 1;
    branch.upstream = &payload;
    branch.write_lanes = LaneMask{};
    if (!fill_branch_operands(warp, insn, branch)) {
        FaultReport fault = std::move(branch.fault);
        request.release();
        return refuse(ext, payload, std::move(fault));
    }
    const tlm_sync_enum status = branch_socket->nb_transport_fw(request, phase, delay);
    ext.interval = branch.interval;
    if (status == tlm::TLM_COMPLETED) {
        finish_branch(request, delay);
    }
    return status;
}

void Datapath::finish_branch(tlm_generic_payload &request, const sc_time &delay) {
    auto &branch = *protocol::extension_of<BranchExtension>(request);
    tlm_generic_payload &issue = *branch.upstream;
    auto &ext = *protocol::extension_of<IssueExtension>(issue);
    Warp &warp = warp_of(branch.warp);
    ext.outcome = branch.outcome;
    ext.next_pc = branch.next_pc;
    ext.next_active = branch.next_active;
    const isa::Instruction &insn = *branch.insn;
    for_each_lane(branch.write_lanes, [&](unsigned lane) {
        if (insn.op == isa::Op::kLepc) {
            warp.registers.set_pair(insn.rd, lane, branch.value);
        } else {
            warp.registers.set(insn.rd, lane, static_cast<std::uint32_t>(branch.value));
        }
    });
    ext.fault = branch.fault;
    note_result(branch.warp, insn, ext.executed, delay);
    issue.set_response_status(request.get_response_status());
    request.release();
}

tlm_sync_enum Datapath::on_branch_response(unsigned, tlm_generic_payload &request, tlm_phase &phase, sc_time &delay) {
    auto &branch = *protocol::extension_of<BranchExtension>(request);
    tlm_generic_payload &issue = *branch.upstream;
    if (phase != tlm::BEGIN_RESP) {
        return issue_socket->nb_transport_bw(issue, phase, delay);
    }
    const WarpSlot warp = branch.warp;
    finish_branch(request, delay);
    report(warp_of(warp), issue);
    report_completed(warp_of(warp), issue, delay);
    respond(issue, delay);
    return tlm::TLM_COMPLETED;
}

void Datapath::respond(tlm_generic_payload &issue, sc_time delay) {
    tlm_phase phase = tlm::BEGIN_RESP;
    issue_socket->nb_transport_bw(issue, phase, delay);
}

// --- barrier instructions ------------------------------------------------------------------------------------------

tlm_sync_enum Datapath::barrier(Warp &warp, IssueExtension &ext, tlm_generic_payload &payload, tlm_phase &phase,
                                sc_time &delay) {
    tlm_generic_payload &request = barrier_pool_.acquire();
    auto &barrier = *protocol::extension_of<BarrierExtension>(request);
    const isa::Instruction &insn = *ext.insn;
    barrier.warp = ext.warp;
    barrier.insn = &insn;
    barrier.pmask = ext.executed;
    barrier.contribution = compute::guard(warp.registers, insn.pp, insn.pp_not);
    barrier.outcome = Outcome::kContinue;
    barrier.writes = false;
    barrier.upstream = &payload;
    const auto copy = [&](std::uint8_t reg, std::array<std::uint32_t, kLanes> &to) {
        std::memcpy(to.data(), warp.registers.read(reg).lane, sizeof(to));
    };
    if (insn.op == isa::Op::kR2b) {
        copy(insn.ra, barrier.count_lanes);
    } else {
        switch (insn.form) {
        case isa::Form::kR:
            if (insn.op == isa::Op::kBarRed) {
                copy(insn.rb, barrier.id_lanes);
            } else {
                copy(insn.ra, barrier.id_lanes);
                copy(insn.rb, barrier.count_lanes);
            }
            break;
        case isa::Form::kRri:
            copy(insn.rb, barrier.id_lanes);
            break;
        case isa::Form::kRir:
            copy(insn.rc, barrier.count_lanes);
            break;
        default:
            break;
        }
    }
    // What the operands decide is an exception of this instruction and not of its arrival: nothing may run behind it.
    if (auto fault =
            bcu::operand_fault({insn, barrier.pmask, barrier.contribution, barrier.id_lanes, barrier.count_lanes})) {
        request.release();
        return refuse(ext, payload, std::move(*fault));
    }
    const tlm_sync_enum status = barrier_socket->nb_transport_fw(request, phase, delay);
    if (status == tlm::TLM_COMPLETED) {
        finish_barrier(request, delay);
    }
    return status;
}

void Datapath::finish_barrier(tlm_generic_payload &request, const sc_time &delay) {
    auto &barrier = *protocol::extension_of<BarrierExtension>(request);
    tlm_generic_payload &issue = *barrier.upstream;
    auto &ext = *protocol::extension_of<IssueExtension>(issue);
    ext.outcome = barrier.outcome;
    ext.fault = barrier.fault;
    const isa::Instruction &insn = *barrier.insn;
    if (barrier.writes) {
        Warp &warp = warp_of(barrier.warp);
        for_each_lane(barrier.pmask, [&](unsigned lane) { warp.registers.set(insn.rd, lane, barrier.value); });
        if (insn.op == isa::Op::kB2rResult) {
            warp.registers.set_predicate(insn.pu, barrier.predicate ? LaneMask::all() : LaneMask{}, barrier.pmask);
        }
    }
    note_result(barrier.warp, insn, barrier.pmask, delay);
    issue.set_response_status(request.get_response_status());
    request.release();
}

tlm_sync_enum Datapath::on_barrier_response(unsigned, tlm_generic_payload &request, tlm_phase &phase, sc_time &delay) {
    auto &barrier = *protocol::extension_of<BarrierExtension>(request);
    tlm_generic_payload &issue = *barrier.upstream;
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

tlm_sync_enum Datapath::load_store(Warp &warp, IssueExtension &ext, tlm_generic_payload &payload, tlm_phase &phase,
                                   sc_time &delay) {
    const isa::Instruction &insn = *ext.insn;
    if (ext.executed.none()) {
        // Nobody accesses: the instruction is dropped before the queue.
        delay += clock_.span(2);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    const isa::OpSpec &spec = insn.spec();
    tlm_generic_payload &request = load_store_pool_.acquire();
    auto &access = *protocol::extension_of<LoadStoreExtension>(request);
    access.warp = ext.warp;
    access.insn = &insn;
    access.lanes = ext.executed;
    access.upstream = &payload;
    const bool global = spec.has(isa::kGlobal);
    const auto &low = warp.registers.read(insn.ra).lane;
    if (global) {
        const auto &high = warp.registers.read(compute::upper_half(insn.ra)).lane;
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            access.address[lane] =
                (low[lane] | (std::uint64_t{high[lane]} << 32)) + static_cast<std::uint64_t>(insn.imm);
        }
    } else {
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            access.address[lane] = low[lane] + static_cast<std::uint32_t>(insn.imm);
        }
    }
    if (spec.has(isa::kShared)) {
        access.window_base = warp.start.shared_base;
        access.window_bytes = warp.start.shared_bytes;
    } else if (spec.has(isa::kLocal)) {
        const LaunchContext &launch = *warp.start.launch;
        const std::uint64_t slot = std::uint64_t{warp.start.sm.value()} * config_.warps() + warp.start.warp.value();
        access.window_base = launch.local_base + slot * launch.local_window();
        access.window_bytes = launch.local_bytes;
    }
    const auto copy = [&](std::uint8_t reg, std::array<std::uint32_t, kLanes> &to) {
        std::memcpy(to.data(), warp.registers.read(reg).lane, sizeof(to));
    };
    if (spec.has(isa::kWritesMemory)) {
        const bool cas = insn.op == isa::Op::kAtomsCas || insn.op == isa::Op::kAtomgCas;
        const isa::OperandSpec *source = nullptr;
        for (const isa::OperandSpec &operand : isa::find_form(spec, insn.form)->operands) {
            if (operand.place == isa::Place::kRb) {
                source = &operand;
            }
        }
        const unsigned words = isa::register_count(insn, *source);
        for (unsigned i = 0; i < words; ++i) {
            const auto at = [i](std::uint8_t reg) {
                return reg == isa::kRz ? reg : static_cast<std::uint8_t>(reg + i);
            };
            if (cas) {
                copy(at(insn.rb), access.compare[i]);
                copy(at(insn.rc), access.data[i]);
            } else {
                copy(at(insn.rb), access.data[i]);
            }
        }
    }
    const tlm_sync_enum status = load_store_socket->nb_transport_fw(request, phase, delay);
    if (observer_ != nullptr && request.get_response_status() != tlm::TLM_GENERIC_ERROR_RESPONSE) {
        observer_->accesses(access);
    }
    if (status == tlm::TLM_COMPLETED) {
        finish_load_store(access, request, payload, delay);
    }
    request.release(); // the unit holds a reference of its own until its response
    return status;
}

tlm_sync_enum Datapath::on_load_store_response(unsigned, tlm_generic_payload &request, tlm_phase &phase,
                                               sc_time &delay) {
    auto &access = *protocol::extension_of<LoadStoreExtension>(request);
    tlm_generic_payload &issue = *access.upstream;
    const isa::Instruction &insn = *access.insn;
    if (phase == protocol::SOURCES_READ && checker_) {
        checker_->sources_read(access.warp, insn, access.lanes, clock_.at(delay));
    }
    if (phase != tlm::BEGIN_RESP) {
        return issue_socket->nb_transport_bw(issue, phase, delay);
    }
    finish_load_store(access, request, issue, delay);
    report_completed(warp_of(access.warp), issue, delay, &access);
    respond(issue, delay);
    return tlm::TLM_COMPLETED;
}

void Datapath::finish_load_store(LoadStoreExtension &access, const tlm_generic_payload &request,
                                 tlm_generic_payload &issue, const sc_time &delay) {
    const isa::Instruction &insn = *access.insn;
    auto &ext = *protocol::extension_of<IssueExtension>(issue);
    ext.fault = access.fault;
    if (request.is_response_ok() && insn.spec().has(isa::kReadsMemory) && insn.rd != isa::kRz) {
        Warp &warp = warp_of(access.warp);
        for (const isa::OperandSpec &operand : isa::find_form(insn.spec(), insn.form)->operands) {
            if (operand.place != isa::Place::kRd) {
                continue;
            }
            for (unsigned i = 0; i < isa::register_count(insn, operand); ++i) {
                compute::Row &row = warp.registers.write(static_cast<std::uint8_t>(insn.rd + i));
                if (access.lanes == LaneMask::all()) {
                    std::memcpy(row.lane, access.data[i].data(), sizeof(row.lane));
                } else {
                    for_each_lane(access.lanes, [&](unsigned lane) { row.lane[lane] = access.data[i][lane]; });
                }
            }
        }
    }
    note_result(access.warp, insn, access.lanes, delay);
    if (checker_ && insn.rsb == isa::kNoScoreboard) { // with one, SOURCES_READ has said so already
        checker_->sources_read(access.warp, insn, access.lanes, clock_.at(delay));
    }
    issue.set_response_status(request.get_response_status());
}

} // namespace smsim::sm
