#include "cosim/bru_adapter.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "assembler/disassembler.h"
#include "bru/timing.h"
#include "cosim/bru_blocks.h"
#include "cosim/channels.h"
#include "cosim/pin.h"
#include "cosim/pin_codes.h"
#include "model/config/config.h"
#include "model/config/validate.h"
#include "model/isa/instruction.h"
#include "model/state/launch_context.h"

namespace smsim::cosim {

using bru::StepEvent;
using bru::StepResult;
using protocol::extension_of;
using protocol::LifecycleExtension;
using sc_core::sc_time;

namespace {

// For Handshakes: which pins.
constexpr unsigned kBranchRequests = 0;
constexpr unsigned kResponses = 1;
constexpr unsigned kTimer = 2;
constexpr unsigned kWakes = 3;

LaneMask mask_of(const Pin &pin, unsigned index) {
    return LaneMask(static_cast<std::uint32_t>(pin.get(index)));
}

/// Rejects, by name, what the pins of a branch unit cannot express.
void check(const Config &config) {
    if (config.bru.pipelines < config.sm.sub_partitions) {
        refuse_bru("bru.pipelines", "one for each sub-partition");
    }
    if (!ClockRate(config.sm.clock_ghz).fraction()) {
        refuse_bru("sm.clock_ghz", "a fraction of two 32-bit numbers is expected");
    }
}

/// Figures of each class, in the order of its channels.
std::array<bru::ClassTiming, kBranchClasses> timings(const BruConfig &config) {
    return {{{config.branch_latency, config.branch_interval},
             {config.barrier_latency, config.barrier_interval},
             {config.sync_latency, config.sync_interval},
             {config.yield_latency, config.yield_interval},
             {config.move_latency, config.move_interval}}};
}

} // namespace

BruAdapter::BruAdapter(const sc_core::sc_module_name &name, const Config &config, std::unique_ptr<Block> block,
                       const Watch &watch, Handshakes handshakes, bru::SyscallHandler on_syscall)
    : sc_module(name_if_valid(name, config)), branch("branch", config.sm.sub_partitions),
      wake("wake", config.sm.sub_partitions), config_(config), clock_(config), block_(std::move(block)),
      rules_(*block_), patience_(config.rtl.patience),
      pins_(*block_, config.sm.sub_partitions, warps_of(*block_, "bru", "start", config),
            bru_block(config.bru).fault_bits),
      engine_pins_(make_engine_pins(config.bru, *block_, config.sm.sub_partitions)),
      on_syscall_(on_syscall ? std::move(on_syscall) : bru::SyscallHandler(bru::log_syscall)),
      statistics_(pins_.start.fields()), handshakes_(handshakes), rate_(config.sm.clock_ghz),
      reference_(watch.lockstep ? std::make_unique<BruReference>(config.bru, pins_.start.fields()) : nullptr),
      sleeps_(watch.lockstep ? std::make_unique<SleepReference>(pins_.start.fields()) : nullptr),
      recent_(watch.findings ? std::make_unique<RecentTransactions>("bru", *block_, watch) : nullptr),
      rest_(config.bru.rtl_operations.all() ? nullptr : bru::make_engine(config.bru, pins_.start.fields())),
      free_at_(config.sm.sub_partitions), requests_(config.sm.sub_partitions), warps_(pins_.start.fields()) {
    check(config);
    for (std::uint32_t sub = 0; sub < config.sm.sub_partitions; ++sub) {
        branch[sub].on_request<&BruAdapter::on_branch>(this, sub);
    }
    expiry.on_request<&BruAdapter::on_expiry>(this);
    lifecycle.on_request<&BruAdapter::on_lifecycle>(this);
    SC_METHOD(cycle);
    sensitive << event_;
    dont_initialize();
    set_straps();
    reset();
    if (recent_) {
        recent_->on_look_for_missing([this](Cycle now, Cycle due) { look_for_missing(now, due); });
    }
}

void BruAdapter::set_straps() {
    const auto all = timings(config_.bru);
    for (unsigned i = 0; i < kBranchClasses; ++i) {
        if (all[i].latency > kMostStrapCycles || all[i].interval > kMostStrapCycles) {
            refuse_bru("bru", fmt::format("a latency or an interval is above {}", kMostStrapCycles));
        }
        pins_.cfg_latency[i].put(all[i].latency);
        pins_.cfg_interval[i].put(all[i].interval);
    }
    engine_pins_->set_straps(config_.bru);
    pins_.cfg_trap_enable.put(config_.bru.trap_handler >= 0 ? 1 : 0);
    pins_.cfg_trap_handler.put(static_cast<std::uint64_t>(std::max<std::int64_t>(config_.bru.trap_handler, 0)));
    const auto rate = *rate_.fraction();
    pins_.cfg_ns_cycles.put(rate.cycles);
    pins_.cfg_ns_time.put(rate.nanoseconds);
}

void BruAdapter::reset() {
    for (const Pin &pin : {pins_.req_valid, pins_.expiry, pins_.start}) {
        pin.clear();
    }
    for (const Pin &pin : {pins_.rsp_ready, pins_.timer_ready, pins_.wake_ready}) {
        pin.fill();
    }
    cosim::reset(*block_, pins_.rst);
}

// --- requests and events: collected, passed to the block in their cycle --------------------------------------------

tlm::tlm_sync_enum BruAdapter::on_branch(unsigned sub_partition, Payload &payload, Phase &phase, sc_time &delay) {
    auto *request = extension_of(payload);
    if (phase != tlm::BEGIN_REQ || request->insn == nullptr || request->warp.value() >= warps_.size() ||
        request->warp.value() % branch.size() != sub_partition) {
        SC_REPORT_ERROR(name(), "a branch request is BEGIN_REQ with an instruction and a warp of its sub-partition");
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    request->interval = bru::timing_of(config_.bru, *request->insn).interval;
    payload.acquire();
    const Cycle arrival = clock_.at(delay);
    requests_.push(sub_partition, payload, arrival);
    call_for(arrival);
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
}

tlm::tlm_sync_enum BruAdapter::on_expiry(unsigned, protocol::TimerPayload &payload, Phase &phase, sc_time &delay) {
    const auto *message = extension_of(payload);
    if (phase != tlm::BEGIN_REQ || message->warp.value() >= warps_.size()) {
        SC_REPORT_ERROR(name(), "an expiry is BEGIN_REQ with the warp of the timer");
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    const Cycle told = clock_.told(delay);
    expiries_.push_back({told, message->warp});
    call_for(told);
    return tlm::TLM_COMPLETED;
}

tlm::tlm_sync_enum BruAdapter::on_lifecycle(unsigned, protocol::LifecyclePayload &payload, Phase &phase,
                                            sc_time &delay) {
    const auto *message = extension_of(payload);
    const bool starts = message->kind == LifecycleExtension::Kind::kWarpStart;
    if (phase != tlm::BEGIN_REQ || (starts && message->start.warp.value() >= warps_.size())) {
        SC_REPORT_ERROR(name(), "a lifecycle message is BEGIN_REQ with a warp slot of this SM");
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    if (starts) {
        const WarpStart &start = message->start;
        warps_[start.warp.value()] = Warp{};
        warps_[start.warp.value()].start = start;
        statistics_.start(start.warp);
        const Cycle told = clock_.told(delay);
        starts_.push_back({told, start});
        call_for(told);
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

void BruAdapter::call_for(Cycle cycle) {
    if (cycle < called_for_) {
        called_for_ = cycle;
        event_.notify(clock_.until_edge(cycle));
    }
}

// --- one cycle of the block ----------------------------------------------------------------------------------------

void BruAdapter::cycle() {
    const Cycle now = clock_.now();
    called_for_ = kNever;
    pins_.now.put(now);
    drive_events(now);
    execute_unclaimed(now);
    requests_.offer(
        handshakes_, kBranchRequests, pins_.req_valid, now,
        [&](unsigned sub, Payload &payload) { return !rest_ || (claims(payload) && free_at_[sub] <= now); },
        [this](unsigned sub, Payload &payload) { drive(sub, payload); });
    block_->settle();
    take_requests(now);
    if (recent_) {
        recent_->sample(now);
    }
    checked_edge(*this, recent_.get(), *block_, rules_, now, [&] {
        pins_.now.put(now + 1); // outputs of the next cycle may depend on its number
        block_->settle();
    });
    take_outputs(now + 1);

    patience_.look(now, [&](Cycle before) { look_for_missing(now, before); });

    Cycle next = pins_.busy.get() != 0 ? now + 1 : requests_.next(now);
    for (const Start &start : starts_) {
        next = std::min(next, std::max(start.told, now + 1));
    }
    for (const Expiry &one : expiries_) {
        next = std::min(next, one.told);
    }
    if (next != kNever) {
        call_for(next);
    }
}

void BruAdapter::drive_events(Cycle now) {
    pins_.expiry.clear();
    std::erase_if(expiries_, [&](const Expiry &one) {
        if (one.told > now) {
            return false;
        }
        pins_.expiry.put(1, one.warp.value());
        expired_.push_back(one.warp);
        return true;
    });
    pins_.start.clear();
    const WarpStart *first = nullptr;
    std::erase_if(starts_, [&](const Start &one) {
        if (one.told > now || (first != nullptr && (one.start.entry != pins_.start_entry.get() ||
                                                    one.start.code_bytes != pins_.start_bytes.get()))) {
            return false; // warps of different programs start in different cycles
        }
        first = &one.start;
        pins_.start.put(1, one.start.warp.value());
        pins_.start_entry.put(one.start.entry);
        pins_.start_bytes.put(one.start.code_bytes);
        pins_.start_valid.put(one.start.valid.bits(), one.start.warp.value());
        engine_pins_->start(one.start);
        if (reference_) {
            reference_->start(one.start);
            sleeps_->start(one.start.warp);
        }
        if (rest_) {
            rest_->start(one.start.warp, one.start.entry, one.start.valid, one.start.code_bytes);
            if (one.start.launch != nullptr && one.start.launch->program != nullptr) {
                rest_->runs(one.start.warp, *one.start.launch->program);
            }
        }
        return true;
    });
}

void BruAdapter::drive(unsigned sub_partition, Payload &payload) {
    const auto &request = *extension_of(payload);
    const auto word = std::get<isa::Word>(isa::encode(*request.insn));
    pins_.req_warp.put(request.warp.value(), sub_partition);
    pins_.req_pc.put(request.insn->pc, sub_partition);
    std::memcpy(pins_.req_insn.bytes(sub_partition), &word.lo, 8);
    std::memcpy(pins_.req_insn.bytes(sub_partition) + 8, &word.hi, 8);
    pins_.req_guard.put(request.guard.bits(), sub_partition);
    pins_.req_guard_pp.put(request.guard_pp.bits(), sub_partition);
    std::memcpy(pins_.req_vector.bytes(sub_partition), request.vectors[0].data(), sizeof request.vectors[0]);
    pins_.req_scalar.put(request.scalar, sub_partition);
    engine_pins_->drive(sub_partition, request, warps_[request.warp.value()].start);
}

void BruAdapter::take_requests(Cycle now) {
    requests_.take(pins_.req_valid, pins_.req_ready, [&](unsigned sub, Payload &payload, Cycle arrival) {
        const auto &request = *extension_of(payload);
        Warp &warp = warps_[request.warp.value()];
        const bru::ClassTiming timing = bru::timing_of(config_.bru, *request.insn);
        const bru::Operands operands{request.guard, request.guard_pp, request.vectors, request.scalar};
        Cycle extra = 0; // known when the model runs beside the block
        if (reference_) {
            const StepResult &here = reference_->execute(request.warp, *request.insn, operands);
            extra = here.extra_cycles;
            if (!here.fault) {
                sleeps_->executed(request.warp, now + timing.latency, here.outcome,
                                  here.sleep_ns ? std::optional(rate_.cycles_in(*here.sleep_ns)) : std::nullopt);
            }
        }
        if (rest_) {
            extra = rest_->execute(request.warp, *request.insn, operands).extra_cycles;
        }
        const Cycle start = std::max(arrival, free_at_[sub]);
        free_at_[sub] = now + timing.interval + extra;
        warp.flights.push_back({&payload, class_of(*request.insn) * static_cast<unsigned>(branch.size()) + sub, now,
                                start + timing.latency + extra});
        statistics_.count_busy(timing.interval + extra);
    });
    // An expiry takes effect after the instruction that starts in the cycle in which it is signalled.
    for (const WarpSlot warp : std::exchange(expired_, {})) {
        expired(warp, now);
    }
}

void BruAdapter::expired(WarpSlot slot, Cycle now) {
    Warp &warp = warps_[slot.value()];
    if (!(sleeps_ ? sleeps_->expired(slot, now) : warp.expected <= now + 1)) {
        return; // it does not belong to a sleep of this warp
    }
    warp.expected = kNever;
    warp.changed = now;
    if (reference_) {
        reference_->expired(slot);
    }
    if (rest_) {
        rest_->timer_expired(slot);
    }
    statistics_.count_wake();
    if (observer_ != nullptr) {
        observer_->observe(now, observation::TimerExpired{now + 1, slot});
    }
}

bool BruAdapter::claims(Payload &payload) const {
    return config_.bru.rtl_operations.has(extension_of(payload)->insn->spec().name);
}

/// An instruction that the block does not claim takes its turn in the pipeline, and the model answers it. It changes
/// only ActivePC, which the block learns with the warp's next request.
void BruAdapter::execute_unclaimed(Cycle now) {
    if (!rest_) {
        return;
    }
    requests_.take_first(
        now, [&](unsigned sub, Payload &payload) { return !claims(payload) && free_at_[sub] <= now; },
        [&](unsigned sub, Payload &payload, Cycle) {
            auto &request = *extension_of(payload);
            const bru::ClassTiming timing = bru::timing_of(config_.bru, *request.insn);
            const bru::Operands operands{request.guard, request.guard_pp, request.vectors, request.scalar};
            const StepResult result = rest_->execute(request.warp, *request.insn, operands);
            if (reference_) {
                reference_->execute(request.warp, *request.insn, operands);
                reference_->difference(request.warp, *request.insn, result, std::nullopt);
            }
            free_at_[sub] = now + timing.interval;
            statistics_.count_busy(timing.interval);
            Warp &warp = warps_[request.warp.value()];
            warp.unclaimed = now;
            answer(warp, {&payload, 0, now, now + timing.latency}, result, now + timing.latency);
        });
}

// Outputs valid in cycle `next` are known after the edge that begins it, and are taken in that cycle unless held up.
void BruAdapter::take_outputs(Cycle next) {
    take_offered(handshakes_, kResponses, pins_.rsp_valid, pins_.rsp_ready, next,
                 [&](unsigned channel) { respond(channel, next); });
    take_offered(handshakes_, kTimer, pins_.timer_valid, pins_.timer_ready, next,
                 [&](unsigned sub) { ask_timer(sub, next); });
    // A wake does not wait for the response that lets the warp sleep, which may be held up.
    take_offered(
        handshakes_, kWakes, pins_.wake_valid, pins_.wake_ready, next,
        [&](unsigned warp) { return warps_[warp].asleep || warps_[warp].flights.empty(); },
        [&](unsigned warp) { woken(WarpSlot(warp), next); });
}

// --- responses -----------------------------------------------------------------------------------------------------

StepResult BruAdapter::result_of(unsigned channel) const {
    StepResult result;
    constexpr std::array<Outcome, 3> kOutcomes = {Outcome::kContinue, Outcome::kSleep, Outcome::kExited};
    result.outcome = kOutcomes.at(std::min<std::size_t>(pins_.rsp_outcome.get(channel), kOutcomes.size() - 1));
    result.next_pc = pins_.rsp_next_pc.get(channel);
    result.next_active = mask_of(pins_.rsp_next_active, channel);
    result.executed = mask_of(pins_.rsp_executed, channel);
    result.write_lanes = mask_of(pins_.rsp_write_lanes, channel);
    result.value = pins_.rsp_value.get(channel);
    result.event.kind = event_of(pins_.rsp_event.get(channel));
    result.event.active = mask_of(pins_.rsp_active, channel);
    result.event.jumped = mask_of(pins_.rsp_jumped, channel);
    result.event.split = pins_.rsp_split.get(channel) != 0;
    result.event.passed = pins_.rsp_passed.get(channel) != 0;
    result.event.release = release_of(pins_.rsp_release.get(channel));
    result.refuses_arrivals = engine_pins_->refuses_arrivals(channel);
    if (pins_.rsp_fault.get(channel) != 0) {
        result.fault = fault_in(channel);
        result.fault_lane = static_cast<unsigned>(pins_.rsp_fault_lane.get(channel));
        result.fault_value = pins_.rsp_fault_value.get(channel);
    }
    return result;
}

FaultReport BruAdapter::fault_in(unsigned channel) const {
    const std::uint64_t code = pins_.rsp_fault.get(channel);
    const std::uint64_t value = pins_.rsp_fault_value.get(channel);
    const std::uint64_t lane = pins_.rsp_fault_lane.get(channel);
    const std::optional<Fault> fault = fault_of(code);
    if (!fault) {
        return {Fault::kIllegalInstruction, fmt::format("the branch unit tells an exception of number {}", code)};
    }
    if (concerns_warp(*fault)) {
        return {*fault, describe(WarpSlot(static_cast<std::uint32_t>(pins_.rsp_warp.get(channel))))};
    }
    std::string detail;
    switch (*fault) {
    case Fault::kIllegalTarget:
        detail = fmt::format("thread {} would go to {:#x}", lane, value);
        break;
    case Fault::kTrap:
    case Fault::kIllegalTrap:
        detail = fmt::format("thread {}, index {}", lane, value);
        break;
    case Fault::kSyncDeadlock:
        detail = describe(WarpSlot(static_cast<std::uint32_t>(pins_.rsp_warp.get(channel))));
        break;
    default:
        detail = fmt::format("thread {}", lane);
        break;
    }
    return {*fault, detail};
}

void BruAdapter::respond(unsigned channel, Cycle effect) {
    const std::uint64_t slot = pins_.rsp_warp.get(channel);
    Warp *const of = slot < warps_.size() ? &warps_[slot] : nullptr;
    const auto found =
        of == nullptr ? std::deque<Flight>::iterator{} : std::ranges::find(of->flights, channel, &Flight::channel);
    if (of == nullptr || found == of->flights.end()) {
        report_broken(*this, recent_.get(), effect,
                      fmt::format("a response on channel {} for warp slot {}, which waits for none (docs/pins.md, "
                                  "Branch unit)",
                                  channel, slot));
        return;
    }
    Warp &warp = *of;
    const Flight flight = *found;
    warp.flights.erase(found);
    StepResult result = result_of(channel);
    if (reference_) {
        compare(warp, flight, result, effect);
    }
    answer(warp, flight, std::move(result), effect);
}

void BruAdapter::answer(Warp &warp, const Flight &flight, StepResult result, Cycle effect) {
    Payload &payload = *flight.payload;
    auto &request = *extension_of(payload);
    if (result.fault) {
        request.fault = std::move(*result.fault);
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    } else {
        request.outcome = result.outcome;
        request.next_pc = result.next_pc;
        request.next_active = result.next_active;
        request.write_lanes = result.write_lanes;
        request.value = result.value;
        request.refuses_arrivals = result.refuses_arrivals;
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        account(warp, flight, result, effect);
    }
    Phase phase = tlm::BEGIN_RESP;
    sc_time delay = clock_.until(effect);
    if (branch[request.warp.value() % static_cast<unsigned>(branch.size())]->nb_transport_bw(payload, phase, delay) !=
        tlm::TLM_COMPLETED) {
        SC_REPORT_ERROR(name(), "a response on the branch link is completed on the call");
    }
    payload.release();
}

/// In lockstep: turns a result that differs into the exception LockstepDifference.
void BruAdapter::compare(const Warp &warp, const Flight &flight, StepResult &result, Cycle effect) {
    const auto &request = *extension_of(*flight.payload);
    const isa::Instruction &insn = *request.insn;
    recent_->answered(insn.spec().name, flight.due, effect);
    recent_->transaction(
        "cycles {}..{}, warp slot {}, {:#06x} {}: guard {:#010x}, active {:#010x} -> executed {:#010x}, "
        "next {:#06x}, active {:#010x}{}{}",
        flight.started, effect, request.warp.value(), insn.pc, assembler::operation_text(insn), request.guard.bits(),
        result.event.active.bits(), result.executed.bits(), result.next_pc, result.next_active.bits(),
        result.outcome == Outcome::kSleep ? ", sleeps" : "",
        result.fault ? fmt::format(", {}", fault_name(result.fault->fault)) : "");
    const bool is_settled = warp.flights.empty() && (!warp.unclaimed || *warp.unclaimed < flight.started);
    auto text = reference_->difference(request.warp, insn, result,
                                       is_settled ? std::optional(engine_pins_->state(request.warp)) : std::nullopt);
    if (text) {
        recent_->differs(effect, *text, true);
        result.fault = FaultReport{Fault::kLockstepDifference, std::move(*text)};
    }
}

/// Reports an instruction that was never answered or never taken, or a sleep that nothing will end, if it dates from
/// `due` or earlier; in lockstep also what the model has answered by then.
void BruAdapter::look_for_missing(Cycle now, Cycle due) {
    const auto text_of = [](Payload &payload) {
        const isa::Instruction &insn = *extension_of(payload)->insn;
        return fmt::format("{:#06x} {}", insn.pc, assembler::operation_text(insn));
    };
    for (unsigned slot = 0; slot < warps_.size(); ++slot) {
        const Warp &warp = warps_[slot];
        for (const Flight &flight : warp.flights) {
            if (reference_ && flight.due <= due) {
                recent_->differs(now,
                                 fmt::format("warp slot {}, {}: model answers in cycle {}, RTL has not "
                                             "(docs/pins.md, Branch unit)",
                                             slot, text_of(*flight.payload), flight.due),
                                 false);
            }
        }
        if (auto text = sleeps_ ? sleeps_->missing(WarpSlot(slot), due) : std::nullopt) {
            recent_->differs(now, std::move(*text), false);
        }
        for (const Flight &flight : warp.flights) {
            if (flight.started <= due) {
                report_broken(*this, recent_.get(), now,
                              fmt::format("warp slot {}, {}: taken in cycle {}, there is no response on channel {} "
                                          "(rsp_valid; docs/pins.md, Branch unit)",
                                          slot, text_of(*flight.payload), flight.started, flight.channel));
            }
        }
        if (warp.asleep && expected(WarpSlot(slot)) == kNever && warp.changed <= due) {
            report_broken(*this, recent_.get(), now,
                          fmt::format("warp slot {} sleeps, no timer runs for it, and it is not woken (timer_valid, "
                                      "wake_valid; docs/pins.md, Branch unit, Sleep)",
                                      slot));
        }
    }
    requests_.on_offer(due, [&](unsigned sub, Payload &payload, Cycle arrival) {
        report_broken(*this, recent_.get(), now,
                      fmt::format("warp slot {}, {}: offered since cycle {}, and not taken (req_ready of sub-partition "
                                  "{}; docs/pins.md, Branch unit)",
                                  extension_of(payload)->warp.value(), text_of(payload), arrival, sub));
    });
}

void BruAdapter::account(Warp &warp, const Flight &flight, const StepResult &result, Cycle effect) {
    const auto &request = *extension_of(*flight.payload);
    statistics_.record(request.warp, *request.insn, result, request.sequence, flight.started, effect);
    if (result.outcome == Outcome::kExited) {
        warp.expected = kNever;
    }
    if (request.insn->spec().has(isa::kMayJump)) {
        warp.asleep = result.outcome == Outcome::kSleep;
        warp.changed = effect;
    }
    if (result.event.kind == StepEvent::Kind::kSyscall) {
        on_syscall_({warp.start, *request.insn, result.event.active, result.executed, flight.started});
    }
    if (observer_ != nullptr) {
        bru::tell_executed(*observer_, request, result, flight.started, effect);
    }
}

// --- sleep ---------------------------------------------------------------------------------------------------------

void BruAdapter::ask_timer(unsigned sub_partition, Cycle from) {
    const WarpSlot warp(static_cast<std::uint32_t>(pins_.timer_warp.get(sub_partition)));
    if (warp.value() >= warps_.size()) {
        report_broken(*this, recent_.get(), from,
                      fmt::format("a sleep of warp slot {}, which is none (docs/pins.md, Branch unit)", warp.value()));
        return;
    }
    const Cycle cycles = pins_.timer_cycles.get(sub_partition);
    if (sleeps_) {
        SleepReference::Comparison compared = sleeps_->asked(warp, cycles, from);
        recent_->transaction("cycle {}, warp slot {}: timer request of {} cycles", from, warp.value(), cycles);
        if (compared.due) {
            recent_->answered(kTimerRequest, *compared.due, from);
        }
        if (compared.difference) {
            recent_->differs(from, std::move(*compared.difference), false);
        }
    } else {
        warps_[warp.value()].expected = from + cycles;
    }
    if (observer_ != nullptr) {
        observer_->observe(clock_.now(), observation::TimerStarted{from, warp, from + cycles});
    }
    protocol::TimerPayload &payload = timer_pool_.acquire();
    auto &request = *extension_of(payload);
    request.warp = warp;
    request.cycles = cycles;
    if (!timer.tell(payload, clock_.until(from))) {
        SC_REPORT_ERROR(name(), "the sleep timer has refused a request");
    }
}

void BruAdapter::woken(WarpSlot warp, Cycle at) {
    if (!warps_[warp.value()].asleep) {
        report_broken(
            *this, recent_.get(), at,
            fmt::format("a wake of warp slot {}, which does not sleep (docs/pins.md, Branch unit)", warp.value()));
        return;
    }
    if (sleeps_) {
        recent_->transaction("cycle {}, warp slot {}: wake", at, warp.value());
        if (const auto due = sleeps_->woken(warp)) {
            recent_->answered(kWake, *due, at);
        } else {
            recent_->differs(
                at,
                fmt::format("warp slot {}: wake: model none, RTL one (docs/pins.md, Branch unit, Sleep)", warp.value()),
                false);
        }
    }
    send_wake(warp, at);
}

Cycle BruAdapter::expected(WarpSlot warp) const {
    return sleeps_ ? sleeps_->expected(warp) : warps_.at(warp.value()).expected;
}

void BruAdapter::send_wake(WarpSlot warp, Cycle at) {
    warps_[warp.value()].asleep = false;
    if (observer_ != nullptr) {
        observer_->observe(clock_.now(), observation::WarpWoken{at, warp});
    }
    protocol::WakePayload &payload = wake_pool_.acquire();
    extension_of(payload)->warp = warp;
    if (!wake[warp.value() % wake.size()].tell(payload, clock_.until(at))) {
        SC_REPORT_ERROR(name(), "an instruction buffer has refused a wake");
    }
}

// --- looking inside ------------------------------------------------------------------------------------------------

void BruAdapter::observe(observation::Observer *observer) {
    observer_ = observer;
    statistics_.observe(observer);
}

ControlSnapshot BruAdapter::snapshot(WarpSlot warp, std::optional<Pc> next) const {
    ControlSnapshot shown = engine_pins_->state(warp);
    if (next) {
        engine_pins_->catch_up(shown, *next);
    }
    return shown;
}

std::string BruAdapter::describe(WarpSlot warp) const {
    const Warp &seen = warps_.at(warp.value());
    std::string text = engine_pins_->describe(engine_pins_->state(warp));
    if (seen.asleep) {
        text += "; the warp sleeps";
    }
    if (expected(warp) != kNever) {
        text += fmt::format("; timer expires in cycle {}", expected(warp));
    }
    return text;
}

} // namespace smsim::cosim
