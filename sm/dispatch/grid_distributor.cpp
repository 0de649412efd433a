#include "sm/dispatch/grid_distributor.h"

#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace smsim::sm {

GridDistributor::GridDistributor(const sc_core::sc_module_name &name, std::unique_ptr<CtaDistribution> distribution)
    : sc_module(name), distribution_(std::move(distribution)) {
    SC_HAS_PROCESS(GridDistributor);
    SC_METHOD(answer);
    sensitive << asked_;
    dont_initialize();
}

void GridDistributor::add(SmId sm, CtaReceiver &receiver) {
    if (receivers_.size() <= sm.value()) {
        receivers_.resize(sm.value() + 1);
        asking_.resize(sm.value() + 1);
    }
    receivers_[sm.value()] = &receiver;
}

void GridDistributor::begin(const Grid &grid) {
    count_ = grid.cta_count();
    next_ = 0;
    completed_ = 0;
    if (distribution_) {
        distribution_->begin(grid.ctas, static_cast<std::uint32_t>(receivers_.size()));
        handed_out_.assign(count_, false);
    }
    for (CtaReceiver *receiver : receivers_) {
        if (receiver != nullptr) {
            receiver->begin(grid);
        }
    }
}

void GridDistributor::begin(const Grid &grid, SmId sm, const MidFlight &from) {
    require_order();
    begin(grid);
    next_ = from.next;
    completed_ = from.ended;
    receivers_[sm.value()]->go_on(from);
}

void GridDistributor::ask(SmId sm) {
    asking_[sm.value()] = true;
    // All requests of this cycle arrive before the answer, one delta cycle later: their processes wait only for time.
    asked_.notify(sc_core::SC_ZERO_TIME);
}

void GridDistributor::elsewhere(Elsewhere take) {
    require_order();
    elsewhere_ = std::move(take);
}

void GridDistributor::require_order() const {
    if (distribution_) {
        throw std::logic_error(
            "only a launch whose CTAs are handed out in order can be executed in part without an SM");
    }
}

/// The CTA that SM `sm` gets by the distribution, which there is.
std::uint64_t GridDistributor::chosen(std::uint32_t sm) {
    const std::uint64_t cta = distribution_->next(sm);
    if (cta >= count_ || handed_out_[cta]) {
        fail_for_policy(
            "sm.cta_distribution",
            fmt::format("given CTA {} of a grid of {} to SM {}; expected one that is left", cta, count_, sm));
    }
    handed_out_[cta] = true;
    return cta;
}

void GridDistributor::answer() {
    for (std::size_t sm = 0; sm < asking_.size(); ++sm) {
        if (!asking_[sm]) {
            continue;
        }
        asking_[sm] = false;
        if (elsewhere_ && any_left()) {
            next_ = elsewhere_(next_, count_);
        }
        if (any_left()) {
            const std::uint64_t cta = distribution_ ? chosen(static_cast<std::uint32_t>(sm)) : next_;
            ++next_;
            receivers_[sm]->take(cta);
        } else {
            receivers_[sm]->nothing_left();
        }
    }
}

void GridDistributor::completed() {
    ++completed_;
    if (finished() && end_) {
        end_();
    }
}

} // namespace smsim::sm
