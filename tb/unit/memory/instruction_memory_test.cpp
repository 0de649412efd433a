// Instruction memory alone: words, decoded instructions, L0 times, errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory/instruction_memory.h"
#include "model/error.h"
#include "tb/unit/memory/requester.h"

namespace smsim::memory {
namespace {

using tb::kPeriod;
using tb::Request;

Program nops(std::size_t count) {
    Program program;
    program.code.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        program.code[i].pc = i * kInstructionBytes;
        program.code[i].unit = program.code[i].spec().unit;
        program.code[i].stall = static_cast<std::uint8_t>(1 + i % 15);
    }
    return program;
}

class InstructionMemoryTest : public ::testing::Test {
  protected:
    InstructionMemoryTest() {
        requester.bind(memory.socket(0));
        other.bind(memory.socket(1));
        memory.place(program);
    }
    void run() {
        sc_core::sc_start(5000, sc_core::SC_NS);
        EXPECT_THAT(requester.checker.final_violations(), ::testing::IsEmpty());
        EXPECT_THAT(other.checker.final_violations(), ::testing::IsEmpty());
        EXPECT_EQ(requester.in_use(), 0U);
    }
    Program program = nops(8 * 30 + 1);
    InstructionMemory memory{"memory", ICacheConfig{}, 2, kPeriod};
    tb::Requester requester{"requester"};
    tb::Requester other{"other"};
    tb::Script script{"script"};
};

TEST_F(InstructionMemoryTest, ServesTheEncodedWord) {
    script.at(1, [&] {
        Request &fetch = requester.read(32, 16);
        isa::Word word;
        std::memcpy(&word.lo, fetch.data.data(), 8);
        std::memcpy(&word.hi, fetch.data.data() + 8, 8);
        const auto decoded = isa::decode(word, 32);
        ASSERT_TRUE(std::holds_alternative<isa::Instruction>(decoded));
        EXPECT_EQ(std::get<isa::Instruction>(decoded), program.at(32));
    });
    run();
}

TEST_F(InstructionMemoryTest, LeavesTheDecodedInstructionInTheExtension) {
    protocol::DecodedExtension decoded;
    Request *fetch = nullptr;
    script.at(1, [&] {
        fetch = &requester.make(tlm::TLM_READ_COMMAND, 48, std::vector<std::uint8_t>(16));
        fetch->payload->set_extension(&decoded);
        requester.send(*fetch);
        fetch->payload->clear_extension<protocol::DecodedExtension>();
    });
    run();
    EXPECT_EQ(decoded.insn, &program.at(48));
}

TEST_F(InstructionMemoryTest, AMissTakesTheSecondLevelAndAHitTheL0) {
    script.at(10, [&] {
        EXPECT_EQ(requester.read(0, 16).cycles(), 39U);
        EXPECT_EQ(requester.read(16, 16).cycles(), 39U) << "the line is on its way";
        EXPECT_EQ(requester.read(128, 16).cycles(), 40U) << "the stream follows one cycle apart";
    });
    script.at(49, [&] { EXPECT_EQ(requester.read(16, 16).cycles(), 1U); });
    script.at(60, [&] {
        EXPECT_EQ(requester.read(std::uint64_t{8} * 128, 16).cycles(), 1U) << "eight lines ahead";
        EXPECT_EQ(requester.read(std::uint64_t{25} * 128, 16, 5 * kPeriod).cycles(), 44U);
        EXPECT_EQ(other.read(0, 16).cycles(), 39U) << "each sub-partition has its own L0";
    });
    run();
    EXPECT_EQ(memory.stats().fetches, 7U);
    EXPECT_EQ(memory.stats().l0_hits, 2U);
    EXPECT_EQ(memory.stats().l0_misses, 5U);
}

TEST_F(InstructionMemoryTest, AddressesOutsideAndWritesAreRefused) {
    script.at(1, [&] {
        EXPECT_EQ(requester.read(program.size_bytes(), 16).status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(requester.read(program.size_bytes() - 8, 16).status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(requester.read(~0ULL - 15, 16).status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(requester.write(0, {1}).status, tlm::TLM_COMMAND_ERROR_RESPONSE);
        EXPECT_EQ(requester.read(program.size_bytes() - 16, 16).status, tlm::TLM_OK_RESPONSE);
    });
    run();
}

TEST_F(InstructionMemoryTest, DebugReadsAndDirectMemoryAreReadOnly) {
    run();
    std::array<std::uint8_t, 32> bytes{};
    tlm::tlm_generic_payload payload;
    tlm::tlm_dmi dmi;
    payload.set_read();
    payload.set_address(program.size_bytes() - 16);
    payload.set_data_ptr(bytes.data());
    payload.set_data_length(32);
    EXPECT_EQ(requester.port.socket->transport_dbg(payload), 16U);
    payload.set_address(program.size_bytes() - 16);
    ASSERT_TRUE(requester.port.socket->get_direct_mem_ptr(payload, dmi));
    EXPECT_EQ(dmi.get_end_address(), program.size_bytes() - 1);
    EXPECT_FALSE(dmi.is_write_allowed());
    EXPECT_EQ(dmi.get_dmi_ptr()[payload.get_address()], bytes[0]);
    payload.set_write();
    EXPECT_EQ(requester.port.socket->transport_dbg(payload), 0U);
    payload.set_address(program.size_bytes() - 16);
    EXPECT_FALSE(requester.port.socket->get_direct_mem_ptr(payload, dmi));
    EXPECT_THAT(requester.checker.violations(), ::testing::IsEmpty());
}

/// Two lines; a third replaces the one whose last use is longer ago.
class InstructionMemoryDirectTest : public ::testing::Test {
  protected:
    static constexpr std::uint64_t kLine = 128;

    InstructionMemoryDirectTest() {
        requester.bind(memory.socket(0));
        requester.port.socket.on_invalidate<&InstructionMemoryDirectTest::on_invalidate>(this);
        memory.place(program);
    }
    void on_invalidate(sc_dt::uint64 first, sc_dt::uint64 last) { revoked.emplace_back(first, last); }
    bool ask(std::uint64_t address) {
        tlm::tlm_generic_payload payload;
        payload.set_read();
        payload.set_address(address);
        decoded.direct = nullptr;
        payload.set_extension(&decoded);
        const bool granted = requester.port.socket->get_direct_mem_ptr(payload, dmi);
        payload.clear_extension<protocol::DecodedExtension>();
        return granted;
    }
    /// Fetches, and reports the `lines` that were read before without a transaction.
    Request &fetch(std::uint64_t address, const std::vector<std::uint64_t> &lines = {}) {
        decoded.read_directly = lines;
        Request &fetch = requester.make(tlm::TLM_READ_COMMAND, address, std::vector<std::uint8_t>(16));
        fetch.payload->set_extension(&decoded);
        requester.send(fetch);
        fetch.payload->clear_extension<protocol::DecodedExtension>();
        return fetch;
    }
    void run() {
        sc_core::sc_start(1000, sc_core::SC_NS);
        EXPECT_THAT(requester.checker.final_violations(), ::testing::IsEmpty());
    }

    Program program = nops(8 * 3 + 2);
    InstructionMemory memory{"memory", ICacheConfig{.l0_bytes = 256, .prefetch_lines = 0}, 1, kPeriod};
    tb::Requester requester{"requester"};
    tb::Script script{"script"};
    protocol::DecodedExtension decoded;
    tlm::tlm_dmi dmi;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> revoked;
};

TEST_F(InstructionMemoryDirectTest, ALineInTheL0IsGrantedWithItsInstructions) {
    EXPECT_FALSE(ask(kLine)) << "it is not there";
    script.at(1, [&] { fetch(kLine); });
    script.at(100, [&] {
        ASSERT_TRUE(ask(kLine + 32));
        EXPECT_EQ(dmi.get_start_address(), kLine);
        EXPECT_EQ(dmi.get_end_address(), 2 * kLine - 1);
        EXPECT_EQ(dmi.get_read_latency(), kPeriod);
        EXPECT_FALSE(dmi.is_write_allowed());
        EXPECT_EQ(decoded.direct, &program.at(kLine));
        fetch(3 * kLine);
    });
    script.at(200, [&] {
        ASSERT_TRUE(ask(3 * kLine));
        EXPECT_EQ(dmi.get_end_address(), 3 * kLine + 31) << "the program ends there";
    });
    run();
}

TEST_F(InstructionMemoryDirectTest, AGrantEndsWhenTheLineMakesRoom) {
    script.at(1, [&] { fetch(0); });
    script.at(100, [&] { EXPECT_TRUE(ask(0)); });
    script.at(101, [&] { fetch(kLine); });
    script.at(200, [&] {
        EXPECT_THAT(revoked, ::testing::IsEmpty());
        fetch(2 * kLine);
        EXPECT_THAT(revoked, ::testing::ElementsAre(std::pair(0, kLine - 1)));
        fetch(3 * kLine);
        EXPECT_EQ(revoked.size(), 1U) << "the other line was not requested";
    });
    run();
}

TEST_F(InstructionMemoryDirectTest, ReadsWithoutATransactionCountForWhoMakesRoom) {
    script.at(1, [&] { fetch(0); });
    script.at(50, [&] { fetch(kLine); });
    script.at(100, [&] {
        EXPECT_TRUE(ask(0));
        fetch(2 * kLine, {kLine, 0});
        EXPECT_THAT(revoked, ::testing::IsEmpty()) << "line 1 was read before line 0";
    });
    script.at(200, [&] { EXPECT_EQ(fetch(0).cycles(), 1U); });
    run();
}

TEST_F(InstructionMemoryDirectTest, ReadsCountWithARefusedFetchToo) {
    script.at(1, [&] { fetch(0); });
    script.at(50, [&] { fetch(kLine); });
    script.at(100, [&] {
        EXPECT_EQ(fetch(4 * kLine, {0}).status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
        fetch(2 * kLine);
    });
    script.at(200, [&] { EXPECT_EQ(fetch(0).cycles(), 1U); });
    run();
}

TEST_F(InstructionMemoryDirectTest, AllGrantsEndWithInvalidate) {
    script.at(1, [&] { fetch(0); });
    script.at(100, [&] {
        EXPECT_TRUE(ask(0));
        memory.invalidate();
        EXPECT_THAT(revoked, ::testing::ElementsAre(std::pair(0, ~std::uint64_t{0})));
        EXPECT_FALSE(ask(0));
    });
    run();
}

TEST(InstructionMemory, WithoutL0EveryFetchTakesTheSecondLevel) {
    const Program program = nops(4);
    ICacheConfig config;
    config.l0 = false;
    InstructionMemory memory("memory", config, 1, kPeriod);
    memory.place(program);
    tb::Requester requester("requester");
    tb::Script script("script");
    requester.bind(memory.socket(0));
    script.at(1, [&] { EXPECT_EQ(requester.read(0, 16).cycles(), 39U); });
    script.at(100, [&] { EXPECT_EQ(requester.read(0, 16).cycles(), 39U); });
    sc_core::sc_start(200, sc_core::SC_NS);
    EXPECT_EQ(memory.stats().l0_misses, 2U);
}

TEST(InstructionMemory, ImpossibleConfigurationsAndProgramsAreRefused) {
    EXPECT_THROW(InstructionMemory("a", {.line_bytes = 24}, 1, kPeriod), InputError);
    EXPECT_THROW(InstructionMemory("b", {.l0_bytes = 64}, 1, kPeriod), InputError);
    EXPECT_THROW(InstructionMemory("c", {.l1_latency = 0}, 1, kPeriod), InputError);
    InstructionMemory memory("d", {}, 1, kPeriod);
    Program program = nops(1);
    program.code[0].stall = 255;
    EXPECT_THROW(memory.place(program), InputError);
}

TEST_F(InstructionMemoryTest, ProgramsAreConsecutiveAndAlignedToLines) {
    const Program second = nops(3);
    EXPECT_EQ(memory.place(second), 8U * 31 * 16) << "the first one ends with an instruction in its 31st line";
    EXPECT_EQ(memory.place(program), 0U) << "is resident already";
    EXPECT_EQ(memory.place(second), 8U * 31 * 16);
    protocol::DecodedExtension decoded;
    script.at(1, [&] {
        Request &fetch = requester.make(tlm::TLM_READ_COMMAND, 8 * 31 * 16 + 32, std::vector<std::uint8_t>(16));
        fetch.payload->set_extension(&decoded);
        requester.send(fetch);
        fetch.payload->clear_extension<protocol::DecodedExtension>();
        EXPECT_EQ(fetch.status, tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(requester.read(8 * 30 * 16 + 16, 16).status, tlm::TLM_ADDRESS_ERROR_RESPONSE) << "between the two";
    });
    run();
    EXPECT_EQ(decoded.insn, &second.at(32));
}

} // namespace
} // namespace smsim::memory
