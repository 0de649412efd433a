#include "sm/load_store/global_bounds.h"

#include <algorithm>

#include <fmt/format.h>

namespace smsim::sm {
namespace {

using Region = memory::Regions::Region;

/// Sets `place` to the first byte of `access` outside every region, and the nearest region.
void locate(const std::vector<Region> &regions, const GlobalBounds::Access &access, OutsidePlace &place) {
    const auto after = std::ranges::upper_bound(regions, access.address, {}, &Region::base);
    const Region *before = after == regions.begin() ? nullptr : &*(after - 1);
    place.address = before == nullptr ? access.address : std::max(access.address, before->base + before->bytes);
    const std::uint64_t behind = before == nullptr ? ~std::uint64_t{0} : place.address - before->base - before->bytes;
    if (after != regions.end() && after->base - place.address < behind) {
        place.buffer = after->name;
        place.distance = -static_cast<std::int64_t>(after->base - place.address);
    } else if (before != nullptr) {
        place.buffer = before->name;
        place.distance = static_cast<std::int64_t>(behind);
    }
}

} // namespace

GlobalBounds::GlobalBounds(const memory::Regions &regions, MemoryCheck mode,
                           std::function<const WarpStart &(WarpSlot)> warp_of)
    : regions_(regions), warp_of_(std::move(warp_of)) {
    found_.mode = mode;
}

void GlobalBounds::clear() {
    const MemoryCheck mode = found_.mode;
    found_ = {};
    found_.mode = mode;
    places_.clear();
}

GlobalBounds::Verdict GlobalBounds::judge_outside(std::uint64_t address, std::uint64_t bytes) const {
    if (found_.mode == MemoryCheck::kStrict || !regions_.is_mapped(address, bytes)) {
        return Verdict::kOutside;
    }
    return found_.mode == MemoryCheck::kReport ? Verdict::kPadding : Verdict::kInside;
}

std::optional<FaultReport> GlobalBounds::fault_of(LaneMask lanes, const std::array<std::uint64_t, kLanes> &address,
                                                  std::uint32_t bytes) const {
    std::optional<FaultReport> fault;
    for_each_lane(lanes, [&](unsigned lane) {
        if (!fault && judge(address[lane], bytes) == Verdict::kOutside) {
            fault = FaultReport{
                Fault::kIllegalAddress,
                fmt::format("thread {} accesses {} bytes at {:#x}, which no buffer holds", lane, bytes, address[lane]),
                address[lane], bytes};
        }
    });
    return fault;
}

void GlobalBounds::note(const Access &access) {
    if (regions_.holds(access.address, access.bytes)) {
        return;
    }
    ++found_.count;
    const auto [known, is_new] = places_.try_emplace(access.pc, found_.places.size());
    if (is_new) {
        const WarpStart &warp = warp_of_(access.warp);
        OutsidePlace &place = found_.places.emplace_back();
        place.pc = access.pc;
        place.cycle = access.cycle;
        place.cta = warp.cta_number;
        place.warp = warp.warp_in_cta;
        place.thread = access.lane;
        locate(regions_.all(), access, place);
    }
    ++found_.places[known->second].count;
}

} // namespace smsim::sm
