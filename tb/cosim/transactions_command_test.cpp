// `smsim replay` as a command: what it prints, and how it handles bad input.
#include <gmock/gmock.h>

#include "tb/cosim/transactions_support.h"

namespace smsim {
namespace {

using test::CommandResult;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

class ReplayCommand : public testing::Test {
  protected:
    static CommandResult smsim(const std::string &arguments) {
        return test::run_command_line(std::string(SMSIM_BINARY) + " " + arguments);
    }
    static std::string stored(const std::string &name) {
        return test::in_tree("tb/data/transactions/" + name + ".smtx");
    }

    test::TemporaryFolder folder;
};

TEST_F(ReplayCommand, CountsAnswersAndThoseInTheirCycle) {
    const CommandResult result = smsim("replay " + stored("warpsync_groups"));
    EXPECT_EQ(result.status, 0);
    EXPECT_THAT(result.output, HasSubstr("475 transactions of bru, bcu, timer, shared\n"));
    EXPECT_THAT(result.output, HasSubstr("  bru    WARPSYNC             104 answers, 100.0 % in their cycle\n"));
    const CommandResult later = smsim("replay --part bru --set bru.sync_latency=12 " + stored("warpsync_groups"));
    EXPECT_THAT(later.output, HasSubstr("  bru    WARPSYNC             104 answers,   0.0 % in their cycle, +8..+8\n"));
    const CommandResult golden = smsim("replay --into golden --part shared --part bru " + stored("warpsync_groups"));
    EXPECT_EQ(golden.status, 0);
    EXPECT_THAT(golden.output, HasSubstr(" transactions of bru, shared\n"));
    EXPECT_THAT(golden.output, HasSubstr("  bru    WARPSYNC             104 answers\n"));
}

TEST_F(ReplayCommand, NamesTheFirstDifferenceAndFails) {
    const test::File file = test::changed(test::File::open(stored("control")), test::Part::kBru, [](auto &records) {
        std::get<transactions::Branch>(records[4]).answer->next_active = LaneMask(0x3);
    });
    std::ostringstream stream;
    transactions::FileWriter writer(stream, file.config());
    for (const test::Part part : test::kAllParts) {
        for (const auto &record : test::records_of(file, part)) {
            writer.add(part, record);
        }
    }
    writer.finish(file.last());
    test::write_file(folder / "x.smtx", stream.str());
    for (const char *into : {"parts", "golden"}) {
        const CommandResult result = smsim("replay --into " + std::string(into) + " " + (folder / "x.smtx"));
        EXPECT_EQ(result.status, 1);
        EXPECT_THAT(result.output,
                    MatchesRegex("(.|\n)*smsim: error: .*x.smtx: bru 4 differs in cycle [0-9]+: next active: "
                                 "recorded 0x00000003, (replayed|rules) 0xffffffff\n"
                                 "  cycle [0-9]+ warp 0 0x0000 BRA 0x30: guard 0xffffffff -> .*\n(.|\n)*"));
    }
}

TEST_F(ReplayCommand, ListsTransactionsInTheOrderOfTheirCycles) {
    const CommandResult result = smsim("replay --list " + stored("exception"));
    EXPECT_EQ(result.status, 0);
    EXPECT_THAT(result.output, HasSubstr("bcu 0: cycle 1 warp 0 starts at "));
    EXPECT_THAT(result.output, HasSubstr(": BarrierBusy: R2B.BAR 2: the barrier has blocked warps: 0\n"));
    EXPECT_THAT(smsim("replay --list --part timer " + stored("exception")).output, Not(HasSubstr("bcu ")));
    Cycle last = 0;
    std::istringstream lines(result.output);
    for (std::string line; std::getline(lines, line);) {
        const Cycle cycle = std::stoull(line.substr(line.find("cycle ") + 6));
        EXPECT_LE(last, cycle) << line;
        last = cycle;
    }
}

TEST_F(ReplayCommand, RefusesBadInputWithOneMessage) {
    const auto refused = [](const CommandResult &result, const std::string &message) {
        EXPECT_EQ(result.status, 2);
        EXPECT_THAT(result.output, HasSubstr(message));
    };
    refused(smsim("replay " + test::in_tree("README.md")), "README.md: byte 0x0: this is not a file of transactions");
    refused(smsim("replay nowhere.smtx"), "nowhere.smtx");
    refused(smsim("replay --part l1 x.smtx"), "'l1' is not one of bru, bcu, timer, shared");
    refused(smsim("replay --list --into golden " + stored("control")), "--list shows what was recorded");
    refused(smsim("replay --set bru.latency=1 " + stored("control")), "bru.latency");
    const std::string bytes = test::read_file(stored("control"));
    test::write_file(folder / "short.smtx", bytes.substr(0, bytes.size() - 1));
    refused(smsim("replay " + (folder / "short.smtx")), "short.smtx: byte 0x");
}

TEST_F(ReplayCommand, RefusesTheBarrierUnitOfARunWithStalledChannels) {
    const test::File file = test::File::open(stored("control"));
    std::string config = file.config();
    const std::size_t at = config.find("stall_percent: 0");
    ASSERT_NE(at, std::string::npos);
    config[at + 15] = '5';
    std::ostringstream held;
    transactions::FileWriter(held, config).finish(0);
    test::write_file(folder / "held.smtx", held.str());
    const CommandResult result = smsim("replay " + (folder / "held.smtx"));
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.output, HasSubstr("held.smtx: recorded with channels held up (rtl.stall_percent)"));
    EXPECT_EQ(smsim("replay --part bru --part timer --part shared " + (folder / "held.smtx")).status, 0);
}

TEST_F(ReplayCommand, ARunRefusesToRecordOverWhatItReads) {
    test::write_file(folder / "k.sasm", ".kernel k\n EXIT;\n");
    test::write_file(folder / "k.yaml", "program: k.sasm\ngrid: 1\nblock: 32\n");
    const CommandResult result = smsim("run --record-transactions " + (folder / "k.sasm") + " " + (folder / "k.yaml"));
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.output,
                HasSubstr("--record-transactions " + (folder / "k.sasm") + " would overwrite the program"));
    const CommandResult nowhere = smsim("run --record-transactions /nowhere/x.smtx " + (folder / "k.yaml"));
    EXPECT_EQ(nowhere.status, 2);
    EXPECT_THAT(nowhere.output, HasSubstr("/nowhere/x.smtx: cannot be opened for writing the transactions"));
}

} // namespace
} // namespace smsim
