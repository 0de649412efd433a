#include "memory/instruction_arbiter.h"

#include <algorithm>

namespace smsim::memory {

void InstructionArbiter::serve(L0Cache::Time now, std::vector<Taken> &taken) {
    in_present_ = now == present_ ? in_present_ : 0;
    present_ = now;
    serve(false, now, taken);
    serve(true, now, taken);
}

void InstructionArbiter::serve(bool ahead, L0Cache::Time now, std::vector<Taken> &taken) {
    std::size_t &turn = turn_[ahead ? 1 : 0];
    for (std::size_t passed = 0; passed < l0s_.size() && (limit_ == 0 || in_present_ < limit_);) {
        const std::size_t port = turn;
        turn = (turn + 1) % l0s_.size();
        L0Cache &l0 = *l0s_[port];
        if (ahead ? !l0.asks_ahead(now) : l0.demand_from() > now) {
            ++passed;
            continue;
        }
        passed = 0;
        ++in_present_;
        const L0Cache::Request request = l0.take(ahead, now);
        const L1InstructionCache::Answer answer = l1_.request(request.line, now / period_);
        const FetchCause cause = answer.is_hit ? FetchCause::kL1 : FetchCause::kBehindL1;
        l0.arrives(request, answer.arrives * period_, cause);
        taken.push_back({port, request, answer.arrives * period_, cause});
    }
}

L0Cache::Time InstructionArbiter::next(L0Cache::Time now) const {
    L0Cache::Time first = L0Cache::kNone;
    for (const L0Cache *l0 : l0s_) {
        first = std::min({first, l0->demand_from(), l0->ahead_from()});
    }
    if (first == L0Cache::kNone) {
        return first;
    }
    return std::max(now / period_ + 1, (first + period_ - 1) / period_) * period_;
}

} // namespace smsim::memory
