// RTL with a seeded fault in lockstep: the run ends with the exception LockstepDifference, which names the part, cycle
// and fields, and the kept records help to locate the fault.
#include <gtest/gtest.h>

#include <string>

#include "model/config/config.h"
#include "tb/cosim/faulty_block.h"

namespace smsim::cosim {
namespace {

constexpr unsigned kSubs = 4;
constexpr unsigned kChannels = 5 * kSubs;

TEST(Difference, AWrongResponseOfTheBranchUnitIsTheExceptionOfItsInstruction) {
    const session::LaunchResult result =
        run_faulty<BruAdapter>(" BSSY B0, join;\n join: BSYNC B0;\n", BlockKind::kBru, [](const Block &block) {
            const Pin valid = output(block, "rsp_valid", 1, kChannels);
            const Pin active = output(block, "rsp_next_active", 32, kChannels);
            if (valid.get(2 * kSubs) != 0) { // of the class sync
                active.put(0x7fffffff, 2 * kSubs);
            }
        });
    ASSERT_EQ(result.fault, Fault::kLockstepDifference);
    ASSERT_TRUE(result.difference);
    EXPECT_EQ(result.difference->part, "bru");
    EXPECT_EQ(result.difference->text, "next active: model 0xffffffff, RTL 0x7fffffff (docs/branch-unit.md, Joins)");
    ASSERT_TRUE(result.raised && result.raised->place);
    EXPECT_EQ(result.raised->place->instruction, "BSYNC B0");
    EXPECT_NE(result.exception.find("bru in cycle "), std::string::npos) << result.exception;
    ASSERT_EQ(result.difference->transactions.size(), 2U);
    EXPECT_NE(result.difference->transactions[0].find("0x0000 BSSY"), std::string::npos);
    EXPECT_NE(result.difference->transactions[1].find("next 0x0020, active 0x7fffffff"), std::string::npos);
    EXPECT_NE(result.difference->waveform.find("$scope module bru"), std::string::npos);
}

TEST(Difference, AWrongWordOfABarrierEndsTheRun) {
    const session::LaunchResult result =
        run_faulty<BcuAdapter>(" BAR.SYNC 1;\n", BlockKind::kBcu, [](const Block &block) {
            output(block, "dbg_barriers", 32, kBarriers).put(5, 3); // no thread has arrived
        });
    ASSERT_EQ(result.fault, Fault::kLockstepDifference);
    EXPECT_EQ(result.difference->part, "bcu");
    EXPECT_EQ(result.difference->text,
              "barrier 3 of CTA slot 0: model 0x00000000, RTL 0x00000005 (docs/barrier-unit.md, State word)");
}

TEST(Difference, AWarpThatIsNeverLetGoIsNoDeadlock) {
    const session::LaunchResult result = run_faulty<BcuAdapter>(
        " BAR.SYNC 1;\n", BlockKind::kBcu, [](const Block &block) { output(block, "go_valid", 1, 64).clear(); });
    ASSERT_EQ(result.fault, Fault::kLockstepDifference) << result.exception;
    EXPECT_EQ(result.difference->part, "bcu");
    EXPECT_NE(result.difference->text.find("warp slot 0: model go in cycle "), std::string::npos)
        << result.difference->text;
}

TEST(Difference, AWarpThatIsNeverWokenIsNoDeadlock) {
    const session::LaunchResult result = run_faulty<BruAdapter>(
        " NANOSLEEP 0x40;\n", BlockKind::kBru, [](const Block &block) { output(block, "wake_valid", 1, 64).clear(); });
    ASSERT_EQ(result.fault, Fault::kLockstepDifference) << result.exception;
    EXPECT_EQ(result.difference->part, "bru");
    EXPECT_NE(result.difference->text.find("warp slot 0: model wakes it in cycle "), std::string::npos)
        << result.difference->text;
}

TEST(Difference, ASleepOfAnotherLengthEndsTheRun) {
    const session::LaunchResult result =
        run_faulty<BruAdapter>(" NANOSLEEP 0x40;\n", BlockKind::kBru, [](const Block &block) {
            if (output(block, "timer_valid", 1, kSubs).get() != 0) {
                output(block, "timer_cycles", 64, kSubs).put(63);
            }
        });
    ASSERT_EQ(result.fault, Fault::kLockstepDifference) << result.exception;
    EXPECT_EQ(result.difference->part, "bru");
    EXPECT_EQ(result.difference->text,
              "warp slot 0: timer request: model of 64 cycles, RTL of 63 (docs/pins.md, Branch unit, Sleep)");
}

TEST(Difference, AnUnrequestedAnswerEndsTheRun) {
    const session::LaunchResult result =
        run_faulty<BcuAdapter>(" MOV R0, 0x1;\n BAR.SYNC 1;\n", BlockKind::kBcu,
                               [](const Block &block) { output(block, "go_valid", 1, 64).put(1, 9); });
    ASSERT_EQ(result.fault, Fault::kLockstepDifference) << result.exception;
    EXPECT_FALSE(result.raised->place);
}

TEST(Difference, AnAccessWithoutAnAnswerForEachSlotEndsTheRun) {
    const session::LaunchResult result = run_faulty<SharedMemoryAdapter>(
        " S2R R1, SR_TID.X;\n SHL R1, R1, 0x2;\n LDS R0, [R1];\n", BlockKind::kSharedMemory,
        [](const Block &block) { output(block, "rsp_slots", 1, 32).put(0, 3); });
    ASSERT_EQ(result.fault, Fault::kLockstepDifference) << result.exception;
    EXPECT_NE(result.difference->text.find("slots 0xf7 are answered as the last, and 0xff wait"), std::string::npos)
        << result.difference->text;
}

TEST(Difference, ATimerThatNeverExpiresEndsTheRun) {
    const session::LaunchResult result =
        run_faulty<TimerAdapter>(" NANOSLEEP 0x40;\n", BlockKind::kSleepTimer,
                                 [](const Block &block) { output(block, "expiry", 1, 64).clear(); });
    ASSERT_EQ(result.fault, Fault::kLockstepDifference);
    EXPECT_EQ(result.difference->part, "timer");
    EXPECT_NE(result.difference->text.find("RTL does not run"), std::string::npos) << result.difference->text;
    EXPECT_FALSE(result.raised->place) << "no instruction has raised it";
}

TEST(Difference, AWrongByteInSharedMemoryIsTheExceptionOfTheInstructionThatWritesIt) {
    const session::LaunchResult result = run_faulty<SharedMemoryAdapter>(
        " MOV R0, 0x12345678;\n STS [RZ+0x8], R0;\n", BlockKind::kSharedMemory, [](const Block &block) {
            const Pin data = output(block, "dbg_data", 8, 16);
            if (data.get(8) == 0x78) {
                data.put(0x79, 8);
            }
        });
    ASSERT_EQ(result.fault, Fault::kLockstepDifference);
    EXPECT_EQ(result.difference->part, "shared");
    EXPECT_EQ(result.difference->text,
              "write: the 16 bytes at 0x0, highest first: model 00000000123456780000000000000000, RTL "
              "00000000123456790000000000000000 (docs/pins.md, Shared memory)");
    ASSERT_TRUE(result.raised->place);
    EXPECT_EQ(result.raised->place->instruction, "STS [0x8], R0");
}

TEST(Difference, BytesThatWereNeverWrittenAreThoseOfTheBlock) {
    const session::LaunchResult result = run_faulty<SharedMemoryAdapter>(
        " LDS R0, [RZ+0x40];\n STS [RZ+0x44], R0;\n", BlockKind::kSharedMemory, [](const Block &block) {
            if (PinFinder(block, "test").input("dbg_address", 32).get() == 0x40) {
                output(block, "dbg_data", 8, 16).put(0x77); // held before the reset
            }
            if (output(block, "rsp_valid", 1, 1).get() != 0) {
                output(block, "rsp_data", 8, 16 * 32).put(0x77);
            }
        });
    EXPECT_TRUE(result.completed()) << result.exception;
}

TEST(Difference, LateAnswersAreCountedByOperation) {
    Config config;
    const session::LaunchResult result =
        run_faulty<BruAdapter>(" BSSY B0, join;\n join: BSYNC B0;\n", BlockKind::kBru, [](const Block &block) {
            // Two cycles more than configured for the class sync.
            PinFinder(block, "bru").input("cfg_sync_latency", 16).put(6);
        });
    ASSERT_TRUE(result.completed()) << result.exception;
    const auto &stats = result.stats.lockstep.at("bru");
    EXPECT_EQ(stats.at("BSSY"), (CyclesApart{{0, 1}}));
    EXPECT_EQ(stats.at("BSYNC"), (CyclesApart{{2, 1}}));
}

TEST(Difference, WakesAndTimerRequestsAreCountedToo) {
    const session::LaunchResult result =
        run_faulty<BruAdapter>(" NANOSLEEP 0x40;\n", BlockKind::kBru, [](const Block &block) {
            PinFinder(block, "bru").input("cfg_yield_latency", 16).put(7); // five more
        });
    ASSERT_TRUE(result.completed()) << result.exception;
    const auto &stats = result.stats.lockstep.at("bru");
    EXPECT_EQ(stats.at(kTimerRequest), (CyclesApart{{5, 1}}));
    EXPECT_EQ(stats.at(kWake), (CyclesApart{{0, 1}})) << "the expiry was later too";
}

TEST(Difference, SleepsOfABranchUnitThatIsFasterAreNone) {
    const session::LaunchResult result =
        run_faulty<BruAdapter>(" NANOSLEEP 0x40;\n", BlockKind::kBru, [](const Block &block) {
            PinFinder(block, "bru").input("cfg_yield_latency", 16).put(1); // one less
        });
    ASSERT_TRUE(result.completed()) << result.exception;
    EXPECT_EQ(result.stats.lockstep.at("bru").at(kTimerRequest), (CyclesApart{{-1, 1}}));
}

} // namespace
} // namespace smsim::cosim
