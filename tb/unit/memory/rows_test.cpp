// Rows that accompany a transaction (model/protocol/rows.h): what the targets take of them, and that a target that
// takes none sees the same in everything except the number of transactions.
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory/global_memory.h"
#include "memory/l1_cache.h"
#include "tb/support/base_protocol_checker.h"
#include "tb/unit/memory/row_sender.h"

namespace smsim::memory {
namespace {

using tb::kPeriod;
using tb::SentAccess;
using tb::SentRow;

SentRow word_at(std::uint64_t address, std::uint32_t value = 0) {
    SentRow row;
    row.address = address;
    row.data.resize(4);
    std::memcpy(row.data.data(), &value, 4);
    return row;
}
SentAccess access_of(tlm::tlm_command command, std::vector<SentRow> rows) {
    SentAccess access;
    access.command = command;
    access.rows = std::move(rows);
    return access;
}
std::uint32_t value_of(const SentRow &row) {
    std::uint32_t value = 0;
    std::memcpy(&value, row.data.data(), 4);
    return value;
}

class GlobalMemoryRows : public ::testing::Test {
  protected:
    GlobalMemoryRows() {
        memory.map(0, kBytes, "data");
        sender.port.socket.bind(memory.socket);
    }
    std::uint32_t in_memory(std::uint64_t address) {
        std::array<std::uint8_t, 4> bytes{};
        memory.read(address, bytes);
        std::uint32_t value = 0;
        std::memcpy(&value, bytes.data(), 4);
        return value;
    }

    static constexpr std::uint64_t kBytes = 4096;
    GlobalMemory memory{"memory", {.latency = 20, .bytes_per_cycle = 16}, kPeriod};
    tb::RowSender sender{"sender"};
    tb::Script script{"script"};
};

TEST_F(GlobalMemoryRows, ArePerformedInTheirOrder) {
    script.at(1, [&] {
        sender.send(access_of(tlm::TLM_WRITE_COMMAND, {word_at(0, 1), word_at(64, 2), word_at(0, 3)}));
        sender.send(access_of(tlm::TLM_READ_COMMAND, {word_at(64), word_at(0), word_at(128)}));
        SentAccess atomics = access_of(tlm::TLM_IGNORE_COMMAND, {word_at(0), word_at(0), word_at(64)});
        for (SentRow &row : atomics.rows) {
            row.operand = 10;
        }
        sender.send(atomics);
    });
    sc_core::sc_start();
    EXPECT_EQ(sender.sent, 3U);
    EXPECT_EQ(sender.taken, 6U);
    EXPECT_EQ(in_memory(0), 23U);
    EXPECT_EQ(in_memory(64), 12U);
    EXPECT_EQ(value_of(sender.accesses[1].rows[0]), 2U);
    EXPECT_EQ(value_of(sender.accesses[1].rows[1]), 3U);
    EXPECT_EQ(value_of(sender.accesses[2].rows[1]), 13U) << "an atomic sees those before it";
    EXPECT_EQ(value_of(sender.accesses[2].rows[2]), 2U);
}

TEST_F(GlobalMemoryRows, EndAtTheFirstThatIsRefused) {
    script.at(1, [&] {
        sender.send(access_of(tlm::TLM_WRITE_COMMAND,
                              {word_at(0, 1), word_at(64, 2), word_at(kBytes, 3), word_at(128, 4), word_at(192, 5)}));
    });
    sc_core::sc_start();
    EXPECT_EQ(sender.sent, 3U) << "the first, the one refused, and the one after it";
    EXPECT_EQ(sender.taken, 2U);
    EXPECT_FALSE(sender.accesses[0].rows[2].is_ok);
    EXPECT_EQ(in_memory(192), 5U);
}

TEST_F(GlobalMemoryRows, AfterARefusedTransactionAreNotTaken) {
    script.at(1, [&] { sender.send(access_of(tlm::TLM_WRITE_COMMAND, {word_at(kBytes, 1), word_at(64, 2)})); });
    sc_core::sc_start();
    EXPECT_EQ(sender.sent, 2U);
    EXPECT_EQ(in_memory(64), 2U);
}

TEST_F(GlobalMemoryRows, AnAtomicThatIsMisalignedOrOfAnotherWidthEndsThem) {
    SentRow wide = word_at(128);
    wide.data.resize(8);
    script.at(1, [&] {
        sender.send(access_of(tlm::TLM_IGNORE_COMMAND, {word_at(0), word_at(4), word_at(10), word_at(8)}));
        sender.send(access_of(tlm::TLM_IGNORE_COMMAND, {word_at(0), word_at(4), wide, word_at(8)}));
    });
    sc_core::sc_start();
    EXPECT_EQ(sender.taken, 2U);
    EXPECT_FALSE(sender.accesses[0].rows[2].is_ok);
    EXPECT_FALSE(sender.accesses[1].rows[2].is_ok);
    EXPECT_TRUE(sender.accesses[1].rows[3].is_ok);
}

TEST_F(GlobalMemoryRows, ForAnotherTargetAreLeftAlone) {
    script.at(1, [&] {
        sender.send_to(&script, access_of(tlm::TLM_WRITE_COMMAND, {word_at(0, 1), word_at(64, 2), word_at(128, 3)}));
    });
    sc_core::sc_start();
    EXPECT_EQ(sender.sent, 3U);
    EXPECT_EQ(in_memory(128), 3U);
}

/// Takes writes and their rows at once, and reads later.
class LateReads final : public sc_core::sc_module {
  public:
    protocol::Target<protocol::MemoryLink> socket{"socket"};
    std::vector<std::size_t> offered; ///< with each write

    explicit LateReads(const sc_core::sc_module_name &name) : sc_module(name) {
        socket.on_request<&LateReads::request>(this);
        SC_HAS_PROCESS(LateReads);
        SC_METHOD(respond);
        sensitive << due_;
        dont_initialize();
    }

  private:
    tlm::tlm_sync_enum request(unsigned, Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &) {
        if (payload.is_read()) {
            reads_.push_back(&payload);
            due_.notify(50 * kPeriod);
            phase = tlm::END_REQ;
            return tlm::TLM_UPDATED;
        }
        auto *rows = protocol::rows_for(socket.identity(), payload);
        offered.push_back(rows == nullptr ? 0 : rows->offered.size());
        if (rows != nullptr) {
            rows->taken = rows->offered.size();
        }
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    void respond() {
        for (Payload *payload : std::exchange(reads_, {})) {
            payload->set_response_status(tlm::TLM_OK_RESPONSE);
            tlm::tlm_phase phase = tlm::BEGIN_RESP;
            sc_core::sc_time delay;
            socket->nb_transport_bw(*payload, phase, delay);
        }
    }
    std::vector<Payload *> reads_;
    sc_core::sc_event due_;
};

class L1Rows : public ::testing::Test {
  protected:
    L1Rows() { sender.port.socket.bind(cache.socket); }

    L1Cache cache{"cache", {.bytes = 512, .line_bytes = 64, .ways = 2, .latency = 3, .mshrs = 4}, kPeriod};
    tb::RowSender sender{"sender"};
    tb::Script script{"script"};
};

TEST_F(L1Rows, AreHitsUpToTheFirstMiss) {
    GlobalMemory memory("memory", {.latency = 20, .bytes_per_cycle = 16}, kPeriod);
    memory.map(0, 4096, "data");
    cache.memory_socket().bind(memory.socket);
    script.at(1, [&] { sender.send(access_of(tlm::TLM_READ_COMMAND, {word_at(0), word_at(64), word_at(192)})); });
    script.at(100, [&] {
        sender.sent = 0;
        sender.send(
            access_of(tlm::TLM_READ_COMMAND, {word_at(0), word_at(64), word_at(4), word_at(128), word_at(192)}));
    });
    sc_core::sc_start();
    EXPECT_EQ(sender.sent, 2U) << "the first with two hits, the miss with the hit after it";
    EXPECT_EQ(sender.taken, 3U);
    const std::vector<SentRow> &rows = sender.accesses[1].rows;
    EXPECT_TRUE(rows[2].cache_hit);
    EXPECT_FALSE(rows[3].cache_hit);
    EXPECT_TRUE(rows[4].cache_hit);
    EXPECT_EQ(rows[1].when, rows[0].when);
}

TEST_F(L1Rows, AWriteThatWaitsForAnOlderReadIsNotOfferedBelow) {
    LateReads memory("memory");
    cache.memory_socket().bind(memory.socket);
    script.at(1, [&] {
        sender.send(access_of(tlm::TLM_READ_COMMAND, {word_at(64)}));
        sender.send(
            access_of(tlm::TLM_WRITE_COMMAND, {word_at(0, 1), word_at(128, 2), word_at(64, 3), word_at(192, 4)}));
    });
    sc_core::sc_start();
    EXPECT_THAT(memory.offered, ::testing::ElementsAre(1, 0, 0)) << "the others come when the read has been answered";
    EXPECT_EQ(sender.taken, 1U);
}

// --- everything at random ------------------------------------------------------------------------------------------

/// Sender, L1 or none, and memory; with a checker in between that takes no rows.
class System {
  public:
    enum class Between : std::uint8_t { kNothing, kAboveTheL1, kBelowTheL1 };
    struct Design {
        std::optional<L1Config> l1;
        bool with_all = false; ///< an L2, jitter, and time for atomics
    };

    System(const std::string &name, const Design &design, Between between)
        : sender((name + "_sender").c_str()),
          memory((name + "_memory").c_str(),
                 {.latency = 20, .bytes_per_cycle = 16, .atomic_latency = design.with_all ? 7U : 0U}, kPeriod, 1,
                 timing::Jitter({.seed = design.with_all ? 5U : 0U, .max = 9}, timing::Jitter::Part::kMemory),
                 design.with_all ? L2Config{.bytes = 1024, .line_bytes = 64, .sector_bytes = 32, .ways = 2}
                                 : L2Config{.bytes = 0}) {
        memory.map(0, kBytes, "data");
        if (design.l1) {
            cache.emplace((name + "_cache").c_str(), *design.l1, kPeriod);
            join(sender.port.socket, cache->socket, between == Between::kAboveTheL1, name);
            join(cache->memory_socket(), memory.socket, between == Between::kBelowTheL1, name);
        } else {
            join(sender.port.socket, memory.socket, between != Between::kNothing, name);
        }
    }
    std::vector<std::uint8_t> contents() {
        std::vector<std::uint8_t> bytes(kBytes);
        memory.read(0, bytes);
        return bytes;
    }
    /// All counters, and the use of all units over time.
    std::vector<std::uint64_t> counted(Cycle end) const {
        GlobalMemoryStats stats;
        UnitUses uses;
        if (cache) {
            cache->collect(stats);
            cache->add_use(end, uses);
        }
        memory.collect(stats);
        memory.add_use(end, uses);
        std::vector<std::uint64_t> all(sizeof stats / sizeof(std::uint64_t));
        std::memcpy(all.data(), &stats, sizeof stats);
        for (const UnitUse &use : uses) {
            for (const UseSeries &series : use.instances) {
                all.insert(all.end(), series.intervals().begin(), series.intervals().end());
            }
        }
        return all;
    }

    static constexpr std::uint64_t kBytes = 2048;
    tb::RowSender sender;
    std::optional<L1Cache> cache;
    GlobalMemory memory;
    std::unique_ptr<tb::BaseProtocolChecker> checker; ///< null: there is none

  private:
    void join(protocol::Initiator<protocol::MemoryLink> &from, protocol::Target<protocol::MemoryLink> &to,
              bool with_checker, const std::string &name) {
        if (!with_checker) {
            from.bind(to);
            return;
        }
        checker = std::make_unique<tb::BaseProtocolChecker>((name + "_checker").c_str());
        from.bind(checker->from_initiator);
        checker->to_target.bind(to);
    }
};

SentAccess random_access(std::mt19937 &random) {
    const auto draw = [&](unsigned below) { return static_cast<unsigned>(random() % below); };
    SentAccess access;
    const unsigned kind = draw(10);
    access.command = kind < 5 ? tlm::TLM_READ_COMMAND : kind < 9 ? tlm::TLM_WRITE_COMMAND : tlm::TLM_IGNORE_COMMAND;
    access.op = draw(2) == 0 ? isa::AtomicOp::kAdd : isa::AtomicOp::kCas;
    access.type = draw(2) == 0 ? isa::AtomicType::kU32 : isa::AtomicType::kU64;
    access.bypass_l1 = access.command == tlm::TLM_READ_COMMAND && draw(5) == 0;
    for (unsigned n = 1 + draw(12); n > 0; --n) {
        SentRow row;
        const bool is_atomic = access.command == tlm::TLM_IGNORE_COMMAND;
        const unsigned bytes = is_atomic ? isa::atomic_bytes(access.type) : 4U << draw(4);
        // Some beyond the end; of the others each is aligned to its size.
        row.address = draw(System::kBytes + 40) / bytes * bytes;
        for (unsigned i = 0; i < bytes; ++i) {
            row.data.push_back(static_cast<std::uint8_t>(draw(256)));
        }
        if (access.command == tlm::TLM_WRITE_COMMAND && draw(4) == 0) {
            for (unsigned i = 0; i < bytes; ++i) {
                row.enables.push_back(draw(2) == 0 ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED);
            }
        }
        row.operand = draw(1000);
        row.compare = draw(2);
        access.rows.push_back(std::move(row));
    }
    return access;
}

const System::Design kDesigns[] = {
    {.l1 = L1Config{.bytes = 512, .line_bytes = 64, .ways = 2, .latency = 3, .mshrs = 4}},
    {.l1 = L1Config{.bytes = 1024, .line_bytes = 256, .sector_bytes = 32, .ways = 2, .latency = 3, .mshrs = 4}},
    {.l1 = L1Config{.bytes = 1024, .line_bytes = 128, .sector_bytes = 32, .ways = 4, .latency = 40, .mshrs = 1}},
    {.l1 = L1Config{.bytes = 1024, .line_bytes = 64, .ways = 2, .latency = 3, .bytes_per_cycle = 8, .mshrs = 4}},
    {.l1 = L1Config{.bytes = 1024, .line_bytes = 32, .ways = 2, .latency = 3, .mshrs = 4}},
    {.l1 = L1Config{.bytes = 1024, .line_bytes = 64, .ways = 2, .latency = 3, .mshrs = 4}, .with_all = true},
    {.l1 = L1Config{.bytes = 1024,
                    .line_bytes = 128,
                    .sector_bytes = 32,
                    .ways = 4,
                    .latency = 40,
                    .mshrs = 1,
                    .replacement = L1ReplacementKind::kRandom,
                    .bypass = L1BypassKind::kStalled}},
    {.l1 = L1Config{.bytes = 1024,
                    .line_bytes = 64,
                    .ways = 2,
                    .latency = 3,
                    .mshrs = 4,
                    .replacement = L1ReplacementKind::kSrrip,
                    .bypass = L1BypassKind::kLowReuse},
     .with_all = true},
    {.l1 = {}},
    {.l1 = {}, .with_all = true},
};

class RandomRowsTest : public ::testing::TestWithParam<std::tuple<std::size_t, unsigned>> {};

TEST_P(RandomRowsTest, TargetsThatTakeRowsGiveTheResultsOfSingleTransactions) {
    const System::Design &design = kDesigns[std::get<0>(GetParam())];
    System direct("direct", design, System::Between::kNothing);
    System above("above", design, System::Between::kAboveTheL1);
    System below("below", design, System::Between::kBelowTheL1);
    tb::Script script("script");
    std::mt19937 random(std::get<1>(GetParam()));
    std::size_t rows = 0;
    std::uint64_t cycle = 1;
    for (unsigned i = 0; i < 1000; ++i, cycle += random() % 3 == 0 ? 0 : random() % 200) {
        const SentAccess access = random_access(random);
        const sc_core::sc_time delay = static_cast<double>(random() % 6) / 2 * kPeriod; // also half a cycle
        rows += access.rows.size();
        script.at(cycle, [&direct, &above, &below, access, delay] {
            for (System *system : {&direct, &above, &below}) {
                system->sender.send(access, delay);
            }
        });
    }
    sc_core::sc_start();

    for (System *other : {&above, &below}) {
        for (std::size_t i = 0; i < direct.sender.accesses.size(); ++i) {
            const SentAccess &mine = direct.sender.accesses[i];
            for (std::size_t n = 0; n < mine.rows.size(); ++n) {
                const SentRow &row = mine.rows[n];
                const SentRow &same = other->sender.accesses[i].rows[n];
                ASSERT_TRUE(row.is_done && same.is_done);
                ASSERT_EQ(std::tie(row.is_ok, row.when, row.cache_hit, row.data),
                          std::tie(same.is_ok, same.when, same.cache_hit, same.data))
                    << "row " << n << " of access " << i;
            }
        }
        EXPECT_EQ(direct.contents(), other->contents());
        EXPECT_TRUE(direct.counted(cycle + 10000) == other->counted(cycle + 10000));
        EXPECT_THAT(other->checker->final_violations(), ::testing::IsEmpty());
    }
    EXPECT_EQ(above.sender.taken, 0U) << "a module in between gets each as a separate transaction";
    EXPECT_EQ(above.checker->transactions(), rows);
    EXPECT_GT(direct.sender.taken, rows / 16);
    EXPECT_GT(direct.sender.taken, below.sender.taken) << "changes go on to the memory, or are not taken";
    EXPECT_EQ(direct.sender.sent + direct.sender.taken, rows);
    EXPECT_EQ(direct.sender.in_use(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Designs, RandomRowsTest,
                         ::testing::Combine(::testing::Range(std::size_t{0}, std::size(kDesigns)),
                                            ::testing::Values(1U, 2U)));

} // namespace
} // namespace smsim::memory
