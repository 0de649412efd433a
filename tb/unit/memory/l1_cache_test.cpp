// L1 alone on the default global memory and on scripted strangers: hits, misses, order, times.
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
    }
    void run() {
        sc_core::sc_start(5000, sc_core::SC_NS);
        EXPECT_THAT(requester.checker.final_violations(), ::testing::IsEmpty());
        EXPECT_THAT(below.final_violations(), ::testing::IsEmpty());
        EXPECT_EQ(requester.in_use(), 0U);
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

TEST_F(L1CacheTest, AMissFetchesTheLineAndLaterReadsHit) {
    Request *miss = nullptr;
    script.at(1, [&] {
        miss = &requester.read(128, 32);
        EXPECT_FALSE(miss->is_done);
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

TEST_F(L1CacheTest, MissesToALineUnderWayJoinIt) {
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
    script.at(300, [&] { EXPECT_FALSE(requester.read(0, 4).is_done); });
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
        EXPECT_FALSE(requester.read(0, 4).is_done);
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
    script.at(300, [&] { EXPECT_FALSE(requester.read(0, 4).is_done); });
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
    script.at(2, [&] {
        write = &requester.write(1 << 20, {1, 1, 1, 1});
        EXPECT_FALSE(write->is_done);
    });
    run();
    EXPECT_EQ(read->value(), 0U);
    EXPECT_EQ(write->status, tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(write->done, 501U) << "goes down when the fill comes back at 251";
}

TEST_F(L1CacheTest, AFailedWriteIsReportedAndLeavesNoData) {
    script.at(1, [&] { EXPECT_EQ(requester.write(1 << 21, {1}).status, tlm::TLM_ADDRESS_ERROR_RESPONSE); });
    run();
}

/// A memory that takes fills at once and refuses writes, behind a checker that changes addresses.
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
    /// The line is there, and a write to it is refused.
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

TEST_F(RefusedWriteTest, DropsItsLineWhateverAnInterconnectMadeOfTheAddress) {
    refuse_write();
    expect_fetched_again();
}

TEST_F(RefusedWriteTest, DropsItsLineToo_WhenItIsAnsweredLater) {
    answers_later = true;
    refuse_write();
    script.at(60, [&] { memory.back(*waiting, tlm::BEGIN_RESP); });
    expect_fetched_again();
}

TEST_F(RefusedWriteTest, DropsItsLineWhenTheRefusalTakesEffectNotWhenItIsTold) {
    answers_later = true;
    refuse_write();
    script.at(60, [&] { memory.back(*waiting, tlm::BEGIN_RESP, 10 * kPeriod); });
    script.at(69, [&] { EXPECT_EQ(requester.read(128, 4).value(), 0x04030201U) << "nobody has heard of it yet"; });
    script.at(70, [&] { EXPECT_FALSE(requester.read(128, 4).is_done); });
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
        EXPECT_FALSE(requester.read(0, 4).is_done);
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

TEST_F(SmallL1CacheTest, WithoutAFreeMshrTheRequestIsHeld) {
    Request *first = nullptr;
    Request *held = nullptr;
    Request *behind = nullptr;
    script.at(1, [&] {
        first = &requester.read(0, 4);
        held = &requester.read(128, 4);
        behind = &requester.read(0, 4);
    });
    run();
    EXPECT_EQ(first->done, 252U);
    EXPECT_EQ(held->done, 252U + 251U);
    EXPECT_EQ(behind->done, 253U + 30U) << "leaves one cycle after the END_REQ at 252, and hits";
}

TEST(L1Cache, ImpossibleConfigurationsAreRefused) {
    EXPECT_THROW(L1Cache("a", {.line_bytes = 96}, kPeriod), InputError);
    EXPECT_THROW(L1Cache("b", {.bytes = 128, .ways = 2}, kPeriod), InputError);
    EXPECT_THROW(L1Cache("c", {.mshrs = 0}, kPeriod), InputError);
}

} // namespace
} // namespace smsim::memory
