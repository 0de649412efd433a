// Chooses the warp that issues: the warps that can, the policy that chooses among them, and the limit of time for which
// a warp may be passed over.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "ibuffer/issue_policy.h"
#include "ibuffer/policy_events.h"
#include "model/config/sections/ibuffer.h"
#include "model/types.h"

namespace smsim::ibuffer {

class IssueSelection {
  public:
    /// `policy` chooses among the warps that are ready.
    IssueSelection(const IBufferConfig &config, unsigned warps, std::unique_ptr<IssuePolicy> policy)
        : limit_(config.starvation_limit), policy_(std::move(policy)), ages_(warps, 0),
          passed_over_since_(warps, kNever), stalled_from_(warps, 0) {
        view_.ages = ages_;
        if (policy_->wants_events()) {
            events_ = std::make_unique<PolicyEvents>();
        }
    }
    IssueSelection(const IssueSelection &) = delete; // the view points into this object
    IssueSelection &operator=(const IssueSelection &) = delete;

    /// The policy may ask for these from now on; they must outlive this.
    void show(const WarpFacts &facts) { view_.warps = &facts; }
    /// Where the events are to be reported that the policy wants; null: it wants none.
    PolicyEvents *events() { return events_.get(); }

    /// A warp starts; `age`: its place in the order of starts.
    void start(unsigned warp, std::uint64_t age) {
        ages_[warp] = age;
        passed_over_since_[warp] = kNever;
        passed_over_ &= ~only(warp);
    }
    /// The warp has ended.
    void end(unsigned warp) {
        if (view_.last == warp) {
            view_.last = kNoWarp;
        }
    }

    // Clears what is known of a warp; call first whenever it is examined again.
    void reset(unsigned warp) {
        long_stalled_ &= ~only(warp);
        stalled_later_ &= ~only(warp);
    }
    /// It is in a long wait: the two-level policy replaces it.
    void set_long_stalled(unsigned warp) { long_stalled_ |= only(warp); }
    /// The same from cycle `from` on, which is in the future.
    void set_long_stalled(unsigned warp, Cycle from) {
        stalled_later_ |= only(warp);
        stalled_from_[warp] = from;
    }
    /// It could issue at `now`, if it were chosen and its unit free.
    void set_passed_over(unsigned warp, Cycle now) {
        if (passed_over_since_[warp] == kNever) {
            passed_over_since_[warp] = now;
            passed_over_ |= only(warp);
        }
    }

    /// The warp that issued last; kNoWarp when it has ended.
    unsigned last() const { return view_.last; }
    /// The warp of `ready`, which is not empty, that issues at `now`; kNoWarp: the policy issues none.
    unsigned choose(WarpSet ready, Cycle now);
    /// The warp issues an instruction at `now`.
    void issued(unsigned warp, const isa::Instruction &insn, Cycle now) {
        passed_over_ &= ~only(warp);
        passed_over_since_[warp] = kNever;
        view_.last = warp;
        view_.last_yields = insn.yield;
        if (events_ != nullptr) [[unlikely]] {
            policy_->issued(warp, insn, now);
        }
    }

  private:
    unsigned starved(WarpSet ready, Cycle now);
    void reach_long_stalls(Cycle now);
    /// The answer of the policy if it is no ready warp: an InputError unless it is kNoWarp.
    static unsigned no_warp(unsigned chosen);

    Cycle limit_;
    std::unique_ptr<IssuePolicy> policy_;
    std::unique_ptr<PolicyEvents> events_;
    PolicyView view_; ///< what changes seldom is kept up to date, the rest is set by `choose`
    std::vector<std::uint64_t> ages_;
    std::vector<Cycle> passed_over_since_; ///< per warp: since when it could issue, if it were chosen and the unit free
    WarpSet passed_over_ = 0;              ///< warps that could issue, those that wait for their unit included
    WarpSet long_stalled_ = 0;
    WarpSet stalled_later_ = 0;       ///< not in `long_stalled_` yet
    std::vector<Cycle> stalled_from_; ///< per warp: since when it is long-stalled, or will be
    Cycle starvation_check_ = 0;      ///< no warp can have been passed over for too long before this
};

} // namespace smsim::ibuffer
