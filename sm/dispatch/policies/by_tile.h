// Tile by tile of 4 x 4 CTAs, so that the CTAs of an SM share rows and columns of a matrix. It is what kernels do by
// hand that renumber their CTAs. After Li et al., "Locality-Aware CTA Clustering for Modern GPUs", ASPLOS 2017, who
// also leave CTAs out of an SM; that is not part of this.
#pragma once

#include <algorithm>

#include "sm/dispatch/cta_distribution.h"

namespace smsim::sm::policies {

class ByTile final : public CtaDistribution {
  public:
    void begin(const std::array<std::uint32_t, 3> &ctas, std::uint32_t) override {
        ctas_ = ctas;
        x_ = y_ = z_ = tile_x_ = tile_y_ = 0;
    }
    std::uint64_t next(std::uint32_t) override {
        const std::uint64_t number = (std::uint64_t{z_} * ctas_[1] + y_) * ctas_[0] + x_;
        advance();
        return number;
    }

  private:
    static constexpr std::uint32_t kSide = 4; ///< CTAs of a tile in x and in y; tiles at the edges have fewer

    /// In a tile x first, then y; then the next tile in x, in y, and in z.
    void advance() {
        if (++x_ < end(tile_x_, ctas_[0])) {
            return;
        }
        x_ = tile_x_;
        if (++y_ < end(tile_y_, ctas_[1])) {
            return;
        }
        tile_x_ = end(tile_x_, ctas_[0]);
        if (tile_x_ == ctas_[0]) {
            tile_x_ = 0;
            tile_y_ = end(tile_y_, ctas_[1]);
        }
        if (tile_y_ == ctas_[1]) {
            tile_y_ = 0;
            ++z_;
        }
        x_ = tile_x_;
        y_ = tile_y_;
    }
    static std::uint32_t end(std::uint32_t begin, std::uint32_t limit) {
        return begin + std::min(kSide, limit - begin);
    }

    std::array<std::uint32_t, 3> ctas_{};
    std::uint32_t x_ = 0; ///< the next CTA
    std::uint32_t y_ = 0;
    std::uint32_t z_ = 0;
    std::uint32_t tile_x_ = 0; ///< the first one of its tile
    std::uint32_t tile_y_ = 0;
};

} // namespace smsim::sm::policies
