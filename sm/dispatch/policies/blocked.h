// Each SM gets a contiguous piece of the grid, so that neighbouring CTAs share its L1. After the distribution to the
// modules of a GPU of Arunkumar et al., "MCM-GPU: Multi-Chip-Module GPUs for Continued Performance Scalability", ISCA
// 2017. An SM whose piece is done helps the one that has most left, from the front of what that has. With one SM it is
// the order of the numbers.
#pragma once

#include <algorithm>
#include <vector>

#include "sm/dispatch/cta_distribution.h"

namespace smsim::sm::policies {

class Blocked final : public CtaDistribution {
  public:
    void begin(const std::array<std::uint32_t, 3> &ctas, std::uint32_t sms) override {
        const std::uint64_t count = std::uint64_t{ctas[0]} * ctas[1] * ctas[2];
        pieces_.clear();
        std::uint64_t first = 0;
        for (std::uint32_t sm = 0; sm < sms; ++sm) {
            // The first pieces have one CTA more when the grid cannot be divided evenly.
            const std::uint64_t end = first + count / sms + (sm < count % sms ? 1 : 0);
            pieces_.push_back({first, end});
            first = end;
        }
    }
    std::uint64_t next(std::uint32_t sm) override {
        Piece &own = pieces_[sm];
        return (own.left() != 0 ? own : *std::ranges::max_element(pieces_, {}, &Piece::left)).next++;
    }

  private:
    struct Piece {
        std::uint64_t next;
        std::uint64_t end;
        std::uint64_t left() const { return end - next; }
    };
    std::vector<Piece> pieces_; ///< by SM
};

} // namespace smsim::sm::policies
