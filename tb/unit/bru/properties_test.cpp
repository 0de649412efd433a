// Properties of every state and program: random states and random programs of control instructions.
#include <random>

#include <gtest/gtest.h>

#include "tb/unit/bru/support.h"

namespace smsim::bru::test {
namespace {

using Random = std::mt19937;

LaneMask subset(Random &random, LaneMask of) {
    return LaneMask(static_cast<std::uint32_t>(random())) & of;
}

void expect_consistent(const ControlState &state, bool exited) {
    for (const LaneMask mask :
         {state.active, state.yield, state.sleep, state.switch_set, state.wait, state.wait_bar, state.turn}) {
        ASSERT_TRUE(state.valid.contains(mask));
    }
    for (const LaneMask barrier : state.b) {
        ASSERT_TRUE(state.valid.contains(barrier));
    }
    ASSERT_TRUE(state.wait.contains(state.wait_bar));
    ASSERT_EQ(state.active.none(), exited);
    ASSERT_EQ(state.valid.none(), exited);
    ASSERT_EQ(state.active_pc % kInstructionBytes, 0U);
}

// A program with a random control instruction at every address and with jumps that stay inside.
class RandomProgram {
  public:
    static constexpr std::size_t kLength = 24;

    RandomProgram(Random &random, std::vector<Op> ops) : random_(random) {
        for (std::size_t line = 0; line < kLength; ++line) {
            const Op op = line + 1 == kLength ? Op::kExit : ops[random() % ops.size()];
            Instruction i = insn(op, form_of(op), line * kInstructionBytes);
            i.breg = static_cast<std::uint8_t>(random() % 3);
            if (op == Op::kBra) {
                i.imm = static_cast<std::int64_t>(random() % kLength) - static_cast<std::int64_t>(line) - 1;
            } else if (op == Op::kNanosleep) {
                i.imm = static_cast<std::int64_t>(random() % 3);
            }
            code_.push_back(i);
            const bool all = op == Op::kExit || random() % 2 == 0;
            guards_.push_back(all ? LaneMask::all() : LaneMask(static_cast<std::uint32_t>(random())));
        }
    }

    const Instruction &at(Pc pc) const { return code_.at(pc / kInstructionBytes); }
    Pc bytes() const { return kLength * kInstructionBytes; }

    Values values(const ControlState &state) {
        Values values;
        values.guard = guards_.at(state.active_pc / kInstructionBytes);
        const bool pairs = random_() % 2 == 0;
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            values.vectors[0][lane] = pairs ? 3U << (lane & ~1U) : 0xfU << (lane & ~3U); // groups that name each other
        }
        return values;
    }

  private:
    static Form form_of(Op op) {
        switch (op) {
        case Op::kWarpsync:
            return Form::kR;
        case Op::kNanosleep:
        case Op::kBssy:
            return Form::kI;
        default:
            return Form::kX;
        }
    }
    Random &random_;
    std::vector<Instruction> code_;
    std::vector<LaneMask> guards_;
};

TEST(Properties, EveryStepLeavesAConsistentState) {
    const std::vector<Op> ops = {Op::kBra,   Op::kBra,  Op::kBssy,      Op::kBsync, Op::kBreak,
                                 Op::kYield, Op::kExit, Op::kNanosleep, Op::kBmov,  Op::kWarpsync};
    Random random(20240607);
    unsigned exits = 0;
    for (int round = 0; round < 400; ++round) {
        RandomProgram program(random, ops);
        BruConfig config;
        config.nanosleep_sets_yield = random() % 2 == 0;
        config.bsync_spec_literal = random() % 4 == 0;
        config.election = static_cast<ElectionPolicy>(random() % 3);
        config.branch_order = static_cast<BranchOrder>(random() % 2);
        WarpControl warp = started(0, subset(random, LaneMask::all()) | LaneMask(1));
        for (int step = 0; step < 300; ++step) {
            const ControlState before = warp.state;
            const Values values = program.values(before);
            const StepResult result =
                execute_step(warp, program.at(before.active_pc), values.operands(), config, program.bytes());
            if (result.fault) {
                ASSERT_EQ(warp.state, before);
                break;
            }
            const bool exited = result.outcome == Outcome::kExited;
            ASSERT_NO_FATAL_FAILURE(expect_consistent(warp.state, exited));
            ASSERT_EQ(result.next_active, warp.state.active);
            ASSERT_TRUE(before.active.contains(result.executed));
            if (exited) {
                ++exits;
                break;
            }
            ASSERT_EQ(result.next_pc, warp.state.active_pc);
            ASSERT_LT(result.next_pc, program.bytes());
            // Threads that become active were at the address that is now executed.
            if (result.event.kind == StepEvent::Kind::kYield) {
                ASSERT_EQ(warp.state.active & before.active, LaneMask());
                ASSERT_EQ(with_rpc(before, result.next_pc, warp.state.active), warp.state.active);
            }
            if (result.outcome == Outcome::kSleep) {
                clear_sleep(warp.state);
            } else {
                ASSERT_EQ(warp.state.active & warp.state.sleep, LaneMask());
            }
        }
    }
    EXPECT_GT(exits, 50U); // the programs made progress
}

// bru.md "Deadlock and watchdog": each sync that does not pass takes a thread out of play.
TEST(Properties, After33BlockedSyncsSomethingHappens) {
    Random random(4711);
    unsigned longest = 0;
    unsigned deadlocks = 0;
    for (int round = 0; round < 3000; ++round) {
        Warp warp(LaneMask::all());
        warp.config.election = static_cast<ElectionPolicy>(round % 3);
        // Every address holds a BSYNC or a WARPSYNC; all threads are at one of them.
        std::vector<Instruction> code;
        for (Pc pc = 0; pc < kLanes * kInstructionBytes; pc += kInstructionBytes) {
            const bool bsync = round % 2 == 0 && random() % 3 == 0;
            code.push_back(bsync ? on_breg(Op::kBsync, Form::kX, pc, static_cast<std::uint8_t>(random() % 16))
                                 : insn(Op::kWarpsync, Form::kI, pc));
        }
        ControlState &state = warp.state();
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            state.rpc[lane] = (random() % code.size()) * kInstructionBytes;
        }
        state.active_pc = state.rpc[0];
        state.active = with_rpc(state, state.active_pc, state.valid);
        state.yield = random() % 2 == 0 ? subset(random, state.valid) : LaneMask();
        state.sleep = random() % 4 == 0 ? subset(random, state.valid & ~state.active) : LaneMask();
        for (LaneMask &barrier : state.b) {
            barrier = subset(random, state.valid);
        }
        for (Instruction &i : code) {
            // each WARPSYNC names all threads at it, and some more
            i.imm = (with_rpc(state, i.pc, state.valid) | subset(random, state.valid)).bits();
        }
        for (unsigned blocked = 1;; ++blocked) {
            ASSERT_LE(blocked, 34U);
            const StepResult result = warp.step(code.at(state.active_pc / kInstructionBytes));
            if (result.fault) {
                ASSERT_EQ(result.fault->fault, Fault::kSyncDeadlock) << result.fault->detail;
                ++deadlocks;
                break;
            }
            if (result.event.passed || result.outcome == Outcome::kSleep) {
                break;
            }
            longest = std::max(longest, blocked);
        }
    }
    EXPECT_LE(longest, 33U);
    EXPECT_GT(longest, 15U); // the bound was tested
    EXPECT_GT(deadlocks, 0U);
}

} // namespace
} // namespace smsim::bru::test
