// The part 'validation' of a report, as JSON and as text: the configuration of the run, how far it is validated, and
// what of the run is outside the validation (docs/accuracy.md "What a report says").
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "report/validation.h"

namespace smsim::validation {

/// Larger errors are reported: P90 of a kind of instructions, in percent.
inline constexpr double kGoodP90 = 20;

/// "validated", "changed" or "not_validated".
std::string_view standing_name(Standing standing);

/// How far a configuration is validated, in one sentence without its name.
std::string statement(const Comparison &comparison);

/// The part as JSON. `name`: the file of the configuration as given, empty for the defaults.
nlohmann::ordered_json to_json(const Record &record, const Comparison &comparison, const Usage &usage,
                               const std::string &name);

/// The part as lines of at most report::kColumns columns, with its heading.
std::string to_text(const Record &record, const Comparison &comparison, const Usage &usage, const std::string &name);

} // namespace smsim::validation
