// Common pieces of the report of one launch and that of several.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "model/stats/check_result.h"
#include "model/stats/fetch_cause.h"
#include "model/stats/sampled_time.h"
#include "model/stats/stall.h"
#include "model/stats/untimed_work.h"

namespace smsim::report {

/// Columns of the text.
inline constexpr std::size_t kColumns = 100;

/// Reasons, causes or states by name.
nlohmann::ordered_json json_of(const StallCycles &stalls);
nlohmann::ordered_json json_of(const FetchCauseCycles &causes);
nlohmann::ordered_json json_of(const StateCycles &states);
/// The part that was executed functionally.
nlohmann::ordered_json json_of(const UntimedWork &work);
/// The estimate of a whole launch from a sample of its CTAs.
nlohmann::ordered_json json_of(const SampledTime &time);
/// A check with its first mismatches.
nlohmann::ordered_json json_of(const CheckResult &check);

/// Text from files on one line of at most `width` characters: tabs and control characters would break the columns.
std::string one_line(std::string_view text, std::size_t width);
/// The last `width` characters of a path, which are more informative than the first.
std::string short_path(const std::string &path, std::size_t width);
/// A message in lines of at most kColumns columns, indented by two.
std::string folded(const std::string &message);
/// An empty line and the heading of a section.
std::string heading(const std::string &text);
/// The first mismatches of a check, one per line.
std::string mismatch_lines(const CheckResult &check);

} // namespace smsim::report
