// Allocation and clearing of a warp's registers.
#include "sm/datapath/compute/registers.h"

#include <algorithm>

namespace smsim::sm::compute {

const Row WarpRegisters::kZeroRow{};

WarpRegisters::WarpRegisters(unsigned count)
    : count_(std::min((std::min(count, 255U) + kGranularity - 1) / kGranularity * kGranularity, 255U)),
      rows_(std::make_unique<Row[]>(count_ + 1)) {
    clear();
}

WarpRegisters WarpRegisters::copy() const {
    WarpRegisters same(count_);
    std::copy_n(rows_.get(), count_ + 1, same.rows_.get());
    same.predicates_ = predicates_;
    same.uniforms_ = uniforms_;
    same.flags_ = flags_;
    return same;
}

void WarpRegisters::clear() {
    std::fill_n(rows_.get(), count_ + 1, Row{});
    predicates_.fill(LaneMask());
    predicates_[isa::kPt] = LaneMask::all();
    uniforms_.fill(0);
    flags_ = {};
}

} // namespace smsim::sm::compute
