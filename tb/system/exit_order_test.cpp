// What an EXIT means to a barrier that it completes: when the others go on, and what they see in memory then.
#include <cstring>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "session/simulation.h"
#include "sm/execution_observer.h"
#include "tb/support/child_process.h"
#include "tb/support/kernel_launch.h"

namespace smsim {
namespace {

/// Notes in which cycle the warps of the one CTA execute which instruction.
class Cycles final : public sm::ExecutionObserver {
  public:
    void executed(const sm::ExecutedInstruction &instruction) override {
        at[{instruction.start.warp_in_cta, instruction.insn.pc / kInstructionBytes}] = instruction.cycle;
    }
    std::map<std::pair<std::uint32_t, Pc>, Cycle> at; ///< by warp and index of the instruction
};

class ExitOrder : public testing::Test {
  protected:
    /// Runs a program with one buffer of 4096 words, all 0, in a CTA of `warps` warps.
    void run(const std::string &text, unsigned warps, const std::vector<std::string> &settings = {}) {
        const test::TemporaryFolder folder;
        test::write_file(folder / "kernel.sasm", text);
        test::write_file(folder / "launch.yaml", "program: kernel.sasm\ngrid: 1\nblock: " + std::to_string(warps * 32) +
                                                     "\narguments:\n  - {name: a, type: u32, count: 4096}\n");
        test::load(loaded, folder / "launch.yaml", settings);
        session::Options options;
        options.observer = &cycles;
        result = session::simulate(loaded.config, loaded.program, *loaded.kernel, loaded.launch, options);
        ASSERT_FALSE(result.fault) << result.exception;
    }
    std::uint32_t word(std::size_t index) const {
        std::uint32_t value = 0;
        std::memcpy(&value, result.buffers.at(0).data() + index * 4, 4);
        return value;
    }

    test::KernelLaunch loaded;
    session::SimulationResult result;
    Cycles cycles;
};

TEST_F(ExitOrder, ABarrierIsCompletedWhenTheExitIsExecutedNotWhenItsStoresAreDone) {
    run(".kernel k\n"                               // index
        " S2R R0, SR_TID.X;\n"                      // 0
        " ISETP.GE.U32.AND P0, PT, R0, 0x20, PT;\n" // 1
        " LDC.64 R[2:3], c[0x0][0x160];\n"          // 2
        " @P0 BRA waits;\n"                         // 3
        " NANOSLEEP 100;\n"                         // 4
        " STG [R[2:3]], R0;\n"                      // 5
        " EXIT;\n"                                  // 6
        "waits:\n"                                  //
        " BAR.SYNC 0x0;\n"                          // 7
        " EXIT;\n",                                 // 8
        2);
    const Config &config = loaded.config;
    const Cycle exit = cycles.at.at({0, 6});
    // Executed, told to the dispatch, told to the barrier unit.
    const Cycle completed = exit + config.bru.branch_latency + 2;
    EXPECT_EQ(cycles.at.at({1, 8}), completed + config.bcu.release_latency);
    EXPECT_GT(result.stats.warps.at(0).end, exit + config.global.latency) << "its slot is held until the store is done";
}

/// Warp 0 fills the queue of its sub-partition with seven stores of 32 transactions each, stores 7 to word 3072 and
/// exits; warp 1 of another sub-partition waits at the barrier that this completes, reads the word and writes it to 0.
std::string stuffed_queue(const std::string &before, const std::string &store, const std::string &load) {
    std::string text = ".kernel k\n.shared 64\n"
                       " S2R R0, SR_TID.X;\n"
                       " ISETP.GE.U32.AND P0, PT, R0, 0x20, PT;\n"
                       " LDC.64 R[2:3], c[0x0][0x160];\n"
                       " MOV R8, 0x7;\n MOV R9, RZ;\n MOV R4, 0x80;\n"
                       " IMAD.WIDE.U32 R[6:7], R0, R4, R[2:3];\n" // a row for each thread
                       " @P0 BRA waits;\n" +
                       before;
    for (unsigned i = 0; i < 7; ++i) {
        text += " STG [R[6:7]+" + std::to_string(4 + i * 4) + "], R8;\n";
    }
    return text + store + " EXIT;\nwaits:\n BAR.SYNC 0x0;\n" + load + " STG [R[2:3]], R10;\n EXIT;\n";
}

struct OrderCase {
    const char *name;
    const char *before;
    const char *store;
    const char *load;
};

class ExitOrderOfMemory : public ExitOrder, public testing::WithParamInterface<std::tuple<OrderCase, bool>> {};

TEST_P(ExitOrderOfMemory, StoresBeforeTheExitAreSeenBehindTheBarrier) {
    const auto &[one, l1] = GetParam();
    run(stuffed_queue(one.before, one.store, one.load), 2, {std::string("l1.enabled=") + (l1 ? "true" : "false")});
    EXPECT_EQ(word(0), 7U);
}

INSTANTIATE_TEST_SUITE_P(
    Spaces, ExitOrderOfMemory,
    testing::Combine(
        testing::Values(OrderCase{"Global", "", " STG [R[2:3]+0x3000], R8;\n", " LDG R10, [R[2:3]+0x3000];\n"},
                        // The line of the word is on its way for the neighbour, and for the word itself.
                        OrderCase{"LineUnderWay", " LDG R11, [R[2:3]+0x3004];\n", " STG [R[2:3]+0x3000], R8;\n",
                                  " LDG R10, [R[2:3]+0x3000];\n"},
                        OrderCase{"WordUnderWay", " LDG R11, [R[2:3]+0x3000];\n", " STG [R[2:3]+0x3000], R8;\n",
                                  " LDG R10, [R[2:3]+0x3000];\n"},
                        OrderCase{"Atomic", "", " MOV R12, 0x7;\n @!P0 ATOMG.EXCH R11, [R[2:3]+0x3000], R12;\n",
                                  " LDG R10, [R[2:3]+0x3000];\n"},
                        OrderCase{"Shared", "", " STS [RZ+0x20], R8;\n", " LDS R10, [RZ+0x20];\n"}),
        testing::Bool()),
    [](const auto &one) {
        return std::string(std::get<0>(one.param).name) + (std::get<1>(one.param) ? "WithL1" : "WithoutL1");
    });

TEST_F(ExitOrder, ALoadBeforeTheExitReadsNothingThatIsWrittenBehindTheBarrier) {
    // Warp 0 loads behind a stuffed queue and exits; its registers are seen at its end.
    class LastRegisters final : public sm::ExecutionObserver {
      public:
        void executed(const sm::ExecutedInstruction &) override {}
        void ended(const WarpStart &start, const sm::compute::WarpRegisters &registers) override {
            if (start.warp_in_cta == 0) {
                loaded = registers.value(10, 0);
            }
        }
        std::uint32_t loaded = 99;
    };
    const test::TemporaryFolder folder;
    test::write_file(folder / "kernel.sasm",
                     stuffed_queue("", " LDG R10, [R[2:3]+0x3000];\n", " STG [R[2:3]+0x3000], R8;\n MOV R10, RZ;\n"));
    test::write_file(folder / "launch.yaml", "program: kernel.sasm\ngrid: 1\nblock: 64\n"
                                             "arguments:\n  - {name: a, type: u32, count: 4096}\n");
    test::load(loaded, folder / "launch.yaml", {});
    LastRegisters last;
    session::Options options;
    options.observer = &last;
    result = session::simulate(loaded.config, loaded.program, *loaded.kernel, loaded.launch, options);
    ASSERT_FALSE(result.fault) << result.exception;
    EXPECT_EQ(word(3072), 7U);
    EXPECT_EQ(last.loaded, 0U);
}

} // namespace
} // namespace smsim
