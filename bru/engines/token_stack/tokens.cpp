// Room, spilling, leaving and resuming.
#include "bru/engines/token_stack/tokens.h"

#include <algorithm>

#include <fmt/format.h>

namespace smsim::bru::token_stack {
namespace {

auto topmost_with(const ControlState &state, LaneMask valid) {
    return std::ranges::find_if(state.stack.rbegin(), state.stack.rend(),
                                [&](const Token &token) { return (token.mask & valid).any(); });
}

} // namespace

std::optional<Violation> lacks_room(const ControlState &state, std::size_t count, const TokenStackConfig &config) {
    const std::size_t room = config.spill ? kMostTokens : config.depth;
    if (count <= room && state.stack.size() <= room - count) {
        return std::nullopt;
    }
    return Violation{Fault::kStackOverflow,
                     fmt::format("{} token{} on a stack of {}, which holds {}{}", count, count == 1 ? "" : "s",
                                 state.stack.size(), room, config.spill ? " with its memory" : ""),
                     state.active.lowest()};
}

Transfers transfers_between(std::size_t before, std::size_t after, std::uint32_t depth) {
    const std::size_t had = std::max<std::size_t>(before, depth);
    const std::size_t has = std::max<std::size_t>(after, depth);
    return has > had ? Transfers{has - had, 0} : Transfers{0, had - has};
}

const Token *next_waiting(const ControlState &state, LaneMask valid) {
    const auto found = topmost_with(state, valid);
    return found == state.stack.rend() ? nullptr : &*found;
}

void leave(ControlState &state, LaneMask leavers, Effect &effect) {
    state.active &= ~leavers;
    if (state.active.any()) {
        next_instruction(state);
        return;
    }
    const auto found = topmost_with(state, state.valid);
    if (found == state.stack.rend()) {
        state.stack.clear();
        effect.outcome = Outcome::kExited;
        return;
    }
    effect.resumed = found->kind;
    state.active = found->mask & state.valid;
    state.pc = found->pc;
    state.stack.erase(std::prev(found.base()), state.stack.end());
}

} // namespace smsim::bru::token_stack
