// Occupancy of the SM over time: exact sums, and a row for each change as long as there are not too many.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "model/types.h"

namespace smsim {

/// Occupancy of the SM from one point of time on.
struct OccupancySample {
    Cycle cycle = 0;
    std::uint32_t ctas = 0;
    std::uint32_t warps = 0;
    friend bool operator==(const OccupancySample &, const OccupancySample &) = default;
};

class OccupancyCurve {
  public:
    /// The maximum number of rows kept. If there would be more, there is one for each interval of 2, 4, 8 ... cycles:
    /// the occupancy at its end.
    static constexpr std::size_t kMostRows = 4096;

    OccupancyCurve() = default;
    /// Constructs the curve from these rows, which are in order.
    OccupancyCurve(std::initializer_list<OccupancySample> rows);

    /// The occupancy is that of `row` from its cycle on, which is not before that of the last row. The last row of a
    /// cycle counts.
    void add(OccupancySample row);
    /// Counts cycles from `begin` on, which is not after the first row.
    void count_from(Cycle begin);
    void clear() { *this = {}; }

    /// In order of cycles.
    const std::vector<OccupancySample> &rows() const { return rows_; }
    /// Resident warps summed over the cycles up to `end`.
    std::uint64_t warp_cycles(Cycle end) const;
    /// The maximum number of CTAs and warps resident at once.
    std::uint32_t most_ctas() const;
    std::uint32_t most_warps() const;

  private:
    void thin();

    std::vector<OccupancySample> rows_;
    Cycle width_ = 1;               ///< of the intervals that have at most one row
    OccupancySample last_;          ///< exact
    std::uint64_t warp_cycles_ = 0; ///< before `last_`
    std::uint32_t most_ctas_ = 0;   ///< before `last_`
    std::uint32_t most_warps_ = 0;
};

} // namespace smsim
