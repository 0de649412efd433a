#include "cosim/recent_transactions.h"

#include <algorithm>

namespace smsim::cosim {

RecentTransactions::RecentTransactions(std::string part, const Block &block, const Watch &watch)
    : part_(std::move(part)), lockstep_(watch.lockstep), pins_(block, watch.lockstep ? kCycles : 1),
      lines_(kTransactions), findings_(watch.findings) {
    if (lockstep_) {
        findings_->stats_[part_];
    }
}

void RecentTransactions::answered(std::string_view operation, Cycle here, Cycle there) {
    if (!lockstep_) {
        return;
    }
    const auto apart = static_cast<std::int64_t>(there - here);
    ++findings_->stats_[part_][std::string(operation)][apart];
}

void RecentTransactions::differs(Cycle cycle, std::string text, bool answered) {
    if (!findings_->first_) {
        sample(cycle);
        LockstepDifference &first = findings_->first_.emplace();
        first.lockstep = lockstep_;
        first.part = part_;
        first.cycle = cycle;
        first.text = std::move(text);
        for (std::size_t i = told_ - std::min(told_, lines_.size()); i < told_; ++i) {
            first.transactions.push_back(lines_[i % lines_.size()]);
        }
        if (lockstep_) {
            first.waveform = pins_.vcd(part_);
        }
    }
    if (!answered && findings_->end_) {
        findings_->end_();
    }
}

void RecentTransactions::on_look_for_missing(std::function<void(Cycle, Cycle)> look) {
    findings_->looks_.push_back(std::move(look));
}

LockstepStats Findings::take_stats() {
    LockstepStats taken = stats_;
    for (auto &[part, operations] : stats_) {
        operations.clear();
    }
    return taken;
}

} // namespace smsim::cosim
