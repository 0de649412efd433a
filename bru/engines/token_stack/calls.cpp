// Calls and their limit.
#include "bru/engines/token_stack/calls.h"

#include <algorithm>

#include "bru/engines/token_stack/regions.h"
#include "bru/engines/token_stack/tokens.h"

namespace smsim::bru::token_stack {

bool at_call_limit(const ControlState &state, std::uint32_t call_limit) {
    return call_limit != 0 && std::ranges::count(state.stack, TokenKind::kRet, &Token::kind) >= call_limit;
}

Effect call(ControlState &state, LaneMask callers, const Targets &targets, Pc program_bytes,
            const TokenStackConfig &config) {
    Effect effect;
    if (callers.none()) {
        next_instruction(state);
        return effect;
    }
    if (at_call_limit(state, config.call_limit)) {
        effect.limited = true;
        next_instruction(state);
        return effect;
    }
    if (effect.violation = illegal_target(callers, targets, program_bytes); effect.violation) {
        return effect;
    }
    const std::vector<Group> groups = groups_of(callers, targets);
    if (effect.violation = lacks_room(state, groups.size(), config); effect.violation) {
        return effect;
    }
    effect.jumped = callers;
    state.stack.push_back({TokenKind::kRet, state.active, state.pc + kInstructionBytes});
    effect.split = groups.front().threads != state.active;
    go_apart(state, groups);
    return effect;
}

Effect prepare_return(ControlState &state, std::int64_t end, Pc program_bytes, const TokenStackConfig &config) {
    Effect effect;
    if (at_call_limit(state, config.call_limit)) {
        effect.limited = true;
        state.lmt = true;
        next_instruction(state);
        return effect;
    }
    effect = open_region(state, TokenKind::kRet, end, program_bytes, config);
    if (!effect.violation) {
        state.lmt = false;
    }
    return effect;
}

} // namespace smsim::bru::token_stack
