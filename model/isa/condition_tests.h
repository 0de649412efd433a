// Condition tests as assembly and the instruction word write them: those that exist (model/state/condition_flags.h),
// and those of the original instruction set that this one refuses.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/state/condition_flags.h"

namespace smsim::isa {

/// The test of that name, without "CC."; nothing when there is none.
std::optional<ConditionTest> find_condition_test(std::string_view name);

/// Why there is no test of that name: what it was made for, or which names there are.
std::string condition_test_refusal(std::string_view name);
/// Why the value `number` of the field is no test; empty when it is one.
std::string condition_test_refusal(unsigned number);

} // namespace smsim::isa
