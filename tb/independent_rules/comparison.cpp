// Compares field by field, so that every difference has a name.
#include "tb/independent_rules/comparison.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace smsim::independent_rules {
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
    differ.ask("cycles beyond the class", a.extra_cycles, b.extra_cycles);
    const auto refusal = [](const bru::StepResult &result) {
        return result.refuses_arrivals ? std::optional(result.refuses_arrivals->fault) : std::nullopt;
    };
    differ.ask("exception of an arrival", refusal(a), refusal(b));
}

void compare(Differences &differ, const bru::TrapState &a, const bru::TrapState &b) {
    differ.ask("in a trap handler", std::uint64_t{a.in_handler}, std::uint64_t{b.in_handler});
    differ.ask("address after the trap", a.return_pc, b.return_pc);
    differ.ask("index of the trap", std::uint64_t{a.index}, std::uint64_t{b.index});
}

void compare(Differences &differ, const bru::convergence_barrier::WarpControl &a,
             const bru::convergence_barrier::WarpControl &b) {
    compare(differ, a.state, b.state);
    differ.ask("turn given", std::uint64_t{a.turn_given}, std::uint64_t{b.turn_given});
    compare(differ, a.trap, b.trap);
    for (unsigned t = 0; t < kLanes; ++t) {
        differ.ask("waiting place of thread ", t, a.waiting_place[t], b.waiting_place[t]);
    }
}

void compare(Differences &differ, const bru::simt_stack::Warp &a, const bru::simt_stack::Warp &b) {
    differ.ask("pc", a.state.pc, b.state.pc);
    differ.ask("mask", a.state.mask, b.state.mask);
    differ.ask("rpc", a.state.rpc, b.state.rpc);
    differ.ask("entries", a.state.stack.size(), b.state.stack.size());
    const std::size_t common = std::min(a.state.stack.size(), b.state.stack.size());
    for (unsigned i = 0; i < common; ++i) {
        differ.ask("rpc of entry ", i, a.state.stack[i].rpc, b.state.stack[i].rpc);
        differ.ask("pc of entry ", i, a.state.stack[i].pc, b.state.stack[i].pc);
        differ.ask("mask of entry ", i, a.state.stack[i].mask.bits(), b.state.stack[i].mask.bits());
    }
    compare(differ, a.trap, b.trap);
}

void compare(Differences &differ, const bru::token_stack::Warp &a, const bru::token_stack::Warp &b) {
    differ.ask("PC", a.state.pc, b.state.pc);
    differ.ask("ActiveMask", a.state.active, b.state.active);
    differ.ask("ValidMask", a.state.valid, b.state.valid);
    differ.ask("LMT", std::uint64_t{a.state.lmt}, std::uint64_t{b.state.lmt});
    differ.ask("tokens", a.state.stack.size(), b.state.stack.size());
    const std::size_t common = std::min(a.state.stack.size(), b.state.stack.size());
    for (unsigned i = 0; i < common; ++i) {
        differ.ask("kind of token ", i, static_cast<std::uint64_t>(a.state.stack[i].kind),
                   static_cast<std::uint64_t>(b.state.stack[i].kind));
        differ.ask("mask of token ", i, a.state.stack[i].mask.bits(), b.state.stack[i].mask.bits());
        differ.ask("pc of token ", i, a.state.stack[i].pc, b.state.stack[i].pc);
    }
    compare(differ, a.trap, b.trap);
}

template <typename Warp> std::optional<std::string> compared(const Behind<Warp> &a, const Behind<Warp> &b) {
    Differences differ;
    const auto cause = [](const bru::StepResult &result) {
        return result.fault ? std::optional(result.fault->fault) : std::nullopt;
    };
    differ.ask("exception", cause(a.result), cause(b.result));
    compare(differ, a.warp, b.warp);
    if (!a.result.fault) {
        compare(differ, a.result, b.result);
    }
    return differ.found;
}

} // namespace

std::optional<std::string> difference(const Behind<bru::convergence_barrier::WarpControl> &a,
                                      const Behind<bru::convergence_barrier::WarpControl> &b) {
    return compared(a, b);
}
std::optional<std::string> difference(const Behind<bru::simt_stack::Warp> &a, const Behind<bru::simt_stack::Warp> &b) {
    return compared(a, b);
}
std::optional<std::string> difference(const Behind<bru::token_stack::Warp> &a,
                                      const Behind<bru::token_stack::Warp> &b) {
    return compared(a, b);
}

std::optional<std::string> difference(const bru::simt_stack::Counters &a, const bru::simt_stack::Counters &b) {
    Differences differ;
    differ.ask("depth counted", a.depth, b.depth);
    differ.ask("pushes counted", a.pushes, b.pushes);
    differ.ask("pops counted", a.pops, b.pops);
    differ.ask("overflows counted", a.overflows, b.overflows);
    differ.ask("partial WARPSYNC counted", a.warpsync_partial, b.warpsync_partial);
    return differ.found;
}

std::optional<std::string> difference(const bru::token_stack::Counters &a, const bru::token_stack::Counters &b) {
    Differences differ;
    differ.ask("depth counted", a.depth, b.depth);
    for (unsigned kind = 0; kind < a.pushes.size(); ++kind) {
        differ.ask("pushes counted of kind ", kind, a.pushes[kind], b.pushes[kind]);
    }
    differ.ask("pops counted", a.pops, b.pops);
    differ.ask("tokens to memory counted", a.spilled, b.spilled);
    differ.ask("tokens from memory counted", a.filled, b.filled);
    differ.ask("cycles of spilling counted", a.spill_cycles, b.spill_cycles);
    differ.ask("overflows counted", a.overflows, b.overflows);
    differ.ask("calls at the limit counted", a.limited, b.limited);
    return differ.found;
}

} // namespace smsim::independent_rules
