#include "cosim/bcu_reference.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace smsim::cosim {
namespace {

constexpr std::size_t kRoom = 4; // acks and moves of a warp that the unit holds (docs/pins.md, Barrier unit)

bool same(const BcuReference::Answer &a, const BcuReference::Answer &b) {
    if (a.kind == BcuReference::Answer::Kind::kMove) { // what is not written has any value
        return a.writes == b.writes && a.undefined == b.undefined &&
               (!a.writes || (a.value == b.value && a.predicate == b.predicate));
    }
    return a.fault == b.fault && (a.fault || a.blocked == b.blocked);
}

} // namespace

BcuReference::BcuReference(const BcuConfig &config, unsigned warps, unsigned ctas)
    : arrival_latency_(std::max(config.arrival_latency, 1U)), interval_(std::max(config.interval, 1U)),
      release_latency_(std::max(config.release_latency, 1U)), release_interval_(config.release_interval),
      move_latency_(std::max(config.move_latency, 1U)), acks_(kRoom * warps), moves_(kRoom * warps), warps_(warps),
      ctas_(ctas) {}

void BcuReference::start(const WarpStart &start, Cycle effect) {
    life_.push_back({effect, true, start.warp, start});
}

void BcuReference::exit(WarpSlot warp, Cycle effect) {
    life_.push_back({effect, false, warp, {}});
}

void BcuReference::operation(WarpSlot warp, const isa::Instruction &insn, LaneMask pmask, LaneMask contribution,
                             const isa::NarrowVectorOperands &vectors, Cycle arrival, Cycle taken) {
    const Operation one{arrival, taken, warp, &insn, pmask, contribution, vectors};
    const auto behind = std::ranges::upper_bound(operations_, std::tuple(taken, warp), {}, [](const Operation &other) {
        return std::tuple(other.taken, other.warp);
    });
    operations_.insert(behind, one);
}

std::vector<WarpSlot> BcuReference::advance(Cycle now) {
    std::vector<WarpSlot> served;
    // Exits before starts, lowest warp first.
    std::ranges::sort(life_, {}, [](const Life &one) { return std::tuple(one.effect, one.start, one.warp); });
    auto event = life_.begin();
    const auto live_until = [&](Cycle cycle) {
        for (; event != life_.end() && event->effect <= cycle; ++event) {
            live(*event);
        }
    };
    while (!operations_.empty()) {
        const Cycle service = std::max(operations_.front().taken + arrival_latency_, free_at_);
        if (service > now) {
            break;
        }
        if (acks_.is_full(service) || moves_.is_full(service)) {
            free_at_ = service + 1; // looked at again in the next cycle
            continue;
        }
        live_until(service);
        const Operation operation = operations_.front();
        operations_.pop_front();
        free_at_ = service + interval_;
        if (warps_[operation.warp.value()].cta) {
            served.push_back(operation.warp);
        }
        serve(operation, service);
    }
    live_until(now);
    life_.erase(life_.begin(), event);
    return served;
}

void BcuReference::live(const Life &event) {
    Warp &warp = warps_[event.warp.value()];
    if (event.start) {
        Cta &cta = ctas_[event.data.cta.value()];
        if (!cta.barriers) {
            cta.barriers.emplace(event.data.warps_in_cta);
        }
        cta.slots[event.data.warp_in_cta] = event.warp;
        warp = {event.data.cta, event.data.warp_in_cta, {}};
        return;
    }
    if (!warp.cta) {
        return;
    }
    Cta &cta = ctas_[warp.cta->value()];
    for (const bcu::Completion &completion : cta.barriers->exit(warp.number)) {
        release(cta, completion, std::nullopt, event.effect);
    }
    warp.cta.reset();
    if (cta.barriers->exited() == cta.barriers->warps()) {
        cta = {};
    }
}

void BcuReference::serve(const Operation &operation, Cycle service) {
    Warp &warp = warps_[operation.warp.value()];
    if (!warp.cta) {
        return;
    }
    Cta &cta = ctas_[warp.cta->value()];
    if (cta.barriers->blocked_at(warp.number)) {
        return;
    }
    const auto result = cta.barriers->execute(
        warp.number, bcu::operation_of(*operation.insn, operation.pmask, operation.contribution, operation.vectors));
    const Cycle waited = operation.taken - operation.arrival; // for the block
    Answer answer;
    answer.due = service + 1 - waited;
    if (const auto *fault = std::get_if<FaultReport>(&result)) {
        answer.fault = fault->fault;
        acks_.served();
        warp.answers.push_back(answer);
        return;
    }
    const auto &effect = std::get<bcu::Effect>(result);
    if (isa::moves_barrier_state(*operation.insn)) {
        const Cycle left = move_latency_ > arrival_latency_ ? move_latency_ - arrival_latency_ : 1;
        answer = {Answer::Kind::kMove, false,         std::nullopt,          effect.value,
                  effect.predicate,    effect.writes, effect.undefined_read, service + left - waited};
        moves_.served();
        warp.answers.push_back(answer);
        return;
    }
    const bool last = effect.completion && isa::waits_at_barrier(*operation.insn);
    if (!last) { // else its release is its answer
        answer.blocked = effect.blocked;
        acks_.served();
        warp.answers.push_back(answer);
    }
    if (effect.completion) {
        release(cta, *effect.completion, last ? std::optional(warp.number) : std::nullopt, service - waited);
    }
}

/// Lets the released warps go, and with them the one whose arrival has completed the barrier, if it waits.
void BcuReference::release(Cta &cta, const bcu::Completion &completion, std::optional<std::uint32_t> last,
                           Cycle completed) {
    std::vector<std::uint32_t> numbers(completion.released.begin(), completion.released.end());
    if (last) {
        numbers.push_back(*last);
    }
    std::ranges::sort(numbers);
    Answer go;
    go.kind = Answer::Kind::kGo;
    go.due = completed + release_latency_;
    for (const std::uint32_t number : numbers) {
        warps_[cta.slots.at(number).value()].answers.push_back(go);
        go.due += release_interval_;
    }
}

std::string BcuReference::text_of(const Answer &answer) {
    switch (answer.kind) {
    case Answer::Kind::kAck:
        return fmt::format("{}{}", answer.blocked ? "blocked" : "goes on",
                           answer.fault ? fmt::format(", {}", fault_name(*answer.fault)) : "");
    case Answer::Kind::kMove:
        return fmt::format("value {:#010x}, predicate {}, {}{}", answer.value, answer.predicate,
                           answer.writes ? "written" : "not written", answer.undefined ? ", undefined" : "");
    case Answer::Kind::kGo:
        break;
    }
    return "go";
}

std::optional<std::string> BcuReference::missing(Cycle due) const {
    for (std::size_t slot = 0; slot < warps_.size(); ++slot) {
        for (const Answer &answer : warps_[slot].answers) {
            if (answer.due <= due) {
                return fmt::format(
                    "warp slot {}: model {} in cycle {}, RTL has not answered (docs/barrier-unit.md, Time)", slot,
                    text_of(answer), answer.due);
            }
        }
    }
    return std::nullopt;
}

BcuReference::Comparison BcuReference::compare(WarpSlot warp, const Answer &there, Cycle taken) {
    if (there.kind != Answer::Kind::kGo) {
        (there.kind == Answer::Kind::kAck ? acks_ : moves_).taken(taken);
    }
    auto &answers = warps_[warp.value()].answers;
    const auto here = std::ranges::find(answers, there.kind, &Answer::kind);
    if (here == answers.end()) {
        return {fmt::format("warp slot {}: model has no such answer now, RTL {} (docs/barrier-unit.md, Time)",
                            warp.value(), text_of(there)),
                std::nullopt};
    }
    const Answer expected = *here;
    answers.erase(here);
    if (same(expected, there)) {
        return {std::nullopt, expected.due};
    }
    return {fmt::format("warp slot {}: model {}, RTL {} (docs/barrier-unit.md)", warp.value(), text_of(expected),
                        text_of(there)),
            expected.due};
}

std::optional<std::string> BcuReference::difference(CtaSlot cta,
                                                    const std::array<std::uint32_t, kBarriers> &there) const {
    const auto &barriers = ctas_[cta.value()].barriers;
    std::string text;
    for (unsigned id = 0; id < kBarriers; ++id) {
        const std::uint32_t here = barriers ? bcu::pack(barriers->barrier(BarrierId(id))) : 0;
        if (here != there[id]) {
            text += fmt::format("{}barrier {} of CTA slot {}: model {:#010x}, RTL {:#010x}", text.empty() ? "" : "; ",
                                id, cta.value(), here, there[id]);
        }
    }
    return text.empty() ? std::nullopt : std::optional(text + " (docs/barrier-unit.md, State word)");
}

std::optional<std::string> BcuReference::difference(WarpSlot warp, std::uint32_t there) const {
    const Warp &one = warps_[warp.value()];
    if (!one.cta) {
        return std::nullopt;
    }
    const std::uint32_t here = ctas_[one.cta->value()].barriers->warp_word(one.number);
    if (here == there) {
        return std::nullopt;
    }
    return fmt::format("WarpBarState of warp slot {}: model {:#010x}, RTL {:#010x} (docs/barrier-unit.md, State word)",
                       warp.value(), here, there);
}

} // namespace smsim::cosim
