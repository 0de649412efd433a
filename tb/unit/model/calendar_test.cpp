// The calendar that calls parts at their times: alone, together, and ahead of the kernel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include <systemc>

#include "model/protocol/calendar.h"
#include "model/protocol/present_time.h"

namespace smsim::protocol {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Records its calls as "name@time", with the calendar's time, and performs the actions of the test.
class Part : public sc_core::sc_module {
  public:
    Part(const char *name, std::vector<std::string> &log) : sc_module(sc_core::sc_module_name(name)), log_(log) {
        alarm.on_due<&Part::called>(this);
    }

    void join(Calendar &calendar) {
        alarm.join(calendar);
        time.follow(calendar.local_time());
    }

    Alarm alarm;
    PresentTime time;
    std::function<void()> in_call;

  private:
    void called() {
        log_.push_back(std::string(basename()) + "@" + std::to_string(time.raw()));
        if (in_call) {
            in_call();
        }
    }

    std::vector<std::string> &log_;
};

class CalendarTest : public ::testing::Test {
  protected:
    /// Runs up to time 100.
    void run() {
        sc_core::sc_start(sc_core::sc_time::from_value(100));
        EXPECT_EQ(sc_core::sc_time_stamp().value(), 100U);
    }
    /// `part` is called at `from` and every ten units of time after it, `times` times.
    static void call_every_ten(Part &part, PresentTime::Raw from, unsigned times) {
        part.in_call = [&part, left = times]() mutable {
            if (--left != 0) {
                part.alarm.set(part.time.raw() + 10);
            }
        };
        part.alarm.set(from);
    }
    void join_all() {
        for (Part *part : {&a, &b, &c}) {
            part->join(calendar);
        }
    }

    std::vector<std::string> log;
    Calendar calendar{"calendar"};
    Part a{"a", log};
    Part b{"b", log};
    Part c{"c", log};
};

TEST_F(CalendarTest, APartIsCalledOnceAtTheEarliestTimeForWhichItHasAsked) {
    join_all();
    a.alarm.set(30);
    a.alarm.set(10);
    a.alarm.set(20);
    b.alarm.set(15);
    run();
    EXPECT_THAT(log, ElementsAre("a@10", "b@15"));
}

TEST_F(CalendarTest, APartThatAsksInItsCallIsCalledAgain) {
    join_all();
    a.in_call = [&] {
        if (log.size() < 3) {
            a.alarm.set(sc_core::sc_time_stamp().value() + 7);
        }
    };
    a.alarm.set(1);
    b.alarm.set(40);
    run();
    EXPECT_THAT(log, ElementsAre("a@1", "a@8", "a@15", "b@40"));
}

TEST_F(CalendarTest, APartRequestedForTheSameTimeIsCalledInTheNextDeltaCycle) {
    join_all();
    sc_dt::uint64 first = 0;
    a.in_call = [&] {
        first = sc_core::sc_delta_count();
        b.alarm.set(5);
        c.alarm.set(3); // has passed
    };
    b.in_call = [&] { EXPECT_EQ(sc_core::sc_delta_count(), first + 1); };
    c.in_call = b.in_call;
    a.alarm.set(5);
    run();
    EXPECT_THAT(log, ElementsAre("a@5", "b@5", "c@5"));
}

TEST_F(CalendarTest, APartAloneHasACalendarOfItsOwn) {
    b.join(calendar);
    a.alarm.set(20);
    b.alarm.set(10);
    run();
    EXPECT_THAT(log, ElementsAre("b@10", "a@20"));
}

TEST_F(CalendarTest, APartWithoutARequestIsNeverCalled) {
    join_all();
    run();
    EXPECT_THAT(log, IsEmpty());
}

TEST_F(CalendarTest, ALeadingCalendarMakesAllCallsBeforeItsLimitInOneActivation) {
    join_all();
    call_every_ten(a, 10, 5);
    call_every_ten(b, 15, 2);
    std::vector<sc_dt::uint64> kernel;
    c.in_call = [&] { kernel.push_back(sc_core::sc_time_stamp().value()); };
    c.alarm.set(31);
    calendar.lead_until(40);
    run();
    EXPECT_THAT(log, ElementsAre("a@10", "b@15", "a@20", "b@25", "a@30", "c@31", "a@40", "a@50"));
    EXPECT_THAT(kernel, ElementsAre(10U)) << "a call ahead of the kernel";
}

TEST_F(CalendarTest, ALeadingCalendarKeepsTheOrderOfOtherCalls) {
    a.join(calendar);
    b.join(calendar);
    call_every_ten(a, 10, 4);
    call_every_ten(c, 25, 2); // by a separate calendar
    calendar.lead_until(100);
    run();
    EXPECT_THAT(log, ElementsAre("a@10", "a@20", "c@25", "a@30", "c@35", "a@40"));
}

TEST_F(CalendarTest, ANotificationAheadOfTheKernelIsDeliveredAtItsTime) {
    a.join(calendar);
    b.join(calendar);
    c.alarm.follow(calendar.local_time());
    call_every_ten(a, 10, 4);
    b.in_call = [&] { c.alarm.set(24); }; // at 22, where the kernel's time is 10
    b.alarm.set(22);
    calendar.lead_until(100);
    run();
    EXPECT_THAT(log, ElementsAre("a@10", "a@20", "b@22", "c@24", "a@30", "a@40"));
}

/// A process that records when it is called.
class Listener : public sc_core::sc_module {
  public:
    explicit Listener(const PresentTime &time) : sc_module(sc_core::sc_module_name("listener")), time_(time) {
        SC_HAS_PROCESS(Listener);
        SC_METHOD(called);
        sensitive << event;
        dont_initialize();
    }
    sc_core::sc_event event;
    std::vector<PresentTime::Raw> calls;
    std::function<void()> in_call;

  private:
    void called() {
        calls.push_back(time_.raw());
        if (in_call) {
            in_call();
        }
    }

    const PresentTime &time_;
};

TEST_F(CalendarTest, AnEventIsNotifiedForATimeAlsoAheadOfTheKernel) {
    join_all();
    Listener listener(a.time);
    call_every_ten(a, 10, 5);
    PresentTime::Raw at = 0;
    b.in_call = [&] { b.time.notify(listener.event, at); };
    calendar.lead_until(100);
    at = 27;
    b.alarm.set(22);
    run();
    EXPECT_THAT(listener.calls, ElementsAre(27U));
    EXPECT_THAT(log, ElementsAre("a@10", "a@20", "b@22", "a@30", "a@40", "a@50"));
}

TEST_F(CalendarTest, AnEventForATimeThatHasPassedIsNotifiedForThePresentOne) {
    join_all();
    Listener listener(a.time);
    call_every_ten(a, 10, 3);
    b.in_call = [&] { b.time.notify(listener.event, 3); };
    b.alarm.set(22);
    calendar.lead_until(100);
    run();
    EXPECT_THAT(listener.calls, ElementsAre(22U));
}

TEST_F(CalendarTest, AnImmediateNotificationAheadOfTheKernelHasTheTimeOfTheCalendar) {
    join_all();
    Listener listener(a.time);
    call_every_ten(a, 10, 3);
    listener.in_call = [&] { c.alarm.set(5); }; // has passed, though not for the kernel
    b.in_call = [&] { listener.event.notify(sc_core::SC_ZERO_TIME); };
    b.alarm.set(22);
    calendar.lead_until(100);
    run();
    EXPECT_THAT(listener.calls, ElementsAre(22U));
    EXPECT_THAT(log, ElementsAre("a@10", "a@20", "b@22", "c@22", "a@30"));
}

TEST_F(CalendarTest, TheKernelEndsWhereTheCalendarHasThatLed) {
    join_all();
    call_every_ten(a, 10, 4);
    calendar.lead_until(100);
    sc_core::sc_start(sc_core::sc_time::from_value(100), sc_core::SC_EXIT_ON_STARVATION);
    EXPECT_EQ(sc_core::sc_time_stamp().value(), 40U);
}

} // namespace
} // namespace smsim::protocol
