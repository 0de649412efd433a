// The text of configs/validation.json, which the build embeds: a report does not depend on files beside the program.
#pragma once

#include <string_view>

namespace smsim::validation {

extern const std::string_view kRecordText;

} // namespace smsim::validation
