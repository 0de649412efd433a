// What is kept to explain a difference: the first difference, the last transactions, and the pins of the last cycles.
#include <gtest/gtest.h>

#include <memory>

#include "cosim/pin.h"
#include "cosim/recent_transactions.h"
#include "tb/cosim/ports.h"

namespace smsim::cosim {
namespace {

TEST(PinHistory, IsAValueChangeDumpOfTheLastCycles) {
    Ports ports;
    ports.add("valid", 1, true);
    ports.add("data", 12, false);
    const PinFinder find(ports, "test");
    const Pin valid = find.input("valid", 1);
    const Pin data = find.output("data", 12);
    PinHistory history(ports, 3);
    history.sample(4); // too long ago
    valid.put(1);
    history.sample(5);
    data.put(0x2a5);
    history.sample(6);
    valid.put(0);
    data.put(0);
    history.sample(9); // the clock stopped in between
    EXPECT_EQ(history.vcd("test"), "$comment A unit of time is half a cycle: cycle n begins at 2n. $end\n"
                                   "$timescale 1 ns $end\n"
                                   "$scope module test $end\n"
                                   "$var wire 1 ! clk $end\n"
                                   "$var wire 1 \" valid $end\n"
                                   "$var wire 12 # data [11:0] $end\n"
                                   "$upscope $end\n"
                                   "$enddefinitions $end\n"
                                   "#10\n0!\n1\"\nb0 #\n#11\n1!\n"
                                   "#12\n0!\nb1010100101 #\n#13\n1!\n"
                                   "#18\n0!\n0\"\nb0 #\n#19\n1!\n");
}

class BlockMonitorTest : public testing::Test {
  protected:
    BlockMonitorTest() {
        ports_.add("busy", 1, false);
        one_ = std::make_unique<RecentTransactions>("bru", ports_, Watch{findings_, true});
        other_ = std::make_unique<RecentTransactions>("timer", ports_, Watch{findings_, true});
        findings_->on_end([this] { ++ends_; });
    }
    Ports ports_;
    std::shared_ptr<Findings> findings_ = std::make_shared<Findings>();
    std::unique_ptr<RecentTransactions> one_;
    std::unique_ptr<RecentTransactions> other_;
    int ends_ = 0;
};

TEST_F(BlockMonitorTest, KeepsOnlyTheFirstDifferenceOfAllParts) {
    one_->transaction("cycle {}", 6);
    one_->differs(7, "this", true);
    other_->differs(7, "that", true);
    ASSERT_TRUE(findings_->first());
    EXPECT_EQ(findings_->first()->part, "bru");
    EXPECT_EQ(findings_->first()->cycle, 7U);
    EXPECT_EQ(findings_->first()->text, "this");
    EXPECT_EQ(findings_->first()->transactions, std::vector<std::string>{"cycle 6"});
    EXPECT_NE(findings_->first()->waveform.find("#14\n0!\n0\""), std::string::npos);
}

TEST_F(BlockMonitorTest, EndsTheRunOnADifferenceThatNoAnswerReports) {
    one_->differs(7, "this", true);
    EXPECT_EQ(ends_, 0);
    findings_ = std::make_shared<Findings>();
    findings_->on_end([this] { ++ends_; });
    RecentTransactions third("timer", ports_, Watch{findings_, true});
    third.differs(7, "that", false);
    EXPECT_EQ(ends_, 1);
}

TEST_F(BlockMonitorTest, EndsTheRunEvenIfAnAnswerWillReportTheFirstDifference) {
    one_->differs(7, "this", true);
    other_->differs(8, "that", false);
    EXPECT_EQ(ends_, 1);
    EXPECT_EQ(findings_->first()->text, "this");
}

TEST_F(BlockMonitorTest, LooksForMissingAnswersInAllParts) {
    one_->on_look_for_missing([this](Cycle now, Cycle due) {
        if (due >= 5) {
            one_->differs(now, "missing", false);
        }
    });
    findings_->look_for_missing(1004, 4);
    EXPECT_FALSE(findings_->first());
    findings_->look_for_missing(1005, 5);
    EXPECT_TRUE(findings_->first());
}

TEST_F(BlockMonitorTest, KeepsTheLastTransactionsOldestFirst) {
    for (unsigned i = 0; i < RecentTransactions::kTransactions + 3; ++i) {
        one_->transaction("number {}", i);
    }
    one_->differs(7, "this", true);
    ASSERT_EQ(findings_->first()->transactions.size(), RecentTransactions::kTransactions);
    EXPECT_EQ(findings_->first()->transactions.front(), "number 3");
    EXPECT_EQ(findings_->first()->transactions.back(), "number 34");
}

TEST_F(BlockMonitorTest, CountsCyclesApartByPartAndOperation) {
    one_->answered("BRA", 10, 10);
    one_->answered("BRA", 20, 23);
    one_->answered("BRA", 30, 33);
    other_->answered("expiry", 10, 8);
    const LockstepStats expected = {{"bru", {{"BRA", {{0, 1}, {3, 2}}}}}, {"timer", {{"expiry", {{-2, 1}}}}}};
    EXPECT_EQ(findings_->take_stats(), expected);
    const LockstepStats none = {{"bru", {}}, {"timer", {}}};
    EXPECT_EQ(findings_->take_stats(), none) << "the parts are still in lockstep";
}

} // namespace
} // namespace smsim::cosim
