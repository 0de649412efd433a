// What the parts in lockstep leave behind for whoever must understand a difference: each part has a witness, which
// keeps its last transactions and the last cycles of its pins; all of a simulation share their findings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cosim/block.h"
#include "cosim/pin_history.h"
#include "model/stats/lockstep.h"
#include "model/types.h"

namespace smsim::cosim {

/// What lockstep has found in a simulation.
class Findings {
  public:
    /// The first difference.
    const std::optional<LockstepDifference> &first() const { return first_; }
    /// Called with a difference that no answer to an instruction will tell of: the run is to end.
    void on_end(std::function<void()> callback) { end_ = std::move(callback); }
    /// The run stands still or is over, in cycle `now`: whatever the model would have answered up to cycle `due`, and
    /// the RTL has not, is a difference.
    void look_for_missing(Cycle now, Cycle due) {
        for (const auto &look : looks_) {
            look(now, due);
        }
    }
    /// Cycles apart since the last call; the parts stay in it.
    LockstepStats take_stats();

  private:
    friend class Witness;
    std::optional<LockstepDifference> first_;
    LockstepStats stats_;
    std::function<void()> end_;
    std::vector<std::function<void(Cycle, Cycle)>> looks_;
};

/// Who is told what a block does wrong, and whether the model stands beside it.
struct Watch {
    std::shared_ptr<Findings> findings; ///< null: what is wrong is an error of SystemC
    bool lockstep = false;              ///< then `findings` are there
};

/// One part made of RTL.
class Witness {
  public:
    static constexpr std::size_t kTransactions = 32; ///< kept
    static constexpr std::size_t kCycles = 1000;     ///< kept

    /// `part` is called as its section of the configuration; `block` outlives this. Without lockstep no transactions
    /// and no cycles are kept.
    Witness(std::string part, const Block &block, const Watch &watch);

    /// The pins as they are at the edge that ends `cycle`.
    void sample(Cycle cycle) {
        if (lockstep_) {
            pins_.sample(cycle);
        }
    }
    /// A transaction that is complete, as a line.
    template <typename... Values> void transaction(fmt::format_string<Values...> format, Values &&...values) {
        if (!lockstep_) {
            return;
        }
        std::string &line = lines_[told_++ % lines_.size()];
        line.clear();
        fmt::format_to(std::back_inserter(line), format, std::forward<Values>(values)...);
    }
    /// The RTL has answered an `operation` in cycle `there`, which the model would have answered in cycle `here`.
    void answered(std::string_view operation, Cycle here, Cycle there);
    /// A difference, seen in `cycle`: what differs, and where the rule stands. Only the first one of all parts is kept.
    /// `answered`: an exception of an instruction will tell of it, and end the run; else the run ends here. Without
    /// lockstep: what the block has done, and which rule forbids it.
    void differs(Cycle cycle, std::string text, bool answered);
    /// `look(now, due)` is called by Findings::look_for_missing and tells of a difference, if there is one.
    void on_look_for_missing(std::function<void(Cycle, Cycle)> look);

  private:
    std::string part_;
    bool lockstep_;
    PinHistory pins_;
    std::vector<std::string> lines_;
    std::size_t told_ = 0;
    std::shared_ptr<Findings> findings_;
};

} // namespace smsim::cosim
