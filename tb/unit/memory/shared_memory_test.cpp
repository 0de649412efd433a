// Shared memory alone: function, passes over time, errors, debug and direct access. One cycle is 1 ns.
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory/shared_memory.h"
#include "model/error.h"
#include "tb/unit/memory/requester.h"

namespace smsim::memory {
namespace {

using isa::AtomicOp;
using isa::AtomicType;
using sc_core::SC_NS;
using tb::kPeriod;
using tb::Request;

class SharedMemoryTest : public ::testing::Test {
  protected:
    SharedMemoryTest() { requester.bind(memory.socket); }
    /// Runs to the end and checks that the protocol was followed and all payloads returned.
    void run() {
        sc_core::sc_start(1000, SC_NS);
        EXPECT_THAT(requester.checker.final_violations(), ::testing::IsEmpty());
        EXPECT_EQ(requester.in_use(), 0U);
    }
    Request &grouped_read(std::uint64_t address, std::uint64_t group) {
        Request &request = requester.make(tlm::TLM_READ_COMMAND, address, std::vector<std::uint8_t>(4));
        requester.attach_group(request, group);
        return requester.send(request);
    }

    SharedMemoryConfig config{.bytes = 1024, .latency = 19};
    SharedMemory memory{"memory", config, kPeriod};
    tb::Requester requester{"requester"};
    tb::Script script{"script"};
};

TEST_F(SharedMemoryTest, ARowTakesTheLatencyAndTheNextAccessQueuesOnePass) {
    std::vector<std::uint8_t> row(128);
    std::iota(row.begin(), row.end(), std::uint8_t{1});
    script.at(5, [&] {
        Request &write = requester.write(128, row);
        EXPECT_EQ(write.cycles(), 19U);
        Request &read = requester.read(128, 128);
        EXPECT_EQ(read.cycles(), 20U);
        EXPECT_EQ(read.data, row);
    });
    script.at(6, [&] { EXPECT_EQ(requester.read(0, 4).cycles(), 20U); });
    script.at(8, [&] { EXPECT_EQ(requester.read(0, 4).cycles(), 19U); });
    run();
    EXPECT_EQ(memory.stats().accesses, 4U);
    EXPECT_EQ(memory.stats().passes, 4U);
    EXPECT_EQ(memory.stats().read_bytes, 136U);
    EXPECT_EQ(memory.stats().write_bytes, 128U);
}

TEST_F(SharedMemoryTest, AnAnnotatedDelayIsKept) {
    script.at(5, [&] {
        EXPECT_EQ(requester.read(0, 4, 3 * kPeriod).cycles(), 22U);
        EXPECT_EQ(requester.read(0, 4).cycles(), 23U) << "banks are free again at 9";
    });
    run();
}

TEST_F(SharedMemoryTest, AGroupSharesPassesAndEachTransactionEndsWithItsOwn) {
    script.at(1, [&] {
        EXPECT_EQ(grouped_read(0, 7).cycles(), 19U);
        EXPECT_EQ(grouped_read(4, 7).cycles(), 19U);
        EXPECT_EQ(grouped_read(128, 7).cycles(), 20U);
        EXPECT_EQ(grouped_read(0, 7).cycles(), 19U);
        EXPECT_EQ(grouped_read(256, 7).cycles(), 21U);
        EXPECT_EQ(grouped_read(8, 8).cycles(), 22U) << "the next group waits for three passes";
    });
    run();
    const SharedMemoryStats stats = memory.stats();
    EXPECT_EQ(stats.accesses, 2U);
    EXPECT_EQ(stats.passes, 4U);
    EXPECT_EQ(stats.conflicts, 2U) << "three words lie in one bank";
    EXPECT_EQ(stats.ways[3], 1U);
    EXPECT_EQ(stats.ways[1], 1U);
}

TEST_F(SharedMemoryTest, ALateTransactionOfAGroupIsAnAccessOfItsOwn) {
    script.at(1, [&] { grouped_read(0, 7); });
    script.at(3, [&] { EXPECT_EQ(grouped_read(128, 7).cycles(), 19U); });
    run();
    EXPECT_EQ(memory.stats().accesses, 2U);
}

TEST_F(SharedMemoryTest, ALatencyBeforeTheMemoryIsDeducted) {
    SharedMemory behind("behind", config, kPeriod, 10);
    tb::Requester other("other");
    other.bind(behind.socket);
    script.at(5, [&] { EXPECT_EQ(other.read(0, 4).cycles(), 9U); });
    run();
}

/// Passes of one path every 2 cycles.
class SlowPassesTest : public SharedMemoryTest {
  protected:
    SlowPassesTest() {
        slow.bytes = 8192;
        slow.pass_interval = 2;
        passes = std::make_unique<SharedMemory>("passes", slow, kPeriod);
        paths.bind(passes->socket);
    }
    /// A word, as part of access `group` on path `port`; in phase `phase` if there are any.
    Request &read(std::uint64_t address, std::uint64_t group, unsigned port, int phase = -1) {
        Request &request = paths.make(tlm::TLM_READ_COMMAND, address, std::vector<std::uint8_t>(4));
        paths.attach_group(request, group);
        auto &extension = *request.payload->get_extension<protocol::AccessGroupExtension>();
        last = &extension;
        extension.port = port;
        extension.phased = phase >= 0;
        extension.phase = phase >= 0 ? static_cast<unsigned>(phase) : 0;
        return paths.send(request);
    }
    SharedMemoryConfig slow;
    const protocol::AccessGroupExtension *last = nullptr;
    std::unique_ptr<SharedMemory> passes;
    tb::Requester paths{"paths"};
};

TEST_F(SlowPassesTest, EachFurtherPassOfAnAccessCostsItsPathTheIntervalAndOthersTakeTheCyclesBetween) {
    script.at(1, [&] {
        EXPECT_EQ(read(0, 1, 0).cycles(), 24U);
        EXPECT_EQ(read(128, 1, 0).cycles(), 26U);
        EXPECT_EQ(read(256, 1, 0).cycles(), 28U) << "passes at 1, 3, 5";
        EXPECT_EQ(read(0, 2, 1).cycles(), 25U) << "at 2";
        EXPECT_EQ(read(0, 3, 0).cycles(), 30U) << "at 7";
        EXPECT_EQ(last->begins, 7 * kPeriod);
    });
    run();
    EXPECT_EQ(passes->stats().passes, 5U);
}

TEST_F(SlowPassesTest, PhasesShareNoPassAndTakeACycleEach) {
    script.at(1, [&] {
        EXPECT_EQ(read(0, 1, 0, 0).cycles(), 24U);
        EXPECT_EQ(read(0, 1, 0, 1).cycles(), 24U) << "the same word in the next cycle; a path takes two anyway";
        EXPECT_EQ(read(0, 2, 0, 0).cycles(), 26U);
        EXPECT_EQ(read(4, 2, 0, 1).cycles(), 26U);
        EXPECT_EQ(read(8, 2, 0, 2).cycles(), 27U);
        EXPECT_EQ(read(12, 2, 0, 3).cycles(), 28U);
    });
    run();
    EXPECT_EQ(passes->stats().ways[2], 1U);
    EXPECT_EQ(passes->stats().ways[4], 1U);
    EXPECT_EQ(passes->stats().conflicts, 0U) << "a phase takes a pass in any case";
    EXPECT_EQ(last->passes, 4U);
    EXPECT_EQ(last->conflicts, 0U);
}

TEST_F(SlowPassesTest, FullPassesOfPhasesTakeTheIntervalEach) {
    script.at(1, [&] {
        const auto read_full = [&](unsigned phase, unsigned phases) {
            Request &request = paths.make(tlm::TLM_READ_COMMAND, 0, std::vector<std::uint8_t>(128));
            paths.attach_group(request, 1);
            auto &extension = *request.payload->get_extension<protocol::AccessGroupExtension>();
            last = &extension;
            extension.phased = true;
            extension.phase = phase;
            extension.phases = phases;
            extension.full_passes = true;
            return paths.send(request).cycles();
        };
        EXPECT_EQ(read_full(0, 1), 24U);
        EXPECT_EQ(read_full(1, 1), 26U);
        EXPECT_EQ(read_full(2, 2), 30U) << "two phases";
        EXPECT_EQ(read(0, 2, 0).cycles(), 32U);
    });
    run();
    EXPECT_EQ(passes->stats().ways[4], 1U);
    EXPECT_EQ(passes->stats().conflicts, 0U);
}

TEST_F(SlowPassesTest, WordsOfOneBankInOnePhaseAreConflicts) {
    script.at(1, [&] {
        read(0, 1, 0, 0);
        read(128, 1, 0, 0);
        read(0, 1, 0, 1);
    });
    run();
    EXPECT_EQ(passes->stats().conflicts, 1U);
    EXPECT_EQ(last->passes, 3U);
    EXPECT_EQ(last->conflicts, 1U);
}

TEST_F(SlowPassesTest, ATransactionMayStandForSeveralPhases) {
    script.at(1, [&] {
        for (const std::uint64_t cycles : {24 + 2U, 24 + 4 + 2U}) { // four phases; the same after them
            Request &request = paths.make(tlm::TLM_READ_COMMAND, 0, std::vector<std::uint8_t>(16));
            paths.attach_group(request, cycles);
            auto &extension = *request.payload->get_extension<protocol::AccessGroupExtension>();
            extension.phased = true;
            extension.phases = 4;
            EXPECT_EQ(paths.send(request).cycles(), cycles);
        }
    });
    run();
    EXPECT_EQ(passes->stats().ways[4], 2U);
    EXPECT_EQ(passes->stats().conflicts, 0U);
}

TEST_F(SlowPassesTest, ThreadsWhoseAtomicsHitOneWordTakeTheIntervalEach) {
    script.at(1, [&] {
        for (unsigned lane = 0; lane < 32; ++lane) {
            Request &request = paths.make(tlm::TLM_IGNORE_COMMAND, 64, std::vector<std::uint8_t>(4));
            paths.attach_group(request, 1);
            paths.attach_atomic(request, AtomicOp::kAdd, AtomicType::kU32, 5);
            EXPECT_EQ(paths.send(request).cycles(), 24 + 6 + 2 * lane);
        }
    });
    run();
}

TEST_F(SharedMemoryTest, AtomicsReturnTheOldValueAndTakeAPassPerLaneOnAWord) {
    script.at(1, [&] {
        for (unsigned lane = 0; lane < 3; ++lane) {
            Request &request = requester.make(tlm::TLM_IGNORE_COMMAND, 64, std::vector<std::uint8_t>(4));
            requester.attach_group(request, 1);
            requester.attach_atomic(request, AtomicOp::kAdd, AtomicType::kU32, 5);
            requester.send(request);
            EXPECT_EQ(request.value(), 5U * lane);
            EXPECT_EQ(request.cycles(), 25U + lane);
        }
    });
    run();
    EXPECT_EQ(memory.stats().atomics, 3U);
    EXPECT_EQ(memory.stats().ways[3], 1U);
}

TEST_F(SharedMemoryTest, IllegalAtomicsAreRefused) {
    script.at(1, [&] {
        EXPECT_EQ(requester.atomic(AtomicOp::kAdd, AtomicType::kU64, 4, 1).status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(requester.atomic(AtomicOp::kAdd, AtomicType::kU32, 1024, 1).status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
        Request &length = requester.make(tlm::TLM_IGNORE_COMMAND, 0, std::vector<std::uint8_t>(3));
        requester.attach_atomic(length, AtomicOp::kAdd, AtomicType::kU32, 1);
        EXPECT_EQ(requester.send(length).status, tlm::TLM_BURST_ERROR_RESPONSE);
    });
    run();
    EXPECT_EQ(memory.stats().atomics, 0U);
}

TEST_F(SharedMemoryTest, AnIgnoreCommandWithoutAtomicDoesNothing) {
    script.at(1, [&] {
        Request &request = requester.make(tlm::TLM_IGNORE_COMMAND, 0, std::vector<std::uint8_t>(4, 9));
        EXPECT_EQ(requester.send(request).status, tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(request.data, std::vector<std::uint8_t>(4, 9));
    });
    run();
    EXPECT_EQ(memory.stats().accesses, 0U);
}

TEST_F(SharedMemoryTest, ByteEnablesSelectBytesAndOnlyTheirWordsTakePasses) {
    script.at(1, [&] {
        Request &write = requester.make(tlm::TLM_WRITE_COMMAND, 0, std::vector<std::uint8_t>(132, 7));
        write.enables.assign(132, 0);
        write.enables[0] = 0xff;
        write.payload->set_byte_enable_ptr(write.enables.data());
        write.payload->set_byte_enable_length(132);
        EXPECT_EQ(requester.send(write).cycles(), 19U) << "the second word of bank 0 is not enabled";
        Request &both = requester.make(tlm::TLM_READ_COMMAND, 0, std::vector<std::uint8_t>(132, 5));
        both.enables.assign(132, 0);
        both.enables[0] = both.enables[1] = both.enables[128] = 0xff;
        both.payload->set_byte_enable_ptr(both.enables.data());
        both.payload->set_byte_enable_length(132);
        EXPECT_EQ(requester.send(both).cycles(), 21U);
        EXPECT_EQ(both.data[0], 7U);
        EXPECT_EQ(both.data[1], 0U);
        EXPECT_EQ(both.data[2], 5U) << "not enabled: left alone";
        Request &wrong = requester.make(tlm::TLM_READ_COMMAND, 0, std::vector<std::uint8_t>(4));
        wrong.enables.assign(4, 1);
        wrong.payload->set_byte_enable_ptr(wrong.enables.data());
        wrong.payload->set_byte_enable_length(4);
        EXPECT_EQ(requester.send(wrong).status, tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    });
    run();
    EXPECT_EQ(memory.stats().write_bytes, 1U) << "of bytes that move";
    EXPECT_EQ(memory.stats().read_bytes, 3U);
}

TEST_F(SharedMemoryTest, AStreamingTransferWrapsToItsAddress) {
    script.at(1, [&] {
        Request &write = requester.make(tlm::TLM_WRITE_COMMAND, 1020, {1, 2, 3, 4, 5, 6, 7, 8});
        write.payload->set_streaming_width(4);
        EXPECT_EQ(requester.send(write).status, tlm::TLM_OK_RESPONSE) << "touches four bytes only";
        EXPECT_EQ(requester.read(1020, 4).data, (std::vector<std::uint8_t>{5, 6, 7, 8}));
    });
    run();
}

TEST_F(SharedMemoryTest, AddressesOutsideAreRefusedWithoutOverflow) {
    script.at(1, [&] {
        EXPECT_EQ(requester.read(1021, 4).status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(requester.read(~0ULL, 4).status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(requester.read(1020, 4).status, tlm::TLM_OK_RESPONSE);
    });
    run();
}

TEST_F(SharedMemoryTest, InvalidFieldsAreNamedByTheStatus) {
    script.at(1, [&] {
        const auto status_of = [&](auto &&spoil) {
            tlm::tlm_generic_payload payload;
            std::array<std::uint8_t, 4> bytes{};
            payload.set_read();
            payload.set_data_ptr(bytes.data());
            payload.set_data_length(4);
            payload.set_streaming_width(4);
            spoil(payload);
            return check_fields(payload);
        };
        using Gp = tlm::tlm_generic_payload;
        EXPECT_EQ(status_of([](Gp &) {}), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(status_of([](Gp &p) { p.set_streaming_width(0); }), tlm::TLM_BURST_ERROR_RESPONSE);
        EXPECT_EQ(status_of([](Gp &p) { p.set_data_length(0); }), tlm::TLM_BURST_ERROR_RESPONSE);
        EXPECT_EQ(status_of([](Gp &p) { p.set_data_ptr(nullptr); }), tlm::TLM_GENERIC_ERROR_RESPONSE);
        EXPECT_EQ(status_of([](Gp &p) { p.set_byte_enable_ptr(p.get_data_ptr()); }),
                  tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
        EXPECT_EQ(status_of([](Gp &p) { p.set_command(static_cast<tlm::tlm_command>(3)); }),
                  tlm::TLM_COMMAND_ERROR_RESPONSE);
    });
    run();
}

TEST_F(SharedMemoryTest, BlockingTransportKeepsTheSameTimes) {
    tb::ThreadScript thread("thread", [&] {
        std::array<std::uint8_t, 4> bytes{1, 2, 3, 4};
        tlm::tlm_generic_payload payload;
        payload.set_write();
        payload.set_address(16);
        payload.set_data_ptr(bytes.data());
        payload.set_data_length(4);
        payload.set_streaming_width(4);
        sc_core::sc_time delay(2, SC_NS);
        requester.port.socket->b_transport(payload, delay);
        EXPECT_EQ(payload.get_response_status(), tlm::TLM_OK_RESPONSE);
        EXPECT_TRUE(payload.is_dmi_allowed());
        EXPECT_EQ(delay, sc_core::sc_time(21, SC_NS));
        EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::SC_ZERO_TIME) << "never waits";
    });
    run();
}

TEST_F(SharedMemoryTest, DebugTransportReturnsTheBytesReallyCopied) {
    std::array<std::uint8_t, 8> bytes{1, 2, 3, 4, 5, 6, 7, 8};
    tlm::tlm_generic_payload payload;
    payload.set_write();
    payload.set_address(1020);
    payload.set_data_ptr(bytes.data());
    payload.set_data_length(8);
    run();
    EXPECT_EQ(requester.port.socket->transport_dbg(payload), 4U);
    bytes.fill(0);
    payload.set_read();
    payload.set_address(1020);
    EXPECT_EQ(requester.port.socket->transport_dbg(payload), 4U);
    EXPECT_EQ(bytes, (std::array<std::uint8_t, 8>{1, 2, 3, 4, 0, 0, 0, 0}));
    payload.set_address(1024);
    EXPECT_EQ(requester.port.socket->transport_dbg(payload), 0U);
    EXPECT_THAT(requester.checker.violations(), ::testing::IsEmpty());
}

TEST_F(SharedMemoryTest, DirectMemoryCoversAllBytesInclusively) {
    run();
    tlm::tlm_generic_payload payload;
    tlm::tlm_dmi dmi;
    payload.set_read();
    payload.set_address(100);
    ASSERT_TRUE(requester.port.socket->get_direct_mem_ptr(payload, dmi));
    EXPECT_EQ(dmi.get_start_address(), 0U);
    EXPECT_EQ(dmi.get_end_address(), 1023U);
    EXPECT_TRUE(dmi.is_read_write_allowed());
    EXPECT_EQ(dmi.get_read_latency(), sc_core::sc_time(19, SC_NS));
    payload.set_address(1024);
    EXPECT_FALSE(requester.port.socket->get_direct_mem_ptr(payload, dmi));
    EXPECT_THAT(requester.checker.violations(), ::testing::IsEmpty());
}

TEST(SharedMemory, ImpossibleConfigurationsAreRefused) {
    EXPECT_THROW(SharedMemory("a", {.bytes = 0}, kPeriod), InputError);
    EXPECT_THROW(SharedMemory("b", {.banks = 0}, kPeriod), InputError);
    EXPECT_THROW(SharedMemory("c", {.latency = 0}, kPeriod), InputError);
}

} // namespace
} // namespace smsim::memory
