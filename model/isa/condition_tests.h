// Condition tests in assembly and the instruction word: those that exist (model/state/condition_flags.h), and those of
// the original instruction set that this one rejects.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/state/condition_flags.h"

namespace smsim::isa {

/// The test of that name, without "CC."; none if there is no such test.
std::optional<ConditionTest> find_condition_test(std::string_view name);

/// Why there is no test of that name: what it was made for, or the available names.
std::string condition_test_refusal(std::string_view name);
/// Why the value `number` of the field is no test; empty if it is one.
std::string condition_test_refusal(unsigned number);

} // namespace smsim::isa
