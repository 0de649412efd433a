#include "report/parts.h"

#include <algorithm>

#include <fmt/format.h>

namespace smsim::report {

using Json = nlohmann::ordered_json;

Json json_of(const StallCycles &stalls) {
    Json object = Json::object();
    for (std::size_t i = 0; i < stalls.size(); ++i) {
        object[std::string(stall_name(static_cast<StallReason>(i)))] = stalls[i];
    }
    return object;
}

Json json_of(const FetchCauseCycles &causes) {
    Json object = Json::object();
    for (std::size_t i = 0; i < causes.size(); ++i) {
        object[std::string(fetch_cause_name(static_cast<FetchCause>(i)))] = causes[i];
    }
    return object;
}

Json json_of(const StateCycles &states) {
    Json object = Json::object();
    for (std::size_t i = 0; i < states.size(); ++i) {
        object[std::string(state_name(static_cast<WarpState>(i)))] = states[i];
    }
    return object;
}

Json json_of(const SampledTime &time) {
    return {{"timed_ctas", time.timed},
            {"cycles", time.cycles},
            {"half_width", time.half_width},
            {"confidence", time.confidence},
            {"cycles_per_cta", time.per_cta}};
}

Json json_of(const UntimedWork &work) {
    return {{"ctas", work.ctas},
            {"warp_instructions", work.instructions},
            {"thread_instructions", work.thread_instructions}};
}

Json json_of(const CheckResult &check) {
    Json first = Json::array();
    for (const Mismatch &mismatch : check.first) {
        first.push_back(Json{{"index", mismatch.index}, {"got", mismatch.got}, {"expected", mismatch.expected}});
    }
    return Json{{"buffer", check.buffer},
                {"passed", check.passed()},
                {"compared", check.compared},
                {"mismatches", check.mismatches},
                {"first", std::move(first)}};
}

std::string one_line(std::string_view text, std::size_t width) {
    std::string line;
    for (const char c : text) {
        line += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
    }
    line.erase(0, std::min(line.find_first_not_of(' '), line.size()));
    line.erase(line.find_last_not_of(' ') + 1);
    if (line.size() > width) {
        line = line.substr(0, width - 2) + "..";
    }
    return line;
}

std::string short_path(const std::string &path, std::size_t width) {
    const std::string line = one_line(path, path.size() + 2);
    return line.size() <= width ? line : fmt::format("..{}", line.substr(line.size() - (width - 2)));
}

std::string folded(const std::string &message) {
    std::string out;
    std::string rest = one_line(message, message.size() + 2);
    while (!rest.empty()) {
        std::size_t cut = rest.size();
        if (cut > kColumns - 2) {
            cut = rest.rfind(' ', kColumns - 2);
            cut = cut == std::string::npos || cut == 0 ? kColumns - 2 : cut;
        }
        out += fmt::format("  {}\n", rest.substr(0, cut));
        rest.erase(0, cut);
        rest.erase(0, std::min(rest.find_first_not_of(' '), rest.size()));
    }
    return out;
}

std::string heading(const std::string &text) {
    return "\n" + text + "\n";
}

std::string mismatch_lines(const CheckResult &check) {
    std::string out;
    for (std::size_t i = 0; i < std::min<std::size_t>(check.first.size(), 3); ++i) {
        out += fmt::format("  [{}] is {}, expected {}\n", check.first[i].index, check.first[i].got,
                           check.first[i].expected);
    }
    return out;
}

} // namespace smsim::report
