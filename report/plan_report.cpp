#include "report/plan_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/config/config.h"
#include "model/config/config_json.h"
#include "report/parts.h"
#include "report/validation_report.h"

namespace smsim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShownLaunches = 40; ///< launches listed in the text; the rest is in the JSON

std::string text_of(const Json &json) {
    return json.dump(1, ' ', false, Json::error_handler_t::replace);
}

/// Number of checks for which the report has no results.
std::uint64_t more(std::uint64_t checks) {
    return checks - std::min<std::uint64_t>(checks, kMaxChecks);
}

/// The stall reason with the most warp-cycles, apart from issuing, with its share.
std::string main_stall(const StallCycles &stalls) {
    std::size_t most = 0;
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < stalls.size(); ++i) {
        all += stalls[i];
        if (static_cast<StallReason>(i) != StallReason::kSelected &&
            (stalls[i] > stalls[most] || static_cast<StallReason>(most) == StallReason::kSelected)) {
            most = i;
        }
    }
    return all == 0
               ? ""
               : fmt::format("{} {:.0f} %", stall_name(static_cast<StallReason>(most)), 100 * ratio(stalls[most], all));
}

} // namespace

PlanReport::PlanReport(const Config &config, std::string version, std::string model, std::string launch_file,
                       std::string config_file)
    : config_(config), version_(std::move(version)), model_(std::move(model)), launch_file_(std::move(launch_file)),
      config_file_(std::move(config_file)) {}

void PlanReport::add(const std::string &step, std::uint64_t round, Cycle begin, const RunReport &launch) {
    const WarpSums sums = launch.stats.totals();
    launch_status_ = run_status(launch);
    in_time_ = launch.in_time;
    untimed_.ctas += launch.untimed.ctas;
    untimed_.instructions += launch.untimed.instructions;
    untimed_.thread_instructions += launch.untimed.thread_instructions;
    fault_ = launch.fault;
    exception_ = launch.exception;
    Json section = to_json(launch);
    raised_ = section["run"]["raised"];
    if (launches_ < kMaxLaunchSections) {
        rows_.push_back(
            {step, launch.kernel, round, begin, launch.stats.cycles, sums.instructions, sums.stalls, launch_status_});
        for (const char *of_the_whole : {"schema", "smsim", "model", "timing", "validation", "checks", "config"}) {
            section.erase(of_the_whole);
        }
        Json whole{
            {"number", launches_}, {"step", step}, {"round", round}, {"begin", launch.in_time ? Json(begin) : Json()}};
        whole.update(section);
        keep_section(text_of(whole));
    }
    ++launches_;
    ctas_ += launch.stats.ctas;
    cycles_ = begin + launch.stats.cycles;
    busy_ += launch.stats.cycles;
    usage_.add(validation::usage_of(validation::embedded_record(), launch.stats, launch.code));
    sums_.add(sums);
}

/// Keeps the section of the present launch, if there is room for it and there was for all earlier ones.
void PlanReport::keep_section(std::string text) {
    if (sections_.size() == launches_ && section_bytes_ + text.size() <= kMaxSectionBytes) {
        section_bytes_ += text.size();
        sections_.push_back(std::move(text));
    }
}

void PlanReport::add_check(const std::string &step, const CheckResult &check) {
    std::uint64_t &count = check.passed() ? passed_ : failed_;
    if (count++ < kMaxChecks) {
        checks_.push_back({step, launches_, check});
    }
}

std::string_view PlanReport::status() const {
    if (launch_status_ != "completed") {
        return launch_status_;
    }
    if (early_end_) {
        return early_end_name(*early_end_);
    }
    return failed_ == 0 && error_.empty() ? "completed" : "check_failed";
}

std::string PlanReport::to_json_text() const {
    Json json;
    json["schema"] = kReportSchemaVersion;
    json["smsim"] = version_;
    json["model"] = model_;
    if (!in_time_) {
        json["timing"] = "none";
    } else if (untimed_ != UntimedWork{}) {
        json["timing"] = "some";
        json["untimed"] = report::json_of(untimed_);
    }
    json["run"] = Json{{"launch", launch_file_},
                       {"launches", launches_},
                       {"status", status()},
                       {"error", error_},
                       {"fault", fault_ ? Json(fault_name(*fault_)) : Json()},
                       {"exception", exception_},
                       {"raised", raised_}};
    const validation::Record &record = validation::embedded_record();
    json["validation"] =
        validation::to_json(record, validation::compare(record, config_, config_file_), usage_, config_file_);
    json["checks"] = Json::array();
    for (const Check &check : checks_) {
        Json entry{{"step", check.step}, {"launches_before", check.launches_before}};
        entry.update(report::json_of(check.result));
        json["checks"].push_back(std::move(entry));
    }
    if (passed_ + failed_ != checks_.size()) {
        json["more_checks"] = Json{{"passed", more(passed_)}, {"failed", more(failed_)}};
    }
    json["cycles"] = cycles_;
    json["microseconds"] = microseconds(cycles_, config_);
    json["launch_cycles"] = busy_;
    json["ctas"] = ctas_;
    json["warp_instructions"] = sums_.instructions;
    json["thread_instructions"] = sums_.thread_instructions;
    json["ipc"] = ratio(sums_.instructions, cycles_);
    json["simd_efficiency"] = ratio(sums_.thread_instructions, sums_.instructions * kLanes);
    json["warp_cycles"] = sums_.warp_cycles;
    json["stalls"] = report::json_of(sums_.stalls);
    json["states"] = report::json_of(sums_.states);
    json["launches"] = Json::array(); // filled below
    json["config"] = config_to_json(config_);
    if (!in_time_) {
        for (const char *in_cycles :
             {"validation", "microseconds", "launch_cycles", "ipc", "warp_cycles", "stalls", "states"}) {
            json.erase(in_cycles);
        }
        json["cycles"] = nullptr;
    }
    std::string text = text_of(json) + "\n";
    // Sections are texts: as JSON objects they take many times their size. Strings of JSON contain no newlines.
    constexpr std::string_view kNone = "\n \"launches\": []";
    if (const std::size_t at = text.find(kNone); at != std::string::npos && !sections_.empty()) {
        std::string list = "[";
        for (const std::string &section : sections_) {
            list += (list.size() == 1 ? "\n  " : ",\n  ");
            for (const char c : section) {
                list += c;
                list += c == '\n' ? "  " : "";
            }
        }
        text.replace(at + kNone.size() - 2, 2, list + "\n ]");
    }
    return text;
}

std::string PlanReport::to_text() const {
    std::string out = fmt::format("smsim {}  {} launches of {}\n", version_, launches_,
                                  report::short_path(launch_file_, report::kColumns - 40));
    out += fmt::format("status {}\n", status());
    for (const std::string &message : {error_, exception_}) {
        if (!message.empty()) {
            out += report::folded(message);
        }
    }
    for (const Check &check : checks_) {
        out += check_line(check.result);
        out += check.step.empty() ? fmt::format(" (behind {} launches)\n", check.launches_before)
                                  : fmt::format(" ({})\n", report::one_line(check.step, 30));
        out += report::mismatch_lines(check.result);
    }
    if (passed_ + failed_ != checks_.size()) {
        out += fmt::format("... {} more checks, of which {} failed\n", more(passed_) + more(failed_), more(failed_));
    }
    if (!in_time_) {
        return out + without_time();
    }
    out += report::heading("Total");
    out += fmt::format("  cycles {}, of which launches {}; {:.3f} microseconds at {} GHz\n", cycles_, busy_,
                       microseconds(cycles_, config_), config_.sm.clock_ghz);
    out += fmt::format("  warp instructions {}, IPC {:.3f}, SIMD efficiency {:.1f} %\n", sums_.instructions,
                       ratio(sums_.instructions, cycles_),
                       100 * ratio(sums_.thread_instructions, sums_.instructions * std::uint64_t{kLanes}));
    out += fmt::format("  CTAs {}, warps {}, mostly {}\n", ctas_, sums_.warps, main_stall(sums_.stalls));
    if (untimed_ != UntimedWork{}) {
        out += fmt::format("  executed without time: {} CTAs, {} warp instructions\n", untimed_.ctas,
                           untimed_.instructions);
    }
    out += report::heading("Launches");
    out += fmt::format("  {:>5} {:<26}{:>6}{:>11}{:>10}{:>10}{:>7}  {}\n", "", "kernel", "round", "begin", "cycles",
                       "instr.", "IPC", "mostly");
    for (std::size_t i = 0; i < std::min(rows_.size(), kShownLaunches); ++i) {
        const Row &row = rows_[i];
        const std::string name = row.step.empty() ? row.kernel : fmt::format("{}: {}", row.step, row.kernel);
        out += fmt::format("  {:>5} {:<26}{:>6}{:>11}{:>10}{:>10}{:>7.3f}  {}\n", i, report::one_line(name, 25),
                           row.round, row.begin, row.cycles, row.instructions, ratio(row.instructions, row.cycles),
                           row.status == "completed" ? main_stall(row.stalls) : std::string(row.status));
    }
    if (launches_ > kShownLaunches) {
        out += fmt::format("  ... {} more launches in the JSON report\n", launches_ - kShownLaunches);
    }
    const validation::Record &record = validation::embedded_record();
    out += validation::to_text(record, validation::compare(record, config_, config_file_), usage_, config_file_);
    return out;
}

/// Totals and launches of a run without timing.
std::string PlanReport::without_time() const {
    std::string out = report::heading("Total (without timing)");
    out += fmt::format("  warp instructions {}, SIMD efficiency {:.1f} %\n", sums_.instructions,
                       100 * ratio(sums_.thread_instructions, sums_.instructions * std::uint64_t{kLanes}));
    out += fmt::format("  CTAs {}, warps {}\n", ctas_, sums_.warps);
    out += report::heading("Launches");
    out += fmt::format("  {:>5} {:<26}{:>6}{:>12}  {}\n", "", "kernel", "round", "instr.", "status");
    for (std::size_t i = 0; i < std::min(rows_.size(), kShownLaunches); ++i) {
        const Row &row = rows_[i];
        const std::string name = row.step.empty() ? row.kernel : fmt::format("{}: {}", row.step, row.kernel);
        out += fmt::format("  {:>5} {:<26}{:>6}{:>12}  {}\n", i, report::one_line(name, 25), row.round,
                           row.instructions, row.status);
    }
    if (launches_ > kShownLaunches) {
        out += fmt::format("  ... {} more launches in the JSON report\n", launches_ - kShownLaunches);
    }
    return out;
}

} // namespace smsim
