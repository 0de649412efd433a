// The barrier unit of the golden model: the barriers of all CTAs, by warp slot and CTA slot.
#include <algorithm>
#include <memory>
#include <span>

#include "cosim/barrier_slots.h"
#include "cosim/golden/handle.h"
#include "cosim/pin_codes.h"

using namespace smsim;
using cosim::BarrierSlots;

struct smsim_golden_bcu {
    static constexpr golden::Kind kKind = golden::Kind::kBcu;

    smsim_golden_bcu(unsigned warps, unsigned ctas) : slots(warps, ctas) {}

    golden::Kind kind = kKind;
    BarrierSlots slots;
};

namespace {

/// The position of the warp that runs in a slot; rejects an empty slot and a blocked warp.
BarrierSlots::Place runnable(const BarrierSlots &slots, std::uint32_t warp) {
    golden::require_below(warp, slots.warps(), "warp");
    const auto &place = slots.place(WarpSlot(warp));
    golden::require(place.has_value(), SMSIM_GOLDEN_BAD_STATE, "no warp runs in slot {}", warp);
    const auto blocked = slots.barriers(place->cta)->blocked_at(place->number);
    golden::require(!blocked, SMSIM_GOLDEN_BAD_STATE, "warp {} is blocked at barrier {}", warp,
                    blocked ? blocked->value() : 0);
    return *place;
}

void tell(std::span<const BarrierSlots::Release> releases, smsim_golden_bcu_release *told) {
    if (told == nullptr) {
        return;
    }
    *told = {};
    for (const BarrierSlots::Release &release : releases) {
        for (const WarpSlot warp : release.warps) {
            told->warp[told->count] = static_cast<std::uint8_t>(warp.value());
            told->barrier[told->count] = static_cast<std::uint8_t>(release.barrier.value());
            ++told->count;
        }
    }
}

smsim_golden_bcu_answer answer_of(const BarrierSlots::Answer &from) {
    smsim_golden_bcu_answer answer{};
    switch (from.kind) {
    case BarrierSlots::Answer::Kind::kAck:
        answer.kind = SMSIM_GOLDEN_ACK;
        answer.blocked = from.blocked ? 1 : 0;
        answer.fault = from.fault ? cosim::code_of(from.fault->fault) : 0;
        break;
    case BarrierSlots::Answer::Kind::kMove:
        answer.kind = SMSIM_GOLDEN_MOVE;
        answer.value = from.value;
        answer.predicate = from.predicate ? 1 : 0;
        answer.writes = from.writes ? 1 : 0;
        answer.undefined = from.undefined ? 1 : 0;
        break;
    case BarrierSlots::Answer::Kind::kRelease:
        answer.kind = SMSIM_GOLDEN_RELEASED;
        break;
    }
    return answer;
}

} // namespace

int smsim_golden_bcu_create(uint32_t warps, uint32_t ctas, smsim_golden_bcu **unit) {
    return golden::create(unit, [&] {
        golden::require_slots(warps, "warps");
        golden::require_slots(ctas, "ctas");
        return std::make_unique<smsim_golden_bcu>(warps, ctas);
    });
}

void smsim_golden_bcu_destroy(smsim_golden_bcu *unit) {
    golden::destroy(unit);
}

int smsim_golden_bcu_start(smsim_golden_bcu *unit, uint32_t warp, uint32_t cta, uint32_t number, uint32_t warps) {
    return golden::guarded([&] {
        BarrierSlots &slots = golden::checked(unit).slots;
        golden::require_below(warp, slots.warps(), "warp");
        golden::require_below(cta, slots.ctas(), "cta");
        golden::require_below(number, warps, "number");
        golden::require(!slots.place(WarpSlot(warp)), SMSIM_GOLDEN_BAD_STATE, "a warp runs in slot {} already", warp);
        if (const bcu::CtaBarriers *barriers = slots.barriers(CtaSlot(cta))) {
            golden::require(barriers->warps() == warps, SMSIM_GOLDEN_BAD_STATE, "the CTA in slot {} has {} warps", cta,
                            barriers->warps());
            golden::require(!slots.has_started(CtaSlot(cta), number), SMSIM_GOLDEN_BAD_STATE,
                            "warp {} of the CTA in slot {} has started already", number, cta);
        }
        WarpStart start;
        start.warp = WarpSlot(warp);
        start.cta = CtaSlot(cta);
        start.warp_in_cta = number;
        start.warps_in_cta = warps;
        slots.start(start);
    });
}

int smsim_golden_bcu_exit(smsim_golden_bcu *unit, uint32_t warp, smsim_golden_bcu_release *release) {
    return golden::guarded([&] {
        BarrierSlots &slots = golden::checked(unit).slots;
        runnable(slots, warp);
        tell(slots.exit(WarpSlot(warp)), release);
    });
}

int smsim_golden_bcu_operate(smsim_golden_bcu *unit, uint32_t warp, const smsim_golden_bcu_request *request,
                             smsim_golden_bcu_answer *answer, smsim_golden_bcu_release *release) {
    return golden::guarded([&] {
        BarrierSlots &slots = golden::checked(unit).slots;
        runnable(slots, warp);
        golden::require_pointer(request, "request");
        golden::require_pointer(answer, "answer");
        const isa::Instruction insn = golden::decoded(request->insn, 0, isa::Unit::kBarrier);
        isa::NarrowVectorOperands vectors{};
        std::copy_n(request->vector_a, kLanes, vectors[0].begin());
        std::copy_n(request->vector_b, kLanes, vectors[1].begin());
        const auto result = slots.serve(WarpSlot(warp), insn, LaneMask(request->pmask), LaneMask(request->pp), vectors);
        *answer = answer_of(*result);
        tell(result->release ? std::span(&*result->release, 1) : std::span<const BarrierSlots::Release>(), release);
    });
}

int smsim_golden_bcu_read_words(const smsim_golden_bcu *unit, uint32_t cta, uint32_t words[16]) {
    return golden::guarded([&] {
        const BarrierSlots &slots = golden::checked(unit).slots;
        golden::require_below(cta, slots.ctas(), "cta");
        golden::require_pointer(words, "words");
        for (std::uint32_t id = 0; id < kBarriers; ++id) {
            words[id] = slots.word(CtaSlot(cta), BarrierId(id));
        }
    });
}

int smsim_golden_bcu_read_warp(const smsim_golden_bcu *unit, uint32_t warp, smsim_golden_bcu_warp *state) {
    return golden::guarded([&] {
        const BarrierSlots &slots = golden::checked(unit).slots;
        golden::require_below(warp, slots.warps(), "warp");
        golden::require_pointer(state, "state");
        *state = {};
        if (const auto &place = slots.place(WarpSlot(warp))) {
            const bcu::CtaBarriers &barriers = *slots.barriers(place->cta);
            const auto blocked = barriers.blocked_at(place->number);
            *state = {1,
                      place->cta.value(),
                      place->number,
                      blocked ? 1U : 0U,
                      blocked ? blocked->value() : 0,
                      barriers.warp_word(place->number)};
        }
    });
}
