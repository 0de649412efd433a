#include "cosim/transactions/replay.h"

#include <algorithm>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "cosim/implementations.h"
#include "cosim/recent_transactions.h"
#include "cosim/transactions/bench.h"

namespace smsim::cosim::transactions {
namespace {

constexpr Cycle kSlice = 2'000;     // between two checks
constexpr Cycle kOverdue = 100'000; // what is overdue by this much will not arrive

/// The first record that is missing in any bench.
std::optional<Difference> first_missing(const std::vector<std::unique_ptr<Bench>> &benches, Cycle cycle) {
    std::optional<Difference> first;
    for (const auto &bench : benches) {
        if (auto missing = bench->missing(cycle); missing && (!first || missing->cycle < first->cycle)) {
            first = std::move(missing);
        }
    }
    return first;
}

/// A difference that a part of RTL has reported itself: one in lockstep, or a broken rule of its pins.
Difference found_by(const LockstepDifference &found, std::span<const Part> parts) {
    Difference difference;
    for (const Part part : parts) {
        difference.part = found.part == part_name(part) ? part : difference.part;
    }
    difference.cycle = found.cycle;
    difference.text = found.text;
    if (!found.transactions.empty()) {
        difference.record = found.transactions.back();
    }
    return difference;
}

} // namespace

ReplayResult replay_into_parts(const File &file, const Config &config, std::span<const Part> parts) {
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    const auto findings = std::make_shared<Findings>();
    const sm::PartFactory factory = factory_of(config, findings);
    const protocol::Clock clock(config);
    Ending ending;
    ending.expect(parts.size());
    std::vector<std::unique_ptr<Bench>> benches;
    for (const Part part : parts) {
        benches.push_back(make_bench(part, config, file, factory, ending));
    }
    bool found = false;
    findings->on_end([&found] {
        found = true;
        sc_core::sc_pause();
    });
    std::optional<Difference> missing;
    while (!ending.ended() && !found && !missing) {
        const Cycle now = clock.now();
        // A slice extends at least to the next event: a sleep may be longer than any slice.
        const Cycle to_event = sc_core::sc_pending_activity_at_future_time()
                                   ? clock.at(sc_core::sc_time_to_pending_activity()) - now + 1
                                   : 0;
        sc_core::sc_start(clock.span(std::max(kSlice, to_event)), sc_core::SC_EXIT_ON_STARVATION);
        if (ending.ended() || found) {
            break;
        }
        const bool still = !sc_core::sc_pending_activity();
        missing = first_missing(benches, still ? kNever : clock.now() - std::min(clock.now(), kOverdue));
        if (still && !missing) {
            const auto open = std::ranges::find_if(benches, [](const auto &bench) { return !bench->done(); });
            missing = Difference{(*open)->result().part, (*open)->result().records - 1, clock.now(),
                                 field_difference("request", "taken", "replayed", "not taken"), ""};
        }
    }
    ending.rethrow();
    ReplayResult result;
    for (const auto &bench : benches) {
        result.parts.push_back(bench->result());
    }
    result.difference = ending.difference() ? ending.difference() : missing;
    if (findings->first() && (!result.difference || !ending.difference())) {
        result.difference = found_by(*findings->first(), parts);
    }
    return result;
}

} // namespace smsim::cosim::transactions
