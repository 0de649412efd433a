#include "tb/fuzz/programs/simt_rules.h"

#include <algorithm>

#include <fmt/format.h>

#include "tb/fuzz/programs/snapshot_fields.h"

namespace smsim::fuzz {
namespace {

using isa::Op;

Pc relative(const isa::Instruction &insn) {
    return insn.pc + kInstructionBytes + static_cast<Pc>(insn.imm) * kInstructionBytes;
}

/// The state before, with only the PC advanced.
SimtRules::State at(SimtRules::State state, Pc pc) {
    state.pc = pc;
    return state;
}

SimtRules::State joined(const SimtRules::State &before) {
    SimtRules::State after = before;
    if (before.stack.empty() || before.stack.back().rpc != before.pc) {
        after.pc += kInstructionBytes;
        return after;
    }
    after.active = before.stack.back().mask;
    after.pc = before.stack.back().pc;
    after.stack.pop_back();
    return after;
}

} // namespace

SimtRules::State SimtRules::read(const ControlSnapshot &snapshot) {
    const SnapshotFields fields(snapshot);
    State state{
        fields.value("pc"), LaneMask(static_cast<std::uint32_t>(fields.value("mask"))), fields.value("rpc"), {}};
    fields.each_entry("stack", [&](const auto &column) {
        state.stack.push_back({column("rpc"), column("pc"), LaneMask(static_cast<std::uint32_t>(column("mask")))});
    });
    return state;
}

std::string SimtRules::text(const State &state) {
    std::string text = fmt::format("{:#010x} at {:#x} rpc {:#x}", state.active.bits(), state.pc, state.rpc);
    for (const Entry &entry : state.stack) {
        text += fmt::format(" [{:#x} {:#x} {:#010x}]", entry.rpc, entry.pc, entry.mask.bits());
    }
    return text;
}

bool SimtRules::joins_at(Pc pc) const {
    return program_.contains(pc) && program_.code[pc / kInstructionBytes].op == Op::kJoin;
}

/// engines.md simt_stack, "vbranch". The threads that jumped are read from their new places.
std::string SimtRules::broken_branch(const isa::Instruction &insn, const State &before, const State &after) const {
    const Pc next = insn.pc + kInstructionBytes;
    const Pc target = relative(insn);
    if (after == at(before, next) || after == at(before, target)) {
        return "";
    }
    if (after.stack.size() != before.stack.size() + 2) {
        return "a branch that parts threads should push two entries";
    }
    const Entry &meeting = after.stack[before.stack.size()];
    const Entry &other = after.stack.back();
    State below = after;
    below.stack.resize(before.stack.size());
    if (below.stack != before.stack || after.rpc != before.rpc) {
        return "a branch should keep rpc, and what is on the stack";
    }
    if (!joins_at(before.rpc) || meeting != Entry{before.rpc, before.rpc, before.active}) {
        return "all should meet again at rpc, a JOIN";
    }
    const bool two_sides = (after.active | other.mask) == before.active && (after.active & other.mask).none() &&
                           after.active.any() && other.mask.any();
    const bool taken_runs = after.pc == target && other.pc == next;
    if (!two_sides || other.rpc != before.rpc || (!taken_runs && !(after.pc == next && other.pc == target))) {
        return "one side should go on, the other wait";
    }
    const bool minority = config_.order == SimtStackOrder::kMinorityFirst;
    if (target == next) { // both sides are at one place: only their sizes distinguish them
        return !minority || after.active.count() <= other.mask.count() ? "" : "the smaller side should go first";
    }
    bool taken_first = config_.order == SimtStackOrder::kTakenFirst;
    if (minority) {
        const LaneMask taken = taken_runs ? after.active : other.mask;
        taken_first = 2 * taken.count() <= before.active.count();
    }
    return taken_runs == taken_first ? "" : "the other side should go first";
}

/// BRA, BRX, CALL, RET: all threads of the mask or none.
std::string SimtRules::broken_jump(const sm::ExecutedInstruction &instruction, const State &before,
                                   const State &after) const {
    const isa::Instruction &insn = instruction.insn;
    const bool all = instruction.executed == instruction.active;
    const bool unanimous =
        insn.op == Op::kBra && static_cast<isa::BraCondition>(insn.mod[0]) == isa::BraCondition::kUniform;
    if (!all && !unanimous && instruction.executed.any()) {
        return "threads disagree in the guard of a jump";
    }
    if (!all) {
        return after == at(before, insn.pc + kInstructionBytes) ? "" : "no thread should jump";
    }
    const Pc target = insn.op == Op::kBra ? relative(insn) : after.pc;
    return after == at(before, target) && program_.contains(target) ? "" : "all should jump, and nothing else change";
}

std::string SimtRules::broken(const sm::ExecutedInstruction &instruction, const State &before,
                              const State &after) const {
    const isa::Instruction &insn = instruction.insn;
    const std::size_t threads = instruction.start.valid.count();
    const std::size_t bound = config_.order == SimtStackOrder::kMinorityFirst ? threads : 2 * (threads - 1);
    if (after.stack.size() > bound) {
        return fmt::format("{} entries for {} threads", after.stack.size(), threads);
    }
    if (isa::is_vector_branch(insn.op)) {
        return broken_branch(insn, before, after);
    }
    const bool waits = std::ranges::any_of(before.stack, [](const Entry &entry) { return entry.pc != entry.rpc; });
    if (insn.spec().has(isa::kArrives) && instruction.executed.any() && waits) {
        return "a warp comes to a barrier while a side waits that has something to do";
    }
    switch (insn.op) {
    case Op::kBra:
    case Op::kBrx:
    case Op::kCall:
    case Op::kRet:
        return broken_jump(instruction, before, after);
    case Op::kJoin:
        return after == joined(before) ? "" : "JOIN should pop what waits for it, or pass";
    case Op::kSetrpc: {
        State expected = at(before, insn.pc + kInstructionBytes);
        expected.rpc = relative(insn);
        return after == expected ? "" : "SETRPC should set rpc and nothing else";
    }
    case Op::kEndprg:
        return before.stack.empty() && before.active == instruction.start.valid ? "" : "threads are lost at the end";
    case Op::kTrap:
    case Op::kRtt:
        return after == at(before, after.pc) && program_.contains(after.pc) ? "" : "a trap should move the warp only";
    default:
        return after == at(before, insn.pc + kInstructionBytes) ? "" : "this instruction should leave the stack alone";
    }
}

} // namespace smsim::fuzz
