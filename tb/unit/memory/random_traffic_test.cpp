// Random traffic through the L1 compared with a flat reference: every read returns what a memory without cache and
// timing would return in the order of requests, whatever legal phases and delays the memory below chooses.
#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory/global_memory.h"
#include "memory/l1_cache.h"
#include "tb/unit/memory/random_target.h"
#include "tb/unit/memory/requester.h"

namespace smsim::memory {
namespace {

using tb::kPeriod;
using tb::Request;

constexpr std::uint64_t kBytes = 1000; // not a whole number of lines, or of sectors

/// Sends random requests at random times and compares.
class Traffic final : public sc_core::sc_module {
  public:
    /// Requests are up to `longest` bytes, a power of two.
    Traffic(const sc_core::sc_module_name &name, unsigned seed, unsigned count, unsigned longest = 32)
        : sc_module(name), random_(seed), left_(count), lengths_(std::bit_width(longest)) {
        SC_HAS_PROCESS(Traffic);
        SC_METHOD(run);
        sensitive << wake_;
        requester.on_done = [this](Request &request) { check(request); };
    }
    tb::Requester requester{"requester"};
    std::uint64_t compared = 0;
    std::vector<std::uint64_t> done_times; ///< in order of requests

  private:
    struct Expected {
        std::size_t number; ///< in order of requests
        tlm::tlm_response_status status;
        std::vector<std::uint8_t> data;
    };
    unsigned draw(unsigned below) { return static_cast<unsigned>(random_() % below); }

    void run() {
        for (unsigned burst = draw(4); burst > 0 && left_ > 0; --burst, --left_) {
            send_one();
        }
        if (left_ > 0) {
            wake_.notify((1 + draw(12)) * kPeriod);
        }
    }
    void send_one() {
        const unsigned kind = draw(10);
        const unsigned length = 1U << draw(lengths_);
        const std::uint64_t address = draw(kBytes + 8);
        const sc_core::sc_time delay = draw(3) * kPeriod;
        if (kind < 5) {
            Request &request = requester.make(tlm::TLM_READ_COMMAND, address, std::vector<std::uint8_t>(length));
            if (kind == 0) {
                requester.attach_group(request, left_, true);
            }
            expect(request, address, length);
            requester.send(request, delay);
        } else if (kind < 9) {
            std::vector<std::uint8_t> data(length);
            for (std::uint8_t &byte : data) {
                byte = static_cast<std::uint8_t>(draw(256));
            }
            // Until a rejection is known, present sectors have the bytes. The last one is beyond the end and is never
            // present.
            const std::uint64_t where = reference_.contains(address, length) ? address : kBytes - 1;
            Request &request = requester.make(tlm::TLM_WRITE_COMMAND, where, data);
            expect(request, where, length);
            if (expected_[&request].status == tlm::TLM_OK_RESPONSE) {
                reference_.write(where, data.data(), length);
            }
            requester.send(request, delay);
        } else {
            const std::uint64_t aligned = address & ~std::uint64_t{3};
            Request &request = requester.make(tlm::TLM_IGNORE_COMMAND, aligned, std::vector<std::uint8_t>(4));
            const unsigned operand = draw(1000);
            requester.attach_atomic(request, isa::AtomicOp::kAdd, isa::AtomicType::kU32, operand);
            expect(request, aligned, 4);
            if (expected_[&request].status == tlm::TLM_OK_RESPONSE) {
                std::uint32_t value = 0;
                reference_.read(aligned, reinterpret_cast<std::uint8_t *>(&value), 4);
                value += operand;
                reference_.write(aligned, reinterpret_cast<const std::uint8_t *>(&value), 4);
            }
            requester.send(request, delay);
        }
    }
    void expect(Request &request, std::uint64_t address, unsigned length) {
        Expected &expected = expected_[&request];
        expected.number = done_times.size();
        done_times.push_back(0);
        expected.status = reference_.contains(address, length) ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE;
        expected.data = request.data;
        if (expected.status == tlm::TLM_OK_RESPONSE && request.payload->get_command() != tlm::TLM_WRITE_COMMAND) {
            reference_.read(address, expected.data.data(), length);
        }
    }
    void check(Request &request) {
        const Expected &expected = expected_.at(&request);
        ASSERT_EQ(request.status, expected.status);
        if (request.status == tlm::TLM_OK_RESPONSE) {
            ASSERT_EQ(request.data, expected.data) << "sent at " << request.sent;
        }
        done_times[expected.number] = request.done;
        ++compared;
    }

    ByteStore reference_{kBytes};
    std::map<const Request *, Expected> expected_;
    std::mt19937 random_;
    unsigned left_;
    unsigned lengths_;
    sc_core::sc_event wake_;
};

constexpr unsigned kRequests = 4000;

/// A cache that is too small for everything, and requests of all sizes that fit its lines.
struct Cache {
    const char *name;
    L1Config config;
    unsigned longest;
};
void PrintTo(const Cache &cache, std::ostream *out) {
    *out << cache.name;
}
const Cache kCaches[] = {
    {"Lines", {.bytes = 512, .line_bytes = 64, .ways = 2, .latency = 3, .mshrs = 4}, 32},
    {"Sectors", {.bytes = 512, .line_bytes = 256, .sector_bytes = 32, .ways = 2, .latency = 3, .mshrs = 4}, 128},
    {"SectorsOneMshr", {.bytes = 512, .line_bytes = 128, .sector_bytes = 32, .ways = 4, .latency = 40, .mshrs = 1}, 64},
    {"FifoLowReuse",
     {.bytes = 512,
      .line_bytes = 64,
      .ways = 2,
      .latency = 3,
      .mshrs = 4,
      .replacement = L1ReplacementKind::kFifo,
      .bypass = L1BypassKind::kLowReuse},
     32},
    {"BrripStalled",
     {.bytes = 512,
      .line_bytes = 128,
      .sector_bytes = 32,
      .ways = 4,
      .latency = 40,
      .mshrs = 1,
      .replacement = L1ReplacementKind::kBrrip,
      .bypass = L1BypassKind::kStalled},
     64},
    {"SlowHits", {.bytes = 512, .line_bytes = 64, .ways = 2, .latency = 3, .bytes_per_cycle = 8, .mshrs = 4}, 64},
};

class RandomTrafficTest : public ::testing::TestWithParam<std::tuple<Cache, unsigned>> {
  protected:
    static const L1Config &small() { return std::get<Cache>(GetParam()).config; }
    static unsigned longest() { return std::get<Cache>(GetParam()).longest; }
    static unsigned seed() { return std::get<unsigned>(GetParam()); }
    void finish(Traffic &traffic, tb::BaseProtocolChecker &below) {
        sc_core::sc_start();
        EXPECT_EQ(traffic.compared, kRequests);
        EXPECT_EQ(traffic.requester.in_use(), 0U);
        EXPECT_THAT(traffic.requester.checker.final_violations(), ::testing::IsEmpty());
        EXPECT_THAT(below.final_violations(), ::testing::IsEmpty());
        EXPECT_GT(below.transactions(), 1000U);
    }
};

TEST_P(RandomTrafficTest, ThroughTheL1ToAForeignMemory) {
    Traffic traffic("traffic", seed(), kRequests, longest());
    L1Cache cache("cache", small(), kPeriod);
    tb::BaseProtocolChecker below("below");
    tb::RandomTarget target("target", kBytes, seed() + 1000);
    traffic.requester.bind(cache.socket);
    cache.memory_socket().bind(below.from_initiator);
    below.to_target.bind(target.socket);
    finish(traffic, below);
}

TEST_P(RandomTrafficTest, ThroughTheL1ToAMemoryThatTakesNoBursts) {
    constexpr unsigned kBurst = 32;
    Traffic traffic("traffic", seed(), kRequests, std::min(longest(), kBurst));
    L1Cache cache("cache", small(), kPeriod);
    tb::BaseProtocolChecker below("below");
    tb::RandomTarget target("target", kBytes, seed() + 2000, kBurst);
    traffic.requester.bind(cache.socket);
    cache.memory_socket().bind(below.from_initiator);
    below.to_target.bind(target.socket);
    finish(traffic, below);
}

TEST_P(RandomTrafficTest, ThroughTheL1ToGlobalMemory) {
    Traffic traffic("traffic", seed(), kRequests, longest());
    L1Cache cache("cache", small(), kPeriod);
    tb::BaseProtocolChecker below("below");
    GlobalMemory memory("memory", {.latency = 20, .bytes_per_cycle = 16}, kPeriod);
    memory.map(0, kBytes, "data");
    traffic.requester.bind(cache.socket);
    cache.memory_socket().bind(below.from_initiator);
    below.to_target.bind(memory.socket);
    finish(traffic, below);
}

TEST_P(RandomTrafficTest, TimesDoNotDependOnTheOrderOfConstruction) {
    // Two copies of one system in one simulation, constructed in opposite orders.
    auto memory = std::make_unique<GlobalMemory>("memory", GlobalMemoryConfig{.latency = 20}, kPeriod);
    auto cache = std::make_unique<L1Cache>("cache", small(), kPeriod);
    auto traffic = std::make_unique<Traffic>("traffic", seed(), kRequests, longest());
    auto traffic_2 = std::make_unique<Traffic>("traffic_2", seed(), kRequests, longest());
    auto cache_2 = std::make_unique<L1Cache>("cache_2", small(), kPeriod);
    auto memory_2 = std::make_unique<GlobalMemory>("memory_2", GlobalMemoryConfig{.latency = 20}, kPeriod);
    memory->map(0, kBytes, "data");
    memory_2->map(0, kBytes, "data");
    traffic->requester.bind(cache->socket);
    cache->memory_socket().bind(memory->socket);
    traffic_2->requester.bind(cache_2->socket);
    cache_2->memory_socket().bind(memory_2->socket);
    sc_core::sc_start();
    EXPECT_EQ(traffic->compared, kRequests);
    EXPECT_EQ(traffic->done_times, traffic_2->done_times);
    GlobalMemoryStats stats;
    GlobalMemoryStats stats_2;
    cache->collect(stats);
    cache_2->collect(stats_2);
    EXPECT_EQ(stats.l1_hits, stats_2.l1_hits);
    EXPECT_EQ(stats.l1_mshr_merges, stats_2.l1_mshr_merges);
}

INSTANTIATE_TEST_SUITE_P(Caches, RandomTrafficTest,
                         ::testing::Combine(::testing::ValuesIn(kCaches), ::testing::Values(1U, 2U, 3U, 4U)),
                         [](const auto &one) {
                             return std::string(std::get<Cache>(one.param).name) +
                                    std::to_string(std::get<unsigned>(one.param));
                         });

} // namespace
} // namespace smsim::memory
