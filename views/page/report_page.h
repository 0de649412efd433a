// The page of `smsim report`: one HTML file that holds everything it shows and asks nothing of a network.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace smsim::views {

/// A report.json that has been read and accepted.
struct NamedReport {
    std::string name; ///< as the user gave it
    nlohmann::ordered_json report;
    nlohmann::ordered_json what_if; ///< the what_if.json beside it; null: there is none
};

/// Reads a report.json: `path` is the file or the directory that holds it; and the what_if.json in that directory, if
/// there is one. Throws InputError with the place and the cause when the report is missing, is not JSON, is not a
/// report, or has a layout that the page does not know, and when the other file is not what `smsim run --what-if`
/// writes.
NamedReport load_report(const std::string &path);

/// The page for one report, or the comparison of several with the first as baseline. The same reports give the same
/// bytes. What they hold is data to the page: no name or source line in them can become markup or script.
std::string report_page(const std::vector<NamedReport> &reports);

} // namespace smsim::views
