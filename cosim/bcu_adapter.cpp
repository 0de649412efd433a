#include "cosim/bcu_adapter.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "assembler/disassembler.h"
#include "cosim/channels.h"
#include "cosim/pin_codes.h"
#include "model/config/config.h"
#include "model/config/validate.h"

namespace smsim::cosim {

using protocol::BarrierExtension;
using protocol::extension_of;
using protocol::LifecycleExtension;
using sc_core::sc_time;

namespace {

constexpr std::uint64_t kBlocked = 3; // ack_outcome
// For Handshakes: which pins.
constexpr unsigned kRequests = 0;
constexpr unsigned kAcks = 1;
constexpr unsigned kMoves = 2;
constexpr unsigned kGoes = 3;

/// Whether an operation can raise the exception with code `code`: moves may be under way before and after it.
bool refused_with(const BarrierExtension &request, std::uint64_t code) {
    switch (fault_of(code).value_or(Fault::kIllegalInstruction)) {
    case Fault::kBarrierBusy:
        return request.insn->op == isa::Op::kR2b;
    case Fault::kBarrierOperand:
        return bcu::operand_fault(
                   bcu::operation_of(*request.insn, request.pmask, request.contribution, request.vectors))
            .has_value();
    default:
        return !isa::moves_barrier_state(*request.insn);
    }
}

/// The barrier at which an operation arrives; nothing when no thread executes it or it is not an arrival.
std::optional<BarrierId> arrival_of(const BarrierExtension &request) {
    if (request.pmask.none() || !request.insn->spec().has(isa::kArrives)) {
        return std::nullopt;
    }
    const auto resolved =
        bcu::resolve_operands(bcu::operation_of(*request.insn, request.pmask, request.contribution, request.vectors));
    const auto *operands = std::get_if<bcu::ArrivalOperands>(&resolved);
    return operands != nullptr ? std::optional(operands->id) : std::nullopt;
}

/// The instruction that the block receives: BARRIER is BAR.SYNC 0x0, for which the block has only one encoding.
isa::Instruction shown_to_block(const isa::Instruction &insn) {
    if (insn.op != isa::Op::kBarrier) {
        return insn;
    }
    isa::Instruction arrival;
    arrival.op = isa::Op::kBar;
    arrival.form = isa::Form::kI;
    arrival.unit = isa::Unit::kBarrier;
    return arrival;
}

} // namespace

BcuPins::BcuPins(const Block &block, unsigned subs, unsigned warps) {
    const PinFinder find(block, "bcu");
    rst = find.input("rst", 1);
    cfg_arrival_latency = find.input("cfg_arrival_latency", 16);
    cfg_interval = find.input("cfg_interval", 16);
    cfg_release_latency = find.input("cfg_release_latency", 16);
    cfg_release_interval = find.input("cfg_release_interval", 16);
    cfg_move_latency = find.input("cfg_move_latency", 16);
    req_valid = find.input("req_valid", 1, subs);
    req_ready = find.output("req_ready", 1, subs);
    req_warp = find.input("req_warp", 8, subs);
    req_insn = find.input("req_insn", 128, subs);
    req_pmask = find.input("req_pmask", 32, subs);
    req_pp = find.input("req_pp", 32, subs);
    req_vector_a = find.input("req_vector_a", 1024, subs);
    req_vector_b = find.input("req_vector_b", 1024, subs);
    ack_valid = find.output("ack_valid", 1);
    ack_ready = find.input("ack_ready", 1);
    ack_warp = find.output("ack_warp", 8);
    ack_outcome = find.output("ack_outcome", 2);
    ack_fault = find.output("ack_fault", 4);
    move_valid = find.output("move_valid", 1);
    move_ready = find.input("move_ready", 1);
    move_warp = find.output("move_warp", 8);
    move_value = find.output("move_value", 32);
    move_predicate = find.output("move_predicate", 1);
    move_writes = find.output("move_writes", 1);
    move_undefined = find.output("move_undefined", 1);
    go_valid = find.output("go_valid", 1, warps);
    go_ready = find.input("go_ready", 1, warps);
    start = find.input("start", 1, warps);
    start_cta = find.input("start_cta", 8);
    start_warps = find.input("start_warps", 8);
    start_index = find.input("start_index", 8, warps);
    exit = find.input("exit", 1, warps);
    busy = find.output("busy", 1);
    dbg_cta = find.input("dbg_cta", 8);
    dbg_barriers = find.output("dbg_barriers", 32, kBarriers);
    dbg_blocked = find.output("dbg_blocked", 1, kBarriers * warps);
    dbg_warp = find.input("dbg_warp", 8);
    dbg_word = find.output("dbg_word", 32);
}

BcuAdapter::BcuAdapter(const sc_core::sc_module_name &name, const Config &config, std::unique_ptr<Block> block,
                       const Watch &watch, Handshakes handshakes)
    : sc_module(name_if_valid(name, config)), config_(config), clock_(config), block_(std::move(block)),
      rules_(*block_), patience_(config.rtl.patience),
      pins_(*block_, config.sm.sub_partitions, warps_of(*block_, "bcu", "start", config)), handshakes_(handshakes),
      reference_(watch.lockstep ? std::make_unique<BcuReference>(config.bcu, pins_.start.fields(), config.sm.max_ctas)
                                : nullptr),
      recent_(watch.findings ? std::make_unique<RecentTransactions>("bcu", *block_, watch) : nullptr),
      requests_(config.sm.sub_partitions), warps_(pins_.start.fields()), uses_(config.sm.max_ctas) {
    for (unsigned i = 0; i < config.sm.sub_partitions; ++i) {
        operations.push_back(
            std::make_unique<protocol::Target<protocol::BarrierLink>>(fmt::format("operations_{}", i).c_str()));
        operations.back()->on_request<&BcuAdapter::on_operation>(this, i);
        wake.push_back(std::make_unique<protocol::Initiator<protocol::WakeLink>>(fmt::format("wake_{}", i).c_str()));
    }
    lifecycle.on_request<&BcuAdapter::on_lifecycle>(this);
    SC_METHOD(cycle);
    sensitive << event_;
    dont_initialize();
    set_straps(config.bcu);
    reset();
    if (recent_) {
        recent_->on_look_for_missing([this](Cycle now, Cycle due) { look_for_missing(now, due); });
    }
}

void BcuAdapter::set_straps(const BcuConfig &config) {
    const std::pair<const Pin &, std::uint32_t> straps[] = {
        {pins_.cfg_arrival_latency, std::max(config.arrival_latency, 1U)},
        {pins_.cfg_interval, std::max(config.interval, 1U)},
        {pins_.cfg_release_latency, std::max(config.release_latency, 1U)},
        {pins_.cfg_release_interval, config.release_interval},
        {pins_.cfg_move_latency, std::max(config.move_latency, 1U)},
    };
    if (config.release_order != ReleaseOrder::kLowestFirst) {
        throw InputError("bcu.release_order: a block of RTL releases the lowest warp first; expected 'lowest_first'");
    }
    for (const auto &[pin, value] : straps) {
        if (value > kMostStrapCycles) {
            throw InputError(fmt::format("bcu: a latency of {} cycles; the pins of the barrier unit hold at most {}",
                                         value, kMostStrapCycles));
        }
        pin.put(value);
    }
}

void BcuAdapter::reset() {
    for (const Pin &pin : {pins_.req_valid, pins_.start, pins_.exit}) {
        pin.clear();
    }
    for (const Pin &pin : {pins_.ack_ready, pins_.move_ready, pins_.go_ready}) {
        pin.fill();
    }
    cosim::reset(*block_, pins_.rst);
}

// --- requests and events: collected, passed to the block in their cycle --------------------------------------------

tlm::tlm_sync_enum BcuAdapter::on_operation(unsigned tag, Payload &payload, tlm::tlm_phase &phase, sc_time &delay) {
    auto *ext = extension_of(payload);
    if (phase != tlm::BEGIN_REQ || ext->insn == nullptr || ext->warp.value() >= warps_.size() ||
        ext->warp.value() % operations.size() != tag) {
        SC_REPORT_ERROR(name(), "a barrier operation is BEGIN_REQ with an instruction and a warp of its sub-partition");
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    payload.acquire();
    const Cycle arrival = clock_.at(delay);
    requests_.push(tag, payload, arrival);
    call_for(arrival);
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
}

tlm::tlm_sync_enum BcuAdapter::on_lifecycle(unsigned, protocol::LifecyclePayload &payload, tlm::tlm_phase &,
                                            sc_time &delay) {
    const auto *ext = extension_of(payload);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    const bool start = ext->kind == LifecycleExtension::Kind::kWarpStart;
    if (!start && ext->kind != LifecycleExtension::Kind::kWarpExited) {
        return tlm::TLM_COMPLETED;
    }
    const WarpSlot warp = start ? ext->start.warp : ext->warp;
    if (warp.value() >= warps_.size() || (start && ext->start.cta.value() >= uses_.size())) {
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    const Cycle told = clock_.told(delay);
    life_.push_back({told, start, warp, start ? ext->start : WarpStart{}});
    call_for(told);
    return tlm::TLM_COMPLETED;
}

void BcuAdapter::call_for(Cycle cycle) {
    if (cycle < called_for_) {
        called_for_ = cycle;
        event_.notify(clock_.until_edge(cycle));
    }
}

// --- one cycle of the block ----------------------------------------------------------------------------------------

void BcuAdapter::cycle() {
    const Cycle now = clock_.now();
    called_for_ = kNever;
    drive_life(now);
    requests_.offer(
        handshakes_, kRequests, pins_.req_valid, now, [](unsigned, const Payload &) { return true; },
        [this](unsigned sub, Payload &payload) { drive(sub, *extension_of(payload)); });
    block_->settle();
    take_requests(now);
    if (recent_) {
        recent_->sample(now);
    }
    checked_edge(*this, recent_.get(), *block_, rules_, now);
    take_outputs(now + 1);

    patience_.look(now, [&](Cycle before) { look_for_missing(now, before); });

    Cycle next = pins_.busy.get() != 0 ? now + 1 : requests_.next(now);
    for (const Life &one : life_) {
        next = std::min(next, std::max(one.told, now + 1));
    }
    if (next != kNever) {
        call_for(next);
    }
}

void BcuAdapter::drive_life(Cycle now) {
    pins_.start.clear();
    pins_.exit.clear();
    std::optional<CtaSlot> starting;
    std::erase_if(life_, [&](const Life &one) {
        if (one.told > now || (one.start && starting && *starting != one.data.cta)) {
            return false; // each CTA starts in its own cycle
        }
        Warp &warp = warps_[one.warp.value()];
        if (one.start) {
            starting = one.data.cta;
            warp.start = one.data;
            pins_.start.put(1, one.warp.value());
            pins_.start_cta.put(one.data.cta.value());
            pins_.start_warps.put(one.data.warps_in_cta);
            pins_.start_index.put(one.data.warp_in_cta, one.warp.value());
            if (reference_) {
                reference_->start(one.data, now + 1);
            }
        } else {
            pins_.exit.put(1, one.warp.value());
            if (reference_) {
                reference_->exit(one.warp, now + 1);
            }
        }
        return true;
    });
}

void BcuAdapter::drive(unsigned sub_partition, const BarrierExtension &request) {
    const auto word = std::get<isa::Word>(isa::encode(shown_to_block(*request.insn)));
    pins_.req_warp.put(request.warp.value(), sub_partition);
    std::memcpy(pins_.req_insn.bytes(sub_partition), &word.lo, 8);
    std::memcpy(pins_.req_insn.bytes(sub_partition) + 8, &word.hi, 8);
    pins_.req_pmask.put(request.pmask.bits(), sub_partition);
    pins_.req_pp.put(request.contribution.bits(), sub_partition);
    std::memcpy(pins_.req_vector_a.bytes(sub_partition), request.vectors[0].data(), sizeof request.vectors[0]);
    std::memcpy(pins_.req_vector_b.bytes(sub_partition), request.vectors[1].data(), sizeof request.vectors[1]);
}

void BcuAdapter::take_requests(Cycle now) {
    requests_.take(pins_.req_valid, pins_.req_ready, [&](unsigned, Payload &payload, Cycle arrival) {
        const auto &request = *extension_of(payload);
        ++stats_.instructions;
        warps_[request.warp.value()].flights.push_back(
            {&payload, arrival_of(request), isa::waits_at_barrier(*request.insn), now});
        if (reference_) {
            reference_->operation(request.warp, *request.insn, request.pmask, request.contribution, request.vectors,
                                  arrival, now);
        }
    });
}

// Outputs valid in cycle `next` are known after the edge that begins it, and are taken in that cycle unless held up.
void BcuAdapter::take_outputs(Cycle next) {
    if (pins_.ack_valid.any() || pins_.move_valid.any() || pins_.go_valid.any()) {
        active_ = next;
    }
    if (reference_) {
        for (const WarpSlot warp : reference_->advance(next - 1)) {
            const CtaSlot cta = warps_[warp.value()].start->cta;
            if (auto text = reference_->difference(cta, words(cta))) {
                recent_->differs(next, std::move(*text), false);
            }
            compare_word(warp, next);
        }
    }
    // A warp may be released before its held-up ack reports that it is blocked.
    const bool offered = pins_.ack_valid.get() != 0;
    acks_late_ = offered && (acks_late_ || handshakes_.hold(kAcks, 0, next));
    take_offered(handshakes_, kAcks, pins_.ack_valid, pins_.ack_ready, next, [&](unsigned) { acknowledged(next); });
    take_offered(handshakes_, kMoves, pins_.move_valid, pins_.move_ready, next, [&](unsigned) { moved(next); });
    take_offered(
        handshakes_, kGoes, pins_.go_valid, pins_.go_ready, next, [&](unsigned) { return !acks_late_; },
        [&](unsigned warp) { go(WarpSlot(warp), next); });
}

// --- answers -------------------------------------------------------------------------------------------------------

void BcuAdapter::acknowledged(Cycle next) {
    const std::uint64_t slot = pins_.ack_warp.get();
    const bool fault = pins_.ack_fault.get() != 0;
    Warp *warp = slot < warps_.size() ? &warps_[slot] : nullptr;
    const auto flight =
        warp == nullptr ? std::deque<Flight>::iterator{} : std::ranges::find_if(warp->flights, [&](const Flight &one) {
            return fault ? refused_with(*extension_of(*one.payload), pins_.ack_fault.get())
                         : !isa::moves_barrier_state(*extension_of(*one.payload)->insn);
        });
    if (warp == nullptr || flight == warp->flights.end()) {
        report_broken(
            *this, recent_.get(), next,
            fmt::format("an answer for warp slot {}, which waits for none (docs/pins.md, Barrier unit)", slot));
        return;
    }
    const Flight answered = *flight;
    warp->flights.erase(flight);
    BcuReference::Answer there;
    there.blocked = pins_.ack_outcome.get() == kBlocked;
    if (fault) {
        there.fault = fault_of(pins_.ack_fault.get()).value_or(Fault::kIllegalInstruction);
    }
    compare(WarpSlot(static_cast<std::uint32_t>(slot)), &answered, there, next);
    auto &request = *extension_of(*answered.payload);
    answered.payload->set_response_status(tlm::TLM_OK_RESPONSE);
    request.writes = false;
    request.outcome = Outcome::kContinue;
    if (fault) {
        request.fault = {*there.fault, fmt::format("{} is refused by the barrier unit", request.insn->spec().name)};
        answered.payload->set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    } else {
        if (pins_.ack_outcome.get() == kBlocked) {
            request.outcome = Outcome::kBlocked;
            warp->blocked = answered.arrives;
            warp->since = next - 1;
        }
        if (answered.arrives) {
            arrived(*warp, answered, next - 1);
            const CtaSlot cta = warp->start->cta;
            if (request.outcome != Outcome::kBlocked && words(cta)[answered.arrives->value()] == 0) {
                completed(*warp, *answered.arrives, next - 1); // by an arrival that does not wait
            }
        }
    }
    answer(*answered.payload, next);
}

void BcuAdapter::moved(Cycle next) {
    const std::uint64_t slot = pins_.move_warp.get();
    Warp *warp = slot < warps_.size() ? &warps_[slot] : nullptr;
    const auto flight =
        warp == nullptr ? std::deque<Flight>::iterator{} : std::ranges::find_if(warp->flights, [](const Flight &one) {
            return isa::moves_barrier_state(*extension_of(*one.payload)->insn);
        });
    if (warp == nullptr || flight == warp->flights.end()) {
        report_broken(
            *this, recent_.get(), next,
            fmt::format("a result for warp slot {}, which waits for none (docs/pins.md, Barrier unit)", slot));
        return;
    }
    const Flight answered = *flight;
    Payload &payload = *answered.payload;
    warp->flights.erase(flight);
    auto &request = *extension_of(payload);
    request.outcome = Outcome::kContinue;
    request.value = static_cast<std::uint32_t>(pins_.move_value.get());
    request.predicate = pins_.move_predicate.get() != 0;
    request.writes = pins_.move_writes.get() != 0;
    stats_.undefined_reads += pins_.move_undefined.get();
    compare(request.warp, &answered,
            {BcuReference::Answer::Kind::kMove, false, std::nullopt, request.value, request.predicate, request.writes,
             pins_.move_undefined.get() != 0},
            next);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    answer(payload, next);
}

/// Lets a warp go on: a blocked one, or the one whose arrival completed the barrier, which this answers.
void BcuAdapter::go(WarpSlot slot, Cycle next) {
    Warp &warp = warps_[slot.value()];
    const Cycle release = std::max(config_.bcu.release_latency, 1U);
    const auto flight = warp.blocked ? warp.flights.end()
                                     : std::ranges::find_if(warp.flights, [](const Flight &one) { return one.waits; });
    BcuReference::Answer there;
    there.kind = BcuReference::Answer::Kind::kGo;
    compare(slot, flight != warp.flights.end() ? &*flight : nullptr, there, next);
    if (reference_) {
        compare_word(slot, next);
    }
    if (warp.blocked) {
        const BarrierId id = *std::exchange(warp.blocked, std::nullopt);
        if (warp.since >= use_of(warp, id).first) { // else the use that it belongs to is over
            completed(warp, id, next - release);
        }
        const Cycle waited = next - warp.since;
        BarrierStats &stats = stats_.barriers[id.value()];
        stats.wait_cycles += waited;
        stats.warps[warp.start->warp_in_cta].wait_cycles += waited;
        send_wake(slot, next);
        return;
    }
    if (flight == warp.flights.end()) {
        report_broken(
            *this, recent_.get(), next,
            fmt::format("warp slot {} is let go, but does not wait (docs/pins.md, Barrier unit)", slot.value()));
        return;
    }
    const Flight last = *flight;
    warp.flights.erase(flight);
    auto &request = *extension_of(*last.payload);
    request.outcome = Outcome::kContinue;
    request.writes = false;
    if (last.arrives) {
        const Use &use = use_of(warp, *last.arrives);
        const Cycle at = use.completed.value_or(next - release);
        arrived(warp, last, at);
        completed(warp, *last.arrives, at);
        ++stats_.barriers[last.arrives->value()].warps[warp.start->warp_in_cta].last_arrivals;
    }
    last.payload->set_response_status(tlm::TLM_OK_RESPONSE);
    answer(*last.payload, next);
}

/// In lockstep: compares an answer in cycle `next` to the operation `flight`; null: the release of a blocked warp.
void BcuAdapter::compare(WarpSlot warp, const Flight *flight, const BcuReference::Answer &answer, Cycle next) {
    if (!reference_) {
        return;
    }
    const isa::Instruction *insn = flight != nullptr ? extension_of(*flight->payload)->insn : nullptr;
    recent_->transaction("cycles {}..{}, warp slot {}, {}: {}", flight != nullptr ? flight->taken : next, next,
                         warp.value(), insn != nullptr ? assembler::operation_text(*insn) : "release",
                         BcuReference::text_of(answer));
    const BcuReference::Comparison compared = reference_->compare(warp, answer, next);
    if (compared.due) {
        recent_->answered(insn != nullptr ? insn->spec().name : "release", *compared.due, next);
    }
    if (compared.difference) {
        recent_->differs(next, *compared.difference, flight != nullptr);
        if (flight != nullptr && difference_.empty()) {
            difference_ = *compared.difference;
        }
    }
}

void BcuAdapter::compare_word(WarpSlot warp, Cycle next) {
    if (auto text = reference_->difference(warp, warp_word(warp))) {
        recent_->differs(next, std::move(*text), false);
    }
}

/// Reports what the block has owed since `due` or earlier; in lockstep, first what the model has answered by then.
void BcuAdapter::look_for_missing(Cycle now, Cycle due) {
    if (reference_) {
        if (const auto text = reference_->missing(due)) {
            recent_->differs(now, *text, false);
        }
    }
    for (unsigned slot = 0; slot < warps_.size(); ++slot) {
        for (const Flight &flight : warps_[slot].flights) {
            if (flight.taken <= due) {
                const isa::Instruction &insn = *extension_of(*flight.payload)->insn;
                report_broken(
                    *this, recent_.get(), now,
                    fmt::format("warp slot {}, {}: taken in cycle {}, there is no answer ({}; docs/pins.md, Barrier "
                                "unit)",
                                slot, assembler::operation_text(insn), flight.taken,
                                isa::moves_barrier_state(insn) ? "move_valid, ack_valid" : "ack_valid, go_valid"));
            }
        }
    }
    requests_.on_offer(due, [&](unsigned sub, Payload &payload, Cycle arrival) {
        const auto &request = *extension_of(payload);
        report_broken(*this, recent_.get(), now,
                      fmt::format("warp slot {}, {}: offered since cycle {}, and not taken (req_ready of sub-partition "
                                  "{}; docs/pins.md, Barrier unit)",
                                  request.warp.value(), assembler::operation_text(*request.insn), arrival, sub));
    });
}

void BcuAdapter::answer(Payload &payload, Cycle effect) {
    if (!difference_.empty()) {
        extension_of(payload)->fault = {Fault::kLockstepDifference, difference_};
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    }
    const WarpSlot warp = extension_of(payload)->warp;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_time delay = clock_.until(effect);
    auto &socket = *operations[warp.value() % operations.size()];
    if (socket->nb_transport_bw(payload, phase, delay) != tlm::TLM_COMPLETED) {
        SC_REPORT_ERROR(name(), "a barrier response was not answered with TLM_COMPLETED");
    }
    payload.release();
}

void BcuAdapter::send_wake(WarpSlot warp, Cycle at) {
    protocol::WakePayload &payload = wake_pool_.acquire();
    extension_of(payload)->warp = warp;
    if (!wake[warp.value() % wake.size()]->tell(payload, clock_.until(at))) {
        SC_REPORT_ERROR(name(), fmt::format("the wake of warp slot {} was not completed", warp.value()).c_str());
    }
}

// --- statistics ----------------------------------------------------------------------------------------------------

BcuAdapter::Use &BcuAdapter::use_of(const Warp &warp, BarrierId id) {
    std::optional<Use> &use = uses_[warp.start->cta.value()][id.value()];
    if (!use) {
        use.emplace();
        use->first = kNever;
    }
    return *use;
}

void BcuAdapter::arrived(Warp &warp, const Flight &flight, Cycle at) {
    const BarrierId id = *flight.arrives;
    BarrierStats &stats = stats_.barriers[id.value()];
    const std::uint32_t number = warp.start->warp_in_cta;
    if (number >= stats.warps.size()) {
        stats.warps.resize(number + 1);
    }
    ++(flight.waits ? stats.arrivals : stats.arrivals_nonblocking);
    ++(flight.waits ? stats.warps[number].arrivals : stats.warps[number].arrivals_nonblocking);
    Use *use = &use_of(warp, id);
    if (use->completed && at > *use->completed) { // the last warps of the previous use have yet to go
        *use = {};
        use->first = kNever;
    }
    use->first = std::min(use->first, at);
    use->last = std::max(use->last, at);
    use->reduction = extension_of(*flight.payload)->insn->op == isa::Op::kBarRed;
}

void BcuAdapter::completed(Warp &warp, BarrierId id, Cycle at) {
    Use &use = use_of(warp, id);
    if (use.completed || use.first == kNever || use.first > at) {
        return; // known already
    }
    use.completed = at;
    BarrierStats &stats = stats_.barriers[id.value()];
    ++stats.completions;
    stats.reductions += use.reduction ? 1 : 0;
    const Cycle imbalance = std::max(use.last, at) - use.first;
    stats.imbalance_cycles += imbalance;
    stats.imbalance_max = std::max(stats.imbalance_max, imbalance);
}

// --- looking inside ------------------------------------------------------------------------------------------------

// A block may report busy without a reason, but not forever.
bool BcuAdapter::is_quiet() const {
    const bool idle = pins_.busy.get() == 0 || clock_.now() > active_ + patience_.cycles();
    return life_.empty() && idle && requests_.next(0) == kNever;
}

std::array<std::uint32_t, kBarriers> BcuAdapter::words(CtaSlot cta) const {
    pins_.dbg_cta.put(cta.value());
    block_->settle();
    std::array<std::uint32_t, kBarriers> words{};
    for (unsigned id = 0; id < kBarriers; ++id) {
        words[id] = static_cast<std::uint32_t>(pins_.dbg_barriers.get(id));
    }
    return words;
}

std::uint32_t BcuAdapter::warp_word(WarpSlot warp) const {
    pins_.dbg_warp.put(warp.value());
    block_->settle();
    return static_cast<std::uint32_t>(pins_.dbg_word.get());
}

std::string BcuAdapter::describe() const {
    std::string text;
    for (std::uint32_t slot = 0; slot < uses_.size(); ++slot) {
        const auto all = words(CtaSlot(slot));
        for (unsigned id = 0; id < kBarriers; ++id) {
            std::string waiting;
            std::uint64_t number = 0;
            for (const Warp &warp : warps_) {
                if (warp.start && warp.start->cta.value() == slot && warp.blocked && warp.blocked->value() == id) {
                    waiting += fmt::format("{}{}", waiting.empty() ? "" : ", ", warp.start->warp_in_cta);
                    number = warp.start->cta_number;
                }
            }
            if (!waiting.empty()) {
                text += fmt::format("  CTA {} (slot {}): barrier {}: state word {:#010x}, blocked warps {}\n", number,
                                    slot, id, all[id], waiting);
            }
        }
    }
    return text;
}

} // namespace smsim::cosim
