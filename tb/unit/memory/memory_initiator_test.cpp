// Initiator side of the base protocol with each legal sequence of phases, and with illegal ones.
#include <array>
#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tb/unit/memory/requester.h"
#include "tb/unit/memory/scripted_target.h"

namespace smsim {
namespace {

using tb::kPeriod;
using tb::Request;
using Payload = tlm::tlm_generic_payload;

TLM_DECLARE_EXTENDED_PHASE(unheard_of);

class MemoryInitiatorTest : public ::testing::Test {
  protected:
    MemoryInitiatorTest() {
        requester.bind(target.socket);
        target.on_forward = [this](Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay) {
            calls.push_back({phase, tb::Requester::cycle(sc_core::sc_time_stamp())});
            payload.set_response_status(phase == tlm::BEGIN_REQ ? tlm::TLM_OK_RESPONSE : payload.get_response_status());
            seen.push_back(&payload);
            return answer(payload, phase, delay);
        };
    }
    void run() {
        sc_core::sc_start(200, sc_core::SC_NS);
        EXPECT_THAT(requester.checker.final_violations(), ::testing::IsEmpty());
        EXPECT_EQ(requester.in_use(), 0U);
        EXPECT_EQ(requester.port.outstanding(), 0U);
    }
    struct Call {
        tlm::tlm_phase phase;
        std::uint64_t cycle;
        bool operator==(const Call &other) const { return phase == other.phase && cycle == other.cycle; }
    };
    std::vector<Call> calls;
    std::vector<Payload *> seen;
    std::function<tlm::tlm_sync_enum(Payload &, tlm::tlm_phase &, sc_core::sc_time &)> answer;
    tb::ScriptedTarget target{"target"};
    tb::Requester requester{"requester"};
    tb::Script script{"script"};
};

TEST_F(MemoryInitiatorTest, CompletionOnTheCallKeepsTheDelayAndDoesNotHoldTheNextRequest) {
    answer = [](Payload &, tlm::tlm_phase &, sc_core::sc_time &delay) {
        delay += 7 * kPeriod;
        return tlm::TLM_COMPLETED;
    };
    script.at(3, [&] {
        EXPECT_EQ(requester.read(0, 4, 2 * kPeriod).done, 12U);
        EXPECT_EQ(requester.read(0, 4).done, 10U);
    });
    run();
}

TEST_F(MemoryInitiatorTest, EndReqOnTheCallThenAResponse) {
    answer = [](Payload &, tlm::tlm_phase &phase, sc_core::sc_time &delay) {
        phase = tlm::END_REQ;
        delay += 4 * kPeriod;
        return tlm::TLM_UPDATED;
    };
    Request *first = nullptr;
    Request *second = nullptr;
    script.at(3, [&] {
        first = &requester.read(0, 4);
        second = &requester.read(0, 4);
        EXPECT_EQ(requester.port.outstanding(), 2U);
    });
    script.at(20, [&] { EXPECT_EQ(target.back(*seen[1], tlm::BEGIN_RESP, 5 * kPeriod), tlm::TLM_COMPLETED); });
    script.at(21, [&] { EXPECT_EQ(target.back(*seen[0], tlm::BEGIN_RESP), tlm::TLM_COMPLETED); });
    run();
    EXPECT_EQ(second->done, 25U) << "responses in any order";
    EXPECT_EQ(first->done, 21U);
    EXPECT_THAT(calls, ::testing::ElementsAre(Call{tlm::BEGIN_REQ, 3}, Call{tlm::BEGIN_REQ, 7}))
        << "the second request goes out when the first has ended";
}

TEST_F(MemoryInitiatorTest, EndReqOnTheBackwardPathLetsTheNextOutOneCycleLater) {
    answer = [](Payload &, tlm::tlm_phase &, sc_core::sc_time &) { return tlm::TLM_ACCEPTED; };
    script.at(3, [&] {
        requester.read(0, 4);
        requester.read(0, 4);
    });
    script.at(10, [&] { EXPECT_EQ(target.back(*seen[0], tlm::END_REQ), tlm::TLM_ACCEPTED); });
    script.at(20, [&] { target.back(*seen[0], tlm::BEGIN_RESP); });
    script.at(30, [&] { target.back(*seen[1], tlm::BEGIN_RESP); }); // END_REQ left out
    run();
    EXPECT_THAT(calls, ::testing::ElementsAre(Call{tlm::BEGIN_REQ, 3}, Call{tlm::BEGIN_REQ, 11}));
}

TEST_F(MemoryInitiatorTest, ResponseOnTheCallIsEndedAtItsTime) {
    answer = [](Payload &, tlm::tlm_phase &phase, sc_core::sc_time &delay) {
        if (phase == tlm::END_RESP) {
            return tlm::TLM_COMPLETED;
        }
        phase = tlm::BEGIN_RESP;
        delay += 6 * kPeriod;
        return tlm::TLM_UPDATED;
    };
    script.at(3, [&] { EXPECT_EQ(requester.read(0, 4).done, 9U); });
    run();
    EXPECT_THAT(calls, ::testing::ElementsAre(Call{tlm::BEGIN_REQ, 3}, Call{tlm::END_RESP, 9}));
}

TEST_F(MemoryInitiatorTest, ARequestSentFromDoneGoesOutAfterTheBackwardCall) {
    answer = [](Payload &, tlm::tlm_phase &, sc_core::sc_time &) { return tlm::TLM_ACCEPTED; };
    bool again = false;
    requester.on_done = [&](Request &) {
        if (!std::exchange(again, true)) {
            requester.read(4, 4);
        }
    };
    script.at(3, [&] { requester.read(0, 4); });
    script.at(10, [&] { target.back(*seen[0], tlm::BEGIN_RESP); });
    script.at(20, [&] { target.back(*seen[1], tlm::BEGIN_RESP); });
    run(); // the checker would see a nested call
    EXPECT_THAT(calls, ::testing::ElementsAre(Call{tlm::BEGIN_REQ, 3}, Call{tlm::BEGIN_REQ, 11}));
}

TEST_F(MemoryInitiatorTest, ExtendedPhasesAreIgnored) {
    answer = [](Payload &, tlm::tlm_phase &, sc_core::sc_time &) { return tlm::TLM_ACCEPTED; };
    script.at(3, [&] { requester.read(0, 4); });
    script.at(4, [&] { EXPECT_EQ(target.back(*seen[0], unheard_of), tlm::TLM_ACCEPTED); });
    script.at(5, [&] { target.back(*seen[0], tlm::BEGIN_RESP); });
    run();
}

TEST_F(MemoryInitiatorTest, IllegalCallsOfATargetAreReported) {
    answer = [](Payload &, tlm::tlm_phase &, sc_core::sc_time &) { return tlm::TLM_ACCEPTED; };
    script.at(3, [&] { requester.read(0, 4); });
    script.at(4, [&] {
        Payload stranger;
        stranger.set_response_status(tlm::TLM_OK_RESPONSE);
        EXPECT_THROW(target.back(stranger, tlm::BEGIN_RESP), sc_core::sc_report);
        EXPECT_THROW(target.back(*seen[0], tlm::END_RESP), sc_core::sc_report);
        target.back(*seen[0], tlm::END_REQ);
        EXPECT_THROW(target.back(*seen[0], tlm::END_REQ), sc_core::sc_report);
    });
    sc_core::sc_start(20, sc_core::SC_NS);
    EXPECT_EQ(requester.port.outstanding(), 1U) << "without effect";
}

// --- with an owner's alarm -----------------------------------------------------------------------------------------

/// A part that uses its alarm for other things too.
class Owner final : public sc_core::sc_module {
  public:
    explicit Owner(const sc_core::sc_module_name &name) : sc_module(name) {
        alarm.on_due<&Owner::run>(this);
        port.on_done<&Owner::done>(this);
    }
    void send(std::uint64_t address) {
        Payload &payload = pool_.acquire();
        payload.set_read();
        payload.set_address(address);
        payload.set_data_ptr(data_.data());
        payload.set_data_length(4);
        payload.set_streaming_width(4);
        port.send(payload);
    }

    protocol::Alarm alarm;
    protocol::MemoryInitiator port{"port", kPeriod, alarm};
    std::vector<std::uint64_t> runs; ///< cycles
    std::vector<std::uint64_t> dones;

  private:
    struct None final : protocol::PooledExtension<None> {};

    void run() {
        runs.push_back(tb::Requester::cycle(sc_core::sc_time_stamp()));
        port.run_due();
    }
    void done(Payload &payload, const sc_core::sc_time &when) {
        dones.push_back(tb::Requester::cycle(when));
        payload.release();
    }
    protocol::PayloadPool<None> pool_;
    std::array<unsigned char, 4> data_{};
};

TEST(MemoryInitiatorWithAnOwner, AWaitingRequestIsSentAtItsTimeDespiteEarlierAlarms) {
    Owner owner("owner");
    tb::ScriptedTarget target("target");
    owner.port.socket.bind(target.socket);
    std::vector<std::uint64_t> requests;
    target.on_forward = [&](Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay) {
        requests.push_back(tb::Requester::cycle(sc_core::sc_time_stamp()));
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        if (requests.size() > 1) {
            return tlm::TLM_COMPLETED;
        }
        phase = tlm::BEGIN_RESP; // and END_RESP is due with it
        delay += 8 * kPeriod;
        return tlm::TLM_UPDATED;
    };
    tb::Script script("script");
    script.at(3, [&] {
        owner.send(0);
        owner.send(64);
        owner.alarm.set(5 * kPeriod.value());
        EXPECT_EQ(owner.port.outstanding(), 1U) << "the first one is done, at a time that is still to come";
    });
    sc_core::sc_start(200, sc_core::SC_NS);
    EXPECT_THAT(owner.runs, ::testing::ElementsAre(5, 11));
    EXPECT_THAT(requests, ::testing::ElementsAre(3, 11, 11)) << "END_RESP, then the second request";
    EXPECT_THAT(owner.dones, ::testing::ElementsAre(11, 11));
    EXPECT_EQ(owner.port.outstanding(), 0U);
}

} // namespace
} // namespace smsim
