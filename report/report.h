// The report of a run: the counters of RunStats with the identity of the run, as JSON for programs
// (docs/report.schema.json) and as about 60 lines of text for a person (sm.md "What a run gives").
//
// Every figure is computed from integers in a fixed order, so that two runs of one input give identical bytes.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "model/error.h"
#include "model/program/program.h"
#include "model/stats/check_result.h"
#include "model/stats/critical_path.h"
#include "model/stats/early_end.h"
#include "model/stats/raised_exception.h"
#include "model/stats/sampled_time.h"
#include "model/stats/statistics.h"
#include "model/stats/untimed_work.h"

namespace smsim {

struct Config;

/// Version of the JSON layout; raised when the meaning of a field changes or a field is removed.
inline constexpr int kReportSchemaVersion = 1;

/// Instructions listed as hot spots.
inline constexpr std::size_t kHotSpots = 10;

/// What a run was and how it ended. References must outlive the report.
struct RunReport {
    const RunStats &stats;
    const Config &config;
    std::string version{};                     ///< of smsim
    std::string model{};                       ///< fingerprint of the model's sources; empty when built in code
    std::string program{};                     ///< program file
    std::string launch_file{};                 ///< empty when the launch was built in code
    std::vector<std::string> launch_changes{}; ///< of that file, "KEY=VALUE"
    std::string config_file{};                 ///< the file from which `config` was read; empty: the defaults
    std::string kernel{};
    std::array<std::uint32_t, 3> grid = {1, 1, 1};
    std::array<std::uint32_t, 3> block = {1, 1, 1};
    std::uint32_t dynamic_shared = 0;        ///< bytes
    std::optional<Fault> fault{};            ///< empty: the launch completed
    std::string exception{};                 ///< the full message of the fault
    std::optional<RaisedException> raised{}; ///< the fault as fields
    std::optional<EarlyEnd> early_end{};     ///< empty: the launch completed, or ended with a fault
    bool in_time = true;                     ///< false: nothing was simulated in time, `stats` has no cycles
    std::optional<SampledTime> sample{};     ///< for a launch of which a sample was simulated in time: the estimate of
                                             ///< the whole
    UntimedWork untimed{};                   ///< CTAs that were only executed functionally, which `stats` does not
                                             ///< count
    std::vector<CheckResult> checks{};
    std::optional<CriticalPath> critical_path{};  ///< empty: not observed in this run
    const Program *code = nullptr;                ///< for source lines; null: not shown
    std::function<std::string(Pc)> disassembly{}; ///< text of the instruction at a PC; empty: addresses only
};

/// "completed", "check_failed" (the launch completed, a check did not pass), "exception", or, when it ended early,
/// "interrupted" or "instruction_limit".
std::string_view run_status(const RunReport &report);

/// The report as JSON. Keys are in a fixed order; times are cycles, sizes bytes. In a run without timing (`in_time`)
/// everything that needs cycles is left out.
nlohmann::ordered_json to_json(const RunReport &report);

/// `to_json` as text, indented, with a final newline. Bytes that are not UTF-8 (file names, source lines) become
/// U+FFFD.
std::string to_json_text(const RunReport &report);

/// An instruction that accessed bytes outside every buffer, in two lines for a person.
std::string outside_text(const RunReport &report, const OutsidePlace &place);

/// The line of the text report about a check: "check c: 3 of 4 elements agree".
std::string check_line(const CheckResult &check);

/// The report for a person, in lines of at most 100 columns.
std::string to_text(const RunReport &report);

} // namespace smsim
