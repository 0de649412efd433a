// The facts about warps that the issue stage shows to its policy.
#pragma once

#include "ibuffer/issue_stage.h"
#include "ibuffer/warp_facts.h"

namespace smsim::ibuffer {

class IssueStage::Facts final : public WarpFacts {
  public:
    explicit Facts(IssueStage &stage) : stage_(stage) {}

    WarpSet resident() const override;
    const WarpStart &start_of(unsigned warp) const override { return stage_.warps_[warp].start; }
    WarpSet of_cta(unsigned warp) const override;
    unsigned buffered(unsigned warp) const override;
    const isa::Instruction *head(unsigned warp) const override;
    bool operands_ready(unsigned warp) const override { return (stage_.latches_.applicants() & only(warp)) != 0; }
    WarpState state(unsigned warp) const override { return stage_.accounts_.state(warp, now(), now()); }
    StallReason reason(unsigned warp) const override { return stage_.accounts_.reason(warp, now(), now()); }
    Cycle since(unsigned warp) const override;
    std::uint64_t instructions(unsigned warp) const override { return stage_.accounts_.instructions(warp); }
    LaneMask active(unsigned warp) const override;
    LaneMask parked(unsigned warp) const override;
    unsigned outstanding_accesses(unsigned warp) const override;
    WarpSet at_barrier() const override;

  private:
    Cycle now() const { return stage_.last_step_; }
    /// The warps for which `holds` is true.
    WarpSet all(const auto &holds) const {
        WarpSet set = 0;
        for (unsigned warp = 0; warp < stage_.count_; ++warp) {
            set |= holds(stage_.warps_[warp]) ? only(warp) : 0;
        }
        return set;
    }

    IssueStage &stage_;
};

} // namespace smsim::ibuffer
