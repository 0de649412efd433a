#include "tb/fuzz/programs/watcher.h"

#include <fmt/format.h>

#include "assembler/disassembler.h"
#include "tb/fuzz/programs/sync_rules.h"

namespace smsim::fuzz {
namespace {

/// YIELD and NANOSLEEP elect from SwitchMask, which each election shrinks and which is refilled when empty: a thread
/// that is awake waits for at most two rounds of the 31 others, and for one election at each refill.
constexpr unsigned kMostTurns = 64;

bool gives_turn(isa::Op op) {
    return op == isa::Op::kYield || op == isa::Op::kNanosleep;
}

} // namespace

Watcher::Watcher(const Program &program, unsigned registers, CoverageCounts *counts, const BruConfig &rules)
    : ModelWatcher(registers), program_(program), counts_(counts), election_(rules.election.own()),
      branch_order_(rules.branch_order) {}

void Watcher::executed(const sm::ExecutedInstruction &instruction) {
    const std::uint32_t slot = instruction.start.warp.value();
    if (slots_.size() <= slot) {
        slots_.resize(slot + 1);
    }
    Warp &warp = slots_[slot];
    if (warp.age != instruction.start.age) {
        warp = Warp{};
        warp.age = instruction.start.age;
        warp.before.active_pc = instruction.start.entry;
        warp.before.valid = instruction.start.valid;
        warp.before.active = instruction.start.valid;
    }
    ControlState after = bru::convergence_barrier::state_of(snapshot(instruction));
    const bool control = instruction.insn.unit == isa::Unit::kBranch;
    if (!control) {
        after.active_pc = instruction.insn.pc + kInstructionBytes;
    }
    // The timer may have fired since the last instruction.
    warp.progress = warp.progress || (warp.before.sleep.any() && after.sleep.none());
    warp.before.sleep &= control ? after.sleep | ~instruction.active : after.sleep;
    if (counts_ != nullptr) {
        ControlState before = warp.before;
        before.sleep = after.sleep & ~instruction.active;
        count(*counts_, kDefaultEngine, instruction.insn, instruction.active, instruction.executed,
              situation_of(instruction.active, before));
    }
    if (violation().empty()) {
        check(instruction, after, warp);
        check_sync(instruction, after, warp);
        check_turns(instruction, after, warp);
    }
    ++warp.instructions;
    for_each_lane(instruction.active & ~after.active, [&](unsigned lane) { warp.left[lane] = warp.instructions; });
    warp.progress = !control;
    warp.after_turn = gives_turn(instruction.insn.op) && (instruction.active & after.active).none();
    warp.before = after;
}

void Watcher::check(const sm::ExecutedInstruction &instruction, const ControlState &after, const Warp &warp) {
    const LaneMask valid = after.valid;
    const auto fail = [&](const std::string &what) { report(instruction, after, what); };
    if (instruction.insn.pc != warp.before.active_pc) {
        return fail(fmt::format("the warp should be at {:#x}", warp.before.active_pc));
    }
    if (instruction.active != warp.before.active) {
        return fail(fmt::format("the active threads should be {:#010x}", warp.before.active.bits()));
    }
    if (!instruction.active.contains(instruction.executed)) {
        return fail("threads execute that are not active");
    }
    const std::pair<const char *, LaneMask> masks[] = {
        {"ActiveMask", after.active},     {"YieldMask", after.yield}, {"SleepMask", after.sleep},
        {"SwitchMask", after.switch_set}, {"WaitMask", after.wait},   {"WaitBarMask", after.wait_bar},
        {"TurnMask", after.turn},
    };
    for (const auto &[name, mask] : masks) {
        if (!valid.contains(mask)) {
            return fail(fmt::format("{} {:#010x} has threads that are not valid", name, mask.bits()));
        }
    }
    for (unsigned b = 0; b < kConvergenceBarriers; ++b) {
        if (!valid.contains(after.b[b])) {
            return fail(fmt::format("B{} {:#010x} has threads that are not valid", b, after.b[b].bits()));
        }
    }
    if (!after.wait.contains(after.wait_bar)) {
        return fail("WaitBarMask is no part of WaitMask");
    }
    if (!warp.before.valid.contains(valid)) {
        return fail("a thread has come back to life");
    }
    if (valid.any() && after.active.none()) {
        return fail("no thread is active");
    }
    if (instruction.insn.op != isa::Op::kExit && valid != warp.before.valid) {
        return fail("threads have exited");
    }
    if (instruction.insn.unit != isa::Unit::kBranch && after.active != instruction.active) {
        return fail("an instruction of another unit has changed ActiveMask");
    }
    if (instruction.insn.op != isa::Op::kNanosleep && (instruction.active & warp.before.sleep & after.sleep).any()) {
        return fail("a sleeping thread executes");
    }
    bool inside = valid.none() || program_.contains(after.active_pc) || after.active_pc == program_.size_bytes();
    for_each_lane(valid & ~after.active, [&](unsigned lane) { inside = inside && program_.contains(after.rpc[lane]); });
    if (!inside) {
        fail("a thread stands outside the program");
    }
}

void Watcher::check_sync(const sm::ExecutedInstruction &instruction, const ControlState &after, const Warp &warp) {
    if (!violation().empty()) {
        return;
    }
    SyncSituation situation{warp.before, warp.after_turn, warp.left, election_, branch_order_};
    // Only NANOSLEEP adds sleepers.
    if (instruction.insn.op != isa::Op::kNanosleep) {
        situation.before.sleep = after.sleep;
    }
    if (warp.progress) {
        situation.before.wait = LaneMask();
        situation.before.wait_bar = LaneMask();
    }
    if (const std::string broken = broken_control_rule(instruction, situation, after); !broken.empty()) {
        report(instruction, after, broken);
    }
}

void Watcher::check_turns(const sm::ExecutedInstruction &instruction, const ControlState &after, Warp &warp) {
    for_each_lane(instruction.active, [&](unsigned lane) { warp.passed_over[lane] = 0; });
    const bool turn = gives_turn(instruction.insn.op) && (instruction.active & after.active).none();
    // While some thread sleeps, turns rotate among the awake threads in another order; the sleep ends by itself.
    if (!turn || after.sleep.any()) {
        return;
    }
    for_each_lane(after.valid & ~after.active, [&](unsigned lane) {
        if (++warp.passed_over[lane] > kMostTurns && violation().empty()) {
            report(instruction, after, fmt::format("thread {} starves: {} turns went to others", lane, kMostTurns));
        }
    });
}

void Watcher::report(const sm::ExecutedInstruction &instruction, const ControlState &after, const std::string &what) {
    set_violation(
        fmt::format("{}; cycle {}, CTA {}, warp {}, pc {:#x}: {}; active {:#010x} executed {:#010x}, then active "
                    "{:#010x} valid {:#010x} at {:#x}",
                    what, instruction.cycle, instruction.start.cta_number, instruction.start.warp_in_cta,
                    instruction.insn.pc, assembler::operation_text(instruction.insn), instruction.active.bits(),
                    instruction.executed.bits(), after.active.bits(), after.valid.bits(), after.active_pc));
}

} // namespace smsim::fuzz
