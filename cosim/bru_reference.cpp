#include "cosim/bru_reference.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cosim/pin_codes.h"
#include "model/isa/isa.h"

namespace smsim::cosim {

using bru::StepResult;
using bru::convergence_barrier::ControlState;

namespace {

/// Collects fields that differ.
class Fields {
  public:
    void compare(const std::string &name, std::uint64_t model, std::uint64_t rtl) {
        if (model != rtl) {
            add(name, fmt::format("{:#x}", model), fmt::format("{:#x}", rtl));
        }
    }
    void compare_masks(const std::string &name, LaneMask model, LaneMask rtl) {
        if (model != rtl) {
            add(name, fmt::format("{:#010x}", model.bits()), fmt::format("{:#010x}", rtl.bits()));
        }
    }
    void add(const std::string &name, const std::string &model, const std::string &rtl) {
        text_ += fmt::format("{}{}: model {}, RTL {}", text_.empty() ? "" : "; ", name, model, rtl);
    }
    const std::string &text() const { return text_; }

  private:
    std::string text_;
};

/// Where the meaning of an operation stands.
std::string rule_of(isa::Op op) {
    switch (op) {
    case isa::Op::kBra:
    case isa::Op::kBrx:
    case isa::Op::kCall:
    case isa::Op::kRet:
        return "docs/branch-unit.md, Jumps";
    case isa::Op::kBssy:
    case isa::Op::kBreak:
    case isa::Op::kBmov:
    case isa::Op::kBsync:
        return "docs/branch-unit.md, Joins";
    case isa::Op::kWarpsync:
        return "docs/branch-unit.md, WARPSYNC";
    case isa::Op::kYield:
    case isa::Op::kNanosleep:
    case isa::Op::kExit:
        return "docs/branch-unit.md, YIELD, NANOSLEEP, EXIT";
    default:
        return "docs/branch-unit.md, TRAP, SYSCALL, LEPC";
    }
}

std::string fault_text(const std::optional<FaultReport> &fault) {
    return fault ? fault_name(fault->fault) : "none";
}

} // namespace

BruReference::BruReference(const BruConfig &config, unsigned warps)
    : engine_(bru::make_engine(config, warps)), steps_(warps) {}

void BruReference::start(const WarpStart &start) {
    steps_[start.warp.value()].clear();
    engine_->start(start.warp, start.entry, start.valid, start.code_bytes);
}

const StepResult &BruReference::execute(WarpSlot warp, const isa::Instruction &insn, const bru::Operands &operands) {
    auto &steps = steps_[warp.value()];
    steps.push_back({&insn, engine_->execute(warp, insn, operands)});
    return steps.back().result;
}

void BruReference::expired(WarpSlot warp) {
    engine_->timer_expired(warp);
}

std::optional<std::string> BruReference::difference(WarpSlot warp, const isa::Instruction &insn,
                                                    const StepResult &there, const std::optional<ControlState> &state) {
    auto &steps = steps_[warp.value()];
    const auto step = std::ranges::find(steps, &insn, &Step::insn);
    if (step == steps.end()) {
        return "the model has not executed this instruction";
    }
    const StepResult here = std::move(step->result);
    steps.erase(step);
    Fields fields;
    if (fault_text(here.fault) != fault_text(there.fault)) {
        fields.add("exception", fault_text(here.fault), fault_text(there.fault));
    }
    if (here.fault && there.fault && here.fault->fault == there.fault->fault) {
        fields.compare("exception's thread", here.fault_lane, there.fault_lane);
        fields.compare("exception's value", here.fault_value, there.fault_value);
    }
    if (!here.fault && !there.fault) {
        fields.compare("outcome", static_cast<unsigned>(here.outcome), static_cast<unsigned>(there.outcome));
        if (here.outcome != Outcome::kExited) {
            fields.compare("next PC", here.next_pc, there.next_pc);
        }
        fields.compare_masks("next active", here.next_active, there.next_active);
        fields.compare_masks("executed", here.executed, there.executed);
        fields.compare_masks("written lanes", here.write_lanes, there.write_lanes);
        if (here.write_lanes.any()) {
            fields.compare("value", here.value, there.value);
        }
        fields.compare("event", static_cast<unsigned>(here.event.kind), static_cast<unsigned>(there.event.kind));
        fields.compare_masks("active before", here.event.active, there.event.active);
        if (here.event.kind == bru::StepEvent::Kind::kBranch) {
            fields.compare_masks("jumped", here.event.jumped, there.event.jumped);
            fields.compare("split", unsigned{here.event.split}, unsigned{there.event.split});
        }
        if (here.event.kind == bru::StepEvent::Kind::kSync) {
            fields.compare("passed", unsigned{here.event.passed}, unsigned{there.event.passed});
            fields.compare("release", code_of(here.event.release), code_of(there.event.release));
        }
    }
    const ControlState mine = bru::convergence_barrier::state_of(engine_->snapshot(warp, {}));
    if (state && !here.fault && mine.valid.any()) {
        fields.compare("ActivePC", mine.active_pc, state->active_pc);
        const std::pair<const char *, LaneMask ControlState::*> masks[] = {
            {"ValidMask", &ControlState::valid},       {"ActiveMask", &ControlState::active},
            {"YieldMask", &ControlState::yield},       {"SleepMask", &ControlState::sleep},
            {"SwitchMask", &ControlState::switch_set}, {"WaitMask", &ControlState::wait},
            {"WaitBarMask", &ControlState::wait_bar},  {"TurnMask", &ControlState::turn}};
        for (const auto &[name, mask] : masks) {
            fields.compare_masks(name, mine.*mask, (*state).*mask);
        }
        for (unsigned i = 0; i < kConvergenceBarriers; ++i) {
            fields.compare_masks(fmt::format("B{}", i), mine.b[i], state->b[i]);
        }
        for_each_lane(mine.valid & ~mine.active, [&](unsigned lane) {
            fields.compare(fmt::format("RPC of thread {}", lane), mine.rpc[lane], state->rpc[lane]);
        });
    }
    if (fields.text().empty()) {
        return std::nullopt;
    }
    return fmt::format("{} ({})", fields.text(), rule_of(insn.op));
}

} // namespace smsim::cosim
