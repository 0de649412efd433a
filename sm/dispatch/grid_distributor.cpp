#include "sm/dispatch/grid_distributor.h"

namespace smsim::sm {

GridDistributor::GridDistributor(const sc_core::sc_module_name &name) : sc_module(name) {
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
    for (CtaReceiver *receiver : receivers_) {
        if (receiver != nullptr) {
            receiver->begin(grid);
        }
    }
}

void GridDistributor::begin(const Grid &grid, SmId sm, const MidFlight &from) {
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
            receivers_[sm]->take(next_++);
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
