// Convergence-barrier state as named fields.
#include "bru/engines/convergence_barrier/control_state.h"

#include <algorithm>

namespace smsim::bru::convergence_barrier {
namespace {

using Kind = ControlField::Kind;

constexpr std::size_t kFirstBarrier = 9;
constexpr std::array<ControlField, kFirstBarrier + kConvergenceBarriers + 1> kFields = {{
    {"ActivePC", Kind::kAddress},
    {"ActiveMask"},
    {"ValidMask"},
    {"YieldMask"},
    {"SleepMask"},
    {"SwitchMask"},
    {"WaitMask"},
    {"WaitBarMask"},
    {"TurnMask"},
    {"B0", Kind::kMask, "b"},
    {"B1", Kind::kMask, "b"},
    {"B2", Kind::kMask, "b"},
    {"B3", Kind::kMask, "b"},
    {"B4", Kind::kMask, "b"},
    {"B5", Kind::kMask, "b"},
    {"B6", Kind::kMask, "b"},
    {"B7", Kind::kMask, "b"},
    {"B8", Kind::kMask, "b"},
    {"B9", Kind::kMask, "b"},
    {"B10", Kind::kMask, "b"},
    {"B11", Kind::kMask, "b"},
    {"B12", Kind::kMask, "b"},
    {"B13", Kind::kMask, "b"},
    {"B14", Kind::kMask, "b"},
    {"B15", Kind::kMask, "b"},
    {"rpc", Kind::kThreadAddresses},
}};

} // namespace

std::span<const ControlField> control_fields() {
    return kFields;
}

ControlSnapshot snapshot_of(const ControlState &state) {
    ControlSnapshot shown;
    shown.fields = kFields;
    shown.values.reserve(kFields.size());
    shown.lists.reserve(kLanes);
    shown.add(state.active_pc);
    for (const LaneMask mask : {state.active, state.valid, state.yield, state.sleep, state.switch_set, state.wait,
                                state.wait_bar, state.turn}) {
        shown.add(mask);
    }
    for (const LaneMask barrier : state.b) {
        shown.add(barrier);
    }
    shown.add(state.valid & ~state.active, state.rpc);
    return shown;
}

ControlState state_of(const ControlSnapshot &snapshot) {
    ControlState state;
    const auto mask = [&](std::size_t field) { return LaneMask(static_cast<std::uint32_t>(snapshot.values[field])); };
    state.active_pc = snapshot.values[0];
    state.active = mask(1);
    state.valid = mask(2);
    state.yield = mask(3);
    state.sleep = mask(4);
    state.switch_set = mask(5);
    state.wait = mask(6);
    state.wait_bar = mask(7);
    state.turn = mask(8);
    for (std::size_t i = 0; i < kConvergenceBarriers; ++i) {
        state.b[i] = mask(kFirstBarrier + i);
    }
    std::ranges::copy(snapshot.list_of(kFirstBarrier + kConvergenceBarriers), state.rpc.begin());
    return state;
}

} // namespace smsim::bru::convergence_barrier
