// Order and timing of the barrier operations, and the transactions that carry their results.
#include "bcu/bcu.h"

#include <algorithm>
#include <any>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "bcu/barrier_statistics.h"
#include "model/config/config.h"
#include "model/config/validate.h"
#include "model/state/warp_resume.h"

namespace smsim::bcu {

using protocol::BarrierExtension;
using protocol::LifecycleExtension;
using sc_core::sc_time;
using tlm::tlm_phase;
using tlm::tlm_sync_enum;

namespace {

constexpr std::uint64_t kService = ~std::uint64_t{0}; // for the jitter: the unit itself, not a warp
constexpr Cycle kLeast = 1; // a notification from one part to another takes effect at least one cycle later

/// Completes a transaction on the call with an error that the sender can report.
tlm_sync_enum refuse(tlm::tlm_generic_payload &payload, FaultReport &into, std::string detail) {
    into = {Fault::kIllegalInstruction, std::move(detail)};
    payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    return tlm::TLM_COMPLETED;
}

} // namespace

bool Bcu::LaterOperation::operator()(const Pending &a, const Pending &b) const {
    return std::tie(a.sent, a.warp, a.order) > std::tie(b.sent, b.warp, b.order);
}

bool Bcu::LaterEvent::operator()(const LifeEvent &a, const LifeEvent &b) const {
    return std::tie(a.at, a.start, a.warp) > std::tie(b.at, b.start, b.warp);
}

Bcu::Bcu(const sc_core::sc_module_name &name, const Config &config)
    : sc_module(name_if_valid(name, config)), config_(config), clock_(config),
      jitter_(config.jitter, timing::Jitter::Part::kBarrier), arrival_latency_(config.bcu.arrival_latency),
      interval_(config.bcu.interval), residents_(config.warps()), ctas_(config.sm.max_ctas) {
    alarm_.on_due<&Bcu::cycle>(this);
    for (unsigned i = 0; i < config.sm.sub_partitions; ++i) {
        operations.push_back(
            std::make_unique<protocol::Target<protocol::BarrierLink>>(fmt::format("operations_{}", i).c_str()));
        operations.back()->on_request<&Bcu::on_operation>(this, i);
        wake.push_back(std::make_unique<protocol::Initiator<protocol::WakeLink>>(fmt::format("wake_{}", i).c_str()));
    }
    lifecycle.on_request<&Bcu::on_lifecycle>(this);
}

bool Bcu::anyone_blocked() const {
    return std::any_of(ctas_.begin(), ctas_.end(),
                       [](const std::optional<Cta> &cta) { return cta && !cta->barriers.waits().empty(); });
}

std::string Bcu::describe() const {
    std::string text;
    for (std::size_t slot = 0; slot < ctas_.size(); ++slot) {
        if (ctas_[slot]) {
            text +=
                bcu::describe(ctas_[slot]->barriers, ctas_[slot]->number, CtaSlot(static_cast<std::uint32_t>(slot)));
        }
    }
    return text;
}

// --- requests: collected now, served in a later cycle ----------------------------------------------------------------

tlm_sync_enum Bcu::on_operation(unsigned tag, protocol::BarrierPayload &payload, tlm_phase &phase, sc_time &delay) {
    auto *ext = protocol::extension_of(payload);
    if (phase != tlm::BEGIN_REQ) {
        return refuse(payload, ext->fault, "the barrier link expects BEGIN_REQ");
    }
    if (ext->warp.value() >= residents_.size() || ext->warp.value() % config_.sm.sub_partitions != tag) {
        return refuse(payload, ext->fault,
                      fmt::format("warp slot {} does not belong to sub-partition {}", ext->warp.value(), tag));
    }
    if (ext->insn == nullptr) {
        return refuse(payload, ext->fault, fmt::format("warp slot {} sent no instruction", ext->warp.value()));
    }
    payload.acquire();
    const Cycle sent = clock_.at(delay);
    pending_.push({sent, ext->warp, next_order_++, &payload});
    call_at(next_service());
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
}

tlm_sync_enum Bcu::on_lifecycle(unsigned, protocol::LifecyclePayload &payload, tlm_phase &, sc_time &delay) {
    auto *ext = protocol::extension_of(payload);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (ext->kind == LifecycleExtension::Kind::kFault || ext->kind == LifecycleExtension::Kind::kWarpEnded) {
        return tlm::TLM_COMPLETED; // nothing to do: the run ends, or the warp has already exited
    }
    const bool start = ext->kind == LifecycleExtension::Kind::kWarpStart;
    const WarpSlot warp = start ? ext->start.warp : ext->warp;
    if (warp.value() >= residents_.size()) {
        return refuse(payload, ext->fault, fmt::format("there is no warp slot {}", warp.value()));
    }
    if (start) {
        const WarpStart &data = ext->start;
        if (data.cta.value() >= ctas_.size()) {
            return refuse(payload, ext->fault, fmt::format("there is no CTA slot {}", data.cta.value()));
        }
        if (data.warps_in_cta > kMaxWarps || data.warp_in_cta >= data.warps_in_cta) {
            return refuse(payload, ext->fault,
                          fmt::format("warp {} of a CTA of {} warps: the barrier unit serves 1 to {} warps per CTA",
                                      data.warp_in_cta, data.warps_in_cta, kMaxWarps));
        }
    }
    const Cycle at = std::max(clock_.at(delay), clock_.now() + kLeast);
    life_.push({at, start, warp, start ? ext->start : WarpStart{}});
    call_at(at);
    return tlm::TLM_COMPLETED;
}

// --- time ----------------------------------------------------------------------------------------------------------

void Bcu::cycle() {
    const Cycle now = clock_.now();
    // Starts and exits first: an arrival of this cycle meets the warps as they are from this cycle on.
    while (!life_.empty() && life_.top().at <= now) {
        const LifeEvent event = life_.top();
        life_.pop();
        apply(event);
    }
    if (!pending_.empty() && next_service() <= now) {
        const Pending pending = pending_.top();
        pending_.pop();
        free_at_ = now + interval_ + jitter_(now, kService);
        use_.take(now, free_at_);
        serve(pending);
    }
    call_at(std::min(next_service(), life_.empty() ? kNever : life_.top().at));
}

Cycle Bcu::next_service() const {
    return pending_.empty() ? kNever : std::max(pending_.top().sent + arrival_latency_, free_at_);
}

void Bcu::call_at(Cycle at) {
    if (at != kNever) {
        alarm_.set(clock_.raw(at));
    }
}

// --- warps ---------------------------------------------------------------------------------------------------------

void Bcu::apply(const LifeEvent &event) {
    std::optional<Resident> &resident = residents_[event.warp.value()];
    if (event.start) {
        const WarpStart &data = event.data;
        std::optional<Cta> &cta = ctas_[data.cta.value()];
        if (!cta) {
            cta.emplace(data.cta_number, data.warps_in_cta);
            if (data.resume != nullptr) { // earlier arrivals are not timed
                cta->barriers = *std::any_cast<const std::shared_ptr<const CtaBarriers> &>(data.resume->barriers);
                cta->since.assign(cta->since.size(), event.at);
            }
        }
        if (resident || cta->number != data.cta_number || cta->barriers.warps() != data.warps_in_cta ||
            cta->slots[data.warp_in_cta]) {
            SC_REPORT_ERROR(name(),
                            fmt::format("warp {} of CTA {} started in warp slot {} and CTA slot {}, which are in use",
                                        data.warp_in_cta, data.cta_number, event.warp.value(), data.cta.value())
                                .c_str());
            return;
        }
        cta->slots[data.warp_in_cta] = event.warp;
        resident = Resident{data.cta, data.warp_in_cta};
        return;
    }
    if (!resident) {
        SC_REPORT_ERROR(name(), fmt::format("warp slot {} exited but had not started", event.warp.value()).c_str());
        return;
    }
    std::optional<Cta> &cta = ctas_[resident->cta.value()];
    const auto [cta_slot, warp_in_cta] = *resident;
    resident.reset();
    for (const Completion &completion : cta->barriers.exit(warp_in_cta)) {
        release(*cta, completion, {event.warp, cta_slot, true});
    }
    if (cta->barriers.exited() == cta->barriers.warps()) {
        cta.reset();
    }
}

// --- operations ----------------------------------------------------------------------------------------------------

void Bcu::serve(const Pending &pending) {
    const Cycle now = clock_.now();
    auto *ext = protocol::extension_of(*pending.payload);
    const std::optional<Resident> &resident = residents_[pending.warp.value()];
    ++stats_.instructions;
    ext->outcome = Outcome::kContinue;
    ext->value = 0;
    ext->predicate = false;
    ext->writes = false;
    pending.payload->set_response_status(tlm::TLM_OK_RESPONSE);

    if (!resident) {
        refuse(*pending.payload, ext->fault,
               fmt::format("warp slot {} executes a barrier instruction but holds no warp", pending.warp.value()));
        answer(pending, kLeast);
        return;
    }
    Cta &cta = *ctas_[resident->cta.value()];
    const std::uint32_t warp = resident->warp_in_cta;
    if (const auto at = cta.barriers.blocked_at(warp)) {
        refuse(*pending.payload, ext->fault,
               fmt::format("warp slot {} executes a barrier instruction while blocked at barrier {}",
                           pending.warp.value(), at->value()));
        answer(pending, kLeast);
        return;
    }

    if (config_.ideal.barriers && isa::waits_at_barrier(*ext->insn)) {
        answer(pending, kLeast);
        return;
    }
    const auto result =
        cta.barriers.execute(warp, operation_of(*ext->insn, ext->pmask, ext->contribution, ext->vectors));
    if (const auto *fault = std::get_if<FaultReport>(&result)) {
        ext->fault = *fault;
        pending.payload->set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        answer(pending, kLeast);
        return;
    }
    const Effect &effect = std::get<Effect>(result);
    ext->value = effect.value;
    ext->predicate = effect.predicate;
    ext->writes = effect.writes;
    stats_.undefined_reads += effect.undefined_read ? 1 : 0;

    Cycle latency = kLeast;
    if (isa::moves_barrier_state(*ext->insn)) {
        // Time in the queue is added; without it a move takes move_latency from the request to its result.
        latency = config_.bcu.move_latency > arrival_latency_ ? config_.bcu.move_latency - arrival_latency_ : kLeast;
    }
    if (effect.restored) {
        cta.uses[effect.restored->value()].reset(); // arrivals of the saved context are not timed here
    }
    if (effect.arrived) {
        count_arrival(cta, warp, *ext->insn, effect);
    }
    if (observer_ != nullptr) [[unlikely]] {
        tell_changed(cta, *resident, pending.warp, effect);
    }
    if (effect.blocked) {
        cta.since[warp] = now;
        ext->outcome = Outcome::kBlocked;
    }
    const bool waits = isa::waits_at_barrier(*ext->insn);
    // A warp that blocks is notified at once: its wake may follow in the next cycle. A turn already includes its delay.
    latency += effect.blocked || (effect.completion && waits) ? 0 : jitter_(now, pending.warp.value());
    if (effect.completion) {
        const Cycle turn = release(cta, *effect.completion,
                                   {pending.warp, resident->cta, false, waits ? std::optional(warp) : std::nullopt});
        latency = waits ? turn : latency;
    }
    answer(pending, latency);
}

void Bcu::answer(const Pending &pending, Cycle latency) {
    tlm_phase phase = tlm::BEGIN_RESP;
    sc_time delay = clock_.span(latency);
    const unsigned sub_partition = pending.warp.value() % config_.sm.sub_partitions;
    if ((*operations[sub_partition])->nb_transport_bw(*pending.payload, phase, delay) != tlm::TLM_COMPLETED) {
        SC_REPORT_ERROR(name(), "a barrier response was not answered with TLM_COMPLETED");
    }
    pending.payload->release();
}

/// Lets the blocked warps of a completed barrier continue, and returns the latency of the warp whose arrival completed
/// it: in hardware it is no different from the others, so it takes its turn in the same order.
Cycle Bcu::release(Cta &cta, const Completion &completion, const Completer &completer) {
    const Cycle now = clock_.now();
    if (observer_ != nullptr) [[unlikely]] {
        observer_->observe(now, observation::BarrierCompleted{now, completer.slot, completer.cta, completion.id});
    }
    const Cycle first = config_.bcu.release_latency;
    count_completion(cta, completion);
    Cycle turn = 0;
    Cycle completer_latency = 0;
    bool completer_waits = completer.waits.has_value();
    const std::uint32_t own = completer.waits.value_or(0);
    const auto next_latency = [&](WarpSlot slot) {
        return first + turn++ * config_.bcu.release_interval + jitter_(now, slot.value());
    };
    const bool lowest_first = config_.bcu.release_order == ReleaseOrder::kLowestFirst;
    for (std::size_t i = 0; i < completion.released.size(); ++i) {
        const std::uint32_t warp = completion.released[lowest_first ? i : completion.released.size() - 1 - i];
        if (completer_waits && (lowest_first ? own < warp : own > warp)) {
            completer_latency = next_latency(completer.slot);
            completer_waits = false;
        }
        const Cycle latency = next_latency(*cta.slots[warp]);
        const Cycle waited = now + latency - cta.since[warp];
        stats_.barriers[completion.id.value()].wait_cycles += waited;
        stats_.waits.add(waited);
        warp_stats(stats_, completion.id, warp).wait_cycles += waited;
        send_wake(*cta.slots[warp], latency);
        if (observer_ != nullptr) [[unlikely]] {
            observer_->observe(now, observation::BarrierReleased{now, *cta.slots[warp], completer.slot, completion.id,
                                                                 now + latency, completer.exits});
        }
    }
    return completer_waits ? next_latency(completer.slot) : completer_latency;
}

void Bcu::send_wake(WarpSlot warp, Cycle latency) {
    protocol::WakePayload &payload = wake_pool_.acquire();
    payload.extension().warp = warp;
    if (!wake[warp.value() % config_.sm.sub_partitions]->tell(payload, clock_.span(latency))) {
        SC_REPORT_ERROR(name(), fmt::format("the wake of warp slot {} was not completed", warp.value()).c_str());
    }
}

void Bcu::tell_changed(const Cta &cta, const Resident &resident, WarpSlot warp, const Effect &effect) {
    const std::optional<BarrierId> id = effect.arrived ? effect.arrived : effect.restored;
    if (id) {
        // A completed barrier is idle again; observers see its state at the last arrival.
        const BarrierState &state = effect.completion ? effect.completion->state : cta.barriers.barrier(*id);
        const Cycle now = clock_.now();
        observer_->observe(now, observation::BarrierChanged{now, warp, resident.cta, *id, state.arrived, state.expected,
                                                            effect.blocked, effect.restored.has_value(), pack(state)});
    }
}

// --- statistics ----------------------------------------------------------------------------------------------------

void Bcu::count_arrival(Cta &cta, std::uint32_t warp, const isa::Instruction &insn, const Effect &effect) {
    const Cycle now = clock_.now();
    bcu::count_arrival(stats_, warp, insn, effect);
    std::optional<Use> &use = cta.uses[effect.arrived->value()];
    if (!use) {
        use = Use{now, now};
    }
    use->last = now;
}

void Bcu::count_completion(Cta &cta, const Completion &completion) {
    bcu::count_completion(stats_, completion);
    BarrierStats &stats = stats_.barriers[completion.id.value()];
    if (const std::optional<Use> use = std::exchange(cta.uses[completion.id.value()], std::nullopt)) {
        const Cycle imbalance = use->last - use->first;
        stats.imbalance_cycles += imbalance;
        stats.imbalance_max = std::max(stats.imbalance_max, imbalance);
    }
}

} // namespace smsim::bcu
