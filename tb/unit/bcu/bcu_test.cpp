// The barrier unit alone, its sockets bound to a bench: exact times of answers and wake-ups, independence of the order
// of calls, protocol and counters. The tests of the core cover the meaning of the instructions.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <systemc>

#include "bcu/bcu.h"
#include "model/config/config.h"
#include "model/state/warp_resume.h"
#include "tb/unit/bcu/barrier_instructions.h"

namespace smsim::bcu {
namespace {

using namespace smsim::test;
using isa::RedOp;
using protocol::BarrierExtension;
using protocol::LifecycleExtension;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Timing figures chosen so that no two sums of them are equal by accident.
Config bench_config() {
    Config config;
    config.sm.sub_partitions = 2;
    config.bru.pipelines = 2;
    config.sm.warps_per_sub_partition = 4;
    config.sm.max_ctas = 2;
    config.bcu.arrival_latency = 6;
    config.bcu.release_latency = 20;
    config.bcu.release_interval = 3;
    config.bcu.interval = 1;
    config.bcu.move_latency = 16;
    return config;
}

/// Plays datapath, IBuffers and CTA dispatch: performs planned actions at given cycles and records the answers.
class Bench final : public sc_core::sc_module {
  public:
    explicit Bench(const Config &config, const sc_core::sc_module_name &name = "bench")
        : sc_module(name), config_(config), clock_(config), bcu("bcu", config_), lifecycle_("lifecycle") {
        SC_HAS_PROCESS(Bench);
        SC_METHOD(step);
        sensitive << event_;
        for (unsigned i = 0; i < config_.sm.sub_partitions; ++i) {
            operations_.push_back(
                std::make_unique<protocol::Initiator<protocol::BarrierLink>>(fmt::format("operations_{}", i).c_str()));
            operations_.back()->on_response<&Bench::on_answer>(this, i);
            operations_.back()->bind(*bcu.operations[i]);
            wakes_.push_back(std::make_unique<protocol::Target<protocol::WakeLink>>(fmt::format("wake_{}", i).c_str()));
            wakes_.back()->on_request<&Bench::on_wake>(this, i);
            bcu.wake[i]->bind(*wakes_.back());
        }
        lifecycle_.bind(bcu.lifecycle);
    }

    /// Performs `action` at the beginning of `cycle`; actions of one cycle run in the order they were given.
    void at(Cycle cycle, std::function<void()> action) { actions_.emplace(cycle, std::move(action)); }

    /// Warp `warp_in_cta` of a CTA of `warps` begins in `slot`, announced at `cycle` for the next cycle.
    void start(Cycle cycle, unsigned slot, unsigned cta, unsigned warp_in_cta, unsigned warps, std::uint64_t number = 0,
               const WarpResume *resume = nullptr) {
        at(cycle, [=, this] {
            LifecycleExtension &ext = lifecycle_message();
            ext.kind = LifecycleExtension::Kind::kWarpStart;
            ext.start.warp = WarpSlot(slot);
            ext.start.cta = CtaSlot(cta);
            ext.start.cta_number = number;
            ext.start.warp_in_cta = warp_in_cta;
            ext.start.warps_in_cta = warps;
            ext.start.resume = resume;
            send_lifecycle();
        });
    }
    /// CTA slot 0 with `warps` warps in slots 0.., resident from cycle 1 on.
    void start_cta(unsigned warps) {
        for (unsigned warp = 0; warp < warps; ++warp) {
            start(0, warp, 0, warp, warps);
        }
    }
    void exit(Cycle cycle, unsigned slot) {
        at(cycle, [=, this] {
            LifecycleExtension &ext = lifecycle_message();
            ext.kind = LifecycleExtension::Kind::kWarpExited;
            ext.warp = WarpSlot(slot);
            send_lifecycle();
        });
    }
    /// Sends an operation of the warp in `slot`, with `delay` cycles annotated.
    void send(Cycle cycle, unsigned slot, BarrierCall call, Cycle delay = 0) {
        at(cycle, [=, this] { send_now(slot, slot % config_.sm.sub_partitions, call, delay); });
    }
    /// The same for a socket chosen by the test; returns the status of the call.
    tlm::tlm_sync_enum send_now(unsigned slot, unsigned socket, const BarrierCall &call, Cycle delay = 0) {
        instructions_.push_back(std::make_unique<isa::Instruction>(call.insn));
        protocol::BarrierPayload &payload = pool.acquire();
        auto *ext = protocol::extension_of(payload);
        ext->warp = WarpSlot(slot);
        ext->insn = instructions_.back().get();
        ext->pmask = call.pmask;
        ext->contribution = call.contribution;
        ext->vectors = call.vectors();
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time annotated = clock_.span(delay);
        const tlm::tlm_sync_enum status = (*operations_[socket])->nb_transport_fw(payload, phase, annotated);
        if (status == tlm::TLM_COMPLETED) {
            log.push_back(fmt::format("{} refused: {}", slot, ext->fault.detail));
            EXPECT_EQ(payload.get_response_status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
            payload.release();
        } else {
            EXPECT_EQ(status, tlm::TLM_UPDATED);
            EXPECT_EQ(phase, tlm::END_REQ);
        }
        return status;
    }

    /// Runs until nothing is left to happen.
    void run() {
        call_next();
        sc_core::sc_start();
        EXPECT_EQ(pool.in_use(), 0U);
    }

    /// The log in the order of effect, to compare runs that differ in the order of calls.
    std::vector<std::string> sorted() const {
        std::vector<std::string> copy = log;
        std::sort(copy.begin(), copy.end());
        return copy;
    }

  private:
    const Config config_;
    protocol::Clock clock_;

  public:
    Bcu bcu;
    protocol::PayloadPool<BarrierExtension> pool;
    /// "time warp what", where time is the cycle of effect.
    std::vector<std::string> log;

  private:
    LifecycleExtension &lifecycle_message() {
        message_ = &lifecycle_pool_.acquire();
        return *protocol::extension_of(*message_);
    }
    void send_lifecycle() {
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay = clock_.period();
        EXPECT_EQ(lifecycle_->nb_transport_fw(*message_, phase, delay), tlm::TLM_COMPLETED);
        if (!message_->is_response_ok()) {
            log.push_back("refused: " + protocol::extension_of(*message_)->fault.detail);
        }
        message_->release();
    }
    tlm::tlm_sync_enum on_answer(unsigned tag, protocol::BarrierPayload &payload, tlm::tlm_phase &phase,
                                 sc_core::sc_time &delay) {
        EXPECT_EQ(phase, tlm::BEGIN_RESP);
        EXPECT_GE(delay, clock_.period());
        const auto *ext = protocol::extension_of(payload);
        EXPECT_EQ(ext->warp.value() % config_.sm.sub_partitions, tag);
        std::string what = ext->outcome == Outcome::kBlocked ? "blocked" : "continues";
        if (payload.is_response_error()) {
            what = fmt::format("{}: {}", fault_name(ext->fault.fault), ext->fault.detail);
        } else if (ext->writes) {
            what += fmt::format(" with {:#x} {}", ext->value, ext->predicate);
        }
        log.push_back(fmt::format("{:03} {} {}", clock_.at(delay), ext->warp.value(), what));
        payload.release();
        return tlm::TLM_COMPLETED;
    }
    tlm::tlm_sync_enum on_wake(unsigned tag, protocol::WakePayload &payload, tlm::tlm_phase &phase,
                               sc_core::sc_time &delay) {
        EXPECT_EQ(phase, tlm::BEGIN_REQ);
        EXPECT_GE(delay, clock_.period());
        const WarpSlot warp = protocol::extension_of(payload)->warp;
        EXPECT_EQ(warp.value() % config_.sm.sub_partitions, tag);
        log.push_back(fmt::format("{:03} {} wakes", clock_.at(delay), warp.value()));
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    void step() {
        while (!actions_.empty() && actions_.begin()->first <= clock_.now()) {
            const auto action = actions_.begin()->second;
            actions_.erase(actions_.begin());
            action();
        }
        call_next();
    }
    void call_next() {
        if (!actions_.empty()) {
            event_.notify(clock_.until(actions_.begin()->first));
        }
    }

    std::multimap<Cycle, std::function<void()>> actions_;
    sc_core::sc_event event_;
    std::vector<std::unique_ptr<protocol::Initiator<protocol::BarrierLink>>> operations_;
    std::vector<std::unique_ptr<protocol::Target<protocol::WakeLink>>> wakes_;
    protocol::Initiator<protocol::LifecycleLink> lifecycle_;
    protocol::PayloadPool<LifecycleExtension> lifecycle_pool_;
    protocol::LifecyclePayload *message_ = nullptr;
    std::vector<std::unique_ptr<isa::Instruction>> instructions_;
};

TEST(BcuTiming, BlockedWarpsAreReleasedInWarpOrderAndTheCompletingWarpTakesItsTurn) {
    Bench bench(bench_config());
    bench.start_cta(4);
    bench.send(10, 3, bar_sync(0));
    bench.send(30, 0, bar_sync(0));
    bench.send(50, 2, bar_sync(0));
    bench.send(70, 1, bar_sync(0)); // served at 76: released from 96 on, every 3 cycles
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre("017 3 blocked", "037 0 blocked", "057 2 blocked", "096 0 wakes", "102 2 wakes",
                                       "105 3 wakes", "099 1 continues"));
}

TEST(BcuTiming, WithHighestFirstTheOrderIsTurnedRound) {
    Config config = bench_config();
    config.bcu.release_order = ReleaseOrder::kHighestFirst;
    Bench bench(config);
    bench.start_cta(4);
    bench.send(10, 3, bar_sync(0));
    bench.send(30, 0, bar_sync(0));
    bench.send(50, 2, bar_sync(0));
    bench.send(70, 1, bar_sync(0));
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre("017 3 blocked", "037 0 blocked", "057 2 blocked", "096 3 wakes", "099 2 wakes",
                                       "105 0 wakes", "102 1 continues"));
}

TEST(BcuTiming, TheCompletingWarpMayBeTheLastInOrder) {
    Bench bench(bench_config());
    bench.start_cta(2);
    bench.send(10, 0, bar_sync(0));
    bench.send(20, 1, bar_sync(0));
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre("017 0 blocked", "046 0 wakes", "049 1 continues"));
}

TEST(BcuTiming, ArvContinuesOneCycleAfterItsArrivalEvenWhenItCompletes) {
    Bench bench(bench_config());
    bench.start_cta(3);
    bench.send(10, 0, bar_arv(0, 96));
    bench.send(20, 1, bar_sync(0, 96));
    bench.send(30, 2, bar_arv(0, 96));
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre("017 0 continues", "027 1 blocked", "056 1 wakes", "037 2 continues"));
}

TEST(BcuTiming, MovesTakeTheirLatencyFromTheRequest) {
    Bench bench(bench_config());
    bench.start_cta(2);
    bench.send(10, 0, r2b_bar(3, 0x4081));
    bench.send(40, 0, b2r_bar(3));
    bench.send(60, 1, b2r_result());
    bench.run();
    EXPECT_THAT(bench.log,
                ElementsAre("026 0 continues", "056 0 continues with 0x4081 false", "076 1 continues with 0x0 false"));
    EXPECT_EQ(bench.bcu.stats().undefined_reads, 1U);
}

TEST(BcuTiming, ResultOfAReductionIsReadAfterIt) {
    Bench bench(bench_config());
    bench.start_cta(2);
    bench.send(10, 0, bar_red(RedOp::kPopc, 0, 0, LaneMask::first(5)));
    bench.send(20, 1, bar_red(RedOp::kPopc, 0, 0, LaneMask::first(2)));
    bench.send(100, 0, b2r_result());
    bench.send(200, 1, b2r_result());
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre("017 0 blocked", "046 0 wakes", "049 1 continues",
                                       "116 0 continues with 0x7 false", "216 1 continues with 0x7 false"));
}

TEST(BcuTiming, OneOperationPerInterval) {
    Config config = bench_config();
    config.bcu.interval = 4;
    Bench bench(config);
    bench.start_cta(4);
    for (const unsigned warp : {0U, 1U, 2U}) {
        bench.send(10, warp, bar_arv(warp, 64));
    }
    bench.send(10, 3, b2r_bar(15)); // fourth in line: 12 cycles later than alone
    bench.run();
    EXPECT_THAT(bench.log,
                ElementsAre("017 0 continues", "021 1 continues", "025 2 continues", "038 3 continues with 0x0 false"));
}

TEST(BcuTiming, AnEmptyPmaskContinuesAndWritesNothing) {
    Bench bench(bench_config());
    bench.start_cta(2);
    bench.send(10, 0, bar_sync(0).with(LaneMask()));
    bench.send(30, 0, b2r_bar(0).with(LaneMask()));
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre("017 0 continues", "046 0 continues"));
}

TEST(BcuTiming, AnnotatedDelayOfTheRequestIsKept) {
    Bench bench(bench_config());
    bench.start_cta(2);
    bench.send(10, 0, bar_arv(0, 64), 5);
    bench.send(11, 1, bar_arv(1, 64)); // called later, sent earlier
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre("018 1 continues", "022 0 continues"));
}

TEST(BcuTiming, ExitCompletesABarrier) {
    Bench bench(bench_config());
    bench.start_cta(3);
    bench.send(10, 2, bar_sync(0));
    bench.send(20, 0, bar_sync(0));
    bench.exit(40, 1); // in effect at 41
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre("017 2 blocked", "027 0 blocked", "061 0 wakes", "064 2 wakes"));
}

TEST(BcuTiming, AnExitComesBeforeAnArrivalOfTheSameCycle) {
    Bench bench(bench_config());
    bench.start_cta(2);
    bench.send(10, 0, bar_sync(0)); // arrives at 16
    bench.exit(15, 1);              // in effect at 16
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre("036 0 continues"));
}

TEST(BcuTiming, AWakeNeverOvertakesTheBlockedAnswer) {
    Config config = bench_config();
    config.bcu.release_latency = 1;
    config.bcu.release_interval = 1;
    config.bcu.arrival_latency = 1;
    Bench bench(config);
    bench.start_cta(2);
    bench.send(10, 0, bar_sync(0));
    bench.send(10, 1, bar_sync(0));
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre("012 0 blocked", "013 0 wakes", "014 1 continues"));
}

/// Arrivals, an ARV, a context restore and a mismatch in one cycle, sent in the given order.
class BcuOrder : public ::testing::TestWithParam<std::vector<unsigned>> {};

TEST_P(BcuOrder, OrderOfCallsInOneTimeStepDoesNotMatter) {
    Bench bench(bench_config());
    bench.start_cta(6);
    const BarrierCall calls[] = {bar_sync(0, 64), bar_sync(0, 64), bar_arv(1, 64),
                                 r2b_bar(1, 0),   bar_sync(2),     bar_red(RedOp::kOr, 2)};
    for (const unsigned warp : GetParam()) {
        bench.send(10, warp, calls[warp]);
    }
    bench.run();
    EXPECT_THAT(
        bench.sorted(),
        ElementsAre("017 0 blocked", "019 2 continues", "021 4 blocked",
                    "022 5 BarrierMismatch: BAR.RED.OR 2 with count 0: the barrier is in use by BAR.SYNC/ARV with "
                    "count 0",
                    "029 3 continues", "037 0 wakes", "040 1 continues"));
    EXPECT_EQ(bench.bcu.describe(), "  CTA 0 (slot 0): barrier 2 (BAR.SYNC/ARV): 1 of 6 living warps have arrived; "
                                    "blocked here: 4; could still arrive: 0, 1, 2, 3, 5\n");
}

INSTANTIATE_TEST_SUITE_P(Orders, BcuOrder,
                         ::testing::Values(std::vector<unsigned>{0, 1, 2, 3, 4, 5},
                                           std::vector<unsigned>{5, 4, 3, 2, 1, 0},
                                           std::vector<unsigned>{3, 0, 5, 1, 4, 2}));

TEST(BcuOrder, EarlierOperationsAreServedFirst) {
    Config config = bench_config();
    config.bcu.interval = 10;
    Bench bench(config);
    bench.start_cta(4);
    bench.send(9, 3, bar_arv(3, 64));
    bench.send(10, 2, bar_arv(2, 64));
    bench.send(11, 0, bar_arv(0, 64)); // lower slot, but later
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre("016 3 continues", "026 2 continues", "036 0 continues"));
}

TEST(BcuLifecycle, CtasAreApart) {
    Bench bench(bench_config());
    bench.start(0, 0, 0, 0, 2, 10);
    bench.start(0, 1, 0, 1, 2, 10);
    bench.start(0, 2, 1, 0, 2, 11);
    bench.start(0, 3, 1, 1, 2, 11);
    bench.send(10, 0, bar_sync(0));
    bench.send(20, 2, bar_sync(0));
    bench.run();
    EXPECT_TRUE(bench.bcu.anyone_blocked());
    EXPECT_EQ(bench.bcu.describe(),
              "  CTA 10 (slot 0): barrier 0 (BAR.SYNC/ARV): 1 of 2 living warps have arrived; blocked here: 0; could "
              "still arrive: 1\n"
              "  CTA 11 (slot 1): barrier 0 (BAR.SYNC/ARV): 1 of 2 living warps have arrived; blocked here: 0; could "
              "still arrive: 1\n");
}

// Four warps: the first waits, the second has arrived at another barrier without waiting, and the last has ended.
TEST(BcuLifecycle, ACtaGoesOnWithTheBarriersThatItHasHad) {
    auto barriers = std::make_shared<CtaBarriers>(4);
    const BarrierCall wait = bar_sync(0);
    const BarrierCall arrive = bar_arv(1, 64);
    const isa::NarrowVectorOperands none{};
    barriers->execute(0, operation_of(wait.insn, wait.pmask, wait.contribution, none));
    barriers->execute(1, operation_of(arrive.insn, arrive.pmask, arrive.contribution, none));
    barriers->exit(3);
    WarpResume resume;
    resume.barriers = std::shared_ptr<const CtaBarriers>(barriers);
    Bench bench(bench_config());
    for (unsigned warp = 0; warp < 3; ++warp) {
        bench.start(0, warp, 0, warp, 4, 7, &resume);
    }
    bench.at(5, [&] { EXPECT_TRUE(bench.bcu.anyone_blocked()); });
    bench.send(10, 2, bar_sync(1, 64)); // the second arrival
    bench.send(50, 1, bar_sync(0));
    bench.send(60, 2, bar_sync(0));
    bench.exit(200, 0);
    bench.exit(200, 1);
    bench.exit(200, 2);
    bench.run();
    EXPECT_THAT(bench.log,
                ElementsAre("036 2 continues", "057 1 blocked", "086 0 wakes", "089 1 wakes", "092 2 continues"));
    EXPECT_EQ(bench.bcu.stats().barriers[0].wait_cycles, (86U - 1) + (89 - 56))
        << "of the first warp since its time began";
    EXPECT_EQ(bench.bcu.describe(), "") << "with its last living warp the CTA has ended";
}

TEST(BcuLifecycle, AWarpThatHasNotStartedIsAlive) {
    Bench bench(bench_config());
    bench.start(0, 0, 0, 0, 2);
    bench.send(10, 0, bar_sync(0));
    bench.start(50, 3, 0, 1, 2);
    bench.send(60, 3, bar_sync(0));
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre("017 0 blocked", "086 0 wakes", "089 3 continues"));
}

TEST(BcuLifecycle, ASlotIsUsedAgainWithFreshBarriersInTheCycleItsCtaEnds) {
    Bench bench(bench_config());
    bench.start_cta(1);
    bench.send(10, 0, bar_red(RedOp::kPopc, 0)); // leaves WarpBarState
    bench.send(50, 0, bar_arv(5, 64));           // leaves an arrival
    bench.start(80, 0, 0, 0, 1, 7);              // announced before the end of the previous CTA
    bench.exit(80, 0);
    bench.send(90, 0, b2r_bar(5));
    bench.send(120, 0, b2r_warp());
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre("036 0 continues", "057 0 continues", "106 0 continues with 0x0 false",
                                       "136 0 continues with 0x0 false"));
    EXPECT_FALSE(bench.bcu.anyone_blocked());
    EXPECT_EQ(bench.bcu.describe(), "");
}

TEST(BcuLifecycle, RefusesWhatItCannotHold) {
    Bench bench(bench_config());
    bench.start(0, 8, 0, 0, 1);
    bench.start(0, 0, 2, 0, 1);
    bench.start(0, 0, 0, 0, 128);
    bench.start(0, 0, 0, 3, 3);
    bench.exit(0, 99);
    bench.run();
    EXPECT_THAT(bench.log,
                ElementsAre("refused: there is no warp slot 8", "refused: there is no CTA slot 2",
                            "refused: warp 0 of a CTA of 128 warps: the barrier unit serves 1 to 127 warps per CTA",
                            "refused: warp 3 of a CTA of 3 warps: the barrier unit serves 1 to 127 warps per CTA",
                            "refused: there is no warp slot 99"));
}

TEST(BcuLifecycle, ASlotInUseIsAnError) {
    Bench bench(bench_config());
    bench.start(0, 0, 0, 0, 2, 3);
    bench.start(5, 0, 0, 1, 2, 3);
    try {
        bench.run();
        FAIL() << "no error";
    } catch (const sc_core::sc_report &report) {
        EXPECT_THAT(report.get_msg_type(), std::string("bench.bcu"));
        EXPECT_THAT(report.get_msg(),
                    HasSubstr("warp 1 of CTA 3 started in warp slot 0 and CTA slot 0, which are in use"));
    }
}

TEST(BcuLifecycle, AnExitWithoutAStartIsAnError) {
    Bench bench(bench_config());
    bench.exit(0, 4);
    EXPECT_THROW(bench.run(), sc_core::sc_report);
}

TEST(BcuProtocol, FaultsAreAnsweredWithTheirCause) {
    Bench bench(bench_config());
    bench.start_cta(2);
    bench.send(10, 1, bar_sync(4, 33));
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre("017 1 BarrierCount: BAR.SYNC 4: count 33 is not a multiple of 32 threads"));
}

TEST(BcuProtocol, RefusesOperationsOfInvalidWarps) {
    Bench bench(bench_config());
    bench.start_cta(2);
    bench.at(5, [&] {
        EXPECT_EQ(bench.send_now(0, 1, bar_sync(0)), tlm::TLM_COMPLETED);
        EXPECT_EQ(bench.send_now(8, 0, bar_sync(0)), tlm::TLM_COMPLETED);
    });
    bench.send(10, 0, bar_sync(0));
    bench.send(30, 0, bar_sync(0)); // still blocked
    bench.send(50, 3, bar_sync(0)); // no warp there
    bench.run();
    EXPECT_THAT(bench.log,
                ElementsAre("0 refused: warp slot 0 does not belong to sub-partition 1",
                            "8 refused: warp slot 8 does not belong to sub-partition 0", "017 0 blocked",
                            "037 0 IllegalInstruction: warp slot 0 executes a barrier instruction while blocked at "
                            "barrier 0",
                            "057 3 IllegalInstruction: warp slot 3 executes a barrier instruction but holds no warp"));
}

TEST(BcuStatistics, CountsArrivalsWaitingAndImbalancePerBarrier) {
    Bench bench(bench_config());
    bench.start_cta(3);
    bench.send(10, 0, bar_sync(2));
    bench.send(30, 1, bar_sync(2));
    bench.send(70, 2, bar_sync(2)); // served at 76, releases warps 0 and 1 at 96 and 99
    bench.send(200, 0, bar_arv(2, 64));
    bench.send(205, 1, bar_red(RedOp::kAnd, 5, 64));
    bench.send(210, 2, bar_arv(2, 64));
    bench.send(225, 0, bar_red(RedOp::kAnd, 5, 64)); // served at 231, releases warp 1 after warp 0, at 254
    bench.run();
    const BarrierStats &sync = bench.bcu.stats().barriers[2];
    EXPECT_EQ(sync.arrivals, 3U);
    EXPECT_EQ(sync.arrivals_nonblocking, 2U);
    EXPECT_EQ(sync.completions, 2U);
    EXPECT_EQ(sync.wait_cycles, (96U - 16U) + (99U - 36U));
    EXPECT_EQ(sync.imbalance_cycles, 60U + 10U);
    EXPECT_EQ(sync.imbalance_max, 60U);
    EXPECT_EQ(sync.reductions, 0U);
    const BarrierStats &red = bench.bcu.stats().barriers[5];
    EXPECT_EQ(red.reductions, 1U);
    EXPECT_EQ(red.wait_cycles, 254U - 211U);
    EXPECT_EQ(bench.bcu.stats().instructions, 7U);
}

TEST(BcuStatistics, NamesTheWarpsThatWaitAndThoseThatArriveLast) {
    Bench bench(bench_config());
    bench.start_cta(3);
    bench.send(10, 0, bar_sync(2));
    bench.send(30, 1, bar_sync(2));
    bench.send(70, 2, bar_sync(2)); // served at 76, releases warps 0 and 1 at 96 and 99
    bench.send(200, 0, bar_sync(2, 64));
    bench.send(225, 2, bar_arv(2, 64)); // served at 231, releases warp 0 at 251
    bench.run();
    const std::vector<BarrierWarpStats> &warps = bench.bcu.stats().barriers[2].warps;
    ASSERT_EQ(warps.size(), 3U);
    EXPECT_EQ(warps[0].arrivals, 2U);
    EXPECT_EQ(warps[0].wait_cycles, (96U - 16U) + (251U - 206U));
    EXPECT_EQ(warps[0].last_arrivals, 0U);
    EXPECT_EQ(warps[1].arrivals, 1U);
    EXPECT_EQ(warps[1].wait_cycles, 99U - 36U);
    EXPECT_EQ(warps[2].arrivals, 1U);
    EXPECT_EQ(warps[2].arrivals_nonblocking, 1U);
    EXPECT_EQ(warps[2].last_arrivals, 2U);
    EXPECT_EQ(warps[2].wait_cycles, 0U);
    EXPECT_EQ(bench.bcu.stats().barriers[2].wait_cycles, warps[0].wait_cycles + warps[1].wait_cycles);
}

TEST(BcuStatistics, ImbalanceOfABarrierThatAnExitCompletesEndsWithTheLastArrival) {
    Bench bench(bench_config());
    bench.start_cta(3);
    bench.send(10, 0, bar_sync(2));
    bench.send(25, 1, bar_sync(2));
    bench.exit(500, 2);
    bench.run();
    EXPECT_EQ(bench.bcu.stats().barriers[2].imbalance_cycles, 15U);
}

TEST(BcuTime, NothingHappensWithoutWork) {
    Bench bench(bench_config());
    bench.start_cta(2);
    bench.send(10, 0, bar_sync(0));
    bench.run();
    // Starvation ends the simulation at the last service: no notification follows it.
    EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::sc_time(16, sc_core::SC_NS));
}

} // namespace
} // namespace smsim::bcu
