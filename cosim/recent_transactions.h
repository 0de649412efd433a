// What parts in lockstep keep for the analysis of a difference: each keeps its last transactions and
// the last cycles of its pins; all parts of a simulation share their findings.
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

/// The differences that lockstep has found in a simulation.
class Findings {
  public:
    /// The first difference.
    const std::optional<LockstepDifference> &first() const { return first_; }
    /// Sets the callback for a difference that no answer to an instruction will report: the run must end.
    void on_end(std::function<void()> callback) { end_ = std::move(callback); }
    /// Call when the run is stuck or over, in cycle `now`: any answer that the model would have given by cycle `due`,
    /// and the RTL has not, is a difference.
    void look_for_missing(Cycle now, Cycle due) {
        for (const auto &look : looks_) {
            look(now, due);
        }
    }
    /// The cycles apart since the last call; the parts remain listed.
    LockstepStats take_stats();

  private:
    friend class RecentTransactions;
    std::optional<LockstepDifference> first_;
    LockstepStats stats_;
    std::function<void()> end_;
    std::vector<std::function<void(Cycle, Cycle)>> looks_;
};

/// Where errors of a block are reported, and whether the model runs in lockstep.
struct Watch {
    std::shared_ptr<Findings> findings; ///< null: errors are SystemC errors
    bool lockstep = false;              ///< then `findings` is not null
};

/// What one part made of RTL keeps.
class RecentTransactions {
  public:
    static constexpr std::size_t kTransactions = 32; ///< kept
    static constexpr std::size_t kCycles = 1000;     ///< kept

    /// `part` is the name of its section in the configuration; `block` must outlive this object. Without lockstep no
    /// transactions and no cycles are kept.
    RecentTransactions(std::string part, const Block &block, const Watch &watch);

    /// Samples the pins at the edge that ends `cycle`.
    void sample(Cycle cycle) {
        if (lockstep_) {
            pins_.sample(cycle);
        }
    }
    /// Records a complete transaction as a line of text.
    template <typename... Values> void transaction(fmt::format_string<Values...> format, Values &&...values) {
        if (!lockstep_) {
            return;
        }
        std::string &line = lines_[told_++ % lines_.size()];
        line.clear();
        fmt::format_to(std::back_inserter(line), format, std::forward<Values>(values)...);
    }
    /// Records that the RTL answered an `operation` in cycle `there`, and that the model would have in cycle `here`.
    void answered(std::string_view operation, Cycle here, Cycle there);
    /// Records a difference seen in `cycle`: what differs, and where the rule is documented. Only the first one of all
    /// parts is kept. `answered`: an exception of an instruction will report it and end the run; else the run ends
    /// here. Without lockstep: what the block has done, and which rule forbids it.
    void differs(Cycle cycle, std::string text, bool answered);
    /// Findings::look_for_missing calls `look(now, due)`, which reports a difference, if there is one.
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
