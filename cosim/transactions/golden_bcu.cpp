// The rules of the barrier unit: the barriers of each CTA, served in the order that docs/pins.md gives.
#include "cosim/transactions/golden.h"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>
#include <variant>
#include <vector>

#include "bcu/barrier.h"
#include "model/config/config.h"

namespace smsim::cosim::transactions {
namespace {

constexpr const char *kBarrierRules = "rules";
constexpr Cycle kBarrierSlack = 10'000; // what was due this long before the end of the recording will not arrive

class GoldenBcu final : public Golden {
  public:
    explicit GoldenBcu(const Config &config)
        : Golden(Part::kBcu), arrival_latency_(std::max(config.bcu.arrival_latency, 1U)),
          interval_(std::max(config.bcu.interval, 1U)), warps_(config.warps()), ctas_(config.sm.max_ctas) {}

    void finish(Cycle last) override {
        serve_before(kNever);
        for (const Warp &warp : warps_) {
            if (last >= kBarrierSlack) {
                look_for_missing(warp, last - kBarrierSlack);
            }
        }
    }

  protected:
    void next(const Record &record, std::uint64_t number) override {
        // Starts and exits take effect before the operation that is served in their cycle.
        serve_before(cycle_of(record));
        if (const auto *barrier = std::get_if<Barrier>(&record)) {
            waiting_.emplace_back(number, *barrier);
        } else if (const auto *start = std::get_if<Start>(&record)) {
            begin(*start);
        } else if (const auto &event = std::get<Event>(record); event.kind == Event::Kind::kExit) {
            exit(event, number, record);
        } else {
            compared(number, record, event.at, wake_difference(event));
        }
    }

  private:
    struct Warp {
        std::uint32_t cta = 0;
        std::uint32_t number = 0;
        std::optional<std::pair<std::uint64_t, Cycle>> wake; ///< owed: record that completes the barrier, cycle
    };
    struct Cta {
        explicit Cta(std::uint32_t warps) : barriers(warps) {}
        bcu::CtaBarriers barriers;
        std::map<std::uint32_t, WarpSlot> slots; ///< by number in the CTA
    };

    void begin(const Start &start) {
        std::optional<Cta> &cta = ctas_[start.cta.value()];
        if (!cta) {
            cta.emplace(start.warps_in_cta);
        }
        cta->slots[start.warp_in_cta] = start.warp;
        warps_[start.warp.value()] = {start.cta.value(), start.warp_in_cta, {}};
    }

    void exit(const Event &event, std::uint64_t number, const Record &record) {
        const Warp &warp = warps_[event.warp.value()];
        std::optional<Cta> &cta = ctas_[warp.cta];
        look_for_missing(warp, event.at);
        if (cta->barriers.blocked_at(warp.number)) {
            differs(number, &record, event.at, field_difference("warp", "exits", kBarrierRules, "waits at a barrier"));
            return;
        }
        for (const bcu::Completion &completion : cta->barriers.exit(warp.number)) {
            release(*cta, completion, number, event.at);
        }
        if (cta->barriers.exited() == cta->barriers.warps()) {
            cta.reset();
        }
    }

    void release(Cta &cta, const bcu::Completion &completion, std::uint64_t number, Cycle at) {
        for (const std::uint32_t warp : completion.released) {
            warps_[cta.slots.at(warp).value()].wake = {number, at};
        }
    }

    /// Serves all operations that are due before `cycle`.
    void serve_before(Cycle cycle) {
        while (!waiting_.empty()) {
            const Cycle service = std::max(waiting_.front().second.at + arrival_latency_, free_at_);
            if (service >= cycle) {
                return;
            }
            free_at_ = service + interval_;
            const auto [number, barrier] = std::move(waiting_.front());
            waiting_.pop_front();
            serve(number, barrier, service);
        }
    }

    void serve(std::uint64_t number, const Barrier &barrier, Cycle service) {
        const Warp &warp = warps_[barrier.warp.value()];
        Cta &cta = *ctas_[warp.cta];
        look_for_missing(warp, barrier.at);
        if (cta.barriers.blocked_at(warp.number)) {
            const Record record = barrier;
            differs(number, &record, service, field_difference("warp", "goes on", kBarrierRules, "waits at a barrier"));
            return;
        }
        const auto result = cta.barriers.execute(
            warp.number, bcu::operation_of(barrier.insn, barrier.pmask, barrier.contribution, barrier.vectors));
        BarrierAnswer answer;
        if (const auto *fault = std::get_if<FaultReport>(&result)) {
            answer.fault = fault->fault;
            answer.detail = fault->detail;
        } else {
            const auto &effect = std::get<bcu::Effect>(result);
            answer.outcome = effect.blocked ? Outcome::kBlocked : Outcome::kContinue;
            answer.writes = effect.writes;
            answer.value = effect.value;
            answer.predicate = effect.predicate;
            if (effect.completion) {
                release(cta, *effect.completion, number, service);
            }
        }
        if (barrier.answer) {
            compared(number, barrier, barrier.answer->at, differences(*barrier.answer, answer, kBarrierRules));
        }
    }

    std::string wake_difference(const Event &event) {
        auto &wake = warps_[event.warp.value()].wake;
        if (!wake) {
            return field_difference("wake", "one", kBarrierRules, "none");
        }
        wake.reset();
        return "";
    }

    /// Reports a wake that is due by `cycle` according to the rules and that the recording lacks.
    void look_for_missing(const Warp &warp, Cycle cycle) {
        if (warp.wake && warp.wake->second <= cycle) {
            differs(warp.wake->first, nullptr, warp.wake->second,
                    field_difference("wake", "none", kBarrierRules, "one"));
        }
    }

    Cycle arrival_latency_;
    Cycle interval_;
    Cycle free_at_ = 0;
    std::vector<Warp> warps_;
    std::vector<std::optional<Cta>> ctas_;
    std::deque<std::pair<std::uint64_t, Barrier>> waiting_; ///< in the order in which they are served
};

} // namespace

std::unique_ptr<Golden> make_golden_bcu(const Config &config) {
    return std::make_unique<GoldenBcu>(config);
}

} // namespace smsim::cosim::transactions
