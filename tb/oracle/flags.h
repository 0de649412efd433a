// The condition flags of one thread (engines.md token_stack): what operations with `.CC` set, and the tests on them.
#pragma once

#include "tb/oracle/step.h"

namespace smsim::oracle {

/// Flags Z, S, C, O of a thread as bits.
inline constexpr std::uint8_t kZero = 1;
inline constexpr std::uint8_t kSign = 2;
inline constexpr std::uint8_t kCarry = 4;
inline constexpr std::uint8_t kOverflow = 8;

/// Executes an operation of Subject::kFlags: the operation itself, and its `.CC`.
void execute_with_flags(const Step &step, std::uint32_t *row, std::uint8_t &predicates, std::uint8_t &flags);

/// Whether `flags` pass the test.
bool passes(ConditionTest test, std::uint8_t flags);

} // namespace smsim::oracle
