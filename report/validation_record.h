// The text of configs/validation.json, which the build embeds so that a report does not depend on files next to the
// program.
#pragma once

#include <string_view>

namespace smsim::validation {

extern const std::string_view kRecordText;

} // namespace smsim::validation
