// The state of a warp under the token stack (engines.md token_stack, "State per warp"), and its presentation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/state/control_snapshot.h"
#include "model/types.h"

namespace smsim::bru::token_stack {

/// What pushed a token: SSY, a divergence, CAL or PRET, PBK, PCNT.
enum class TokenKind : std::uint8_t { kSync, kDiv, kRet, kBrk, kCont };
inline constexpr std::size_t kTokenKinds = 5;

/// Name of a kind as reports write it ("SYNC").
std::string_view token_name(TokenKind kind);

/// Threads that wait, and where they continue.
struct Token {
    TokenKind kind = TokenKind::kSync;
    LaneMask mask;
    Pc pc = 0;

    friend bool operator==(const Token &, const Token &) = default;
};

struct ControlState {
    Pc pc = 0;                ///< of the instruction that the active threads execute next
    LaneMask active;          ///< ActiveMask
    LaneMask valid;           ///< ValidMask
    bool lmt = false;         ///< LMT: the last PRET found the call limit reached
    std::vector<Token> stack; ///< the top is the last

    friend bool operator==(const ControlState &, const ControlState &) = default;
};

/// A warp at its start: all of `valid` active at `entry`, LMT 0, an empty stack.
inline ControlState started(Pc entry, LaneMask valid) {
    return {entry, valid, valid, false, {}};
}

/// PC += the size of an instruction.
inline void next_instruction(ControlState &state) {
    state.pc += kInstructionBytes;
}

/// The fields of this engine: PC, ActiveMask, ValidMask, LMT, and the tokens.
std::span<const ControlField> control_fields();
/// `state`, with the active threads at `pc`, as values of those fields.
ControlSnapshot snapshot_of(const ControlState &state, Pc pc);

/// Which threads run where, and which tokens wait until these threads have left, in one line for reports: the uppermost
/// first.
std::string description_of(const ControlState &state);

/// Which threads wait in which tokens for the active ones; empty when all are active.
std::string held_back_in(const ControlState &state);

} // namespace smsim::bru::token_stack
