#include "tb/fuzz/sync_rules.h"

namespace smsim::fuzz {
namespace {

using isa::Op;

bool all_stand_at(const ControlState &state, LaneMask lanes, Pc pc) {
    bool stand = true;
    for_each_lane(lanes, [&](unsigned lane) { stand = stand && state.rpc[lane] == pc; });
    return stand;
}

/// bru.md "Parking rule": threads with a true guard stay at the instruction, the others go on, nothing else.
std::string broken_parking(const sm::ExecutedInstruction &instruction, const ControlState &after) {
    const bool others_go_on = after.active == (instruction.active & ~instruction.executed) &&
                              after.active_pc == instruction.insn.pc + kInstructionBytes;
    return others_go_on && all_stand_at(after, instruction.executed, instruction.insn.pc)
               ? ""
               : "threads with a true guard should stay here, and the others go on";
}

/// bru.md BSYNC 1 to 4, pass and switch.
std::string broken_join(const sm::ExecutedInstruction &instruction, const SyncSituation &situation,
                        const ControlState &after) {
    const ControlState &before = situation.before;
    const Pc pc = instruction.insn.pc;
    LaneMask arrive = instruction.active;
    for_each_lane(before.valid & ~instruction.active & ~before.sleep, [&](unsigned lane) {
        if (before.rpc[lane] == pc) {
            arrive |= LaneMask::lane(lane);
        }
    });
    const LaneMask missing = before.b[instruction.insn.breg] & ~arrive;
    const LaneMask can_come = before.valid & ~arrive & ~before.yield & ~before.sleep & ~before.wait;
    if (after.b[instruction.insn.breg] != missing) {
        return "B should hold the threads that have not arrived";
    }
    const bool by_turn = situation.after_turn && (instruction.active & before.turn).any();
    if (missing.none() || by_turn || can_come.none()) {
        if (after.active != arrive || after.active_pc != pc + kInstructionBytes) {
            return "the join should open for all that have arrived";
        }
        return ((after.yield | after.turn) & arrive).none() ? "" : "threads behind a join count as yielded";
    }
    if (!all_stand_at(after, instruction.active, pc) || !after.wait_bar.contains(instruction.active)) {
        return "the join should not open while others can run";
    }
    const LaneMask chosen = (can_come & missing).any() ? can_come & missing : can_come;
    return chosen.contains(after.active) ? "" : "the join hands over to threads that cannot run or come";
}

/// bru.md YIELD 1 and 2, elect: the thread that decides where the warp goes on.
unsigned next_in_turn(const sm::ExecutedInstruction &instruction, const ControlState &before, LaneMask asleep) {
    const LaneMask others = before.valid & ~instruction.active;
    LaneMask pool = (before.switch_set & others).any() ? before.switch_set & others : others;
    if ((pool & ~asleep).none() && (others & ~asleep).any()) { // D-9
        pool = (others & ~asleep).any() ? others : pool;
    }
    if ((pool & ~asleep).any()) {
        pool &= ~asleep;
    }
    const LaneMask fresh = pool & ~before.yield;
    return fresh.any() ? fresh.lowest() : pool.lowest();
}

/// bru.md YIELD 1 to 5: all active threads go on behind the instruction when they are elected again.
std::string broken_turn(const sm::ExecutedInstruction &instruction, const SyncSituation &situation,
                        const ControlState &after) {
    const Pc next = instruction.insn.pc + kInstructionBytes;
    if (after.active == instruction.active && after.active_pc == next) {
        return ""; // nobody else is there, or a sleep of no time
    }
    if ((after.active & instruction.active).any()) {
        return "the turn should go to other threads";
    }
    if (!all_stand_at(after, instruction.active, next)) {
        return "threads that give their turn away go on behind the instruction";
    }
    if (!after.active.test(next_in_turn(instruction, situation.before, after.sleep))) {
        return "the turn should go to the lowest of those that have it still to come";
    }
    const bool marked = after.yield.contains(instruction.active);
    return marked || instruction.insn.op == Op::kNanosleep ? "" : "threads that yield should be marked";
}

/// bru.md WARPSYNC: who passes goes on behind it, who does not stays at it and hands over to somebody who has not been
/// tried, if there is one.
std::string broken_meeting(const sm::ExecutedInstruction &instruction, const SyncSituation &situation,
                           const ControlState &after) {
    const Pc pc = instruction.insn.pc;
    const ControlState &before = situation.before;
    const LaneMask stay = instruction.active & ~after.active;
    const bool passed = after.active_pc == pc + kInstructionBytes;
    if (!passed && after.active_pc != pc && (instruction.active & after.active).any()) {
        return "threads that are blocked should not go on";
    }
    const LaneMask fresh = before.valid & ~before.wait & ~instruction.active & ~before.sleep;
    LaneMask elsewhere = fresh; // those who stand here may have arrived too; their guards are not known
    for_each_lane(fresh, [&](unsigned lane) {
        if (before.rpc[lane] == pc) {
            elsewhere &= ~LaneMask::lane(lane);
        }
    });
    if (!passed && elsewhere.any() && (after.active & fresh).none()) {
        return "a blocked meeting should hand over to threads that have not been tried";
    }
    return all_stand_at(after, stay, pc) ? "" : "threads that do not pass should stay here";
}

} // namespace

std::string broken_sync_rule(const sm::ExecutedInstruction &instruction, const SyncSituation &situation,
                             const ControlState &after) {
    const Op op = instruction.insn.op;
    if (op != Op::kBsync && op != Op::kWarpsync && op != Op::kYield && op != Op::kNanosleep) {
        return "";
    }
    if (instruction.executed != instruction.active) {
        return broken_parking(instruction, after);
    }
    switch (op) {
    case Op::kBsync:
        return broken_join(instruction, situation, after);
    case Op::kWarpsync:
        return broken_meeting(instruction, situation, after);
    default:
        return broken_turn(instruction, situation, after);
    }
}

} // namespace smsim::fuzz
