// Operations that are not done for every instruction: start, drop, late answers, and the choice of a warp by order.
#include "ibuffer/fetch_buffers.h"

#include <algorithm>

namespace smsim::ibuffer {

void FetchBuffers::start(unsigned warp, WarpSlot slot, Pc pc, std::uint64_t age) {
    rings_[warp] = Ring{};
    rings_[warp].slot = slot;
    rings_[warp].age = age;
    rings_[warp].fetch_pc = pc;
    update(warp);
}

void FetchBuffers::drop(unsigned warp, Pc pc, Cycle now) {
    Ring &ring = rings_[warp];
    for (unsigned i = 0; i < ring.fill; ++i) {
        const Entry &dropped = entry(warp, i);
        discarded_ += dropped.insn != nullptr && dropped.known <= now ? 1U : 0U;
    }
    if (observer_ != nullptr) [[unlikely]] {
        tell_dropped(warp, now);
    }
    ring.head = 0;
    ring.fill = 0;
    ring.ended = false;
    ring.end_known_at = kNever;
    ring.fetch_pc = pc;
    ring.last_ready = 0;
    update(warp);
}

/// The youngest warp, or the one with the least recent fetch; on a tie the lowest.
unsigned FetchBuffers::choose_by_order() const {
    const auto comes_first = [&](const Ring &a, const Ring &b) {
        return policy_ == FetchPolicyKind::kYoungest ? a.age > b.age : a.last_fetch < b.last_fetch;
    };
    unsigned best = first_of(fetchable_);
    for (WarpSet rest = fetchable_ & (fetchable_ - 1); rest != 0; rest &= rest - 1) {
        const unsigned warp = first_of(rest);
        best = comes_first(rings_[warp], rings_[best]) ? warp : best;
    }
    return best;
}

bool FetchBuffers::answered(unsigned warp, std::uint64_t ticket, const isa::Instruction *insn, Cycle at,
                            FetchCause cause) {
    Ring &ring = rings_[warp];
    for (unsigned i = 0; i < ring.fill; ++i) {
        Entry &waiting = entry(warp, i);
        if (waiting.ticket == ticket && waiting.ready == kNever) {
            waiting.insn = insn;
            waiting.ready = at;
            waiting.known = at;
            waiting.cause = cause;
            if (insn == nullptr) {
                ring.end_known_at = std::min(ring.end_known_at, at);
            }
            return true;
        }
    }
    return false;
}

void FetchBuffers::learn_end(unsigned warp) {
    rings_[warp].end_known_at = kNever;
    rings_[warp].ended = true;
    update(warp);
}

void FetchBuffers::tell_fetch(const Ring &ring, const IssuePorts::Fetched &fetched, Cycle now) {
    observer_->observe(now, observation::FetchStarted{now, ring.slot, fetched.ticket, ring.fetch_pc});
    if (fetched.ready != kNever) {
        observer_->observe(now, observation::FetchEnded{fetched.ready, ring.slot, fetched.ticket});
    }
}

void FetchBuffers::tell_dropped(unsigned warp, Cycle now) {
    for (unsigned i = 0; i < rings_[warp].fill; ++i) {
        observer_->observe(now, observation::FetchDiscarded{now, rings_[warp].slot, entry(warp, i).ticket});
    }
}

} // namespace smsim::ibuffer
