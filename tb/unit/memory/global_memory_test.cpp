// Global memory alone: regions, timing of latency and bandwidth, atomics, debug and direct access.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory/global_memory.h"
#include "model/error.h"
#include "tb/unit/memory/requester.h"

namespace smsim::memory {
namespace {

using isa::AtomicOp;
using isa::AtomicType;
using tb::kPeriod;
using tb::Request;

class GlobalMemoryTest : public ::testing::Test {
  protected:
    GlobalMemoryTest() {
        requester.bind(memory.socket);
        memory.map(0x10000, 0x20000, "heap");
        memory.map(0x40000, 0x100, "stack");
    }
    void run() {
        sc_core::sc_start(5000, sc_core::SC_NS);
        EXPECT_THAT(requester.checker.final_violations(), ::testing::IsEmpty());
        EXPECT_EQ(requester.in_use(), 0U);
    }
    GlobalMemory memory{"memory", GlobalMemoryConfig{.latency = 250}, kPeriod};
    tb::Requester requester{"requester"};
    tb::Script script{"script"};
};

TEST_F(GlobalMemoryTest, AnIdleMemoryAnswersAfterItsLatency) {
    script.at(3, [&] { EXPECT_EQ(requester.write(0x10000, {1, 2, 3, 4}).cycles(), 250U); });
    script.at(10, [&] {
        Request &read = requester.read(0x10000, 4);
        EXPECT_EQ(read.cycles(), 250U);
        EXPECT_EQ(read.value(), 0x04030201U);
    });
    run();
}

TEST_F(GlobalMemoryTest, AnnouncingAnAccessChangesNothing) {
    memory.write(0x10100, std::vector<std::uint8_t>{1, 2, 3, 4});
    script.at(3, [&] {
        memory.expect(0x10100, 4);
        memory.expect(0x101f0, 128);
        memory.expect(0x20000, 4); // never written
        memory.expect(0x10000, 0x20000);
        EXPECT_EQ(requester.read(0x10100, 4).value(), 0x04030201U);
        EXPECT_EQ(requester.read(0x20000, 4).value(), 0U);
    });
    run();
    GlobalMemoryStats stats;
    memory.collect(stats);
    EXPECT_EQ(stats.reads, 2U);
}

TEST_F(GlobalMemoryTest, BandwidthQueuesTransfers) {
    script.at(3, [&] {
        EXPECT_EQ(requester.read(0x10000, 128).cycles(), 251U);
        EXPECT_EQ(requester.read(0x10000, 32).cycles(), 252U);
        EXPECT_EQ(requester.read(0x10000, 32).cycles(), 252U);
        EXPECT_EQ(requester.read(0x10000, 32).cycles(), 253U);
        EXPECT_EQ(requester.read(0x10000, 32, 10 * kPeriod).cycles(), 260U);
    });
    run();
    GlobalMemoryStats stats;
    memory.collect(stats);
    EXPECT_EQ(stats.reads, 5U);
    EXPECT_EQ(stats.read_bytes, 256U);
    EXPECT_EQ(stats.busy_cycles, 4U);
}

TEST_F(GlobalMemoryTest, WhatMissesInTheL2TakesLonger) {
    L2Config l2;
    l2.bytes = 4096;
    l2.miss_latency = 70;
    GlobalMemory with_l2("with_l2", GlobalMemoryConfig{.latency = 250}, kPeriod, 1, {}, l2);
    tb::Requester other("other");
    other.bind(with_l2.socket);
    with_l2.map(0x10000, 0x2000, "heap");
    const std::vector<std::uint8_t> bytes(4, 7);
    with_l2.write(0x10000, bytes);
    script.at(3, [&] {
        EXPECT_EQ(other.read(0x10000, 4).cycles(), 250U) << "the host has written it";
        EXPECT_EQ(other.read(0x11000, 4).cycles(), 320U);
        EXPECT_EQ(other.write(0x11400, {1, 2, 3, 4}).cycles(), 250U);
        EXPECT_EQ(other.atomic(AtomicOp::kAdd, AtomicType::kU32, 0x11800, 5).cycles(), 250U + 70 + 1 + 20);
    });
    run();
    GlobalMemoryStats stats;
    with_l2.collect(stats);
    EXPECT_EQ(stats.l2_hits, 1U);
    EXPECT_EQ(stats.l2_misses, 3U);
}

TEST_F(GlobalMemoryTest, AccessesOutsideOneRegionAreRefused) {
    script.at(1, [&] {
        for (const std::uint64_t address : {0ULL, 0xfffcULL + 2, 0x2fffeULL, 0x3ffffULL, 0x40100ULL, ~0ULL}) {
            EXPECT_EQ(requester.read(address, 4).status, tlm::TLM_ADDRESS_ERROR_RESPONSE) << address;
        }
        EXPECT_EQ(requester.read(0x2fffc, 4).status, tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(requester.read(0x400fc, 4).status, tlm::TLM_OK_RESPONSE);
    });
    run();
}

TEST_F(GlobalMemoryTest, AtomicsTakeLongerAndAreCounted) {
    script.at(1, [&] {
        EXPECT_EQ(requester.atomic(AtomicOp::kAdd, AtomicType::kU32, 0x10000, 5).cycles(), 270U);
        EXPECT_EQ(requester.atomic(AtomicOp::kCas, AtomicType::kU32, 0x10000, 9, 5).value(), 5U);
        EXPECT_EQ(requester.read(0x10000, 4).value(), 9U);
    });
    run();
    GlobalMemoryStats stats;
    memory.collect(stats);
    EXPECT_EQ(stats.atomics, 2U);
}

TEST_F(GlobalMemoryTest, MappingIsChecked) {
    EXPECT_THROW(memory.map(0x50000, 0, "empty"), InputError);
    EXPECT_THROW(memory.map(0x1fff0, 0x10, "inside"), InputError);
    EXPECT_THROW(memory.map(0xfff0, 0x11, "front"), InputError);
    EXPECT_THROW(memory.map(0x2ffff, 0x10, "back"), InputError);
    EXPECT_THROW(memory.map(0, 1ULL << 32, "around"), InputError);
    EXPECT_THROW(memory.map((1ULL << 36) - 1, 2, "end of the window"), InputError);
    EXPECT_THROW(memory.map(~0ULL, 2, "wrap"), InputError);
    EXPECT_THROW(memory.map(1ULL << 36, 1, "past the window"), InputError);
    EXPECT_THROW(memory.map_anywhere(1ULL << 32, 0, "empty"), InputError);
    EXPECT_THROW(memory.map_anywhere(0x2ffff, 0x10, "back"), InputError);
    EXPECT_THROW(memory.map_anywhere(~0ULL, 2, "wrap"), InputError);
    memory.map(0x30000, 0x10000, "between");
    memory.map_anywhere(1ULL << 36, 1, "past the window");
    EXPECT_EQ(memory.regions().all().size(), 4U);
}

TEST_F(GlobalMemoryTest, HostAccessRespectsRegions) {
    const std::array<std::uint8_t, 3> bytes{1, 2, 3};
    std::array<std::uint8_t, 3> back{};
    memory.write(0x1ffff, bytes);
    memory.read(0x1ffff, back);
    EXPECT_EQ(back, bytes);
    EXPECT_THROW(memory.write(0x2fffe, bytes), InputError);
    EXPECT_THROW(memory.read(0x3fffe, back), InputError);
}

TEST_F(GlobalMemoryTest, DebugTransportStopsAtTheEndOfTheRegion) {
    run();
    std::array<std::uint8_t, 8> bytes{1, 2, 3, 4, 5, 6, 7, 8};
    tlm::tlm_generic_payload payload;
    payload.set_write();
    payload.set_address(0x400fd);
    payload.set_data_ptr(bytes.data());
    payload.set_data_length(8);
    EXPECT_EQ(requester.port.socket->transport_dbg(payload), 3U);
    payload.set_read();
    payload.set_address(0x400fd);
    bytes.fill(0);
    EXPECT_EQ(requester.port.socket->transport_dbg(payload), 3U);
    EXPECT_EQ(bytes[2], 3U);
    payload.set_address(0);
    EXPECT_EQ(requester.port.socket->transport_dbg(payload), 0U);
    EXPECT_THAT(requester.checker.violations(), ::testing::IsEmpty());
}

TEST_F(GlobalMemoryTest, DirectMemoryIsGrantedPerPageInsideARegion) {
    run();
    tlm::tlm_generic_payload payload;
    tlm::tlm_dmi dmi;
    payload.set_write();
    payload.set_address(0x40010);
    ASSERT_TRUE(requester.port.socket->get_direct_mem_ptr(payload, dmi));
    EXPECT_EQ(dmi.get_start_address(), 0x40000U);
    EXPECT_EQ(dmi.get_end_address(), 0x400ffU);
    dmi.get_dmi_ptr()[0x10] = 42;
    std::array<std::uint8_t, 1> back{};
    memory.read(0x40010, back);
    EXPECT_EQ(back[0], 42U);
    payload.set_address(0x20001);
    ASSERT_TRUE(requester.port.socket->get_direct_mem_ptr(payload, dmi));
    EXPECT_EQ(dmi.get_start_address(), 0x20000U);
    EXPECT_EQ(dmi.get_end_address(), 0x20000U + PagedStore::kPageBytes - 1);
    payload.set_address(0x3ffff);
    EXPECT_FALSE(requester.port.socket->get_direct_mem_ptr(payload, dmi));
    EXPECT_THAT(requester.checker.violations(), ::testing::IsEmpty());
}

TEST(GlobalMemory, TheRestOfThePagesOfARegionIsMappedToo) {
    GlobalMemory memory("memory", GlobalMemoryConfig{}, kPeriod, 0x1000);
    tb::Requester requester("requester");
    tb::Script script("script");
    requester.bind(memory.socket);
    memory.map(0x20100, 0x20, "a");
    memory.map(0x20800, 0x10, "b");
    script.at(1, [&] {
        EXPECT_EQ(requester.read(0x20000, 128).status, tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(requester.read(0x20ffc, 4).status, tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(requester.write(0x20400, {5}).status, tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(requester.read(0x20400, 1).value(), 5U);
        EXPECT_EQ(requester.read(0x20ffe, 4).status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(requester.read(0x1fffe, 4).status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    });
    sc_core::sc_start(1000, sc_core::SC_NS);
    EXPECT_TRUE(memory.regions().holds(0x20100, 0x20));
    EXPECT_FALSE(memory.regions().holds(0x20100, 0x21)) << "what a program may touch stays exact";
    EXPECT_THROW(memory.write(0x20120, std::array<std::uint8_t, 1>{}), InputError);
}

TEST(GlobalMemory, ImpossibleConfigurationsAreRefused) {
    EXPECT_THROW(GlobalMemory("a", {.latency = 0}, kPeriod), InputError);
    EXPECT_THROW(GlobalMemory("b", {.bytes_per_cycle = 0}, kPeriod), InputError);
}

} // namespace
} // namespace smsim::memory
