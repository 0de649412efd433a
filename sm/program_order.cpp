#include "sm/program_order.h"

#include <algorithm>
#include <utility>

namespace smsim::sm {

ProgramOrder::Warp *ProgramOrder::held_of(WarpSlot slot) {
    return slot.value() < warps_.size() && !warps_[slot.value()].empty() ? &warps_[slot.value()] : nullptr;
}

void ProgramOrder::postponed(const ExecutedInstruction &instruction) {
    const std::size_t slot = instruction.start.warp.value();
    warps_.resize(std::max(warps_.size(), slot + 1));
    warps_[slot].push_back({instruction, true, std::nullopt, std::nullopt});
    observer_.postponed(instruction);
}

void ProgramOrder::executed(const ExecutedInstruction &instruction) {
    Warp *const warp = held_of(instruction.start.warp);
    if (warp == nullptr) [[likely]] {
        observer_.executed(instruction);
        return;
    }
    const auto place =
        std::ranges::find(*warp, instruction.sequence, [](const Held &held) { return held.instruction.sequence; });
    if (place == warp->end()) {
        warp->push_back({instruction, false, std::exchange(access_, std::nullopt), std::nullopt});
        observer_.postponed(instruction);
        return;
    }
    place->waits = false;
    tell_ready(*warp);
}

void ProgramOrder::accesses(const protocol::LoadStoreExtension &access) {
    if (held_of(access.warp) == nullptr) [[likely]] {
        observer_.accesses(access);
    } else {
        access_ = access;
    }
}

void ProgramOrder::completed(const CompletedInstruction &instruction) {
    if (Warp *const warp = held_of(instruction.start.warp)) [[unlikely]] {
        // A store of the previous warp in the slot may be answered now.
        for (Held &held : *warp) {
            if (held.instruction.sequence == instruction.sequence &&
                held.instruction.start.age == instruction.start.age) {
                held.result = {instruction.cycle, instruction.registers.copy(),
                               instruction.access != nullptr ? std::optional<MemoryRequest>(*instruction.access)
                                                             : std::nullopt};
                return;
            }
        }
    }
    observer_.completed(instruction);
}

void ProgramOrder::tell(const Held &held) {
    if (held.access) {
        static_cast<MemoryRequest &>(told_) = *held.access;
        observer_.accesses(told_);
    }
    const ExecutedInstruction &instruction = held.instruction;
    observer_.executed(instruction);
    if (held.result) {
        const Result &result = *held.result;
        if (result.access) {
            static_cast<MemoryRequest &>(told_) = *result.access;
        }
        observer_.completed({result.cycle, instruction.start, instruction.insn, instruction.executed,
                             instruction.sequence, result.registers, result.access ? &told_ : nullptr});
    }
}

void ProgramOrder::tell_ready(Warp &warp) {
    while (!warp.empty() && !warp.front().waits) {
        tell(warp.front());
        warp.pop_front();
    }
}

void ProgramOrder::tell_rest() {
    for (Warp &warp : warps_) {
        for (; !warp.empty(); warp.pop_front()) {
            if (!warp.front().waits) {
                tell(warp.front());
            }
        }
    }
}

} // namespace smsim::sm
