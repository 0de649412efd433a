// RTL with a seeded fault in lockstep: the run ends with the exception LockstepDifference, which names part, cycle and
// fields, and what is kept shows the way to it.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "cosim/bcu_adapter.h"
#include "cosim/bru_adapter.h"
#include "cosim/shared_memory_adapter.h"
#include "cosim/timer_adapter.h"
#include "cosim/verilated/blocks.h"
#include "model/assembler/assembler.h"
#include "session/session.h"
#include "sm/part_factory.h"

namespace smsim::cosim {
namespace {

/// A block behind which a fault sits: it may change pins whenever outputs have followed.
class Faulty final : public Block {
  public:
    using Fault = std::function<void(const Block &block)>;
    Faulty(BlockKind kind, Fault fault) : block_(make_block(kind)), fault_(std::move(fault)) {}
    std::span<const Port> ports() const override { return block_->ports(); }
    void settle() override {
        block_->settle();
        fault_(*block_);
    }
    void edge() override {
        block_->edge();
        fault_(*block_);
    }

  private:
    std::unique_ptr<Block> block_;
    Fault fault_;
};

/// Runs a kernel of one warp, whose `code` is followed by an EXIT, with a block of `kind` that has `fault`.
template <typename Adapter>
session::LaunchResult run(const std::string &code, BlockKind kind, const Faulty::Fault &fault) {
    const auto findings = std::make_shared<Findings>();
    sm::PartFactory factory = sm::PartFactory::standard();
    const auto make = [&](const char *name, const Config &config) {
        return std::make_unique<Adapter>(name, config, std::make_unique<Faulty>(kind, fault), findings);
    };
    const auto choose = [&](auto &table) {
        table.add("faulty", make);
        table.choose("faulty");
    };
    if constexpr (std::is_base_of_v<parts::BranchUnit, Adapter>) {
        choose(factory.branch_units);
    } else if constexpr (std::is_base_of_v<parts::BarrierUnit, Adapter>) {
        choose(factory.barrier_units);
    } else if constexpr (std::is_base_of_v<parts::SleepTimer, Adapter>) {
        choose(factory.sleep_timers);
    } else {
        choose(factory.shared_memories);
    }
    static const Config config;
    session::Options options;
    options.factory = &factory;
    options.findings = findings;
    session::Session session(config, options);
    const Program program =
        assemble(".kernel k\n.shared 128\n" + code + " EXIT;\n", "k.sasm", timing::SchedulingModel());
    launch::Launch what;
    what.path = "launch";
    what.block = {32, 1, 1};
    return session.launch(program, program.kernels.at(0), what, {});
}

Pin output(const Block &block, std::string_view name, unsigned width, unsigned fields) {
    return PinFinder(block, "test").output(name, width, fields);
}

constexpr unsigned kSubs = 4;
constexpr unsigned kChannels = 5 * kSubs;

TEST(Difference, AWrongResponseOfTheBranchUnitIsTheExceptionOfItsInstruction) {
    const session::LaunchResult result =
        run<BruAdapter>(" BSSY B0, join;\n join: BSYNC B0;\n", BlockKind::kBru, [](const Block &block) {
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
    const session::LaunchResult result = run<BcuAdapter>(" BAR.SYNC 1;\n", BlockKind::kBcu, [](const Block &block) {
        output(block, "dbg_barriers", 32, kBarriers).put(5, 3); // nobody is there
    });
    ASSERT_EQ(result.fault, Fault::kLockstepDifference);
    EXPECT_EQ(result.difference->part, "bcu");
    EXPECT_EQ(result.difference->text,
              "barrier 3 of CTA slot 0: model 0x00000000, RTL 0x00000005 (docs/barrier-unit.md, State word)");
}

TEST(Difference, AWarpThatIsNeverLetGoIsNoDeadlock) {
    const session::LaunchResult result = run<BcuAdapter>(
        " BAR.SYNC 1;\n", BlockKind::kBcu, [](const Block &block) { output(block, "go_valid", 1, 64).clear(); });
    ASSERT_EQ(result.fault, Fault::kLockstepDifference) << result.exception;
    EXPECT_EQ(result.difference->part, "bcu");
    EXPECT_NE(result.difference->text.find("warp slot 0: model go in cycle "), std::string::npos)
        << result.difference->text;
}

TEST(Difference, AWarpThatIsNeverWokenIsNoDeadlock) {
    const session::LaunchResult result = run<BruAdapter>(
        " NANOSLEEP 0x40;\n", BlockKind::kBru, [](const Block &block) { output(block, "wake_valid", 1, 64).clear(); });
    ASSERT_EQ(result.fault, Fault::kLockstepDifference) << result.exception;
    EXPECT_EQ(result.difference->part, "bru");
    EXPECT_NE(result.difference->text.find("warp slot 0 sleeps"), std::string::npos) << result.difference->text;
}

TEST(Difference, AnAnswerToNobodyEndsTheRun) {
    const session::LaunchResult result =
        run<BcuAdapter>(" MOV R0, 0x1;\n BAR.SYNC 1;\n", BlockKind::kBcu,
                        [](const Block &block) { output(block, "go_valid", 1, 64).put(1, 9); });
    ASSERT_EQ(result.fault, Fault::kLockstepDifference) << result.exception;
    EXPECT_FALSE(result.raised->place);
}

TEST(Difference, AnAccessWithoutAnAnswerForEachSlotEndsTheRun) {
    const session::LaunchResult result =
        run<SharedMemoryAdapter>(" S2R R1, SR_TID.X;\n SHL R1, R1, 0x2;\n LDS R0, [R1];\n", BlockKind::kSharedMemory,
                                 [](const Block &block) { output(block, "rsp_slots", 1, 32).put(0, 3); });
    ASSERT_EQ(result.fault, Fault::kLockstepDifference) << result.exception;
    EXPECT_NE(result.difference->text.find("slots 0xf7 are answered as the last, and 0xff wait"), std::string::npos)
        << result.difference->text;
}

TEST(Difference, ATimerThatNeverExpiresEndsTheRun) {
    const session::LaunchResult result =
        run<TimerAdapter>(" NANOSLEEP 0x40;\n", BlockKind::kSleepTimer,
                          [](const Block &block) { output(block, "expiry", 1, 64).clear(); });
    ASSERT_EQ(result.fault, Fault::kLockstepDifference);
    EXPECT_EQ(result.difference->part, "timer");
    EXPECT_NE(result.difference->text.find("RTL does not run"), std::string::npos) << result.difference->text;
    EXPECT_FALSE(result.raised->place) << "no instruction has raised it";
}

TEST(Difference, AWrongByteInSharedMemoryIsTheExceptionOfTheInstructionThatWritesIt) {
    const session::LaunchResult result = run<SharedMemoryAdapter>(" MOV R0, 0x12345678;\n STS [RZ+0x8], R0;\n",
                                                                  BlockKind::kSharedMemory, [](const Block &block) {
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

TEST(Difference, AnswersThatComeLaterAreCountedByOperation) {
    Config config;
    const session::LaunchResult result =
        run<BruAdapter>(" BSSY B0, join;\n join: BSYNC B0;\n", BlockKind::kBru, [](const Block &block) {
            // Two cycles more than the configuration says for the class sync.
            PinFinder(block, "bru").input("cfg_sync_latency", 16).put(6);
        });
    ASSERT_TRUE(result.completed()) << result.exception;
    const auto &stats = result.stats.lockstep.at("bru");
    EXPECT_EQ(stats.at("BSSY"), (CyclesApart{{0, 1}}));
    EXPECT_EQ(stats.at("BSYNC"), (CyclesApart{{2, 1}}));
}

} // namespace
} // namespace smsim::cosim
