// Builders for the tests of the token stack's rules: masks, targets and warps in a given state.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "bru/engines/token_stack/branches.h"
#include "bru/engines/token_stack/calls.h"
#include "bru/engines/token_stack/control_state.h"
#include "bru/engines/token_stack/effect.h"
#include "bru/engines/token_stack/regions.h"
#include "bru/engines/token_stack/tokens.h"
#include "bru/engines/token_stack/warpsync.h"

namespace smsim::bru::token_stack {

inline void PrintTo(const Token &token, std::ostream *out) {
    *out << "{" << token_name(token.kind) << ", " << std::hex << token.mask.bits() << ", " << token.pc << "}";
}

namespace test {

inline constexpr Pc kProgramBytes = 0x1000;

constexpr LaneMask mask(std::uint32_t bits) {
    return LaneMask(bits);
}

constexpr Token token(TokenKind kind, std::uint32_t bits, Pc pc) {
    return {kind, mask(bits), pc};
}

/// A warp of the threads `valid`, of which `active` execute at 0x100, with `stack` (the top is the last).
inline ControlState warp(std::uint32_t valid, std::uint32_t active, std::vector<Token> stack = {}) {
    return {0x100, mask(active), mask(valid), false, std::move(stack)};
}

/// One target for all threads.
inline Targets all_to(std::int64_t target) {
    Targets targets;
    targets.fill(target);
    return targets;
}

/// The targets of the first threads; those of the others are not used.
inline Targets targets(std::initializer_list<std::int64_t> first) {
    Targets all{};
    std::size_t lane = 0;
    for (const std::int64_t target : first) {
        all.at(lane++) = target;
    }
    return all;
}

/// Executes `rule` on a copy of `before` and expects that exception from that thread, without a change.
template <typename Rule> void expect_violation(const ControlState &before, Fault fault, unsigned lane, Rule &&rule) {
    ControlState state = before;
    const Effect effect = rule(state);
    ASSERT_TRUE(effect.violation);
    EXPECT_EQ(effect.violation->fault, fault) << effect.violation->detail;
    EXPECT_EQ(effect.violation->lane, lane) << effect.violation->detail;
    EXPECT_EQ(state, before);
}

} // namespace test
} // namespace smsim::bru::token_stack
