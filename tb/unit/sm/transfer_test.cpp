// How accesses to each space are performed, without simulation: chunks, bytes of threads, atomics, rejections.
#include <algorithm>
#include <array>
#include <functional>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/config/config.h"
#include "sm/load_store/global_transfer.h"
#include "sm/load_store/local_transfer.h"
#include "sm/load_store/memory_operation.h"
#include "sm/load_store/shared_transfer.h"
#include "tb/unit/sm/chunk_recorder.h"

namespace smsim::sm {
namespace {

using isa::Access;
using isa::AtomicOp;
using isa::AtomicType;
using isa::Op;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// An access of a warp, and the instruction that it points to.
struct Request : MemoryRequest {
    Request(const isa::Instruction &instruction, std::uint64_t base, std::uint64_t stride,
            LaneMask threads = LaneMask::all())
        : instruction_(instruction) {
        insn = &instruction_;
        lanes = threads;
        window_bytes = 8192;
        set_addresses(*this, base, stride);
    }
    Request(const Request &) = delete;

  private:
    isa::Instruction instruction_;
};

class SharedTransferTest : public ::testing::Test {
  protected:
    SharedMemoryConfig config;
    SharedTransfer transfer{config};
    ChunkRecorder unit{transfer};
};

class GlobalTransferTest : public ::testing::Test {
  protected:
    explicit GlobalTransferTest(const Config &config = {}) : transfer(config) {}
    GlobalTransfer transfer;
    ChunkRecorder unit{transfer};
};

// --- data ----------------------------------------------------------------------------------------------------------

class SharedLoadTest : public SharedTransferTest, public ::testing::WithParamInterface<std::pair<Access, unsigned>> {};

/// The registers of a thread after loading `bytes` bytes from `from`.
std::array<std::uint32_t, 4> loaded(Access access, unsigned bytes, const unsigned char *from) {
    std::array<std::uint32_t, 4> words{};
    std::memcpy(words.data(), from, bytes);
    if (access == Access::kS8 && from[0] >= 0x80) {
        words[0] |= 0xffffff00U;
    }
    if (access == Access::kS16 && from[1] >= 0x80) {
        words[0] |= 0xffff0000U;
    }
    return words;
}

TEST_P(SharedLoadTest, ExtendsAsItsTypeSaysInOneRowAndInSeveral) {
    const auto [access, bytes] = GetParam();
    for (unsigned i = 0; i < unit.shared.size(); ++i) {
        unit.shared[i] = static_cast<unsigned char>(0x70 + i * 7);
    }
    for (const unsigned stride : {bytes, 2 * bytes, 144U}) {
        Request request(make(Op::kLds, access), 0, stride);
        ASSERT_EQ(unit.run(request), "");
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            const auto expected = loaded(access, bytes, &unit.shared[lane * stride]);
            for (unsigned word = 0; word < (bytes + 3) / 4; ++word) {
                EXPECT_EQ(request.data[word][lane], expected[word]) << "lane " << lane << " word " << word;
            }
        }
    }
}
INSTANTIATE_TEST_SUITE_P(Widths, SharedLoadTest,
                         ::testing::Values(std::pair(Access::kU8, 1U), std::pair(Access::kS8, 1U),
                                           std::pair(Access::kU16, 2U), std::pair(Access::kS16, 2U),
                                           std::pair(Access::k32, 4U), std::pair(Access::k64, 8U),
                                           std::pair(Access::k128, 16U)));

class GlobalStoreTest : public GlobalTransferTest, public ::testing::WithParamInterface<std::pair<Access, unsigned>> {};

TEST_P(GlobalStoreTest, WritesTheLowBytesOfItsThreadsAndNothingElse) {
    const auto [access, bytes] = GetParam();
    for (const unsigned stride : {bytes, 48U}) {
        std::ranges::fill(unit.global, 0);
        Request request(make(Op::kStg, access), 16, stride, LaneMask(0x7fffffff));
        std::vector<unsigned char> expected(unit.global.size());
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            for (unsigned word = 0; word < 4; ++word) {
                request.data[word][lane] = 0x11223344U * (word + 1) + lane;
            }
            for (unsigned byte = 0; byte < bytes && lane < 31; ++byte) {
                expected[16 + lane * stride + byte] =
                    static_cast<unsigned char>(request.data[byte / 4][lane] >> (byte % 4 * 8));
            }
        }
        ASSERT_EQ(unit.run(request), "");
        EXPECT_EQ(unit.global, expected) << "stride " << stride;
    }
}
INSTANTIATE_TEST_SUITE_P(Widths, GlobalStoreTest,
                         ::testing::Values(std::pair(Access::kU8, 1U), std::pair(Access::kU16, 2U),
                                           std::pair(Access::k32, 4U), std::pair(Access::k64, 8U),
                                           std::pair(Access::k128, 16U)));

TEST_F(SharedTransferTest, InactiveThreadsNeitherReadNorWrite) {
    const LaneMask lanes(0x80000101);
    for (unsigned i = 0; i < kLanes; ++i) {
        ChunkRecorder::put<std::uint32_t>(unit.shared, 4 * i, 1000 + i);
    }
    Request load(make(Op::kLds), 0, 4, lanes);
    load.data[0].fill(7);
    unit.run(load);
    Request store(make(Op::kSts), 0, 4, lanes);
    store.data[0].fill(1);
    unit.run(store);
    for (unsigned i = 0; i < kLanes; ++i) {
        EXPECT_EQ(load.data[0][i], lanes.test(i) ? 1000 + i : 7U);
        EXPECT_EQ(ChunkRecorder::get<std::uint32_t>(unit.shared, 4 * i), lanes.test(i) ? 1U : 1000 + i);
    }
}

TEST_F(SharedTransferTest, ASparseStoreEnablesItsBytesAndADenseOneNeedsNoEnables) {
    Request sparse(make(Op::kSts, Access::kU8), 3, 2, LaneMask(0x7));
    unit.run(sparse);
    Request dense(make(Op::kSts, Access::kU8), 64, 1, LaneMask(0x7));
    unit.run(dense);
    EXPECT_THAT(unit.log, ElementsAre("shared W 0x3+5 #.#.#", "shared W 0x40+3"));
}

TEST_F(SharedTransferTest, OfThreadsThatStoreToOneAddressTheHighestWins) {
    Request request(make(Op::kSts), 0x40, 0, LaneMask(0x00ff00f0));
    std::iota(request.data[0].begin(), request.data[0].end(), 0);
    unit.run(request);
    EXPECT_EQ(ChunkRecorder::get<std::uint32_t>(unit.shared, 0x40), 23U);
    EXPECT_THAT(unit.log, ElementsAre("shared W 0x40+4"));
}

TEST(SharedPhases, WideAccessesGoInPhasesOfOneRowOfThreads) {
    SharedMemoryConfig config;
    config.phases = true;
    SharedTransfer transfer(config);
    ChunkRecorder unit(transfer);
    for (const auto &[access, bytes, phases] :
         {std::tuple(Access::k32, 4U, std::vector<int>{-1}), std::tuple(Access::k64, 8U, std::vector<int>{0, 1}),
          std::tuple(Access::k128, 16U, std::vector<int>{0, 1, 2, 3})}) {
        unit.phases.clear();
        Request request(make(Op::kLds, access), 0, bytes);
        EXPECT_EQ(unit.run(request), "");
        EXPECT_EQ(unit.phases, phases);
    }
    EXPECT_THAT(unit.full_passes, Each(false));
}

TEST(SharedPhases, AnAccessWithinOneRowIsOneChunkForAllPhases) {
    SharedMemoryConfig config;
    config.phases = true;
    SharedTransfer transfer(config);
    ChunkRecorder unit(transfer);
    Request request(make(Op::kLds, Access::k128), 0x20, 0, LaneMask(0xff00ffff)); // one address for all
    EXPECT_EQ(unit.run(request), "");
    EXPECT_THAT(unit.log, ElementsAre("shared R 0x20+16"));
    EXPECT_THAT(unit.phase_counts, ElementsAre(2U)) << "the first two are one: threads share their address";
    EXPECT_THAT(unit.path_cycles, ElementsAre(3U)) << "the data of each thread goes to it";
}

TEST(SharedPhases, PhasesOfALoadAreOneWhereThreadsShareTheirAddressesInPairs) {
    SharedMemoryConfig config;
    config.phases = true;
    SharedTransfer transfer(config);
    ChunkRecorder unit(transfer);
    const auto phases = [&unit](Op op, Access access, unsigned bytes, auto place) {
        unit.phases.clear();
        Request request(make(op, access), 0, 0);
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            request.address[lane] = (0x80 + bytes) * place(lane);
        }
        EXPECT_EQ(unit.run(request), "");
        std::vector<int> found = unit.phases;
        found.erase(std::ranges::unique(found).begin(), found.end());
        return found;
    };
    const auto next = [](unsigned lane) { return lane / 2; };
    const auto next_but_one = [](unsigned lane) { return lane / 4 * 2 + lane % 2; };
    const auto further = [](unsigned lane) { return lane % 4 + lane / 8 * 4; };
    for (const auto &pairs :
         {std::function<unsigned(unsigned)>(next), std::function<unsigned(unsigned)>(next_but_one)}) {
        EXPECT_EQ(phases(Op::kLds, Access::k64, 8, pairs), (std::vector<int>{0}));
        EXPECT_EQ(phases(Op::kLds, Access::k128, 16, pairs), (std::vector<int>{0, 2}));
        EXPECT_EQ(phases(Op::kSts, Access::k128, 16, pairs), (std::vector<int>{0, 1, 2, 3})) << "of loads alone";
    }
    EXPECT_EQ(phases(Op::kLds, Access::k64, 8, further), (std::vector<int>{0, 1}));
    EXPECT_EQ(phases(Op::kLds, Access::k128, 16, further), (std::vector<int>{0, 1, 2, 3}));
}

TEST(SharedPhases, APhaseWithoutThreadsIsNone) {
    SharedMemoryConfig config;
    config.phases = true;
    SharedTransfer transfer(config);
    ChunkRecorder unit(transfer);
    Request request(make(Op::kLds, Access::k128), 0, 16, LaneMask(0x00ff0100));
    EXPECT_EQ(unit.run(request), "");
    EXPECT_EQ(unit.phases, (std::vector<int>{1, 2}));
    EXPECT_THAT(unit.path_cycles, Each(2U));
}

TEST_F(SharedTransferTest, AddressesAreRelativeToTheCtasWindow) {
    ChunkRecorder::put<std::uint32_t>(unit.shared, 0x404, 99);
    for (const std::uint64_t stride : {4, 0x100}) { // one chunk for all threads, and one for each
        Request request(make(Op::kLds), 4, stride, LaneMask(0x3));
        request.window_base = 0x400;
        unit.run(request);
        EXPECT_EQ(request.data[0][0], 99U);
    }
    EXPECT_THAT(unit.log, ElementsAre("shared R 0x404+8", "shared R 0x404+4", "shared R 0x504+4"));
}

TEST(LocalTransfer, InterleavesWordsSoThatOneVariableOfAllThreadsIsContiguous) {
    LocalTransfer transfer{Config{}};
    ChunkRecorder unit{transfer};
    Request store(make(Op::kStl, Access::k64), 8, 0);
    store.window_base = 0x1000;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        store.data[0][lane] = lane;
        store.data[1][lane] = 100 + lane;
    }
    unit.run(store);
    Request byte(make(Op::kLdl, Access::kU8), 12, 0);
    byte.window_base = 0x1000;
    unit.run(byte);
    // Words 2 and 3 of each thread: rows of 128 bytes.
    EXPECT_EQ(unit.log[0], "global W 0x1100+128");
    EXPECT_EQ(unit.log[1], "global W 0x1180+128");
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        EXPECT_EQ(ChunkRecorder::get<std::uint32_t>(unit.global, 0x1100 + 4 * lane), lane);
        EXPECT_EQ(byte.data[0][lane], 100 + lane);
    }
    EXPECT_TRUE(transfer.uses_global());
}

// --- chunks ----------------------------------------------------------------------------------------------------------

std::vector<std::string> chunks_with(const L1Config &l1) {
    Config config;
    config.l1 = l1;
    GlobalTransfer transfer(config);
    ChunkRecorder unit(transfer);
    Request load(make(Op::kLdg), 0x20, 4, LaneMask(0x00ffffff));
    unit.run(load);
    Request store(make(Op::kStg), 0x100, 4);
    unit.run(store);
    return unit.log;
}
TEST(GlobalTransfer, ChunksAreCutAtShortLinesOfAnL1) {
    EXPECT_THAT(chunks_with({.line_bytes = 64}),
                ElementsAre("global R 0x20+32", "global R 0x40+64", "global W 0x100+64", "global W 0x140+64"));
}
TEST(GlobalTransfer, LongLinesDoNotMakeLongChunks) {
    EXPECT_THAT(chunks_with({.line_bytes = 256}), ElementsAre("global R 0x20+96", "global W 0x100+128"));
}
TEST(GlobalTransfer, LinesDoNotCountWithoutAnL1) {
    EXPECT_THAT(chunks_with({.enabled = false, .line_bytes = 32}),
                ElementsAre("global R 0x20+96", "global W 0x100+128"));
}

TEST_F(GlobalTransferTest, OneChunkPerRowIsStartedAndCgBypassesTheL1) {
    Request plain(make(Op::kLdg), 0, 128, LaneMask(0x7));
    unit.run(plain);
    EXPECT_EQ(unit.started.global, 3U);
    EXPECT_EQ(unit.started.shared, 0U);
    EXPECT_FALSE(unit.state.bypass_l1);
    isa::Instruction cg = make(Op::kLdg);
    cg.mod[1] = 1;
    Request bypass(cg, 0, 4);
    unit.run(bypass);
    EXPECT_EQ(unit.started.global, 1U);
    EXPECT_TRUE(unit.state.bypass_l1);
}

// --- transactions that are performed with the one before them ------------------------------------------------------

/// A random access by `threads` random threads of the warp, and a transfer for it.
struct RandomAccess {
    explicit RandomAccess(std::mt19937 &random) {
        const auto draw = [&](unsigned below) { return static_cast<unsigned>(random() % below); };
        constexpr std::array<Access, 7> kAccesses = {Access::kU8, Access::kS8, Access::kU16, Access::kS16,
                                                     Access::k32, Access::k64, Access::k128};
        const unsigned kind = draw(4);
        const bool wide = draw(2) == 0;
        insn = kind == 0   ? make(Op::kLdg, kAccesses[draw(7)])
               : kind == 1 ? make(Op::kStg, kAccesses[draw(7)])
               : kind == 2 ? make_atomic(Op::kAtomg, AtomicOp::kAdd, wide ? AtomicType::kU64 : AtomicType::kU32)
                           : make_atomic(Op::kAtomgCas, AtomicOp::kCas, wide ? AtomicType::kU64 : AtomicType::kU32);
        const unsigned bytes = bytes_per_thread(insn);
        request.lanes = LaneMask(draw(3) == 0 ? ~0U : random() | 1U);
        const unsigned range = draw(2) == 0 ? 8192 : 512; // many rows, or a few that recur
        const unsigned stride = draw(3) == 0 ? 0 : 1 + draw(40);
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            request.address[lane] =
                (stride == 0 ? draw(range) : 4096 + lane * bytes * stride) / bytes * bytes % (8192 + 64);
            for (auto &word : request.data) {
                word[lane] = static_cast<std::uint32_t>(random());
            }
            request.compare[0][lane] = draw(2);
            request.compare[1][lane] = 0;
        }
    }
    isa::Instruction insn;
    MemoryRequest request;
};

TEST_F(GlobalTransferTest, RowsPerformedTogetherMatchChunks) {
    std::mt19937 random(1);
    std::size_t taken = 0;
    for (unsigned i = 0; i < 2000; ++i) {
        RandomAccess one(random);
        one.request.insn = &one.insn;
        MemoryRequest again = one.request;
        const std::size_t takes = 1 + random() % 32;
        ChunkRecorder chunks(transfer);
        ChunkRecorder rows(transfer);
        rows.takes = takes;
        for (unsigned at = 0; at < chunks.global.size(); ++at) {
            chunks.global[at] = static_cast<unsigned char>(random() % 5 == 0 ? random() : at / 8 % 2);
        }
        rows.global = chunks.global;
        ASSERT_EQ(chunks.run(one.request), rows.run(again));
        ASSERT_EQ(chunks.log, rows.log);
        ASSERT_EQ(chunks.global, rows.global);
        ASSERT_EQ(one.request.data, again.data) << "access " << i;
        ASSERT_EQ(chunks.started.global, rows.started.global);
        EXPECT_EQ(chunks.taken, 0U);
        taken += rows.taken;
    }
    EXPECT_GT(taken, 10000U);
}

TEST(LocalTransfer, RowsPerformedTogetherMatchChunks) {
    LocalTransfer transfer{Config{}};
    std::mt19937 random(2);
    std::size_t taken = 0;
    for (unsigned i = 0; i < 500; ++i) {
        constexpr std::array<Access, 4> kAccesses = {Access::kS8, Access::k32, Access::k64, Access::k128};
        const Access access = kAccesses[random() % 4];
        const isa::Instruction insn = make(random() % 2 == 0 ? Op::kLdl : Op::kStl, access);
        MemoryRequest one;
        one.insn = &insn;
        one.lanes = LaneMask(random() | 1U);
        one.window_bytes = 256; // of 32 threads: all of the recorder's memory
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            one.address[lane] = random() % 16 * 16;
            for (auto &word : one.data) {
                word[lane] = static_cast<std::uint32_t>(random());
            }
        }
        MemoryRequest again = one;
        ChunkRecorder chunks(transfer);
        ChunkRecorder rows(transfer);
        rows.takes = 1 + random() % 64;
        std::ranges::generate(chunks.global, [&] { return static_cast<unsigned char>(random()); });
        rows.global = chunks.global;
        ASSERT_EQ(chunks.run(one), "");
        ASSERT_EQ(rows.run(again), "");
        ASSERT_EQ(chunks.log, rows.log);
        ASSERT_EQ(chunks.global, rows.global);
        ASSERT_EQ(one.data, again.data) << "access " << i;
        taken += rows.taken;
    }
    EXPECT_GT(taken, 3000U);
}

TEST_F(SharedTransferTest, RowsArePerformedWithTheOneBefore) {
    unit.takes = 32;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        ChunkRecorder::put<std::uint32_t>(unit.shared, 128 * lane, 7 + lane);
    }
    Request request(make(Op::kLds), 0, 128);
    unit.run(request);
    EXPECT_EQ(unit.taken, 31U);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        EXPECT_EQ(request.data[0][lane], 7 + lane);
    }
}

// --- atomics -------------------------------------------------------------------------------------------------------

TEST_F(SharedTransferTest, ThreadsPerformAnAtomicInLaneOrder) {
    ChunkRecorder::put<std::uint32_t>(unit.shared, 0x20, 1000);
    Request request(make_atomic(Op::kAtoms, AtomicOp::kAdd), 0x20, 0, LaneMask(0x8421));
    std::iota(request.data[0].begin(), request.data[0].end(), 1);
    unit.run(request);
    EXPECT_EQ(request.data[0][0], 1000U);
    EXPECT_EQ(request.data[0][5], 1001U);
    EXPECT_EQ(request.data[0][10], 1007U);
    EXPECT_EQ(request.data[0][15], 1018U);
    EXPECT_EQ(ChunkRecorder::get<std::uint32_t>(unit.shared, 0x20), 1034U);
    EXPECT_EQ(unit.started.shared, 4U);
    EXPECT_THAT(unit.log, Each("shared A 0x20+4"));
}

TEST_F(SharedTransferTest, CompareAndSwapTakesComparandAndNewValueApart) {
    ChunkRecorder::put<std::uint32_t>(unit.shared, 0, 5);
    ChunkRecorder::put<std::uint32_t>(unit.shared, 4, 6);
    Request request(make_atomic(Op::kAtomsCas, AtomicOp::kCas), 0, 4, LaneMask(0x3));
    request.compare[0].fill(5);
    request.data[0].fill(50);
    unit.run(request);
    EXPECT_EQ(ChunkRecorder::get<std::uint32_t>(unit.shared, 0), 50U);
    EXPECT_EQ(ChunkRecorder::get<std::uint32_t>(unit.shared, 4), 6U);
    EXPECT_EQ(request.data[0][0], 5U);
    EXPECT_EQ(request.data[0][1], 6U);
}

TEST_F(GlobalTransferTest, AtomicsOf64BitsUseRegisterPairs) {
    ChunkRecorder::put<std::uint64_t>(unit.global, 0x40, 0xffffffffULL);
    Request request(make_atomic(Op::kAtomg, AtomicOp::kAdd, AtomicType::kU64), 0x40, 8, LaneMask(0x1));
    request.data[0][0] = 1;
    request.data[1][0] = 2;
    unit.run(request);
    EXPECT_EQ(ChunkRecorder::get<std::uint64_t>(unit.global, 0x40), 0x300000000ULL);
    EXPECT_EQ(request.data[0][0], 0xffffffffU);
    EXPECT_EQ(request.data[1][0], 0U);
}

class ReadWriteAtomics : public GlobalTransferTest {
  protected:
    ReadWriteAtomics() : GlobalTransferTest(config()) {}
    static Config config() {
        Config config;
        config.global.atomics = GlobalAtomics::kReadWrite;
        return config;
    }
};

TEST_F(ReadWriteAtomics, ReadAndWriteForEachThreadInTurnAndPassTheL1By) {
    ChunkRecorder::put<std::uint32_t>(unit.global, 0x20, 1000);
    Request request(make_atomic(Op::kAtomg, AtomicOp::kAdd), 0x20, 0, LaneMask(0x5));
    request.data[0] = {1, 10, 100};
    unit.run(request);
    EXPECT_THAT(unit.log, ElementsAre("global R 0x20+4", "global W 0x20+4", "global R 0x20+4", "global W 0x20+4"));
    EXPECT_EQ(ChunkRecorder::get<std::uint32_t>(unit.global, 0x20), 1101U);
    EXPECT_EQ(request.data[0][0], 1000U);
    EXPECT_EQ(request.data[0][2], 1001U);
    EXPECT_TRUE(unit.state.bypass_l1);
    EXPECT_EQ(unit.started.global, 4U);
}

TEST_F(ReadWriteAtomics, EndWithTheFirstError) {
    Request request(make_atomic(Op::kRed, AtomicOp::kAdd), unit.global.size() - 4, 4, LaneMask(0x7));
    EXPECT_THAT(unit.run(request), HasSubstr("first thread 1"));
    EXPECT_THAT(unit.log, ElementsAre("global R 0x1ffc+4", "global W 0x1ffc+4", "global R 0x2000+4"));
}

// --- rejections
// ------------------------------------------------------------------------------------------------------

TEST_F(SharedTransferTest, ARequestThatTheCheckRefusesSendsNothing) {
    Request request(make(Op::kLds, Access::k64), 0, 8, LaneMask(0x3));
    request.window_bytes = 12;
    EXPECT_THAT(unit.run(request), HasSubstr("IllegalAddress: thread 1"));
    EXPECT_THAT(unit.log, IsEmpty());
}

TEST_F(GlobalTransferTest, OfSeveralRefusedChunksTheLowestThreadsIsReported) {
    unit.global.resize(0x100);
    Request request(make(Op::kLdg), 0xc0, 0x100, LaneMask(0x0e));
    EXPECT_EQ(unit.run(request),
              "IllegalAddress: global memory refused 4 bytes at 0x1c0 (first thread 1): no such byte");
    EXPECT_EQ(unit.state.fault.address, 0x1c0U);
    EXPECT_EQ(unit.state.fault.bytes, 4U);
}

TEST_F(GlobalTransferTest, OfSeveralRefusedChunksTheLowestThreadsIsReportedInAnyAnswerOrder) {
    unit.global.resize(0x100);
    unit.answer_order = {0, 1, 2};
    do {
        Request request(make(Op::kLdg), 0xc0, 0x100, LaneMask(0x0e));
        EXPECT_THAT(unit.run(request), HasSubstr("0x1c0 (first thread 1)"))
            << ::testing::PrintToString(unit.answer_order);
        EXPECT_EQ(unit.state.fault.address, 0x1c0U);
    } while (std::ranges::next_permutation(unit.answer_order).found);
}

TEST_F(SharedTransferTest, ARefusalForAnotherReasonIsAMemoryErrorWithoutPlaceInGlobalMemory) {
    unit.shared.resize(0);
    unit.refusal = Transfer::Refusal::kOther;
    Request request(make(Op::kSts), 0, 4, LaneMask(0xc));
    EXPECT_EQ(unit.run(request), "MemoryError: shared memory refused 8 bytes at 0x8 (first thread 2): no such byte");
    EXPECT_EQ(unit.state.fault.bytes, 0U);
}

TEST_F(GlobalTransferTest, AnAtomicThatIsAnsweredWithoutBeingPerformedNamesTheKey) {
    unit.performs_atomics = false;
    Request request(make_atomic(Op::kRed, AtomicOp::kAdd), 0x20, 0, LaneMask(0x6));
    EXPECT_EQ(unit.run(request),
              "MemoryError: global memory refused 4 bytes at 0x20 (first thread 1): it answered an atomic without "
              "performing it; a memory that does not perform atomics itself needs global.atomics=read_write");
}

TEST_F(GlobalTransferTest, AnAtomicWhoseCommandIsRefusedNamesTheKeyAndAReadDoesNot) {
    unit.global.resize(0);
    unit.refusal = Transfer::Refusal::kCommand;
    Request atomic(make_atomic(Op::kRed, AtomicOp::kAdd), 0x20, 0, LaneMask(0x1));
    EXPECT_THAT(unit.run(atomic), HasSubstr("global.atomics=read_write"));
    Request read(make(Op::kLdg), 0x20, 4);
    EXPECT_THAT(unit.run(read), ::testing::EndsWith("no such byte"));
}

// --- bounds --------------------------------------------------------------------------------------------------------

/// A check of two buffers in one row.
class CheckedBounds : public GlobalTransferTest {
  protected:
    CheckedBounds() {
        regions.map(0x100, 0x20, "a");
        regions.map(0x140, 0x20, "b");
    }
    /// What the check reports about threads at 0x100, 0x110, ...
    std::string judge(const isa::Instruction &insn, LaneMask lanes, MemoryCheck mode) {
        check.emplace(regions, mode, [this](WarpSlot) -> const WarpStart & { return warp; });
        transfer.check_bounds(&*check);
        Request request(insn, 0x100, 0x10, lanes);
        const auto fault = transfer.check(request, checked);
        transfer.note_outside(request, 7);
        return fault ? fault->detail : "";
    }
    const WarpStart warp;
    memory::Regions regions{GlobalMemoryConfig{}.bytes, GlobalBounds::kPageBytes};
    std::optional<GlobalBounds> check;
    Transfer::Checked checked;
};

TEST_F(CheckedBounds, ThreadsMayAccessTwoBuffersWithAGapInOneRow) {
    EXPECT_EQ(judge(make(Op::kStg), LaneMask(0x33), MemoryCheck::kStrict), "");
}

TEST_F(CheckedBounds, AnAccessOrAtomicOfWhichOneThreadIsOutsideIsRefused) {
    for (const isa::Instruction &insn : {make(Op::kStg), make_atomic(Op::kRed, AtomicOp::kAdd)}) {
        EXPECT_EQ(judge(insn, LaneMask(0x37), MemoryCheck::kStrict),
                  "thread 2 accesses 4 bytes at 0x120, which no buffer holds");
    }
}

/// Records what is reported to it.
class Told final : public memory::ExpectedAccesses {
  public:
    void expect(std::uint64_t address, std::uint64_t bytes) const override { told.emplace_back(address, bytes); }
    mutable std::vector<std::pair<std::uint64_t, std::uint64_t>> told;
};

TEST_F(CheckedBounds, AnAccessInOneBufferIsAnnouncedInAdvance) {
    const Told memory;
    for (const LaneMask lanes : {LaneMask(0x3), LaneMask(0x30), LaneMask(0x33), LaneMask(0x4)}) {
        check.emplace(regions, MemoryCheck::kReport, [this](WarpSlot) -> const WarpStart & { return warp; });
        check->tell(&memory);
        transfer.check_bounds(&*check);
        Request request(make(Op::kLdg), 0x100, 0x10, lanes);
        EXPECT_FALSE(transfer.check(request, checked));
    }
    EXPECT_THAT(memory.told, ::testing::ElementsAre(std::pair(0x100, 0x14), std::pair(0x140, 0x14)))
        << "the others are in two buffers, or in none";
}

TEST_F(CheckedBounds, ToleratedAccessesAreRecordedForEachThreadOutside) {
    EXPECT_EQ(judge(make(Op::kLdg), LaneMask(0x3f), MemoryCheck::kReport), "");
    EXPECT_TRUE(checked.outside);
    EXPECT_EQ(check->found().count, 2U);
    EXPECT_EQ(check->found().places.at(0).cycle, 7U);
}

} // namespace
} // namespace smsim::sm
