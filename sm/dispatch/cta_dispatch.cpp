#include "sm/dispatch/cta_dispatch.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "model/config/config.h"
#include "model/config/validate.h"

namespace smsim::sm {

using protocol::LifecycleExtension;

CtaDispatch::CtaDispatch(const sc_core::sc_module_name &name, const Config &config, GridDistributor &distributor,
                         SmId sm)
    : sc_module(name_if_valid(name, config)), config_(config), distributor_(distributor), sm_(sm), clock_(config),
      allocator_(config), residents_(config.sm.max_ctas) {
    SC_HAS_PROCESS(CtaDispatch);
    SC_METHOD(cycle);
    sensitive << event_;
    dont_initialize();
    distributor.add(sm, *this);
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

tlm::tlm_sync_enum CtaDispatch::on_message(unsigned, protocol::LifecyclePayload &payload, tlm::tlm_phase &,
                                           sc_core::sc_time &delay) {
    auto *ext = protocol::extension_of(payload);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (ext->kind != LifecycleExtension::Kind::kFault) {
        // Several sub-partitions may report in one cycle: a fixed order keeps slots and start order reproducible.
        const Notice notice{ext->kind,        ext->warp,
                            ext->cta,         std::max(clock_.at(delay), clock_.now() + 1),
                            ext->stores_left, ext->start.cta_number};
        notices_.insert(std::ranges::upper_bound(notices_, notice.order(), {}, &Notice::order), notice);
        clock_.notify(event_, notice.at);
        return tlm::TLM_COMPLETED;
    }
    // Among the faults of one cycle the lowest warp slot wins; among several faults of one warp (one found late, one at
    // issue) the earlier instruction, whatever the order of the calls.
    const Cycle now = clock_.now();
    const auto key = [](WarpSlot warp, const protocol::RaisedAt &at) { return std::tuple(warp, at.issued, at.pc); };
    if (!fault_ || (fault_->cycle == now && key(ext->warp, ext->raised) < key(fault_->warp, fault_->at))) {
        fault_ = RaisedFault{ext->fault, ext->warp, ext->start, ext->raised, now};
    }
    clock_.notify(event_, now + 1);
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
    if (mid_flight_ != nullptr) {
        place_residents(*std::exchange(mid_flight_, nullptr));
    }
    const auto due = std::ranges::find_if(notices_, [now](const Notice &one) { return one.at > now; });
    for (auto one = notices_.begin(); one != due; ++one) {
        switch (one->kind) {
        case LifecycleExtension::Kind::kWarpEnded:
            retire(one->warp, one->cta, one->stores_left);
            break;
        case LifecycleExtension::Kind::kWarpPerformed:
            --endings_[one->cta_number].with_stores;
            last_store_ = std::max(last_store_, one->at - 1); // the dispatch learns of everything one cycle late
            settle(one->cta_number);
            break;
        default:
            exited(one->warp, one->cta);
            break;
        }
    }
    notices_.erase(notices_.begin(), due);
    ask(now);
    if (!notices_.empty()) {
        clock_.notify(event_, notices_.front().at);
    }
    if (fault_) {
        clock_.notify(event_, fault_->cycle + 1);
    }
}

void CtaDispatch::begin(const Grid &grid) {
    grid_ = grid;
    mid_flight_ = nullptr;
    completed_ = 0;
    last_store_ = 0;
    endings_.clear();
    has_waited_ = false;
    room_from_.clear();
    fault_.reset();
    occupancy_.clear();
    event_.notify(sc_core::SC_ZERO_TIME);
}

// Reserves a place before asking the distributor: an SM can start any CTA it is given.
void CtaDispatch::ask(Cycle now) {
    if (!reserved_ && now >= room_from() && distributor_.any_left()) {
        reserved_ = allocator_.place(grid_.demand);
        if (reserved_) {
            distributor_.ask(sm_);
            return; // the answer arrives in this cycle
        }
        has_waited_ = true;
        room_from_.clear(); // what has ended so far is not enough
    }
    sample(now);
    if (distributor_.any_left() && room_from() > now && room_from() != kNever) {
        clock_.notify(event_, room_from());
    }
}

/// The cycle from which a CTA may be placed; kNever when another must end first.
Cycle CtaDispatch::room_from() const {
    if (config_.sm.cta_restart == 0 || !has_waited_) {
        return next_launch_;
    }
    return room_from_.empty() ? kNever : std::max(next_launch_, room_from_.front());
}

void CtaDispatch::nothing_left() {
    for (const WarpSlot warp : reserved_->warps) {
        allocator_.free_warp(warp, grid_.demand);
    }
    allocator_.free_cta(*reserved_, grid_.demand);
    reserved_.reset();
    sample(clock_.now());
}

bool CtaDispatch::is_quiet() const {
    const Cycle next = room_from();
    return notices_.empty() && !reserved_ && (!distributor_.any_left() || next <= clock_.now() || next == kNever);
}

std::vector<WarpSlot> CtaDispatch::ending() const {
    std::vector<WarpSlot> slots;
    for (const Notice &one : notices_) {
        if (one.kind == LifecycleExtension::Kind::kWarpEnded) {
            slots.push_back(one.warp);
        }
    }
    return slots;
}

void CtaDispatch::take(std::uint64_t cta) {
    WarpStart start = start_of_cta(grid_, cta, *reserved_, sm_);
    if (has_waited_ && !room_from_.empty()) {
        room_from_.pop_front();
    }
    const unsigned n = config_.sm.sub_partitions;
    std::vector<Cycle> late(n, 0); // by sub-partition
    for (std::uint32_t w = 0; w < start.warps_in_cta; ++w) {
        start_warp(grid_, *reserved_, w, start);
        Cycle &later = late[start.warp.value() % n];
        start_warp_in_parts(start, later);
        later += config_.sm.warp_start_interval;
    }
    Resident &resident = residents_[start.cta.value()];
    resident = {std::exchange(reserved_, std::nullopt), cta, start.warps_in_cta};
    const Cycle now = clock_.now();
    next_launch_ = now + config_.sm.cta_launch_interval;
    ask(now);
}

/// CTAs whose warps were already running are placed at once, however many.
void CtaDispatch::place_residents(const MidFlight &from) {
    allocator_.take_over(from.allocator);
    for (const MidFlight::Cta &cta : from.ctas) {
        Resident &resident = residents_[cta.place.cta.value()];
        resident = {cta.place, cta.number, 0};
        WarpStart start = start_of_cta(grid_, cta.number, cta.place, sm_);
        for (std::uint32_t w = 0; w < cta.warps.size(); ++w) {
            if (const std::optional<WarpResume> &warp = cta.warps[w]) {
                start_warp(grid_, cta.place, w, start);
                start.entry = warp->pc;
                start.resume = &*warp;
                start_warp_in_parts(start, 0);
                ++resident.warps_left;
            }
        }
    }
}

void CtaDispatch::start_warp_in_parts(WarpStart &start, Cycle late) {
    start.age = next_age_++;
    const unsigned n = config_.sm.sub_partitions;
    const unsigned partition = start.warp.value() % n;
    for (const unsigned part : {n + partition, 2 * n, 2 * n + 1, 2 * n + 2, partition}) {
        send(part, LifecycleExtension::Kind::kWarpStart, start, late);
    }
}

void CtaDispatch::send(unsigned part, LifecycleExtension::Kind kind, const WarpStart &start, Cycle late) {
    protocol::LifecyclePayload &payload = pool_.acquire();
    auto *ext = protocol::extension_of(payload);
    ext->kind = kind;
    ext->start = start;
    ext->warp = start.warp;
    ext->cta = start.cta;
    if (!parts[part]->tell(payload, clock_.span(1 + late))) {
        SC_REPORT_ERROR(name(), "a part did not accept the start or end of a warp");
    }
}

void CtaDispatch::exited(WarpSlot warp, CtaSlot cta) {
    WarpStart end;
    end.warp = warp;
    end.cta = cta;
    send(2 * config_.sm.sub_partitions + 1, LifecycleExtension::Kind::kWarpExited, end);
}

void CtaDispatch::retire(WarpSlot warp, CtaSlot cta, bool stores_left) {
    Resident &resident = residents_[cta.value()];
    WarpStart end;
    end.warp = warp;
    end.cta = cta;
    const unsigned n = config_.sm.sub_partitions;
    send(n + warp.value() % n, LifecycleExtension::Kind::kWarpEnded, end);
    send(2 * n + 2, LifecycleExtension::Kind::kWarpEnded, end);
    allocator_.free_warp(warp, grid_.demand);
    Ending &ending = endings_[resident.number];
    ending.with_stores += stores_left ? 1 : 0;
    if (--resident.warps_left == 0) {
        allocator_.free_cta(*resident.place, grid_.demand);
        resident.place.reset();
        room_from_.push_back(clock_.now() + config_.sm.cta_restart);
        ending.ended = true;
        settle(resident.number);
    }
}

/// The launch ends when every store is performed, even if another CTA has taken the place by then.
void CtaDispatch::settle(std::uint64_t cta_number) {
    const auto found = endings_.find(cta_number);
    if (found->second.ended && found->second.with_stores == 0) {
        endings_.erase(found);
        ++completed_;
        distributor_.completed();
    }
}

void CtaDispatch::sample(Cycle now) {
    occupancy_.add({now, allocator_.resident_ctas(), allocator_.resident_warps()});
}

} // namespace smsim::sm
