// The ends of buffers: the last line of a buffer is cached like all others, and whether an access outside is an
// exception does not depend on the contents of the cache; --memory-check decides about accesses in the rest of its
// page.
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "session/simulation.h"
#include "tb/support/child_process.h"
#include "tb/support/kernel_launch.h"

namespace smsim {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

/// Buffer `a` of 1000 words (4000 bytes from 0x10000000, so that its last line is partial), the numbers from 0 on, and
/// `out` of 32 words; R[2:3] points to the one, R[4:5] to the other.
class MemoryBounds : public testing::Test {
  protected:
    session::SimulationResult run(const std::string &body, MemoryCheck check = MemoryCheck::kStrict,
                                  const std::vector<std::string> &settings = {}, unsigned block = 1) {
        test::write_file(folder_ / "k.sasm", ".kernel k\n LDC.64 R[2:3], c[0x0][0x160];\n LDC.64 R[4:5], "
                                             "c[0x0][0x168];\n" +
                                                 body + " EXIT;\n");
        test::write_file(folder_ / "k.yaml",
                         "program: k.sasm\ngrid: 1\nblock: " + std::to_string(block) +
                             "\narguments:\n"
                             "  - {name: a, type: u32, count: 1000, init: {pattern: {start: 0, step: 1}}}\n"
                             "  - {name: out, type: u32, count: 32}\n");
        test::load(loaded_, folder_ / "k.yaml", settings);
        session::Options options;
        options.memory_check = check;
        return session::simulate(loaded_.config, loaded_.program, *loaded_.kernel, loaded_.launch, options);
    }
    static std::uint32_t word(const std::vector<std::uint8_t> &bytes, std::size_t index) {
        std::uint32_t value = 0;
        std::memcpy(&value, bytes.data() + index * 4, 4);
        return value;
    }

    test::TemporaryFolder folder_;
    test::KernelLaunch loaded_;
};

constexpr const char *kPastTheEnd =
    "thread 0 accesses 4 bytes at 0x10000fa0, which no buffer holds; 0x10000fa0 is 0 bytes past the end of 'a' (4000 "
    "bytes)";

TEST_F(MemoryBounds, TheLastPartialLineOfABufferIsCached) {
    const session::SimulationResult result = run(" LDG R0, [R[2:3]+0xf9c];\n STG [R[4:5]], R0;\n MEMBAR.CTA;\n"
                                                 " LDG R1, [R[2:3]+0xf98];\n STG [R[4:5]+4], R1;\n");
    ASSERT_FALSE(result.fault) << result.exception;
    EXPECT_EQ(word(result.buffers[1], 0), 999U);
    EXPECT_EQ(word(result.buffers[1], 1), 998U);
    EXPECT_EQ(result.stats.global.reads, 1U) << "the fill, and nothing in its place";
    EXPECT_EQ(result.stats.global.l1_hits, 1U);
}

TEST_F(MemoryBounds, AnAccessPastTheEndIsAnExceptionThoughItsLineIsInTheCache) {
    const session::SimulationResult result = run(" LDG R0, [R[2:3]+0xf9c];\n STG [R[4:5]], R0;\n MEMBAR.CTA;\n"
                                                 " LDG R1, [R[2:3]+0xfa0];\n");
    EXPECT_EQ(result.fault, Fault::kIllegalAddress);
    EXPECT_THAT(result.exception, HasSubstr(kPastTheEnd));
}

TEST_F(MemoryBounds, AnAccessPastTheEndIsTheSameExceptionWithoutACache) {
    const session::SimulationResult result =
        run(" LDG R1, [R[2:3]+0xfa0];\n", MemoryCheck::kStrict, {"l1.enabled=false"});
    EXPECT_EQ(result.fault, Fault::kIllegalAddress);
    EXPECT_THAT(result.exception, HasSubstr(kPastTheEnd));
}

TEST_F(MemoryBounds, AtomicsAndStoresPastTheEndAreExceptions) {
    EXPECT_TRUE(test::run_in_child([this] {
        const session::SimulationResult result = run(" MOV R0, 1;\n STG [R[2:3]+0xfa0], R0;\n");
        EXPECT_THAT(result.exception, HasSubstr(kPastTheEnd));
    }));
    const session::SimulationResult result = run(" MOV R0, 1;\n RED.ADD [R[2:3]+0xfa0], R0;\n");
    EXPECT_THAT(result.exception, HasSubstr(kPastTheEnd));
}

TEST_F(MemoryBounds, AnInstructionThatSomeThreadsTakeOutsideHasChangedNothing) {
    // Threads 0 to 15 are inside, in a separate row; from thread 16 on they are past the end.
    for (const char *instruction : {"STG [R[6:7]+0xf60], R1;", "RED.ADD [R[6:7]+0xf60], R1;"}) {
        EXPECT_TRUE(test::run_in_child([&] {
            const session::SimulationResult result =
                run(std::string(" S2R R0, SR_LANEID;\n MOV R1, 0x4;\n IMAD.WIDE.U32 R[6:7], R0, R1, R[2:3];\n ") +
                        instruction + "\n",
                    MemoryCheck::kStrict, {}, 32);
            EXPECT_THAT(result.exception, HasSubstr("thread 16 accesses 4 bytes at 0x10000fa0"));
            for (std::size_t i = 0; i < 1000; ++i) {
                EXPECT_EQ(word(result.buffers[0], i), i) << instruction;
            }
        })) << instruction;
    }
}

/// Reads past the end of `a`, writes there, and reads it back, then a row that begins inside.
constexpr const char *kOverrun = " LDG R0, [R[2:3]+0xfa0];\n STG [R[4:5]], R0;\n"
                                 " MOV R1, 0x2a;\n STG [R[2:3]+0xfa4], R1;\n MEMBAR.CTA;\n"
                                 " LDG R6, [R[2:3]+0xfa4];\n STG [R[4:5]+4], R6;\n"
                                 " LDG.128 R[8:11], [R[2:3]+0xf90];\n STG [R[4:5]+8], R11;\n";

TEST_F(MemoryBounds, ReportPerformsAndListsAccessesInTheRestOfThePage) {
    const session::SimulationResult result = run(kOverrun, MemoryCheck::kReport);
    ASSERT_FALSE(result.fault) << result.exception;
    EXPECT_EQ(word(result.buffers[1], 0), 0U);
    EXPECT_EQ(word(result.buffers[1], 1), 42U);
    EXPECT_EQ(word(result.buffers[1], 2), 999U);
    const OutsideAccesses &outside = result.stats.outside;
    EXPECT_EQ(outside.mode, MemoryCheck::kReport);
    EXPECT_EQ(outside.count, 3U);
    ASSERT_EQ(outside.places.size(), 3U);
    EXPECT_EQ(outside.places[0].pc, 0x20U);
    EXPECT_EQ(outside.places[0].count, 1U);
    EXPECT_EQ(outside.places[0].address, 0x10000fa0U);
    EXPECT_EQ(outside.places[0].buffer, "a");
    EXPECT_EQ(outside.places[0].distance, 0);
    EXPECT_EQ(outside.places[1].pc, 0x50U);
    EXPECT_EQ(outside.places[1].distance, 4);
    EXPECT_EQ(outside.places[2].pc, 0x70U);
    EXPECT_LT(outside.places[0].cycle, outside.places[1].cycle);
}

TEST_F(MemoryBounds, OffPerformsThemAndListsNothing) {
    const session::SimulationResult result = run(kOverrun, MemoryCheck::kOff);
    ASSERT_FALSE(result.fault) << result.exception;
    EXPECT_EQ(word(result.buffers[1], 1), 42U);
    EXPECT_EQ(result.stats.outside.mode, MemoryCheck::kOff);
    EXPECT_EQ(result.stats.outside.count, 0U);
    EXPECT_THAT(result.stats.outside.places, IsEmpty());
}

TEST_F(MemoryBounds, APageWithoutABufferIsAnExceptionInAllModes) {
    // `a` is in the page from 0x10000000 on, `out` in the page from 0x10010000 on; the next page is empty.
    const std::string body = " IADD3 R4, R4, 0x10000, RZ;\n LDG R0, [R[4:5]];\n";
    for (const MemoryCheck check : {MemoryCheck::kReport, MemoryCheck::kOff}) {
        EXPECT_TRUE(test::run_in_child([&] {
            const session::SimulationResult result = run(body, check);
            EXPECT_EQ(result.fault, Fault::kIllegalAddress) << memory_check_name(check);
        }));
    }
    EXPECT_EQ(run(body).fault, Fault::kIllegalAddress);
}

} // namespace
} // namespace smsim
