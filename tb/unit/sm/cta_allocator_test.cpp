// Which CTAs fit: each limit alone, the order of slots, and the effect of freeing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/config/config.h"
#include "sm/dispatch/cta_allocator.h"

namespace smsim::sm {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Two sub-partitions of four warps with 2048 registers each, 4 KiB of shared memory.
Config small_config() {
    Config config;
    config.sm.sub_partitions = 2;
    config.sm.warps_per_sub_partition = 4;
    config.sm.max_threads = 256;
    config.sm.registers = 4096;
    config.sm.register_unit = 256;
    config.sm.max_ctas = 8;
    config.shared.bytes = 4096;
    config.shared.max_per_cta = 3072;
    config.shared.allocation_unit = 128;
    return config;
}

std::vector<std::uint32_t> slots(const CtaPlace &place) {
    std::vector<std::uint32_t> numbers;
    for (const WarpSlot slot : place.warps) {
        numbers.push_back(slot.value());
    }
    return numbers;
}

void free_all(CtaAllocator &allocator, const CtaPlace &place, const CtaDemand &demand) {
    for (const WarpSlot warp : place.warps) {
        allocator.free_warp(warp, demand);
    }
    allocator.free_cta(place, demand);
}

TEST(CtaAllocator, OccupancyIsTheMinimumOverAllResources) {
    Config config = small_config();
    unsigned state = 1;
    const auto random = [&state](unsigned below) {
        state = state * 1103515245U + 12345U;
        return (state >> 16) % below;
    };
    for (int i = 0; i < 2000; ++i) {
        config.sm.max_threads = 32 * (1 + random(12));
        config.sm.max_ctas = 1 + random(8);
        const CtaDemand demand{1 + random(200), random(60), random(3000)};
        const CtaAllocator allocator(config);
        const OccupancyLimits limits = allocator.limits(demand);
        EXPECT_EQ(limits.ctas, allocator.max_resident(demand));
        EXPECT_EQ(limits.ctas,
                  std::min({limits.by_warps, limits.by_threads, limits.by_ctas, limits.by_registers, limits.by_shared}))
            << demand.threads << " threads, " << demand.registers_per_thread << " registers, " << demand.shared_bytes
            << " bytes";
    }
}

// --- limits --------------------------------------------------------------------------------------------------------

TEST(CtaAllocator, LimitOfWarpSlots) {
    Config config = small_config();
    config.sm.max_threads = 2048;
    EXPECT_EQ(CtaAllocator(config).max_resident({96, 8, 0}), 2U); // 3 warps each of 8 slots
}

TEST(CtaAllocator, LimitOfThreadsCountsWholeWarps) {
    Config config = small_config();
    config.sm.max_threads = 160;
    EXPECT_EQ(CtaAllocator(config).max_resident({33, 8, 0}), 2U); // 64 threads each of 160
}

TEST(CtaAllocator, LimitOfCtaSlots) {
    Config config = small_config();
    config.sm.max_ctas = 3;
    EXPECT_EQ(CtaAllocator(config).max_resident({32, 8, 0}), 3U);
}

TEST(CtaAllocator, LimitOfRegistersHoldsPerSubPartition) {
    const Config config = small_config();
    const CtaAllocator allocator(config);
    // A warp of 32 registers per thread takes 1024 of the 2048 of its sub-partition: two warps in each of the two.
    EXPECT_EQ(allocator.max_resident({32, 32, 0}), 4U);
    // Three warps need two in one sub-partition; the second CTA finds 1024 left in one only.
    EXPECT_EQ(allocator.max_resident({96, 32, 0}), 1U);
}

TEST(CtaAllocator, RegistersAreRoundedUpToTheAllocationUnitPerWarp) {
    const Config config = small_config();
    const CtaAllocator allocator(config);
    EXPECT_EQ(allocator.warp_registers(8), 256U);
    EXPECT_EQ(allocator.warp_registers(9), 512U);
    EXPECT_EQ(allocator.warp_registers(255), 8192U);
    // 33 registers per thread take 1280: one warp per sub-partition, though 1056 of them would leave room for no more.
    EXPECT_EQ(allocator.max_resident({32, 33, 0}), 2U);
}

TEST(CtaAllocator, LimitOfSharedMemoryIsRoundedUpToTheAllocationUnit) {
    const Config config = small_config();
    const CtaAllocator allocator(config);
    EXPECT_EQ(allocator.max_resident({32, 8, 1024}), 4U);
    EXPECT_EQ(allocator.max_resident({32, 8, 1025}), 3U); // 1152 bytes each
    EXPECT_EQ(allocator.max_resident({32, 8, 1}), 8U);
}

// --- places --------------------------------------------------------------------------------------------------------

TEST(CtaAllocator, LowestFreeSlotsFirst) {
    const Config config = small_config();
    CtaAllocator allocator(config);
    const CtaDemand demand{64, 8, 256};
    const auto first = allocator.place(demand);
    const auto second = allocator.place(demand);
    ASSERT_TRUE(first && second);
    EXPECT_THAT(slots(*first), ElementsAre(0, 1));
    EXPECT_THAT(slots(*second), ElementsAre(2, 3));
    EXPECT_EQ(first->cta.value(), 0U);
    EXPECT_EQ(second->cta.value(), 1U);
    EXPECT_EQ(first->shared_base, 0U);
    EXPECT_EQ(second->shared_base, 256U);
    EXPECT_EQ(allocator.resident_ctas(), 2U);
    EXPECT_EQ(allocator.resident_warps(), 4U);
    free_all(allocator, *first, demand);
    EXPECT_EQ(allocator.resident_ctas(), 1U);
    EXPECT_EQ(allocator.resident_warps(), 2U);
    const auto third = allocator.place(demand);
    ASSERT_TRUE(third);
    EXPECT_THAT(slots(*third), ElementsAre(0, 1));
    EXPECT_EQ(third->cta.value(), 0U);
    EXPECT_EQ(third->shared_base, 0U);
}

TEST(CtaAllocator, SkipsSlotsOfASubPartitionWithoutRegisters) {
    const Config config = small_config();
    CtaAllocator allocator(config);
    const CtaDemand big{32, 64, 0};    // all 2048 registers of a sub-partition
    ASSERT_TRUE(allocator.place(big)); // slot 0
    const auto next = allocator.place({64, 16, 0});
    ASSERT_TRUE(next);
    EXPECT_THAT(slots(*next), ElementsAre(1, 3)); // the even slots belong to the full sub-partition
}

TEST(CtaAllocator, AFailedPlacementTakesNothing) {
    const Config config = small_config();
    CtaAllocator allocator(config);
    const CtaDemand most{192, 8, 0};
    ASSERT_TRUE(allocator.place(most));
    EXPECT_FALSE(allocator.place({96, 8, 1024})); // shared memory is there, three warps are not
    EXPECT_EQ(allocator.resident_ctas(), 1U);
    const auto rest = allocator.place({64, 8, 3072});
    ASSERT_TRUE(rest);
    EXPECT_EQ(rest->shared_base, 0U);
    EXPECT_THAT(slots(*rest), ElementsAre(6, 7));
}

TEST(CtaAllocator, SlotsAndRegistersOfAWarpAreFreeBeforeItsCtaEnds) {
    const Config config = small_config();
    CtaAllocator allocator(config);
    const CtaDemand demand{256, 8, 3072};
    const auto place = allocator.place(demand);
    ASSERT_TRUE(place);
    EXPECT_FALSE(allocator.place({32, 8, 0}));
    allocator.free_warp(place->warps[5], demand);
    EXPECT_FALSE(allocator.place({32, 8, 2048})) << "the shared memory belongs to the CTA until its last warp ends";
    const auto other = allocator.place({32, 8, 0});
    ASSERT_TRUE(other);
    EXPECT_THAT(slots(*other), ElementsAre(5));
}

TEST(CtaAllocator, FreedSharedMemoryMergesWithBothNeighbours) {
    const Config config = small_config();
    for (const std::vector<int> &order :
         std::vector<std::vector<int>>{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}) {
        CtaAllocator allocator(config);
        const CtaDemand demand{32, 8, 1024};
        std::vector<CtaPlace> places;
        places.reserve(4);
        for (int i = 0; i < 4; ++i) {
            places.push_back(*allocator.place(demand));
        }
        for (const int i : order) {
            EXPECT_FALSE(allocator.place({32, 8, 3072}));
            free_all(allocator, places[static_cast<std::size_t>(i)], demand);
        }
        const auto place = allocator.place({32, 8, 3072});
        ASSERT_TRUE(place);
        EXPECT_EQ(place->shared_base, 0U);
    }
}

TEST(CtaAllocator, TakesTheLowestHoleThatIsLargeEnough) {
    const Config config = small_config();
    CtaAllocator allocator(config);
    const CtaDemand small{32, 8, 512};
    const CtaDemand large{32, 8, 1024};
    const auto a = allocator.place(small); // 0
    const auto b = allocator.place(small); // 512
    const auto c = allocator.place(large); // 1024
    const auto d = allocator.place(small); // 2048
    ASSERT_TRUE(a && b && c && d);
    free_all(allocator, *a, small);
    free_all(allocator, *c, large);
    EXPECT_EQ(allocator.place(large)->shared_base, 1024U);
    EXPECT_EQ(allocator.place(small)->shared_base, 0U);
    EXPECT_EQ(allocator.place(large)->shared_base, 2560U);
}

// --- impossible demands --------------------------------------------------------------------------------------------

TEST(CtaAllocator, ADemandThatIsPossibleHasNoReasonAgainstIt) {
    const Config config = small_config();
    const CtaAllocator allocator(config);
    EXPECT_THAT(allocator.impossible({256, 16, 3072}), IsEmpty());
    EXPECT_EQ(allocator.max_resident({256, 16, 3072}), 1U);
}

TEST(CtaAllocator, ImpossibleNamesValuesAndLimit) {
    Config config = small_config();
    const CtaAllocator allocator(config);
    EXPECT_EQ(allocator.impossible({0, 8, 0}), "a CTA needs at least one thread");
    EXPECT_EQ(allocator.impossible({257, 8, 0}),
              "a CTA of 257 threads does not fit: the SM holds 256 threads in 8 warps");
    EXPECT_EQ(allocator.impossible({32, 8, 3073}),
              "3073 bytes of shared memory per CTA exceed the limit of 3072 bytes (shared.max_per_cta)");
    EXPECT_EQ(allocator.impossible({160, 32, 0}),
              "5 warps of 32 registers per thread need 3072 registers in a sub-partition that has 2048 "
              "(sm.registers / sm.sub_partitions)");
    config.shared.max_per_cta = 8192;
    EXPECT_EQ(CtaAllocator(config).impossible({32, 8, 4097}),
              "4097 bytes of shared memory per CTA exceed the 4096 bytes of the SM (shared.bytes)");
}

TEST(CtaAllocator, EachCtaTakesWhatTheSystemReservesBesidesWhatItAsksFor) {
    Config config = small_config();
    config.shared.bytes = 167936;
    config.shared.max_per_cta = 166912;
    const CtaDemand demand{32, 8, 82 * 1024};
    EXPECT_EQ(CtaAllocator(config).limits(demand).by_shared, 2U);
    config.shared.reserved_per_cta = 1024;
    EXPECT_EQ(CtaAllocator(config).limits(demand).by_shared, 1U);
    EXPECT_EQ(CtaAllocator(config).limits(demand).ctas, 1U);
    EXPECT_EQ(CtaAllocator(config).impossible({32, 8, 166912}), "");
    config.shared.max_per_cta = 167936;
    EXPECT_EQ(
        CtaAllocator(config).impossible({32, 8, 167000}),
        "167000 bytes of shared memory per CTA and 1024 of the system (shared.reserved_per_cta) exceed the 167936 "
        "bytes of the SM (shared.bytes)");
}

TEST(CtaAllocator, TheCarveoutIsTheSmallestThatHoldsAsManyCtasAsFit) {
    Config config = small_config();
    EXPECT_EQ(CtaAllocator(config).carveout({32, 8, 1000}), 0U) << "the L1 has its own memory";
    config.shared.carveouts = SizeList("0,1K,2K,4K", {0, 1024, 2048, 4096});
    EXPECT_EQ(CtaAllocator(config).carveout({32, 8, 0}), 0U);
    EXPECT_EQ(CtaAllocator(config).carveout({256, 8, 1000}), 1024U) << "one fits";
    EXPECT_EQ(CtaAllocator(config).carveout({128, 8, 1000}), 2048U) << "two";
    EXPECT_EQ(CtaAllocator(config).carveout({32, 8, 1000}), 4096U) << "four, by shared memory";
    config.shared.reserved_per_cta = 128;
    EXPECT_EQ(CtaAllocator(config).carveout({256, 8, 0}), 1024U) << "what the system takes counts";
}

TEST(CtaAllocator, ImpossibleAgreesWithPlacingIntoTheEmptySm) {
    const Config config = small_config();
    const CtaAllocator allocator(config);
    for (std::uint32_t threads = 1; threads <= 320; threads += 31) {
        for (std::uint32_t registers = 1; registers <= 255; registers += 7) {
            for (const std::uint32_t shared : {0U, 3072U, 3073U}) {
                const CtaDemand demand{threads, registers, shared};
                // max_per_cta is a limit of launches, not of the memory: place checks only the memory.
                if (shared <= config.shared.max_per_cta) {
                    EXPECT_EQ(allocator.impossible(demand).empty(), allocator.max_resident(demand) > 0)
                        << threads << " threads, " << registers << " registers";
                } else {
                    EXPECT_THAT(allocator.impossible(demand),
                                ::testing::AnyOf(HasSubstr("does not fit"), HasSubstr("max_per_cta")));
                }
            }
        }
    }
}

TEST(CtaAllocator, AThreadCountNearTheNumberRangeIsRefused) {
    const Config config = small_config();
    EXPECT_THAT(CtaAllocator(config).impossible({0xffffffffU, 8, 0}), HasSubstr("4294967295 threads does not fit"));
}

} // namespace
} // namespace smsim::sm
