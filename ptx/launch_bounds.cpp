#include "ptx/launch_bounds.h"

#include <algorithm>
#include <cstdlib>

namespace smsim::ptx {

namespace {

/// Product of the numbers of a directive, each at most 65535; 0 counts as 1.
std::uint64_t product_of(const Directive &directive) {
    constexpr std::uint64_t kMost = 65535;
    std::uint64_t product = 1;
    for (const std::string &word : directive.words) {
        const std::uint64_t number = std::strtoull(word.c_str(), nullptr, 0);
        product = std::min(product * std::clamp<std::uint64_t>(number, 1, kMost), kMost);
    }
    return product;
}

} // namespace

LaunchBounds launch_bounds(const Function &kernel) {
    LaunchBounds bounds;
    for (const Directive &directive : kernel.directives) {
        const auto number = static_cast<std::uint32_t>(product_of(directive));
        if (directive.name == "maxntid" || directive.name == "reqntid") {
            bounds.most_threads = std::min({bounds.most_threads.value_or(kMostThreads), number, kMostThreads});
            bounds.threads_required = bounds.threads_required || directive.name == "reqntid";
        } else if (directive.name == "minnctapersm") {
            bounds.least_ctas = std::max(bounds.least_ctas, number);
        } else if (directive.name == "maxnreg") {
            bounds.registers = std::min(bounds.registers.value_or(number), number);
        }
    }
    return bounds;
}

unsigned register_limit(const LaunchBounds &bounds, unsigned registers_of_sm, unsigned most) {
    constexpr unsigned kLanes = 32;
    constexpr unsigned kUnit = 8; // registers of a thread are given in
    constexpr unsigned kLeast = 16;
    unsigned limit = std::min(most, bounds.registers.value_or(most));
    if (bounds.most_threads) {
        const std::uint64_t threads =
            std::uint64_t{(*bounds.most_threads + kLanes - 1) / kLanes * kLanes} * bounds.least_ctas;
        limit = std::min(limit, static_cast<unsigned>(registers_of_sm / threads / kUnit * kUnit));
    }
    return std::max(limit, kLeast);
}

} // namespace smsim::ptx
