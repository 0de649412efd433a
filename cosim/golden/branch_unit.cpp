// The branch unit of the golden model: the rules of bru/engines/convergence_barrier, applied to the state of each
// warp.
#include <memory>
#include <vector>

#include "bru/engines/convergence_barrier/engine.h"
#include "cosim/golden/handle.h"
#include "cosim/pin_codes.h"

using namespace smsim;
using bru::convergence_barrier::ControlState;
using bru::convergence_barrier::WarpControl;

struct smsim_golden_bru {
    static constexpr golden::Kind kKind = golden::Kind::kBru;
    struct Warp {
        WarpControl control;
        Pc bytes = 0;        ///< of its program
        bool asleep = false; ///< as a whole, until its timer fires
    };

    golden::Kind kind = kKind;
    BruConfig config;
    std::vector<Warp> warps;
};

namespace {

/// The warp of a slot; rejects a slot that does not exist.
template <typename Unit> auto &warp_of(Unit &unit, std::uint32_t warp) {
    golden::require_below(warp, unit.warps.size(), "warp");
    return unit.warps[warp];
}

BruConfig config_of(const smsim_golden_bru_options &options) {
    using golden::require;
    require(options.nanosleep_sets_yield <= 1 && options.trap_enable <= 1, SMSIM_GOLDEN_BAD_ARGUMENT,
            "nanosleep_sets_yield, trap_enable: expected 0 or 1");
    require(options.election <= SMSIM_GOLDEN_OLDEST, SMSIM_GOLDEN_BAD_ARGUMENT, "election {}: expected 0 to {}",
            options.election, static_cast<int>(SMSIM_GOLDEN_OLDEST));
    require(options.branch_order <= SMSIM_GOLDEN_TAKEN_FIRST, SMSIM_GOLDEN_BAD_ARGUMENT,
            "branch_order {}: expected 0 or 1", options.branch_order);
    require(options.zero == 0, SMSIM_GOLDEN_BAD_ARGUMENT, "zero {}: expected 0", options.zero);
    require(options.trap_handler >> 63 == 0, SMSIM_GOLDEN_BAD_ARGUMENT, "trap_handler {:#x}: expected less than 2^63",
            options.trap_handler);
    BruConfig config;
    config.nanosleep_sets_yield = options.nanosleep_sets_yield != 0;
    config.trap_handler = options.trap_enable != 0 ? static_cast<std::int64_t>(options.trap_handler) : -1;
    config.election = static_cast<ElectionPolicy>(options.election);
    config.branch_order = static_cast<BranchOrder>(options.branch_order);
    return config;
}

smsim_golden_bru_response response_of(const bru::StepResult &result, unsigned channel) {
    smsim_golden_bru_response response{};
    response.channel = channel;
    if (result.fault) {
        response.fault = cosim::code_of(result.fault->fault);
        response.fault_lane = result.fault_lane;
        response.fault_value = result.fault_value;
        return response;
    }
    const bru::StepEvent &event = result.event;
    response.outcome = result.outcome == Outcome::kExited ? 2 : result.outcome == Outcome::kSleep ? 1 : 0;
    response.next_pc = result.outcome == Outcome::kExited ? 0 : result.next_pc;
    response.next_active = result.next_active.bits();
    response.executed = result.executed.bits();
    response.write_lanes = result.write_lanes.bits();
    response.value = result.write_lanes.any() ? result.value : 0;
    response.active = event.active.bits();
    response.event = cosim::code_of(event.kind);
    if (event.kind == bru::StepEvent::Kind::kBranch) {
        response.jumped = event.jumped.bits();
        response.split = event.split ? 1 : 0;
    }
    if (event.kind == bru::StepEvent::Kind::kSync) {
        response.passed = event.passed ? 1 : 0;
        response.release = cosim::code_of(event.release);
    }
    response.sleep_ns = result.sleep_ns.value_or(0);
    return response;
}

smsim_golden_bru_state state_of(const WarpControl &control) {
    const ControlState &from = control.state;
    smsim_golden_bru_state state{};
    state.active_pc = from.active_pc;
    for_each_lane(from.valid & ~from.active, [&](unsigned lane) { state.rpc[lane] = from.rpc[lane]; });
    state.valid = from.valid.bits();
    state.active = from.active.bits();
    state.yield = from.yield.bits();
    state.sleep = from.sleep.bits();
    state.switch_set = from.switch_set.bits();
    state.wait = from.wait.bits();
    state.wait_bar = from.wait_bar.bits();
    state.turn = from.turn.bits();
    for (unsigned i = 0; i < kConvergenceBarriers; ++i) {
        state.b[i] = from.b[i].bits();
    }
    if (control.trap.in_handler) {
        state.in_trap = 1;
        state.trap_index = control.trap.index;
        state.trap_return = control.trap.return_pc;
    }
    return state;
}

} // namespace

int smsim_golden_bru_defaults(smsim_golden_bru_options *options) {
    return golden::guarded([&] {
        golden::require_pointer(options, "options");
        const BruConfig config;
        *options = {};
        options->warps = 64;
        options->nanosleep_sets_yield = config.nanosleep_sets_yield ? 1 : 0;
        options->election = static_cast<std::uint32_t>(config.election.own());
        options->branch_order = static_cast<std::uint32_t>(config.branch_order);
    });
}

int smsim_golden_bru_create(const smsim_golden_bru_options *options, smsim_golden_bru **unit) {
    return golden::create(unit, [&] {
        smsim_golden_bru_options chosen;
        smsim_golden_bru_defaults(&chosen);
        if (options != nullptr) {
            chosen = *options;
        }
        golden::require_slots(chosen.warps, "warps");
        auto made = std::make_unique<smsim_golden_bru>();
        made->config = config_of(chosen);
        made->warps.resize(chosen.warps);
        return made;
    });
}

void smsim_golden_bru_destroy(smsim_golden_bru *unit) {
    golden::destroy(unit);
}

int smsim_golden_bru_start(smsim_golden_bru *unit, uint32_t warp, uint64_t entry, uint64_t bytes, uint32_t valid) {
    return golden::guarded([&] {
        smsim_golden_bru::Warp &started = warp_of(golden::checked(unit), warp);
        started = {bru::convergence_barrier::started(entry, LaneMask(valid)), bytes, false};
    });
}

int smsim_golden_bru_step(smsim_golden_bru *unit, uint32_t warp, const smsim_golden_bru_request *request,
                          smsim_golden_bru_response *response) {
    return golden::guarded([&] {
        smsim_golden_bru &all = golden::checked(unit);
        smsim_golden_bru::Warp &own = warp_of(all, warp);
        golden::require_pointer(request, "request");
        golden::require_pointer(response, "response");
        const isa::Instruction insn = golden::decoded(request->insn, request->pc, isa::Unit::kBranch);
        golden::require(own.control.state.active.any(), SMSIM_GOLDEN_BAD_STATE, "warp {} has no thread", warp);
        golden::require(!own.asleep, SMSIM_GOLDEN_BAD_STATE, "warp {} sleeps", warp);
        isa::VectorOperands vectors{};
        std::copy_n(request->vector, kLanes, vectors[0].begin());
        const bru::Operands operands{LaneMask(request->guard), LaneMask(request->guard_pp), vectors, request->scalar};
        const bru::StepResult result =
            bru::convergence_barrier::execute_step(own.control, insn, operands, all.config, own.bytes);
        own.asleep = !result.fault && result.outcome == Outcome::kSleep;
        *response = response_of(result, cosim::class_of(insn));
    });
}

int smsim_golden_bru_expired(smsim_golden_bru *unit, uint32_t warp) {
    return golden::guarded([&] {
        smsim_golden_bru::Warp &own = warp_of(golden::checked(unit), warp);
        bru::convergence_barrier::clear_sleep(own.control.state);
        own.asleep = false;
    });
}

int smsim_golden_bru_read_state(const smsim_golden_bru *unit, uint32_t warp, smsim_golden_bru_state *state) {
    return golden::guarded([&] {
        const smsim_golden_bru::Warp &own = warp_of(golden::checked(unit), warp);
        golden::require_pointer(state, "state");
        *state = state_of(own.control);
    });
}
