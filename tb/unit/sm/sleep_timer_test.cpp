// The sleep timer alone, its sockets bound to a bench: exact times of expiries, and that nothing else wakes it.
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <systemc>

#include "model/config/config.h"
#include "sm/timer/sleep_timer.h"

namespace smsim::sm {
namespace {

using protocol::LifecycleExtension;
using protocol::TimerExtension;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Config bench_config(std::uint32_t granularity = 1) {
    Config config;
    config.sm.sub_partitions = 2;
    config.bru.pipelines = 2;
    config.sm.warps_per_sub_partition = 4;
    config.timer.granularity = granularity;
    return config;
}

/// Plays BRU and CTA dispatch.
class Bench final : public sc_core::sc_module {
  public:
    explicit Bench(const Config &config, const sc_core::sc_module_name &name = "bench")
        : sc_module(name), timer("timer", config), request_("request"), expiry_("expiry"), lifecycle_("lifecycle"),
          clock_(config) {
        SC_HAS_PROCESS(Bench);
        SC_METHOD(step);
        sensitive << event_;
        request_.bind(timer.request);
        timer.expiry.bind(expiry_);
        lifecycle_.bind(timer.lifecycle);
        expiry_.on_request<&Bench::on_expiry>(this);
    }

    /// Sends at the beginning of `at` a request of the warp in `slot`, with `delay` cycles annotated.
    void sleep(Cycle at, unsigned slot, Cycle cycles, Cycle delay = 0) {
        actions_.emplace(at, [=, this] {
            protocol::TimerPayload &payload = requests_.acquire();
            auto *ext = protocol::extension_of(payload);
            ext->warp = WarpSlot(slot);
            ext->cycles = cycles;
            tlm::tlm_phase phase = tlm::BEGIN_REQ;
            sc_core::sc_time annotated = clock_.span(delay);
            EXPECT_EQ(request_->nb_transport_fw(payload, phase, annotated), tlm::TLM_COMPLETED);
            if (!payload.is_response_ok()) {
                log.push_back(fmt::format("{} refused", slot));
            }
            payload.release();
        });
    }
    /// Announces at `at` that the warp in `slot` ends (or starts) one cycle later.
    void life(Cycle at, unsigned slot, LifecycleExtension::Kind kind) {
        actions_.emplace(at, [=, this] {
            protocol::LifecyclePayload &payload = lives_.acquire();
            auto *ext = protocol::extension_of(payload);
            ext->kind = kind;
            ext->warp = WarpSlot(slot);
            ext->start.warp = WarpSlot(slot);
            tlm::tlm_phase phase = tlm::BEGIN_REQ;
            sc_core::sc_time delay = clock_.period();
            EXPECT_EQ(lifecycle_->nb_transport_fw(payload, phase, delay), tlm::TLM_COMPLETED);
            if (!payload.is_response_ok()) {
                log.push_back(fmt::format("{} refused", slot));
            }
            payload.release();
        });
    }
    void run() {
        call_next();
        sc_core::sc_start();
    }

    SleepTimer timer;
    /// "cycle of effect warp"
    std::vector<std::string> log;
    /// Cycles in which the timer has called.
    std::vector<Cycle> calls;

  private:
    tlm::tlm_sync_enum on_expiry(unsigned, protocol::TimerPayload &payload, tlm::tlm_phase &phase,
                                 sc_core::sc_time &delay) {
        EXPECT_EQ(phase, tlm::BEGIN_REQ);
        EXPECT_EQ(delay, clock_.period());
        const auto *ext = protocol::extension_of(payload);
        log.push_back(fmt::format("{} {}", clock_.at(delay), ext->warp.value()));
        calls.push_back(clock_.now());
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

    protocol::Initiator<protocol::TimerLink> request_;
    protocol::Target<protocol::TimerLink> expiry_;
    protocol::Initiator<protocol::LifecycleLink> lifecycle_;
    protocol::Clock clock_;
    protocol::PayloadPool<TimerExtension> requests_;
    protocol::PayloadPool<LifecycleExtension> lives_;
    std::multimap<Cycle, std::function<void()>> actions_;
    sc_core::sc_event event_;
};

constexpr auto kStart = LifecycleExtension::Kind::kWarpStart;
constexpr auto kExited = LifecycleExtension::Kind::kWarpEnded;

TEST(SleepTimer, ExpiryTakesEffectAtItsCycleAndIsSentOneCycleAhead) {
    Bench bench(bench_config());
    bench.sleep(10, 3, 40);
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre("50 3"));
    EXPECT_THAT(bench.calls, ElementsAre(49));
    EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::sc_time(49, sc_core::SC_NS)); // and nothing after it
}

TEST(SleepTimer, AnnotatedDelayOfTheRequestIsKept) {
    Bench bench(bench_config());
    bench.sleep(10, 3, 40, 2);
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre("52 3"));
}

TEST(SleepTimer, NeverEarlierThanOneCycleAfterTheRequest) {
    Bench bench(bench_config());
    bench.sleep(10, 3, 1);
    bench.sleep(20, 4, 0);
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre("11 3", "21 4"));
}

TEST(SleepTimer, Bru_D11_TheEarlierOfTwoRequestsWakesOnce) {
    Bench bench(bench_config());
    bench.sleep(10, 3, 100);
    bench.sleep(20, 3, 30);  // 50: earlier
    bench.sleep(30, 3, 100); // 130: later, ignored
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre("50 3"));
}

TEST(SleepTimer, CanBeStartedAgainAfterItsExpiry) {
    Bench bench(bench_config());
    bench.sleep(10, 3, 10);
    bench.sleep(19, 3, 50); // sent with the expiry under way: the timer still runs
    bench.sleep(20, 3, 50); // in the cycle of the expiry: comes after it
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre("20 3", "70 3"));
}

TEST(SleepTimer, ExpiriesOfOneCycleComeInWarpOrder) {
    Bench bench(bench_config());
    bench.sleep(10, 6, 30);
    bench.sleep(20, 0, 20);
    bench.sleep(30, 5, 10);
    bench.sleep(30, 1, 11);
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre("40 0", "40 5", "40 6", "41 1"));
}

TEST(SleepTimer, GranularityIsInAbsoluteCycles) {
    Bench bench(bench_config(32));
    bench.sleep(10, 1, 20);
    bench.sleep(10, 2, 22);
    bench.sleep(10, 3, 23);
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre("32 1", "32 2", "64 3"));
}

TEST(SleepTimer, StartAndEndOfAWarpStopItsTimer) {
    Bench bench(bench_config());
    bench.sleep(10, 1, 40);
    bench.sleep(10, 2, 60);
    bench.sleep(10, 3, 80);
    bench.life(20, 1, kExited);
    bench.life(20, 3, kStart);
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre("70 2"));
    EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::sc_time(69, sc_core::SC_NS)); // no wake-up for the stopped ones
}

TEST(SleepTimer, AStoppedTimerLeavesNothingToWaitFor) {
    Bench bench(bench_config());
    bench.sleep(10, 1, 40);
    bench.life(20, 1, kExited);
    bench.run();
    EXPECT_THAT(bench.log, IsEmpty());
    EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::sc_time(20, sc_core::SC_NS));
}

TEST(SleepTimer, AnExpiryInTheCycleOfTheWarpEndIsKept) {
    Bench bench(bench_config());
    bench.sleep(10, 1, 30);
    bench.life(39, 1, kExited); // in effect at 40, as the expiry
    bench.sleep(10, 2, 31);
    bench.life(39, 2, kExited);
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre("40 1"));
}

TEST(SleepTimer, ATimeBeyondTheSimulationNeverExpires) {
    Bench bench(bench_config());
    bench.sleep(10, 1, kNever / 2);
    bench.sleep(10, 2, 5);
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre("15 2"));
}

TEST(SleepTimer, RefusesWarpsThatDoNotExist) {
    Bench bench(bench_config());
    bench.sleep(10, 8, 5);
    bench.life(10, 8, kExited);
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre("8 refused", "8 refused"));
    EXPECT_THAT(bench.calls, IsEmpty());
}

} // namespace
} // namespace smsim::sm
