// Names of the rejected readings.
#include "tb/independent_rules/rejected_readings.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/error.h"

namespace smsim::independent_rules {
namespace {

constexpr Name kNames[] = {
    {"d2", &RejectedReadings::d2},   {"d3", &RejectedReadings::d3},   {"d4", &RejectedReadings::d4},
    {"d5", &RejectedReadings::d5},   {"d6", &RejectedReadings::d6},   {"d7", &RejectedReadings::d7},
    {"d9", &RejectedReadings::d9},   {"d10", &RejectedReadings::d10}, {"d12", &RejectedReadings::d12},
    {"d13", &RejectedReadings::d13}, {"d14", &RejectedReadings::d14}, {"d15", &RejectedReadings::d15},
    {"d16", &RejectedReadings::d16}, {"d17", &RejectedReadings::d17}, {"d18", &RejectedReadings::d18},
    {"b4", &RejectedReadings::b4},   {"b5", &RejectedReadings::b5},   {"b6", &RejectedReadings::b6},
};

} // namespace

std::span<const Name> all_names() {
    return kNames;
}

RejectedReadings readings_of(const std::vector<std::string> &names) {
    RejectedReadings readings;
    for (const std::string &name : names) {
        const auto *found = std::ranges::find(kNames, name, &Name::text);
        if (found == std::end(kNames)) {
            throw InputError(fmt::format("'{}' is no reading; those of docs/branch-unit.md and docs/barrier-unit.md "
                                         "are, as d7 or b4",
                                         name));
        }
        readings.*found->flag = true;
    }
    return readings;
}

bool concerns_branches(const RejectedReadings &readings) {
    return std::ranges::any_of(kNames,
                               [&](const Name &name) { return name.text.front() == 'd' && readings.*name.flag; });
}

} // namespace smsim::independent_rules
