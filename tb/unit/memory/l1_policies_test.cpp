// Replacement and bypass policies of the L1: each as a plain object, what the lines tell a replacement policy, and what
// a bypass does to the requests of the cache.
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory/global_memory.h"
#include "memory/l1/bypass.h"
#include "memory/l1/lines.h"
#include "memory/l1/replacement.h"
#include "memory/l1_cache.h"
#include "model/error.h"
#include "tb/unit/memory/requester.h"
#include "tb/unit/memory/scripted_target.h"

namespace smsim::memory {
namespace {

using l1::Bypass;
using l1::Lines;
using l1::LineSize;
using l1::Replacement;
using tb::kPeriod;
using tb::Request;
using ::testing::ElementsAre;

constexpr std::uint32_t kWays = 4;

std::unique_ptr<Replacement> replacement(L1ReplacementKind kind) {
    return l1::make_replacement({.ways = kWays, .replacement = kind}, 2);
}
/// Lines 0 to 3 take the ways of set 0 in this order.
std::unique_ptr<Replacement> filled(L1ReplacementKind kind) {
    auto policy = replacement(kind);
    for (std::uint32_t way = 0; way < kWays; ++way) {
        policy->installed({0, way, way});
    }
    return policy;
}
/// The way that a new line replaces in set 0, which it then has.
std::uint32_t replace(Replacement &policy, std::uint64_t line) {
    const std::uint32_t way = policy.victim(0, line);
    policy.installed({0, way, line});
    return way;
}

// --- replacement ---------------------------------------------------------------------------------------------------

TEST(Replacement, LeastRecentlyUsedIsTheOrderOfTheLinesThemselves) {
    EXPECT_EQ(replacement(L1ReplacementKind::kLru), nullptr);
}

TEST(Replacement, FifoReplacesTheLineThatCameFirstHoweverOftenItIsUsed) {
    const auto fifo = filled(L1ReplacementKind::kFifo);
    fifo->used({0, 0, 0});
    EXPECT_EQ(replace(*fifo, 10), 0U);
    EXPECT_EQ(replace(*fifo, 11), 1U);
    // A way that became free between is the youngest again.
    fifo->dropped({0, 2, 2});
    fifo->installed({0, 2, 12});
    EXPECT_EQ(replace(*fifo, 13), 3U);
    EXPECT_EQ(replace(*fifo, 14), 0U);
}

TEST(Replacement, RandomGivesTheSameWaysInEveryCacheAndUsesAll) {
    const auto first = filled(L1ReplacementKind::kRandom);
    const auto second = filled(L1ReplacementKind::kRandom);
    std::array<unsigned, kWays> counts{};
    for (std::uint64_t line = 0; line < 4000; ++line) {
        const std::uint32_t way = first->victim(0, line);
        ASSERT_EQ(way, second->victim(0, line));
        ++counts.at(way);
    }
    EXPECT_THAT(counts, ::testing::Each(::testing::AllOf(::testing::Gt(850U), ::testing::Lt(1150U))));
}

TEST(Replacement, SrripKeepsLinesThatWereUsedAndReplacesTheFirstOfTheOthers) {
    const auto srrip = filled(L1ReplacementKind::kSrrip);
    srrip->used({0, 0, 0});
    srrip->used({0, 2, 2});
    EXPECT_EQ(replace(*srrip, 10), 1U);
    EXPECT_EQ(replace(*srrip, 11), 3U);
    EXPECT_EQ(replace(*srrip, 12), 1U) << "lines without a use leave before those with one";
    // The searches have brought 0 and 2 to a long interval, too; 3 is distant, and 1 has a use.
    srrip->used({0, 1, 12});
    EXPECT_EQ(replace(*srrip, 13), 3U);
}

TEST(Replacement, BrripReplacesNewLinesExceptOneOfThirtyTwo) {
    const auto brrip = replacement(L1ReplacementKind::kBrrip);
    for (std::uint32_t way = 0; way < kWays; ++way) {
        brrip->installed({1, way, way});
    }
    // Line 0 was the first of all, of which a long interval is expected; the others are distant.
    for (std::uint64_t line = 4; line < 32; ++line) {
        const std::uint32_t way = brrip->victim(1, line);
        EXPECT_EQ(way, 1U);
        brrip->installed({1, way, line});
    }
    const std::uint32_t way = brrip->victim(1, 32);
    brrip->installed({1, way, 32});
    EXPECT_EQ(way, 1U);
    EXPECT_EQ(brrip->victim(1, 33), 2U) << "line 32 stays";
}

/// Records its calls.
class Recorder final : public Replacement {
  public:
    explicit Recorder(std::vector<std::string> &events) : events_(events) {}
    void used(const l1::LinePlace &place) override { add("use", place); }
    void installed(const l1::LinePlace &place) override { add("install", place); }
    void extended(const l1::LinePlace &place) override { add("extend", place); }
    void dropped(const l1::LinePlace &place) override { add("drop", place); }
    std::uint32_t victim(std::uint32_t set, std::uint64_t line) override {
        events_.push_back(fmt::format("victim in {} for {:#x}", set, line));
        return chosen;
    }
    std::uint32_t chosen = 1;

  private:
    void add(const char *what, const l1::LinePlace &place) {
        events_.push_back(fmt::format("{} {}.{} {:#x}", what, place.set, place.way, place.line));
    }
    std::vector<std::string> &events_;
};

/// Two sets of two lines of two sectors of 16 bytes.
class LinesWithAPolicy : public ::testing::Test {
  protected:
    void install(std::uint64_t line, l1::Sectors sectors = 3) { lines.install(line, sectors, data.data()); }

    std::array<std::uint8_t, 32> data{};
    std::vector<std::string> events;
    Recorder *recorder = new Recorder(events); // owned by `lines`
    Lines lines{128, LineSize(32, 16), 2, std::unique_ptr<Replacement>(recorder)};
};

TEST_F(LinesWithAPolicy, TellItOfUsesInstallationsAndVictims) {
    install(0x00, 1);
    install(0x40);
    lines.use(0x00);
    lines.use_all(0x40, 3);
    EXPECT_THAT(events, ElementsAre("install 0.0 0x0", "install 0.1 0x40", "use 0.0 0x0", "use 0.1 0x40"));
    events.clear();
    install(0x00, 2);
    install(0x80);
    EXPECT_THAT(events, ElementsAre("extend 0.0 0x0", "victim in 0 for 0x80", "install 0.1 0x80"));
    EXPECT_EQ(lines.present(0x40), 0U);
    EXPECT_EQ(lines.present(0x00), 3U);
    EXPECT_EQ(lines.present(0x80), 3U);
}

TEST_F(LinesWithAPolicy, DoNotTellItOfLookupsThatFindNothingAndOfWrites) {
    install(0x00, 1);
    events.clear();
    lines.use(0x40);
    lines.use_all(0x00, 3);
    lines.present(0x00);
    lines.update(0x00, data.data(), 4);
    EXPECT_THAT(events, ::testing::IsEmpty());
}

TEST_F(LinesWithAPolicy, TakeAFreeWayWithoutAskingIt) {
    install(0x00);
    install(0x40);
    events.clear();
    lines.drop(0x00, 32);
    install(0x80);
    EXPECT_THAT(events, ElementsAre("drop 0.0 0x0", "install 0.0 0x80"));
    events.clear();
    lines.drop_all();
    EXPECT_THAT(events, ElementsAre("drop 0.0 0x80", "drop 0.1 0x40"));
}

TEST_F(LinesWithAPolicy, RefuseAWayThatDoesNotExist) {
    install(0x00);
    install(0x40);
    recorder->chosen = 2;
    EXPECT_THROW(install(0x80), InputError);
}

// --- bypass --------------------------------------------------------------------------------------------------------

std::unique_ptr<Bypass> bypass(L1BypassKind kind) {
    return l1::make_bypass({.ways = kWays, .bypass = kind}, 2);
}

TEST(Bypass, NoneIsNoObject) {
    EXPECT_EQ(bypass(L1BypassKind::kNone), nullptr);
}

TEST(Bypass, DivergentForwardsReadsOfAccessesWithManyTransactions) {
    const auto divergent = bypass(L1BypassKind::kDivergent);
    EXPECT_FALSE(divergent->bypasses({.bytes = 4, .transactions = 8}));
    EXPECT_TRUE(divergent->bypasses({.bytes = 4, .transactions = 9}));
    EXPECT_FALSE(divergent->bypasses({.bytes = 4})) << "an access of unknown width";
}

TEST(Bypass, StalledForwardsReadsThatWouldWaitForAnMshr) {
    const auto stalled = bypass(L1BypassKind::kStalled);
    EXPECT_FALSE(stalled->bypasses({.bytes = 4, .stalls = false}));
    EXPECT_TRUE(stalled->bypasses({.bytes = 4, .stalls = true}));
}

TEST(Bypass, LowReuseForwardsTheFirstMissOfALine) {
    const auto low_reuse = bypass(L1BypassKind::kLowReuse);
    EXPECT_TRUE(low_reuse->bypasses({.line = 0}));
    EXPECT_TRUE(low_reuse->bypasses({.line = 128}));
    EXPECT_FALSE(low_reuse->bypasses({.line = 0}));
    EXPECT_FALSE(low_reuse->bypasses({.line = 128}));
    // A stream of other lines has taken the eight entries.
    for (std::uint64_t line = 1; line < 1000; ++line) {
        low_reuse->bypasses({.line = line * 128});
    }
    EXPECT_TRUE(low_reuse->bypasses({.line = 0}));
}

class L1WithBypass : public ::testing::Test {
  protected:
    explicit L1WithBypass(const L1Config &config) : cache("cache", config, kPeriod) {
        requester.bind(cache.socket);
        cache.memory_socket().bind(below.from_initiator);
        below.to_target.bind(memory.socket);
        memory.map(0, 65536, "data");
    }
    void run() {
        sc_core::sc_start(5000, sc_core::SC_NS);
        EXPECT_THAT(requester.checker.final_violations(), ::testing::IsEmpty());
        EXPECT_THAT(below.final_violations(), ::testing::IsEmpty());
        EXPECT_EQ(requester.in_use(), 0U);
    }
    Request &read_of_access(std::uint64_t address, std::uint32_t transactions) {
        Request &read = requester.make(tlm::TLM_READ_COMMAND, address, std::vector<std::uint8_t>(4));
        requester.attach_group(read, 1);
        read.payload->get_extension<protocol::AccessGroupExtension>()->transactions = transactions;
        return requester.send(read);
    }
    GlobalMemoryStats stats() const {
        GlobalMemoryStats result;
        cache.collect(result);
        memory.collect(result);
        return result;
    }
    L1Cache cache;
    GlobalMemory memory{"memory", GlobalMemoryConfig{.latency = 250}, kPeriod};
    tb::BaseProtocolChecker below{"below"};
    tb::Requester requester{"requester"};
    tb::Script script{"script"};
};

class L1Divergent : public L1WithBypass {
  protected:
    L1Divergent() : L1WithBypass({.latency = 30, .bypass = L1BypassKind::kDivergent}) {}
};

TEST_F(L1Divergent, AForwardedReadTakesNoLineAndFetchesWhatItReads) {
    script.at(1, [&] { read_of_access(0, 32); });
    script.at(400, [&] { EXPECT_EQ(read_of_access(0, 32).cycles(), 250U); });
    run();
    EXPECT_EQ(stats().l1_misses, 0U) << "a miss is a fill";
    EXPECT_EQ(stats().l1_sector_misses, 2U) << "tags are looked up";
    EXPECT_EQ(stats().read_bytes, 8U);
}

TEST_F(L1Divergent, AReadOfAPresentLineHits) {
    script.at(1, [&] { read_of_access(0, 1); });
    script.at(400, [&] { EXPECT_EQ(read_of_access(64, 32).cycles(), 30U); });
    run();
    EXPECT_EQ(stats().l1_hits, 1U);
    EXPECT_EQ(stats().reads, 1U);
}

TEST_F(L1Divergent, AReadOfALineUnderWayWaitsForIt) {
    script.at(1, [&] { read_of_access(0, 1); });
    script.at(2, [&] { read_of_access(64, 32); });
    run();
    EXPECT_EQ(stats().l1_mshr_merges, 1U);
    EXPECT_EQ(stats().reads, 1U);
}

TEST_F(L1Divergent, AForwardedReadSeesEarlierWritesAndNoLaterOnes) {
    Request *before = nullptr;
    Request *after = nullptr;
    script.at(1, [&] { before = &read_of_access(0, 32); });
    script.at(2, [&] { requester.write(0, {9, 0, 0, 0}); });
    script.at(3, [&] { after = &read_of_access(0, 32); });
    run();
    EXPECT_EQ(before->value(), 0U);
    EXPECT_EQ(after->value(), 9U);
}

class L1Stalled : public L1WithBypass {
  protected:
    L1Stalled() : L1WithBypass({.latency = 30, .mshrs = 1, .bypass = L1BypassKind::kStalled}) {}
};

TEST_F(L1Stalled, AReadWithoutAnMshrIsNotHeld) {
    Request *first = nullptr;
    Request *second = nullptr;
    script.at(1, [&] { first = &requester.read(0, 4); });
    script.at(2, [&] { second = &requester.read(512, 4); });
    run();
    EXPECT_EQ(first->cycles(), 251U);
    EXPECT_LT(second->done, first->done + 10);
    EXPECT_EQ(stats().l1_misses, 1U);
}

class L1LowReuse : public L1WithBypass {
  protected:
    L1LowReuse() : L1WithBypass({.latency = 30, .mshrs = 1, .bypass = L1BypassKind::kLowReuse}) {}
};

TEST_F(L1LowReuse, ALineIsAllocatedAtItsSecondMissAlsoWhenThatWaitsForAnMshr) {
    script.at(1, [&] { requester.read(0, 4); });
    script.at(300, [&] { requester.read(512, 4); });
    script.at(600, [&] { requester.read(0, 4); });
    script.at(601, [&] { requester.read(512, 4); });
    script.at(1200, [&] { EXPECT_EQ(requester.read(0, 4).cycles(), 30U); });
    script.at(1300, [&] { EXPECT_EQ(requester.read(512, 4).cycles(), 30U); });
    run();
    EXPECT_EQ(stats().l1_misses, 2U);
    EXPECT_EQ(stats().l1_hits, 2U);
}

} // namespace
} // namespace smsim::memory
