// Column by column: y fastest, then x, then z. CTAs that run at the same time share a column of a matrix instead of a
// row.
#pragma once

#include "sm/dispatch/cta_distribution.h"

namespace smsim::sm::policies {

class ByColumn final : public CtaDistribution {
  public:
    void begin(const std::array<std::uint32_t, 3> &ctas, std::uint32_t) override {
        ctas_ = ctas;
        handed_out_ = 0;
    }
    std::uint64_t next(std::uint32_t) override {
        const std::uint64_t number = handed_out_++;
        const std::uint64_t y = number % ctas_[1];
        const std::uint64_t x = number / ctas_[1] % ctas_[0];
        const std::uint64_t z = number / ctas_[1] / ctas_[0];
        return (z * ctas_[1] + y) * ctas_[0] + x;
    }

  private:
    std::array<std::uint32_t, 3> ctas_{};
    std::uint64_t handed_out_ = 0;
};

} // namespace smsim::sm::policies
