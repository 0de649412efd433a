// The sleep timer of the golden model: sm/timer/sleep_calendar.h by warp slot.
#include <deque>
#include <memory>

#include "cosim/golden/handle.h"
#include "sm/timer/sleep_calendar.h"

using namespace smsim;

struct smsim_golden_timer {
    static constexpr golden::Kind kKind = golden::Kind::kTimer;
    struct Expiry {
        WarpSlot warp;
        Cycle cycle;
    };

    smsim_golden_timer(std::uint32_t warps, std::uint32_t granularity) : calendar(warps, granularity) {}

    golden::Kind kind = kKind;
    sm::SleepCalendar calendar;
    std::deque<Expiry> taken; ///< removed from the calendar, and not yet reported
};

int smsim_golden_timer_create(uint32_t warps, uint32_t granularity, smsim_golden_timer **timer) {
    return golden::create(timer, [&] {
        golden::require_slots(warps, "warps");
        golden::require(granularity >= 1, SMSIM_GOLDEN_BAD_ARGUMENT, "granularity 0: expected at least 1");
        return std::make_unique<smsim_golden_timer>(warps, granularity);
    });
}

void smsim_golden_timer_destroy(smsim_golden_timer *timer) {
    golden::destroy(timer);
}

int smsim_golden_timer_request(smsim_golden_timer *timer, uint32_t warp, uint64_t now, uint64_t cycles,
                               uint64_t *expiry) {
    return golden::guarded([&] {
        smsim_golden_timer &all = golden::checked(timer);
        golden::require_below(warp, all.calendar.warps(), "warp");
        const Cycle expires = all.calendar.request(WarpSlot(warp), now, cycles);
        if (expiry != nullptr) {
            *expiry = expires;
        }
    });
}

int smsim_golden_timer_stop(smsim_golden_timer *timer, uint32_t warp, uint64_t at) {
    return golden::guarded([&] {
        smsim_golden_timer &all = golden::checked(timer);
        golden::require_below(warp, all.calendar.warps(), "warp");
        all.calendar.stop(WarpSlot(warp), at);
    });
}

int smsim_golden_timer_expire(smsim_golden_timer *timer, uint64_t until, uint32_t *expired, uint32_t *warp,
                              uint64_t *cycle) {
    return golden::guarded([&] {
        smsim_golden_timer &all = golden::checked(timer);
        golden::require_pointer(expired, "expired");
        golden::require_pointer(warp, "warp");
        golden::require_pointer(cycle, "cycle");
        const Cycle next = all.calendar.next();
        if (all.taken.empty() && next != kNever && next <= until) {
            for (const WarpSlot one : all.calendar.take(next)) {
                all.taken.push_back({one, next});
            }
        }
        *expired = all.taken.empty() ? 0 : 1;
        if (!all.taken.empty()) {
            *warp = all.taken.front().warp.value();
            *cycle = all.taken.front().cycle;
            all.taken.pop_front();
        }
    });
}

int smsim_golden_timer_read(const smsim_golden_timer *timer, uint32_t warp, uint64_t now, uint32_t *running,
                            uint64_t *expiry) {
    return golden::guarded([&] {
        const smsim_golden_timer &all = golden::checked(timer);
        golden::require_below(warp, all.calendar.warps(), "warp");
        golden::require_pointer(running, "running");
        golden::require_pointer(expiry, "expiry");
        const Cycle expires = all.calendar.expiry(WarpSlot(warp));
        *running = expires > now ? 1 : 0;
        *expiry = expires > now ? expires : 0;
    });
}
