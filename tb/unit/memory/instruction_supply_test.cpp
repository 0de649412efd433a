// Instruction supply (timing.md 6): the stream buffer row by row, the L1 shared by sub-partitions, its arbitration,
// and the memory that combines them.
#include <algorithm>
#include <array>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory/instruction_arbiter.h"
#include "memory/instruction_memory.h"
#include "memory/l1_instruction_cache.h"
#include "model/error.h"
#include "tb/unit/memory/requester.h"

namespace smsim::memory {
namespace {

using tb::kPeriod;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr L0Cache::Time kMiss = 79;

L0Cache head_cache(std::uint64_t prefetch, std::uint64_t capacity = 64, std::uint64_t lines = 200) {
    L0Cache::Shape shape;
    shape.capacity = capacity;
    shape.prefetch = prefetch;
    shape.hit = 1;
    shape.miss = kMiss;
    shape.period = 1;
    shape.stream = StreamPolicy::kHead;
    L0Cache cache(shape);
    cache.add_program(lines);
    return cache;
}

/// Cycles of one warp that fetches `lines` lines of 8 instructions, each after the previous one has arrived.
L0Cache::Time straight(L0Cache &cache, std::uint64_t lines) {
    L0Cache::Time now = 0;
    for (std::uint64_t i = 0; i < lines * 8; ++i) {
        now = cache.fetch(i / 8, now).done;
    }
    return now;
}

// --- the stream buffer ---------------------------------------------------------------------------------------------

TEST(StreamBuffer, OneLinePerCycleIsRequestedAfterAMiss) {
    L0Cache cache = head_cache(3);
    EXPECT_EQ(cache.fetch(0, 0).done, kMiss);
    for (std::uint64_t line = 1; line <= 3; ++line) {
        const L0Cache::Answer answer = cache.fetch(line, 10 + line);
        EXPECT_EQ(answer.done, kMiss + line);
        EXPECT_FALSE(answer.is_hit) << "it waits for a line on its way";
        EXPECT_EQ(answer.cause, FetchCause::kStream);
    }
}

TEST(StreamBuffer, AHitOfTheHeadMovesItIntoTheL0AndAsksForOneMore) {
    L0Cache cache = head_cache(3);
    cache.fetch(0, 0);
    const L0Cache::Answer head = cache.fetch(1, 200);
    EXPECT_TRUE(head.is_hit);
    EXPECT_EQ(head.done, 201U);
    EXPECT_TRUE(cache.fetch(1, 210).is_hit) << "in the L0";
    cache.fetch(2, 220);
    cache.fetch(3, 230);
    EXPECT_EQ(cache.fetch(4, 231).done, 200 + kMiss) << "requested at the hit of the first";
    EXPECT_EQ(cache.counts().prefetches_used, 4U);
}

TEST(StreamBuffer, OnlyTheHeadHitsAndAnyOtherLineRestartsTheStream) {
    L0Cache cache = head_cache(4);
    cache.fetch(0, 0);
    const L0Cache::Answer second = cache.fetch(2, 200);
    EXPECT_EQ(second.done, 200 + kMiss) << "there, but not the head";
    EXPECT_EQ(second.cause, FetchCause::kL1);
    EXPECT_EQ(cache.counts().prefetches_unused, 4U);
    EXPECT_EQ(cache.fetch(3, 210).done, 201 + kMiss) << "the stream continues after it";
}

TEST(StreamBuffer, TheStreamStopsAtALineThatIsInTheL0) {
    L0Cache cache = head_cache(4);
    cache.fetch(5, 0);
    cache.fetch(2, 200);
    cache.fetch(3, 300);
    cache.fetch(4, 400);
    EXPECT_TRUE(cache.fetch(5, 500).is_hit);
    EXPECT_FALSE(cache.fetch(6, 600).is_hit) << "dropped when the stream restarted";
    EXPECT_EQ(cache.counts().prefetches, 6U) << "6 to 9, then 3 and 4";
}

TEST(StreamBuffer, TheStreamStopsAtTheEndOfItsProgram) {
    L0Cache cache = head_cache(4, 64, 2);
    cache.add_program(4);
    cache.fetch(0, 0);
    cache.fetch(1, 100);
    EXPECT_FALSE(cache.fetch(2, 300).is_hit);
    EXPECT_EQ(cache.counts().prefetches, 1U) << "the stream of line 2 has not begun";
}

TEST(StreamBuffer, AFetchRequestsALineThatTheStreamHasNotRequestedYet) {
    L0Cache cache = head_cache(4);
    cache.fetch(0, 0);
    const L0Cache::Answer next = cache.fetch(1, 1);
    EXPECT_EQ(next.done, 1 + kMiss);
    EXPECT_EQ(next.cause, FetchCause::kL1);
    EXPECT_EQ(cache.fetch(2, 50).done, 2 + kMiss) << "the stream continues";
    EXPECT_EQ(cache.counts().prefetches_unused, 0U);
}

TEST(StreamBuffer, WithoutOneEveryLineMisses) {
    L0Cache cache = head_cache(0);
    EXPECT_EQ(straight(cache, 20), 20 * (kMiss + 7));
    EXPECT_EQ(cache.counts().prefetches, 0U);
}

// The lines of a stream arrive in time as long as it reaches further ahead than a miss takes: 9 lines of 8
// instructions are 72 cycles, a miss is 79.
TEST(StreamBuffer, StraightCodeTakesOneMissAndEightCyclesALine) {
    L0Cache within = head_cache(8);
    EXPECT_EQ(straight(within, 9), kMiss + 9 * 8 - 1);
    L0Cache longer = head_cache(16);
    EXPECT_EQ(straight(longer, 64), kMiss + 64 * 8 - 1);
    L0Cache shorter = head_cache(8);
    L0Cache beyond = head_cache(8);
    EXPECT_EQ(straight(beyond, 18 + 90) - straight(shorter, 18), 10 * (kMiss + 7)) << "9 lines a miss";
}

TEST(StreamBuffer, ALaunchThatBeginsColdFindsNothing) {
    for (const std::uint64_t prefetch : {0, 4}) {
        L0Cache cache = head_cache(prefetch);
        cache.fetch(0, 0);
        cache.invalidate();
        EXPECT_EQ(cache.fetch(0, 200).done, 200 + kMiss);
        cache.invalidate();
        EXPECT_EQ(cache.fetch(1, 400).done, 400 + kMiss);
    }
}

// --- the L1 --------------------------------------------------------------------------------------------------------

ICacheConfig shared(std::uint32_t requests_per_cycle, std::uint32_t l1_lines = 0, std::uint32_t ways = 1) {
    ICacheConfig config;
    config.l1_latency = 78;
    config.l1_requests_per_cycle = requests_per_cycle;
    config.l1_ways = ways;
    config.l1_bytes = l1_lines * config.line_bytes;
    config.l1_miss_latency = 200;
    config.stream = StreamPolicy::kHead;
    config.prefetch_lines = 0;
    return config;
}

TEST(L1InstructionCache, HoldsEverythingWithoutASize) {
    L1InstructionCache cache(shared(1));
    for (std::uint64_t line = 0; line < 5000; ++line) {
        EXPECT_EQ(cache.request(line, line).arrives, line + 78);
    }
    EXPECT_EQ(cache.hits(), 5000U);
}

TEST(L1InstructionCache, AMissComesFromBelowAndReplacesTheLeastRecentlyUsedLineOfItsSet) {
    L1InstructionCache cache(shared(0, 4, 2)); // two sets
    EXPECT_EQ(cache.request(0, 0).arrives, 278U);
    EXPECT_EQ(cache.request(2, 1000).arrives, 1278U);
    EXPECT_TRUE(cache.request(0, 2000).is_hit);
    EXPECT_FALSE(cache.request(4, 3000).is_hit) << "takes the place of line 2";
    EXPECT_FALSE(cache.request(1, 3500).is_hit) << "in the other set";
    EXPECT_TRUE(cache.request(0, 4000).is_hit);
    EXPECT_FALSE(cache.request(2, 5000).is_hit);
    cache.invalidate();
    EXPECT_FALSE(cache.request(2, 6000).is_hit);
    EXPECT_EQ(cache.hits(), 2U);
    EXPECT_EQ(cache.misses(), 6U);
}

TEST(L1InstructionCache, ARequestForALineOnItsWayWaitsForIt) {
    L1InstructionCache cache(shared(0, 4, 2));
    cache.request(0, 0);
    const L1InstructionCache::Answer second = cache.request(0, 150);
    EXPECT_EQ(second.arrives, 278U);
    EXPECT_FALSE(second.is_hit);
    EXPECT_EQ(cache.request(0, 210).arrives, 288U);
}

TEST(L1InstructionCache, OneLineGoesBackPerCycle) {
    L1InstructionCache cache(shared(1, 4, 2));
    cache.request(1, 0); // arrives at 278
    cache.request(0, 10);
    EXPECT_EQ(cache.request(1, 200).arrives, 279U) << "278 is taken";
    L1InstructionCache two(shared(2, 4, 2));
    two.request(1, 0);
    EXPECT_EQ(two.request(1, 200).arrives, 278U);
}

TEST(L1InstructionCache, ASizeThatIsNoMultipleOfASetIsRefused) {
    EXPECT_THROW(L1InstructionCache(shared(1, 5, 2)), InputError);
}

// --- arbitration ---------------------------------------------------------------------------------------------------

class Arbitration : public ::testing::Test {
  protected:
    void build(std::size_t ports, std::uint32_t per_cycle, std::uint64_t prefetch = 0) {
        arbiter = std::make_unique<InstructionArbiter>(shared(per_cycle), 1);
        L0Cache::Shape shape;
        shape.capacity = 64;
        shape.prefetch = prefetch;
        shape.hit = 1;
        shape.period = 1;
        shape.stream = StreamPolicy::kHead;
        shape.asks = true;
        for (std::size_t i = 0; i < ports; ++i) {
            l0s.push_back(std::make_unique<L0Cache>(shape));
            l0s.back()->add_program(100);
            arbiter->add(*l0s.back());
        }
    }
    /// Port and line of the request taken in cycle `now`.
    std::vector<std::pair<std::size_t, std::uint64_t>> serve(L0Cache::Time now) {
        std::vector<InstructionArbiter::Taken> taken;
        arbiter->serve(now, taken);
        std::vector<std::pair<std::size_t, std::uint64_t>> list;
        for (const InstructionArbiter::Taken &one : taken) {
            list.emplace_back(one.port, one.request.line);
        }
        return list;
    }
    static std::pair<std::size_t, std::uint64_t> of(std::size_t port, std::uint64_t line) { return {port, line}; }
    std::unique_ptr<InstructionArbiter> arbiter;
    std::vector<std::unique_ptr<L0Cache>> l0s;
};

TEST_F(Arbitration, InTurnOverTheSubPartitionsOnePerCycle) {
    build(4, 1);
    for (const std::size_t port : {3, 1, 2, 0}) {
        EXPECT_EQ(l0s[port]->fetch(10 * port, 0).done, L0Cache::kUnknown);
    }
    EXPECT_THAT(serve(0), ElementsAre(of(0, 0)));
    l0s[0]->fetch(5, 1);
    EXPECT_EQ(arbiter->next(0), 1U);
    EXPECT_THAT(serve(1), ElementsAre(of(1, 10)));
    EXPECT_THAT(serve(2), ElementsAre(of(2, 20)));
    EXPECT_THAT(serve(3), ElementsAre(of(3, 30)));
    EXPECT_THAT(serve(4), ElementsAre(of(0, 5)));
    EXPECT_THAT(serve(5), IsEmpty());
    EXPECT_EQ(arbiter->next(5), L0Cache::kNone);
    EXPECT_EQ(l0s[2]->fetch(20, 50).done, 2 + 78U);
}

TEST_F(Arbitration, ServesEachCycleOnlyOnceHoweverOftenItIsCalled) {
    build(2, 1);
    l0s[1]->fetch(0, 0);
    EXPECT_THAT(serve(0), ElementsAre(of(1, 0)));
    l0s[0]->fetch(7, 0);
    EXPECT_THAT(serve(0), IsEmpty());
    EXPECT_THAT(serve(1), ElementsAre(of(0, 7)));
}

TEST_F(Arbitration, WithoutALimitAllAreTakenInTheirCycle) {
    build(4, 0);
    for (const auto &l0 : l0s) {
        l0->fetch(1, 0);
        l0->fetch(9, 0);
    }
    EXPECT_EQ(serve(0).size(), 8U);
}

TEST_F(Arbitration, DemandRequestsGoBeforeStreams) {
    build(2, 1, 4);
    l0s[0]->fetch(0, 0);
    EXPECT_THAT(serve(0), ElementsAre(of(0, 0)));
    EXPECT_THAT(serve(1), ElementsAre(of(0, 1)));
    l0s[1]->fetch(50, 2);
    EXPECT_THAT(serve(2), ElementsAre(of(1, 50)));
    EXPECT_THAT(serve(3), ElementsAre(of(1, 51))) << "streams in turn";
    EXPECT_THAT(serve(4), ElementsAre(of(0, 2)));
    EXPECT_THAT(serve(5), ElementsAre(of(1, 52)));
}

TEST_F(Arbitration, AStreamThatRestartsTakesItsRequestBack) {
    build(2, 1, 4);
    l0s[0]->fetch(0, 0);
    serve(0);
    l0s[0]->fetch(70, 1);
    EXPECT_THAT(serve(1), ElementsAre(of(0, 70)));
    EXPECT_THAT(serve(2), ElementsAre(of(0, 71)));
}

// --- the memory ----------------------------------------------------------------------------------------------------

Program nops(std::size_t count) {
    Program program;
    program.code.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        program.code[i].pc = i * kInstructionBytes;
        program.code[i].unit = program.code[i].spec().unit;
    }
    return program;
}

struct Bench {
    Program program = nops(8 * 200);
    InstructionMemory memory;
    std::vector<std::unique_ptr<tb::Requester>> requesters;
    tb::Script script{"script"};

    Bench(const ICacheConfig &config, unsigned ports) : memory("memory", config, ports, kPeriod) {
        for (unsigned i = 0; i < ports; ++i) {
            requesters.push_back(std::make_unique<tb::Requester>(("requester" + std::to_string(i)).c_str()));
            requesters.back()->bind(memory.socket(i));
        }
        memory.place(program);
    }
    void run() {
        sc_core::sc_start(5000, sc_core::SC_NS);
        for (const auto &requester : requesters) {
            EXPECT_THAT(requester->checker.final_violations(), IsEmpty());
            EXPECT_EQ(requester->in_use(), 0U);
        }
    }
};

void requests_of_one_cycle(unsigned ports, bool reverse) {
    Bench bench(shared(1), ports);
    std::vector<const tb::Request *> misses(ports);
    std::vector<const tb::Request *> behind(ports);
    bench.script.at(10, [&] {
        for (unsigned i = 0; i < ports; ++i) {
            const unsigned port = reverse ? ports - 1 - i : i;
            misses[port] = &bench.requesters[port]->read(std::uint64_t{128} * port, 16);
            behind[port] = &bench.requesters[port]->read(std::uint64_t{128} * port + 16, 16);
            EXPECT_FALSE(misses[port]->is_done);
        }
    });
    bench.script.at(200, [&] {
        for (unsigned port = 0; port < ports; ++port) {
            EXPECT_EQ(bench.requesters[port]->read(std::uint64_t{128} * port, 16).cycles(), 1U) << "in the L0";
        }
    });
    bench.run();
    for (unsigned port = 0; port < ports; ++port) {
        EXPECT_EQ(misses[port]->cycles(), 78U + port) << port;
        EXPECT_EQ(behind[port]->cycles(), 78U + port) << "with the same line";
    }
    EXPECT_EQ(bench.memory.stats().l1_hits, ports);
}

TEST(InstructionSupply, TwoSubPartitionsThatAskInOneCycleAreServedInTurn) {
    requests_of_one_cycle(2, false);
}
TEST(InstructionSupply, TwoSubPartitionsInTheOtherOrderGetTheSame) {
    requests_of_one_cycle(2, true);
}
TEST(InstructionSupply, FourSubPartitionsThatAskInOneCycleAreServedInTurn) {
    requests_of_one_cycle(4, false);
}
TEST(InstructionSupply, FourSubPartitionsInTheOtherOrderGetTheSame) {
    requests_of_one_cycle(4, true);
}

TEST(InstructionSupply, SubPartitionsShareTheLinesOfTheL1) {
    Bench bench(shared(1, 16, 4), 2);
    const tb::Request *first = nullptr;
    const tb::Request *second = nullptr;
    const tb::Request *later = nullptr;
    bench.script.at(10, [&] { first = &bench.requesters[0]->read(0, 16); });
    bench.script.at(500, [&] { second = &bench.requesters[1]->read(0, 16); });
    bench.script.at(600, [&] { bench.memory.invalidate(); });
    bench.script.at(700, [&] { later = &bench.requesters[1]->read(0, 16); });
    bench.run();
    EXPECT_EQ(first->cycles(), 278U);
    EXPECT_EQ(second->cycles(), 78U);
    EXPECT_EQ(later->cycles(), 278U) << "after the start of a launch";
    EXPECT_EQ(bench.memory.stats().l1_hits, 1U);
    EXPECT_EQ(bench.memory.stats().l1_misses, 2U);
}

TEST(InstructionSupply, TheStreamGoesThroughTheL1) {
    ICacheConfig config = shared(1, 16, 4);
    config.prefetch_lines = 2;
    Bench bench(config, 1);
    std::array<const tb::Request *, 2> reads{};
    bench.script.at(10, [&] { reads[0] = &bench.requesters[0]->read(0, 16); });
    bench.script.at(100, [&] { reads[1] = &bench.requesters[0]->read(128, 16); });
    bench.run();
    EXPECT_EQ(reads[1]->done, reads[0]->done + 1) << "requested a cycle later, also from below the L1";
    EXPECT_EQ(bench.memory.stats().prefetches, 3U);
    EXPECT_EQ(bench.memory.stats().prefetches_used, 1U);
}

TEST(InstructionSupply, ALineThatTheStreamHasNotGotIsAskedForByItsFetchWithNextUse) {
    ICacheConfig config = shared(1);
    config.stream = StreamPolicy::kNextUse;
    config.prefetch_lines = 4;
    Bench bench(config, 1);
    std::array<const tb::Request *, 3> reads{};
    bench.script.at(10, [&] { reads[0] = &bench.requesters[0]->read(0, 16); });
    bench.script.at(11, [&] { reads[1] = &bench.requesters[0]->read(std::uint64_t{3} * 128, 16); });
    bench.script.at(20, [&] { reads[2] = &bench.requesters[0]->read(128, 16); });
    bench.run();
    EXPECT_EQ(reads[0]->done, 88U);
    EXPECT_EQ(reads[1]->done, 89U) << "in front of the lines before it";
    EXPECT_EQ(reads[2]->done, 90U);
}

TEST(InstructionSupply, WithoutL0EveryFetchAsksTheL1) {
    ICacheConfig config = shared(1);
    config.l0 = false;
    Bench bench(config, 2);
    std::array<const tb::Request *, 3> reads{};
    bench.script.at(10, [&] {
        reads[0] = &bench.requesters[0]->read(0, 16);
        reads[1] = &bench.requesters[1]->read(0, 16);
    });
    bench.script.at(100, [&] { reads[2] = &bench.requesters[0]->read(0, 16); });
    bench.run();
    EXPECT_EQ(reads[0]->cycles(), 78U);
    EXPECT_EQ(reads[1]->cycles(), 79U);
    EXPECT_EQ(reads[2]->cycles(), 78U);
}

TEST(InstructionSupply, AReadOfSeveralLinesWaitsForTheLast) {
    Bench bench(shared(1), 1);
    const tb::Request *read = nullptr;
    bench.script.at(10, [&] { read = &bench.requesters[0]->read(64, 256); });
    bench.run();
    EXPECT_EQ(read->cycles(), 80U) << "three lines, one per cycle";
}

TEST(InstructionSupply, RequestsBetweenTwoCyclesAreTakenInTheNext) {
    Bench bench(shared(1), 1);
    const tb::Request *read = nullptr;
    bench.script.at(10, [&] { read = &bench.requesters[0]->read(0, 16, sc_core::sc_time(500, sc_core::SC_PS)); });
    bench.run();
    EXPECT_EQ(read->done, 89U);
}

TEST(InstructionSupply, BlockingTransportWaitsForTheLine) {
    Bench bench(shared(1, 16, 4), 1);
    std::array<unsigned char, 16> bytes{};
    sc_core::sc_time end;
    const tb::ThreadScript thread("thread", [&] {
        sc_core::wait(10 * kPeriod);
        tlm::tlm_generic_payload payload;
        payload.set_read();
        payload.set_address(32);
        payload.set_data_ptr(bytes.data());
        payload.set_data_length(16);
        payload.set_streaming_width(16);
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        bench.requesters[0]->port.socket->b_transport(payload, delay);
        end = sc_core::sc_time_stamp() + delay;
        EXPECT_EQ(payload.get_response_status(), tlm::TLM_OK_RESPONSE);
    });
    sc_core::sc_start(5000, sc_core::SC_NS);
    EXPECT_EQ(end, 288 * kPeriod);
}

} // namespace
} // namespace smsim::memory
