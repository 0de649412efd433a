// The page of `smsim report`: one self-contained HTML file that needs no network.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace smsim::views {

/// A report.json that has been read and accepted.
struct NamedReport {
    std::string name; ///< as given by the user
    nlohmann::ordered_json report;
    nlohmann::ordered_json what_if; ///< the what_if.json beside it; null: none
};

/// Reads a report.json (`path` is the file or its directory) and the what_if.json in that directory, if there is one.
/// Throws InputError with the place and the cause when the report is missing, is not JSON, is not a report, or has a
/// layout that the page does not know, and when the other file was not written by `smsim run --what-if`.
NamedReport load_report(const std::string &path);

/// The page for one report, or the comparison of several with the first as baseline. The same reports give the same
/// bytes. The page treats their contents as data: no name or source line in them can become markup or script.
std::string report_page(const std::vector<NamedReport> &reports);

} // namespace smsim::views
