// The cost of sharing is the distance between the waits.
#include "assembler/scoreboard_choice.h"

#include <algorithm>

namespace smsim::assembler {

void ScoreboardChoice::end_uses(std::size_t place) {
    for (Users &users : live_) {
        for (auto &[traffic, ends] : users) {
            ends.erase(ends.begin(), ends.upper_bound(place));
        }
        std::erase_if(users, [](const auto &kind) { return kind.second.empty(); });
    }
}

int ScoreboardChoice::choose(const ScoreboardUse &use) {
    constexpr std::size_t kOtherTraffic = 1000; // mixing kinds of traffic costs more than waiting a little early
    end_uses(use.begin);
    std::size_t best = 0;
    std::size_t best_cost = ~std::size_t{0};
    for (std::size_t s = 0; s < live_.size(); ++s) {
        std::size_t cost = live_[s].empty() ? 1 : 0;
        for (const auto &[traffic, ends] : live_[s]) {
            const std::size_t before = use.end - std::min(use.end, *ends.begin());
            const std::size_t apart = std::max(before, std::max(use.end, *ends.rbegin()) - use.end);
            cost = std::max(cost, (apart == 0 ? 0 : apart + 1) + (traffic == use.traffic ? 0 : kOtherTraffic));
        }
        if (cost < best_cost) {
            best_cost = cost;
            best = s;
        }
    }
    live_[best][use.traffic].insert(use.end);
    return static_cast<int>(best);
}

} // namespace smsim::assembler
