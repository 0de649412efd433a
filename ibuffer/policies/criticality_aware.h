// The warp that its CTA will wait for goes first, and keeps its turn while it is ready. After Lee and Wu, "CAWS:
// Criticality-Aware Warp Scheduling for GPGPU Workloads", PACT 2014, and Lee et al., "CAWA: Coordinated Warp Scheduling
// and Cache Prioritization for Critical Warp Acceleration of GPGPU Workloads", ISCA 2015, whose predictor this is:
// instructions that are left, times the warp's cycles per instruction, plus the cycles that it has waited.
//
// The instructions left are those from its next instruction to the end of the program, in the order of addresses, so
// that a warp that goes back for another iteration has more left. CAWA's priority in the cache is not part of this.
#pragma once

#include <vector>

#include "ibuffer/policies/choice.h"

namespace smsim::ibuffer::policies {

class CriticalityAware final : public IssuePolicy {
  public:
    explicit CriticalityAware(unsigned warps) : started_(warps, 0) {}

    unsigned select(const PolicyView &view) override {
        const WarpSet set = willing(view.ready, view);
        if (stays(set, view)) {
            return view.last;
        }
        const auto criticality = [&](unsigned warp) {
            const WarpFacts &warps = *view.warps;
            const Cycle cycles = view.now - started_[warp];
            const std::uint64_t issued = warps.instructions(warp);
            const Pc end = std::max<Pc>(warps.start_of(warp).code_bytes, warps.head(warp)->pc);
            const std::uint64_t left = (end - warps.head(warp)->pc) / kInstructionBytes;
            const std::uint64_t waited = cycles - std::min(cycles, issued);
            return std::pair(left * cycles / std::max<std::uint64_t>(issued, 1) + waited, ~view.ages[warp]);
        };
        return extreme(set, criticality, std::greater<>{});
    }

    bool wants_events() const override { return true; }
    void started(unsigned warp, const WarpStart &, Cycle at) override { started_[warp] = at; }

  private:
    std::vector<Cycle> started_;
};

} // namespace smsim::ibuffer::policies
