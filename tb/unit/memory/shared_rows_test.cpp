// Rows that accompany a transaction to shared memory (model/protocol/rows.h): a memory that takes them gives the data,
// times, passes and counts of single transactions.
#include <memory>
#include <random>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory/shared_memory.h"
#include "tb/support/base_protocol_checker.h"
#include "tb/unit/memory/row_sender.h"

namespace smsim::memory {
namespace {

using tb::kPeriod;
using tb::SentAccess;
using tb::SentRow;

constexpr std::uint64_t kBytes = 4096;

SentRow words_at(std::uint64_t address, std::size_t words = 1) {
    SentRow row;
    row.address = address;
    row.data.resize(4 * words);
    return row;
}

/// Sender and memory, with a checker in between that takes no rows if `checked`.
struct System {
    System(const std::string &name, const SharedMemoryConfig &config, bool checked)
        : sender((name + "_sender").c_str()), memory((name + "_memory").c_str(), config, kPeriod) {
        if (!checked) {
            sender.port.socket.bind(memory.socket);
            return;
        }
        checker = std::make_unique<tb::BaseProtocolChecker>((name + "_checker").c_str());
        sender.port.socket.bind(checker->from_initiator);
        checker->to_target.bind(memory.socket);
    }
    tb::RowSender sender;
    SharedMemory memory;
    std::unique_ptr<tb::BaseProtocolChecker> checker; ///< null: there is none
};

TEST(SharedRows, AreTakenUpToTheFirstThatIsRefused) {
    System system("one", {.bytes = kBytes}, false);
    tb::Script script("script");
    script.at(1, [&] {
        SentAccess access;
        access.rows = {words_at(0), words_at(128), words_at(kBytes), words_at(256)};
        system.sender.send(access);
    });
    sc_core::sc_start();
    const SentAccess &access = system.sender.accesses.front();
    EXPECT_EQ(system.sender.sent, 3U) << "the first, the one refused, and the one after it";
    EXPECT_EQ(system.sender.taken, 1U);
    EXPECT_FALSE(access.rows[2].is_ok);
    EXPECT_TRUE(access.rows[3].is_ok);
    EXPECT_EQ(access.passes, 3U) << "three words of one bank";
    EXPECT_EQ(access.rows[1].when - access.rows[0].when, kPeriod.value());
}

TEST(SharedRows, AtomicsAreNotTaken) {
    System system("one", {.bytes = kBytes}, false);
    tb::Script script("script");
    script.at(1, [&] {
        SentAccess access;
        access.command = tlm::TLM_IGNORE_COMMAND;
        access.rows = {words_at(0), words_at(4)};
        system.sender.send(access);
    });
    sc_core::sc_start();
    EXPECT_EQ(system.sender.taken, 0U);
}

SentAccess random_access(std::mt19937 &random) {
    const auto draw = [&](unsigned below) { return static_cast<unsigned>(random() % below); };
    SentAccess access;
    access.command = draw(2) == 0 ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND;
    access.port = draw(4);
    access.phased = draw(2) == 0;
    access.full_passes = draw(2) == 0;
    for (unsigned n = 1 + draw(12); n > 0; --n) {
        SentRow row = words_at(4 * std::uint64_t{draw(kBytes / 4 + 8)}, 1 + draw(4));
        for (std::uint8_t &byte : row.data) {
            byte = static_cast<std::uint8_t>(draw(256));
        }
        for (std::size_t i = 0; draw(3) == 0 && i < row.data.size(); ++i) {
            row.enables.push_back(draw(2) == 0 ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED);
        }
        row.enables.resize(row.enables.empty() ? 0 : row.data.size(), TLM_BYTE_ENABLED);
        access.rows.push_back(std::move(row));
    }
    return access;
}

class RandomSharedRows : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(RandomSharedRows, GiveTheResultsOfSingleTransactions) {
    const SharedMemoryConfig config{.bytes = kBytes, .pass_interval = GetParam()};
    System direct("direct", config, false);
    System single("single", config, true);
    tb::Script script("script");
    std::mt19937 random(1);
    std::uint64_t cycle = 1;
    for (unsigned i = 0; i < 1000; ++i, cycle += random() % 40) {
        SentAccess access = random_access(random);
        access.group = i;
        const unsigned phases = access.phased ? 1 + static_cast<unsigned>(random() % 4) : 1;
        for (access.phase = 0; access.phase < phases; ++access.phase) {
            script.at(cycle, [&direct, &single, access] {
                direct.sender.send(access);
                single.sender.send(access);
            });
        }
    }
    sc_core::sc_start();
    for (std::size_t i = 0; i < direct.sender.accesses.size(); ++i) {
        const SentAccess &mine = direct.sender.accesses[i];
        const SentAccess &same = single.sender.accesses[i];
        ASSERT_EQ(std::tie(mine.passes, mine.conflicts, mine.begins),
                  std::tie(same.passes, same.conflicts, same.begins))
            << "access " << i;
        for (std::size_t n = 0; n < mine.rows.size(); ++n) {
            const SentRow &a = mine.rows[n];
            const SentRow &b = same.rows[n];
            ASSERT_EQ(std::tie(a.is_done, a.is_ok, a.when, a.data), std::tie(b.is_done, b.is_ok, b.when, b.data))
                << "row " << n << " of access " << i;
        }
    }
    const SharedMemoryStats one = direct.memory.stats();
    const SharedMemoryStats other = single.memory.stats();
    EXPECT_EQ(std::tie(one.accesses, one.passes, one.conflicts, one.read_bytes, one.write_bytes),
              std::tie(other.accesses, other.passes, other.conflicts, other.read_bytes, other.write_bytes));
    EXPECT_EQ(single.sender.taken, 0U);
    EXPECT_GT(direct.sender.taken, direct.sender.sent);
    EXPECT_THAT(single.checker->final_violations(), ::testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(PassIntervals, RandomSharedRows, ::testing::Values(1U, 2U, 3U));

} // namespace
} // namespace smsim::memory
