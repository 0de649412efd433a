// Timing of the branch unit.
#include "bru/bru.h"

#include <algorithm>

#include <fmt/format.h>

#include "bru/timing.h"
#include "model/config/config.h"
#include "model/config/validate.h"
#include "model/state/launch_context.h"
#include "model/state/warp_resume.h"

namespace smsim::bru {

using protocol::BranchExtension;
using protocol::extension_of;
using protocol::LifecycleExtension;
using sc_core::sc_time;

void tell_executed(observation::Observer &observer, const BranchExtension &request, const StepResult &result, Cycle now,
                   Cycle completion, std::optional<LevelName> measured, std::uint64_t level) {
    observation::ControlExecuted event;
    event.at = now;
    event.warp = request.warp;
    event.outcome = result.outcome;
    if (result.event.kind == StepEvent::Kind::kSync) {
        event.sync = result.event.passed ? observation::SyncResult::kPassed : observation::SyncResult::kSwitched;
    }
    event.split = result.event.split;
    event.op = request.insn->op;
    event.pc = request.insn->pc;
    event.until = completion;
    event.active = result.event.active;
    event.jumped = result.event.jumped;
    event.next_active = result.next_active;
    event.next_pc = result.next_pc;
    event.release = result.event.release;
    event.measured = measured;
    event.level = level;
    observer.observe(now, event);
    if (result.outcome == Outcome::kSleep) {
        observer.observe(now, observation::WarpSlept{completion, request.warp});
    }
}

Bru::Bru(const sc_core::sc_module_name &name, const Config &config, SyscallHandler on_syscall)
    : Bru(name, config, make_engine(valid(config).bru, config.warps()), std::move(on_syscall)) {}

Bru::Bru(const sc_core::sc_module_name &name, const Config &config, std::unique_ptr<ReconvergenceEngine> engine,
         SyscallHandler on_syscall)
    : sc_module(name_if_valid(name, config)), branch("branch", config.sm.sub_partitions),
      wake("wake", config.sm.sub_partitions), config_(config), clock_(config), rate_(config.sm.clock_ghz),
      jitter_(config.jitter, timing::Jitter::Part::kBranch), engine_(std::move(engine)), statistics_(config.warps()),
      levels_(engine_->measured(), config.warps()),
      on_syscall_(on_syscall ? std::move(on_syscall) : SyscallHandler(log_syscall)), queues_(config.sm.sub_partitions),
      sleeps_(config.warps()) {
    pipelines_.resize(config.bru.pipelines);
    for (std::uint32_t sub = 0; sub < config.sm.sub_partitions; ++sub) {
        branch[sub].on_request<&Bru::on_branch>(this, sub);
        pipelines_[sub % pipelines_.size()].users.push_back(sub);
    }
    expiry.on_request<&Bru::on_expiry>(this);
    lifecycle.on_request<&Bru::on_lifecycle>(this);
    SC_METHOD(serve);
    sensitive << work_;
    dont_initialize();
}

// --- requests ------------------------------------------------------------------------------------------------------

bool Bru::acceptable(unsigned sub_partition, const Phase &phase, Payload &payload) {
    if (phase != tlm::BEGIN_REQ) {
        SC_REPORT_ERROR(name(), "only BEGIN_REQ is expected on the branch link");
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return false;
    }
    const auto *request = extension_of(payload);
    const bool good = request->insn != nullptr && request->warp.value() < sleeps_.size() &&
                      request->warp.value() % branch.size() == sub_partition;
    if (!good) {
        SC_REPORT_ERROR(name(), "a branch request needs an instruction and a warp of its sub-partition");
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    }
    return good;
}

tlm::tlm_sync_enum Bru::on_branch(unsigned sub_partition, Payload &payload, Phase &phase, sc_time &delay) {
    if (!acceptable(sub_partition, phase, payload)) {
        return tlm::TLM_COMPLETED;
    }
    auto &request = *extension_of(payload);
    Pipeline &pipeline = pipelines_[sub_partition % pipelines_.size()];
    const Cycle arrival = clock_.at(delay);
    if (pipeline.shared()) {
        request.interval = timing_of(config_.bru, *request.insn).interval;
        payload.acquire();
        queues_[sub_partition].push_back({&payload, arrival});
        clock_.notify(work_, next_service(pipeline));
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    }
    const Cycle completion = perform(pipeline, payload, std::max(arrival, pipeline.free));
    request.interval = static_cast<std::uint32_t>(pipeline.free - arrival);
    delay = clock_.until(completion);
    return tlm::TLM_COMPLETED;
}

ClassTiming Bru::occupy(const BranchExtension &request, Cycle start, Cycle extra) const {
    const std::uint64_t warp = request.warp.value();
    ClassTiming timing = timing_of(config_.bru, *request.insn);
    timing.interval += static_cast<std::uint32_t>(jitter_(start, 2 * warp) + extra);
    timing.latency += static_cast<std::uint32_t>(jitter_(start, 2 * warp + 1) + extra);
    return timing;
}

// --- shared pipelines ----------------------------------------------------------------------------------------------

Cycle Bru::next_service(const Pipeline &pipeline) const {
    Cycle earliest = kNever;
    for (const std::uint32_t user : pipeline.users) {
        if (!queues_[user].empty()) {
            earliest = std::min(earliest, queues_[user].front().arrival + 1);
        }
    }
    return earliest == kNever ? kNever : std::max(earliest, pipeline.free);
}

void Bru::serve_shared(Pipeline &pipeline) {
    const Cycle now = clock_.now();
    if (now < pipeline.free) {
        return;
    }
    for (std::size_t step = 0; step < pipeline.users.size(); ++step) {
        const std::size_t index = (pipeline.next_user + step) % pipeline.users.size();
        auto &queue = queues_[pipeline.users[index]];
        if (queue.empty() || queue.front().arrival >= now) {
            continue;
        }
        Payload &payload = *queue.front().payload;
        queue.pop_front();
        pipeline.next_user = (index + 1) % pipeline.users.size();
        const Cycle completion = perform(pipeline, payload, now);
        respond(pipeline.users[index], payload, completion);
        return;
    }
}

void Bru::respond(std::uint32_t sub_partition, Payload &payload, Cycle completion) {
    Phase phase = tlm::BEGIN_RESP;
    sc_time delay = clock_.until(completion);
    if (branch[sub_partition]->nb_transport_bw(payload, phase, delay) != tlm::TLM_COMPLETED) {
        SC_REPORT_ERROR(name(), "a response on the branch link is completed on the call");
    }
    payload.release();
}

void Bru::serve() {
    serve_sleeps();
    Cycle next = planned_.empty() ? kNever : planned_.begin()->first;
    for (Pipeline &pipeline : pipelines_) {
        if (pipeline.shared()) {
            serve_shared(pipeline);
            next = std::min(next, next_service(pipeline));
        }
    }
    if (!planned_.empty()) { // an instruction just served may have planned a sleep
        next = std::min(next, planned_.begin()->first);
    }
    if (next != kNever) {
        clock_.notify(work_, next);
    }
}

// --- execution -----------------------------------------------------------------------------------------------------

Cycle Bru::perform(Pipeline &pipeline, Payload &payload, Cycle start) {
    auto &request = *extension_of(payload);
    const WarpSlot warp = request.warp;
    const isa::Instruction &insn = *request.insn;
    apply_due_expiry(warp);
    StepResult result =
        engine_->execute(warp, insn, {request.guard, request.guard_pp, request.vectors, request.scalar});
    const ClassTiming timing = occupy(request, start, result.extra_cycles);
    pipeline.free = start + timing.interval;
    statistics_.count_busy(timing.interval);
    pipeline.use.add(clock_.now(), start, pipeline.free);
    const Cycle completion = start + timing.latency;
    if (result.fault) {
        request.fault = std::move(*result.fault);
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return completion;
    }
    request.outcome = result.outcome;
    request.next_pc = result.next_pc;
    request.next_active = result.next_active;
    request.write_lanes = result.write_lanes;
    request.value = result.value;
    request.refuses_arrivals = result.refuses_arrivals;
    statistics_.record(warp, insn, result, request.sequence, clock_.now(), completion);
    const std::uint64_t level = levels_.what() ? engine_->level(warp) : 0;
    levels_.changed(warp, level, clock_.now());
    Sleep &sleep = sleeps_[warp.value()];
    if (observer_ != nullptr) [[unlikely]] {
        tell_executed(*observer_, request, result, clock_.now(), completion, levels_.what(), level);
    }
    if (result.event.kind == StepEvent::Kind::kSyscall) {
        on_syscall_({sleep.start, insn, result.event.active, result.executed, clock_.now()});
    }
    if (result.sleep_ns) {
        request_sleep(warp, *result.sleep_ns, completion);
    }
    if (result.outcome == Outcome::kExited) { // a running timer has no thread left to wake
        levels_.end(warp, clock_.now());
        sleep.expected = kNever;
        sleep.clear = kNever;
    }
    sleep.asleep = result.outcome == Outcome::kSleep;
    if (sleep.asleep) {
        sleep.asleep_from = completion;
        if (sleep.clear != kNever) {
            wake_warp(warp);
        }
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return completion;
}

void Bru::clear_statistics() {
    statistics_.clear();
    levels_.clear();
    engine_->clear_counters();
    for (Pipeline &pipeline : pipelines_) {
        pipeline.use.clear(clock_.now());
    }
}

void Bru::add_use(Cycle end, UnitUses &uses) const {
    for (const Pipeline &pipeline : pipelines_) {
        smsim::add_use(uses, UsedUnit::kBranchUnit, 1, pipeline.use.until(end));
    }
}

void Bru::observe(observation::Observer *observer) {
    observer_ = observer;
    statistics_.observe(observer);
}

// --- sleep ---------------------------------------------------------------------------------------------------------

void Bru::apply_due_expiry(WarpSlot warp) {
    Sleep &sleep = sleeps_[warp.value()];
    if (sleep.clear > clock_.now()) {
        return;
    }
    engine_->timer_expired(warp);
    sleep.clear = kNever;
    sleep.expected = kNever;
}

void Bru::request_sleep(WarpSlot warp, std::uint32_t ns, Cycle from) {
    Sleep &sleep = sleeps_[warp.value()];
    const Cycle cycles = rate_.cycles_in(ns);
    // A running timer that expires earlier serves this sleep too; one that has fired is treated as running until its
    // expiry takes effect. Either way the outcome does not depend on whether the expiry was already reported.
    if (sleep.clear != kNever || sleep.expected <= from + cycles) {
        return;
    }
    sleep.expected = from + cycles;
    ask_timer(warp, cycles, from);
}

void Bru::ask_timer(WarpSlot warp, Cycle cycles, Cycle from) {
    protocol::TimerPayload &payload = timer_pool_.acquire();
    auto &request = *extension_of(payload);
    request.warp = warp;
    request.cycles = cycles;
    if (observer_ != nullptr) [[unlikely]] {
        observer_->observe(clock_.now(), observation::TimerStarted{from, warp, from + cycles});
    }
    if (!timer.tell(payload, clock_.until(from))) {
        SC_REPORT_ERROR(name(), "the sleep timer has refused a request");
    }
}

tlm::tlm_sync_enum Bru::on_expiry(unsigned, protocol::TimerPayload &payload, Phase &phase, sc_time &delay) {
    const auto *message = extension_of(payload);
    if (phase != tlm::BEGIN_REQ || message->warp.value() >= sleeps_.size()) {
        SC_REPORT_ERROR(name(), "an expiry is BEGIN_REQ with the warp of the timer");
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    const Cycle effect = std::max(clock_.at(delay), clock_.now() + 1);
    Sleep &sleep = sleeps_[message->warp.value()];
    if (sleep.expected == kNever || sleep.clear != kNever) {
        return tlm::TLM_COMPLETED; // for a sleep that is over, or for the previous warp of this slot
    }
    if (effect < sleep.expected) { // the same, but this warp sleeps, and its timer has been used up
        sleep.rearm = true;
        plan(message->warp, effect);
        return tlm::TLM_COMPLETED;
    }
    sleep.clear = effect;
    statistics_.count_wake();
    if (observer_ != nullptr) [[unlikely]] {
        observer_->observe(clock_.now(), observation::TimerExpired{effect, message->warp});
    }
    if (sleep.asleep) {
        wake_warp(message->warp);
    }
    return tlm::TLM_COMPLETED;
}

// Wakes a sleeping warp when the expiry takes effect, but not before its IBuffer has seen it asleep: if that is still
// ahead, the unit's process sends the wake.
void Bru::wake_warp(WarpSlot warp) {
    Sleep &sleep = sleeps_[warp.value()];
    const Cycle at = std::max(sleep.clear, sleep.asleep_from + 1);
    if (sleep.asleep_from <= clock_.now()) {
        send_wake(warp, at);
    } else {
        sleep.wake_at = at;
        plan(warp, at - 1);
    }
}

void Bru::send_wake(WarpSlot warp, Cycle at) {
    sleeps_[warp.value()].asleep = false;
    if (observer_ != nullptr) [[unlikely]] {
        observer_->observe(clock_.now(), observation::WarpWoken{at, warp});
    }
    protocol::WakePayload &payload = wake_pool_.acquire();
    extension_of(payload)->warp = warp;
    if (!wake[warp.value() % wake.size()].tell(payload, clock_.until(at))) {
        SC_REPORT_ERROR(name(), "an instruction buffer has refused a wake");
    }
}

void Bru::plan(WarpSlot warp, Cycle cycle) {
    planned_.emplace(cycle, warp.value());
    clock_.notify(work_, cycle);
}

void Bru::serve_sleeps() {
    const Cycle now = clock_.now();
    while (!planned_.empty() && planned_.begin()->first <= now) {
        const WarpSlot warp(planned_.begin()->second);
        planned_.erase(planned_.begin());
        Sleep &sleep = sleeps_[warp.value()];
        if (sleep.wake_at != kNever && sleep.wake_at <= now + 1) {
            const Cycle at = std::exchange(sleep.wake_at, kNever);
            send_wake(warp, at);
        }
        if (std::exchange(sleep.rearm, false) && sleep.expected != kNever && sleep.clear == kNever) {
            const Cycle from = now + 1;
            ask_timer(warp, sleep.expected > from ? sleep.expected - from : 1, from);
        }
    }
}

// --- life of warps -------------------------------------------------------------------------------------------------

tlm::tlm_sync_enum Bru::on_lifecycle(unsigned, protocol::LifecyclePayload &payload, Phase &phase, sc_time &) {
    const auto *message = extension_of(payload);
    const bool starts = message->kind == LifecycleExtension::Kind::kWarpStart;
    if (phase != tlm::BEGIN_REQ || (starts && message->start.warp.value() >= sleeps_.size())) {
        SC_REPORT_ERROR(name(), "a lifecycle message is BEGIN_REQ with a warp slot of this SM");
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    if (starts) {
        const WarpStart &start = message->start;
        engine_->start(start.warp, start.entry, start.valid, start.code_bytes);
        if (start.launch != nullptr && start.launch->program != nullptr) {
            engine_->runs(start.warp, *start.launch->program);
        }
        statistics_.start(start.warp);
        levels_.start(start, clock_.now());
        if (start.resume != nullptr) {
            engine_->restore(start.warp, start.resume->control);
            levels_.changed(start.warp, levels_.what() ? engine_->level(start.warp) : 0, clock_.now());
        }
        sleeps_[start.warp.value()] = Sleep{};
        sleeps_[start.warp.value()].start = start;
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

// --- looking inside ------------------------------------------------------------------------------------------------

ControlSnapshot Bru::snapshot(WarpSlot warp, std::optional<Pc> next) const {
    return engine_->snapshot(warp, {next, sleeps_.at(warp.value()).clear <= clock_.now()});
}

std::string Bru::describe(WarpSlot warp) const {
    const Sleep &sleep = sleeps_.at(warp.value());
    std::string text = engine_->describe(warp);
    if (sleep.asleep) {
        text += "; the warp sleeps";
    }
    if (sleep.expected != kNever) {
        text += fmt::format("; timer expires in cycle {}", sleep.expected);
    }
    return text;
}

} // namespace smsim::bru
