// The L1 alone on the default global memory and on scripted targets: hits, misses, order, times.
#include <array>
#include <numeric>
#include <set>
#include <span>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory/global_memory.h"
#include "memory/l1_cache.h"
#include "model/error.h"
#include "tb/unit/memory/requester.h"
#include "tb/unit/memory/scripted_target.h"

namespace smsim::memory {
namespace {

using isa::AtomicOp;
using isa::AtomicType;
using tb::kPeriod;
using tb::Request;

class L1CacheTest : public ::testing::Test {
  protected:
    explicit L1CacheTest(const L1Config &config = {.latency = 30}) : cache("cache", config, kPeriod) {
        requester.bind(cache.socket);
        cache.memory_socket().bind(below.from_initiator);
        below.to_target.bind(memory.socket);
        memory.map(0, 65536, "data");
        memory.map(1 << 20, 64, "short");
        memory.map(1 << 21, 80, "odd");
    }
    void run() {
        sc_core::sc_start(5000, sc_core::SC_NS);
        EXPECT_THAT(requester.checker.final_violations(), ::testing::IsEmpty());
        EXPECT_THAT(below.final_violations(), ::testing::IsEmpty());
        EXPECT_EQ(requester.in_use(), 0U);
    }
    static bool missed(const Request &read) { return read.cycles() >= 250; }
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

TEST_F(L1CacheTest, AMissFetchesTheLineAndLaterReadsHit) {
    Request *miss = nullptr;
    script.at(1, [&] {
        miss = &requester.read(128, 32);
        EXPECT_TRUE(miss->is_done) << "what the memory reports within the call, the cache reports within the call";
    });
    script.at(400, [&] {
        Request &hit = requester.read(252, 4);
        EXPECT_TRUE(hit.is_done);
        EXPECT_EQ(hit.cycles(), 30U);
    });
    run();
    EXPECT_EQ(miss->cycles(), 251U) << "a line of 128 bytes takes two cycles of bandwidth";
    EXPECT_EQ(stats().l1_hits, 1U);
    EXPECT_EQ(stats().l1_misses, 1U);
    EXPECT_EQ(stats().read_bytes, 128U);
}

TEST_F(L1CacheTest, MissesToALineUnderWayAreMerged) {
    Request *first = nullptr;
    Request *second = nullptr;
    Request *last = nullptr;
    script.at(1, [&] { first = &requester.read(0, 4); });
    script.at(2, [&] { second = &requester.read(64, 4); });
    script.at(240, [&] { last = &requester.read(64, 4); });
    run();
    EXPECT_EQ(first->done, 252U);
    EXPECT_EQ(second->done, 252U);
    EXPECT_EQ(last->done, 270U) << "never earlier than a hit";
    EXPECT_EQ(stats().l1_mshr_merges, 2U);
    EXPECT_EQ(stats().reads, 1U);
    EXPECT_EQ(stats().l1_sector_hits, 2U) << "what is under way has its tag";
    EXPECT_EQ(stats().l1_sector_misses, 1U);
}

TEST_F(L1CacheTest, AWriteUpdatesAPresentLineAndGoesThrough) {
    script.at(1, [&] { requester.read(0, 4); });
    script.at(300, [&] {
        Request &write = requester.write(0, {1, 2, 3, 4});
        EXPECT_EQ(write.cycles(), 250U);
        EXPECT_EQ(requester.read(0, 4).value(), 0x04030201U);
    });
    run();
    EXPECT_EQ(stats().writes, 1U);
    EXPECT_EQ(stats().l1_hits, 1U);
}

TEST_F(L1CacheTest, AWriteDoesNotAllocate) {
    script.at(1, [&] { requester.write(0, {1, 2, 3, 4}); });
    script.at(300, [&] { EXPECT_TRUE(missed(requester.read(0, 4))); });
    run();
    EXPECT_EQ(stats().l1_misses, 1U);
}

TEST_F(L1CacheTest, AFillOvertakenByAWriteIsNotInstalled) {
    Request *before = nullptr;
    Request *after = nullptr;
    script.at(1, [&] { before = &requester.read(0, 4); });
    script.at(2, [&] { requester.write(0, {9, 0, 0, 0}); });
    script.at(3, [&] { after = &requester.read(0, 4); });
    script.at(600, [&] { EXPECT_EQ(requester.read(0, 4).value(), 9U); });
    run();
    EXPECT_EQ(before->value(), 0U);
    EXPECT_EQ(after->value(), 9U);
    EXPECT_EQ(stats().l1_misses, 2U);
    EXPECT_EQ(stats().l1_hits, 1U);
}

TEST_F(L1CacheTest, AtomicsGoThroughAndDropTheLine) {
    script.at(1, [&] { requester.read(0, 4); });
    script.at(300, [&] {
        EXPECT_EQ(requester.atomic(AtomicOp::kAdd, AtomicType::kU32, 0, 3).cycles(), 270U);
        EXPECT_TRUE(missed(requester.read(0, 4)));
    });
    script.at(900, [&] { EXPECT_EQ(requester.read(0, 4).value(), 3U); });
    run();
    EXPECT_EQ(stats().l1_misses, 2U);
}

TEST_F(L1CacheTest, AReadThatBypassesLeavesNoLine) {
    script.at(1, [&] {
        Request &bypass = requester.make(tlm::TLM_READ_COMMAND, 0, std::vector<std::uint8_t>(4));
        requester.attach_group(bypass, 1, true);
        EXPECT_EQ(requester.send(bypass).cycles(), 250U);
    });
    script.at(300, [&] { EXPECT_TRUE(missed(requester.read(0, 4))); });
    run();
    EXPECT_EQ(stats().l1_misses, 1U);
}

TEST_F(L1CacheTest, ALineThatSticksOutOfARegionIsReadByItsBytes) {
    Request *inside = nullptr;
    Request *outside = nullptr;
    memory.write((1 << 20) + 60, std::vector<std::uint8_t>{5, 6, 7, 8});
    script.at(1, [&] { inside = &requester.read((1 << 20) + 60, 4); });
    script.at(2, [&] { outside = &requester.read((1 << 20) + 64, 4); });
    run();
    EXPECT_EQ(inside->status, tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(inside->value(), 0x08070605U);
    EXPECT_EQ(inside->cycles(), 500U);
    EXPECT_EQ(outside->status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

TEST_F(L1CacheTest, AWriteToBytesOfARefusedFillWaitsForTheOlderRead) {
    Request *read = nullptr;
    Request *write = nullptr;
    script.at(1, [&] { read = &requester.read(1 << 20, 4); });
    script.at(2, [&] { write = &requester.write(1 << 20, {1, 1, 1, 1}); });
    run();
    EXPECT_EQ(read->value(), 0U);
    EXPECT_EQ(write->status, tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(write->done, 501U) << "is sent down when the fill returns at 251";
}

TEST_F(L1CacheTest, AFailedWriteIsReportedAndLeavesNoData) {
    script.at(1, [&] { EXPECT_EQ(requester.write(1 << 22, {1}).status, tlm::TLM_ADDRESS_ERROR_RESPONSE); });
    run();
}

/// A memory that takes fills at once and rejects writes, with a checker in front of it that changes addresses.
class RefusedWriteTest : public ::testing::Test {
  protected:
    RefusedWriteTest() {
        requester.bind(cache.socket);
        cache.memory_socket().bind(below.from_initiator);
        below.to_target.bind(memory.socket);
        memory.on_forward = [this](Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &) {
            payload.set_response_status(payload.is_read() ? tlm::TLM_OK_RESPONSE : tlm::TLM_GENERIC_ERROR_RESPONSE);
            if (payload.is_read() || !answers_later) {
                return tlm::TLM_COMPLETED;
            }
            waiting = &payload;
            phase = tlm::END_REQ;
            return tlm::TLM_UPDATED;
        };
    }
    /// The line is present, and a write to it is rejected.
    void refuse_write() {
        script.at(1, [&] { requester.read(128, 4); });
        script.at(50, [&] { requester.write(128, {1, 2, 3, 4}); });
    }
    void expect_fetched_again() {
        script.at(100, [&] { EXPECT_EQ(requester.read(128, 4).value(), 0U); });
        sc_core::sc_start(200 * kPeriod);
        GlobalMemoryStats stats;
        cache.collect(stats);
        EXPECT_EQ(stats.l1_misses, 2U);
        EXPECT_THAT(below.final_violations(), ::testing::IsEmpty());
    }
    L1Cache cache{"cache", L1Config{}, kPeriod};
    tb::ScriptedTarget memory{"memory"};
    tb::BaseProtocolChecker below{"below"};
    tb::Requester requester{"requester"};
    tb::Script script{"script"};
    bool answers_later = false;
    Payload *waiting = nullptr;
};

TEST_F(RefusedWriteTest, DropsItsLineEvenIfAnInterconnectChangedTheAddress) {
    refuse_write();
    expect_fetched_again();
}

TEST_F(RefusedWriteTest, DropsItsLineToo_WhenItIsAnsweredLater) {
    answers_later = true;
    refuse_write();
    script.at(60, [&] { memory.back(*waiting, tlm::BEGIN_RESP); });
    expect_fetched_again();
}

TEST_F(RefusedWriteTest, DropsItsLineWhenTheRefusalTakesEffectNotWhenItIsAnnounced) {
    answers_later = true;
    refuse_write();
    script.at(60, [&] { memory.back(*waiting, tlm::BEGIN_RESP, 10 * kPeriod); });
    script.at(69, [&] { EXPECT_EQ(requester.read(128, 4).value(), 0x04030201U) << "this is not known yet"; });
    script.at(70, [&] { requester.read(128, 4); });
    sc_core::sc_start(90 * kPeriod);
    GlobalMemoryStats stats;
    cache.collect(stats);
    EXPECT_EQ(stats.l1_misses, 2U);
}

TEST_F(RefusedWriteTest, DropsItsLineToo_WhenItBlocks) {
    memory.blocking_status = tlm::TLM_GENERIC_ERROR_RESPONSE;
    script.at(1, [&] { requester.read(128, 4); });
    tb::ThreadScript thread("thread", [&] {
        sc_core::wait(50 * kPeriod);
        std::array<std::uint8_t, 4> bytes{1, 2, 3, 4};
        Payload payload;
        payload.set_write();
        payload.set_address(128);
        payload.set_data_ptr(bytes.data());
        payload.set_data_length(4);
        payload.set_streaming_width(4);
        sc_core::sc_time delay;
        requester.port.socket->b_transport(payload, delay);
        EXPECT_EQ(payload.get_response_status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
    });
    expect_fetched_again();
}

TEST_F(RefusedWriteTest, AReadThatComesBackAsAWriteBreaksTheProtocolAndFails) {
    sc_core::sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_DO_NOTHING);
    memory.on_forward = [](Payload &payload, tlm::tlm_phase &, sc_core::sc_time &) {
        payload.set_write();
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    };
    Request &read = requester.make(tlm::TLM_READ_COMMAND, 128, std::vector<std::uint8_t>(4));
    requester.attach_group(read, 1, true);
    script.at(1, [&] { requester.send(read); });
    sc_core::sc_start(10 * kPeriod);
    EXPECT_EQ(sc_core::sc_report_handler::get_count(sc_core::SC_ERROR), 1);
    EXPECT_TRUE(read.is_done);
    EXPECT_EQ(read.status, tlm::TLM_GENERIC_ERROR_RESPONSE);
}

TEST_F(L1CacheTest, RequestsThatCrossLinesGoDownWhole) {
    script.at(1, [&] { requester.read(0, 4); });
    script.at(300, [&] {
        requester.write(126, {1, 2, 3, 4});
        EXPECT_EQ(requester.read(126, 4).value(), 0x04030201U);
        EXPECT_EQ(requester.read(124, 4).value(), 0x02010000U) << "the present line was updated";
    });
    run();
    EXPECT_EQ(stats().l1_hits, 1U);
}

TEST_F(L1CacheTest, DebugWritesReachPresentLines) {
    script.at(1, [&] { requester.read(0, 4); });
    script.at(300, [&] {
        std::array<std::uint8_t, 4> bytes{7, 0, 0, 0};
        tlm::tlm_generic_payload payload;
        payload.set_write();
        payload.set_data_ptr(bytes.data());
        payload.set_data_length(4);
        EXPECT_EQ(requester.port.socket->transport_dbg(payload), 4U);
        Request &hit = requester.read(0, 4);
        EXPECT_TRUE(hit.is_done);
        EXPECT_EQ(hit.value(), 7U);
    });
    run();
}

TEST_F(L1CacheTest, InvalidateDropsAllLines) {
    script.at(1, [&] { requester.read(0, 4); });
    script.at(300, [&] {
        cache.invalidate();
        EXPECT_TRUE(missed(requester.read(0, 4)));
    });
    run();
}

TEST_F(L1CacheTest, DirectMemoryIsNotGranted) {
    run();
    tlm::tlm_generic_payload payload;
    tlm::tlm_dmi dmi;
    EXPECT_FALSE(requester.port.socket->get_direct_mem_ptr(payload, dmi));
    EXPECT_THAT(requester.checker.violations(), ::testing::IsEmpty());
}

TEST_F(L1CacheTest, BlockingReadsFillTheCache) {
    tb::ThreadScript thread("thread", [&] {
        std::array<std::uint8_t, 4> bytes{};
        tlm::tlm_generic_payload payload;
        payload.set_read();
        payload.set_data_ptr(bytes.data());
        payload.set_data_length(4);
        payload.set_streaming_width(4);
        sc_core::sc_time delay;
        requester.port.socket->b_transport(payload, delay);
        EXPECT_EQ(delay, 251 * kPeriod);
        EXPECT_FALSE(payload.is_dmi_allowed());
        payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        payload.set_address(0);
        delay = sc_core::SC_ZERO_TIME;
        requester.port.socket->b_transport(payload, delay);
        EXPECT_EQ(delay, 30 * kPeriod);
    });
    run();
    EXPECT_EQ(stats().l1_hits, 1U);
}

/// Two lines in one set, and one MSHR.
class SmallL1CacheTest : public L1CacheTest {
  protected:
    SmallL1CacheTest() : L1CacheTest({.bytes = 256, .line_bytes = 128, .ways = 2, .latency = 30, .mshrs = 1}) {}
};

TEST_F(SmallL1CacheTest, WithoutAFreeMshrARequestWaitsAndIsAnsweredAtOnceWithItsTime) {
    Request *first = nullptr;
    Request *held = nullptr;
    Request *behind = nullptr;
    script.at(1, [&] {
        first = &requester.read(0, 4);
        held = &requester.read(128, 4);
        EXPECT_TRUE(held->is_done);
        behind = &requester.read(0, 4);
    });
    run();
    EXPECT_EQ(first->done, 252U);
    EXPECT_EQ(held->done, 252U + 251U);
    EXPECT_EQ(behind->done, 253U + 30U) << "is examined one cycle after the previous one has an MSHR, and hits";
}

/// Two MSHRs, on a memory that answers the reads of `late` lines when the test requests it, and all others within the
/// call after 20 cycles.
class LateFillTest : public ::testing::Test {
  protected:
    LateFillTest() {
        requester.bind(cache.socket);
        cache.memory_socket().bind(below.from_initiator);
        below.to_target.bind(memory.socket);
        memory.on_forward = [this](Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay) {
            payload.set_response_status(tlm::TLM_OK_RESPONSE);
            if (!late.contains(payload.get_address())) {
                delay += 20 * kPeriod;
                return tlm::TLM_COMPLETED;
            }
            waiting = &payload;
            phase = tlm::END_REQ;
            return tlm::TLM_UPDATED;
        };
    }
    void run() {
        sc_core::sc_start(300 * kPeriod);
        EXPECT_THAT(requester.checker.final_violations(), ::testing::IsEmpty());
        EXPECT_THAT(below.final_violations(), ::testing::IsEmpty());
    }
    std::set<std::uint64_t> late;
    L1Cache cache{"cache", {.bytes = 1024, .line_bytes = 128, .ways = 2, .latency = 3, .mshrs = 2}, kPeriod};
    tb::ScriptedTarget memory{"memory"};
    tb::BaseProtocolChecker below{"below"};
    tb::Requester requester{"requester"};
    tb::Script script{"script"};
    Payload *waiting = nullptr;
};

TEST_F(LateFillTest, WithoutAFreeMshrTheRequestIsHeldUntilItIsKnownWhenOneIsFree) {
    late = {0};
    Request *second = nullptr;
    Request *held = nullptr;
    script.at(1, [&] { requester.read(0, 4); });
    script.at(2, [&] { second = &requester.read(128, 4); });
    script.at(3, [&] {
        held = &requester.read(256, 4);
        EXPECT_FALSE(held->is_done);
    });
    script.at(60, [&] { memory.back(*waiting, tlm::BEGIN_RESP); });
    run();
    EXPECT_EQ(second->done, 22U);
    EXPECT_EQ(held->done, 22U + 20U) << "the register of the second one";
}

TEST_F(LateFillTest, NoMissIsAnsweredAheadWhileAFillIsUnanswered) {
    late = {0};
    Request *joined = nullptr;
    script.at(1, [&] { requester.read(0, 4); });
    script.at(2, [&] { EXPECT_FALSE(requester.read(128, 4, 5 * kPeriod).is_done); });
    script.at(7, [&] { joined = &requester.read(0, 4); });
    script.at(8, [&] { memory.back(*waiting, tlm::BEGIN_RESP); });
    run();
    EXPECT_EQ(joined->done, 10U);
    GlobalMemoryStats stats;
    cache.collect(stats);
    EXPECT_EQ(stats.l1_mshr_merges, 1U);
}

/// Lines of four sectors of 32 bytes; each byte of memory is its address.
class L1SectorsTest : public L1CacheTest {
  protected:
    explicit L1SectorsTest(const L1Config &config = {.sector_bytes = 32, .latency = 30}) : L1CacheTest(config) {
        std::vector<std::uint8_t> bytes(256);
        std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
        memory.write(0, bytes);
        memory.write(kOdd, std::span(bytes).first(80));
    }
    static constexpr std::uint64_t kOdd = 1 << 21; ///< its 80 bytes end in the third sector
    static constexpr std::uint8_t kNew = 0xff;
    static void expect_bytes(const Request &request, std::uint8_t first) {
        ASSERT_TRUE(request.is_done);
        EXPECT_EQ(request.status, tlm::TLM_OK_RESPONSE);
        for (std::size_t i = 0; i < request.data.size(); ++i) {
            EXPECT_EQ(request.data[i], static_cast<std::uint8_t>(first + i)) << i;
        }
    }
};

TEST_F(L1SectorsTest, AMissFetchesWhatItTouchesInOneRead) {
    Request *miss = nullptr;
    script.at(1, [&] { miss = &requester.read(60, 8); });
    script.at(300, [&] { EXPECT_FALSE(missed(requester.read(32, 64))); });
    script.at(301, [&] { EXPECT_TRUE(missed(requester.read(28, 8))); });
    script.at(302, [&] { EXPECT_TRUE(missed(requester.read(96, 4))); });
    run();
    expect_bytes(*miss, 60);
    EXPECT_EQ(miss->cycles(), 250U) << "64 bytes take one cycle of bandwidth";
    EXPECT_EQ(stats().reads, 3U);
    EXPECT_EQ(stats().read_bytes, 64U + 32U + 32U);
    EXPECT_EQ(stats().l1_hits, 1U);
    EXPECT_EQ(stats().l1_misses, 3U);
}

TEST_F(L1SectorsTest, AMissFetchesEachRunOfMissingSectors) {
    Request *row = nullptr;
    script.at(1, [&] { requester.read(32, 4); });
    script.at(300, [&] { row = &requester.read(0, 128); });
    script.at(600, [&] { expect_bytes(requester.read(0, 128), 0); });
    run();
    expect_bytes(*row, 0);
    EXPECT_EQ(row->cycles(), 251U) << "the second read begins in the cycle of the first and ends in the next";
    EXPECT_EQ(stats().reads, 3U);
    EXPECT_EQ(stats().read_bytes, 128U);
    EXPECT_EQ(stats().l1_misses, 3U) << "a miss is a fill";
    EXPECT_EQ(stats().l1_hits, 1U);
}

TEST_F(L1SectorsTest, MissesToASectorUnderWayAreMergedAndOthersFetched) {
    Request *first = nullptr;
    Request *joined = nullptr;
    Request *other = nullptr;
    script.at(1, [&] { first = &requester.read(0, 4); });
    script.at(50, [&] { joined = &requester.read(28, 4); });
    script.at(60, [&] { other = &requester.read(32, 4); });
    run();
    EXPECT_EQ(first->done, 251U);
    EXPECT_EQ(joined->done, 251U);
    EXPECT_EQ(other->done, 310U);
    EXPECT_EQ(stats().l1_mshr_merges, 1U);
    EXPECT_EQ(stats().reads, 2U);
}

TEST_F(L1SectorsTest, AReadIsAnsweredWhenAllItsSectorsAreThere) {
    Request *fetches = nullptr;
    Request *waits = nullptr;
    script.at(1, [&] { requester.read(0, 4); });
    script.at(300, [&] { requester.read(32, 4); });
    script.at(400, [&] { fetches = &requester.read(0, 96); }); // present, under way, missing
    script.at(500, [&] { waits = &requester.read(0, 96); });   // present, under way in two fills
    run();
    EXPECT_EQ(fetches->done, 650U);
    EXPECT_EQ(waits->done, 650U);
    expect_bytes(*fetches, 0);
    expect_bytes(*waits, 0);
    EXPECT_EQ(stats().reads, 3U);
    EXPECT_EQ(stats().l1_mshr_merges, 1U);
}

TEST_F(L1SectorsTest, AReadReturnsTheDataPresentAtItsPlaceInTheOrder) {
    Request *before = nullptr;
    script.at(1, [&] { requester.read(0, 4); });
    script.at(300, [&] { before = &requester.read(28, 8); });
    script.at(301, [&] { requester.write(28, std::vector<std::uint8_t>(8, kNew)); });
    script.at(302, [&] { EXPECT_EQ(requester.read(28, 4).value(), 0xffffffffU); });
    run();
    expect_bytes(*before, 28);
    EXPECT_EQ(stats().l1_hits, 1U) << "the write has updated the present sector";
}

TEST_F(L1SectorsTest, AWriteClosesOnlyItsSectorsOfAFillUnderWay) {
    Request *before = nullptr;
    Request *after = nullptr;
    script.at(1, [&] { before = &requester.read(0, 64); });
    script.at(2, [&] { requester.write(31, {kNew}); });
    script.at(3, [&] { after = &requester.read(28, 8); });
    script.at(255, [&] { EXPECT_EQ(requester.read(28, 8).value(), 0x23222120ff1e1d1cU); });
    run();
    expect_bytes(*before, 0);
    EXPECT_EQ(after->value(), 0x23222120ff1e1d1cU);
    EXPECT_EQ(stats().read_bytes, 64U + 32U);
    EXPECT_EQ(stats().l1_hits, 1U);
}

TEST_F(L1SectorsTest, AtomicsDropTheirSector) {
    script.at(1, [&] { requester.read(0, 128); });
    script.at(300, [&] {
        requester.atomic(AtomicOp::kAdd, AtomicType::kU32, 32, 1);
        EXPECT_FALSE(missed(requester.read(0, 32)));
        EXPECT_FALSE(missed(requester.read(64, 64)));
        EXPECT_TRUE(missed(requester.read(32, 4)));
    });
    run();
}

TEST_F(L1SectorsTest, AReadOneOfWhoseFillsIsRefusedIsReadWholeAndTheOthersStay) {
    Request *row = nullptr;
    script.at(1, [&] { requester.read(kOdd + 32, 4); });
    script.at(300, [&] { row = &requester.read(kOdd, 80); });
    script.at(900, [&] { expect_bytes(requester.read(kOdd, 64), 0); });
    run();
    expect_bytes(*row, 0);
    EXPECT_EQ(row->cycles(), 501U) << "the fill is refused after 250; the read of 80 bytes takes 251";
    EXPECT_EQ(stats().l1_hits, 1U);
}

TEST_F(L1SectorsTest, AWriteToAPresentSectorWaitsForAnOlderReadWhoseFillOfAnotherMayBeRefused) {
    Request *row = nullptr;
    Request *write = nullptr;
    script.at(1, [&] { requester.read(kOdd, 4); });
    script.at(300, [&] { row = &requester.read(kOdd, 80); });
    script.at(301, [&] { write = &requester.write(kOdd, {kNew}); });
    run();
    expect_bytes(*row, 0);
    EXPECT_EQ(write->done, 801U) << "is sent down when the fill returns at 550, after the 80 bytes of the read";
}

TEST_F(L1SectorsTest, BlockingReadsFetchMissingSectors) {
    tb::ThreadScript thread("thread", [&] {
        std::array<std::uint8_t, 128> bytes{};
        tlm::tlm_generic_payload payload;
        const auto read = [&](std::uint64_t address, unsigned count) {
            payload.set_read();
            payload.set_address(address);
            payload.set_data_ptr(bytes.data());
            payload.set_data_length(count);
            payload.set_streaming_width(count);
            payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
            sc_core::sc_time delay;
            requester.port.socket->b_transport(payload, delay);
            sc_core::wait(delay);
            EXPECT_TRUE(payload.is_response_ok());
            for (unsigned i = 0; i < count; ++i) {
                EXPECT_EQ(bytes[i], static_cast<std::uint8_t>(address + i));
            }
            return delay;
        };
        EXPECT_EQ(read(36, 4), 250 * kPeriod);
        EXPECT_EQ(read(0, 128), 500 * kPeriod) << "two fills, one after the other";
        EXPECT_EQ(read(0, 128), 30 * kPeriod);
        EXPECT_EQ(read(kOdd + 60, 20), 500 * kPeriod) << "refused, then read by its bytes";
        EXPECT_EQ(read(kOdd + 60, 4), 250 * kPeriod) << "nothing of it has come";
    });
    run();
}

/// One MSHR.
class L1SectorsOneMshrTest : public L1SectorsTest {
  protected:
    L1SectorsOneMshrTest() : L1SectorsTest({.sector_bytes = 32, .mshrs = 1}) {}
};

TEST_F(L1SectorsOneMshrTest, TakesAllFillsOfOneRead) {
    Request *row = nullptr;
    Request *held = nullptr;
    script.at(1, [&] { requester.read(32, 4); });
    script.at(300, [&] { row = &requester.read(0, 128); });
    script.at(301, [&] { held = &requester.read(128, 4); });
    run();
    expect_bytes(*row, 0);
    EXPECT_EQ(row->done, 551U);
    EXPECT_EQ(held->done, 801U) << "when the last fill is back";
}

/// 64 bytes of hits per cycle.
class L1DataRateTest : public L1CacheTest {
  protected:
    L1DataRateTest() : L1CacheTest({.latency = 30, .bytes_per_cycle = 64}) {
        script.at(1, [&] { requester.read(0, 4); });
    }
};

TEST_F(L1DataRateTest, HitsTakeTheDataArrayOneAfterTheOther) {
    script.at(300, [&] {
        EXPECT_EQ(requester.read(0, 128).cycles(), 30U) << "two cycles";
        EXPECT_EQ(requester.read(0, 64).cycles(), 32U) << "one";
        EXPECT_EQ(requester.read(0, 4).cycles(), 33U);
        EXPECT_EQ(requester.read(0, 4).cycles(), 34U);
    });
    script.at(304, [&] { EXPECT_EQ(requester.read(0, 4).cycles(), 31U) << "waits for the four"; });
    script.at(310, [&] { EXPECT_EQ(requester.read(0, 4).cycles(), 30U); });
    run();
}

TEST_F(L1DataRateTest, CountsTheWordsOf32BytesThatHoldTheBytes) {
    script.at(300, [&] {
        EXPECT_EQ(requester.read(30, 36).cycles(), 30U) << "three words";
        EXPECT_EQ(requester.read(30, 4).cycles(), 32U) << "two words";
        EXPECT_EQ(requester.read(0, 4).cycles(), 33U);
    });
    run();
}

TEST_F(L1DataRateTest, AHitAnnouncedWithADelayDoesNotDelayEarlierOnes) {
    script.at(300, [&] {
        EXPECT_EQ(requester.read(0, 128, 10 * kPeriod).cycles(), 40U);
        EXPECT_EQ(requester.read(0, 128).cycles(), 30U);
        EXPECT_EQ(requester.read(0, 4, 10 * kPeriod).cycles(), 42U);
        EXPECT_EQ(requester.read(0, 128, 9 * kPeriod).cycles(), 43U) << "two cycles are not free before 13";
    });
    run();
}

TEST_F(L1DataRateTest, FillsAndWritesDoNotTakeTheDataArray) {
    script.at(300, [&] {
        requester.write(0, std::vector<std::uint8_t>(128));
        EXPECT_EQ(requester.read(0, 4).cycles(), 30U);
    });
    script.at(400, [&] { requester.read(128, 128); });
    script.at(651, [&] { EXPECT_EQ(requester.read(0, 4).cycles(), 30U); });
    run();
}

TEST(L1Cache, ImpossibleConfigurationsAreRefused) {
    EXPECT_THROW(L1Cache("a", {.line_bytes = 96}, kPeriod), InputError);
    EXPECT_THROW(L1Cache("b", {.bytes = 128, .ways = 2}, kPeriod), InputError);
    EXPECT_THROW(L1Cache("c", {.mshrs = 0}, kPeriod), InputError);
    EXPECT_THROW(L1Cache("d", {.sector_bytes = 16}, kPeriod), InputError);
    EXPECT_THROW(L1Cache("e", {.sector_bytes = 96}, kPeriod), InputError);
    EXPECT_THROW(L1Cache("f", {.sector_bytes = 256}, kPeriod), InputError);
    EXPECT_THROW(L1Cache("g", {.line_bytes = 2048, .sector_bytes = 32}, kPeriod), InputError);
}

} // namespace
} // namespace smsim::memory
