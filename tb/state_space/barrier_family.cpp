// Families of barrier operations.
#include "tb/state_space/barrier_family.h"

#include <array>
#include <functional>

#include <fmt/format.h>

#include "tb/state_space/machine.h"
#include "tb/state_space/search.h"

namespace smsim::state_space {
namespace {

using Kind = BarrierAction::Kind;

constexpr BarrierAction kActions[] = {
    {Kind::kSync, 0, 0},    {Kind::kSync, 0, 64},   {Kind::kSync, 1, 64},
    {Kind::kArrive, 0, 64}, {Kind::kReduce, 0, 64}, {Kind::kReduce, 1, 0},
};
constexpr std::uint32_t kFactor = 5; ///< a warp multiplies its number by this before it adds a result

std::string text_of(const BarrierAction &action) {
    switch (action.kind) {
    case Kind::kSync:
        return fmt::format("    BAR.SYNC {:#x}, {:#x};\n", action.barrier, action.count);
    case Kind::kArrive:
        return fmt::format("    BAR.ARV {:#x}, {:#x};\n", action.barrier, action.count);
    case Kind::kReduce:
        return fmt::format("    BAR.RED.POPC {:#x}, {:#x}, PT;\n    B2R.RESULT R2, P0;\n    IMAD R1, R1, R3, R2;\n",
                           action.barrier, action.count);
    }
    return {};
}

std::string text_of(const std::vector<WarpActions> &warps) {
    std::string text = fmt::format("    S2R R0, SR_WARPID;\n    MOV R3, {:#x};\n", kFactor);
    for (std::size_t warp = 1; warp < warps.size(); ++warp) {
        text += fmt::format("    ISETP.EQ.AND P0, PT, R0, {:#x}, PT;\n    @P0 BRA warp{};\n", warp, warp);
    }
    for (std::size_t warp = 0; warp < warps.size(); ++warp) {
        text += warp == 0 ? std::string() : fmt::format("warp{}:\n", warp);
        for (const BarrierAction &action : warps[warp]) {
            text += text_of(action);
        }
        text += "    EXIT;\n";
    }
    return text;
}

std::string end_text(const std::vector<std::uint32_t> &numbers) {
    std::string text = "ends";
    for (const std::uint32_t number : numbers) {
        text += fmt::format(" {}", number);
    }
    return text;
}

/// Arrival counters, and the progress of each warp.
struct Play {
    struct Counter {
        unsigned arrived = 0;
        BarrierAction first; ///< of the current use
    };
    struct Warp {
        std::size_t next = 0;
        bool waits = false;
        std::uint32_t number = 0;
    };
    std::array<Counter, 2> counters{};
    std::vector<Warp> warps;
    unsigned exited = 0;
};

class Player {
  public:
    explicit Player(const std::vector<WarpActions> &program) : program_(program) {}

    Outcomes play() {
        Play start;
        start.warps.resize(program_.size());
        go_on(start);
        return outcomes_;
    }

  private:
    void go_on(const Play &play) {
        bool moved = false;
        for (std::size_t warp = 0; warp < program_.size(); ++warp) {
            const Play::Warp &self = play.warps[warp];
            if (self.waits || self.next > program_[warp].size()) {
                continue;
            }
            moved = true;
            Play next = play;
            if (self.next == program_[warp].size()) {
                leave(next, warp);
                go_on(next);
            } else if (const char *fault = arrive(next, warp)) {
                outcomes_.insert(fault);
            } else {
                go_on(next);
            }
        }
        if (!moved) {
            finish(play);
        }
    }

    void finish(const Play &play) {
        std::vector<std::uint32_t> numbers;
        for (const Play::Warp &warp : play.warps) {
            numbers.push_back(warp.number);
        }
        outcomes_.insert(play.exited == play.warps.size() ? end_text(numbers) : "BarrierDeadlock");
    }

    const char *arrive(Play &play, std::size_t warp) {
        const BarrierAction &action = program_[warp][play.warps[warp].next];
        Play::Counter &counter = play.counters[action.barrier];
        if (counter.arrived == 0) {
            counter.first = action;
        } else if ((counter.first.kind == Kind::kReduce) != (action.kind == Kind::kReduce) ||
                   counter.first.count != action.count) {
            return "BarrierMismatch";
        }
        ++counter.arrived;
        ++play.warps[warp].next;
        play.warps[warp].waits = action.kind != Kind::kArrive;
        complete(play, action.barrier);
        return nullptr;
    }

    void leave(Play &play, std::size_t warp) {
        ++play.warps[warp].next;
        ++play.exited;
        for (std::uint32_t barrier = 0; barrier < play.counters.size(); ++barrier) {
            if (play.counters[barrier].arrived > 0 && play.counters[barrier].first.count == 0) {
                complete(play, barrier);
            }
        }
    }

    void complete(Play &play, std::uint32_t barrier) {
        Play::Counter &counter = play.counters[barrier];
        const bool all = counter.first.count == 0 ? counter.arrived + play.exited == play.warps.size()
                                                  : counter.arrived * 32 == counter.first.count;
        if (!all) {
            return;
        }
        for (std::size_t warp = 0; warp < play.warps.size(); ++warp) {
            Play::Warp &self = play.warps[warp];
            if (!self.waits || program_[warp][self.next - 1].barrier != barrier) {
                continue;
            }
            self.waits = false;
            if (counter.first.kind == Kind::kReduce) { // one thread of each warp that arrived
                self.number = self.number * kFactor + counter.arrived;
            }
        }
        counter = {};
    }

    const std::vector<WarpActions> &program_;
    Outcomes outcomes_;
};

/// All lists of at most `actions` actions.
std::vector<WarpActions> lists(unsigned actions) {
    std::vector<WarpActions> all = {{}};
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].size() == actions) {
            continue;
        }
        for (const BarrierAction &action : kActions) {
            WarpActions longer = all[i];
            longer.push_back(action);
            all.push_back(std::move(longer));
        }
    }
    return all;
}

std::string text_of(const Outcomes &outcomes) {
    std::string text;
    for (const std::string &outcome : outcomes) {
        text += " [" + outcome + "]";
    }
    return text;
}

} // namespace

Outcomes outcomes_by_machine(const std::vector<WarpActions> &warps) {
    Setup setup;
    setup.program = assemble_plain(text_of(warps));
    setup.threads.assign(warps.size(), 1);
    Machine machine(std::move(setup));
    Outcomes outcomes;
    const ResultCheck collect = [&](const Machine &at, const State &state) -> std::optional<std::string> {
        std::vector<std::uint32_t> numbers;
        for (std::uint32_t warp = 0; warp < warps.size(); ++warp) {
            numbers.push_back(at.value(state, warp, 1, 0));
        }
        outcomes.insert(end_text(numbers));
        return std::nullopt;
    };
    const SearchResult searched = search(machine, collect);
    for (const auto &[fault, count] : searched.faults) {
        outcomes.insert(fault_name(fault));
    }
    for (const auto &[problem, text] : searched.witness) {
        if (problem != Problem::kFault) {
            outcomes.insert(std::string(problem_name(problem)) + ": " + text);
        }
    }
    return outcomes;
}

Outcomes outcomes_by_rules(const std::vector<WarpActions> &warps) {
    return Player(warps).play();
}

BarrierFamilyResult run_barrier_family(unsigned warps, unsigned actions) {
    BarrierFamilyResult result;
    const std::vector<WarpActions> choices = lists(actions);
    std::vector<std::size_t> index(warps, 0);
    for (bool more = true; more;) {
        std::vector<WarpActions> program;
        program.reserve(index.size());
        for (const std::size_t i : index) {
            program.push_back(choices[i]);
        }
        const Outcomes machine = outcomes_by_machine(program);
        const Outcomes rules = outcomes_by_rules(program);
        ++result.programs;
        result.ambiguous += rules.size() > 1 ? 1 : 0;
        if (machine != rules && result.wrong++ == 0) {
            result.first_wrong = text_of(program) + "machine:" + text_of(machine) + "\nrules:" + text_of(rules);
        }
        more = false; // the next combination
        for (std::size_t &i : index) {
            if (++i < choices.size()) {
                more = true;
                break;
            }
            i = 0;
        }
    }
    return result;
}

} // namespace smsim::state_space
