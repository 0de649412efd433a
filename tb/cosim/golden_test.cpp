// The golden model's C interface for barrier unit, sleep timer and shared memory, and what all units have in common:
// it behaves as the cores do, and rejects impossible requests with a status.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tb/cosim/golden_support.h"

namespace smsim::golden {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// --- barrier unit

/// Warps 4, 2 and 6 are warps 0, 1 and 2 of the CTA in slot 1.
Bcu three_warps() {
    Bcu unit = new_bcu();
    std::uint32_t number = 0;
    for (const std::uint32_t warp : {4U, 2U, 6U}) {
        EXPECT_EQ(smsim_golden_bcu_start(unit.get(), warp, 1, number++, 3), SMSIM_GOLDEN_OK) << smsim_golden_error();
    }
    return unit;
}

std::vector<unsigned> released(const smsim_golden_bcu_release &release) {
    return {release.warp, release.warp + release.count};
}

TEST(GoldenBcu, TheLastArrivalLetsAllGoInTheOrderOfTheirNumbers) {
    const Bcu unit = three_warps();
    const smsim_golden_bcu_request asked = operation("BAR.RED.POPC 3, 0, P0", 0xff);
    smsim_golden_bcu_answer answer;
    smsim_golden_bcu_release release;
    for (const std::uint32_t warp : {6U, 4U}) {
        ASSERT_EQ(smsim_golden_bcu_operate(unit.get(), warp, &asked, &answer, &release), SMSIM_GOLDEN_OK);
        EXPECT_EQ(answer.kind, static_cast<std::uint32_t>(SMSIM_GOLDEN_ACK));
        EXPECT_EQ(answer.blocked, 1U);
        EXPECT_EQ(release.count, 0U);
    }
    std::uint32_t words[16];
    ASSERT_EQ(smsim_golden_bcu_read_words(unit.get(), 1, words), SMSIM_GOLDEN_OK);
    EXPECT_EQ(words[3], 2U | 2U << 14 | 2U << 16 | 16U << 19);
    smsim_golden_bcu_warp state;
    ASSERT_EQ(smsim_golden_bcu_read_warp(unit.get(), 6, &state), SMSIM_GOLDEN_OK);
    EXPECT_THAT((std::array{state.resident, state.cta, state.number, state.blocked, state.barrier, state.word}),
                ElementsAre(1, 1, 2, 1, 3, 0));
    ASSERT_EQ(smsim_golden_bcu_operate(unit.get(), 2, &asked, &answer, &release), SMSIM_GOLDEN_OK);
    EXPECT_EQ(answer.kind, static_cast<std::uint32_t>(SMSIM_GOLDEN_RELEASED));
    EXPECT_THAT(released(release), ElementsAre(4, 2, 6));
    EXPECT_EQ(release.barrier[2], 3U);
    const smsim_golden_bcu_request result = operation("B2R.RESULT R1");
    ASSERT_EQ(smsim_golden_bcu_operate(unit.get(), 2, &result, &answer, nullptr), SMSIM_GOLDEN_OK);
    EXPECT_THAT((std::array{answer.kind, answer.value, answer.writes, answer.undefined}),
                ElementsAre(SMSIM_GOLDEN_MOVE, 24, 1, 0));
}

TEST(GoldenBcu, AnExitCompletesABarrierOfAllWarps) {
    const Bcu unit = three_warps();
    const smsim_golden_bcu_request asked = operation("BAR.SYNC 7");
    smsim_golden_bcu_answer answer;
    smsim_golden_bcu_release release;
    for (const std::uint32_t warp : {2U, 4U}) {
        ASSERT_EQ(smsim_golden_bcu_operate(unit.get(), warp, &asked, &answer, &release), SMSIM_GOLDEN_OK);
    }
    ASSERT_EQ(smsim_golden_bcu_exit(unit.get(), 6, &release), SMSIM_GOLDEN_OK);
    EXPECT_THAT(released(release), ElementsAre(4, 2));
    EXPECT_EQ(smsim_golden_bcu_exit(unit.get(), 6, &release), SMSIM_GOLDEN_BAD_STATE);
    EXPECT_STREQ(smsim_golden_error(), "no warp runs in slot 6");
}

TEST(GoldenBcu, AnExceptionIsAnAnswer) {
    const Bcu unit = three_warps();
    const smsim_golden_bcu_request asked = operation("BAR.SYNC 1, 33");
    smsim_golden_bcu_answer answer;
    ASSERT_EQ(smsim_golden_bcu_operate(unit.get(), 2, &asked, &answer, nullptr), SMSIM_GOLDEN_OK);
    EXPECT_STREQ(smsim_golden_fault_name(answer.fault), "BarrierCount");
}

TEST(GoldenBcu, RefusesWarpsThatCannotDoIt) {
    const Bcu unit = three_warps();
    const smsim_golden_bcu_request asked = operation("BAR.SYNC 1");
    smsim_golden_bcu_answer answer;
    ASSERT_EQ(smsim_golden_bcu_operate(unit.get(), 2, &asked, &answer, nullptr), SMSIM_GOLDEN_OK);
    EXPECT_EQ(smsim_golden_bcu_operate(unit.get(), 2, &asked, &answer, nullptr), SMSIM_GOLDEN_BAD_STATE);
    EXPECT_STREQ(smsim_golden_error(), "warp 2 is blocked at barrier 1");
    EXPECT_EQ(smsim_golden_bcu_exit(unit.get(), 2, nullptr), SMSIM_GOLDEN_BAD_STATE);
    EXPECT_EQ(smsim_golden_bcu_operate(unit.get(), 0, &asked, &answer, nullptr), SMSIM_GOLDEN_BAD_STATE);
    EXPECT_EQ(smsim_golden_bcu_operate(unit.get(), 8, &asked, &answer, nullptr), SMSIM_GOLDEN_BAD_ARGUMENT);
    EXPECT_EQ(smsim_golden_bcu_start(unit.get(), 2, 0, 0, 1), SMSIM_GOLDEN_BAD_STATE) << "the slot is in use";
    EXPECT_EQ(smsim_golden_bcu_start(unit.get(), 0, 1, 2, 3), SMSIM_GOLDEN_BAD_STATE) << "number 2 has started";
    EXPECT_EQ(smsim_golden_bcu_start(unit.get(), 0, 1, 2, 4), SMSIM_GOLDEN_BAD_STATE) << "the CTA has 3 warps";
    EXPECT_EQ(smsim_golden_bcu_start(unit.get(), 0, 0, 0, 128), SMSIM_GOLDEN_BAD_ARGUMENT);
    EXPECT_THAT(smsim_golden_error(), HasSubstr("CTA of 128 warps"));
    EXPECT_EQ(smsim_golden_bcu_start(unit.get(), 0, 0, 1, 1), SMSIM_GOLDEN_BAD_ARGUMENT);
    EXPECT_EQ(smsim_golden_bcu_start(unit.get(), 0, 2, 0, 1), SMSIM_GOLDEN_BAD_ARGUMENT);
}

// --- sleep timer

TEST(GoldenTimer, ExpiresAtTheEarlierOfTwoRoundedUp) {
    const Timer timer = new_timer(8);
    std::uint64_t expiry = 0;
    ASSERT_EQ(smsim_golden_timer_request(timer.get(), 1, 98, 30, &expiry), SMSIM_GOLDEN_OK);
    EXPECT_EQ(expiry, 128U);
    ASSERT_EQ(smsim_golden_timer_request(timer.get(), 1, 99, 3, &expiry), SMSIM_GOLDEN_OK);
    EXPECT_EQ(expiry, 104U);
    ASSERT_EQ(smsim_golden_timer_request(timer.get(), 0, 99, 0, nullptr), SMSIM_GOLDEN_OK);
    std::uint32_t running = 0;
    ASSERT_EQ(smsim_golden_timer_read(timer.get(), 1, 103, &running, &expiry), SMSIM_GOLDEN_OK);
    EXPECT_EQ(running, 1U);
    EXPECT_EQ(expiry, 104U);
    std::vector<std::pair<unsigned, std::uint64_t>> told;
    std::uint32_t expired = 1;
    while (expired != 0) {
        std::uint32_t warp = 9;
        std::uint64_t cycle = 0;
        ASSERT_EQ(smsim_golden_timer_expire(timer.get(), 200, &expired, &warp, &cycle), SMSIM_GOLDEN_OK);
        if (expired != 0) {
            told.emplace_back(warp, cycle);
        }
    }
    EXPECT_THAT(told, ElementsAre(std::pair(0U, 104U), std::pair(1U, 104U)));
    ASSERT_EQ(smsim_golden_timer_read(timer.get(), 1, 104, &running, &expiry), SMSIM_GOLDEN_OK);
    EXPECT_EQ(running, 0U);
}

TEST(GoldenTimer, AStopKeepsAnAnnouncedExpiry) {
    const Timer timer = new_timer();
    ASSERT_EQ(smsim_golden_timer_request(timer.get(), 0, 10, 5, nullptr), SMSIM_GOLDEN_OK);
    ASSERT_EQ(smsim_golden_timer_request(timer.get(), 1, 10, 6, nullptr), SMSIM_GOLDEN_OK);
    for (const std::uint32_t warp : {0U, 1U}) {
        ASSERT_EQ(smsim_golden_timer_stop(timer.get(), warp, 15), SMSIM_GOLDEN_OK);
    }
    std::uint32_t expired = 0;
    std::uint32_t warp = 9;
    std::uint64_t cycle = 0;
    ASSERT_EQ(smsim_golden_timer_expire(timer.get(), 100, &expired, &warp, &cycle), SMSIM_GOLDEN_OK);
    EXPECT_EQ(expired, 1U);
    EXPECT_EQ(warp, 0U);
    ASSERT_EQ(smsim_golden_timer_expire(timer.get(), 100, &expired, &warp, &cycle), SMSIM_GOLDEN_OK);
    EXPECT_EQ(expired, 0U);
    EXPECT_EQ(smsim_golden_timer_stop(timer.get(), 4, 15), SMSIM_GOLDEN_BAD_ARGUMENT);
    EXPECT_EQ(smsim_golden_timer_request(timer.get(), 4, 15, 1, nullptr), SMSIM_GOLDEN_BAD_ARGUMENT);
}

// --- shared memory

TEST(GoldenShared, ReadsAndWritesEnabledBytesPassByPass) {
    const Shared memory = new_shared();
    smsim_golden_shared_request asked{};
    smsim_golden_shared_response given;
    asked.kind = SMSIM_GOLDEN_WRITE;
    asked.slots = 0x3;
    asked.address[1] = 0x80;
    asked.enable[0] = 0xffff;
    asked.enable[1] = 0x00f0;
    std::memset(asked.data, 0xab, sizeof asked.data);
    ASSERT_EQ(smsim_golden_shared_access(memory.get(), &asked, &given), SMSIM_GOLDEN_OK);
    EXPECT_EQ(given.passes, 2U);
    EXPECT_EQ(given.pass[0], 1U);
    EXPECT_EQ(given.pass[1], 2U) << "word 1 of both is in bank 1";
    EXPECT_EQ(given.pass[2], 0U);
    std::array<unsigned char, 16> bytes{};
    ASSERT_EQ(smsim_golden_shared_peek(memory.get(), 0x80, 16, bytes.data()), SMSIM_GOLDEN_OK);
    EXPECT_THAT(bytes, ElementsAre(0, 0, 0, 0, 0xab, 0xab, 0xab, 0xab, 0, 0, 0, 0, 0, 0, 0, 0));
    asked.kind = SMSIM_GOLDEN_READ;
    asked.slots = 0x5;
    asked.enable[0] = 0x1;
    asked.address[2] = 1024;
    asked.enable[2] = 0xffff;
    ASSERT_EQ(smsim_golden_shared_access(memory.get(), &asked, &given), SMSIM_GOLDEN_OK);
    EXPECT_EQ(given.data[0][0], 0xab);
    EXPECT_EQ(given.data[0][1], 0) << "not enabled";
    EXPECT_EQ(given.data[2][0], 0) << "out of range";
}

TEST(GoldenShared, AtomicsTakeAPassEachAndGiveTheOldValue) {
    const Shared memory = new_shared();
    const std::uint32_t five = 5;
    ASSERT_EQ(smsim_golden_shared_poke(memory.get(), 0x14, 4, &five), SMSIM_GOLDEN_OK);
    smsim_golden_shared_request asked{};
    asked.kind = SMSIM_GOLDEN_ATOMIC;
    asked.slots = 0x3;
    for (unsigned slot = 0; slot < 2; ++slot) {
        asked.address[slot] = 0x14;
        asked.data[slot][0] = 1;
    }
    smsim_golden_shared_response given;
    ASSERT_EQ(smsim_golden_shared_access(memory.get(), &asked, &given), SMSIM_GOLDEN_OK);
    EXPECT_THAT(
        (std::array<unsigned, 5>{given.passes, given.pass[0], given.pass[1], given.data[0][0], given.data[1][0]}),
        ElementsAre(2, 1, 2, 5, 6));
}

TEST(GoldenShared, RejectsInvalidRequests) {
    const Shared memory = new_shared();
    smsim_golden_shared_response given;
    const auto status = [&](auto change) {
        smsim_golden_shared_request asked{};
        asked.slots = 0x1;
        asked.enable[0] = 0xf;
        change(asked);
        return smsim_golden_shared_access(memory.get(), &asked, &given);
    };
    EXPECT_EQ(status([](auto &) {}), SMSIM_GOLDEN_OK);
    EXPECT_EQ(status([](auto &asked) { asked.kind = 3; }), SMSIM_GOLDEN_BAD_ARGUMENT);
    EXPECT_EQ(status([](auto &asked) { asked.address[0] = 8; }), SMSIM_GOLDEN_BAD_ARGUMENT);
    EXPECT_STREQ(smsim_golden_error(), "slot 0: address 0x8 is not a multiple of 16");
    EXPECT_EQ(status([](auto &asked) { asked.enable[0] = 0; }), SMSIM_GOLDEN_BAD_ARGUMENT);
    EXPECT_EQ(status([](auto &asked) { asked.enable[0] = 0x10000; }), SMSIM_GOLDEN_BAD_ARGUMENT);
    const auto atomic = [&](std::uint32_t op, std::uint32_t type, std::uint32_t address) {
        return status([=](auto &asked) {
            asked.kind = SMSIM_GOLDEN_ATOMIC;
            asked.op = op;
            asked.type = type;
            asked.address[0] = address;
        });
    };
    EXPECT_EQ(atomic(10, 0, 0), SMSIM_GOLDEN_BAD_ARGUMENT);
    EXPECT_EQ(atomic(0, 6, 0), SMSIM_GOLDEN_BAD_ARGUMENT);
    EXPECT_EQ(atomic(0, 2, 4), SMSIM_GOLDEN_BAD_ARGUMENT) << "64 bits";
    EXPECT_EQ(atomic(1, 4, 0), SMSIM_GOLDEN_BAD_ARGUMENT) << "MIN of F32";
    std::uint32_t byte = 0;
    EXPECT_EQ(smsim_golden_shared_peek(memory.get(), 1024, 1, &byte), SMSIM_GOLDEN_BAD_ARGUMENT);
    EXPECT_EQ(smsim_golden_shared_poke(memory.get(), ~0U, 4, &byte), SMSIM_GOLDEN_BAD_ARGUMENT);
    smsim_golden_shared *none = nullptr;
    EXPECT_EQ(smsim_golden_shared_create(8, 32, &none), SMSIM_GOLDEN_BAD_ARGUMENT);
    EXPECT_EQ(smsim_golden_shared_create(16, 0, &none), SMSIM_GOLDEN_BAD_ARGUMENT);
    EXPECT_EQ(none, nullptr);
}

// --- all units

TEST(Golden, HasTheVersionOfItsHeader) {
    EXPECT_EQ(smsim_golden_version(), SMSIM_GOLDEN_VERSION);
}

TEST(Golden, NullPointersAreRefused) {
    const Bru bru = new_bru();
    const Bcu bcu = new_bcu();
    const Timer timer = new_timer();
    const Shared memory = new_shared();
    std::uint32_t number = 0;
    const std::vector<int> statuses = {
        smsim_golden_bru_defaults(nullptr),
        smsim_golden_bru_create(nullptr, nullptr),
        smsim_golden_bru_start(nullptr, 0, 0, 0, 0),
        smsim_golden_bru_step(nullptr, 0, nullptr, nullptr),
        smsim_golden_bru_step(bru.get(), 0, nullptr, nullptr),
        smsim_golden_bru_expired(nullptr, 0),
        smsim_golden_bru_read_state(bru.get(), 0, nullptr),
        smsim_golden_bcu_create(1, 1, nullptr),
        smsim_golden_bcu_start(nullptr, 0, 0, 0, 1),
        smsim_golden_bcu_exit(nullptr, 0, nullptr),
        smsim_golden_bcu_operate(nullptr, 0, nullptr, nullptr, nullptr),
        smsim_golden_bcu_read_words(bcu.get(), 0, nullptr),
        smsim_golden_bcu_read_warp(bcu.get(), 0, nullptr),
        smsim_golden_timer_create(1, 1, nullptr),
        smsim_golden_timer_request(nullptr, 0, 0, 0, nullptr),
        smsim_golden_timer_stop(nullptr, 0, 0),
        smsim_golden_timer_expire(timer.get(), 0, nullptr, &number, nullptr),
        smsim_golden_timer_read(timer.get(), 0, 0, nullptr, nullptr),
        smsim_golden_shared_create(16, 1, nullptr),
        smsim_golden_shared_access(memory.get(), nullptr, nullptr),
        smsim_golden_shared_peek(memory.get(), 0, 1, nullptr),
        smsim_golden_shared_poke(nullptr, 0, 1, &number),
    };
    EXPECT_THAT(statuses, testing::Each(SMSIM_GOLDEN_BAD_ARGUMENT));
    EXPECT_STREQ(smsim_golden_operation(nullptr), "?");
    smsim_golden_bru_destroy(nullptr);
    smsim_golden_bcu_destroy(nullptr);
    smsim_golden_timer_destroy(nullptr);
    smsim_golden_shared_destroy(nullptr);
}

TEST(Golden, AHandleOfAnotherUnitIsRefused) {
    const Timer timer = new_timer();
    auto *wrong = reinterpret_cast<smsim_golden_bru *>(timer.get());
    EXPECT_EQ(smsim_golden_bru_expired(wrong, 0), SMSIM_GOLDEN_BAD_ARGUMENT);
    EXPECT_STREQ(smsim_golden_error(), "the handle is none of this unit");
    smsim_golden_bru_destroy(wrong); // nothing happens
    EXPECT_EQ(smsim_golden_timer_stop(timer.get(), 0, 0), SMSIM_GOLDEN_OK);
}

TEST(Golden, EachThreadHasItsOwnError) {
    EXPECT_EQ(smsim_golden_bru_expired(nullptr, 0), SMSIM_GOLDEN_BAD_ARGUMENT);
    std::string other = "unset";
    std::thread([&other] { other = smsim_golden_error(); }).join();
    EXPECT_EQ(other, "");
    EXPECT_STREQ(smsim_golden_error(), "the handle is null");
}

TEST(Golden, NamesOperationsAndExceptions) {
    std::uint32_t insn[4];
    put_word(instruction("BSYNC B2"), insn);
    EXPECT_STREQ(smsim_golden_operation(insn), "BSYNC");
    insn[0] = 0;
    EXPECT_STREQ(smsim_golden_operation(insn), "?");
    EXPECT_STREQ(smsim_golden_fault_name(0), "none");
    EXPECT_STREQ(smsim_golden_fault_name(11), "BarrierBusy");
    EXPECT_STREQ(smsim_golden_fault_name(19), "?");
}

} // namespace
} // namespace smsim::golden
