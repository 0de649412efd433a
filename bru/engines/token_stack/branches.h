// Jumps: targets, and divergence of threads that go different ways (engines.md token_stack, BRA, BRX, JMP, JMX and
// "Divergence").
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "bru/engines/token_stack/control_state.h"
#include "bru/engines/token_stack/effect.h"
#include "model/config/sections/bru.h"

namespace smsim::bru::token_stack {

/// Targets of the threads of a jump, by lane, in bytes. Computed without wrap-around: every possible sum fits, so that
/// a target below 0 or beyond 4 GiB is recognised.
using Targets = std::array<std::int64_t, kLanes>;

/// BRA, BRX: the address after the instruction at `pc`, plus a register or constant read as signed, plus an immediate.
constexpr std::int64_t relative_target(Pc pc, std::uint32_t value, std::int64_t immediate) {
    return static_cast<std::int64_t>(pc + kInstructionBytes) + static_cast<std::int32_t>(value) + immediate;
}
/// JMP, JMX: a register or constant read as unsigned, plus an immediate.
constexpr std::int64_t absolute_target(std::uint32_t value, std::int64_t immediate) {
    return static_cast<std::int64_t>(value) + immediate;
}

/// The violation IllegalTarget of the lowest thread of `threads` whose target is no instruction in a program of
/// `program_bytes` bytes.
std::optional<Violation> illegal_target(LaneMask threads, const Targets &targets, Pc program_bytes);

/// The threads of `willing` (those whose guard and condition hold) that jump: with `unanimous` (`.U`) all active ones
/// or none, with `unless_lmt` (`.LMT`) none while LMT is set.
LaneMask jumping_threads(const ControlState &state, LaneMask willing, bool unanimous, bool unless_lmt);

/// Threads that go the same way.
struct Group {
    LaneMask threads;
    Pc pc = 0;
};
/// One group per distinct target of `threads`, in the order of their lowest threads.
std::vector<Group> groups_of(LaneMask threads, const Targets &targets);

/// The first of `groups` continues; each other is pushed as a DIV token, the second on top. Precondition: there is
/// room.
void go_apart(ControlState &state, const std::vector<Group> &groups);

/// BRA, BRX, JMP, JMX: the threads of `jumping` jump, the other active ones fall through, with those whose target is
/// the next instruction. That group continues, or with `kTakenFirst` the first of the others. Violations:
/// IllegalTarget, StackOverflow.
Effect branch(ControlState &state, LaneMask jumping, const Targets &targets, Pc program_bytes,
              const TokenStackConfig &config);

} // namespace smsim::bru::token_stack
