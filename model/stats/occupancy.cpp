#include "model/stats/occupancy.h"

#include <algorithm>

namespace smsim {

OccupancyCurve::OccupancyCurve(std::initializer_list<OccupancySample> rows) {
    for (const OccupancySample &row : rows) {
        add(row);
    }
}

void OccupancyCurve::add(OccupancySample row) {
    if (row.cycle != last_.cycle) {
        warp_cycles_ += (row.cycle - last_.cycle) * last_.warps;
        most_ctas_ = std::max(most_ctas_, last_.ctas);
        most_warps_ = std::max(most_warps_, last_.warps);
    }
    last_ = row;
    if (!rows_.empty() &&
        rows_.back().cycle / width_ == row.cycle / width_) { // it has changed again within the interval
        rows_.pop_back();
    }
    if (rows_.empty() || rows_.back().ctas != row.ctas || rows_.back().warps != row.warps) {
        rows_.push_back(row);
        if (rows_.size() > kMostRows) {
            thin();
        }
    }
}

/// Doubles the length of the intervals.
void OccupancyCurve::thin() {
    std::vector<OccupancySample> kept;
    width_ *= 2;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (i + 1 == rows_.size() || rows_[i].cycle / width_ != rows_[i + 1].cycle / width_) {
            kept.push_back(rows_[i]);
        }
    }
    rows_ = std::move(kept);
    if (rows_.size() > kMostRows) {
        thin();
    }
}

void OccupancyCurve::count_from(Cycle begin) {
    for (OccupancySample &row : rows_) {
        row.cycle -= begin;
    }
    last_.cycle -= std::min(begin, last_.cycle);
}

std::uint64_t OccupancyCurve::warp_cycles(Cycle end) const {
    return warp_cycles_ + (end - std::min(end, last_.cycle)) * last_.warps;
}

std::uint32_t OccupancyCurve::most_ctas() const {
    return std::max(most_ctas_, last_.ctas);
}

std::uint32_t OccupancyCurve::most_warps() const {
    return std::max(most_warps_, last_.warps);
}

} // namespace smsim
