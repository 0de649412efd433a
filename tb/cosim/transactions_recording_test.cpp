// A recording contains everything of a run, once, in an order that does not depend on the order of processes.
#include <algorithm>
#include <map>
#include <set>

#include <gmock/gmock.h>

#include "cosim/transactions/listing.h"
#include "tb/cosim/transactions_support.h"

namespace smsim {
namespace {

using test::File;
using test::Part;
using test::Record;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using transactions::Access;
using transactions::Barrier;
using transactions::Branch;
using transactions::Event;
using transactions::Start;

/// A program that uses all four parts, and its recording.
class TransactionRecording : public testing::Test {
  protected:
    File recorded(const std::string &program, const std::string &shape = "grid: 1\nblock: 32\n",
                  const std::vector<std::string> &settings = {}) {
        test::record(test::launch_of(folder_, program, shape), settings, folder_ / "k.smtx");
        return File::open(folder_ / "k.smtx");
    }
    std::vector<std::string> listing(const File &file, Part part) {
        std::vector<std::string> lines;
        for (const Record &record : test::records_of(file, part)) {
            lines.push_back(text_of(record));
        }
        return lines;
    }
    test::TemporaryFolder folder_;
};

TEST_F(TransactionRecording, HasRequestsWithTheirOperandsAndAnswers) {
    const File file =
        recorded(".kernel k\n.shared 64\n S2R R0, SR_LANEID; ISETP.LT.U32.AND P0, PT, R0, 0x4, PT;\n"
                 " BSSY B0, join; @P0 BRA join; MOV R1, 0x7;\n join: BSYNC B0; BMOV R2, B0;\n"
                 " NANOSLEEP 0x10; STS [RZ], R1; @P0 ATOMS.ADD R3, [RZ+0x10], R0; BAR.SYNC 0x3;\n EXIT;\n");
    EXPECT_THAT(
        listing(file, Part::kBru),
        ElementsAre(
            "cycle 1 warp 0 starts at 0x0000 of 192 bytes, threads 0xffffffff, warp 0 of 1 of CTA 0 in slot 0",
            HasSubstr("BSSY B0, 0x50: guard 0xffffffff -> cycle"), HasSubstr("@P0 BRA 0x50: guard 0x0000000f -> cycle"),
            HasSubstr("BSYNC B0: guard 0xffffffff -> cycle"), HasSubstr("BMOV R2, B0: guard 0xffffffff -> cycle"),
            HasSubstr("NANOSLEEP 0x10: guard"), HasSubstr("timer request of"), HasSubstr("expiry"), HasSubstr("wake"),
            HasSubstr("EXIT: guard 0xffffffff -> cycle")));
    EXPECT_THAT(listing(file, Part::kBcu),
                ElementsAre(HasSubstr("warp 0 starts"), HasSubstr("BAR.SYNC 0x3: threads 0xffffffff -> cycle"),
                            HasSubstr("warp 0 exit")))
        << "the atomic is under way when the warp exits";
    EXPECT_THAT(listing(file, Part::kTimer),
                ElementsAre("cycle 1 warp 0 stop", HasSubstr("warp 0 timer request of"), HasSubstr("expiry")));
    EXPECT_EQ(file.records(Part::kShared), 5U);
    std::set<std::uint64_t> groups;
    for (const Record &record : test::records_of(file, Part::kShared)) {
        groups.insert(*std::get<Access>(record).group);
    }
    EXPECT_EQ(groups.size(), 2U) << "the four atomics are one access";
    EXPECT_THAT(
        listing(file, Part::kShared),
        Contains(testing::MatchesRegex("cycle [0-9]+ access [0-9]+ atomic of 4 bytes at 0x10: ADD.U32 0x3 -> cycle "
                                       "[0-9]+: OK, 03000000")));
}

TEST_F(TransactionRecording, OperandsThatAnInstructionDoesNotReadAreNought) {
    // The pools of the datapath reuse payloads: data that an earlier instruction left in one must not appear in a
    // later one.
    const File file = recorded(".kernel k\n MOV R2, 0x0; MOV R3, 0x0; BRX R2, `(next - . - 0x10);\n next: BRA last;\n"
                               " last: EXIT;\n");
    for (const Record &record : test::records_of(file, Part::kBru)) {
        if (const auto *branch = std::get_if<Branch>(&record); branch != nullptr && branch->insn.op == isa::Op::kBra) {
            EXPECT_TRUE(std::ranges::all_of(branch->vectors[0], [](std::uint64_t one) { return one == 0; }));
            EXPECT_EQ(branch->scalar, 0U);
        }
    }
}

class TransactionOrder : public TransactionRecording, public testing::WithParamInterface<const char *> {};

TEST_P(TransactionOrder, OfProcessesChangesNoByte) {
    for (const bool reverse : {false, true}) {
        test::record(test::in_tree(GetParam()), {}, folder_ / (reverse ? "reverse" : "forward"), reverse);
    }
    const std::string forward = test::read_file(folder_ / "forward");
    EXPECT_GT(forward.size(), 1000U);
    EXPECT_TRUE(forward == test::read_file(folder_ / "reverse"));
}

INSTANTIATE_TEST_SUITE_P(All, TransactionOrder,
                         testing::Values("kernels/control_flow/context_switch/launch.yaml",
                                         "kernels/synchronisation/reduction/launch.yaml",
                                         "kernels/synchronisation/spin_lock_nanosleep/launch.yaml",
                                         "tb/data/transactions/exception.yaml"),
                         [](const auto &one) { return "N" + std::to_string(one.index); });

TEST_F(TransactionRecording, HasAllLaunchesOfARun) {
    const test::CommandResult result =
        test::run_command_line(std::string(SMSIM_BINARY) + " run --report none --record-transactions " +
                               (folder_ / "k.smtx") + " " + test::in_tree("kernels/memory/lu_steps/steps.yaml"));
    ASSERT_EQ(result.status, 0) << result.output;
    const File file = File::open(folder_ / "k.smtx");
    std::uint64_t starts = 0;
    std::uint64_t exits = 0;
    std::set<Pc> entries;
    for (const Record &record : test::records_of(file, Part::kBru)) {
        if (const auto *start = std::get_if<Start>(&record)) {
            ++starts;
            entries.insert(start->entry);
        } else if (const auto *branch = std::get_if<Branch>(&record)) {
            ASSERT_TRUE(branch->answer);
            exits += branch->answer->outcome == Outcome::kExited ? 1 : 0;
        }
    }
    EXPECT_GT(entries.size(), 1U) << "several kernels";
    EXPECT_EQ(starts, exits) << "every warp that starts exits";
    EXPECT_EQ(test::into_golden(file), "");
}

TEST_F(TransactionRecording, EndsWithTheExceptionOfARun) {
    const File file =
        recorded(".kernel k\n S2R R0, SR_LANEID; ISETP.GE.U32.AND P0, PT, R0, 0x10, PT;\n @P0 TRAP R0;\n EXIT;\n",
                 "grid: 1\nblock: 64\n");
    EXPECT_THAT(listing(file, Part::kBru).back(), HasSubstr(": Trap: Trap(16) by threads 0xffff0000"));
    EXPECT_EQ(test::into_golden(file), "");
}

TEST_F(TransactionRecording, WorksTogetherWithWaveforms) {
    const std::string launch = test::in_tree("kernels/control_flow/context_switch/launch.yaml");
    test::record(launch, {}, folder_ / "alone");
    const test::CommandResult result =
        test::run_command_line(std::string(SMSIM_BINARY) + " run --report none --vcd " + (folder_ / "w.vcd") +
                               " --record-transactions " + (folder_ / "both") + " " + launch);
    ASSERT_EQ(result.status, 0) << result.output;
    EXPECT_TRUE(test::read_file(folder_ / "alone") == test::read_file(folder_ / "both"));
    EXPECT_GT(test::read_file(folder_ / "w.vcd").size(), 1000U);
}

} // namespace
} // namespace smsim
