// Functional execution alone: turns, sleeps, limits, clock, and accesses to the bytes of global memory.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "assembler/assembler.h"
#include "model/config/config.h"
#include "model/config/loader.h"
#include "model/state/launch_context.h"
#include "sm/functional/executor.h"

namespace smsim::sm::functional {
namespace {

using Stopped = Executor::Stopped;
using testing::HasSubstr;

constexpr std::uint64_t kBase = 0x10000000; ///< begins with a page
constexpr std::uint64_t kBytes = 0x10000;

/// Bytes in one piece, by pages or only by copies.
class TestMemory final : public GlobalPort {
  public:
    unsigned char *page(std::uint64_t number) override {
        return has_pages ? bytes.data() + (number * kPageBytes - kBase) : nullptr;
    }
    void read(std::uint64_t address, std::span<std::uint8_t> to) override {
        if (address == refused) {
            throw InputError("it has a bad cell");
        }
        std::memcpy(to.data(), bytes.data() + (address - kBase), to.size());
    }
    void write(std::uint64_t address, std::span<const std::uint8_t> from) override {
        std::memcpy(bytes.data() + (address - kBase), from.data(), from.size());
    }
    std::uint32_t word(std::uint64_t index) const {
        std::uint32_t value = 0;
        std::memcpy(&value, bytes.data() + 4 * index, 4);
        return value;
    }

    std::vector<std::uint8_t> bytes = std::vector<std::uint8_t>(kBytes);
    bool has_pages = true;
    std::uint64_t refused = 0;
};

class FunctionalExecutor : public testing::Test {
  protected:
    FunctionalExecutor() { regions.map(kBase, kBytes / 2, "data"); }

    /// `text` is the code of a kernel of 16 registers; R[14:15] of all threads must be kBase: LDC from c[0x0][0x160].
    void load(const std::string &text, std::uint32_t ctas, std::uint32_t threads, std::uint32_t shared = 0) {
        const std::string head = ".kernel k\n.registers 16\n.local 64\n";
        program = assemble(head + text, "test.sasm", timing::SchedulingModel(config));
        launch = std::make_unique<LaunchContext>();
        launch->program = &program;
        launch->kernel = &program.kernels.at(0);
        launch->grid = {ctas, 1, 1};
        launch->block = {threads, 1, 1};
        std::vector<std::uint8_t> bank(0x168);
        std::memcpy(bank.data(), &threads, 4);
        std::memcpy(bank.data() + 0x160, &kBase, 8);
        launch->set_bank(0, bank);
        launch->local_base = kBase + kBytes / 4;
        launch->local_bytes = 64;
        grid = Grid{};
        grid.ctas = {ctas, 1, 1};
        grid.threads = {threads, 1, 1};
        grid.demand = {threads, 16, shared};
        grid.launch = launch.get();
        executor = std::make_unique<Executor>(config, memory, bounds);
        next = 0;
        executor->begin(grid, [this, ctas]() { return next < ctas ? std::optional(next++) : std::nullopt; });
    }
    Stopped run(std::uint64_t most = 1'000'000) { return executor->run(most); }
    RunStats stats() const {
        RunStats counted;
        executor->collect(counted);
        return counted;
    }

    Config config = load_config(std::nullopt, {});
    memory::Regions regions{1ULL << 32, GlobalBounds::kPageBytes};
    GlobalBounds bounds{regions, MemoryCheck::kStrict,
                        [this](WarpSlot warp) -> const WarpStart & { return executor->start_of(warp); }};
    TestMemory memory;
    Program program;
    std::unique_ptr<LaunchContext> launch;
    Grid grid;
    std::unique_ptr<Executor> executor;
    std::uint64_t next = 0;
};

/// R2 is the thread in the grid, R[4:5] the address of its word.
const std::string kPlace = "LDC.64 R[14:15], c[0x0][0x160];\n S2R R0, SR_TID.X;\n S2R R1, SR_CTAID.X;\n"
                           "MOV R3, c[0x0][0x0];\n IMAD R2, R1, R3, R0;\n"
                           "MOV R3, 0x4;\n IMAD.WIDE.U32 R[4:5], R2, R3, R[14:15];\n";

/// Stores, loads and atomics of several sizes, in shared, local and global memory.
const std::string kAccesses = kPlace + "STG [R[4:5]], R2;\n"
                                       "LDG.S8 R6, [R[4:5]];\n"
                                       "STL [RZ+0x8], R6;\n STL.U8 [RZ+0xa], R2;\n LDL.64 R[8:9], [RZ+0x8];\n"
                                       "SHL R7, R0, 0x2;\n STS [R7], R8;\n LDS R10, [R7];\n"
                                       "ATOMG.ADD R11, [R[14:15]+0x1000], R2;\n"
                                       "STG [R[4:5]+0x2000], R10;\n"
                                       "STG [R[4:5]+0x3ff0], R11;\n" // across the end of a page
                                       "LDG R12, [R[4:5]+0x3ff0];\n"
                                       "RED.MAX [R[14:15]+0x1004], R12;\n EXIT;\n";

TEST_F(FunctionalExecutor, AMemoryOfPagesAndOneOfCopiesGiveTheSame) {
    std::vector<std::uint8_t> by_pages;
    for (const bool has_pages : {true, false}) {
        memory = {};
        memory.has_pages = has_pages;
        load(kAccesses, 2, 48, 256);
        ASSERT_EQ(run(), Stopped::kEmpty);
        EXPECT_EQ(memory.word(0x1000 / 4), 96 * 95 / 2U);
        EXPECT_EQ(memory.word(5), 5U);
        EXPECT_EQ(memory.word(0x2000 / 4 + 90), 0x5a005aU | (90U << 16U)) << "byte 2 was overwritten";
        if (has_pages) {
            by_pages = memory.bytes;
        }
    }
    EXPECT_TRUE(memory.bytes == by_pages);
}

TEST_F(FunctionalExecutor, AMemoryThatRefusesIsAMemoryErrorOfTheFirstThread) {
    memory.has_pages = false;
    memory.refused = kBase + 12;
    load(kPlace + "LDG R6, [R[4:5]];\n EXIT;\n", 1, 32);
    ASSERT_EQ(run(), Stopped::kRaised);
    EXPECT_EQ(executor->raised()->report.fault, Fault::kMemoryError);
    EXPECT_EQ(executor->raised()->report.detail,
              "global memory refused 4 bytes at 0x1000000c (first thread 3): it has a bad cell");
}

TEST_F(FunctionalExecutor, ARefusedWordOfLocalMemoryIsNamedByItsPlaceInGlobalMemory) {
    constexpr std::uint64_t kWord = 3; // bytes 12 to 15 of the window of thread 5
    memory.has_pages = false;
    memory.refused = kBase + kBytes / 4 + kWord * 128 + std::uint64_t{5} * 4;
    load("LDL.64 R[2:3], [RZ+0x8];\n EXIT;\n", 1, 32);
    ASSERT_EQ(run(), Stopped::kRaised);
    EXPECT_EQ(
        executor->raised()->report.detail,
        fmt::format("global memory refused 4 bytes at {:#x} (first thread 5): it has a bad cell", memory.refused));
}

TEST_F(FunctionalExecutor, AnAccessOutsideEveryBufferIsRefusedBeforeItChangesAnything) {
    load(kPlace + "STG [R[4:5]+0x7ffc], R0;\n EXIT;\n", 1, 32);
    ASSERT_EQ(run(), Stopped::kRaised);
    EXPECT_EQ(executor->raised()->report.fault, Fault::kIllegalAddress);
    EXPECT_THAT(executor->raised()->report.detail, HasSubstr("thread 1 accesses 4 bytes at 0x10008000"));
    EXPECT_EQ(executor->raised()->insn->pc, executor->raised()->pc);
    EXPECT_EQ(memory.word(0x7ffc / 4), 0U);
}

TEST_F(FunctionalExecutor, RunsExactlyAsManyInstructionsAsAskedFor) {
    load("MOV R0, 0x1;\n MOV R1, 0x2;\n EXIT;\n", 3, 64);
    std::uint64_t steps = 0;
    while (run(1) == Stopped::kBudget) {
        EXPECT_EQ(executor->executed(), ++steps);
    }
    EXPECT_EQ(executor->executed(), 3U * 2 * 3);
    EXPECT_EQ(executor->completed(), 3U);
    EXPECT_EQ(stats().pcs[1].issues, 6U);
    EXPECT_EQ(stats().pcs[1].executed_lanes, 6U * 32);
    EXPECT_EQ(stats().warps.size(), 6U);
}

// A CTA that waits for another CTA finds its word, whichever of them runs first.
TEST_F(FunctionalExecutor, ResidentCtasHaveTurns) {
    load(kPlace + "IADD3 R6, -R1, 0x3, RZ;\n" // CTA 3 is first
                  "loop: LDG R7, [R[14:15]];\n ISETP.NE.AND P0, PT, R7, R6, PT;\n @P0 BRA loop;\n"
                  "IADD3 R7, R7, 0x1, RZ;\n STG [R[14:15]], R7;\n EXIT;\n",
         4, 1);
    EXPECT_EQ(run(), Stopped::kEmpty);
    EXPECT_EQ(memory.word(0), 4U);
}

TEST_F(FunctionalExecutor, NoMoreCtasAreResidentThanTheSmHolds) {
    config.sm.max_ctas = 2;
    load("BAR.SYNC 0x0;\n EXIT;\n", 5, 64);
    ASSERT_EQ(run(1), Stopped::kBudget);
    EXPECT_EQ(next, 2U);
    ASSERT_EQ(run(), Stopped::kEmpty);
    EXPECT_EQ(next, 5U);
    EXPECT_EQ(stats().bcu.barriers[0].completions, 5U);
    EXPECT_EQ(stats().bcu.barriers[0].arrivals, 10U);
}

// Warp 0 sleeps once; warp 1 has had its turn when it wakes.
TEST_F(FunctionalExecutor, AWarpIsAsleepUntilTheOthersHaveHadTheirTurn) {
    load(kPlace + "ISETP.GE.U32.AND P0, PT, R0, 0x20, PT;\n @P0 BRA other;\n NANOSLEEP 0x10;\n LDG R6, [R[14:15]];\n"
                  "STG [R[14:15]+0x40], R6;\n EXIT;\nother: MOV R7, 0x2a;\n STG [R[14:15]], R7;\n EXIT;\n",
         1, 64);
    EXPECT_EQ(run(), Stopped::kEmpty);
    EXPECT_EQ(memory.word(0x40 / 4), 42U);
    EXPECT_EQ(stats().bru.warp_sleeps, 1U);
    EXPECT_EQ(stats().bru.wakes, 1U);
}

TEST_F(FunctionalExecutor, WarpsThatWaitForOneAnotherAreBlocked) {
    load("S2R R0, SR_TID.X;\n ISETP.GE.U32.AND P0, PT, R0, 0x20, PT;\n @P0 BAR.SYNC 0x1;\n BAR.SYNC 0x2;\n EXIT;\n", 1,
         64);
    EXPECT_EQ(run(), Stopped::kBlocked);
    EXPECT_THAT(executor->describe(), HasSubstr("CTA 0 warp 1 (slot 1): Barrier (barrier) at 0x0030"));
    EXPECT_THAT(executor->describe(), HasSubstr("  CTA 0 (slot 0): barrier 1"));
}

TEST_F(FunctionalExecutor, TheClockCountsInstructions) {
    load(kPlace + "S2R R6, SR_CLOCKLO;\n MOV R7, RZ;\n S2R R8, SR_CLOCKLO;\n IADD3 R8, R8, -R6, RZ;\n"
                  "STG [R[14:15]], R8;\n EXIT;\n",
         1, 1);
    EXPECT_EQ(run(), Stopped::kEmpty);
    EXPECT_EQ(memory.word(0), 2U);
}

// Warp 0 waits at a barrier, warp 1 sleeps, warp 2 has ended, and warp 3 has arrived and is past a divergence.
TEST_F(FunctionalExecutor, HandsItsResidentsOver) {
    config.sm.max_ctas = 1;
    load("S2R R0, SR_TID.X;\n SHR R1, R0, 0x5;\n ISETP.EQ.AND P0, PT, R1, RZ, PT;\n @P0 BRA.U wait;\n"
         "ISETP.EQ.AND P0, PT, R1, 0x1, PT;\n @P0 BRA.U sleep;\n"
         "ISETP.EQ.AND P0, PT, R1, 0x2, PT;\n @P0 BRA.U end;\n BAR.ARV 0x3, 0x40;\n BAR.SYNC 0x1, 0x40;\n"
         "wait: BAR.SYNC 0x2, 0x60;\n BRA end;\n sleep: NANOSLEEP 0x100;\n BAR.SYNC 0x2, 0x60;\nend: EXIT;\n",
         2, 128, 64);
    ASSERT_EQ(run(5 + 7 + 9 + 10), Stopped::kBudget); // this many instructions of each
    executor->set_clock(1000);
    EXPECT_EQ(executor->clock(), 1000U);
    MidFlight all = executor->hand_over(next);
    EXPECT_EQ(all.next, 1U);
    EXPECT_EQ(all.ended, 0U);
    ASSERT_EQ(all.ctas.size(), 1U);
    const std::vector<std::optional<WarpResume>> &warps = all.ctas[0].warps;
    ASSERT_EQ(warps.size(), 4U);
    ASSERT_TRUE(warps[0] && warps[1] && warps[3]);
    EXPECT_FALSE(warps[2]) << "it has ended";
    EXPECT_TRUE(warps[0]->waits_at_barrier);
    EXPECT_FALSE(warps[1]->waits_at_barrier);
    EXPECT_TRUE(warps[3]->waits_at_barrier);
    EXPECT_EQ(warps[0]->pc, 11U * kInstructionBytes) << "after its arrival";
    EXPECT_EQ(warps[1]->pc, 13U * kInstructionBytes) << "it is awake";
    const auto registers = std::any_cast<std::shared_ptr<const compute::WarpRegisters>>(warps[1]->registers);
    EXPECT_EQ(registers->value(0, 5), 37U);
    const auto barriers = std::any_cast<std::shared_ptr<const bcu::CtaBarriers>>(warps[0]->barriers);
    EXPECT_EQ(barriers->blocked_at(0), BarrierId(2));
    EXPECT_EQ(barriers->blocked_at(3), BarrierId(1));
    EXPECT_EQ(barriers->barrier(BarrierId(3)).arrived, 1U);
    EXPECT_EQ(barriers->exited(), 1U);
    EXPECT_FALSE(all.allocator.place(grid.demand)) << "the one place is taken there";
    EXPECT_FALSE(executor->has_residents());
    EXPECT_EQ(stats().warps.size(), 4U) << "what they have executed still counts here";
    next = 0; // the next launch finds everything free
    executor->begin(grid, [this]() { return next < 1 ? std::optional(next++) : std::nullopt; });
    run(1);
    EXPECT_TRUE(executor->has_residents());
}

TEST_F(FunctionalExecutor, RunningPastTheProgramFindsNoInstruction) {
    load("MOV R0, 0x1;\n", 1, 32);
    ASSERT_EQ(run(), Stopped::kRaised);
    EXPECT_EQ(executor->raised()->report.fault, Fault::kIllegalTarget);
    EXPECT_EQ(executor->raised()->insn, nullptr);
    EXPECT_EQ(executor->raised()->pc, 0x10U);
}

} // namespace
} // namespace smsim::sm::functional
