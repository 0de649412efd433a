#include "ptx/launch_bounds.h"

#include <algorithm>
#include <cstdlib>

namespace smsim::ptx {

namespace {

constexpr std::uint64_t kMost = 65535;

/// A number of a directive, at most 65535; 0 counts as 1.
std::uint64_t number_of(const std::string &word) {
    return std::clamp<std::uint64_t>(std::strtoull(word.c_str(), nullptr, 0), 1, kMost);
}

/// The comma-separated numbers of a directive; missing ones are 1.
std::array<std::uint32_t, 3> extents_of(const Directive &directive) {
    std::array<std::uint32_t, 3> extents = {1, 1, 1};
    auto extent = extents.begin();
    for (const std::string &word : directive.words) {
        if (word != "," && extent != extents.end()) {
            *extent++ = static_cast<std::uint32_t>(number_of(word));
        }
    }
    return extents;
}

/// Product of the numbers of a directive, at most 65535.
std::uint64_t product_of(const Directive &directive) {
    std::uint64_t product = 1;
    for (const std::string &word : directive.words) {
        product = std::min(product * number_of(word), kMost);
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
            if (directive.name == "reqntid") {
                bounds.threads_required = true;
                bounds.block = extents_of(directive);
            }
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
