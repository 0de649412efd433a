// `smsim report`: the reports of finished runs as one HTML page.
#include <filesystem>

#include <fmt/format.h>

#include "app/commands.h"
#include "app/exit_status.h"
#include "app/output.h"
#include "app/overwriting.h"
#include "model/error.h"
#include "views/page/report_page.h"

namespace smsim::app {

namespace {

namespace fs = std::filesystem;

/// All reports, or one message that names everything that is wrong: a user who compares ten runs wants to correct the
/// command line only once.
std::vector<views::NamedReport> load_all(const std::vector<std::string> &runs) {
    std::vector<views::NamedReport> reports;
    std::string errors;
    for (const std::string &run : runs) {
        try {
            reports.push_back(views::load_report(run));
        } catch (const InputError &error) {
            errors += errors.empty() ? "" : "\n  ";
            errors += error.what();
        }
    }
    if (!errors.empty()) {
        throw InputError(errors);
    }
    return reports;
}

/// Beside the report for one run; a comparison does not belong to the directory of any run.
fs::path default_output(const ReportOptions &options) {
    if (options.runs.size() > 1) {
        return "comparison.html";
    }
    const fs::path run = options.runs.front();
    std::error_code error;
    return (fs::is_directory(run, error) ? run : run.parent_path()) / "report.html";
}

/// The files that the page is built from.
std::vector<NamedFile> files_read(const std::vector<std::string> &runs) {
    std::vector<NamedFile> files;
    for (const std::string &run : runs) {
        std::error_code error;
        const bool is_folder = fs::is_directory(run, error);
        const fs::path folder = is_folder ? fs::path(run) : fs::path(run).parent_path();
        const std::string report = is_folder ? (folder / "report.json").string() : run;
        files.push_back({"the report " + report, report});
        const std::string what_if = (folder / "what_if.json").string();
        files.push_back({"the what-if analysis " + what_if, what_if});
    }
    return files;
}

} // namespace

int report_command(const ReportOptions &options) {
    const std::vector<views::NamedReport> reports = load_all(options.runs);
    const std::string page = views::report_page(reports);
    const fs::path path = options.output.empty() ? default_output(options) : fs::path(options.output);
    refuse_losing(files_read(options.runs), {{fmt::format("-o {}", path.string()), path.string()}});
    const fs::path folder = path.parent_path().empty() ? fs::path(".") : path.parent_path();
    OutputDirectory(folder.string()).write(path.filename().string(), page);
    print(fmt::format("{}: {} {}, {:.1f} MB\n", path.string(), reports.size(), reports.size() == 1 ? "run" : "runs",
                      static_cast<double>(page.size()) / 1e6));
    return kSuccess;
}

} // namespace smsim::app
