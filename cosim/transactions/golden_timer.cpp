// The rules of the sleep timer: the calendar of its expiries.
#include "cosim/transactions/golden.h"

#include <fmt/format.h>

#include "cosim/timer_reference.h"
#include "model/config/config.h"

namespace smsim::cosim::transactions {
namespace {

constexpr Cycle kTimerSlack = 10'000; // with random schedules an expiry occurs later than the rules say

class GoldenTimer final : public Golden {
  public:
    explicit GoldenTimer(const Config &config)
        : Golden(Part::kTimer), rules_(config.warps(), config.timer.granularity) {}

    void finish(Cycle last) override {
        if (last < kTimerSlack) {
            return;
        }
        rules_.advance(last);
        if (const auto missing = rules_.missing(last - kTimerSlack)) {
            differs(last_, nullptr, last, fmt::format("{}; model is the rules, RTL the recording", *missing));
        }
    }

  protected:
    void next(const Record &record, std::uint64_t number) override {
        const auto &event = std::get<Event>(record);
        last_ = number;
        rules_.advance(event.at);
        switch (event.kind) {
        case Event::Kind::kRequest:
            rules_.request(event.warp, event.at, event.cycles);
            break;
        case Event::Kind::kStop:
            rules_.stop(event.warp, event.at);
            break;
        default:
            compared(number, record, event.at,
                     rules_.expired(event.warp, event.at).difference
                         ? field_difference("expiry", "one", "rules", "none: the timer does not run")
                         : "");
            break;
        }
    }

  private:
    TimerReference rules_;
    std::uint64_t last_ = 0;
};

} // namespace

std::unique_ptr<Golden> make_golden_timer(const Config &config) {
    return std::make_unique<GoldenTimer>(config);
}

} // namespace smsim::cosim::transactions
