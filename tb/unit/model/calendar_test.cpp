// The calendar that calls parts at their times, alone and together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include <systemc>

#include "model/protocol/calendar.h"

namespace smsim::protocol {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Notes its calls, as "name@time", and does what a test wants in them.
class Part : public sc_core::sc_module {
  public:
    Part(const char *name, std::vector<std::string> &log) : sc_module(sc_core::sc_module_name(name)), log_(log) {
        alarm.on_due<&Part::called>(this);
    }

    Alarm alarm;
    std::function<void()> in_call;

  private:
    void called() {
        log_.push_back(std::string(basename()) + "@" + std::to_string(sc_core::sc_time_stamp().value()));
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
    void join_all() {
        for (Part *part : {&a, &b, &c}) {
            part->alarm.join(calendar);
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

TEST_F(CalendarTest, WhoIsAskedForInACallForTheSameTimeComesInTheNextDeltaCycle) {
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
    b.alarm.join(calendar);
    a.alarm.set(20);
    b.alarm.set(10);
    run();
    EXPECT_THAT(log, ElementsAre("b@10", "a@20"));
}

TEST_F(CalendarTest, NobodyIsCalledWhoHasNotAsked) {
    join_all();
    run();
    EXPECT_THAT(log, IsEmpty());
}

} // namespace
} // namespace smsim::protocol
