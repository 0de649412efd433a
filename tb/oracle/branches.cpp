#include "tb/oracle/branches.h"

#include <fmt/format.h>

#include "tb/oracle/tokens.h"

namespace smsim::oracle {
namespace {

using isa::BraCondition;
using isa::Form;
using isa::Instruction;
using isa::Op;

/// Byte address that BRX, CALL or RET jumps to. The constant forms have no offset and hold 0 there.
Pc computed_target(const Step &step, const std::uint32_t *row) {
    const Instruction &insn = *step.insn;
    const auto offset = static_cast<Pc>(insn.imm) * kInstructionBytes;
    const Pc next = insn.pc + kInstructionBytes;
    if (step.op == Op::kBrx) {
        const std::uint32_t value = insn.form == Form::kR ? step.a(row) : step.b(row);
        return next + static_cast<Pc>(std::int64_t{static_cast<std::int32_t>(value)}) + offset;
    }
    const Pc value = insn.form == Form::kR ? step.a64(row) : step.b64(row);
    const bool absolute = insn.mod[0] != 0;
    return value + offset + (absolute ? 0 : next);
}

std::uint32_t bra_target(Machine &machine, std::uint32_t thread, const Step &step) {
    if (step.target == Step::kNoTarget) {
        machine.fault(thread, Fault::kIllegalTarget, "the target is outside the program");
    }
    return step.target;
}

std::uint32_t target_of(Machine &machine, std::uint32_t thread, const Step &step) {
    if (step.op == Op::kBra || isa::is_vector_branch(step.op)) {
        return bra_target(machine, thread, step);
    }
    const std::uint32_t *row = machine.row(thread);
    return machine.index_of(thread, isa::is_token_jump(step.op)
                                        ? token_target(step, row)
                                        : static_cast<std::int64_t>(computed_target(step, row)));
}

/// Whether the registers of VBEQ and similar branches satisfy the comparison (engines.md simt_stack).
bool vector_condition(const Step &step, const std::uint32_t *row) {
    const std::uint32_t a = step.a(row);
    const std::uint32_t b = step.b(row);
    const auto sa = static_cast<std::int32_t>(a);
    const auto sb = static_cast<std::int32_t>(b);
    switch (step.op) {
    case Op::kVbeq:
        return a == b;
    case Op::kVbne:
        return a != b;
    case Op::kVblt:
        return sa < sb;
    case Op::kVbge:
        return sa >= sb;
    case Op::kVbltu:
        return a < b;
    default:
        return a >= b;
    }
}

/// `.U`: all active threads jump or none.
bool unanimous(const Instruction &insn) {
    return isa::is_unanimous(insn) ||
           (insn.op == Op::kBra && static_cast<BraCondition>(insn.mod[0]) == BraCondition::kUniform);
}

bool target_in_register(const Instruction &insn) {
    return (insn.form == Form::kR && insn.ra != isa::kRz) || (insn.form == Form::kU && insn.ur != isa::kUrz);
}

/// Whether BRA.DIV and BRA.CONV find the warp diverged (bru.md Branches, `div`).
bool diverged(Machine &machine, std::uint32_t warp, std::uint32_t members, std::uint32_t executing, const Step &step) {
    const std::uint32_t outside = machine.warps[warp].living & ~members;
    if (step.insn->form != Form::kU) {
        // Whether threads outside the set are still alive when the branch is executed depends on timing.
        return executing != members || (outside != 0 && machine.random.coin());
    }
    const std::uint32_t lowest = warp * kLanes + LaneMask(members).lowest();
    const std::uint32_t operand = step.b(machine.row(lowest));
    const std::uint32_t u = step.insn->bitnot ? ~operand : operand;
    if ((u & outside) != 0) {
        return true;
    }
    return executing != members && (members & ~executing & u) != 0;
}

/// The threads of `members` that jump.
std::uint32_t jumpers(Machine &machine, std::uint32_t warp, std::uint32_t members, std::uint32_t executing,
                      const Step &step) {
    if (unanimous(*step.insn)) {
        return executing == members ? members : 0;
    }
    const auto condition = static_cast<BraCondition>(step.insn->mod[0]);
    const bool wanted = diverged(machine, warp, members, executing, step) == (condition == BraCondition::kDivergent);
    if (step.insn->form == Form::kU) {
        return executing != 0 && wanted ? members : 0;
    }
    return wanted ? executing : 0;
}

/// Jumps to the handler's first instruction; the thread keeps its return address.
void enter_handler(Machine &machine, std::uint32_t thread, const Step &step) {
    Thread &t = machine.threads[thread];
    if (machine.launch.trap_handler < 0) {
        const std::uint32_t index = step.b(machine.row(thread));
        machine.fault(thread, Fault::kTrap, fmt::format("index {}", index));
    }
    if (t.in_trap) {
        machine.fault(thread, Fault::kIllegalTrap, "TRAP before RTT");
    }
    const auto handler = static_cast<Pc>(machine.launch.trap_handler);
    if (!machine.launch.program->contains(handler)) {
        machine.fault(thread, Fault::kIllegalTarget, fmt::format("trap handler {:#x}", handler));
    }
    t.in_trap = true;
    t.trap_return = t.pc + 1;
    t.trap_meeting = t.meeting;
    t.pc = static_cast<std::uint32_t>(handler / kInstructionBytes);
}

void return_from_trap(Machine &machine, std::uint32_t thread) {
    Thread &t = machine.threads[thread];
    if (!t.in_trap) {
        machine.fault(thread, Fault::kIllegalTrap, "RTT outside a trap handler");
    }
    t.in_trap = false;
    t.pc = t.trap_return;
    // Threads that met inside the handler may have entered it from different places.
    t.set = t.meeting == t.trap_meeting ? t.set : 0;
}

} // namespace

void jump(Machine &machine, std::uint32_t thread, const Step &step, bool executes) {
    Thread &t = machine.threads[thread];
    const bool by_thread = isa::is_vector_branch(step.op);
    executes = executes && (!by_thread || vector_condition(step, machine.row(thread)));
    const std::uint32_t target = executes ? target_of(machine, thread, step) : t.pc + 1;
    t.pc = step.op == Op::kCal && executes && !enter_call(machine, thread) ? t.pc + 1 : target;
    if (by_thread || step.guarded || (step.op != Op::kBra && target_in_register(*step.insn))) {
        t.set = 0;
    }
}

void branch_alone(Machine &machine, std::uint32_t thread, const Step &step, bool executes) {
    Thread &t = machine.threads[thread];
    // With a uniform register all active threads jump if any thread's guard is true.
    const bool others = (machine.warp_of(thread).living & ~LaneMask::lane(thread % kLanes).bits()) != 0;
    const bool taken_along = step.insn->form == Form::kU && others && !step.never;
    const bool certain = unanimous(*step.insn) && !step.guarded && executes;
    const bool jumps = certain || ((executes || taken_along) && machine.random.coin());
    t.pc = jumps ? target_of(machine, thread, step) : t.pc + 1;
}

void branch_together(Machine &machine, std::uint32_t warp, std::uint32_t members, std::uint32_t executing,
                     const Step &step) {
    const std::uint32_t jumping = jumpers(machine, warp, members, executing, step);
    const bool parted = jumping != 0 && jumping != members;
    for_each_lane(LaneMask(members), [&](unsigned lane) {
        const std::uint32_t thread = warp * kLanes + lane;
        Thread &t = machine.threads[thread];
        const bool jumps = LaneMask(jumping).test(lane);
        t.set = parted ? 0 : t.set;
        machine.wake(thread, jumps ? target_of(machine, thread, step) : t.pc + 1);
    });
}

bool trap_needs_set(const Machine &machine, std::uint32_t thread, const Step &step) {
    return step.op == Op::kTrap && step.guarded && machine.threads[thread].set != 0;
}

void trap_alone(Machine &machine, std::uint32_t thread, const Step &step, bool executes) {
    Thread &t = machine.threads[thread];
    if (step.guarded) {
        t.set = 0;
    }
    if (step.op == Op::kRtt && executes) {
        return_from_trap(machine, thread);
        return;
    }
    const bool others = (machine.warp_of(thread).living & ~LaneMask::lane(thread % kLanes).bits()) != 0;
    const bool can_follow =
        step.op == Op::kTrap && others && !step.never && !t.in_trap && machine.launch.trap_handler >= 0;
    if (step.op == Op::kTrap && (executes || (can_follow && machine.random.coin()))) {
        enter_handler(machine, thread, step);
    } else {
        ++t.pc;
    }
}

void trap_together(Machine &machine, std::uint32_t warp, std::uint32_t members, std::uint32_t executing) {
    if (executing == 0) {
        machine.let_go(warp, members);
        return;
    }
    const Step &step = machine.step_at(machine.threads[warp * kLanes + LaneMask(executing).lowest()].pc);
    for_each_lane(LaneMask(members), [&](unsigned lane) {
        const std::uint32_t thread = warp * kLanes + lane;
        enter_handler(machine, thread, step);
        machine.wake(thread, machine.threads[thread].pc);
    });
}

} // namespace smsim::oracle
