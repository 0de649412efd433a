// Distributions of a grid: which CTA an SM gets that asks for one. Plain objects with one small interface; the
// model's own are in sm/dispatch/policies/, others come from shared libraries (model/policy_library.h).
//
// The default, the order of the numbers, is not an object: a launch that begins in the middle of a grid or executes
// part of it functionally relies on that order (sm/dispatch/grid_distributor.h).
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "model/config/sections/sm.h"
#include "model/policy_library.h"

namespace smsim::sm {

/// Strategy that picks the next CTA. Deterministic; keeps what it must remember itself. One object serves all SMs.
class CtaDistribution {
  public:
    virtual ~CtaDistribution() = default;
    /// A launch begins: a grid of `ctas` CTAs (x, y, z; each at least 1) on SMs 0 to `sms` - 1.
    virtual void begin(const std::array<std::uint32_t, 3> &ctas, std::uint32_t sms) = 0;
    /// SM `sm` has room for a CTA. Returns the linear number (x fastest, then y) of one that has not been handed out in
    /// this launch. Not called when none is left.
    virtual std::uint64_t next(std::uint32_t sm) = 0;
};

/// What a library exports as `smsim_cta_distribution`.
using CtaDistributionLibrary = PolicyLibrary<CtaDistribution>;

/// The distribution of the configuration (`sm.cta_distribution`); null for the default, in order. Throws InputError for
/// a library that cannot be used.
std::unique_ptr<CtaDistribution> make_cta_distribution(const SmConfig &config);

} // namespace smsim::sm
