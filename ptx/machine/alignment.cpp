#include "ptx/machine/alignment.h"

#include <algorithm>
#include <vector>

namespace smsim::ptx::machine {

namespace {

/// Alignment makes no difference to longer loops.
constexpr std::uint32_t kLongestLoop = 128;

/// Estimated rounds of a loop for each round of the loop around it, as a power of two, and up to which depth that is
/// counted.
constexpr unsigned kRoundsLog = 3;
constexpr std::size_t kDeepest = 6;

/// The weight of each loop, by the number of loops around it.
std::vector<std::uint64_t> weights_of(std::vector<LoopSpan> &loops) {
    std::ranges::sort(loops, [](const LoopSpan &a, const LoopSpan &b) {
        return a.first != b.first ? a.first < b.first : a.last > b.last;
    });
    std::vector<std::uint64_t> weights;
    std::vector<std::uint32_t> around; // the ends of the open loops
    for (const LoopSpan &loop : loops) {
        while (!around.empty() && around.back() < loop.last) {
            around.pop_back();
        }
        weights.push_back(std::uint64_t{1} << (kRoundsLog * std::min(around.size(), kDeepest)));
        around.push_back(loop.last);
    }
    return weights;
}

} // namespace

std::uint32_t room_before(std::uint32_t at, std::span<const LoopSpan> loops) {
    std::vector<LoopSpan> sorted(loops.begin(), loops.end());
    const std::vector<std::uint64_t> weights = weights_of(sorted);
    std::uint32_t best = 0;
    std::uint64_t fewest = ~std::uint64_t{0};
    for (std::uint32_t room = 0; room < kLineInstructions; ++room) {
        std::uint64_t lines = 0;
        for (std::size_t i = 0; i < sorted.size(); ++i) {
            if (sorted[i].last - sorted[i].first < kLongestLoop) {
                const std::uint32_t begin = at + room + sorted[i].first;
                const std::uint32_t end = at + room + sorted[i].last;
                lines += weights[i] * (end / kLineInstructions - begin / kLineInstructions + 1);
            }
        }
        if (lines < fewest) {
            fewest = lines;
            best = room;
        }
    }
    return best;
}

} // namespace smsim::ptx::machine
