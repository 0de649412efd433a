// Barriers and memory: an arrival, or an EXIT that counts as one, is ordered after the warp's earlier accesses and
// does not wait for them (bcu.md "Memory order", timing.md 8 and 9). Tests when the others continue, and what they
// then see in memory.
#include <cstring>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/config/config.h"
#include "session/simulation.h"
#include "sm/execution_observer.h"
#include "tb/support/child_process.h"
#include "tb/support/kernel_launch.h"

namespace smsim {
namespace {

/// Records in which cycle the warps of the CTA execute each instruction.
class Cycles final : public sm::ExecutionObserver {
  public:
    void executed(const sm::ExecutedInstruction &instruction) override {
        at[{instruction.start.warp_in_cta, instruction.insn.pc / kInstructionBytes}] = instruction.cycle;
    }
    std::map<std::pair<std::uint32_t, Pc>, Cycle> at; ///< by warp and index of the instruction
};

class MemoryOrder : public testing::Test {
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

TEST_F(MemoryOrder, ABarrierIsCompletedWhenTheExitIsExecutedNotWhenItsStoresAreDone) {
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
    // Executed, reported to the dispatch, reported to the barrier unit.
    const Cycle completed = exit + config.bru.branch_latency + 2;
    EXPECT_EQ(cycles.at.at({1, 8}), completed + config.bcu.release_latency);
    EXPECT_LT(result.stats.warps.at(0).end, exit + config.global.latency) << "the store holds no slot";
    EXPECT_GE(result.stats.cycles, exit + config.global.latency) << "the launch ends when the store is performed";
}

/// Warp 0 fills the queue of its sub-partition with seven stores of 32 transactions each, runs `mine` and exits;
/// warp 1 of another sub-partition runs `wait`, an arrival at the barrier that this completes, and `theirs`. R8 is 7,
/// R10 the word that is stored to a[0] by warp 1, R[2:3] the buffer; they communicate through word 3072.
std::string stuffed_queue(const std::string &before, const std::string &mine, const std::string &wait,
                          const std::string &theirs) {
    std::string text = ".kernel k\n.shared 64\n"
                       " S2R R0, SR_TID.X;\n"
                       " ISETP.GE.U32.AND P0, PT, R0, 0x20, PT;\n"
                       " LDC.64 R[2:3], c[0x0][0x160];\n"
                       " MOV R8, 0x7;\n MOV R9, RZ;\n MOV R4, 0x80;\n"
                       " IMAD.WIDE.U32 R[6:7], R0, R4, R[2:3];\n" // a row for each thread
                       " STS [RZ+0x20], RZ;\n"
                       " BAR.SYNC 0x0;\n"
                       " @P0 BRA waits;\n" +
                       before;
    for (unsigned i = 0; i < 7; ++i) {
        text += " STG [R[6:7]+" + std::to_string(4 + i * 4) + "], R8;\n";
    }
    return text + mine + " EXIT;\nwaits:\n" + wait + theirs + " EXIT;\n";
}

constexpr const char *kSync = " BAR.SYNC 0x0;\n";
constexpr const char *kReduction = " BAR.RED.POPC 0x0, PT;\n";

/// Configurations in which accesses take very different times.
struct Extreme {
    const char *name;
    std::vector<std::string> settings;
};
const Extreme kExtremes[] = {
    {"Default", {}},
    {"WithoutL1", {"l1.enabled=false"}},
    {"OneMshr", {"l1.mshrs=1"}},
    {"Sectors", {"l1.sector_bytes=32", "l1.bytes_per_cycle=1", "l1.mshrs=2"}},
    {"SlowHits", {"l1.latency=500", "global.latency=1"}},
    {"FarMemory", {"global.latency=3000"}},
    {"NarrowMemory", {"global.bytes_per_cycle=1"}},
    {"OneTransaction", {"lsu.max_outstanding=1"}},
    {"ShortQueue", {"lsu.queue_depth=1", "lsu.issue_interval=60"}},
    {"SeveralUnits", {"lsu.units=3", "lsu.issue_interval=7"}},
    {"SlowShared", {"shared.latency=700"}},
    {"LongQueue",
     {"lsu.queue_depth=5", "lsu.queue_latency=300", "lsu.queue_interval=40", "shared.latency=310", "l1.latency=310"}},
    {"SlowPasses", {"shared.pass_interval=64", "shared.phases=true"}},
    {"AtomicsInTwo", {"global.atomics=read_write"}},
    {"QuickBarrier", {"bcu.arrival_latency=1", "bcu.release_latency=1"}},
    {"Jitter", {"jitter.seed=5", "jitter.max=300"}},
};

struct OrderCase {
    const char *name;
    const char *before;
    const char *mine;
    const char *theirs;
};

/// The last action of warp 0: it exits, or arrives at the barrier.
struct Last {
    const char *name;
    const char *text;
    const char *wait;
};

using Order = std::tuple<OrderCase, Last, Extreme>;

class MemoryOrderOf : public MemoryOrder, public testing::WithParamInterface<Order> {
  protected:
    void run_case(const std::string &behind) {
        const auto &[one, last, extreme] = GetParam();
        run(stuffed_queue(one.before, std::string(one.mine) + last.text + behind, last.wait, one.theirs), 2,
            extreme.settings);
    }
};

std::string order_name(const testing::TestParamInfo<Order> &info) {
    return std::string(std::get<0>(info.param).name) + std::get<1>(info.param).name + std::get<2>(info.param).name;
}

class StoreOrder : public MemoryOrderOf {};

TEST_P(StoreOrder, AStoreBeforeABarrierIsVisibleAfterIt) {
    run_case("");
    EXPECT_EQ(word(0), 7U);
}

constexpr const char *kTake = " STG [R[2:3]], R10;\n";
const std::string kTheirLoad = std::string(" LDG R10, [R[2:3]+0x3000];\n") + kTake;
const std::string kTheirStrongLoad = std::string(" LDG.CG R10, [R[2:3]+0x3000];\n") + kTake;
const std::string kTheirAtomic = std::string(" ATOMG.ADD R10, [R[2:3]+0x3000], R9;\n") + kTake;
const std::string kTheirShared = std::string(" LDS R10, [RZ+0x20];\n") + kTake;
constexpr const char *kStore = " STG [R[2:3]+0x3000], R8;\n";

INSTANTIATE_TEST_SUITE_P(
    MessagePassing, StoreOrder,
    testing::Combine(
        testing::Values(OrderCase{"Global", "", kStore, kTheirLoad.c_str()},
                        OrderCase{"Strong", "", kStore, kTheirStrongLoad.c_str()},
                        OrderCase{"ReadByAtomic", "", kStore, kTheirAtomic.c_str()},
                        // The line of the word is present, in flight for its neighbour, or in flight for the word
                        // itself.
                        OrderCase{"LineHit", " LDG R11, [R[2:3]+0x3004];\n IADD3 R11, R11, RZ, RZ;\n", kStore,
                                  kTheirLoad.c_str()},
                        OrderCase{"LineUnderWay", " LDG R11, [R[2:3]+0x3004];\n", kStore, kTheirLoad.c_str()},
                        OrderCase{"OtherSectorHit", " LDG R11, [R[2:3]+0x3020];\n IADD3 R11, R11, RZ, RZ;\n", kStore,
                                  kTheirLoad.c_str()},
                        OrderCase{"OtherSectorUnderWay", " LDG R11, [R[2:3]+0x3020];\n", kStore, kTheirLoad.c_str()},
                        OrderCase{"WordUnderWay", " LDG R11, [R[2:3]+0x3000];\n", kStore, kTheirLoad.c_str()},
                        OrderCase{"Atomic", "", " MOV R12, 0x7;\n @!P0 ATOMG.EXCH R11, [R[2:3]+0x3000], R12;\n",
                                  kTheirLoad.c_str()},
                        OrderCase{"AtomicOnAPresentLine", " LDG R11, [R[2:3]+0x3000];\n IADD3 R11, R11, RZ, RZ;\n",
                                  " @!P0 ATOMG.EXCH R11, [R[2:3]+0x3000], R8;\n", kTheirLoad.c_str()},
                        OrderCase{"Shared", "", " STS [RZ+0x20], R8;\n", kTheirShared.c_str()}),
        testing::Values(Last{"Exit", "", kSync}, Last{"Sync", kSync, kSync}, Last{"Reduction", kReduction, kReduction}),
        testing::ValuesIn(kExtremes)),
    order_name);

class LoadOrder : public MemoryOrderOf {};

TEST_P(LoadOrder, ALoadBeforeABarrierDoesNotReadStoresAfterIt) {
    run_case(" IADD3 R10, R10, 0x5, RZ;\n STG [R[2:3]], R10;\n");
    EXPECT_EQ(word(0), 5U);
}

constexpr const char *kTheirAtomicStore = " ATOMG.EXCH R11, [R[2:3]+0x3000], R8;\n";

INSTANTIATE_TEST_SUITE_P(
    MessagePassing, LoadOrder,
    testing::Combine(testing::Values(OrderCase{"Global", "", " LDG R10, [R[2:3]+0x3000];\n", kStore},
                                     OrderCase{"Strong", "", " LDG.CG R10, [R[2:3]+0x3000];\n", kStore},
                                     OrderCase{"Atomic", "", " ATOMG.ADD R10, [R[2:3]+0x3000], R9;\n", kStore},
                                     OrderCase{"WrittenByAtomic", "", " LDG R10, [R[2:3]+0x3000];\n",
                                               kTheirAtomicStore},
                                     OrderCase{"LineUnderWay", " LDG R11, [R[2:3]+0x3004];\n",
                                               " LDG R10, [R[2:3]+0x3000];\n", kStore},
                                     OrderCase{"Shared", "", " LDS R10, [RZ+0x20];\n", " STS [RZ+0x20], R8;\n"}),
                     testing::Values(Last{"Sync", kSync, kSync}, Last{"Reduction", kReduction, kReduction}),
                     testing::ValuesIn(kExtremes)),
    order_name);

TEST_F(MemoryOrder, ALoadInFlightDoesNotHoldAnArrival) {
    run(".kernel k\n"                      // index
        " S2R R0, SR_TID.X;\n"             // 0
        " LDC.64 R[2:3], c[0x0][0x160];\n" // 1
        " BAR.SYNC 0x0;\n"                 // 2: the instructions are there
        " LDG R4, [R[2:3]];\n"             // 3
        " BAR.SYNC 0x0;\n"                 // 4
        " IADD3 R5, R0, RZ, RZ;\n"         // 5
        " IADD3 R4, R4, RZ, RZ;\n"         // 6
        " EXIT;\n",                        // 7
        2);
    const Config &config = loaded.config;
    const Cycle load = cycles.at.at({1, 3});
    EXPECT_LT(cycles.at.at({1, 5}), load + config.global.latency);
    EXPECT_GT(cycles.at.at({1, 6}), load + config.global.latency);
}

TEST_F(MemoryOrder, ALoadBeforeTheExitDoesNotReadStoresAfterTheBarrier) {
    // Warp 0 loads after a full queue and exits; its registers are checked at its end.
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
    test::write_file(folder / "kernel.sasm", stuffed_queue("", " LDG R10, [R[2:3]+0x3000];\n", " BAR.SYNC 0x0;\n",
                                                           " STG [R[2:3]+0x3000], R8;\n STG [R[2:3]], RZ;\n"));
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
