#include "session/timing_only_options.h"

#include "model/config/config.h"

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace smsim::session {

void reject_what_needs_timing(const Config &config, const Options &options) {
    if (!options.timed.is_none()) {
        return;
    }
    const auto replaced = [](const Implementation &part) { return part.kind() != Implementation::Kind::kModel; };
    const std::array<std::pair<bool, std::string_view>, 12> wishes = {{
        {options.waveforms.has_value(), "waveforms show cycles"},
        {!options.block_waveforms.empty(), "waveforms of a block show cycles"},
        {!options.transactions.empty(), "recorded transactions have times"},
        {options.parts != nullptr, "timelines, critical paths and other observers of the parts need cycles"},
        {options.trace_form == views::TraceForm::kTimedControl, "--trace-format timed shows cycles"},
        {options.trace_fields.of_events(), "the trace fields barriers, timers and release are events in time"},
        {options.factory != nullptr || options.binder != nullptr, "the parts of the SM are not simulated"},
        {replaced(config.bru.implementation), "bru.implementation puts RTL, which has clock cycles, into the SM"},
        {replaced(config.bcu.implementation), "bcu.implementation puts RTL, which has clock cycles, into the SM"},
        {replaced(config.timer.implementation), "timer.implementation puts RTL, which has clock cycles, into the SM"},
        {replaced(config.shared.implementation), "shared.implementation puts RTL, which has clock cycles, into the SM"},
        {config.sm.hazard_check, "sm.hazard_check compares cycles"},
    }};
    for (const auto &[is_wanted, why] : wishes) {
        if (is_wanted) {
            throw InputError(fmt::format("without timing (--timing none) there are no cycles: {}", why));
        }
    }
}

void reject_what_needs_a_whole_launch(const Config &config, const Options &options) {
    const bool in_part = !options.timed.is_all() && !options.timed.is_none();
    if (in_part && !(config.sm.cta_distribution == CtaDistributionKind::kInOrder)) {
        throw InputError("sm.cta_distribution: CTAs start in the order of their numbers when some are not simulated in "
                         "time (--timing sample, --timing-ctas, --timing-from); expected in_order");
    }
    if (options.timed.instructions_before() == 0) {
        return;
    }
    const auto replaced = [](const Implementation &part) { return part.kind() != Implementation::Kind::kModel; };
    const std::array<std::pair<bool, std::string_view>, 5> wishes = {{
        {!options.transactions.empty(), "recorded transactions begin with the starts of warps"},
        {options.factory != nullptr, "external parts begin with the starts of warps"},
        {replaced(config.bru.implementation),
         "bru.implementation puts RTL, which cannot take their state, into the SM"},
        {replaced(config.bcu.implementation),
         "bcu.implementation puts RTL, which cannot take their state, into the SM"},
        {replaced(config.shared.implementation),
         "shared.implementation puts RTL, which cannot take its bytes, into the SM"},
    }};
    for (const auto &[is_wanted, why] : wishes) {
        if (is_wanted) {
            throw InputError(
                fmt::format("from an instruction on (--timing-from instruction:N) warps go on in mid-flight: {}", why));
        }
    }
}

} // namespace smsim::session
