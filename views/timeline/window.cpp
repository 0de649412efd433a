#include "views/timeline/window.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "model/error.h"

namespace smsim::views::timeline {
namespace {

std::optional<std::uint64_t> number(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// "BEGIN:END" with the defaults for what is left out.
std::pair<std::uint64_t, std::uint64_t> parse_range(const std::string &text, const std::string &option,
                                                    std::uint64_t last) {
    const std::size_t colon = text.find(':');
    if (colon != std::string::npos) {
        const std::string_view view = text;
        const auto begin = colon == 0 ? std::optional<std::uint64_t>(0) : number(view.substr(0, colon));
        const auto end = colon + 1 == text.size() ? std::optional(last) : number(view.substr(colon + 1));
        if (begin && end && *begin < *end) {
            return {*begin, *end};
        }
    }
    throw InputError(
        fmt::format("{} {}: expected BEGIN:END with BEGIN below END; either may be left out", option, text));
}

} // namespace

bool Window::records(Cycle cycle) const {
    return cycle >= begin && cycle < end && (period == 0 || (cycle - begin) % period < on);
}

Cycle Window::next_edge(Cycle cycle) const {
    if (cycle < begin) {
        return begin;
    }
    if (cycle >= end) {
        return kNever;
    }
    if (period == 0 || on == period) {
        return end;
    }
    const Cycle phase = (cycle - begin) % period;
    return std::min(end, cycle - phase + (phase < on ? on : period));
}

Cycle Window::first_recorded(Cycle cycle) const {
    while (cycle != kNever && !records(cycle)) {
        cycle = next_edge(cycle);
    }
    return cycle;
}

void parse_cycles(const std::string &text, const std::string &option, Window &window) {
    std::tie(window.begin, window.end) = parse_range(text, option, kNever);
}

void parse_sample(const std::string &text, const std::string &option, Window &window) {
    const std::size_t slash = text.find('/');
    if (slash != std::string::npos) {
        const std::string_view view = text;
        const auto on = number(view.substr(0, slash));
        const auto period = number(view.substr(slash + 1));
        if (on && period && *on > 0 && *on <= *period) {
            window.on = *on;
            window.period = *period;
            return;
        }
    }
    throw InputError(fmt::format("{} {}: expected ON/PERIOD with 0 < ON <= PERIOD, in cycles", option, text));
}

Cycle parse_least_cycles(const std::string &text, const std::string &option) {
    const std::optional<std::uint64_t> cycles = number(text);
    if (!cycles || *cycles == 0) {
        throw InputError(fmt::format("{} {}: expected a number of cycles, 1 or more", option, text));
    }
    return *cycles;
}

NumberRange parse_numbers(const std::string &text, const std::string &option) {
    const auto [begin, end] = parse_range(text, option, NumberRange{}.end);
    return {begin, end};
}

} // namespace smsim::views::timeline
