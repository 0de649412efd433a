// Edit distance with swaps of neighbouring characters, the commonest typing error.
#include "model/text/nearest.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace smsim::text {

std::size_t edit_distance(std::string_view a, std::string_view b) {
    constexpr std::size_t kLongest = 200;
    a = a.substr(0, kLongest);
    b = b.substr(0, kLongest);
    const std::size_t columns = b.size() + 1;
    std::vector<std::size_t> cost((a.size() + 1) * columns);
    const auto at = [&](std::size_t i, std::size_t j) -> std::size_t & { return cost[i * columns + j]; };
    for (std::size_t i = 0; i <= a.size(); ++i) {
        at(i, 0) = i;
    }
    for (std::size_t j = 0; j <= b.size(); ++j) {
        at(0, j) = j;
    }
    for (std::size_t i = 1; i <= a.size(); ++i) {
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = at(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1);
            at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, replaced});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
            }
        }
    }
    return at(a.size(), b.size());
}

std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates) {
    std::string_view best;
    std::size_t best_distance = ~std::size_t{0};
    for (const std::string_view candidate : candidates) {
        const std::size_t distance = edit_distance(name, candidate);
        const std::size_t longer = std::max(name.size(), candidate.size());
        const bool resembles = distance < longer && distance <= std::max<std::size_t>(1, longer / 3);
        if (resembles && distance < best_distance) {
            best = candidate;
            best_distance = distance;
        }
    }
    return best;
}

std::string suggestion(std::string_view name, std::span<const std::string_view> candidates, std::string_view all) {
    if (const std::string_view near = nearest(name, candidates); !near.empty()) {
        return fmt::format("; did you mean '{}'?", near);
    }
    return candidates.empty() ? "" : fmt::format("; {}: {}", all, fmt::join(candidates, ", "));
}

} // namespace smsim::text
