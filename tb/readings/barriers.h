// The barriers of one CTA under the readings b4, b5 and b6 (docs/barrier-unit.md). The barrier unit's own rules execute
// every instruction and know nothing of it: a reading changes what they are given or what they answer.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "bcu/barrier.h"
#include "tb/readings/readings.h"

namespace smsim::readings {

class Barriers {
  public:
    /// The barriers of a CTA whose warps have so many `threads`. Throws InputError when the barrier unit cannot serve
    /// so many warps, and under b6 when another warp than the last is partial: no CTA is like that.
    Barriers(const std::vector<unsigned> &threads, const Readings &readings);

    /// As `bcu::CtaBarriers::execute`.
    std::variant<bcu::Effect, FaultReport> execute(std::uint32_t warp, const bcu::Operation &operation);
    /// As `bcu::CtaBarriers::exit`.
    void exit(std::uint32_t warp) { rules_.exit(warp); }

    /// State of the barriers. Under b6 they may wait for a warp more than there are.
    const bcu::CtaBarriers &state() const { return rules_; }
    /// b5: barrier of the last BAR.RED of each warp, which the state does not tell. Empty without that reading.
    std::span<const BarrierId> last_reductions() const { return last_reductions_; }

  private:
    bcu::CtaBarriers rules_;
    bool cuts_joint_operand_;
    std::vector<BarrierId> last_reductions_;
};

} // namespace smsim::readings
