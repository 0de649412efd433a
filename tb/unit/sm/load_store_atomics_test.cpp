// Atomics through the load/store unit: composed of reads and writes on targets of every style, and performed by the
// memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/config/config.h"
#include "tb/unit/sm/load_store_bench.h"

namespace smsim::sm {
namespace {

using isa::AtomicOp;
using isa::Op;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Config read_write_config() {
    Config config = bench_config();
    config.global.atomics = GlobalAtomics::kReadWrite;
    return config;
}

/// `global.atomics: read_write` on a target of each style of answering: the unit's own reads and writes, one after
/// another.
void expect_read_write(Style style) {
    Bench bench(read_write_config());
    bench.global.style = style;
    bench.global.put<std::uint32_t>(0x20, 1000);
    Job &job = bench.strided(10, 0, make_atomic(Op::kAtomg, AtomicOp::kAdd), 0x20, 0, LaneMask(0x7));
    Job &second = bench.strided(11, 1, make_atomic(Op::kAtomg, AtomicOp::kAdd), 0x20, 0, LaneMask(0x1));
    job.data[0] = {1, 10, 100};
    second.data[0][0] = 5000;
    bench.run();
    ASSERT_TRUE(job.ok && second.ok);
    EXPECT_EQ(bench.global.get<std::uint32_t>(0x20), 6111U);
    EXPECT_EQ(job.data[0][0], 1000U);
    EXPECT_EQ(job.data[0][1], 1001U);
    EXPECT_EQ(job.data[0][2], 1011U);
    EXPECT_EQ(second.data[0][0], 1111U) << "the second instruction is not torn into the first";
    EXPECT_GT(second.answered, job.answered);
    for (const std::string &access : bench.global.log) {
        EXPECT_THAT(access, Not(HasSubstr(" A "))) << "nothing but reads and writes reaches the memory";
    }
    EXPECT_THAT(bench.global.bypasses, Each(true)) << "a cache on the way does not answer";
    EXPECT_EQ(bench.unit.stats().transactions_global, 8U);
}
TEST(LoadStoreUnit, AtomicsByReadsAndWritesOnATargetThatCompletes) {
    expect_read_write(Style::kCompleted);
}
TEST(LoadStoreUnit, AtomicsByReadsAndWritesOnATargetThatAccepts) {
    expect_read_write(Style::kAcceptedEnd);
}
TEST(LoadStoreUnit, AtomicsByReadsAndWritesOnATargetThatEndsRequests) {
    expect_read_write(Style::kEndResponse);
}
TEST(LoadStoreUnit, AtomicsByReadsAndWritesOnATargetThatUpdates) {
    expect_read_write(Style::kUpdated);
}

TEST(LoadStoreUnit, AReadOrWriteOfAnAtomicStartsWhenTheOneBeforeHasEnded) {
    Bench bench(read_write_config());
    Job &job = bench.strided(10, 0, make_atomic(Op::kRed, AtomicOp::kAdd), 0x20, 4, LaneMask(0x3));
    bench.run();
    EXPECT_THAT(bench.global.log, ElementsAre("11 R 0x20+4", "31 W 0x20+4", "51 R 0x24+4", "71 W 0x24+4"));
    EXPECT_EQ(job.answered, 91 + 1U);
}

/// A thread sees its own accesses in their order: the access after the atomic in its queue is sent after the atomic's
/// write.
void expect_own_order(Style style) {
    Bench bench(read_write_config());
    bench.global.style = style;
    bench.global.put<std::uint32_t>(0x20, 1000);
    Job &atomic = bench.strided(10, 0, make_atomic(Op::kAtomg, AtomicOp::kExch), 0x20, 0, LaneMask(0x1));
    Job &load = bench.strided(11, 0, make(Op::kLdg), 0x20, 0, LaneMask(0x1));
    atomic.data[0] = {7};
    bench.run();
    ASSERT_TRUE(atomic.ok && load.ok);
    EXPECT_EQ(atomic.data[0][0], 1000U);
    EXPECT_EQ(load.data[0][0], 7U);
}
TEST(LoadStoreUnit, ALoadAfterAnAtomicByReadsAndWritesSeesItsResultOnATargetThatCompletes) {
    expect_own_order(Style::kCompleted);
}
TEST(LoadStoreUnit, ALoadAfterAnAtomicByReadsAndWritesSeesItsResultOnATargetThatEndsRequests) {
    expect_own_order(Style::kEndResponse);
}

/// The cycle in which a load of shared memory is served that follows an atomic whose write is at 31.
Cycle served_behind_an_atomic(Style style) {
    Bench bench(read_write_config());
    bench.global.style = style;
    bench.strided(10, 0, make_atomic(Op::kRed, AtomicOp::kExch), 0x20, 0, LaneMask(0x1));
    Job &load = bench.strided(11, 0, make(Op::kLds), 0x20, 0, LaneMask(0x1));
    load.insn.rsb = 0;
    bench.run();
    return load.sources_read - 1;
}
TEST(LoadStoreUnit, NothingIsServedBeforeTheCycleAfterTheLastWriteOfAnAtomicByReadsAndWrites) {
    EXPECT_EQ(served_behind_an_atomic(Style::kUpdated), 32U) << "its write waits for the end of its read";
}

TEST(LoadStoreUnit, AnErrorInAnAtomicByReadsAndWritesEndsItAndLetsTheNextOneRun) {
    Bench bench(read_write_config());
    bench.global.style = Style::kEndResponse;
    Job &bad = bench.strided(10, 0, make_atomic(Op::kRed, AtomicOp::kAdd), kMemoryBytes, 0, LaneMask(0x1));
    Job &good = bench.strided(11, 1, make_atomic(Op::kRed, AtomicOp::kAdd), 0x40, 0, LaneMask(0x1));
    good.data[0][0] = 3;
    bench.run();
    EXPECT_EQ(bad.fault.fault, Fault::kIllegalAddress);
    EXPECT_TRUE(good.ok);
    EXPECT_EQ(bench.global.get<std::uint32_t>(0x40), 3U);
}

TEST(LoadStoreUnit, AtomicsOfSharedMemoryAreNeverReadsAndWrites) {
    Bench bench(read_write_config());
    bench.strided(10, 0, make_atomic(Op::kAtoms, AtomicOp::kAdd), 0x20, 0, LaneMask(0x1));
    bench.run();
    EXPECT_THAT(bench.shared.log, ElementsAre("11 A 0x20+4"));
}

TEST(LoadStoreUnit, AMemoryThatAnswersANativeAtomicWithoutPerformingItRaisesMemoryError) {
    Bench bench(bench_config());
    bench.global.knows_atomics = false;
    Job &job = bench.strided(10, 0, make_atomic(Op::kRed, AtomicOp::kAdd), 0x20, 0, LaneMask(0x6));
    bench.run();
    EXPECT_EQ(job.fault.fault, Fault::kMemoryError);
    EXPECT_THAT(bench.global.log, ElementsAre("11 A 0x20+4", "11 A 0x20+4")) << "no read, no write";
}

TEST(LoadStoreUnit, AMemoryThatRefusesTheCommandOfANativeAtomicRaisesMemoryErrorThatNamesTheKey) {
    Bench bench(bench_config());
    bench.global.refusal = tlm::TLM_COMMAND_ERROR_RESPONSE;
    Job &job = bench.strided(10, 0, make_atomic(Op::kRed, AtomicOp::kAdd), kMemoryBytes, 0, LaneMask(0x1));
    bench.run();
    EXPECT_EQ(job.fault.fault, Fault::kMemoryError);
    EXPECT_THAT(job.fault.detail, HasSubstr("TLM_COMMAND_ERROR_RESPONSE"));
    EXPECT_THAT(job.fault.detail, HasSubstr("global.atomics=read_write"));
}

TEST(LoadStoreUnit, AnAtomicHasItsPlaceWithItsAnswer) {
    Bench bench(read_write_config());
    bench.global.style = Style::kEndResponse;
    Job &job = bench.strided(10, 0, make_atomic(Op::kRed, AtomicOp::kAdd), 0, 4, LaneMask(0x3));
    bench.run();
    EXPECT_TRUE(job.ok);
    EXPECT_EQ(job.placed, 0U);
}

} // namespace
} // namespace smsim::sm
