// The rules of the branch unit: its reconvergence engine, and the rules of its pins for sleep (docs/pins.md).
#include "cosim/transactions/golden.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bru/reconvergence_engine.h"
#include "bru/timing.h"
#include "model/config/clock_rate.h"
#include "model/config/config.h"

namespace smsim::cosim::transactions {
namespace {

constexpr const char *kBranchRules = "rules";
constexpr Cycle kBranchSlack = 10'000; // what was due this long before the end of the recording will not arrive

BranchAnswer answer_of(const bru::StepResult &result, isa::Op op) {
    BranchAnswer answer;
    if (result.fault) {
        answer.fault = result.fault->fault;
        answer.detail = result.fault->detail;
        return answer;
    }
    answer.outcome = result.outcome;
    answer.next_pc = result.outcome == Outcome::kExited ? 0 : result.next_pc;
    answer.next_active = result.next_active;
    answer.write_lanes = result.write_lanes;
    answer.value = result.write_lanes.any() ? result.value : 0;
    BranchDetail &told = answer.told.emplace();
    told.active = result.event.active;
    if (op == isa::Op::kBra || op == isa::Op::kBrx || op == isa::Op::kCall || op == isa::Op::kRet) {
        told.jumped = result.event.jumped;
        told.split = result.event.split;
    }
    if (result.event.kind == bru::StepEvent::Kind::kSync) {
        told.sync = result.event.passed ? 1 : 2;
        told.release = result.event.passed ? result.event.release : std::nullopt;
    }
    return answer;
}

class GoldenBru final : public Golden {
  public:
    explicit GoldenBru(const Config &config)
        : Golden(Part::kBru), config_(config), rate_(config.sm.clock_ghz),
          engine_(bru::make_engine(config.bru, config.warps())), warps_(config.warps()) {}

    void finish(Cycle last) override {
        execute_before(kNever);
        for (const Warp &warp : warps_) {
            if (last >= kBranchSlack) {
                look_for_missing(warp, last - kBranchSlack);
            }
        }
    }

  protected:
    void next(const Record &record, std::uint64_t number) override {
        execute_before(cycle_of(record));
        if (const auto *branch = std::get_if<Branch>(&record)) {
            waiting_.emplace(start_of(*branch), std::pair(number, *branch));
        } else if (const auto *start = std::get_if<Start>(&record)) {
            look_for_missing(warps_[start->warp.value()], start->at);
            warps_[start->warp.value()] = {};
            engine_->start(start->warp, start->entry, start->valid, start->code_bytes);
        } else {
            const auto &event = std::get<Event>(record);
            switch (event.kind) {
            case Event::Kind::kExpiry:
                expired(event);
                break;
            case Event::Kind::kRequest:
                compared(number, record, event.at, request_difference(event));
                break;
            default:
                compared(number, record, event.at, wake_difference(event));
                break;
            }
        }
    }

  private:
    /// Something that the rules demand of the recording.
    struct Owed {
        std::uint64_t number; ///< of the instruction that caused it
        Cycle due;
        Cycle cycles = 0; ///< request to the timer
    };
    struct Warp {
        bool asleep = false;
        Cycle asleep_from = 0;
        std::uint64_t slept_by = 0; ///< instruction
        Cycle expected = kNever;    ///< expiry
        bool used_up = false;       ///< the timer has expired for an earlier sleep, and a new request is needed
        std::optional<Owed> request;
        std::optional<Owed> wake;
    };

    /// The cycle in which an instruction takes effect: that of its request if its sub-partition has its own pipeline.
    Cycle start_of(const Branch &branch) const {
        if (config_.bru.pipelines >= config_.sm.sub_partitions || !branch.answer) {
            return branch.at;
        }
        const Cycle latency = bru::timing_of(config_.bru, branch.insn).latency;
        return std::max(branch.at, branch.answer->at - std::min(branch.answer->at, latency));
    }

    /// Executes all instructions that take effect before `cycle`.
    void execute_before(Cycle cycle) {
        while (!waiting_.empty() && waiting_.begin()->first < cycle) {
            const auto [number, branch] = std::move(waiting_.begin()->second);
            waiting_.erase(waiting_.begin());
            execute(number, branch);
        }
    }

    void execute(std::uint64_t number, const Branch &branch) {
        Warp &warp = warps_[branch.warp.value()];
        look_for_missing(warp, branch.at);
        if (warp.asleep) {
            const Record record = branch;
            differs(number, &record, branch.at, field_difference("warp", "goes on", kBranchRules, "sleeps"));
            return;
        }
        const bru::StepResult result =
            engine_->execute(branch.warp, branch.insn, {branch.guard, branch.guard_pp, branch.vectors, branch.scalar});
        const Cycle end = branch.answer ? branch.answer->at : branch.at;
        if (branch.answer) {
            compared(number, branch, end, differences(*branch.answer, answer_of(result, branch.insn.op), kBranchRules));
        }
        if (result.fault || !branch.answer) {
            return;
        }
        if (result.sleep_ns) {
            const Cycle cycles = rate_.cycles_in(*result.sleep_ns);
            if (warp.expected > end + cycles) {
                warp.expected = end + cycles;
                warp.request = Owed{number, end, cycles};
            }
        }
        if (result.outcome == Outcome::kExited) {
            warp.expected = kNever;
        }
        warp.asleep = result.outcome == Outcome::kSleep;
        warp.asleep_from = end;
        warp.slept_by = number;
    }

    void expired(const Event &event) {
        Warp &warp = warps_[event.warp.value()];
        if (warp.expected == kNever) {
            return; // it belongs to a sleep that is over
        }
        if (event.at < warp.expected) {
            warp.used_up = true;
            return;
        }
        warp.expected = kNever;
        engine_->timer_expired(event.warp);
        if (std::exchange(warp.asleep, false)) {
            warp.wake = Owed{warp.slept_by, std::max(event.at, warp.asleep_from + 1)};
        }
    }

    std::string request_difference(const Event &event) {
        Warp &warp = warps_[event.warp.value()];
        Cycle cycles = 0;
        if (warp.request) {
            cycles = warp.request->cycles;
            warp.request.reset();
        } else if (std::exchange(warp.used_up, false) && warp.expected != kNever) {
            cycles = warp.expected > event.at ? warp.expected - event.at : 1;
        } else {
            return field_difference("timer request", fmt::format("of {} cycles", event.cycles), kBranchRules, "none");
        }
        warp.expected = event.at + event.cycles; // if channels were held up, this differs from the cycle of the rules
        return cycles == event.cycles
                   ? ""
                   : field_difference("cycles", std::to_string(event.cycles), kBranchRules, std::to_string(cycles));
    }

    std::string wake_difference(const Event &event) {
        std::optional<Owed> &wake = warps_[event.warp.value()].wake;
        if (!wake) {
            return field_difference("wake", "one", kBranchRules, "none");
        }
        wake.reset();
        return "";
    }

    /// Reports what is due by `cycle` according to the rules and that the recording lacks.
    void look_for_missing(const Warp &warp, Cycle cycle) {
        if (warp.request && warp.request->due <= cycle && config_.rtl.stall_percent == 0) {
            differs(warp.request->number, nullptr, warp.request->due,
                    field_difference("timer request", "none", kBranchRules,
                                     fmt::format("of {} cycles", warp.request->cycles)));
        }
        if (warp.wake && warp.wake->due <= cycle) {
            differs(warp.wake->number, nullptr, warp.wake->due, field_difference("wake", "none", kBranchRules, "one"));
        }
    }

    const Config &config_;
    ClockRate rate_;
    std::unique_ptr<bru::ReconvergenceEngine> engine_;
    std::vector<Warp> warps_;
    std::multimap<Cycle, std::pair<std::uint64_t, Branch>> waiting_; ///< by the cycle in which they take effect
};

} // namespace

std::unique_ptr<Golden> make_golden_bru(const Config &config) {
    return std::make_unique<GoldenBru>(config);
}

} // namespace smsim::cosim::transactions
