// The load/store unit alone: phases and times of its links, faults within the call, what its transactions carry.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/config/config.h"
#include "tb/unit/sm/load_store_bench.h"

namespace smsim::sm {
namespace {

using isa::Access;
using isa::AtomicOp;
using isa::Op;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// --- what is sent, and what returns --------------------------------------------------------------------------------

TEST(LoadStoreUnit, TransactionsOfOneInstructionShareAGroupAndCgBypassesTheL1) {
    Bench bench(bench_config());
    bench.strided(10, 0, make(Op::kLdg), 0, 128, LaneMask(0x3));
    isa::Instruction cg = make(Op::kLdg);
    cg.mod[1] = 1;
    bench.strided(100, 0, cg, 0, 128, LaneMask(0x3));
    bench.run();
    ASSERT_THAT(bench.global.groups, SizeIs(4));
    EXPECT_EQ(bench.global.groups[0], bench.global.groups[1]);
    EXPECT_EQ(bench.global.groups[2], bench.global.groups[3]);
    EXPECT_NE(bench.global.groups[0], bench.global.groups[2]);
    EXPECT_THAT(bench.global.bypasses, ElementsAre(false, false, true, true));
}

TEST(LoadStoreUnit, ASparseStoreCarriesByteEnablesAndADenseOneNone) {
    Bench bench(bench_config());
    bench.strided(10, 0, make(Op::kSts, Access::kU8), 3, 2, LaneMask(0x7));
    bench.strided(100, 0, make(Op::kSts, Access::kU8), 64, 1, LaneMask(0x7));
    bench.run();
    EXPECT_THAT(bench.shared.log, ElementsAre("11 W 0x3+5 #.#.#", "101 W 0x40+3"));
}

// --- faults --------------------------------------------------------------------------------------------------------

TEST(LoadStoreUnit, AMisalignedAddressIsAFaultThatNamesTheLowestSuchThread) {
    Bench bench(bench_config());
    Job &job = bench.strided(10, 0, make(Op::kLdg, Access::k64), 0x100, 4, LaneMask(0xf0));
    bench.run();
    EXPECT_FALSE(job.ok);
    EXPECT_EQ(job.fault.fault, Fault::kMisalignedAddress);
    EXPECT_EQ(job.fault.detail, "thread 5 accesses 8 bytes at 0x114, which is not aligned to them");
    EXPECT_THAT(bench.global.log, IsEmpty());
    EXPECT_EQ(job.accepted, tlm::TLM_COMPLETED) << "on the call";
}

TEST(LoadStoreUnit, AnErrorResponseBecomesAFaultWithPlaceAndCause) {
    Bench bench(bench_config());
    bench.global.bytes = 0x100;
    Job &address = bench.strided(10, 0, make(Op::kLdg), 0x80, 4);
    Job &beyond = bench.strided(100, 0, make(Op::kLdg), 0xc0, 0x100, LaneMask(0x0e));
    bench.shared.bytes = 0;
    bench.shared.refusal = tlm::TLM_COMMAND_ERROR_RESPONSE;
    Job &other = bench.strided(200, 0, make(Op::kSts), 0, 4, LaneMask(0xc));
    bench.run();
    EXPECT_TRUE(address.ok);
    EXPECT_EQ(beyond.fault.fault, Fault::kIllegalAddress);
    EXPECT_EQ(beyond.fault.detail,
              "global memory refused 4 bytes at 0x1c0 (first thread 1): TLM_ADDRESS_ERROR_RESPONSE")
        << "of three refusals the lowest thread's";
    EXPECT_EQ(other.fault.fault, Fault::kMemoryError);
    EXPECT_EQ(other.fault.detail, "shared memory refused 8 bytes at 0x8 (first thread 2): TLM_COMMAND_ERROR_RESPONSE");
}

/// The unit with a check of two buffers in one row.
class CheckedBounds : public ::testing::Test {
  protected:
    CheckedBounds() {
        regions.map(0x100, 0x20, "a");
        regions.map(0x140, 0x20, "b");
        bench.unit.check_bounds(&check);
    }
    const WarpStart warp;
    Bench bench{bench_config()};
    memory::Regions regions{GlobalMemoryConfig{}.bytes, GlobalBounds::kPageBytes};
    GlobalBounds check{regions, MemoryCheck::kStrict, [this](WarpSlot) -> const WarpStart & { return warp; }};
};

TEST_F(CheckedBounds, AnAccessOfWhichOneThreadIsOutsideIsRefusedOnTheCallAndChangesNothing) {
    Job &store = bench.strided(10, 0, make(Op::kStg), 0x100, 0x10, LaneMask(0x37));
    Job &atomic = bench.strided(50, 0, make_atomic(Op::kRed, AtomicOp::kAdd), 0x100, 0x10, LaneMask(0x3f));
    bench.run();
    for (const Job *job : {&store, &atomic}) {
        EXPECT_EQ(job->accepted, tlm::TLM_COMPLETED) << "on the call";
        EXPECT_EQ(job->fault.fault, Fault::kIllegalAddress);
        EXPECT_EQ(job->fault.detail, "thread 2 accesses 4 bytes at 0x120, which no buffer holds");
        EXPECT_EQ(job->fault.address, 0x120U);
        EXPECT_EQ(job->fault.bytes, 4U);
    }
    EXPECT_THAT(bench.global.log, IsEmpty());
}

// --- time ----------------------------------------------------------------------------------------------------------

TEST(LoadStoreUnit, LatencyIsQueueMemoryAndTheWayBack) {
    Bench bench(bench_config());
    Job &job = bench.strided(10, 0, make(Op::kLds), 0, 4);
    bench.run();
    EXPECT_THAT(bench.shared.log, ElementsAre("11 R 0x0+128"));
    EXPECT_EQ(job.accepted, tlm::TLM_UPDATED);
    EXPECT_EQ(job.answered, 11 + 20 + 1U);
}

void expect_latency(Style style) {
    Bench bench(bench_config());
    bench.global.style = style;
    Job &job = bench.strided(10, 0, make(Op::kLdg), 0, 4);
    bench.run();
    EXPECT_EQ(job.answered, 11 + 20 + 1U);
}
TEST(LoadStoreUnit, LatencyIsTheSameOnATargetThatAccepts) {
    expect_latency(Style::kAcceptedEnd);
}
TEST(LoadStoreUnit, LatencyIsTheSameOnATargetThatEndsRequests) {
    expect_latency(Style::kEndResponse);
}
TEST(LoadStoreUnit, LatencyIsTheSameOnATargetThatUpdates) {
    expect_latency(Style::kUpdated);
}

TEST(LoadStoreUnit, TheUnitIsBusyForTheIssueIntervalOrACyclePerGlobalTransaction) {
    Bench bench(bench_config());
    bench.strided(10, 0, make(Op::kLds), 0, 128); // 32 rows of shared memory: not the unit's concern
    bench.strided(10, 1, make(Op::kLdg), 0, 128, LaneMask(0x1f));
    bench.strided(10, 2, make(Op::kLdg), 0x4000, 4);
    bench.run();
    EXPECT_EQ(bench.shared.log[0].substr(0, 2), "11");
    EXPECT_EQ(bench.global.log[0], "13 R 0x0+4");
    EXPECT_EQ(bench.global.log[5], "18 R 0x4000+128");
}

/// Queues as timing.md 4 has them.
Config sub_core_config() {
    Config config = bench_config();
    config.lsu.queue_depth = 5;
    config.lsu.queue_latency = 10;
    config.lsu.queue_interval = 4;
    config.lsu.shared_load_sources = 9;
    config.lsu.shared_store_sources = 12;
    config.lsu.global_load_sources = 11;
    config.lsu.global_store_sources = 14;
    config.lsu.store_bytes = 64;
    config.lsu.return_bytes = 64;
    return config;
}

TEST(LoadStoreUnit, AnAccessLeavesItsQueueWithItsLatencyAndInterval) {
    Bench bench(sub_core_config());
    bench.strided(2, 0, make(Op::kLds), 0, 4);
    bench.strided(3, 0, make(Op::kLds), 0x100, 4);
    bench.strided(4, 1, make(Op::kLds), 0x200, 4);
    Job &last = bench.strided(30, 0, make(Op::kLds), 0x300, 4);
    bench.run();
    EXPECT_THAT(bench.shared.log, ElementsAre("12 R 0x0+128", "14 R 0x200+128", "16 R 0x100+128", "40 R 0x300+128"));
    EXPECT_EQ(last.answered, 40 + 20 + 1U);
}

TEST(LoadStoreUnit, AnEntryOfAFullQueueIsFreeInTheCycleAfterTheDeparture) {
    Bench bench(sub_core_config());
    std::vector<Job *> jobs;
    for (unsigned number = 0; number < 5; ++number) {
        jobs.push_back(&bench.strided(2 + number, 0, make(Op::kLds), 0, 4));
    }
    bench.run();
    for (unsigned number = 0; number < 4; ++number) {
        EXPECT_EQ(jobs[number]->accepted, tlm::TLM_UPDATED);
        EXPECT_EQ(jobs[number]->accepts_at, 2 + number + 1U);
    }
    EXPECT_EQ(jobs[4]->accepts_at, 13U) << "the first has left at 12";
}

TEST(LoadStoreUnit, SourcesAreReadByOperationAndWidthCountedFromTheIssue) {
    struct Row {
        Op op;
        Access access;
        Cycle sources;
    };
    const Row kRows[] = {{Op::kLds, Access::k32, 9},   {Op::kLds, Access::k128, 9}, {Op::kLdg, Access::k32, 11},
                         {Op::kLdg, Access::k64, 11},  {Op::kSts, Access::k32, 12}, {Op::kSts, Access::k64, 14},
                         {Op::kSts, Access::k128, 18}, {Op::kStg, Access::k32, 14}, {Op::kStg, Access::k64, 16},
                         {Op::kStg, Access::k128, 20}, {Op::kShfl, Access::k32, 9}};
    Bench bench(sub_core_config());
    std::vector<Job *> jobs;
    for (const Row &row : kRows) {
        isa::Instruction insn = make(row.op, row.access);
        insn.rsb = 2;
        jobs.push_back(&bench.strided(100 * (jobs.size() + 1), 0, insn, 0, 16));
    }
    bench.run();
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        EXPECT_EQ(jobs[i]->sources_read, 100 * (i + 1) + kRows[i].sources) << i;
    }
}

isa::Instruction uniform(isa::Instruction insn) {
    insn.form = isa::Form::kU;
    return insn;
}
/// The same with the figures for uniform addresses.
Config uniform_config() {
    Config config = sub_core_config();
    config.lsu.uniform_load_sources = 8;
    config.lsu.uniform_store_sources = 10;
    config.lsu.uniform_shared_saving = 1;
    config.lsu.uniform_global_saving = 3;
    return config;
}

/// When the sources of accesses with a uniform address are read, in cycles from their issue.
std::vector<Cycle> uniform_sources(const Config &config) {
    const isa::Instruction kAccesses[] = {make(Op::kLds),
                                          make(Op::kLdg, Access::k128),
                                          make(Op::kSts),
                                          make(Op::kStg, Access::k64),
                                          make(Op::kSts, Access::k128),
                                          make_atomic(Op::kRed, isa::AtomicOp::kAdd)};
    Bench bench(config);
    std::vector<Job *> jobs;
    for (isa::Instruction insn : kAccesses) {
        insn.rsb = 2;
        jobs.push_back(&bench.strided(100 * (jobs.size() + 1), 0, uniform(insn), 0, 0));
    }
    bench.run();
    std::vector<Cycle> sources;
    for (const Job *job : jobs) {
        sources.push_back(job->sources_read - 100 * (sources.size() + 1));
    }
    return sources;
}
TEST(LoadStoreUnit, SourcesWithAUniformAddressAreReadAlikeForBothMemories) {
    EXPECT_THAT(uniform_sources(uniform_config()), ElementsAre(8, 8, 10, 12, 16, 10));
}
TEST(LoadStoreUnit, SourcesWithAUniformAddressAreReadAsOthersWithoutAFigureOfTheirOwn) {
    EXPECT_THAT(uniform_sources(sub_core_config()), ElementsAre(9, 11, 12, 16, 18, 14));
}

TEST(LoadStoreUnit, AResultIsThereNoEarlierThanItsSourcesAreRead) {
    Config config = sub_core_config();
    config.lsu.shared_load_sources = 70;
    Bench bench(config);
    isa::Instruction load = make(Op::kLds);
    load.rsb = 2;
    isa::Instruction shuffle = make(Op::kShfl);
    shuffle.rsb = 2;
    for (const Job *job : {&bench.strided(100, 0, load, 0, 4), &bench.strided(200, 0, shuffle, 0, 4)}) {
        bench.run();
        EXPECT_EQ(job->answered, job->sources_read);
    }
}

TEST(LoadStoreUnit, ALoadWithAUniformAddressReachesItsMemoryEarlierAndStoresDoNot) {
    Bench bench(uniform_config());
    Job &global = bench.strided(100, 0, uniform(make(Op::kLdg)), 0, 0);
    Job &shared = bench.strided(200, 0, uniform(make(Op::kLds)), 0, 0);
    bench.strided(300, 0, uniform(make(Op::kSts)), 0, 0);
    bench.run();
    EXPECT_EQ(global.answered, 100 + 10 - 3 + 20 + 1U);
    EXPECT_EQ(shared.answered, 200 + 10 - 1 + 20 + 1U);
    EXPECT_THAT(bench.shared.log, ElementsAre("209 R 0x0+4", "310 W 0x0+4"));
    EXPECT_EQ(shared.placed_at, 211U) << "its place is reported as late as that of others";
}

TEST(LoadStoreUnit, NoAccessReachesItsMemoryBeforeThePreviousOne) {
    Bench bench(uniform_config());
    bench.strided(2, 0, make(Op::kStg), 0, 0, LaneMask(0x1));
    bench.strided(2, 1, uniform(make(Op::kLdg)), 0, 0); // leaves at 14, and would be ready at 11
    bench.strided(2, 2, uniform(make(Op::kLds)), 0, 0); // leaves at 16
    bench.run();
    EXPECT_THAT(bench.global.log, ElementsAre("12 W 0x0+4", "12 R 0x0+4"));
    EXPECT_THAT(bench.shared.log, ElementsAre("15 R 0x0+4"));
}

TEST(LoadStoreUnit, AUniformAddressSavesNoMoreThanTheTimeInFrontOfTheDeparture) {
    Config config = bench_config();
    config.lsu.queue_latency = 3;
    config.lsu.uniform_shared_saving = 7;
    Bench bench(config);
    bench.strided(10, 0, uniform(make(Op::kLds)), 0, 0);
    bench.run();
    EXPECT_THAT(bench.shared.log, ElementsAre("11 R 0x0+4"));
}

TEST(LoadStoreUnit, SourcesOfAnAccessThatWaitsAreReadAsMuchLater) {
    Bench bench(sub_core_config());
    isa::Instruction asks = make(Op::kLds);
    asks.rsb = 2;
    bench.strided(100, 0, make(Op::kLds), 0, 4);
    Job &job = bench.strided(101, 0, asks, 0, 4);
    bench.run();
    EXPECT_EQ(job.sources_read, 101 + 9 + 3U) << "leaves at 114 and not at 111";
}

TEST(LoadStoreUnit, WideGlobalDataArriveAtTheirRateAndHoldTheQueue) {
    Config config = sub_core_config();
    config.lsu.lines_per_cycle = 4;
    Bench bench(config);
    struct Row {
        Access access;
        unsigned bytes;
        LaneMask lanes;
        Cycle extra;
        Cycle interval;
    };
    const Row kRows[] = {{Access::k32, 4, LaneMask::all(), 0, 4},
                         {Access::k64, 8, LaneMask::all(), 2, 6},
                         {Access::k128, 16, LaneMask::all(), 6, 10},
                         {Access::k128, 16, LaneMask(0xff), 0, 10}}; // one of four phases has threads
    std::vector<std::pair<Job *, Job *>> jobs;
    for (const Row &row : kRows) {
        const Cycle at = 100 * (jobs.size() + 1);
        jobs.emplace_back(&bench.strided(at, 0, make(Op::kLdg, row.access), 0, row.bytes, row.lanes),
                          &bench.strided(at + 1, 0, make(Op::kLdg, row.access), 0, row.bytes, row.lanes));
    }
    bench.run();
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const Cycle extra = kRows[i].extra;
        const Cycle interval = kRows[i].interval;
        EXPECT_EQ(jobs[i].first->answered, 100 * (i + 1) + 10 + 20 + 1 + extra);
        EXPECT_EQ(jobs[i].second->answered, jobs[i].first->answered + interval);
    }
}

TEST(LoadStoreUnit, AnAccessTakesTheUnitForTheWavefrontsOfItsTagsAndArrivesAfterThem) {
    Config config = sub_core_config();
    config.lsu.lines_per_cycle = 4;
    config.lsu.issue_interval = 1;
    config.shared.pass_interval = 2;
    Bench bench(config);
    Job &rows = bench.strided(100, 0, make(Op::kLdg), 0, 132); // 32 lines, all banks of data
    Job &next = bench.strided(101, 1, make(Op::kLdg), 0, 4);
    Job &column = bench.strided(300, 0, make(Op::kLdg), 0, 64); // 16 lines, two banks: 16 words of each
    bench.run();
    const Cycle tags = 8; // eight lines in each of four banks
    EXPECT_EQ(rows.answered, 100 + 10 + 20 + 1 + tags - 1);
    EXPECT_GE(next.answered, 100 + 10 + tags + 20 + 1);
    EXPECT_GE(column.answered, 300 + 10 + 20 + 1 + 2 * 15U);
}

TEST(LoadStoreUnit, NonMemoryInstructionsTakeQueueTimeAndLdcDoesNotTakeTheUnit) {
    Config config = sub_core_config();
    config.pipes.shuffle = 24;
    config.lsu.constant_latency = 29;
    config.lsu.constant_immediate_latency = 26;
    config.lsu.issue_interval = 60;
    Bench bench(config);
    bench.strided(10, 1, make(Op::kLds), 0, 4); // has the unit up to 71
    isa::Instruction constant = make(Op::kLdc);
    constant.ra = 4;
    Job &indexed = bench.add(20, 0, constant);
    constant.ra = isa::kRz;
    Job &immediate = bench.add(21, 0, constant);
    Job &shuffle = bench.add(22, 0, make(Op::kShfl));
    Job &other = bench.add(72, 2, make(Op::kShfl));
    bench.run();
    EXPECT_EQ(indexed.answered, 20 + 29U);
    EXPECT_EQ(immediate.answered, 21 + 26 + 3U) << "four cycles after the previous one";
    EXPECT_EQ(shuffle.answered, 70 + 24U) << "when the unit is free";
    EXPECT_EQ(other.answered, 70 + 60 + 24U) << "a shuffle takes it as an access does";
    EXPECT_TRUE(indexed.ok && immediate.ok && shuffle.ok);
}

TEST(LoadStoreUnit, ConstantMissesArriveLaterWithTheNextLoadOfTheirLine) {
    Config config = sub_core_config();
    config.constants.load_bytes = 256;
    config.lsu.constant_latency = 29;
    Bench bench(config);
    isa::Instruction load = make(Op::kLdc);
    load.ra = 4;
    std::vector<Job *> jobs;
    for (const Cycle at : {100U, 110U, 300U}) {
        jobs.push_back(&bench.strided(at, 0, load, 0x40, 0));
    }
    bench.run();
    EXPECT_EQ(jobs[0]->answered, 100 + 29 + 62U);
    EXPECT_EQ(jobs[1]->answered, 110 + 29 + 52U) << "the line is on its way";
    EXPECT_EQ(jobs[2]->answered, 300 + 29U);
    EXPECT_EQ(bench.unit.stats().constant_misses, 1U);
}

TEST(LoadStoreUnit, ConstantsOfDifferentAddressesAreReadOneByOneAndHoldTheQueue) {
    Config config = sub_core_config();
    config.constants.address_interval = 4;
    config.lsu.constant_latency = 29;
    Bench bench(config);
    isa::Instruction load = make(Op::kLdc);
    load.ra = 4;
    Job &many = bench.strided(100, 0, load, 0, 4, LaneMask(0x1f));
    Job &next = bench.strided(101, 0, load, 0, 0);
    bench.run();
    EXPECT_EQ(many.answered, 100 + 29 + 4 * 4U);
    EXPECT_EQ(next.answered, 100 + 29 + 4 + 4 * 4U) << "it leaves when all have been read";
}

TEST(LoadStoreUnit, LinesOfAGlobalAccessTakeTheUnitByTheCycle) {
    Config config = bench_config();
    config.lsu.issue_interval = 1;
    config.lsu.lines_per_cycle = 4;
    Bench bench(config);
    bench.strided(10, 0, make(Op::kLdg), 0, 128, LaneMask(0x1f)); // 5 lines: 2 cycles
    bench.strided(10, 1, make(Op::kLdg), 0x4000, 4);
    bench.run();
    EXPECT_EQ(bench.global.log[5], "13 R 0x4000+128");
}

TEST(LoadStoreUnit, TwoUnitsTakeTwoAccessesAtATime) {
    Config config = bench_config();
    config.lsu.units = 2;
    Bench bench(config);
    bench.strided(10, 0, make(Op::kLds), 0, 4);
    bench.strided(10, 1, make(Op::kLds), 0x100, 4);
    bench.strided(11, 0, make(Op::kLds), 0x200, 4);
    bench.run();
    EXPECT_THAT(bench.shared.log, ElementsAre("11 R 0x0+128", "11 R 0x100+128", "13 R 0x200+128"));
    UnitUses uses;
    bench.unit.add_use(20, uses);
    const UnitUse *taken = find_use(uses, UsedUnit::kLoadStore);
    ASSERT_NE(taken, nullptr);
    EXPECT_EQ(taken->instances.size(), 2U);
    EXPECT_EQ(taken->busy(), 6U) << "two cycles for each access";
}

TEST(LoadStoreUnit, AnAccessThatWaitsForSharedMemoryBlocksItsQueue) {
    Bench bench(sub_core_config());
    bench.shared.begins = 60;
    bench.strided(2, 0, make(Op::kLds), 0, 4);
    bench.strided(3, 0, make(Op::kLds), 0x100, 4);
    bench.strided(4, 1, make(Op::kLds), 0x200, 4);
    bench.run();
    EXPECT_THAT(bench.shared.log, ElementsAre("12 R 0x0+128", "14 R 0x200+128", "60 R 0x100+128"));
}

TEST(LoadStoreUnit, SourcesAreReadWhenTheInstructionIsServedIfAScoreboardAsks) {
    Bench bench(bench_config());
    isa::Instruction asks = make(Op::kSts);
    asks.rsb = 2;
    Job &with = bench.strided(10, 0, asks, 0, 4);
    Job &without = bench.strided(40, 0, make(Op::kSts), 0, 4);
    bench.run();
    EXPECT_EQ(with.sources_read, 12U);
    EXPECT_EQ(without.sources_read, 0U);
}

TEST(LoadStoreUnit, AnAccessThatIsAnsweredLaterHasItsPlaceWhenItIsServed) {
    Bench bench(bench_config());
    bench.global.style = Style::kEndResponse;
    Job &first = bench.strided(10, 0, make(Op::kLdg), 0, 4);
    Job &behind = bench.strided(10, 0, make(Op::kStg), 0x100, 4);
    Job &on_the_call = bench.strided(10, 1, make(Op::kSts), 0, 4);
    bench.run();
    EXPECT_EQ(first.placed, 11 + 1U);
    EXPECT_EQ(behind.placed, 11 + 4 + 1U) << "served third";
    EXPECT_EQ(on_the_call.placed, 0U) << "its answer says so";
    EXPECT_EQ(on_the_call.placed_at, 13 + 1U);
}

TEST(LoadStoreUnit, TheTimeOfAPlaceIsTheCycleAfterTheDeparture) {
    Bench bench(sub_core_config());
    bench.global.style = Style::kEndResponse;
    Job &global = bench.strided(10, 0, make(Op::kStg), 0, 4);
    Job &shared = bench.strided(30, 1, make(Op::kSts), 0, 4);
    bench.run();
    EXPECT_EQ(global.placed, 21U);
    EXPECT_EQ(shared.placed_at, 41U);
}

TEST(LoadStoreUnit, AFullQueueWithholdsEndReqUntilAnInstructionLeavesIt) {
    Bench bench(bench_config());
    Job &first = bench.strided(10, 0, make(Op::kLdg), 0, 128, LaneMask(0xff)); // busy until 19
    Job &second = bench.strided(12, 0, make(Op::kLds), 0, 4);
    Job &third = bench.strided(13, 0, make(Op::kLds), 0, 4);
    bench.run();
    EXPECT_EQ(first.accepted, tlm::TLM_UPDATED);
    EXPECT_EQ(second.accepted, tlm::TLM_UPDATED);
    EXPECT_EQ(third.accepted, tlm::TLM_ACCEPTED);
    EXPECT_EQ(third.end_req, 20U);
    EXPECT_EQ(second.end_req, 0U);
    EXPECT_TRUE(third.ok);
}

TEST(LoadStoreUnit, AQueueOfOneIsFullWithEachRequest) {
    Config config = bench_config();
    config.lsu.queue_depth = 1;
    Bench bench(config);
    Job &job = bench.strided(10, 0, make(Op::kLds), 0, 4);
    bench.run();
    EXPECT_EQ(job.accepted, tlm::TLM_ACCEPTED);
    EXPECT_EQ(job.end_req, 12U);
    EXPECT_EQ(job.answered, 32U);
}

/// Two requests in one cycle, in either order of the calls.
std::vector<std::string> served(unsigned first, unsigned second) {
    Bench bench(bench_config());
    bench.strided(10, first, make(Op::kLds), 0x100 * first, 4, LaneMask(0x1));
    bench.strided(10, second, make(Op::kLds), 0x100 * second, 4, LaneMask(0x1));
    bench.run();
    return bench.shared.log;
}
TEST(LoadStoreUnit, RequestsOfOneCycleAreServedInQueueOrder) {
    EXPECT_THAT(served(1, 3), ElementsAre("11 R 0x100+4", "13 R 0x300+4"));
}
TEST(LoadStoreUnit, RequestsOfOneCycleAreServedInQueueOrderInReverseCallOrder) {
    EXPECT_THAT(served(3, 1), ElementsAre("11 R 0x100+4", "13 R 0x300+4"));
}

void expect_limit_of_outstanding(Style style) {
    Config config = bench_config();
    config.lsu.max_outstanding = 2;
    Bench bench(config);
    bench.global.style = style;
    bench.strided(10, 0, make(Op::kLdg), 0, 128, LaneMask(0x3));
    bench.strided(10, 0, make(Op::kLdg), 0x1000, 4, LaneMask(0x1));
    bench.strided(10, 1, make(Op::kLds), 0, 4, LaneMask(0x1));
    bench.run();
    EXPECT_EQ(bench.shared.log[0], "13 R 0x0+4") << "shared memory is not held up";
    EXPECT_EQ(bench.global.log[2].substr(3), "R 0x1000+4");
    // The first two answers arrive at 31, or, on a target that takes one request per cycle, at 31 and 32.
    EXPECT_EQ(std::stoul(bench.global.log[2].substr(0, 2)), style == Style::kEndResponse ? 32U : 31U);
}
TEST(LoadStoreUnit, NoGlobalAccessStartsWhileTheLimitOfTransactionsIsUnderWay) {
    expect_limit_of_outstanding(Style::kCompleted);
}
TEST(LoadStoreUnit, TheLimitOfTransactionsHoldsForATargetThatAnswersLater) {
    expect_limit_of_outstanding(Style::kEndResponse);
}

// --- counters ------------------------------------------------------------------------------------------------------

TEST(LoadStoreUnit, CountsInstructionsTransactionsAndSectors) {
    Bench bench(bench_config());
    bench.strided(10, 0, make(Op::kLdg), 0, 64, LaneMask(0x7)); // rows 0 and 1: bytes 0..67, 128..131
    bench.strided(100, 0, make(Op::kLds), 0, 4);
    bench.run();
    const LoadStoreStats &stats = bench.unit.stats();
    EXPECT_EQ(stats.by_op[static_cast<std::size_t>(Op::kLdg)], 1U);
    EXPECT_EQ(stats.by_op[static_cast<std::size_t>(Op::kLds)], 1U);
    EXPECT_EQ(stats.transactions_global, 2U);
    EXPECT_EQ(stats.transactions_shared, 1U);
    EXPECT_EQ(stats.requested_global_bytes, 12U);
    EXPECT_EQ(stats.moved_global_bytes, 96U + 32U);
}

} // namespace
} // namespace smsim::sm
