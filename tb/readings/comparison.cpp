// Comparison field by field, so that a difference has a name.
#include "tb/readings/comparison.h"

#include <string_view>

#include <fmt/format.h>

namespace smsim::readings {
namespace {

class Differences {
  public:
    void ask(std::string_view what, std::uint64_t a, std::uint64_t b) {
        if (a != b && !found) {
            found = fmt::format("{}: {:#x} and {:#x}", what, a, b);
        }
    }
    void ask(std::string_view what, LaneMask a, LaneMask b) { ask(what, a.bits(), b.bits()); }
    void ask(std::string_view what, unsigned index, std::uint64_t a, std::uint64_t b) {
        if (a != b) {
            ask(fmt::format("{}{}", what, index), a, b);
        }
    }
    template <typename Value>
    void ask(std::string_view what, const std::optional<Value> &a, const std::optional<Value> &b) {
        constexpr auto number = [](const std::optional<Value> &value) {
            return value ? static_cast<std::uint64_t>(*value) : ~std::uint64_t{0};
        };
        ask(what, number(a), number(b));
    }

    std::optional<std::string> found;
};

void compare(Differences &differ, const bru::convergence_barrier::ControlState &a,
             const bru::convergence_barrier::ControlState &b) {
    differ.ask("ActivePC", a.active_pc, b.active_pc);
    differ.ask("ValidMask", a.valid, b.valid);
    differ.ask("ActiveMask", a.active, b.active);
    differ.ask("YieldMask", a.yield, b.yield);
    differ.ask("SleepMask", a.sleep, b.sleep);
    differ.ask("SwitchMask", a.switch_set, b.switch_set);
    differ.ask("WaitMask", a.wait, b.wait);
    differ.ask("WaitBarMask", a.wait_bar, b.wait_bar);
    differ.ask("TurnMask", a.turn, b.turn);
    for (unsigned index = 0; index < kConvergenceBarriers; ++index) {
        differ.ask("B", index, a.b[index].bits(), b.b[index].bits());
    }
    for_each_lane(a.valid & ~a.active, [&](unsigned t) { differ.ask("RPC of thread ", t, a.rpc[t], b.rpc[t]); });
}

void compare(Differences &differ, const bru::StepResult &a, const bru::StepResult &b) {
    const auto number = [](auto value) { return static_cast<std::uint64_t>(value); };
    differ.ask("outcome", number(a.outcome), number(b.outcome));
    differ.ask("next PC", a.next_pc, b.next_pc);
    differ.ask("next threads", a.next_active, b.next_active);
    differ.ask("executing threads", a.executed, b.executed);
    differ.ask("written lanes", a.write_lanes, b.write_lanes);
    differ.ask("written value", a.value, b.value);
    differ.ask("time of sleep", a.sleep_ns, b.sleep_ns);
    differ.ask("kind of step", number(a.event.kind), number(b.event.kind));
    differ.ask("threads before", a.event.active, b.event.active);
    differ.ask("threads that jumped", a.event.jumped, b.event.jumped);
    differ.ask("split", number(a.event.split), number(b.event.split));
    differ.ask("passed", number(a.event.passed), number(b.event.passed));
    differ.ask("kind of release", a.event.release, b.event.release);
}

} // namespace

std::optional<std::string> difference(const Behind &a, const Behind &b) {
    Differences differ;
    const auto cause = [](const bru::StepResult &result) {
        return result.fault ? std::optional(result.fault->fault) : std::nullopt;
    };
    differ.ask("exception", cause(a.result), cause(b.result));
    compare(differ, a.warp.state, b.warp.state);
    differ.ask("turn given", std::uint64_t{a.warp.turn_given}, std::uint64_t{b.warp.turn_given});
    differ.ask("in a trap handler", std::uint64_t{a.warp.trap.in_handler}, std::uint64_t{b.warp.trap.in_handler});
    differ.ask("address behind the trap", a.warp.trap.return_pc, b.warp.trap.return_pc);
    differ.ask("index of the trap", std::uint64_t{a.warp.trap.index}, std::uint64_t{b.warp.trap.index});
    for (unsigned t = 0; t < kLanes; ++t) {
        differ.ask("waiting place of thread ", t, a.warp.waiting_place[t], b.warp.waiting_place[t]);
    }
    if (!a.result.fault) {
        compare(differ, a.result, b.result);
    }
    return differ.found;
}

} // namespace smsim::readings
