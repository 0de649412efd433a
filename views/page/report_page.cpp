// Combines the embedded sources of the page and the reports. The page itself is drawn by its script, in the browser,
// from the reports' JSON; see page/.
#include "views/page/report_page.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "model/config/config.h"
#include "model/config/config_json.h"
#include "model/config/schema.h"
#include "model/error.h"
#include "model/text/input_file.h"
#include "report/report.h"
#include "views/page/page_sources.h"

namespace smsim::views {

namespace {

using Json = nlohmann::ordered_json;
using Kind = Json::value_t;

struct Member {
    const char *name;
    Kind kind;
    bool later = false; ///< reports of earlier versions may lack it
};

/// What the page reads.
constexpr std::array kMembers = {
    Member{"smsim", Kind::string},
    Member{"run", Kind::object},
    Member{"checks", Kind::array},
    Member{"cycles", Kind::number_unsigned},
    Member{"ctas", Kind::number_unsigned},
    Member{"warp_instructions", Kind::number_unsigned},
    Member{"thread_instructions", Kind::number_unsigned},
    Member{"warp_cycles", Kind::number_unsigned},
    Member{"stalls", Kind::object},
    Member{"sub_partitions", Kind::array},
    Member{"instructions", Kind::object},
    Member{"branch_unit", Kind::object},
    Member{"barrier_unit", Kind::object},
    Member{"memory", Kind::object},
    Member{"fetch", Kind::object},
    Member{"occupancy", Kind::object},
    Member{"hazards", Kind::object},
    Member{"warps", Kind::array},
    Member{"config", Kind::object},
    Member{"model", Kind::string, true},
    Member{"validation", Kind::object, true},
    Member{"verdict", Kind::object, true},
    Member{"microseconds", Kind::number_float, true},
    Member{"ipc", Kind::number_float, true},
    Member{"simd_efficiency", Kind::number_float, true},
    Member{"no_instruction", Kind::object, true},
    Member{"states", Kind::object, true},
    Member{"over_time", Kind::object, true},
    Member{"utilisation", Kind::array, true},
    Member{"roofline", Kind::object, true},
    Member{"lanes", Kind::array, true},
    Member{"latencies", Kind::object, true},
    Member{"metrics", Kind::object, true},
    Member{"memory_check", Kind::object, true},
};

/// Whether `value` is of the member's kind: a whole number is a number, too, and what is not known may be null.
bool is_of(const Json &value, const Member &member) {
    return value.type() == member.kind || (member.later && value.is_null()) ||
           (member.kind == Kind::number_float && value.is_number());
}

void check_report(const std::string &path, const Json &report) {
    if (!report.is_object() || !report.contains("schema") || !report.contains("smsim")) {
        throw InputError(path + ": this is JSON but not a report of smsim; 'smsim run -o DIR' writes DIR/report.json");
    }
    if (report["schema"] != kReportSchemaVersion) {
        throw InputError(fmt::format("{}: the report has layout version {}; this smsim reads version {}", path,
                                     report["schema"].dump(-1, ' ', false, Json::error_handler_t::replace),
                                     kReportSchemaVersion));
    }
    if (report.contains("timing") && report["timing"] == "none") {
        throw InputError(path + ": the run was without timing (--timing none), and the page shows times");
    }
    for (const Member &member : kMembers) {
        const bool missing = !report.contains(member.name);
        if (missing ? !member.later : !is_of(report[member.name], member)) {
            throw InputError(fmt::format("{}: the report is damaged: '{}' {}", path, member.name,
                                         missing ? "is missing" : "has another type"));
        }
    }
}

bool is_number_or_null(const Json &value) {
    return value.is_number() || value.is_null();
}

/// Whether this is a relief of a what_if.json, as far as the page shows it.
bool is_relief(const Json &relief) {
    const auto has = [&relief](const char *member, auto is) { return relief.contains(member) && is(relief[member]); };
    const auto is_text = [](const Json &value) { return value.is_string(); };
    const auto is_list = [](const Json &value) {
        return value.is_array() && std::ranges::all_of(value, [](const Json &one) { return one.is_string(); });
    };
    return relief.is_object() && has("relief", is_text) && has("meaning", is_text) && has("settings", is_list) &&
           has("changes_results", [](const Json &value) { return value.is_boolean(); }) && has("status", is_text) &&
           has("cycles", is_number_or_null) && has("speedup", is_number_or_null);
}

void check_what_if(const std::string &file, const Json &what_if) {
    const bool is_one = what_if.is_object() && what_if.contains("cycles") && what_if["cycles"].is_number_unsigned() &&
                        what_if.contains("reliefs") && what_if["reliefs"].is_array() &&
                        std::ranges::all_of(what_if["reliefs"], is_relief);
    if (!is_one) {
        throw InputError(file + ": this is not what 'smsim run --what-if -o DIR' writes; the page shows it beside the "
                                "report unless it is moved away");
    }
}

/// Most nesting of a report; deeper nesting would exhaust the stack when it is written again.
constexpr int kDeepest = 32;

Json parse_report(const std::string &file, const std::string &text) {
    const auto shallow = [&file](int depth, Json::parse_event_t, const Json &) {
        if (depth > kDeepest) {
            throw InputError(file +
                             ": this is JSON but not a report of smsim: nothing in a report is nested so deeply");
        }
        return true;
    };
    try {
        return Json::parse(text, shallow);
    } catch (const Json::parse_error &error) {
        throw InputError(fmt::format("{}: this is not JSON (byte {} of {}); a report.json or the directory of a run is "
                                     "needed",
                                     file, error.byte, text.size()));
    } catch (const Json::out_of_range &) {
        throw InputError(file + ": this is JSON but not a report of smsim: it has a number that is too large");
    }
}

/// JSON as the content of a script element: without '<', so that nothing can end the element or open a comment. In
/// JSON '<' appears only in strings, where the escape means the same.
std::string inert_json(const Json &value) {
    const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    std::string inert;
    inert.reserve(text.size() + text.size() / 64);
    for (const char c : text) {
        if (c == '<') {
            inert += "\\u003c";
        } else {
            inert += c;
        }
    }
    return inert;
}

Json page_data(const std::vector<NamedReport> &reports) {
    Json list = Json::array();
    for (const NamedReport &named : reports) {
        list.push_back(Json{{"name", named.name}, {"report", named.report}});
        if (!named.what_if.is_null()) {
            list.back()["what_if"] = named.what_if;
        }
    }
    Json meanings = Json::object();
    const Json schema = Json::parse(schema_json());
    for (const Json &key : schema.at("keys")) {
        meanings[key.at("key").get<std::string>()] = Json{{"unit", key.at("unit")}, {"meaning", key.at("meaning")}};
    }
    return Json{{"reports", std::move(list)},
                {"defaults", config_to_json(Config{})},
                {"keys", std::move(meanings)},
                {"schema", kReportSchemaVersion}};
}

/// Text with the characters that have a meaning in HTML escaped.
std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '&':
            out += "&amp;";
            break;
        default:
            out += c;
        }
    }
    return out;
}

} // namespace

NamedReport load_report(const std::string &path) {
    namespace fs = std::filesystem;
    std::error_code error;
    std::string file = path;
    if (fs::is_directory(path, error)) {
        file = (fs::path(path) / "report.json").string();
        if (!fs::exists(file, error)) {
            throw InputError(path + ": the directory holds no report.json; 'smsim run -o DIR' writes one");
        }
    } else if (!fs::exists(path, error)) {
        throw InputError(path + ": there is no such directory or file");
    }
    NamedReport named{path, parse_report(file, text::read_file(file, text::kMaxFileBytes)), nullptr};
    if (named.report.is_object() && named.report.contains("launches")) {
        throw InputError(file + ": the report of several launches; name the directory of one of them, as in " +
                         (fs::path(file).parent_path() / "launches" / "000").string());
    }
    check_report(file, named.report);
    const std::string beside = (fs::path(file).parent_path() / "what_if.json").string();
    if (fs::exists(beside, error)) {
        named.what_if = parse_report(beside, text::read_file(beside, text::kMaxFileBytes));
        check_what_if(beside, named.what_if);
    }
    return named;
}

std::string report_page(const std::vector<NamedReport> &reports) {
    const std::string data = inert_json(page_data(reports));
    const std::string licence = escaped(kD3Licence);
    struct Part {
        std::string_view marker;
        std::string_view text;
    };
    const std::array<Part, 5> parts = {{{"<!--style-->", kPageStyle},
                                        {"<!--licence-->", licence},
                                        {"<!--library-->", kD3},
                                        {"<!--data-->", data},
                                        {"<!--script-->", kPageScript}}};
    // In the order of the template, so that a marker in inserted text is never replaced.
    std::string page;
    std::size_t from = 0;
    for (const Part &part : parts) {
        const std::size_t at = kPageTemplate.find(part.marker, from);
        page += kPageTemplate.substr(from, at - from);
        page += part.text;
        from = at + part.marker.size();
    }
    page += kPageTemplate.substr(from);
    return page;
}

} // namespace smsim::views
