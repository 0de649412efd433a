// Opens and leaves regions.
#include "bru/engines/token_stack/regions.h"

#include <algorithm>
#include <iterator>
#include <span>

#include <fmt/format.h>

#include "bru/engines/token_stack/branches.h"
#include "bru/engines/token_stack/tokens.h"

namespace smsim::bru::token_stack {
namespace {

Violation mismatch(std::string_view name, LaneMask leavers, LaneMask stray, const std::string &why) {
    return {Fault::kTokenMismatch, fmt::format("threads {:#010x} leave by {}, but {}", leavers.bits(), name, why),
            stray.lowest()};
}

std::string not_held(const Token &token) {
    return fmt::format("the token {} holds {:#010x}", token_name(token.kind), token.mask.bits());
}

} // namespace

Effect open_region(ControlState &state, TokenKind kind, std::int64_t end, Pc program_bytes,
                   const TokenStackConfig &config) {
    Effect effect;
    Targets targets{};
    targets[state.active.lowest()] = end;
    if (effect.violation = illegal_target(LaneMask::lane(state.active.lowest()), targets, program_bytes);
        !effect.violation) {
        effect.violation = lacks_room(state, 1, config);
    }
    if (!effect.violation) {
        state.stack.push_back({kind, state.active, static_cast<Pc>(end)});
        next_instruction(state);
    }
    return effect;
}

Effect sync(ControlState &state, LaneMask leavers) {
    Effect effect;
    if (leavers.none()) {
        next_instruction(state);
        return effect;
    }
    if (state.stack.empty()) {
        effect.violation = Violation{
            Fault::kStackUnderflow,
            fmt::format("threads {:#010x} leave by SYNC, but the stack is empty", leavers.bits()), leavers.lowest()};
        return effect;
    }
    const auto own = std::ranges::find_if(state.stack.rbegin(), state.stack.rend(),
                                          [](const Token &token) { return token.kind != TokenKind::kDiv; });
    if (own == state.stack.rend()) {
        effect.violation = mismatch("SYNC", leavers, leavers, "the stack holds DIV tokens only");
    } else if (own->kind != TokenKind::kSync) {
        effect.violation = mismatch("SYNC", leavers, leavers,
                                    fmt::format("the topmost token beside DIV is {}", token_name(own->kind)));
    } else if (!own->mask.contains(leavers)) {
        effect.violation = mismatch("SYNC", leavers, leavers & ~own->mask, not_held(*own));
    } else {
        leave(state, leavers, effect);
    }
    return effect;
}

Effect leave_region(ControlState &state, TokenKind kind, LaneMask leavers) {
    Effect effect;
    if (leavers.none()) {
        next_instruction(state);
        return effect;
    }
    const std::string_view name = token_name(kind);
    const auto own = std::ranges::find(state.stack.rbegin(), state.stack.rend(), kind, &Token::kind);
    if (own == state.stack.rend()) {
        effect.violation = Violation{
            Fault::kStackUnderflow,
            fmt::format("threads {:#010x} leave by {}, but the stack holds no token {}", leavers.bits(), name, name),
            leavers.lowest()};
        return effect;
    }
    const std::span above(own.base(), state.stack.end());
    if (!own->mask.contains(leavers)) {
        effect.violation = mismatch(name, leavers, leavers & ~own->mask, not_held(*own));
        return effect;
    }
    if (kind != TokenKind::kRet && std::ranges::find(above, TokenKind::kRet, &Token::kind) != above.end()) {
        effect.violation =
            mismatch(name, leavers, leavers, fmt::format("the token {} belongs to a calling function", name));
        return effect;
    }
    for (Token &token : above) {
        token.mask &= ~leavers;
    }
    leave(state, leavers, effect);
    return effect;
}

Effect exit_threads(ControlState &state, LaneMask leavers) {
    Effect effect;
    const LaneMask left = state.valid & ~leavers;
    if (leavers == state.active && left.any() && next_waiting(state, left) == nullptr) {
        effect.violation =
            Violation{Fault::kStackUnderflow,
                      fmt::format("threads {:#010x} are left, but no token holds them", left.bits()), left.lowest()};
        return effect;
    }
    state.valid = left;
    for (Token &token : state.stack) {
        token.mask &= left;
    }
    leave(state, leavers, effect);
    return effect;
}

} // namespace smsim::bru::token_stack
