#include "cosim/barrier_slots.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace smsim::cosim {

void BarrierSlots::start(const WarpStart &start) {
    Cta &cta = ctas_[start.cta.value()];
    if (!cta.barriers) {
        cta.barriers.emplace(start.warps_in_cta);
    }
    cta.slots[start.warp_in_cta] = start.warp;
    warps_[start.warp.value()] = Place{start.cta, start.warp_in_cta};
}

std::vector<BarrierSlots::Release> BarrierSlots::exit(WarpSlot warp) {
    std::optional<Place> &place = warps_[warp.value()];
    std::vector<Release> releases;
    if (!place) {
        return releases;
    }
    Cta &cta = ctas_[place->cta.value()];
    for (const bcu::Completion &completion : cta.barriers->exit(place->number)) {
        releases.push_back(release_of(cta, completion, std::nullopt));
    }
    place.reset();
    if (cta.barriers->exited() == cta.barriers->warps()) {
        cta = {};
    }
    return releases;
}

std::optional<BarrierSlots::Answer> BarrierSlots::serve(WarpSlot warp, const isa::Instruction &insn, LaneMask pmask,
                                                        LaneMask contribution,
                                                        const isa::NarrowVectorOperands &vectors) {
    const std::optional<Place> &place = warps_[warp.value()];
    if (!place) {
        return std::nullopt;
    }
    Cta &cta = ctas_[place->cta.value()];
    if (cta.barriers->blocked_at(place->number)) {
        return std::nullopt;
    }
    auto result = cta.barriers->execute(place->number, bcu::operation_of(insn, pmask, contribution, vectors));
    Answer answer;
    if (auto *fault = std::get_if<FaultReport>(&result)) {
        answer.fault = std::move(*fault);
        return answer;
    }
    const auto &effect = std::get<bcu::Effect>(result);
    if (isa::moves_barrier_state(insn)) {
        answer.kind = Answer::Kind::kMove;
        answer.value = effect.value;
        answer.predicate = effect.predicate;
        answer.writes = effect.writes;
        answer.undefined = effect.undefined_read;
        return answer;
    }
    answer.blocked = effect.blocked;
    if (effect.completion) {
        const bool last = isa::waits_at_barrier(insn);
        answer.kind = last ? Answer::Kind::kRelease : Answer::Kind::kAck;
        answer.release = release_of(cta, *effect.completion, last ? std::optional(place->number) : std::nullopt);
    }
    return answer;
}

/// The released warps, including the one whose arrival completed the barrier, if it waits.
BarrierSlots::Release BarrierSlots::release_of(const Cta &cta, const bcu::Completion &completion,
                                               std::optional<std::uint32_t> last) {
    std::vector<std::uint32_t> numbers(completion.released.begin(), completion.released.end());
    if (last) {
        numbers.push_back(*last);
    }
    std::ranges::sort(numbers);
    Release release{completion.id, {}};
    for (const std::uint32_t number : numbers) {
        release.warps.push_back(cta.slots.at(number));
    }
    return release;
}

} // namespace smsim::cosim
