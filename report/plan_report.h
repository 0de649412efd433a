// The report of a run of several launches: a section for each and the totals, as JSON for programs and as a table for a
// person. The section of a launch equals the report of that launch alone (report.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "report/report.h"
#include "report/summary.h"
#include "report/validation.h"

namespace smsim {

/// Launches whose sections are kept; later ones appear only in the totals.
inline constexpr std::size_t kMaxLaunchSections = 1000;
/// Maximum size of all sections together, in bytes.
inline constexpr std::size_t kMaxSectionBytes = std::size_t{16} << 20;

/// The maximum numbers of passed and of failed checks with results in the report: the first ones.
inline constexpr std::size_t kMaxChecks = 1000;

class PlanReport {
  public:
    /// Describes the run. `config` must outlive the report; `config_file` is the file from which it was read, empty for
    /// the defaults.
    PlanReport(const Config &config, std::string version, std::string model, std::string launch_file,
               std::string config_file = {});

    /// Adds a completed launch: `step` is the name of its step (may be empty), `round` that of the innermost repeat
    /// around it, `begin` the cycle of the run in which it began.
    void add(const std::string &step, std::uint64_t round, Cycle begin, const RunReport &launch);
    /// Adds a check made after the launches so far.
    void add_check(const std::string &step, const CheckResult &check);
    /// The run was ended by an external cause between two steps.
    void set_early_end(EarlyEnd end) { early_end_ = end; }
    /// The run has ended before its last step although every launch completed.
    void set_error(const std::string &error) { error_ = error; }

    /// As run_status: that of the launch that did not complete, or of the early end between two launches;
    /// "check_failed" also with an error.
    std::string_view status() const;
    /// Cycles from the beginning of the first launch to the end of the last.
    Cycle cycles() const { return cycles_; }
    /// Warp instructions of all launches.
    std::uint64_t instructions() const { return sums_.instructions; }
    /// Launches that have run.
    std::size_t launches() const { return launches_; }
    /// Number of launches whose sections are kept: the first ones.
    std::size_t sections() const { return sections_.size(); }

    /// The report as JSON text, indented, with a final newline.
    std::string to_json_text() const;
    /// The report for a person, in lines of at most 100 columns.
    std::string to_text() const;

  private:
    std::string without_time() const;
    void keep_section(std::string text);

    /// A line of the table.
    struct Row {
        std::string step;
        std::string kernel;
        std::uint64_t round = 0;
        Cycle begin = 0;
        Cycle cycles = 0;
        std::uint64_t instructions = 0;
        StallCycles stalls{};
        std::string_view status;
    };
    struct Check {
        std::string step;
        std::size_t launches_before = 0;
        CheckResult result;
    };

    const Config &config_;
    std::string version_;
    std::string model_;
    std::string launch_file_;
    std::string config_file_;
    std::vector<Row> rows_;
    std::vector<std::string> sections_; ///< JSON
    std::size_t section_bytes_ = 0;
    std::vector<Check> checks_; ///< those whose results are kept
    std::uint64_t passed_ = 0;  ///< checks
    std::uint64_t failed_ = 0;
    std::string error_;
    std::optional<EarlyEnd> early_end_;
    std::string_view launch_status_ = "completed"; ///< of the last launch
    bool in_time_ = true;                          ///< of the last launch: RunReport::in_time
    UntimedWork untimed_;                          ///< of all launches
    std::optional<Fault> fault_;                   ///< of the last launch
    std::string exception_;
    nlohmann::ordered_json raised_;
    std::size_t launches_ = 0;
    std::uint64_t ctas_ = 0;
    Cycle cycles_ = 0;
    Cycle busy_ = 0; ///< cycles of the launches
    WarpSums sums_;
    validation::Usage usage_;
};

} // namespace smsim
