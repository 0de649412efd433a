// Names of the rejected readings.
#include "tb/independent_rules/readings.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/error.h"

namespace smsim::independent_rules {
namespace {

constexpr Name kNames[] = {
    {"d2", &Readings::d2},   {"d3", &Readings::d3},   {"d4", &Readings::d4},   {"d5", &Readings::d5},
    {"d6", &Readings::d6},   {"d7", &Readings::d7},   {"d9", &Readings::d9},   {"d10", &Readings::d10},
    {"d12", &Readings::d12}, {"d13", &Readings::d13}, {"d14", &Readings::d14}, {"d15", &Readings::d15},
    {"d16", &Readings::d16}, {"d17", &Readings::d17}, {"d18", &Readings::d18}, {"b4", &Readings::b4},
    {"b5", &Readings::b5},   {"b6", &Readings::b6},
};

} // namespace

std::span<const Name> all_names() {
    return kNames;
}

Readings readings_of(const std::vector<std::string> &names) {
    Readings readings;
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

bool concerns_branches(const Readings &readings) {
    return std::ranges::any_of(kNames,
                               [&](const Name &name) { return name.text.front() == 'd' && readings.*name.flag; });
}

} // namespace smsim::independent_rules
