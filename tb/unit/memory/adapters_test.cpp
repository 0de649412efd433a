// Adapters between the memory sockets of the model and targets of other kinds.
#include <array>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory/blocking_adapter.h"
#include "memory/byte_store.h"
#include "memory/memory_arbiter.h"
#include "memory/width_adapter.h"
#include "tb/unit/memory/requester.h"
#include "tb/unit/memory/scripted_target.h"

namespace smsim::memory {
namespace {

using tb::kPeriod;
using tb::Request;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint64_t kBytes = 4096;

/// A target of any width that counts its calls. b_transport takes 20 cycles for a read and 30 for everything else,
/// waited for or annotated; the effect occurs at their end.
template <unsigned Width> class Target final : public sc_core::sc_module, private tlm::tlm_fw_transport_if<> {
  public:
    tlm::tlm_target_socket<Width> socket{"socket"};
    ByteStore store{kBytes};
    bool waits = true;
    unsigned under_way = 0;
    unsigned most_under_way = 0;
    unsigned blocking_calls = 0;
    unsigned non_blocking_calls = 0;
    unsigned debug_calls = 0;
    unsigned direct_calls = 0;
    std::vector<unsigned> written; ///< the first bytes of the writes on the non-blocking path

    explicit Target(const sc_core::sc_module_name &name) : sc_module(name) { socket.bind(*this); }

  private:
    using Payload = tlm::tlm_generic_payload;

    void b_transport(Payload &payload, sc_core::sc_time &delay) override {
        ++blocking_calls;
        most_under_way = std::max(most_under_way, ++under_way);
        delay += (payload.is_read() ? 20 : 30) * kPeriod;
        if (waits) {
            wait(delay);
            delay = sc_core::SC_ZERO_TIME;
        }
        const bool inside = store.contains(payload.get_address(), payload.get_data_length());
        if (inside) {
            transfer(payload, store);
        }
        payload.set_dmi_allowed(true);
        payload.set_response_status(inside ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
        --under_way;
    }
    tlm::tlm_sync_enum nb_transport_fw(Payload &payload, tlm::tlm_phase &, sc_core::sc_time &) override {
        ++non_blocking_calls;
        if (payload.is_write()) {
            written.push_back(payload.get_data_ptr()[0]);
        }
        transfer(payload, store);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    unsigned transport_dbg(Payload &payload) override {
        ++debug_calls;
        transfer(payload, store);
        return payload.get_data_length();
    }
    bool get_direct_mem_ptr(Payload &, tlm::tlm_dmi &dmi) override {
        ++direct_calls;
        dmi.init();
        dmi.set_dmi_ptr(store.data());
        dmi.set_end_address(kBytes - 1);
        dmi.allow_read_write();
        return true;
    }
};

// --- BlockingAdapter -----------------------------------------------------------------------------------------------

struct Bench {
    explicit Bench(unsigned concurrent) : adapter("adapter", concurrent) {
        requester.bind(adapter.from_initiator);
        adapter.to_target.bind(target.socket);
        requester.on_done = [this](const Request &request) { order.push_back(request.payload->get_data_length()); };
    }
    void run() {
        sc_core::sc_start(1000 * kPeriod);
        EXPECT_THAT(requester.checker.final_violations(), IsEmpty());
        EXPECT_EQ(requester.in_use(), 0U);
    }
    tb::Requester requester{"requester"};
    tb::Script script{"script"};
    BlockingAdapter adapter;
    Target<64> target{"target"};
    std::vector<unsigned> order; ///< lengths of the requests in the order of their responses
};

TEST(BlockingAdapter, ServesTheConfiguredNumberOfRequestsAtATime) {
    Bench bench(2);
    std::vector<Request *> reads;
    bench.script.at(10, [&] {
        for (unsigned i = 0; i < 3; ++i) {
            reads.push_back(&bench.requester.read(i * 64ULL, 64));
        }
    });
    bench.run();
    EXPECT_EQ(reads[0]->done, 30U);
    EXPECT_EQ(reads[1]->done, 30U);
    EXPECT_EQ(reads[2]->done, 50U);
    EXPECT_EQ(bench.target.most_under_way, 2U);
}

TEST(BlockingAdapter, ARequestThatOverlapsAnEarlierWriteWaitsForItAndHoldsBackLaterOnes) {
    Bench bench(4);
    Request *read = nullptr;
    Request *behind = nullptr;
    bench.script.at(10, [&] {
        bench.requester.write(0x40, {1, 2, 3, 4});
        read = &bench.requester.read(0x42, 4);
        behind = &bench.requester.read(0x80, 4);
    });
    bench.run();
    EXPECT_EQ(read->done, 60U);
    EXPECT_EQ(read->value(), 0x0403U);
    EXPECT_EQ(behind->done, 60U);
}

TEST(BlockingAdapter, AWriteThatOverlapsAnEarlierReadWaitsForIt) {
    Bench bench(4);
    Request *read = nullptr;
    Request *write = nullptr;
    bench.script.at(10, [&] {
        read = &bench.requester.read(0x40, 4);
        write = &bench.requester.write(0x43, {9, 9});
    });
    bench.run();
    EXPECT_EQ(read->value(), 0U);
    EXPECT_EQ(write->done, 60U);
}

TEST(BlockingAdapter, RequestsThatOverlapAtTheEndOfTheAddressSpaceWaitForEachOther) {
    Bench bench(4);
    bench.script.at(10, [&] {
        bench.requester.write(0xfffffffffffffff0, std::vector<std::uint8_t>(16, 1));
        bench.requester.write(0xfffffffffffffff8, std::vector<std::uint8_t>(8, 2));
    });
    bench.run();
    EXPECT_EQ(bench.target.most_under_way, 1U);
}

TEST(BlockingAdapter, ReadsOfTheSameBytesDoNotWaitForEachOther) {
    Bench bench(4);
    Request *second = nullptr;
    bench.script.at(10, [&] {
        bench.requester.read(0x40, 4);
        second = &bench.requester.read(0x40, 4);
    });
    bench.run();
    EXPECT_EQ(second->done, 30U);
}

TEST(BlockingAdapter, AnAnnotatedDelayIsTheTimeOfTheResponse) {
    Bench bench(1);
    bench.target.waits = false;
    Request *read = nullptr;
    Request *later = nullptr;
    bench.script.at(10, [&] {
        read = &bench.requester.read(0x40, 4);
        later = &bench.requester.read(0x80, 4, 5 * kPeriod);
    });
    bench.run();
    EXPECT_EQ(read->done, 30U);
    EXPECT_EQ(later->done, 35U);
}

TEST(BlockingAdapter, ResponsesThatAreDueAtOneTimeLeaveInTheOrderOfTheirRequests) {
    Bench bench(4);
    bench.script.at(10, [&] { bench.requester.write(0x40, {1}); });
    bench.script.at(20, [&] {
        bench.requester.read(0x80, 2);
        bench.requester.read(0xc0, 3);
    });
    bench.run();
    EXPECT_THAT(bench.order, ElementsAre(1U, 2U, 3U));
}

TEST(BlockingAdapter, AnErrorOfTheTargetIsTheResponse) {
    Bench bench(1);
    Request *read = nullptr;
    bench.script.at(10, [&] { read = &bench.requester.read(kBytes, 4); });
    bench.run();
    EXPECT_EQ(read->status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

TEST(BlockingAdapter, BlockingAndDebugCallsPassAndDirectMemoryIsNotGranted) {
    Bench bench(1);
    const tb::ThreadScript thread("thread", [&bench] {
        std::array<unsigned char, 4> data{};
        tlm::tlm_generic_payload payload;
        payload.set_read();
        payload.set_data_ptr(data.data());
        payload.set_data_length(4);
        payload.set_streaming_width(4);
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        bench.requester.port.socket->b_transport(payload, delay);
        payload.set_address(0);
        EXPECT_EQ(bench.requester.port.socket->transport_dbg(payload), 4U);
        payload.set_address(0);
        tlm::tlm_dmi dmi;
        EXPECT_FALSE(bench.requester.port.socket->get_direct_mem_ptr(payload, dmi));
    });
    bench.run();
    EXPECT_EQ(bench.target.blocking_calls, 1U);
    EXPECT_EQ(bench.target.debug_calls, 1U);
}

// --- MemoryArbiter -------------------------------------------------------------------------------------------------

TEST(MemoryArbiter, RequestsOfOneTimeStepAreForwardedByArrivalThenByPortInAnyCallOrder) {
    MemoryArbiter arbiter("arbiter", 2, kPeriod);
    tb::BaseProtocolChecker below("below");
    Target<64> target("target");
    tb::Requester first("first");
    tb::Requester second("second");
    tb::Script script("script");
    first.bind(arbiter.port(0));
    second.bind(arbiter.port(1));
    arbiter.memory.socket.bind(below.from_initiator);
    below.to_target.bind(target.socket);
    script.at(5, [&] {
        second.write(0, {2});
        first.write(0, {1});
    });
    script.at(20, [&] {
        first.write(0, {4}, 1 * kPeriod);
        second.write(0, {3});
    });
    sc_core::sc_start();
    EXPECT_THAT(target.written, ElementsAre(1, 2, 3, 4));
    EXPECT_EQ(first.in_use() + second.in_use(), 0U);
    EXPECT_THAT(first.checker.final_violations(), IsEmpty());
    EXPECT_THAT(below.final_violations(), IsEmpty());
}

TEST(MemoryArbiter, ATransactionThatIsSentTwiceAtOnceBreaksTheProtocolAndIsAnsweredOnce) {
    sc_core::sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_DO_NOTHING);
    MemoryArbiter arbiter("arbiter", 1, kPeriod);
    tb::ScriptedTarget target("target");
    tb::Requester requester("requester");
    tb::Script script("script");
    requester.bind(arbiter.port(0));
    arbiter.memory.socket.bind(target.socket);
    target.on_forward = [](tlm::tlm_generic_payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &) {
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    };
    unsigned answers = 0;
    requester.on_done = [&](const Request &) { ++answers; };
    Request &write = requester.make(tlm::TLM_WRITE_COMMAND, 0, {1});
    script.at(5, [&] {
        requester.send(write);
        requester.send(write);
    });
    script.at(20, [&] {
        target.back(*write.payload, tlm::BEGIN_RESP);
        target.back(*write.payload, tlm::BEGIN_RESP);
    });
    sc_core::sc_start(50 * kPeriod);
    EXPECT_EQ(answers, 1U);
    EXPECT_EQ(sc_core::sc_report_handler::get_count(sc_core::SC_ERROR), 1);
}

// --- WidthAdapter --------------------------------------------------------------------------------------------------

template <unsigned Width> void expect_all_calls_pass() {
    tb::Requester requester("requester");
    tb::Script script("script");
    WidthAdapter<Width> adapter("adapter");
    Target<Width> target("target");
    requester.bind(adapter.from_initiator);
    adapter.to_target.bind(target.socket);
    script.at(5, [&] { requester.write(0x10, {1, 2, 3}); });
    const tb::ThreadScript thread("thread", [&] {
        std::array<unsigned char, 4> data{};
        tlm::tlm_generic_payload payload;
        payload.set_read();
        payload.set_data_ptr(data.data());
        payload.set_data_length(4);
        payload.set_streaming_width(4);
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        requester.port.socket->b_transport(payload, delay);
        payload.set_address(0x10);
        EXPECT_EQ(requester.port.socket->transport_dbg(payload), 4U);
        EXPECT_THAT(data, ElementsAre(1, 2, 3, 0));
        payload.set_address(0);
        tlm::tlm_dmi dmi;
        EXPECT_TRUE(requester.port.socket->get_direct_mem_ptr(payload, dmi));
    });
    sc_core::sc_start();
    EXPECT_EQ(target.non_blocking_calls, 1U);
    EXPECT_EQ(target.blocking_calls, 1U);
    EXPECT_EQ(target.debug_calls, 1U);
    EXPECT_EQ(target.direct_calls, 1U);
    EXPECT_THAT(requester.checker.final_violations(), IsEmpty());
}
TEST(WidthAdapter, AllCallsPassToATargetOf32Bits) {
    expect_all_calls_pass<32>();
}
TEST(WidthAdapter, AllCallsPassToATargetOf512Bits) {
    expect_all_calls_pass<512>();
}

/// An initiator that records invalidations.
class Invalidated final : public sc_core::sc_module {
  public:
    protocol::Initiator<protocol::MemoryLink> socket{"socket"};
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;

    explicit Invalidated(const sc_core::sc_module_name &name) : sc_module(name) {
        socket.on_invalidate<&Invalidated::note>(this);
    }

  private:
    void note(sc_dt::uint64 first, sc_dt::uint64 last) { ranges.emplace_back(first, last); }
};

TEST(WidthAdapter, InvalidationsOfDirectMemoryPassBack) {
    Invalidated initiator("initiator");
    WidthAdapter<128> adapter("adapter");
    Target<128> target("target");
    initiator.socket.bind(adapter.from_initiator);
    adapter.to_target.bind(target.socket);
    const tb::ThreadScript thread("thread", [&] { target.socket->invalidate_direct_mem_ptr(8, 15); });
    sc_core::sc_start();
    EXPECT_THAT(initiator.ranges, ElementsAre(std::pair(8, 15)));
}

} // namespace
} // namespace smsim::memory
