// For which reconvergence engine a program is written, and where it can run (engines.md Engines 2).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assembler/assembler.h"
#include "model/config/config.h"
#include "model/isa/engine_operations.h"
#include "model/program/engine.h"

namespace smsim {
namespace {

TEST(Engine, OfAProgramThatNamesNoneIsTheDefault) {
    EXPECT_EQ(Program().engine, "convergence_barrier");
    EXPECT_TRUE(is_engine_name(kDefaultEngine));
    EXPECT_FALSE(is_engine_name("no_such_engine"));
    EXPECT_THAT(engine_names(), testing::Contains(kDefaultEngine));
}

TEST(Engine, OfTheProgramMustMatchTheSm) {
    Program program;
    program.files = {"k.sasm"};
    EXPECT_EQ(engine_mismatch(program, Config()), "");
    program.engine = "no_such_engine";
    EXPECT_EQ(engine_mismatch(program, Config()),
              "its program 'k.sasm' is for the reconvergence engine no_such_engine; this SM has convergence_barrier "
              "(bru.engine)");
}

TEST(ConvergenceBarriers, OfTheSmMustBeEnoughForTheKernel) {
    const Program program = assemble(".kernel first\n BSSY B0, l;\nl:\n BSYNC B0;\n EXIT;\n"
                                     ".kernel second\n BSSY B2, m;\n BSSY B9, m;\nm:\n BSYNC B9;\n BSYNC B2;\n EXIT;\n",
                                     "k.sasm", timing::SchedulingModel());
    Config config;
    config.bru.convergence_barriers = 8;
    EXPECT_EQ(barrier_shortage(program, program.kernels[0], config), "");
    EXPECT_EQ(
        barrier_shortage(program, program.kernels[1], config),
        "it needs 10 convergence barriers, as for B9 at 0x0040, k.sasm:8; this SM has 8 (bru.convergence_barriers)");
    config.bru.convergence_barriers = 10;
    EXPECT_EQ(barrier_shortage(program, program.kernels[1], config), "");
    config.bru.convergence_barriers = 2;
    EXPECT_THAT(barrier_shortage(program, program.kernels[1], config), testing::HasSubstr("needs 10"));
    config.bru.engine = ReconvergenceEngineKind::kSimtStack;
    EXPECT_EQ(barrier_shortage(program, program.kernels[1], config), "") << "there, it has no convergence barriers";
}

isa::Instruction plain(isa::Op op, isa::Form form) {
    isa::Instruction insn;
    insn.op = op;
    insn.form = form;
    insn.unit = isa::spec_of(op).unit;
    return insn;
}

TEST(EngineOperations, OfSimtStackAreAllowedInItsProgramsOnly) {
    using isa::Op;
    for (const Op op : {Op::kVbeq, Op::kVbne, Op::kVblt, Op::kVbge, Op::kVbltu, Op::kVbgeu, Op::kSetrpc, Op::kJoin,
                        Op::kBarrier, Op::kEndprg}) {
        EXPECT_TRUE(isa::engine_has("simt_stack", op));
        EXPECT_FALSE(isa::engine_has("convergence_barrier", op));
    }
    for (const Op op : {Op::kExit, Op::kYield, Op::kBssy, Op::kBsync, Op::kBreak, Op::kBmov}) {
        EXPECT_FALSE(isa::engine_has("simt_stack", op));
        EXPECT_TRUE(isa::engine_has("convergence_barrier", op));
    }
    for (const Op op : {Op::kBrx, Op::kCall, Op::kRet, Op::kWarpsync, Op::kNanosleep, Op::kBar, Op::kLdg}) {
        EXPECT_TRUE(isa::engine_has("simt_stack", op));
        EXPECT_TRUE(isa::engine_has("convergence_barrier", op));
    }
    EXPECT_EQ(isa::engine_refusal(plain(Op::kJoin, isa::Form::kX), "convergence_barrier"),
              "JOIN in a program for convergence_barrier: it belongs to the engine simt_stack");
    EXPECT_EQ(isa::engine_refusal(plain(Op::kBssy, isa::Form::kI), "simt_stack"),
              "BSSY in a program for simt_stack: there are no convergence barriers; expected SETRPC");
}

TEST(EngineOperations, BraOfSimtStackIsUnguardedOrUniform) {
    isa::Instruction bra = plain(isa::Op::kBra, isa::Form::kX);
    const auto condition = [&](isa::BraCondition which) { bra.mod[0] = static_cast<std::uint8_t>(which); };
    EXPECT_FALSE(isa::engine_refusal(bra, "simt_stack"));
    condition(isa::BraCondition::kDivergent);
    EXPECT_TRUE(isa::engine_refusal(bra, "simt_stack"));
    for (const bool second : {false, true}) {
        (second ? bra.pg : bra.pp) = isa::kPt;
        (second ? bra.pp : bra.pg) = 2;
        condition(isa::BraCondition::kNone);
        EXPECT_TRUE(isa::engine_refusal(bra, "simt_stack"));
        EXPECT_FALSE(isa::engine_refusal(bra, "convergence_barrier"));
        condition(isa::BraCondition::kUniform);
        EXPECT_FALSE(isa::engine_refusal(bra, "simt_stack"));
    }
}

TEST(EngineOperations, OfTokenStackAreAllowedInItsProgramsOnly) {
    using isa::Op;
    for (const Op op : {Op::kTokenBra, Op::kTokenBrx, Op::kJmp, Op::kJmx, Op::kSsy, Op::kPbk, Op::kPcnt, Op::kPret,
                        Op::kSync, Op::kBrk, Op::kCont, Op::kTokenRet, Op::kCal}) {
        EXPECT_TRUE(isa::engine_has("token_stack", op));
        EXPECT_FALSE(isa::engine_has("convergence_barrier", op));
        EXPECT_FALSE(isa::engine_has("simt_stack", op));
    }
    for (const Op op : {Op::kBra, Op::kBrx, Op::kCall, Op::kRet, Op::kYield, Op::kBssy, Op::kBsync, Op::kBreak,
                        Op::kBmov, Op::kJoin, Op::kVbeq}) {
        EXPECT_FALSE(isa::engine_has("token_stack", op));
    }
    for (const Op op : {Op::kExit, Op::kWarpsync, Op::kNanosleep, Op::kLepc, Op::kTrap, Op::kBar, Op::kLdg}) {
        EXPECT_TRUE(isa::engine_has("token_stack", op));
    }
    EXPECT_EQ(isa::engine_refusal(plain(Op::kYield, isa::Form::kX), "token_stack"),
              "YIELD in a program for token_stack: paths run one after the other and have no turn to give");
    EXPECT_EQ(isa::engine_refusal(plain(Op::kSync, isa::Form::kX), "convergence_barrier"),
              "SYNC in a program for convergence_barrier: it belongs to the engine token_stack");
}

TEST(EngineOperations, ConditionFlagsBelongToTokenStack) {
    isa::Instruction add = plain(isa::Op::kIadd3, isa::Form::kR);
    EXPECT_FALSE(isa::engine_refusal(add, "convergence_barrier"));
    add.mod[1] = 1;
    EXPECT_FALSE(isa::engine_refusal(add, "token_stack"));
    for (const char *engine : {"convergence_barrier", "simt_stack"}) {
        EXPECT_EQ(isa::engine_refusal(add, engine), std::string("IADD3 in a program for ") + engine +
                                                        ": condition flags (.CC) belong to the engine token_stack");
    }
}

} // namespace
} // namespace smsim
