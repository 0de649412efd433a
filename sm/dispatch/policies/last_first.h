// From the last CTA of the grid to the first. No hardware is known to do it; it shows what a kernel owes to the order
// of its CTAs, also with one SM.
#pragma once

#include "sm/dispatch/cta_distribution.h"

namespace smsim::sm::policies {

class LastFirst final : public CtaDistribution {
  public:
    void begin(const std::array<std::uint32_t, 3> &ctas, std::uint32_t) override {
        left_ = std::uint64_t{ctas[0]} * ctas[1] * ctas[2];
    }
    std::uint64_t next(std::uint32_t) override { return --left_; }

  private:
    std::uint64_t left_ = 0;
};

} // namespace smsim::sm::policies
