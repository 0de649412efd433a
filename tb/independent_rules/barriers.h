// The barriers of one CTA under the readings b4, b5 and b6 (docs/barrier-unit.md). The barrier unit's own rules
// execute every instruction without knowing about readings: a reading changes their inputs or their answers.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "bcu/barrier.h"
#include "tb/independent_rules/rejected_readings.h"

namespace smsim::independent_rules {

class Barriers {
  public:
    /// The barriers of a CTA whose warps have these numbers of `threads`. Throws InputError if the barrier unit cannot
    /// serve so many warps, or under b6 if a warp other than the last is partial, as no CTA has one.
    Barriers(const std::vector<unsigned> &threads, const RejectedReadings &readings);

    /// See `bcu::CtaBarriers::execute`.
    std::variant<bcu::Effect, FaultReport> execute(std::uint32_t warp, const bcu::Operation &operation);
    /// See `bcu::CtaBarriers::exit`.
    void exit(std::uint32_t warp) { rules_.exit(warp); }

    /// State of the barriers. Under b6 they may wait for one warp more than exist.
    const bcu::CtaBarriers &state() const { return rules_; }
    /// b5: barrier of the last BAR.RED of each warp, which is not part of the state. Empty without that reading.
    std::span<const BarrierId> last_reductions() const { return last_reductions_; }

  private:
    bcu::CtaBarriers rules_;
    bool cuts_joint_operand_;
    std::vector<BarrierId> last_reductions_;
};

} // namespace smsim::independent_rules
