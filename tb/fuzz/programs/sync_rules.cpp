#include "tb/fuzz/programs/sync_rules.h"

#include <algorithm>
#include <utility>

namespace smsim::fuzz {
namespace {

using isa::Op;

bool all_stand_at(const ControlState &state, LaneMask lanes, Pc pc) {
    bool stand = true;
    for_each_lane(lanes, [&](unsigned lane) { stand = stand && state.rpc[lane] == pc; });
    return stand;
}

/// Threads of `among` that are at `pc`.
LaneMask those_at(const std::array<Pc, kLanes> &places, Pc pc, LaneMask among) {
    LaneMask there;
    for_each_lane(among, [&](unsigned lane) { there |= places[lane] == pc ? LaneMask::lane(lane) : LaneMask(); });
    return there;
}

/// The priority of the path of thread `lane` among `candidates`; among equals the lowest lane wins.
std::uint64_t weight(unsigned lane, LaneMask candidates, const std::array<Pc, kLanes> &places,
                     const SyncSituation &situation) {
    switch (situation.election) {
    case ElectionPolicy::kMostThreads:
        return those_at(places, places[lane], candidates).count();
    case ElectionPolicy::kOldest:
        return ~situation.left[lane];
    default:
        return 0;
    }
}

/// The thread of `candidates` whose path runs next.
unsigned chosen(LaneMask candidates, const std::array<Pc, kLanes> &places, const SyncSituation &situation) {
    std::pair<std::uint64_t, unsigned> best{0, candidates.lowest()};
    for_each_lane(candidates, [&](unsigned lane) {
        const std::uint64_t mine = weight(lane, candidates, places, situation);
        best = mine > best.first ? std::pair{mine, lane} : best;
    });
    return best.second;
}

/// bru.md Elect 1 to 4 with `widen`: a path is chosen from `pool`, and all of `others` at that place run, sleepers
/// only if the whole pool sleeps. Returns whether that is what runs after the instruction.
bool elected(LaneMask pool, LaneMask others, LaneMask asleep, const SyncSituation &situation,
             const ControlState &after) {
    const bool sleeps = (pool & ~asleep).none();
    pool = sleeps ? pool : pool & ~asleep;
    const LaneMask fresh = pool & ~situation.before.yield;
    const auto &places = situation.before.rpc;
    const Pc pc = places[chosen(fresh.any() ? fresh : pool, places, situation)];
    return after.active_pc == pc && after.active == those_at(places, pc, sleeps ? others : others & ~asleep);
}

/// bru.md "Effect": which threads run after a jump. Its targets are read from where the threads went.
std::string broken_jump(const sm::ExecutedInstruction &instruction, const SyncSituation &situation,
                        const ControlState &after) {
    const LaneMask active = instruction.active;
    if (after.active == active) {
        return ""; // no thread took another path
    }
    const LaneMask jumping = instruction.executed; // a branch with a divergent condition is .DIV or .CONV
    const LaneMask staying = active & ~jumping;
    std::array<Pc, kLanes> places = after.rpc;
    for_each_lane(after.active, [&](unsigned lane) { places[lane] = after.active_pc; });
    const Pc next = instruction.insn.pc + kInstructionBytes;
    if (those_at(places, next, staying) != staying) {
        return "threads that do not jump should be after the jump";
    }
    if (staying.any() && situation.branch_order == BranchOrder::kFallThroughFirst) {
        return after.active == staying ? "" : "threads that do not jump should go on";
    }
    const SyncSituation now{situation.before, false, {}, situation.election, situation.branch_order};
    const Pc target = places[chosen(jumping, places, now)];
    return after.active == those_at(places, target, jumping) ? "" : "another target of the jump should go on";
}

/// bru.md EXIT 4: when all active threads end, a path of the others is elected.
std::string broken_exit(const sm::ExecutedInstruction &instruction, const SyncSituation &situation,
                        const ControlState &after) {
    const LaneMask rest = situation.before.valid & ~instruction.executed;
    if (after.valid != rest) {
        return "the threads with a true guard should have ended";
    }
    const LaneMask staying = instruction.active & ~instruction.executed;
    if (staying.any() || rest.none()) {
        return after.active == staying ? "" : "the threads that do not end should go on";
    }
    return elected(rest, rest, situation.before.sleep, situation, after) ? "" : "another path should go on";
}

/// bru.md "Parking rule": threads with a true guard stay at the instruction, the others continue; nothing else
/// changes.
std::string broken_parking(const sm::ExecutedInstruction &instruction, const ControlState &after) {
    const bool others_go_on = after.active == (instruction.active & ~instruction.executed) &&
                              after.active_pc == instruction.insn.pc + kInstructionBytes;
    return others_go_on && all_stand_at(after, instruction.executed, instruction.insn.pc)
               ? ""
               : "threads with a true guard should stay here, and the others go on";
}

/// bru.md BSYNC 1 to 4, "Pass", `switch(m)`.
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
        return ((after.yield | after.turn) & arrive).none() ? "" : "threads after a join count as yielded";
    }
    if (!all_stand_at(after, instruction.active, pc) || !after.wait_bar.contains(instruction.active)) {
        return "the join should not open while others can run";
    }
    const LaneMask candidates = (can_come & missing).any() ? can_come & missing : can_come;
    if (!candidates.contains(after.active)) {
        return "the join hands over to threads that cannot run or come";
    }
    const Pc next = before.rpc[chosen(candidates, before.rpc, situation)];
    return after.active_pc == next && after.active == those_at(before.rpc, next, candidates)
               ? ""
               : "the join should hand over to another path";
}

/// bru.md YIELD 1 and 2: the threads from which the next path is elected.
LaneMask next_in_turn(LaneMask others, LaneMask switch_set, LaneMask asleep) {
    const LaneMask pool = (switch_set & others).any() ? switch_set & others : others;
    return (pool & ~asleep).none() && (others & ~asleep).any() ? others : pool; // D-9
}

/// bru.md YIELD 1 to 5: all active threads continue after the instruction when they are elected again.
std::string broken_turn(const sm::ExecutedInstruction &instruction, const SyncSituation &situation,
                        const ControlState &after) {
    const Pc next = instruction.insn.pc + kInstructionBytes;
    if (after.active == instruction.active && after.active_pc == next) {
        return ""; // there are no other threads, or the sleep has no duration
    }
    if ((after.active & instruction.active).any()) {
        return "the turn should go to other threads";
    }
    if (!all_stand_at(after, instruction.active, next)) {
        return "threads that give their turn away continue after the instruction";
    }
    const LaneMask others = situation.before.valid & ~instruction.active;
    const LaneMask pool = next_in_turn(others, situation.before.switch_set, after.sleep);
    if (!elected(pool, others, after.sleep, situation, after)) {
        return "the turn should go to another path of those that have it still to come";
    }
    const bool marked = after.yield.contains(instruction.active);
    return marked || instruction.insn.op == Op::kNanosleep ? "" : "threads that yield should be marked";
}

/// bru.md WARPSYNC "Block", for members that are uniform and part of the instruction, without guards: the choice
/// [D-17] and its path.
bool elected_by_blocked(const sm::ExecutedInstruction &instruction, const SyncSituation &situation,
                        const ControlState &after) {
    const ControlState &before = situation.before;
    const LaneMask awake = before.valid & ~before.sleep;
    const LaneMask arrive = instruction.active | those_at(before.rpc, instruction.insn.pc, awake & ~instruction.active);
    const LaneMask missing = LaneMask(static_cast<std::uint32_t>(instruction.insn.imm)) & before.valid & ~arrive;
    const LaneMask fresh = awake & ~before.wait & ~instruction.active;
    const LaneMask choices[] = {missing & fresh, fresh & ~arrive, missing & before.wait_bar & awake,
                                before.wait_bar & awake, before.sleep};
    const auto *pool = std::ranges::find_if(choices, [](LaneMask choice) { return choice.any(); });
    if (pool == std::end(choices)) {
        return false;
    }
    const LaneMask wanted = (*pool & ~before.yield).any() ? *pool & ~before.yield : *pool;
    const Pc pc = before.rpc[chosen(wanted, before.rpc, situation)];
    return after.active_pc == pc && after.active == those_at(before.rpc, pc, wanted);
}

/// bru.md WARPSYNC: threads that pass continue after it; threads that do not pass stay at it and hand over to a thread
/// that has not been tried, if there is one.
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
    LaneMask elsewhere = fresh; // threads that are here may have arrived too; their guards are not known
    for_each_lane(fresh, [&](unsigned lane) {
        if (before.rpc[lane] == pc) {
            elsewhere &= ~LaneMask::lane(lane);
        }
    });
    if (!passed && elsewhere.any() && (after.active & fresh).none()) {
        return "a blocked meeting should hand over to threads that have not been tried";
    }
    const isa::Instruction &insn = instruction.insn;
    const bool plain = insn.form == isa::Form::kI && insn.pg == isa::kPt && insn.pp == isa::kPt;
    if (plain && (instruction.active & after.active).none() && !elected_by_blocked(instruction, situation, after)) {
        return "a blocked meeting should hand over to another path";
    }
    return all_stand_at(after, stay, pc) ? "" : "threads that do not pass should stay here";
}

} // namespace

std::string broken_control_rule(const sm::ExecutedInstruction &instruction, const SyncSituation &situation,
                                const ControlState &after) {
    const bool all = instruction.executed == instruction.active;
    switch (instruction.insn.op) {
    case Op::kBra:
    case Op::kBrx:
    case Op::kCall:
    case Op::kRet:
        return broken_jump(instruction, situation, after);
    case Op::kExit:
        return broken_exit(instruction, situation, after);
    case Op::kBsync:
        return all ? broken_join(instruction, situation, after) : broken_parking(instruction, after);
    case Op::kWarpsync:
        return all ? broken_meeting(instruction, situation, after) : broken_parking(instruction, after);
    case Op::kYield:
    case Op::kNanosleep:
        return all ? broken_turn(instruction, situation, after) : broken_parking(instruction, after);
    default:
        return "";
    }
}

} // namespace smsim::fuzz
