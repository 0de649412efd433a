#include "sm/dispatch/cta_allocator.h"

#include "model/config/config.h"

#include <algorithm>

#include <fmt/format.h>

namespace smsim::sm {

CtaAllocator::CtaAllocator(const Config &config)
    : config_(config), warp_used_(config.warps(), false), cta_used_(config.sm.max_ctas, false),
      free_registers_(config.sm.sub_partitions, config.sm.registers / config.sm.sub_partitions),
      holes_{{0, config.shared.bytes}} {}

std::uint32_t CtaAllocator::warp_registers(std::uint32_t registers_per_thread) const {
    const std::uint32_t unit = config_.sm.register_unit;
    return (registers_per_thread * kLanes + unit - 1) / unit * unit;
}

std::uint64_t CtaAllocator::shared_need(const CtaDemand &demand) const {
    const std::uint64_t unit = config_.shared.allocation_unit;
    const std::uint64_t bytes = std::uint64_t{demand.shared_bytes} + config_.shared.reserved_per_cta;
    return (bytes + unit - 1) / unit * unit;
}

std::string CtaAllocator::impossible(const CtaDemand &demand) const {
    if (demand.threads == 0) {
        return "a CTA needs at least one thread";
    }
    if (demand.warps() > config_.warps() || demand.warps() * kLanes > config_.sm.max_threads) {
        return fmt::format("a CTA of {} threads does not fit: the SM holds {} threads in {} warps", demand.threads,
                           config_.sm.max_threads, config_.warps());
    }
    if (demand.shared_bytes > config_.shared.max_per_cta) {
        return fmt::format("{} bytes of shared memory per CTA exceed the limit of {} bytes (shared.max_per_cta)",
                           demand.shared_bytes, config_.shared.max_per_cta);
    }
    if (shared_need(demand) > config_.shared.bytes) {
        const std::uint32_t reserved = config_.shared.reserved_per_cta;
        return fmt::format(
            "{} bytes of shared memory per CTA{} exceed the {} bytes of the SM (shared.bytes)", demand.shared_bytes,
            reserved == 0 ? "" : fmt::format(" and {} of the system (shared.reserved_per_cta)", reserved),
            config_.shared.bytes);
    }
    const std::uint32_t per_partition = (demand.warps() + config_.sm.sub_partitions - 1) / config_.sm.sub_partitions;
    const std::uint64_t need = std::uint64_t{per_partition} * warp_registers(demand.registers_per_thread);
    if (need > config_.sm.registers / config_.sm.sub_partitions) {
        return fmt::format("{} warps of {} registers per thread need {} registers in a sub-partition that has {} "
                           "(sm.registers / sm.sub_partitions)",
                           demand.warps(), demand.registers_per_thread, need,
                           config_.sm.registers / config_.sm.sub_partitions);
    }
    return {};
}

std::uint32_t CtaAllocator::max_resident(const CtaDemand &demand) const {
    CtaAllocator empty(config_);
    std::uint32_t count = 0;
    while (empty.place(demand)) {
        ++count;
    }
    return count;
}

OccupancyLimits CtaAllocator::limits(const CtaDemand &demand) const {
    OccupancyLimits limits;
    const std::uint32_t warps = std::max(demand.warps(), 1U);
    limits.warps_each = demand.warps();
    limits.by_warps = config_.warps() / warps;
    limits.by_threads = config_.sm.max_threads / (warps * kLanes);
    limits.by_ctas = config_.sm.max_ctas;
    if (const std::uint32_t registers = warp_registers(demand.registers_per_thread); registers != 0) {
        // A warp may go to any sub-partition that has room.
        const std::uint32_t in_each = config_.sm.registers / config_.sm.sub_partitions / registers;
        limits.by_registers = in_each * config_.sm.sub_partitions / warps;
    }
    if (const std::uint64_t shared = shared_need(demand); shared != 0) {
        limits.by_shared = static_cast<std::uint32_t>(config_.shared.bytes / shared);
    }
    limits.ctas = max_resident(demand);
    return limits;
}

std::uint64_t CtaAllocator::carveout(const CtaDemand &demand) const {
    const SizeList &carveouts = config_.shared.carveouts;
    return carveouts.empty() ? 0 : carveouts.least_for(max_resident(demand) * shared_need(demand));
}

void CtaAllocator::take_over(const CtaAllocator &other) {
    warp_used_ = other.warp_used_;
    cta_used_ = other.cta_used_;
    free_registers_ = other.free_registers_;
    threads_ = other.threads_;
    holes_ = other.holes_;
    resident_ctas_ = other.resident_ctas_;
    resident_warps_ = other.resident_warps_;
}

std::optional<CtaPlace> CtaAllocator::place(const CtaDemand &demand) {
    const std::uint32_t warps = demand.warps();
    const auto cta = std::ranges::find(cta_used_, false);
    if (warps == 0 || cta == cta_used_.end() || threads_ + warps * kLanes > config_.sm.max_threads) {
        return std::nullopt;
    }
    const std::uint64_t shared = shared_need(demand);
    auto hole = std::ranges::find_if(holes_, [&](const Hole &h) { return h.bytes >= shared; });
    if (shared != 0 && hole == holes_.end()) {
        return std::nullopt;
    }
    CtaPlace place;
    const std::uint32_t registers = warp_registers(demand.registers_per_thread);
    std::vector<std::uint32_t> left = free_registers_;
    for (std::uint32_t slot = 0; slot < warp_used_.size() && place.warps.size() < warps; ++slot) {
        std::uint32_t &free = left[slot % config_.sm.sub_partitions];
        if (!warp_used_[slot] && free >= registers) {
            free -= registers;
            place.warps.emplace_back(slot);
        }
    }
    if (place.warps.size() < warps) {
        return std::nullopt;
    }
    free_registers_ = std::move(left);
    for (const WarpSlot slot : place.warps) {
        warp_used_[slot.value()] = true;
    }
    place.cta = CtaSlot(static_cast<std::uint32_t>(cta - cta_used_.begin()));
    *cta = true;
    if (shared != 0) {
        place.shared_base = hole->base;
        hole->base += shared;
        hole->bytes -= shared;
        if (hole->bytes == 0) {
            holes_.erase(hole);
        }
    }
    threads_ += warps * kLanes;
    resident_warps_ += warps;
    ++resident_ctas_;
    return place;
}

void CtaAllocator::free_warp(WarpSlot warp, const CtaDemand &demand) {
    warp_used_[warp.value()] = false;
    free_registers_[warp.value() % config_.sm.sub_partitions] += warp_registers(demand.registers_per_thread);
    threads_ -= kLanes;
    --resident_warps_;
}

void CtaAllocator::free_cta(const CtaPlace &place, const CtaDemand &demand) {
    cta_used_[place.cta.value()] = false;
    --resident_ctas_;
    const std::uint64_t shared = shared_need(demand);
    if (shared == 0) {
        return;
    }
    auto next = std::ranges::find_if(holes_, [&](const Hole &h) { return h.base > place.shared_base; });
    next = holes_.insert(next, {place.shared_base, shared});
    if (next + 1 != holes_.end() && next->base + next->bytes == (next + 1)->base) {
        next->bytes += (next + 1)->bytes;
        holes_.erase(next + 1);
    }
    if (next != holes_.begin() && (next - 1)->base + (next - 1)->bytes == next->base) {
        (next - 1)->bytes += next->bytes;
        holes_.erase(next);
    }
}

} // namespace smsim::sm
