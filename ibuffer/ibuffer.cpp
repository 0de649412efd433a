#include "ibuffer/ibuffer.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>

#include <fmt/format.h>

#include "model/config/config.h"
#include "model/config/validate.h"
#include "model/program/past_end.h"

namespace smsim::ibuffer {

using protocol::IssueExtension;
using protocol::LifecycleExtension;
using protocol::LifecyclePayload;
using sc_core::sc_time;
using tlm::tlm_phase;
using tlm::tlm_sync_enum;

namespace {

/// The context of a fetch: 16 bytes of data, the decoded form if the target has it, and the warp that it is for.
struct FetchContext final : protocol::PooledExtension<FetchContext> {
    std::array<unsigned char, kInstructionBytes> bytes{};
    protocol::DecodedExtension decoded;
    unsigned warp = 0;
    Pc pc = 0;                 ///< in the program
    std::uint64_t address = 0; ///< as requested: an interconnect may change the payload's address
    std::uint64_t ticket = 0;
};

} // namespace

struct IBuffer::FetchBuffer {
    protocol::PayloadPool<FetchContext> pool;
    /// A payload that reads an instruction.
    protocol::LinkPayload<FetchContext> &acquire() {
        return pool.reuse([](protocol::LinkPayload<FetchContext> &fresh) {
            auto *context = protocol::extension_of(fresh);
            fresh.set_extension(&context->decoded);
            fresh.set_read();
            fresh.set_data_ptr(context->bytes.data());
            fresh.set_data_length(kInstructionBytes);
            fresh.set_streaming_width(kInstructionBytes);
        });
    }
    /// Instructions decoded here, by address, PC and word; they live as long as the module.
    std::map<std::tuple<std::uint64_t, Pc, std::uint64_t, std::uint64_t>, isa::Instruction> decoded;
    tlm::tlm_generic_payload *request_open = nullptr; ///< waits for its END_REQ
    std::map<std::uint64_t, FaultReport> refused; ///< errors at addresses that gave no instruction, except ends of code
};

IBuffer::IBuffer(const sc_core::sc_module_name &name, const Config &config, unsigned sub_partition)
    : IBuffer(name, config, sub_partition,
              make_issue_policy(valid(config).ibuffer, config.sm.warps_per_sub_partition)) {}

IBuffer::IBuffer(const sc_core::sc_module_name &name, const Config &config, unsigned sub_partition,
                 std::unique_ptr<IssuePolicy> policy)
    : sc_module(name_if_valid(name, config)), config_(config), sub_partitions_(config.sm.sub_partitions),
      sub_partition_(sub_partition), clock_(config), jitter_(config.jitter, timing::Jitter::Part::kFetch),
      stage_(config, sub_partition, *this, std::move(policy)), asks_cache_(stage_.wants_cache_answers()),
      fetches_(std::make_unique<FetchBuffer>()), direct_(config.icache.line_bytes) {
    alarm_.on_due<&IBuffer::cycle>(this);
    fetch_socket.on_response<&IBuffer::on_fetch_response>(this);
    fetch_socket.on_invalidate<&IBuffer::on_invalidate>(this);
    issue_socket.on_response<&IBuffer::on_issue_response>(this);
    barrier_wake.on_request<&IBuffer::on_wake>(this);
    sleep_wake.on_request<&IBuffer::on_wake>(this);
    lifecycle_in.on_request<&IBuffer::on_lifecycle>(this);
}

IBuffer::~IBuffer() = default;

void IBuffer::observe(observation::Observer *observer) {
    observer_ = observer;
    stage_.observe(observer);
}

void IBuffer::close() {
    stage_.close(clock_.now());
}

std::string IBuffer::describe(Cycle at) const {
    std::string text;
    for (unsigned i = 0; i < config_.sm.warps_per_sub_partition; ++i) {
        if (stage_.resident(i)) {
            const WarpStart &start = stage_.start_of(i);
            text += fmt::format("  CTA {} warp {} (slot {}): {} ({}) at {:#06x}, active {:#010x}\n", start.cta_number,
                                start.warp_in_cta, slot(i).value(), state_name(stage_.state(i, at)),
                                stall_name(stage_.reason(i, at)), stage_.pc(i), stage_.active(i).bits());
        }
    }
    return text;
}

// --- time ----------------------------------------------------------------------------------------------------------

void IBuffer::cycle() {
    const Cycle now = clock_.now();
    stepping_ = true;
    step_ = now;
    stage_.step(now);
    stepping_ = false;
    call_at(stage_.next_wake());
}

void IBuffer::call_at(Cycle at) {
    // Within a step, the stage itself says at the end when to call it next.
    if (!stepping_ && at != kNever) {
        alarm_.set(clock_.raw(at));
    }
}

// --- fetch ---------------------------------------------------------------------------------------------------------

const isa::Instruction *IBuffer::fetched_instruction(tlm::tlm_generic_payload &payload) {
    auto *context = protocol::extension_of<FetchContext>(payload);
    const Pc pc = context->pc;
    if (!payload.is_response_ok()) {
        if (payload.get_response_status() != tlm::TLM_ADDRESS_ERROR_RESPONSE) {
            fetches_->refused[context->address] = {Fault::kMemoryError,
                                                   fmt::format("instruction memory refused {} bytes at {:#06x}: {}",
                                                               kInstructionBytes, pc, payload.get_response_string())};
        }
        return nullptr;
    }
    if (context->decoded.insn != nullptr) {
        return context->decoded.insn;
    }
    isa::Word word;
    std::memcpy(&word.lo, context->bytes.data(), 8);
    std::memcpy(&word.hi, context->bytes.data() + 8, 8);
    const auto decoded = isa::decode(word, pc);
    if (const auto *insn = std::get_if<isa::Instruction>(&decoded)) {
        return &fetches_->decoded.try_emplace({context->address, pc, word.lo, word.hi}, *insn).first->second;
    }
    fetches_->refused[context->address] = {Fault::kIllegalInstruction, std::get<isa::DecodeError>(decoded).message()};
    return nullptr;
}

IssuePorts::Fetched IBuffer::fetch(unsigned warp, Pc pc) {
    const std::uint64_t address = stage_.start_of(warp).code_base + pc;
    if (const DirectLines::Line *line = direct_.read(address)) {
        const std::uint64_t ticket = next_ticket_++;
        return {line->insns + (address - line->first) / kInstructionBytes,
                fetched_at(step_ + line->latency, ticket, warp), ticket, FetchCause::kFetch};
    }
    return fetch_by_transaction(warp, pc, address);
}

/// Asks the instruction memory for direct reads around `address`. A grant of more than a line does not help here. A
/// target that refuses all addresses, such as a monitor of the link, is not asked again.
void IBuffer::ask_for_line(std::uint64_t address) {
    auto &payload = fetches_->acquire();
    auto *context = protocol::extension_of(payload);
    context->decoded.direct = nullptr;
    payload.set_dmi_allowed(false);
    payload.set_address(address);
    tlm::tlm_dmi dmi;
    const bool granted =
        fetch_socket->get_direct_mem_ptr(payload, dmi) && context->decoded.direct != nullptr && dmi.is_read_allowed();
    const std::uint64_t first = dmi.get_start_address();
    const std::uint64_t behind_first = dmi.get_end_address() - first;
    if (granted && behind_first < config_.icache.line_bytes) {
        const Cycle latency = clock_.at(dmi.get_read_latency()) - step_;
        direct_.grant({first, behind_first + 1, context->decoded.direct, latency});
    }
    direct_refused_ = !granted && behind_first == ~std::uint64_t{0};
    payload.release();
}

IssuePorts::Fetched IBuffer::fetch_by_transaction(unsigned warp, Pc pc, std::uint64_t address) {
    auto &payload = fetches_->acquire();
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    payload.set_dmi_allowed(false);
    auto *context = protocol::extension_of(payload);
    context->decoded.insn = nullptr;
    context->decoded.cause = FetchCause::kFetch;
    context->warp = warp;
    context->pc = pc;
    context->address = address;
    context->ticket = next_ticket_++;
    context->decoded.read_directly = direct_.read_since();
    payload.set_address(address);

    tlm_phase phase = tlm::BEGIN_REQ;
    sc_time delay = sc_core::SC_ZERO_TIME;
    const tlm_sync_enum status = fetch_socket->nb_transport_fw(payload, phase, delay);
    context->decoded.read_directly = {};
    Fetched fetched{nullptr, kNever, context->ticket, FetchCause::kL1Request};
    const auto answer = [&] {
        fetched.insn = fetched_instruction(payload);
        fetched.cause = context->decoded.cause;
        fetched.ready = fetched_at(clock_.at(delay), context->ticket, warp);
    };
    if (status == tlm::TLM_COMPLETED) {
        answer();
        const bool offers = payload.is_dmi_allowed() && fetched.insn != nullptr && !direct_refused_;
        payload.release();
        if (offers) {
            ask_for_line(address);
        }
    } else if (status == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP) {
        answer();
        stage_.fetch_open(clock_.at(delay)); // the response ends the request at the annotated time
        phase = tlm::END_RESP;
        fetch_socket->nb_transport_fw(payload, phase, delay);
        payload.release();
    } else if (status == tlm::TLM_UPDATED) {
        stage_.fetch_open(clock_.at(delay));
    } else {
        fetches_->request_open = &payload;
        stage_.fetch_open(kNever);
    }
    return fetched;
}

tlm_sync_enum IBuffer::on_fetch_response(unsigned, tlm::tlm_generic_payload &payload, tlm_phase &phase,
                                         sc_time &delay) {
    if (phase != tlm::END_REQ && phase != tlm::BEGIN_RESP) {
        return tlm::TLM_ACCEPTED; // extended phases may be ignored
    }
    const Cycle at = std::max(clock_.at(delay), clock_.now() + 1);
    if (fetches_->request_open == &payload) {
        // END_REQ, or BEGIN_RESP that implies it: the next request may follow.
        fetches_->request_open = nullptr;
        stage_.fetch_open(at);
        call_at(at);
    }
    if (phase != tlm::BEGIN_RESP) {
        return tlm::TLM_ACCEPTED;
    }
    const auto *context = protocol::extension_of<FetchContext>(payload);
    const Cycle ready = fetched_at(at, context->ticket, context->warp);
    stage_.fetched(context->warp, context->ticket, fetched_instruction(payload), ready, context->decoded.cause,
                   clock_.now());
    if (observer_ != nullptr) [[unlikely]] {
        observer_->observe(clock_.now(), observation::FetchEnded{ready, slot(context->warp), context->ticket});
    }
    call_at(ready);
    phase = tlm::END_RESP;
    payload.release();
    return tlm::TLM_COMPLETED;
}

// --- issue ---------------------------------------------------------------------------------------------------------

IssuePorts::Issued IBuffer::issue(unsigned warp, const isa::Instruction &insn, LaneMask active,
                                  std::uint64_t sequence) {
    protocol::IssuePayload &payload = issue_pool_.reuse([](protocol::IssuePayload &) {});
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    auto *ext = protocol::extension_of(payload);
    ext->warp = slot(warp);
    ext->age = stage_.start_of(warp).age;
    ext->insn = &insn;
    ext->active = active;
    ext->sequence = sequence;
    ext->placed = false;
    ext->asks_cache = asks_cache_ && isa::is_far_load(insn);
    ext->interval = 1;
    ext->outcome = Outcome::kContinue;
    tlm_phase phase = tlm::BEGIN_REQ;
    sc_time delay = sc_core::SC_ZERO_TIME;
    const tlm_sync_enum status = issue_socket->nb_transport_fw(payload, phase, delay);

    Issued issued;
    issued.interval = ext->interval;
    issued.executed = ext->executed;
    if (payload.get_response_status() == tlm::TLM_GENERIC_ERROR_RESPONSE) {
        ext->issued = step_;
        report_fault(stage_.start_of(warp), raised_at(stage_.issued_before(warp, clock_.now()), *ext), ext->fault);
        issued.kind = Issued::Kind::kFault;
    } else if (status == tlm::TLM_COMPLETED) {
        issued.kind = Issued::Kind::kDone;
        issued.result_at = std::max(clock_.at(delay), clock_.now() + 1);
        issued.outcome = ext->outcome;
        issued.next_pc = ext->next_pc;
        issued.next_active = ext->next_active;
    } else {
        ext->issued = step_;
        if (status == tlm::TLM_UPDATED) {
            issued.kind = Issued::Kind::kAccepted;
            const Cycle accepts_at = std::max(clock_.at(delay), step_ + 1);
            issued.interval = std::max(issued.interval, static_cast<std::uint32_t>(accepts_at - step_));
        } else {
            issued.kind = Issued::Kind::kQueueFull;
        }
        return issued;
    }
    payload.release();
    return issued;
}

inline void IBuffer::on_placed(unsigned warp, Cycle at) {
    if (const Cycle call = stage_.placed(warp, at, clock_.now() + 1); call != kNever) {
        call_at(call);
    }
}

inline void IBuffer::on_answer(const IssueExtension &ext, bool ok, Cycle at) {
    const unsigned warp = local(ext.warp);
    const IssueStage::Departed *departed = stage_.departed(ext.age);
    if (!ok) {
        // Instructions issued in this cycle do not count: whether they have been issued by now depends on the order of
        // processes.
        const std::uint64_t issued =
            departed != nullptr ? departed->instructions : stage_.issued_before(warp, clock_.now());
        report_fault(departed != nullptr ? departed->start : stage_.start_of(warp), raised_at(issued, ext), ext.fault);
        return;
    }
    if (departed != nullptr) {
        stage_.store_performed(ext.age, at);
    } else {
        if (!ext.placed && ext.insn->spec().accesses_memory()) {
            on_placed(warp, std::max(ext.placed_at, clock_.now() + 1)); // the answer may report a later cycle
        }
        call_at(stage_.answered(warp, *ext.insn, ext.outcome, ext.next_pc, ext.next_active, at));
        if (ext.asks_cache) [[unlikely]] {
            stage_.loaded(warp, ext.found, ext.issued, at);
        }
    }
    if (observer_ != nullptr) [[unlikely]] {
        const bool blocked = ext.outcome == Outcome::kBlocked;
        observer_->observe(clock_.now(),
                           observation::InstructionCompleted{at, ext.warp, ext.sequence, blocked, ext.age});
    }
}

tlm_sync_enum IBuffer::on_issue_response(unsigned, protocol::IssuePayload &payload, tlm_phase &phase, sc_time &delay) {
    auto *ext = protocol::extension_of(payload);
    const unsigned warp = local(ext->warp);
    const Cycle at = std::max(clock_.at(delay), clock_.now() + 1);
    if (phase == protocol::PLACED) {
        ext->placed = true;
        on_placed(warp, at);
        return tlm::TLM_ACCEPTED;
    }
    if (phase == tlm::END_REQ) {
        call_at(stage_.unit_ready(ext->insn->unit, at));
        return tlm::TLM_ACCEPTED;
    }
    if (phase == protocol::SOURCES_READ) {
        call_at(stage_.sources_read(warp, *ext->insn, at));
        return tlm::TLM_ACCEPTED;
    }
    on_answer(*ext, payload.get_response_status() == tlm::TLM_OK_RESPONSE, at);
    payload.release();
    return tlm::TLM_COMPLETED;
}

tlm_sync_enum IBuffer::on_wake(unsigned, protocol::WakePayload &payload, tlm_phase &, sc_time &delay) {
    const Cycle at = std::max(clock_.at(delay), clock_.now() + 1);
    stage_.wake(local(protocol::extension_of(payload)->warp), at);
    call_at(at);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

// --- lifecycle -----------------------------------------------------------------------------------------------------

tlm_sync_enum IBuffer::on_lifecycle(unsigned, LifecyclePayload &payload, tlm_phase &, sc_time &delay) {
    const auto *ext = protocol::extension_of(payload);
    if (ext->kind == LifecycleExtension::Kind::kWarpStart) {
        const Cycle at = std::max(clock_.at(delay), clock_.now() + 1);
        stage_.start(local(ext->start.warp), ext->start, at);
        if (observer_ != nullptr) [[unlikely]] {
            const WarpStart &start = ext->start;
            observer_->observe(clock_.now(), observation::WarpStarted{at, start.sm, start.warp, start.cta,
                                                                      start.cta_number, start.warp_in_cta, start.valid,
                                                                      start.entry, start.age, start.warps_in_cta});
        }
        call_at(at);
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

void IBuffer::exited(unsigned warp) {
    tell_warp(warp, LifecycleExtension::Kind::kWarpExited);
}

void IBuffer::ended(unsigned warp, bool stores_left) {
    tell_warp(warp, LifecycleExtension::Kind::kWarpEnded, stores_left);
}

void IBuffer::performed(const WarpStart &start, Cycle at) {
    LifecyclePayload &payload = lifecycle_pool_.acquire();
    auto *ext = protocol::extension_of(payload);
    ext->kind = LifecycleExtension::Kind::kWarpPerformed;
    ext->start = start;
    ext->warp = start.warp;
    ext->cta = start.cta;
    tell_dispatch(payload, at - std::min(at, clock_.now()));
}

void IBuffer::tell_warp(unsigned warp, LifecycleExtension::Kind kind, bool stores_left) {
    LifecyclePayload &payload = lifecycle_pool_.acquire();
    auto *ext = protocol::extension_of(payload);
    ext->kind = kind;
    ext->stores_left = stores_left;
    ext->warp = slot(warp);
    ext->cta = stage_.start_of(warp).cta;
    tell_dispatch(payload);
}

/// Reports one cycle after the event, which is `ahead` cycles from now.
void IBuffer::tell_dispatch(LifecyclePayload &payload, Cycle ahead) {
    if (!lifecycle_out.tell(payload, clock_.span(ahead + 1))) {
        SC_REPORT_ERROR(name(), "the CTA dispatch did not accept the end of a warp");
    }
}

void IBuffer::ran_past_end(unsigned warp, Pc pc, LaneMask active) {
    const protocol::RaisedAt at{nullptr, pc, active, active, step_, 0};
    if (const auto refused = fetches_->refused.find(stage_.start_of(warp).code_base + pc);
        refused != fetches_->refused.end()) {
        report_fault(stage_.start_of(warp), at, refused->second);
        return;
    }
    report_fault(stage_.start_of(warp), at, smsim::ran_past_end(pc));
}

/// `issued`: the number of instructions issued by the warp so far.
protocol::RaisedAt IBuffer::raised_at(std::uint64_t issued, const IssueExtension &ext) {
    const std::uint64_t beyond = issued > ext.sequence ? issued - ext.sequence - 1 : 0;
    return {ext.insn, ext.insn->pc, ext.active, ext.executed, ext.issued, beyond};
}

void IBuffer::report_fault(const WarpStart &start, const protocol::RaisedAt &at, FaultReport fault) {
    LifecyclePayload &payload = lifecycle_pool_.acquire();
    auto *ext = protocol::extension_of(payload);
    ext->kind = LifecycleExtension::Kind::kFault;
    ext->warp = start.warp;
    ext->cta = start.cta;
    ext->start = start;
    ext->raised = at;
    ext->fault = std::move(fault);
    tell_dispatch(payload);
}

} // namespace smsim::ibuffer
