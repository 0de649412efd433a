// A warp handed from one engine to another continues as if it had stayed: at every instruction of random walks through
// a program, for each reconvergence engine.
#include <memory>
#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assembler/assembler.h"
#include "bru/reconvergence_engine.h"
#include "model/isa/isa.h"

namespace smsim::bru {
namespace {

constexpr WarpSlot kWarp{3};

struct Walk {
    const char *name;
    ReconvergenceEngineKind engine;
    const char *text;
    std::int64_t trap_handler; ///< in instructions
};

const Walk kWalks[] = {
    {"convergence_barrier", ReconvergenceEngineKind::kConvergenceBarrier, R"(.kernel k
head:
    BSSY B0, meet;
    @P0 BRA odd;
    NANOSLEEP 0x10;
    YIELD;
    BRA meet;
odd:
    BSSY B1, inner;
    @P1 BRA inner;
    YIELD;
    NOP;
inner:
    BSYNC B1;
meet:
    BSYNC B0;
    @P2 TRAP 0x3;
    @P3 BREAK B0;
    BMOV R1, B0;
    @P3 BRA head;
    @P4 EXIT;
    WARPSYNC 0xffffffff;
    BRA head;
    RTT;
)",
     18},
    {"simt_stack", ReconvergenceEngineKind::kSimtStack, R"(.engine simt_stack
.kernel k
head:
    SETRPC join;
    VBNE R0, RZ, side;
    SETRPC inner;
    VBNE R1, RZ, deep;
    NANOSLEEP 0x10;
    BRA inner;
deep:
    NOP;
inner:
    JOIN;
    SETRPC join;
    BRA join;
side:
    @P2 TRAP 0x3;
join:
    JOIN;
    SETRPC end;
    VBNE R2, RZ, end;
    NOP;
end:
    JOIN;
    BRA head;
    RTT;
)",
     17},
    {"token_stack", ReconvergenceEngineKind::kTokenStack, R"(.engine token_stack
.kernel k
head:
    SSY meet;
    @P0 BRA odd;
    PBK out;
round:
    PCNT next;
    @P1 BRK;
    @P2 CONT;
    NANOSLEEP 0x10;
    CONT;
next:
    BRA round;
out:
    SYNC;
odd:
    @P3 CAL f;
    SYNC;
meet:
    @P4 EXIT;
    BRA head;
f:
    @P5 TRAP 0x3;
    @P6 RET;
    NOP;
    RET;
    RTT;
)",
     17},
};

std::string text_of(const StepResult &result) {
    std::string text = "outcome " + std::to_string(static_cast<int>(result.outcome)) + ", next " +
                       std::to_string(result.next_pc) + " with " + std::to_string(result.next_active.bits()) +
                       ", executed " + std::to_string(result.executed.bits()) + ", writes " +
                       std::to_string(result.value) + " to " + std::to_string(result.write_lanes.bits()) + ", extra " +
                       std::to_string(result.extra_cycles);
    text += result.refuses_arrivals ? ", refuses arrivals" : "";
    text += result.fault ? ", fault " + result.fault->detail : "";
    return text;
}

class HandOver : public testing::TestWithParam<Walk> {
  protected:
    HandOver() : program(assemble(GetParam().text, "walk.sasm", timing::SchedulingModel())) {
        config.engine = GetParam().engine;
        config.trap_handler = GetParam().trap_handler * static_cast<std::int64_t>(kInstructionBytes);
    }
    std::unique_ptr<ReconvergenceEngine> engine_with_warp() const {
        std::unique_ptr<ReconvergenceEngine> engine = make_engine(config, 8);
        engine->start(kWarp, 0, LaneMask(0xffff), program.size_bytes());
        engine->runs(kWarp, program);
        return engine;
    }

    BruConfig config;
    Program program;
};

TEST_P(HandOver, AtEveryInstructionChangesNothing) {
    unsigned steps = 0;
    unsigned diverged = 0;
    for (unsigned seed = 1; seed <= 40; ++seed) {
        std::mt19937 random(seed);
        const std::unique_ptr<ReconvergenceEngine> stays = engine_with_warp();
        std::unique_ptr<ReconvergenceEngine> moves = engine_with_warp();
        Pc pc = 0;
        for (unsigned step = 0; step < 300; ++step) {
            ASSERT_TRUE(program.contains(pc));
            const isa::Instruction &insn = program.at(pc);
            if (insn.unit != isa::Unit::kBranch) {
                pc += kInstructionBytes;
                continue;
            }
            std::unique_ptr<ReconvergenceEngine> next = engine_with_warp();
            next->restore(kWarp, moves->save(kWarp));
            moves = std::move(next);
            EXPECT_EQ(moves->describe(kWarp), stays->describe(kWarp));
            EXPECT_EQ(moves->level(kWarp), stays->level(kWarp));
            isa::VectorOperands vectors{};
            for (auto &vector : vectors) {
                for (auto &value : vector) {
                    value = random() % 2;
                }
            }
            const LaneMask some(static_cast<std::uint32_t>(random()));
            const Operands operands{insn.pg == isa::kPt ? LaneMask::all() : some, LaneMask::all(), vectors, 0xffffffff};
            const StepResult there = stays->execute(kWarp, insn, operands);
            const StepResult here = moves->execute(kWarp, insn, operands);
            ASSERT_EQ(text_of(here), text_of(there)) << "seed " << seed << " at " << pc;
            EXPECT_EQ(moves->snapshot(kWarp, {}).values, stays->snapshot(kWarp, {}).values);
            EXPECT_EQ(moves->snapshot(kWarp, {}).lists, stays->snapshot(kWarp, {}).lists);
            if (there.fault || there.outcome == Outcome::kExited) {
                break;
            }
            ++steps;
            diverged += there.next_active != LaneMask(0xffff) ? 1 : 0;
            if (there.outcome == Outcome::kSleep) {
                stays->timer_expired(kWarp);
                moves->timer_expired(kWarp);
            }

            pc = insn.spec().has(isa::kMayJump) ? there.next_pc : pc + kInstructionBytes;
        }
    }
    EXPECT_GT(steps, 500U);
    EXPECT_GT(diverged, 200U);
}

TEST_P(HandOver, ToAnotherKindOfEngineIsRefused) {
    BruConfig other = config;
    other.engine = GetParam().engine == ReconvergenceEngineKind::kSimtStack ? ReconvergenceEngineKind::kTokenStack
                                                                            : ReconvergenceEngineKind::kSimtStack;
    const std::unique_ptr<ReconvergenceEngine> to = make_engine(other, 8);
    to->start(kWarp, 0, LaneMask(1), 0x100);
    EXPECT_THROW(to->restore(kWarp, engine_with_warp()->save(kWarp)), std::bad_any_cast);
}

INSTANTIATE_TEST_SUITE_P(Engines, HandOver, testing::ValuesIn(kWalks),
                         [](const auto &walk) { return std::string(walk.param.name); });

} // namespace
} // namespace smsim::bru
