#include "cosim/bcu_reference.h"

#include <algorithm>
#include <tuple>
#include <utility>

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
      move_latency_(std::max(config.move_latency, 1U)), acks_(kRoom * warps), moves_(kRoom * warps),
      slots_(warps, ctas), answers_(warps) {}

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
            free_at_ = service + 1; // checked again in the next cycle
            continue;
        }
        live_until(service);
        const Operation operation = operations_.front();
        operations_.pop_front();
        free_at_ = service + interval_;
        if (slots_.place(operation.warp)) {
            served.push_back(operation.warp);
        }
        serve(operation, service);
    }
    live_until(now);
    life_.erase(life_.begin(), event);
    return served;
}

void BcuReference::live(const Life &event) {
    if (event.start) {
        slots_.start(event.data);
        answers_[event.warp.value()].clear();
        return;
    }
    for (const BarrierSlots::Release &release : slots_.exit(event.warp)) {
        let_go(release, event.effect);
    }
}

void BcuReference::serve(const Operation &operation, Cycle service) {
    const auto result =
        slots_.serve(operation.warp, *operation.insn, operation.pmask, operation.contribution, operation.vectors);
    if (!result) {
        return;
    }
    const Cycle waited = operation.taken - operation.arrival; // for the block
    std::deque<Answer> &answers = answers_[operation.warp.value()];
    Answer answer;
    switch (result->kind) {
    case BarrierSlots::Answer::Kind::kMove: {
        const Cycle left = move_latency_ > arrival_latency_ ? move_latency_ - arrival_latency_ : 1;
        answers.push_back({Answer::Kind::kMove, false, std::nullopt, result->value, result->predicate, result->writes,
                           result->undefined, service + left - waited});
        moves_.served();
        break;
    }
    case BarrierSlots::Answer::Kind::kAck:
        answer.blocked = result->blocked;
        if (result->fault) {
            answer.fault = result->fault->fault;
        }
        answer.due = service + 1 - waited;
        answers.push_back(answer);
        acks_.served();
        break;
    case BarrierSlots::Answer::Kind::kRelease:
        break;
    }
    if (result->release) {
        let_go(*result->release, service - waited);
    }
}

/// Releases the warps of a barrier that completed in cycle `completed`.
void BcuReference::let_go(const BarrierSlots::Release &release, Cycle completed) {
    Answer go;
    go.kind = Answer::Kind::kGo;
    go.due = completed + release_latency_;
    for (const WarpSlot warp : release.warps) {
        answers_[warp.value()].push_back(go);
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
    for (std::size_t slot = 0; slot < answers_.size(); ++slot) {
        for (const Answer &answer : answers_[slot]) {
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
    auto &answers = answers_[warp.value()];
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
    std::string text;
    for (unsigned id = 0; id < kBarriers; ++id) {
        const std::uint32_t here = slots_.word(cta, BarrierId(id));
        if (here != there[id]) {
            text += fmt::format("{}barrier {} of CTA slot {}: model {:#010x}, RTL {:#010x}", text.empty() ? "" : "; ",
                                id, cta.value(), here, there[id]);
        }
    }
    return text.empty() ? std::nullopt : std::optional(text + " (docs/barrier-unit.md, State word)");
}

std::optional<std::string> BcuReference::difference(WarpSlot warp, std::uint32_t there) const {
    const auto &place = slots_.place(warp);
    if (!place) {
        return std::nullopt;
    }
    const std::uint32_t here = slots_.barriers(place->cta)->warp_word(place->number);
    if (here == there) {
        return std::nullopt;
    }
    return fmt::format("WarpBarState of warp slot {}: model {:#010x}, RTL {:#010x} (docs/barrier-unit.md, State word)",
                       warp.value(), here, there);
}

} // namespace smsim::cosim
