#include "sm/cta_dispatch.h"

#include <algorithm>
#include <tuple>

namespace smsim::sm {

using protocol::LifecycleExtension;

CtaDispatch::CtaDispatch(const sc_core::sc_module_name &name, const Config &config, const Grid &grid)
    : sc_module(name), config_(config), grid_(grid), clock_(config), allocator_(config),
      residents_(config.sm.max_ctas) {
    SC_HAS_PROCESS(CtaDispatch);
    SC_METHOD(cycle);
    sensitive << event_;
    const unsigned count = 2 * config.sm.sub_partitions + 3;
    for (unsigned i = 0; i < count; ++i) {
        parts.push_back(
            std::make_unique<protocol::Initiator<protocol::LifecycleLink>>(sc_core::sc_gen_unique_name("part")));
    }
    for (unsigned i = 0; i < config.sm.sub_partitions; ++i) {
        from_ibuffers.push_back(
            std::make_unique<protocol::Target<protocol::LifecycleLink>>(sc_core::sc_gen_unique_name("from_ibuffer")));
        from_ibuffers.back()->on_request<&CtaDispatch::on_message>(this, i);
    }
}

tlm::tlm_sync_enum CtaDispatch::on_message(unsigned, tlm::tlm_generic_payload &payload, tlm::tlm_phase &,
                                           sc_core::sc_time &delay) {
    auto *ext = protocol::extension_of<LifecycleExtension>(payload);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (ext->kind != LifecycleExtension::Kind::kFault) {
        const bool ended = ext->kind == LifecycleExtension::Kind::kWarpEnded;
        notices_.push_back({ext->warp, ext->cta, std::max(clock_.at(delay), clock_.now() + 1), ended});
        event_.notify(clock_.until(notices_.back().at));
        return tlm::TLM_COMPLETED;
    }
    // Of the faults of one cycle that of the lowest warp slot is reported, of several of one warp (one found late, one
    // at the issue) that of the earlier instruction, whatever the order of the calls.
    const Cycle now = clock_.now();
    const auto key = [](WarpSlot warp, const protocol::RaisedAt &at) { return std::tuple(warp, at.issued, at.pc); };
    if (!fault_ || (fault_->cycle == now && key(ext->warp, ext->raised) < key(fault_->warp, fault_->at))) {
        fault_ = RaisedFault{ext->fault, ext->warp, ext->start, ext->raised, now};
    }
    event_.notify(clock_.until(now + 1));
    return tlm::TLM_COMPLETED;
}

void CtaDispatch::cycle() {
    const Cycle now = clock_.now();
    if (fault_ && now > fault_->cycle) {
        if (end_) {
            end_();
        }
        return;
    }
    // Several sub-partitions may report in one cycle: a fixed order keeps slots and start order reproducible.
    std::ranges::sort(notices_, {}, &Notice::order);
    const auto due = std::ranges::find_if(notices_, [now](const Notice &one) { return one.at > now; });
    for (auto one = notices_.begin(); one != due; ++one) {
        if (one->ended) {
            retire(one->warp, one->cta);
        } else {
            exited(one->warp, one->cta);
        }
    }
    notices_.erase(notices_.begin(), due);
    if (now >= next_launch_) {
        while (launch_next(now)) {
            next_launch_ = now + config_.sm.cta_launch_interval;
            if (config_.sm.cta_launch_interval != 0) {
                break;
            }
        }
    }
    sample(now);
    if (next_cta_ < grid_.cta_count() && next_launch_ > now) {
        event_.notify(clock_.until(next_launch_));
    }
    if (!notices_.empty()) {
        event_.notify(clock_.until(notices_.front().at));
    }
    if (fault_) {
        event_.notify(clock_.until(fault_->cycle + 1));
    }
    if (finished() && end_) {
        end_();
    }
}

std::vector<WarpSlot> CtaDispatch::ending() const {
    std::vector<Notice> notices = notices_;
    std::ranges::sort(notices, {}, &Notice::order);
    std::vector<WarpSlot> slots;
    for (const Notice &one : notices) {
        if (one.ended) {
            slots.push_back(one.warp);
        }
    }
    return slots;
}

bool CtaDispatch::launch_next(Cycle) {
    if (next_cta_ >= grid_.cta_count()) {
        return false;
    }
    auto place = allocator_.place(grid_.demand);
    if (!place) {
        return false;
    }
    WarpStart start;
    start.cta = place->cta;
    start.cta_number = next_cta_;
    start.cta_id = {static_cast<std::uint32_t>(next_cta_ % grid_.ctas[0]),
                    static_cast<std::uint32_t>(next_cta_ / grid_.ctas[0] % grid_.ctas[1]),
                    static_cast<std::uint32_t>(next_cta_ / grid_.ctas[0] / grid_.ctas[1])};
    start.warps_in_cta = grid_.demand.warps();
    start.entry = grid_.entry;
    start.registers = grid_.demand.registers_per_thread;
    start.shared_base = place->shared_base;
    start.shared_bytes = grid_.demand.shared_bytes;
    const unsigned n = config_.sm.sub_partitions;
    for (std::uint32_t w = 0; w < start.warps_in_cta; ++w) {
        start.warp = place->warps[w];
        start.warp_in_cta = w;
        start.valid = LaneMask::first(std::min(kLanes, grid_.demand.threads - w * kLanes));
        start.age = next_age_++;
        const unsigned partition = start.warp.value() % n;
        for (const unsigned part : {n + partition, 2 * n, 2 * n + 1, 2 * n + 2, partition}) {
            send(part, LifecycleExtension::Kind::kWarpStart, start);
        }
    }
    Resident &resident = residents_[start.cta.value()];
    resident = {std::move(place), next_cta_, start.warps_in_cta};
    ++next_cta_;
    return true;
}

void CtaDispatch::send(unsigned part, LifecycleExtension::Kind kind, const WarpStart &start) {
    tlm::tlm_generic_payload &payload = pool_.acquire();
    auto *ext = protocol::extension_of<LifecycleExtension>(payload);
    ext->kind = kind;
    ext->start = start;
    ext->warp = start.warp;
    ext->cta = start.cta;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = clock_.period();
    const tlm::tlm_sync_enum status = (*parts[part])->nb_transport_fw(payload, phase, delay);
    if (status != tlm::TLM_COMPLETED || !payload.is_response_ok()) {
        SC_REPORT_ERROR(name(), "a part did not accept the start or end of a warp");
    }
    payload.release();
}

void CtaDispatch::exited(WarpSlot warp, CtaSlot cta) {
    WarpStart end;
    end.warp = warp;
    end.cta = cta;
    send(2 * config_.sm.sub_partitions + 1, LifecycleExtension::Kind::kWarpExited, end);
}

void CtaDispatch::retire(WarpSlot warp, CtaSlot cta) {
    Resident &resident = residents_[cta.value()];
    WarpStart end;
    end.warp = warp;
    end.cta = cta;
    const unsigned n = config_.sm.sub_partitions;
    send(n + warp.value() % n, LifecycleExtension::Kind::kWarpEnded, end);
    send(2 * n + 2, LifecycleExtension::Kind::kWarpEnded, end);
    allocator_.free_warp(warp, grid_.demand);
    if (--resident.warps_left == 0) {
        allocator_.free_cta(*resident.place, grid_.demand);
        resident.place.reset();
        ++completed_;
    }
}

void CtaDispatch::sample(Cycle now) {
    const OccupancySample row{now, allocator_.resident_ctas(), allocator_.resident_warps()};
    if (occupancy_.empty() || occupancy_.back().ctas != row.ctas || occupancy_.back().warps != row.warps) {
        occupancy_.push_back(row);
    }
}

} // namespace smsim::sm
