// Queries and changes of a warp's control state that all rules share.
#include "bru/engines/convergence_barrier/warp_control.h"

#include <bit>

#include <fmt/format.h>

#include "bru/engines/common/values.h"

namespace smsim::bru::convergence_barrier {

WarpControl started(Pc entry, LaneMask valid) {
    WarpControl warp;
    warp.state.active_pc = entry;
    warp.state.rpc.fill(entry);
    warp.state.valid = valid;
    warp.state.active = valid;
    return warp;
}

LaneMask with_rpc(const ControlState &state, Pc pc, LaneMask among) {
    std::uint32_t bits = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        bits |= static_cast<std::uint32_t>(state.rpc[lane] == pc) << lane;
    }
    return LaneMask(bits) & among;
}

void update_waiting_places(WarpControl &warp, LaneMask active_before) {
    const LaneMask waiting = warp.state.valid & ~warp.state.active;
    const LaneMask longer = waiting & ~active_before;
    std::uint32_t taken = 0;
    for_each_lane(longer, [&](unsigned lane) { taken |= std::uint32_t{1} << warp.waiting_place[lane]; });
    std::array<std::uint8_t, kLanes> place{};
    for_each_lane(waiting, [&](unsigned lane) {
        const std::uint32_t earlier =
            longer.test(lane) ? taken & ((std::uint32_t{1} << warp.waiting_place[lane]) - 1) : taken;
        place[lane] = static_cast<std::uint8_t>(std::popcount(earlier));
    });
    warp.waiting_place = place;
}

LaneMask standing_at(const ControlState &state, Pc pc) {
    return with_rpc(state, pc, state.valid & ~state.active);
}

LaneMask arriving(const ControlState &state) {
    return standing_at(state, state.active_pc) & ~state.sleep;
}

void park(ControlState &state, LaneMask lanes, Pc pc) {
    for_each_lane(lanes, [&](unsigned lane) { state.rpc[lane] = pc; });
}

void catch_up(WarpControl &warp, Pc pc) {
    if (pc == warp.state.active_pc) {
        return;
    }
    warp.state.active_pc = pc;
    warp.turn_given = false;
    make_progress(warp.state);
}

void remove_threads(ControlState &state, LaneMask lanes) {
    const LaneMask rest = state.valid & ~lanes;
    state.valid = rest;
    state.active &= rest;
    state.yield &= rest;
    state.sleep &= rest;
    state.switch_set &= rest;
    state.wait &= rest;
    state.wait_bar &= rest;
    state.turn &= rest;
    for (LaneMask &barrier : state.b) {
        barrier &= rest;
    }
}

void clear_sleep(ControlState &state) {
    state.sleep = LaneMask();
    make_progress(state);
}

std::string wait_relation(const WarpControl &warp, LaneMask lanes) {
    const ControlState &state = warp.state;
    const auto place = [&](unsigned lane) { return state.active.test(lane) ? state.active_pc : state.rpc[lane]; };
    std::string text;
    for (LaneMask rest = lanes; rest.any();) {
        const unsigned first = rest.lowest();
        LaneMask group;
        for_each_lane(rest, [&](unsigned lane) {
            if (place(lane) == place(first) && warp.awaited[lane] == warp.awaited[first]) {
                group |= LaneMask::lane(lane);
            }
        });
        text += fmt::format("{}threads {} at {} wait for {}", text.empty() ? "" : "; ", text_of(group),
                            text_of_pc(place(first)), text_of(warp.awaited[first] & state.valid));
        rest &= ~group;
    }
    return text;
}

std::string description_of(const ControlState &state) {
    if (state.valid.none()) {
        return "no threads";
    }
    std::string text = fmt::format("threads {} active at {}", text_of(state.active), text_of_pc(state.active_pc));
    for (LaneMask rest = state.valid & ~state.active; rest.any();) {
        const Pc pc = state.rpc[rest.lowest()];
        const LaneMask group = with_rpc(state, pc, rest);
        text += fmt::format("; {} at {}", text_of(group), text_of_pc(pc));
        rest &= ~group;
    }
    const auto add = [&](const char *what, LaneMask mask) {
        if (mask.any()) {
            text += fmt::format("; {} {}", what, text_of(mask));
        }
    };
    add("yielded", state.yield);
    add("asleep", state.sleep);
    add("waiting at a sync", state.wait);
    for (unsigned index = 0; index < kConvergenceBarriers; ++index) {
        add(fmt::format("B{}", index).c_str(), state.b[index]);
    }
    return text;
}

} // namespace smsim::bru::convergence_barrier
