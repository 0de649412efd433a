// LDSM and STSM on their way: the accesses that they become, the rows and elements that they move, and what these take
// of shared memory.
#include <algorithm>
#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/config/config.h"
#include "sm/datapath/compute/matrix_move.h"
#include "sm/datapath/operands.h"
#include "sm/load_store/access_timing.h"
#include "sm/load_store/shared_transfer.h"
#include "tb/unit/sm/chunk_recorder.h"

namespace smsim::sm {
namespace {

using isa::Access;
using isa::Instruction;
using isa::Op;
using ::testing::ElementsAre;
using ::testing::StartsWith;

constexpr std::uint64_t kRowBytes16 = 16;

/// LDSM or STSM of 2^`log2_count` matrices.
Instruction move(Op op, unsigned log2_count, bool transposed = false) {
    Instruction insn = make(op, Access::k128);
    insn.mod[1] = transposed ? 1 : 0;
    insn.mod[2] = static_cast<std::uint8_t>(log2_count);
    return insn;
}

/// A warp whose lane t has the address 0x100 + 16 t, or another stride, in R1.
class MatrixMoves : public ::testing::Test {
  protected:
    MatrixMoves() {
        start.shared_bytes = 4096;
        set_rows(kRowBytes16);
    }
    void set_rows(std::uint64_t stride) {
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            registers.set(1, lane, static_cast<std::uint32_t>(0x100 + stride * lane));
        }
    }
    /// Element `element` of row `row` (8 rows a matrix) in memory.
    std::uint16_t in_memory(unsigned row, unsigned element) const {
        return ChunkRecorder::get<std::uint16_t>(unit.shared, registers.value(1, row) + 2 * element);
    }
    /// The half of register `first` + matrix with that element of a row.
    std::uint16_t in_register(std::uint8_t first, unsigned row, unsigned element, bool transposed) const {
        const unsigned across = transposed ? element : row % 8;
        const unsigned along = transposed ? row % 8 : element;
        const auto reg = static_cast<std::uint8_t>(first + row / 8);
        return static_cast<std::uint16_t>(registers.value(reg, 4 * across + along / 2) >> 16 * (along % 2));
    }
    std::string run(Instruction insn) {
        insn.ra = 1;
        insn.op == Op::kLdsm ? insn.rd = 4 : insn.rb = 4;
        read_access(insn, LaneMask::all(), registers, start, 0, request);
        unit.phases.clear();
        unit.full_passes.clear();
        const std::string fault = unit.run(request);
        if (fault.empty() && insn.op == Op::kLdsm) {
            write_loaded(insn, registers, LaneMask::all(), request.data);
        }
        return fault;
    }

    SharedMemoryConfig config = [] {
        SharedMemoryConfig phased;
        phased.phases = true;
        return phased;
    }();
    SharedTransfer transfer{config};
    ChunkRecorder unit{transfer};
    compute::WarpRegisters registers{16};
    WarpStart start;
    MemoryRequest request;
};

TEST_F(MatrixMoves, LdsmGivesElementsToAllThreadsByRowsOrByColumns) {
    for (unsigned i = 0; i < unit.shared.size() / 2; ++i) {
        ChunkRecorder::put(unit.shared, 2 * i, static_cast<std::uint16_t>(0x8001 + 3 * i));
    }
    for (const std::uint64_t stride : {kRowBytes16, std::uint64_t{48}}) {
        set_rows(stride);
        for (unsigned log2_count = 0; log2_count < 3; ++log2_count) {
            for (const bool transposed : {false, true}) {
                ASSERT_EQ(run(move(Op::kLdsm, log2_count, transposed)), "");
                for (unsigned row = 0; row < 8U << log2_count; ++row) {
                    for (unsigned element = 0; element < 8; ++element) {
                        ASSERT_EQ(in_register(4, row, element, transposed), in_memory(row, element))
                            << "row " << row << " element " << element;
                    }
                }
                EXPECT_EQ(registers.value(static_cast<std::uint8_t>(4 + (1U << log2_count)), 31), 0U)
                    << "a register past the last one";
                for (std::uint8_t reg = 4; reg < 8; ++reg) {
                    registers.write(reg) = {};
                }
            }
        }
    }
}

TEST_F(MatrixMoves, StsmIsTheInverse) {
    for (std::uint8_t reg = 4; reg < 8; ++reg) {
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            registers.set(reg, lane, 0x10003 * (reg * 64U + lane) + 0x10000);
        }
    }
    for (unsigned log2_count = 0; log2_count < 3; ++log2_count) {
        for (const bool transposed : {false, true}) {
            std::ranges::fill(unit.shared, 0xee);
            ASSERT_EQ(run(move(Op::kStsm, log2_count, transposed)), "");
            const unsigned rows = 8U << log2_count;
            for (unsigned row = 0; row < rows; ++row) {
                for (unsigned element = 0; element < 8; ++element) {
                    ASSERT_EQ(in_memory(row, element), in_register(4, row, element, transposed)) << row;
                }
            }
            EXPECT_EQ(unit.shared[0x100 - 1], 0xee);
            EXPECT_EQ(unit.shared[0x100 + kRowBytes16 * rows], 0xee) << "rows that are not asked for";
        }
    }
}

TEST_F(MatrixMoves, AddressesOfOtherThreadsAreNotLookedAt) {
    for (unsigned lane = 16; lane < kLanes; ++lane) {
        registers.set(1, lane, 0xffff'fff1U);
    }
    EXPECT_EQ(run(move(Op::kLdsm, 1)), "");
    EXPECT_EQ(request.lanes, LaneMask(0xffff));
    EXPECT_EQ(run(move(Op::kStsm, 0)), "");
    EXPECT_EQ(request.lanes, LaneMask(0xff));
}

TEST_F(MatrixMoves, RowsAreAlignedToTheirBytesAndInSharedMemory) {
    registers.set(1, 9, 0x108);
    EXPECT_EQ(run(move(Op::kLdsm, 1)),
              "MisalignedAddress: thread 9 accesses 16 bytes at 0x108, which is not aligned to them");
    EXPECT_EQ(run(move(Op::kLdsm, 0)), "") << "thread 9 is not asked";
    registers.set(1, 9, 4096);
    EXPECT_THAT(run(move(Op::kStsm, 2)),
                StartsWith("IllegalAddress: thread 9 accesses 16 bytes at shared address 0x1000"));
}

TEST_F(MatrixMoves, EachMatrixIsAPhaseOfItsOwn) {
    set_rows(128);
    std::ranges::fill(unit.shared, 0);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        registers.set(1, lane, 0x80 + 128 * (lane % 8)); // all matrices the same
    }
    run(move(Op::kLdsm, 2));
    std::vector<int> phases = unit.phases;
    phases.erase(std::ranges::unique(phases).begin(), phases.end());
    EXPECT_THAT(phases, ElementsAre(0, 1, 2, 3)) << "although threads share their addresses";
    EXPECT_THAT(unit.full_passes, ::testing::Each(true));
    set_rows(kRowBytes16);
    run(move(Op::kStsm, 1));
    EXPECT_THAT(unit.phases, ElementsAre(0, 1));
    run(move(Op::kLdsm, 0));
    EXPECT_THAT(unit.log.back(), "shared R 0x100+128");
}

TEST(MatrixMoveTiming, InTheQueueIsThatOfAnAccessWithAsManyRegisters) {
    Config config;
    config.lsu.store_bytes = 64;
    config.lsu.return_bytes = 64;
    const AccessTiming timing(config);
    const Access kWidths[] = {Access::k32, Access::k64, Access::k128};
    for (unsigned log2_count = 0; log2_count < 3; ++log2_count) {
        const auto &load = timing.of(move(Op::kLdsm, log2_count));
        const auto &store = timing.of(move(Op::kStsm, log2_count));
        EXPECT_EQ(&load, &timing.of(make(Op::kLds, kWidths[log2_count])));
        EXPECT_EQ(&store, &timing.of(make(Op::kSts, kWidths[log2_count])));
    }
    Instruction transposition = make(Op::kMovm);
    transposition.mod = {};
    EXPECT_EQ(&timing.of(transposition), &timing.of(make(Op::kShfl)));
}

TEST(MatrixMove, TakesAllThreadsOfTheWarp) {
    EXPECT_FALSE(lacks_threads(isa::spec_of(Op::kLdsm), LaneMask::all()));
    EXPECT_TRUE(lacks_threads(isa::spec_of(Op::kLdsm), LaneMask(0xffff)));
    EXPECT_TRUE(lacks_threads(isa::spec_of(Op::kStsm), LaneMask(0x7fffffff)));
    EXPECT_FALSE(lacks_threads(isa::spec_of(Op::kLds), LaneMask(0xffff)));
    const FaultReport fault = compute::move_fault(LaneMask(0xf));
    EXPECT_EQ(fault.fault, Fault::kMatrixDiverged);
    EXPECT_EQ(fault.detail, "threads 0x0000000f execute it; a move of matrices takes all 32 of a warp");
}

} // namespace
} // namespace smsim::sm
