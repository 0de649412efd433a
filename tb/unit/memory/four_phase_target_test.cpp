// Target side of the base protocol: requests that are completed, accepted or held, responses one at a time, and
// initiators that end them at once, later, or against the rules.
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory/four_phase_target.h"
#include "tb/unit/memory/requester.h"

namespace smsim::memory {
namespace {

using tb::kPeriod;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Answer = FourPhaseTarget::Answer;
using Telling = FourPhaseTarget::Telling;

RawTime cycle(std::uint64_t number) {
    return number * kPeriod.value();
}

/// An owner that handles a request as its test specifies.
class Owner final : public sc_core::sc_module {
  public:
    Owner(const sc_core::sc_module_name &name, Telling telling, RawTime turnaround)
        : sc_module(name), target("target", wake_, telling, turnaround) {
        wake_.on_due<&Owner::run>(this);
        target.on_request<&Owner::request>(this, 7);
    }
    /// Answers `payload`, including the status.
    void respond(Payload &payload, std::uint64_t at, std::uint64_t rank = 0) {
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        target.respond(payload, cycle(at), rank);
    }

    std::function<Answer(Payload &, RawTime)> decide = [](Payload &, RawTime) { return Answer{Answer::Kind::kLater}; };
    std::vector<Payload *> taken;
    std::function<void()> before_run; ///< null: nothing
    unsigned runs = 0;

  private:
    protocol::Alarm wake_;

  public:
    FourPhaseTarget target;

  private:
    Answer request(unsigned tag, Payload &payload, RawTime arrival) {
        EXPECT_EQ(tag, 7U);
        taken.push_back(&payload);
        return decide(payload, arrival);
    }
    void run() {
        ++runs;
        target.run_behind([this] {
            if (before_run) {
                before_run();
            }
        });
    }
};

/// An initiator that records each phase, and ends responses as its test specifies.
class Caller final : public sc_core::sc_module {
  public:
    protocol::Initiator<protocol::MemoryLink> socket{"socket"};
    tb::BaseProtocolChecker checker{"checker"};
    std::vector<std::string> log; ///< "cycle PHASE address @ annotated cycle"

    explicit Caller(const sc_core::sc_module_name &name) : sc_module(name) {
        socket.bind(checker.from_initiator);
        socket.on_response<&Caller::response>(this);
    }
    ~Caller() override {
        for (Payload *payload : held_) {
            payload->release();
        }
    }
    Payload &make(std::uint64_t address) {
        Payload &payload = pool_.acquire();
        held_.push_back(&payload);
        payload.set_read();
        payload.set_address(address);
        payload.set_data_ptr(data_.data());
        payload.set_data_length(4);
        payload.set_streaming_width(4);
        address_of_[&payload] = address;
        return payload;
    }
    /// "COMPLETED", "UPDATED" or "ACCEPTED", and the annotated cycle.
    std::string request(Payload &payload, std::uint64_t delay = 0) { return call(payload, tlm::BEGIN_REQ, delay); }
    std::string request(std::uint64_t address, std::uint64_t delay = 0) { return request(make(address), delay); }
    std::string end_response(Payload &payload, std::uint64_t delay = 0) { return call(payload, tlm::END_RESP, delay); }
    std::function<tlm::tlm_sync_enum(tlm::tlm_phase &, sc_core::sc_time &)> end =
        [](tlm::tlm_phase &, sc_core::sc_time &) { return tlm::TLM_COMPLETED; };
    std::vector<Payload *> responses;
    std::size_t in_use() const { return pool_.in_use() - held_.size(); }

  private:
    struct None final : protocol::PooledExtension<None> {};

    std::string call(Payload &payload, tlm::tlm_phase phase, std::uint64_t delay) {
        sc_core::sc_time annotated = delay * kPeriod;
        const auto answer = socket->nb_transport_fw(payload, phase, annotated);
        const char *const word = answer == tlm::TLM_COMPLETED ? "COMPLETED"
                                 : answer == tlm::TLM_UPDATED ? "UPDATED"
                                                              : "ACCEPTED";
        return fmt::format("{} {}", word, now() + annotated / kPeriod);
    }
    static double now() { return sc_core::sc_time_stamp() / kPeriod; }
    tlm::tlm_sync_enum response(unsigned, Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay) {
        log.push_back(fmt::format("{} {} {:#x} @ {}", now(), phase.get_name(), address_of_.at(&payload),
                                  now() + delay / kPeriod));
        if (phase == tlm::END_REQ) {
            return tlm::TLM_ACCEPTED;
        }
        EXPECT_FALSE(payload.is_dmi_allowed());
        responses.push_back(&payload);
        return end(phase, delay);
    }

    protocol::PayloadPool<None> pool_;
    std::vector<Payload *> held_;
    std::map<const Payload *, std::uint64_t> address_of_;
    std::array<unsigned char, 4> data_{};
};

struct Bench {
    explicit Bench(Telling telling = Telling::kAtItsTime, std::uint64_t turnaround = 0)
        : owner("owner", telling, cycle(turnaround)) {
        caller.checker.to_target.bind(owner.target.socket);
    }
    void run() {
        sc_core::sc_start(1000 * kPeriod);
        EXPECT_THAT(caller.checker.final_violations(), IsEmpty());
    }
    Owner owner;
    Caller caller{"caller"};
    tb::Script script{"script"};
};

// --- requests ------------------------------------------------------------------------------------------------------

TEST(FourPhaseTarget, ARequestThatIsDoneIsCompletedOnTheCallAtItsTime) {
    Bench bench;
    bench.owner.decide = [](Payload &payload, RawTime arrival) {
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        payload.set_dmi_allowed(true);
        return Answer{Answer::Kind::kDone, arrival + cycle(20)};
    };
    bench.script.at(3, [&] {
        Payload &payload = bench.caller.make(0);
        EXPECT_EQ(bench.caller.request(payload, 2), "COMPLETED 25");
        EXPECT_FALSE(payload.is_dmi_allowed());
        EXPECT_EQ(payload.get_ref_count(), 1);
    });
    bench.run();
}

TEST(FourPhaseTarget, AnAcceptedRequestIsAnsweredAtItsTime) {
    Bench bench;
    bench.script.at(3, [&] {
        EXPECT_EQ(bench.caller.request(0), "UPDATED 3");
        bench.owner.respond(*bench.owner.taken[0], 9);
    });
    bench.run();
    EXPECT_THAT(bench.caller.log, ElementsAre("9 BEGIN_RESP 0x0 @ 9"));
    EXPECT_EQ(bench.caller.responses[0]->get_ref_count(), 1);
}

TEST(FourPhaseTarget, AHeldRequestGetsItsEndReqWhenItIsAcceptedAndNotBeforeItsArrival) {
    Bench bench;
    bench.owner.decide = [](Payload &, RawTime) { return Answer{Answer::Kind::kHeld}; };
    bench.script.at(3, [&] { EXPECT_EQ(bench.caller.request(0, 5), "ACCEPTED 8"); });
    bench.script.at(4, [&] {
        EXPECT_EQ(bench.owner.target.held()->arrival, cycle(8));
        bench.owner.target.accept();
        EXPECT_FALSE(bench.owner.target.held());
    });
    bench.script.at(20, [&] { bench.owner.respond(*bench.owner.taken[0], 20); });
    bench.run();
    EXPECT_THAT(bench.caller.log, ElementsAre("4 END_REQ 0x0 @ 8", "20 BEGIN_RESP 0x0 @ 20"));
}

TEST(FourPhaseTarget, RequestsAgainstTheProtocolAreRefusedAndReported) {
    Bench bench;
    sc_core::sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_DO_NOTHING);
    bench.owner.decide = [](Payload &, RawTime) { return Answer{Answer::Kind::kHeld}; };
    bench.script.at(3, [&] {
        Payload unmanaged;
        EXPECT_EQ(bench.caller.request(unmanaged), "COMPLETED 3");
        EXPECT_EQ(unmanaged.get_response_status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
        bench.caller.request(0);
        Payload &early = bench.caller.make(4);
        EXPECT_EQ(bench.caller.request(early), "COMPLETED 3") << "before the END_REQ of the one before";
        EXPECT_EQ(early.get_response_status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
        EXPECT_EQ(bench.caller.end_response(*bench.owner.taken[0]), "ACCEPTED 3") << "no response was begun";
    });
    sc_core::sc_start(10 * kPeriod);
    EXPECT_EQ(bench.owner.taken.size(), 1U);
    EXPECT_EQ(sc_core::sc_report_handler::get_count(sc_core::SC_ERROR), 3);
}

// --- responses -----------------------------------------------------------------------------------------------------

/// Two requests whose responses are valid at 20 and 21, in this order, passed in the opposite order.
void answer_two(Bench &bench) {
    bench.script.at(3, [&] {
        bench.caller.request(0);
        bench.caller.request(64);
        bench.owner.respond(*bench.owner.taken[1], 21);
        bench.owner.respond(*bench.owner.taken[0], 20);
    });
}

TEST(FourPhaseTarget, WhatIsAcceptedAndAnsweredBeforeARunLeavesWithItOrWakesForItsTime) {
    Bench bench;
    bench.script.at(3, [&] {
        bench.caller.request(0x0);
        bench.caller.request(0x40);
        bench.owner.decide = [](Payload &, RawTime) { return Answer{Answer::Kind::kHeld}; };
        bench.caller.request(0x80);
        bench.owner.respond(*bench.owner.taken[0], 9); // that it is run for
        bench.owner.before_run = [&] {
            bench.owner.before_run = nullptr;
            bench.owner.target.accept();
            bench.owner.respond(*bench.owner.taken[1], 9, 1);
            bench.owner.respond(*bench.owner.taken[2], 12);
        };
    });
    bench.run();
    EXPECT_THAT(bench.caller.log, ElementsAre("9 END_REQ 0x80 @ 9", "9 BEGIN_RESP 0x0 @ 9", "9 BEGIN_RESP 0x40 @ 9",
                                              "12 BEGIN_RESP 0x80 @ 12"));
    EXPECT_EQ(bench.owner.runs, 2U) << "one for each time";
}

TEST(FourPhaseTarget, ResponsesLeaveInOrderOfTimeThenOfRank) {
    Bench bench;
    bench.script.at(3, [&] {
        for (const std::uint64_t address : {0x0, 0x40, 0x80}) {
            bench.caller.request(address);
        }
        bench.owner.respond(*bench.owner.taken[0], 9, 3);
        bench.owner.respond(*bench.owner.taken[1], 9, 2);
        bench.owner.respond(*bench.owner.taken[2], 8, 4);
    });
    bench.run();
    EXPECT_THAT(bench.caller.log,
                ElementsAre("8 BEGIN_RESP 0x80 @ 8", "9 BEGIN_RESP 0x40 @ 9", "9 BEGIN_RESP 0x0 @ 9"));
}

TEST(FourPhaseTarget, AnEndOfAResponseOnTheReturnHoldsTheNextUntilItsTime) {
    Bench bench;
    bench.caller.end = [](tlm::tlm_phase &phase, sc_core::sc_time &delay) {
        phase = tlm::END_RESP;
        delay += 4 * kPeriod;
        return tlm::TLM_UPDATED;
    };
    answer_two(bench);
    bench.run();
    EXPECT_THAT(bench.caller.log, ElementsAre("20 BEGIN_RESP 0x0 @ 20", "24 BEGIN_RESP 0x40 @ 24"));
}

/// Ends each response on the forward path 7 cycles after its start, with `delay` annotated.
void end_later(Bench &bench, std::uint64_t delay) {
    bench.caller.end = [](tlm::tlm_phase &, sc_core::sc_time &) { return tlm::TLM_ACCEPTED; };
    bench.script.at(27, [&bench, delay] { bench.caller.end_response(*bench.caller.responses[0], delay); });
    bench.script.at(40, [&bench] { bench.caller.end_response(*bench.caller.responses[1]); });
}

TEST(FourPhaseTarget, AResponseWaitsForTheEndOfTheOneBeforeOnTheForwardPath) {
    Bench bench;
    answer_two(bench);
    end_later(bench, 0);
    bench.run();
    EXPECT_THAT(bench.caller.log, ElementsAre("20 BEGIN_RESP 0x0 @ 20", "27 BEGIN_RESP 0x40 @ 27"));
    EXPECT_EQ(bench.caller.responses[0]->get_ref_count(), 1);
}

TEST(FourPhaseTarget, TheTurnaroundPassesAfterAnEndOnTheForwardPath) {
    Bench bench(Telling::kAtItsTime, 2);
    answer_two(bench);
    end_later(bench, 0);
    bench.run();
    EXPECT_THAT(bench.caller.log, ElementsAre("20 BEGIN_RESP 0x0 @ 20", "29 BEGIN_RESP 0x40 @ 29"));
}

TEST(FourPhaseTarget, AnAnnotatedEndLaterThanTheTurnaroundCounts) {
    Bench bench(Telling::kAtItsTime, 2);
    answer_two(bench);
    end_later(bench, 5);
    bench.run();
    EXPECT_THAT(bench.caller.log, ElementsAre("20 BEGIN_RESP 0x0 @ 20", "32 BEGIN_RESP 0x40 @ 32"));
}

TEST(FourPhaseTarget, AResponseSentAtOnceCarriesItsTime) {
    Bench bench(Telling::kAtOnce);
    bench.script.at(3, [&] {
        bench.caller.request(0);
        bench.caller.request(64);
        bench.owner.respond(*bench.owner.taken[1], 21);
        bench.owner.respond(*bench.owner.taken[0], 20);
    });
    bench.run();
    EXPECT_THAT(bench.caller.log, ElementsAre("3 BEGIN_RESP 0x40 @ 21", "3 BEGIN_RESP 0x0 @ 20"));
}

TEST(FourPhaseTarget, AResponseSentAtOnceWaitsForTheEndOfThePreviousOne) {
    Bench bench(Telling::kAtOnce);
    bench.script.at(20, [&] {
        bench.caller.request(0);
        bench.caller.request(64);
        bench.owner.respond(*bench.owner.taken[0], 22);
        bench.owner.respond(*bench.owner.taken[1], 30);
    });
    end_later(bench, 0);
    bench.run();
    EXPECT_THAT(bench.caller.log, ElementsAre("20 BEGIN_RESP 0x0 @ 22", "27 BEGIN_RESP 0x40 @ 30"));
}

TEST(FourPhaseTarget, AnInitiatorThatUpdatesToAnotherPhaseIsReported) {
    Bench bench;
    bench.caller.end = [](tlm::tlm_phase &, sc_core::sc_time &) { return tlm::TLM_UPDATED; };
    sc_core::sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_DO_NOTHING);
    answer_two(bench);
    sc_core::sc_start(100 * kPeriod);
    EXPECT_EQ(bench.caller.log.size(), 1U) << "the response has not ended";
    EXPECT_EQ(sc_core::sc_report_handler::get_count(sc_core::SC_ERROR), 1);
}

} // namespace
} // namespace smsim::memory
