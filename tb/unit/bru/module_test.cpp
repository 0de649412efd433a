// The branch unit alone, with stubs at all its sockets: when it answers, how it shares pipelines, how it sleeps and
// wakes. The tests of the engines cover the meaning of instructions.
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <systemc>

#include "bru/bru.h"
#include "model/config/config.h"
#include "tb/unit/bru/support.h"

namespace smsim::bru::test {
namespace {

using protocol::BranchExtension;
using protocol::extension_of;
using protocol::LifecycleExtension;
using protocol::TimerExtension;
using sc_core::sc_time;
using Payload = protocol::BranchPayload;
using Phase = tlm::tlm_phase;

/// Sends what a test has planned for each cycle, and records what the unit answers, with the cycle of its effect.
class Bench final : public sc_core::sc_module {
  public:
    SC_HAS_PROCESS(Bench);

    struct Answer {
        Cycle cycle;
        std::uint32_t interval;
        Outcome outcome;
        Pc next_pc;
        LaneMask next_active;
        std::string fault;
        bool by_response;
        ControlState snapshot;
    };
    struct Asked {
        std::uint32_t warp;
        Cycle from, cycles;
        bool operator==(const Asked &) const = default;
    };

    Bench(const sc_core::sc_module_name &name, const Config &config, SyscallHandler handler = {})
        : Bench(name, config, make_engine(config.bru, config.warps()), std::move(handler)) {}
    Bench(const sc_core::sc_module_name &name, const Config &config, std::unique_ptr<ReconvergenceEngine> engine,
          SyscallHandler handler = {})
        : sc_module(name), branch("branch", config.sm.sub_partitions), wake("wake", config.sm.sub_partitions),
          bru("bru", config, std::move(engine), std::move(handler)), clock(config) {
        for (unsigned sub = 0; sub < config.sm.sub_partitions; ++sub) {
            branch[sub].bind(bru.branch[sub]);
            branch[sub].on_response<&Bench::on_response>(this, sub);
            bru.wake[sub].bind(wake[sub]);
            wake[sub].on_request<&Bench::on_wake>(this, sub);
        }
        bru.timer.bind(timer);
        timer.on_request<&Bench::on_timer>(this);
        expiry.bind(bru.expiry);
        lifecycle.bind(bru.lifecycle);
        SC_METHOD(play);
        sensitive << next_;
    }

    /// Plans `action` for the beginning of `cycle`; actions of one cycle run in the order of planning.
    void at(Cycle cycle, std::function<void()> action) { script_[cycle].push_back(std::move(action)); }

    void start_warp(std::uint32_t warp, LaneMask valid) {
        protocol::LifecyclePayload &payload = lifecycle_pool_.acquire();
        auto &message = *extension_of(payload);
        message.kind = LifecycleExtension::Kind::kWarpStart;
        message.start = {};
        message.start.warp = WarpSlot(warp);
        message.start.cta_number = 7;
        message.start.valid = valid;
        message.start.code_bytes = kProgramBytes;
        Phase phase = tlm::BEGIN_REQ;
        sc_time delay = clock.span(1);
        EXPECT_EQ(lifecycle->nb_transport_fw(payload, phase, delay), tlm::TLM_COMPLETED);
        EXPECT_TRUE(payload.is_response_ok());
        payload.release();
    }

    /// Sends `i` of `warp` after `after` cycles of annotated delay. The answer is stored in `answers[name]`.
    void send(const std::string &name, std::uint32_t warp, const Instruction &i, Cycle after = 0,
              LaneMask guard = LaneMask::all()) {
        instructions_.push_back(std::make_unique<Instruction>(i));
        Payload &payload = branch_pool_.acquire();
        auto &request = *extension_of(payload);
        request.warp = WarpSlot(warp);
        request.insn = instructions_.back().get();
        request.guard = guard;
        request.guard_pp = LaneMask::all();
        request.vectors[0].fill(0);
        request.scalar = 0;
        request.sequence = 0;
        names_[&payload] = name;
        Phase phase = tlm::BEGIN_REQ;
        sc_time delay = clock.span(after);
        const auto answer = branch[warp % branch.size()]->nb_transport_fw(payload, phase, delay);
        if (answer == tlm::TLM_UPDATED) {
            EXPECT_EQ(phase, tlm::END_REQ);
            EXPECT_EQ(delay, clock.span(after));
            accepted_interval[name] = request.interval;
            return;
        }
        EXPECT_EQ(answer, tlm::TLM_COMPLETED);
        note(payload, clock.at(delay), false);
    }

    /// The timer of `warp` expires, with effect after `after` cycles.
    void expire(std::uint32_t warp, Cycle after = 1) {
        protocol::TimerPayload &payload = timer_pool_.acquire();
        extension_of(payload)->warp = WarpSlot(warp);
        Phase phase = tlm::BEGIN_REQ;
        sc_time delay = clock.span(after);
        EXPECT_EQ(expiry->nb_transport_fw(payload, phase, delay), tlm::TLM_COMPLETED);
        EXPECT_TRUE(payload.is_response_ok());
        payload.release();
    }

    /// In cycle 2 warp 0 begins with threads 0 and 1, which diverge: thread 1 to 0x40, thread 0 continues at 0x10.
    void start_diverged() {
        at(0, [this] { start_warp(0, LaneMask(0x3)); });
        at(2, [this] { send("part", 0, insn(Op::kBra, Form::kX, 0, 3), 0, LaneMask(0x2)); });
    }

    void run() {
        sc_core::sc_start();
        EXPECT_EQ(branch_pool_.in_use(), 0U);
        EXPECT_EQ(timer_pool_.in_use(), 0U);
    }

    sc_core::sc_vector<protocol::Initiator<protocol::BranchLink>> branch;
    protocol::Target<protocol::TimerLink> timer{"timer"};
    protocol::Initiator<protocol::TimerLink> expiry{"expiry"};
    sc_core::sc_vector<protocol::Target<protocol::WakeLink>> wake;
    protocol::Initiator<protocol::LifecycleLink> lifecycle{"lifecycle"};
    Bru bru;
    protocol::Clock clock;

    std::map<std::string, Answer> answers;
    std::map<std::string, std::uint32_t> accepted_interval;
    std::vector<std::string> order;                     ///< of the answers
    std::vector<Asked> asked;                           ///< of the timer
    std::vector<std::pair<Cycle, std::uint32_t>> wakes; ///< effect, warp

  private:
    void play() {
        while (!script_.empty() && script_.begin()->first <= clock.now()) {
            auto actions = std::move(script_.begin()->second);
            script_.erase(script_.begin());
            for (const auto &action : actions) {
                action();
            }
        }
        if (!script_.empty()) {
            next_.notify(clock.until(script_.begin()->first));
        }
    }

    void note(Payload &payload, Cycle cycle, bool by_response) {
        const auto &r = *extension_of(payload);
        const bool good = payload.is_response_ok();
        EXPECT_TRUE(good || payload.get_response_status() == tlm::TLM_GENERIC_ERROR_RESPONSE);
        answers[names_[&payload]] = {cycle,         r.interval,
                                     r.outcome,     r.next_pc,
                                     r.next_active, good ? "" : r.fault.detail,
                                     by_response,   state_of(bru.snapshot(r.warp, std::nullopt))};
        order.push_back(names_[&payload]);
        payload.release();
    }

    tlm::tlm_sync_enum on_response(unsigned sub, Payload &payload, Phase &phase, sc_time &delay) {
        EXPECT_EQ(phase, tlm::BEGIN_RESP);
        EXPECT_EQ(extension_of(payload)->warp.value() % branch.size(), sub);
        note(payload, clock.at(delay), true);
        return tlm::TLM_COMPLETED;
    }
    tlm::tlm_sync_enum on_timer(unsigned, protocol::TimerPayload &payload, Phase &phase, sc_time &delay) {
        EXPECT_EQ(phase, tlm::BEGIN_REQ);
        EXPECT_GE(delay, clock.period());
        const auto &request = *extension_of(payload);
        asked.push_back({request.warp.value(), clock.at(delay), request.cycles});
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    tlm::tlm_sync_enum on_wake(unsigned sub, protocol::WakePayload &payload, Phase &phase, sc_time &delay) {
        EXPECT_EQ(phase, tlm::BEGIN_REQ);
        EXPECT_GE(delay, clock.period());
        const auto &message = *extension_of(payload);
        EXPECT_EQ(message.warp.value() % wake.size(), sub);
        wakes.emplace_back(clock.at(delay), message.warp.value());
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    }

    std::map<Cycle, std::vector<std::function<void()>>> script_;
    sc_core::sc_event next_;
    std::vector<std::unique_ptr<Instruction>> instructions_;
    std::map<Payload *, std::string> names_;
    protocol::PayloadPool<BranchExtension> branch_pool_;
    protocol::PayloadPool<TimerExtension> timer_pool_;
    protocol::PayloadPool<LifecycleExtension> lifecycle_pool_;
};

using Wakes = std::vector<std::pair<Cycle, std::uint32_t>>;

Config config_with(std::uint32_t pipelines) {
    Config config;
    config.bru.pipelines = pipelines;
    return config;
}
Instruction bsync(Pc pc) {
    return on_breg(Op::kBsync, Form::kX, pc, 0);
}
Instruction bra(Pc pc, std::int64_t offset) {
    return insn(Op::kBra, Form::kX, pc, offset);
}
Instruction sleep(Pc pc, std::uint32_t ns) {
    return insn(Op::kNanosleep, Form::kI, pc, ns);
}

// --- separate pipelines

TEST(BruOwnPipeline, AnswersOnTheCallAfterTheClassLatency) {
    Bench b("bench", config_with(4));
    b.at(0, [&] { b.start_warp(0, LaneMask(0xf)); });
    b.at(10, [&] { b.send("bra", 0, bra(0, 3)); });
    b.at(20, [&] { b.send("bsync", 0, bsync(0x40)); });
    b.run();
    EXPECT_EQ(b.answers["bra"].cycle, 12U);
    EXPECT_EQ(b.answers["bra"].next_pc, 0x40U);
    EXPECT_EQ(b.answers["bra"].next_active, LaneMask(0xf));
    EXPECT_FALSE(b.answers["bra"].by_response);
    EXPECT_EQ(b.answers["bsync"].cycle, 24U);
    EXPECT_EQ(b.answers["bsync"].interval, 1U);
    EXPECT_EQ(b.bru.stats().instructions, 2U);
}

TEST(BruOwnPipeline, KeepsTheAnnotatedDelay) {
    Bench b("bench", config_with(4));
    b.at(0, [&] { b.start_warp(0, LaneMask(0xf)); });
    b.at(10, [&] { b.send("bra", 0, bra(0, 3), 5); });
    b.run();
    EXPECT_EQ(b.answers["bra"].cycle, 17U);
}

TEST(BruOwnPipeline, QueuesAtTheInitiationInterval) {
    Config config = config_with(4);
    config.bru.sync_interval = 6;
    Bench b("bench", config);
    b.at(0, [&] {
        b.start_warp(0, LaneMask(0xf));
        b.start_warp(4, LaneMask(0xf));
        b.start_warp(1, LaneMask(0xf));
    });
    b.at(10, [&] {
        b.send("first", 0, bsync(0));
        b.send("other sub-partition", 1, bra(0, 3));
    });
    b.at(11, [&] { b.send("second", 4, bra(0, 3)); });
    b.run();
    EXPECT_EQ(b.answers["first"].interval, 6U);
    EXPECT_EQ(b.answers["other sub-partition"].cycle, 12U);
    EXPECT_EQ(b.answers["second"].cycle, 18U);
    EXPECT_EQ(b.answers["second"].interval, 6U); // free again in cycle 17
    EXPECT_EQ(b.bru.stats().busy_cycles, 8U);
}

// --- a shared pipeline

TEST(BruSharedPipeline, ServesFromTheNextCycleOnOneAtATime) {
    Config config = config_with(1);
    config.bru.branch_interval = 3;
    Bench b("bench", config);
    b.at(0, [&] {
        for (std::uint32_t warp = 0; warp < 3; ++warp) {
            b.start_warp(warp, LaneMask(0xf));
        }
    });
    b.at(10, [&] {
        for (std::uint32_t warp = 0; warp < 3; ++warp) {
            b.send(std::to_string(warp), warp, bra(0, 3));
        }
    });
    b.run();
    EXPECT_EQ(b.accepted_interval["0"], 3U);
    EXPECT_TRUE(b.answers["0"].by_response);
    EXPECT_EQ(b.answers["0"].cycle, 13U);
    EXPECT_EQ(b.answers["1"].cycle, 16U);
    EXPECT_EQ(b.answers["2"].cycle, 19U);
    EXPECT_EQ(b.bru.stats().busy_cycles, 9U);
}

TEST(BruSharedPipeline, TheOrderRotates) {
    Bench b("bench", config_with(1));
    b.at(0, [&] {
        for (std::uint32_t warp = 0; warp < 8; ++warp) {
            b.start_warp(warp, LaneMask(0xf));
        }
    });
    b.at(10, [&] {
        for (const std::uint32_t warp : {0U, 4U, 1U, 5U}) { // two each of sub-partitions 0 and 1
            b.send(std::to_string(warp), warp, bra(0, 3));
        }
    });
    b.run();
    EXPECT_EQ(b.order, (std::vector<std::string>{"0", "1", "4", "5"}));
}

TEST(BruSharedPipeline, AnAnnotatedArrivalIsNotServedEarlier) {
    Bench b("bench", config_with(1));
    b.at(0, [&] {
        b.start_warp(0, LaneMask(0xf));
        b.start_warp(1, LaneMask(0xf));
    });
    b.at(10, [&] {
        b.send("late", 0, bra(0, 3), 4);
        b.send("early", 1, bra(0, 3));
    });
    b.run();
    EXPECT_EQ(b.answers["early"].cycle, 13U);
    EXPECT_EQ(b.answers["late"].cycle, 17U);
}

TEST(BruSharedPipeline, OnlyPipelinesWithSeveralUsersAreArbitrated) {
    Bench b("bench", config_with(3)); // sub-partitions 0 and 3 share
    b.at(0, [&] {
        b.start_warp(3, LaneMask(0xf));
        b.start_warp(1, LaneMask(0xf));
    });
    b.at(10, [&] {
        b.send("shared", 3, bra(0, 3));
        b.send("own", 1, bra(0, 3));
    });
    b.run();
    EXPECT_TRUE(b.answers["shared"].by_response);
    EXPECT_FALSE(b.answers["own"].by_response);
}

/// The engine of the configuration, with seven cycles more for BSSY, like an engine that spills a stack.
class SpillingEngine final : public ReconvergenceEngine {
  public:
    explicit SpillingEngine(const Config &config) : engine_(make_engine(config.bru, config.warps())) {}
    void start(WarpSlot warp, Pc entry, LaneMask valid, Pc program_bytes) override {
        engine_->start(warp, entry, valid, program_bytes);
    }
    StepResult execute(WarpSlot warp, const Instruction &i, const Operands &operands) override {
        StepResult result = engine_->execute(warp, i, operands);
        result.extra_cycles = i.op == Op::kBssy ? 7 : 0;
        return result;
    }
    void timer_expired(WarpSlot warp) override { engine_->timer_expired(warp); }
    ControlSnapshot snapshot(WarpSlot warp, const Untold &untold) const override {
        return engine_->snapshot(warp, untold);
    }
    std::string describe(WarpSlot warp) const override { return engine_->describe(warp); }

  private:
    std::unique_ptr<ReconvergenceEngine> engine_;
};

TEST(Engine, ExtraCyclesOfAStepDelayItsEndAndKeepThePipelineBusy) {
    const Config config;
    Bench b("bench", config, std::make_unique<SpillingEngine>(config));
    b.at(0, [&] { b.start_warp(0, LaneMask(0xf)); });
    b.at(10, [&] { b.send("spills", 0, on_breg(Op::kBssy, Form::kI, 0, 0)); });
    b.at(12, [&] { b.send("next", 0, bra(0x10, 3)); });
    b.run();
    EXPECT_EQ(b.answers["spills"].cycle, 10 + config.bru.barrier_latency + 7);
    EXPECT_EQ(b.answers["spills"].interval, config.bru.barrier_interval + 7);
    EXPECT_EQ(b.answers["next"].cycle, 10 + config.bru.barrier_interval + 7 + config.bru.branch_latency);
    EXPECT_EQ(b.bru.stats().busy_cycles, config.bru.barrier_interval + 7 + config.bru.branch_interval);
}

TEST(Engine, ExtraCyclesDelayTheOthersOfASharedPipeline) {
    Config config;
    config.bru.pipelines = 1;
    Bench b("bench", config, std::make_unique<SpillingEngine>(config));
    b.at(0, [&] {
        b.start_warp(0, LaneMask(0xf));
        b.start_warp(1, LaneMask(0xf));
    });
    b.at(10, [&] { b.send("spills", 0, on_breg(Op::kBssy, Form::kI, 0, 0)); });
    b.at(11, [&] { b.send("other", 1, bra(0, 3)); });
    b.run();
    EXPECT_EQ(b.answers["spills"].cycle, 11 + config.bru.barrier_latency + 7);
    EXPECT_EQ(b.answers["other"].cycle, 11 + config.bru.barrier_interval + 7 + config.bru.branch_latency);
}

class CallOrder : public ::testing::TestWithParam<bool> {};

// Both instances must see the same cycles: the order of calls within one time step has no influence.
TEST_P(CallOrder, DoesNotMatterOnASharedPipeline) {
    const bool reversed = GetParam();
    Config config = config_with(2);
    config.bru.branch_interval = 2;
    Bench b("bench", config);
    b.at(0, [&] {
        for (std::uint32_t warp = 0; warp < 4; ++warp) {
            b.start_warp(warp, LaneMask(0xf));
        }
    });
    for (const Cycle cycle : {Cycle{10}, Cycle{11}}) {
        b.at(cycle, [&b, cycle, reversed] {
            for (std::uint32_t step = 0; step < 4; ++step) {
                const std::uint32_t warp = reversed ? 3 - step : step;
                b.send(std::to_string(warp) + "@" + std::to_string(cycle), warp, bra(0, -1));
            }
        });
    }
    b.run();
    EXPECT_EQ(b.answers["0@10"].cycle, 13U);
    EXPECT_EQ(b.answers["1@10"].cycle, 13U);
    EXPECT_EQ(b.answers["2@10"].cycle, 15U);
    EXPECT_EQ(b.answers["3@10"].cycle, 15U);
    EXPECT_EQ(b.answers["0@11"].cycle, 17U);
    EXPECT_EQ(b.answers["2@11"].cycle, 19U);
}

// Thread 1 falls asleep in the time step in which the expiry of thread 0's sleep is reported. The one timer is still
// running then, so its expiry ends both sleeps, in either order, and only a later sleep starts it again.
TEST_P(CallOrder, DoesNotMatterForExpiryAndInstruction) {
    const bool reversed = GetParam();
    Bench b("bench", config_with(4));
    b.start_diverged();
    b.at(10, [&] { b.send("thread 0", 0, sleep(0x10, 8)); }); // until 12 + 8 = 20
    const std::function<void()> expire = [&] { b.expire(0); };
    const std::function<void()> thread1 = [&] { b.send("thread 1", 0, sleep(0x40, 50)); };
    b.at(19, reversed ? thread1 : expire);
    b.at(19, reversed ? expire : thread1);
    b.at(30, [&] { b.send("later", 0, sleep(0x20, 5)); });
    b.run();
    EXPECT_EQ(b.answers["thread 1"].outcome, Outcome::kSleep);
    EXPECT_EQ(b.wakes, (Wakes{{22, 0}}));
    EXPECT_EQ(b.answers["later"].snapshot.sleep, LaneMask(0x1));
    EXPECT_EQ(b.asked, (std::vector<Bench::Asked>{{0, 12, 8}, {0, 32, 5}}));
}

INSTANTIATE_TEST_SUITE_P(Orders, CallOrder, ::testing::Bool());

// --- sleep

TEST(BruSleep, AsksTheTimerFromTheEndOfTheInstructionInCyclesRoundedUp) {
    Config config = config_with(4);
    config.sm.clock_ghz = 1.1; // 10000 ps over the rounded period of 909 ps would be 12
    Bench b("bench", config);
    b.at(0, [&] { b.start_warp(2, LaneMask(0x3)); });
    b.at(10, [&] { b.send("sleep", 2, sleep(0, 10)); });
    b.run();
    EXPECT_EQ(b.answers["sleep"].outcome, Outcome::kSleep);
    EXPECT_EQ(b.asked, (std::vector<Bench::Asked>{{2, 12, 11}}));
    EXPECT_THAT(b.bru.describe(WarpSlot(2)), ::testing::HasSubstr("the warp sleeps; timer expires in cycle 23"));
}

TEST(BruSleep, AShorterSleepShortensTheTimer) {
    Bench b("bench", config_with(4));
    b.start_diverged();
    b.at(10, [&] { b.send("long", 0, sleep(0x10, 100)); });
    b.at(20, [&] { b.send("short", 0, sleep(0x40, 5)); });
    b.at(26, [&] { b.expire(0); });
    b.run();
    EXPECT_EQ(b.asked, (std::vector<Bench::Asked>{{0, 12, 100}, {0, 22, 5}}));
    EXPECT_EQ(b.wakes, (Wakes{{27, 0}}));
}

TEST(BruSleep, ALongerSleepEndsWithTheRunningTimer) {
    Bench b("bench", config_with(4));
    b.start_diverged();
    b.at(10, [&] { b.send("short", 0, sleep(0x10, 50)); });
    b.at(20, [&] { b.send("long", 0, sleep(0x40, 500)); });
    b.run();
    EXPECT_EQ(b.asked, (std::vector<Bench::Asked>{{0, 12, 50}}));
}

TEST(BruSleep, ExpiryClearsBeforeInstructionsOfItsCycle) {
    Bench b("bench", config_with(4));
    b.at(0, [&] { b.start_warp(0, LaneMask(0x3)); });
    b.at(10, [&] { b.send("sleep", 0, sleep(0, 5)); }); // until 17
    b.at(15, [&] { b.expire(0, 2); });
    b.at(16, [&] { EXPECT_EQ(state_of(b.bru.snapshot(WarpSlot(0), std::nullopt)).sleep, LaneMask(0x3)); });
    b.at(17, [&] {
        EXPECT_EQ(state_of(b.bru.snapshot(WarpSlot(0), std::nullopt)).sleep, LaneMask());
        b.send("next", 0, bra(0x10, 1));
    });
    b.run();
    EXPECT_EQ(b.wakes, (Wakes{{17, 0}}));
    EXPECT_EQ(b.answers["next"].snapshot.sleep, LaneMask());
    EXPECT_EQ(b.bru.stats().wakes, 1U);
}

TEST(BruSleep, AWarpThatIsAwakeGetsNoWake) {
    Bench b("bench", config_with(4));
    b.start_diverged();
    b.at(10, [&] { b.send("sleep", 0, sleep(0x10, 5)); }); // thread 1 continues
    b.at(16, [&] { b.expire(0); });
    b.at(17, [&] { b.send("runs", 0, bra(0x40, 1)); });
    b.at(18, [&] { b.expire(0); }); // a timer that does not run cannot expire
    b.run();
    EXPECT_EQ(b.wakes, Wakes{});
    EXPECT_EQ(b.answers["runs"].snapshot.sleep, LaneMask());
    EXPECT_EQ(b.bru.stats().wakes, 1U);
}

// The expiry takes effect in cycle 11, but the buffer sees the warp asleep only in cycle 12.
TEST(BruSleep, AWakeNeverOvertakesTheSleep) {
    Bench b("bench", config_with(4));
    b.start_diverged();
    b.at(5, [&] { b.send("thread 0", 0, sleep(0x10, 4)); });
    b.at(10, [&] {
        b.expire(0);
        b.send("thread 1", 0, sleep(0x40, 100));
    });
    b.run();
    EXPECT_EQ(b.wakes, (Wakes{{13, 0}}));
}

TEST(BruSleep, AnExpiryOfTheWarpBeforeDoesNotWakeAndDoesNotStealTheTimer) {
    Bench b("bench", config_with(4));
    b.at(0, [&] { b.start_warp(0, LaneMask(0x1)); });
    b.at(2, [&] { b.send("old", 0, sleep(0, 20)); });   // until 24
    b.at(8, [&] { b.start_warp(0, LaneMask(0x3)); });   // the slot has a new warp
    b.at(10, [&] { b.send("new", 0, sleep(0, 100)); }); // until 112
    b.at(23, [&] { b.expire(0); });                     // that of the old warp, in 24
    b.at(111, [&] { b.expire(0); });
    b.run();
    EXPECT_EQ(b.asked, (std::vector<Bench::Asked>{{0, 4, 20}, {0, 12, 100}, {0, 25, 87}}));
    EXPECT_EQ(b.wakes, (Wakes{{112, 0}}));
}

TEST(BruSleep, AStartCancelsAPendingExpiry) {
    Bench b("bench", config_with(4));
    b.at(0, [&] { b.start_warp(0, LaneMask(0x1)); });
    b.at(2, [&] { b.send("old", 0, sleep(0, 6)); }); // until 10
    b.at(8, [&] { b.expire(0, 6); });                // effect in 14
    b.at(9, [&] { b.start_warp(0, LaneMask(0x3)); });
    b.at(11, [&] { b.send("new", 0, sleep(0, 100)); });
    b.at(20, [&] { EXPECT_EQ(state_of(b.bru.snapshot(WarpSlot(0), std::nullopt)).sleep, LaneMask(0x3)); });
    b.run();
    EXPECT_EQ(b.asked, (std::vector<Bench::Asked>{{0, 4, 6}, {0, 13, 100}}));
}

// --- faults and the host

TEST(BruFault, StatusAndReport) {
    Bench b("bench", config_with(4));
    b.at(0, [&] { b.start_warp(0, LaneMask(0x1)); });
    b.at(10, [&] { b.send("bra", 0, bra(0, 0x1000)); });
    b.run();
    EXPECT_EQ(b.answers["bra"].fault, "thread 0 would go to 0x10010, outside the program of 0x1000 bytes");
    EXPECT_EQ(b.answers["bra"].cycle, 12U);
    EXPECT_EQ(b.answers["bra"].snapshot.active, LaneMask(0x1));
}

TEST(BruFault, AWarpOfAnotherSubPartitionIsRefused) {
    Bench b("bench", config_with(4));
    b.at(10, [&] {
        Instruction i = bra(0, 0);
        protocol::PayloadPool<BranchExtension> pool;
        Payload &payload = pool.acquire();
        extension_of(payload)->warp = WarpSlot(1);
        extension_of(payload)->insn = &i;
        Phase phase = tlm::BEGIN_REQ;
        sc_time delay;
        EXPECT_THROW(b.branch[0]->nb_transport_fw(payload, phase, delay), sc_core::sc_report);
        payload.release();
    });
    b.run();
}

TEST(BruSyscall, HandsIdentityAndMasksToTheHost) {
    std::vector<std::string> seen;
    Bench b("bench", config_with(4), [&](const Syscall &call) {
        seen.push_back(std::to_string(call.warp.cta_number) + " " + std::to_string(call.active.bits()) + " " +
                       std::to_string(call.executed.bits()) + " " + std::to_string(call.insn.pc) + " " +
                       std::to_string(call.cycle));
    });
    b.at(0, [&] { b.start_warp(0, LaneMask(0xf)); });
    b.at(10, [&] { b.send("syscall", 0, insn(Op::kSyscall, Form::kX, 0x20)); });
    b.run();
    EXPECT_EQ(seen, (std::vector<std::string>{"7 15 15 32 10"}));
    EXPECT_EQ(b.answers["syscall"].next_pc, 0x30U);
    EXPECT_EQ(b.bru.stats().syscalls, 1U);
}

TEST(BruConfigCheck, ImpossibleTimingIsRefused) {
    Config config = config_with(4);
    config.bru.pipelines = 0;
    EXPECT_THROW(Bru("bru", config), InputError);
}

} // namespace
} // namespace smsim::bru::test
