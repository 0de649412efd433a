// Targets and divergence.
#include "bru/engines/token_stack/branches.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "bru/engines/token_stack/tokens.h"

namespace smsim::bru::token_stack {
namespace {

std::string signed_hex(std::int64_t value) {
    return value < 0 ? fmt::format("-{:#x}", -value) : fmt::format("{:#x}", value);
}

} // namespace

std::optional<Violation> illegal_target(LaneMask threads, const Targets &targets, Pc program_bytes) {
    for (LaneMask rest = threads; rest.any(); rest &= ~LaneMask::lane(rest.lowest())) {
        const unsigned lane = rest.lowest();
        const std::int64_t target = targets[lane];
        const auto address = static_cast<Pc>(target);
        if (target < 0 || address >= program_bytes) {
            return Violation{Fault::kIllegalTarget,
                             fmt::format("thread {} would go to {}, outside the program of {:#x} bytes", lane,
                                         signed_hex(target), program_bytes),
                             lane, address};
        }
        if (address % kInstructionBytes != 0) {
            return Violation{Fault::kIllegalTarget,
                             fmt::format("thread {} would go to {:#x}, which is not a multiple of {}", lane, address,
                                         kInstructionBytes),
                             lane, address};
        }
    }
    return std::nullopt;
}

LaneMask jumping_threads(const ControlState &state, LaneMask willing, bool unanimous, bool unless_lmt) {
    if ((unanimous && willing != state.active) || (unless_lmt && state.lmt)) {
        return LaneMask();
    }
    return willing;
}

std::vector<Group> groups_of(LaneMask threads, const Targets &targets) {
    std::vector<Group> groups;
    for_each_lane(threads, [&](unsigned lane) {
        const auto target = static_cast<Pc>(targets[lane]);
        const auto same = std::ranges::find(groups, target, &Group::pc);
        if (same == groups.end()) {
            groups.push_back({LaneMask::lane(lane), target});
        } else {
            same->threads |= LaneMask::lane(lane);
        }
    });
    return groups;
}

void go_apart(ControlState &state, const std::vector<Group> &groups) {
    // Not a view: clang 14 does not compile those of GCC's library.
    for (auto waiting = groups.rbegin(); waiting != std::prev(groups.rend()); ++waiting) {
        state.stack.push_back({TokenKind::kDiv, waiting->threads, waiting->pc});
    }
    state.active = groups.front().threads;
    state.pc = groups.front().pc;
}

Effect branch(ControlState &state, LaneMask jumping, const Targets &targets, Pc program_bytes,
              const TokenStackConfig &config) {
    Effect effect;
    if (jumping.none()) {
        next_instruction(state);
        return effect;
    }
    if (effect.violation = illegal_target(jumping, targets, program_bytes); effect.violation) {
        return effect;
    }
    const Pc next = state.pc + kInstructionBytes;
    LaneMask falling = state.active & ~jumping;
    for_each_lane(jumping, [&](unsigned lane) {
        if (static_cast<Pc>(targets[lane]) == next) {
            falling |= LaneMask::lane(lane);
        }
    });
    std::vector<Group> groups = groups_of(jumping & ~falling, targets);
    if (falling.any()) {
        groups.insert(config.order == TokenStackOrder::kTakenFirst ? groups.end() : groups.begin(), {falling, next});
    }
    if (effect.violation = lacks_room(state, groups.size() - 1, config); effect.violation) {
        return effect;
    }
    effect.jumped = jumping;
    effect.split = groups.size() > 1;
    go_apart(state, groups);
    return effect;
}

} // namespace smsim::bru::token_stack
