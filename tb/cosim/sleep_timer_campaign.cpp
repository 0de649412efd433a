#include "tb/cosim/sleep_timer_campaign.h"

#include <algorithm>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "cosim/channels.h"
#include "cosim/library_block.h"
#include "cosim/timer_adapter.h"
#include "cosim/verilated/blocks.h"
#include "model/config/config.h"
#include "sm/timer/sleep_calendar.h"
#include "tb/fuzz/programs/random.h"

namespace smsim::cosim {
namespace {

constexpr Cycle kLast = ~Cycle{0};
constexpr Cycle kCyclesOfAStretch = 600;

/// The block and the calendar in parallel, from a reset on with one granularity.
class Stretch {
  public:
    Stretch(Block &block, const TimerPins &pins, unsigned subs, fuzz::Random &random, TimerCampaign &done)
        : block_(block), pins_(pins), random_(random), done_(done), subs_(subs), warps_(pins.stop.fields()),
          granularity_(granularity()), now_(begin()), calendar_(warps_, granularity_), expiry_(warps_),
          busy_percent_(random.of({2, 10, 40, 100})), stop_percent_(random.of({0, 0, 5, 40})),
          far_percent_(random.of({0, 10, 60})), bound_(random.of({2, 8, 100, 1000})) {
        pins_.cfg_granularity.put(granularity_);
        pins_.now.put(now_);
        pins_.req_valid.clear();
        pins_.stop.clear();
        cosim::reset(block_, pins_.rst);
    }

    /// Runs cycles until `requests` requests in total, a difference, or the last cycle.
    void run(std::uint64_t requests) {
        // The last expiry is reported in the cycle before the last one; after that there is no time left.
        for (Cycle i = 0; i < kCyclesOfAStretch && now_ < kLast; ++i, ++now_) {
            if (done_.requests >= requests || !done_.difference.empty()) {
                return;
            }
            cycle();
            if (pins_.busy.get() == 0 && random_.chance(20)) {
                stand_still();
            }
        }
    }

  private:
    /// A value around `center`.
    Cycle near(Cycle center) { return center + random_.below(5) - 2; }
    /// A value of any size, small ones as often as large ones.
    Cycle any() { return random_.next() >> random_.below(64); }

    std::uint32_t granularity() {
        switch (random_.below(6)) {
        case 0:
            return 1;
        case 1:
            return 2;
        case 2:
            return 0xffff'ffff;
        case 3:
            return 2 * random_.below(500) + 1;
        case 4:
            return 1U << random_.below(32);
        default:
            return static_cast<std::uint32_t>(any()) | 1U;
        }
    }
    Cycle begin() {
        const Cycle to_the_end = kLast - random_.below(static_cast<std::uint32_t>(kCyclesOfAStretch));
        switch (random_.below(5)) {
        case 0:
            return 0;
        case 1:
            return to_the_end;
        case 2: { // shortly before a multiple of the granularity
            const Cycle multiple = any() / granularity_ * granularity_;
            return multiple - std::min<Cycle>(multiple, random_.below(static_cast<std::uint32_t>(kCyclesOfAStretch)));
        }
        case 3: // before the last multiple of the granularity
            return kLast / granularity_ * granularity_ - random_.below(static_cast<std::uint32_t>(kCyclesOfAStretch));
        default:
            return any();
        }
    }
    Cycle cycles() {
        if (!random_.chance(far_percent_)) {
            return random_.below(bound_);
        }
        switch (random_.below(7)) {
        case 0:
            return random_.below(2);
        case 1:
            return near(granularity_);
        case 2:
            return near(Cycle{1} << 32);
        case 3:
            return near(Cycle{1} << 63);
        case 4:
            return kLast - random_.below(3);
        case 5:
            return near(kLast - now_);
        default:
            return any();
        }
    }

    void cycle() {
        pins_.now.put(now_);
        pins_.req_valid.clear();
        pins_.stop.clear();
        for (unsigned sub = 0; sub < subs_; ++sub) {
            if (random_.chance(busy_percent_)) {
                ask(sub, random_.below(warps_ / subs_) * subs_ + sub);
            }
        }
        std::vector<unsigned> stopped;
        while (random_.chance(stop_percent_)) {
            stopped.push_back(random_.below(warps_));
            pins_.stop.put(1, stopped.back());
        }
        block_.settle();
        compare_expiries();
        for (const unsigned warp : stopped) {
            done_.stops += expiry_[warp] != 0 ? 1 : 0;
            expiry_[warp] = 0;
            calendar_.stop(WarpSlot(warp), now_ + 1);
        }
        block_.edge(now_);
        compare_states(stopped);
    }

    void ask(unsigned sub, unsigned warp) {
        const Cycle asked = cycles();
        pins_.req_valid.put(1, sub);
        pins_.req_warp.put(warp, sub);
        pins_.req_cycles.put(asked, sub);
        const Cycle expiry = calendar_.request(WarpSlot(warp), now_, asked);
        ++done_.requests;
        done_.last += expiry == kLast ? 1 : 0;
        done_.earlier += expiry_[warp] > expiry ? 1 : 0;
        expiry_[warp] = expiry;
        looked_at_ = warp;
    }

    void compare_expiries() {
        if (pins_.req_ready.get(0) == 0 || pins_.req_ready.get(subs_ - 1) == 0) {
            differs("a request is not taken");
        }
        std::vector<bool> here(warps_);
        for (const WarpSlot warp : calendar_.take(now_ + 1)) {
            here[warp.value()] = true;
            expiry_[warp.value()] = 0;
            ++done_.expiries;
        }
        for (unsigned warp = 0; warp < warps_; ++warp) {
            if (here[warp] != (pins_.expiry.get(warp) != 0)) {
                differs(fmt::format("the expiry of warp slot {} is reported in the {} only", warp,
                                    here[warp] ? "model" : "RTL"));
            }
        }
    }

    /// Compares the debug port for the warps `touched`, the last one requested, and one more; and `busy`.
    void compare_states(std::vector<unsigned> touched) {
        touched.push_back(looked_at_);
        touched.push_back(random_.below(warps_));
        for (const unsigned warp : touched) {
            pins_.dbg_warp.put(warp);
            block_.settle();
            ++done_.states;
            const bool running = pins_.dbg_running.get() != 0;
            if (running != (expiry_[warp] != 0) || (running && pins_.dbg_expiry.get() != expiry_[warp])) {
                differs(fmt::format("the timer of warp slot {}: model {:#x}, RTL {:#x} (0: it does not run)", warp,
                                    expiry_[warp], running ? pins_.dbg_expiry.get() : 0));
            }
        }
        const bool busy = std::ranges::any_of(expiry_, [](Cycle expiry) { return expiry != 0; });
        if (busy != (pins_.busy.get() != 0)) {
            differs(fmt::format("busy is {} in the RTL", busy ? "low" : "high"));
        }
    }

    /// The clock of an idle block stops while `now` continues.
    void stand_still() {
        now_ += std::min(random_.chance(90) ? random_.below(1000) : any(), kLast - 1 - std::min(now_, kLast - 1));
        ++done_.idle;
    }

    void differs(const std::string &what) {
        if (done_.difference.empty()) {
            done_.difference = fmt::format("cycle {:#x}, granularity {:#x}: {}", now_, granularity_, what);
        }
    }

    Block &block_;
    const TimerPins &pins_;
    fuzz::Random &random_;
    TimerCampaign &done_;
    unsigned subs_;
    unsigned warps_;
    std::uint32_t granularity_;
    Cycle now_;
    sm::SleepCalendar calendar_;
    std::vector<Cycle> expiry_; ///< by warp slot; 0: the timer does not run
    unsigned looked_at_ = 0;
    std::uint32_t busy_percent_;
    std::uint32_t stop_percent_;
    std::uint32_t far_percent_; ///< of the requests end at the end of the range, or anywhere else
    std::uint32_t bound_;       ///< of the others
};

std::unique_ptr<Block> block_of(const std::string &library, const Config &config) {
    if (library.empty()) {
        return make_block(BlockKind::kSleepTimer);
    }
    const std::uint64_t subs = config.sm.sub_partitions;
    return load_block({"--library",
                       library,
                       "sleep_timer",
                       {{"SUBS", subs}, {"WARPS", subs * config.sm.warps_per_sub_partition}},
                       ""});
}

} // namespace

TimerCampaign run_timer_campaign(std::uint64_t seed, std::uint64_t requests, const std::string &library) {
    const Config config;
    const std::unique_ptr<Block> block = block_of(library, config);
    const TimerPins pins(*block, config.sm.sub_partitions, warps_of(*block, "sleep_timer", "stop", config));
    fuzz::Random random(seed);
    TimerCampaign done;
    while (done.requests < requests && done.difference.empty()) {
        Stretch(*block, pins, config.sm.sub_partitions, random, done).run(requests);
    }
    if (!done.difference.empty()) {
        done.difference = fmt::format("seed {}, after {} requests, {}", seed, done.requests, done.difference);
    }
    return done;
}

} // namespace smsim::cosim
