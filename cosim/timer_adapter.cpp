#include "cosim/timer_adapter.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cosim/channels.h"
#include "model/config/config.h"
#include "model/config/validate.h"

namespace smsim::cosim {

using protocol::extension_of;
using protocol::LifecycleExtension;
using sc_core::sc_time;

TimerPins::TimerPins(const Block &block, unsigned subs, unsigned warps) {
    const PinFinder find(block, "sleep_timer");
    rst = find.input("rst", 1);
    now = find.input("now", 64);
    cfg_granularity = find.input("cfg_granularity", 32);
    req_valid = find.input("req_valid", 1, subs);
    req_ready = find.output("req_ready", 1, subs);
    req_warp = find.input("req_warp", 8, subs);
    req_cycles = find.input("req_cycles", 64, subs);
    stop = find.input("stop", 1, warps);
    expiry = find.output("expiry", 1, warps);
    busy = find.output("busy", 1);
    dbg_warp = find.input("dbg_warp", 8);
    dbg_running = find.output("dbg_running", 1);
    dbg_expiry = find.output("dbg_expiry", 64);
}

TimerAdapter::TimerAdapter(const sc_core::sc_module_name &name, const Config &config, std::unique_ptr<Block> block,
                           const Watch &watch, Handshakes handshakes)
    : sc_module(name_if_valid(name, config)), clock_(config), block_(std::move(block)), rules_(*block_),
      patience_(config.rtl.patience),
      pins_(*block_, config.sm.sub_partitions, warps_of(*block_, "sleep_timer", "stop", config)),
      handshakes_(handshakes),
      reference_(watch.findings ? std::make_unique<TimerReference>(pins_.expiry.fields(), config.timer.granularity)
                                : nullptr),
      recent_(watch.findings ? std::make_unique<RecentTransactions>("timer", *block_, watch) : nullptr),
      subs_(config.sm.sub_partitions), warps_(pins_.expiry.fields()), requests_(subs_) {
    request.on_request<&TimerAdapter::on_request>(this);
    lifecycle.on_request<&TimerAdapter::on_lifecycle>(this);
    SC_METHOD(quarter);
    sensitive << quarter_;
    dont_initialize();
    SC_METHOD(cycle);
    sensitive << edge_;
    dont_initialize();
    pins_.cfg_granularity.put(std::max<std::uint32_t>(config.timer.granularity, 1));
    pins_.req_valid.clear();
    pins_.stop.clear();
    cosim::reset(*block_, pins_.rst);
    if (recent_) {
        recent_->on_look_for_missing([this](Cycle now, Cycle due) { look_for_missing(now, due); });
    }
}

tlm::tlm_sync_enum TimerAdapter::on_request(unsigned, protocol::TimerPayload &payload, tlm::tlm_phase &phase,
                                            sc_time &delay) {
    const auto *ext = extension_of(payload);
    if (phase != tlm::BEGIN_REQ || ext->warp.value() >= warps_) {
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    const Request one{clock_.at(delay), ext->warp, ext->cycles};
    auto &queue = requests_[ext->warp.value() % subs_];
    const auto behind = std::upper_bound(queue.begin(), queue.end(), one,
                                         [](const Request &a, const Request &b) { return a.at < b.at; });
    queue.insert(behind, one);
    call_for(one.at);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

tlm::tlm_sync_enum TimerAdapter::on_lifecycle(unsigned, protocol::LifecyclePayload &payload, tlm::tlm_phase &,
                                              sc_time &delay) {
    const auto *ext = extension_of(payload);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (ext->kind == LifecycleExtension::Kind::kFault) {
        return tlm::TLM_COMPLETED; // the run ends; nothing to do here
    }
    const WarpSlot warp = ext->kind == LifecycleExtension::Kind::kWarpStart ? ext->start.warp : ext->warp;
    if (warp.value() >= warps_) {
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    const Cycle told = clock_.told(delay);
    stops_.push_back({told, warp});
    call_for(told);
    return tlm::TLM_COMPLETED;
}

void TimerAdapter::call_for(Cycle cycle) {
    if (cycle < called_for_ && cycle <= clock_.last_cycle()) {
        called_for_ = cycle;
        quarter_.notify(clock_.until_quarter(cycle));
        edge_.notify(clock_.until_edge(cycle));
    }
}

void TimerAdapter::drive(Cycle now) {
    pins_.now.put(now);
    pins_.stop.clear();
    for (const Stop &one : stops_) {
        if (one.told <= now) {
            pins_.stop.put(1, one.warp.value());
        }
    }
    for (unsigned sub = 0; sub < subs_; ++sub) {
        const auto &queue = requests_[sub];
        const bool valid = !queue.empty() && queue.front().at <= now && !handshakes_.hold(0, sub, now);
        pins_.req_valid.put(valid ? 1 : 0, sub);
        if (valid) {
            pins_.req_warp.put(queue.front().warp.value(), sub);
            pins_.req_cycles.put(queue.front().cycles, sub);
        }
    }
}

// An expiry is signalled one cycle ahead, by an output that follows the inputs: it is read as soon as these are known.
void TimerAdapter::quarter() {
    const Cycle now = clock_.now();
    drive(now);
    block_->settle();
    if (!pins_.expiry.any()) {
        return;
    }
    for (unsigned warp = 0; warp < warps_; ++warp) {
        if (pins_.expiry.get(warp) == 0) {
            continue;
        }
        protocol::TimerPayload &payload = pool_.acquire();
        auto *ext = extension_of(payload);
        ext->warp = WarpSlot(warp);
        ext->cycles = 0;
        if (!expiry.tell(payload, clock_.until(now + 1))) {
            SC_REPORT_ERROR(name(), fmt::format("the expiry of warp slot {} was not completed", warp).c_str());
        }
    }
}

void TimerAdapter::cycle() {
    const Cycle now = clock_.now();
    called_for_ = kNever;
    drive(now);
    block_->settle();
    take_requests(now);
    if (reference_) {
        compare(now);
        recent_->sample(now);
    }
    std::erase_if(stops_, [now](const Stop &one) { return one.told <= now; });
    checked_edge(*this, recent_.get(), *block_, rules_, now);
    if (reference_) {
        compare_running(now);
    }

    patience_.look(now, [&](Cycle before) { look_for_missing(now, before); });

    Cycle next = pins_.busy.get() != 0 ? now + 1 : kNever;
    for (const auto &queue : requests_) {
        next = queue.empty() ? next : std::min(next, std::max(queue.front().at, now + 1));
    }
    for (const Stop &one : stops_) {
        next = std::min(next, one.told);
    }
    if (next != kNever) {
        call_for(next);
    }
}

void TimerAdapter::take_requests(Cycle now) {
    for (unsigned sub = 0; sub < subs_; ++sub) {
        if (pins_.req_valid.get(sub) != 0 && pins_.req_ready.get(sub) != 0) {
            const Request one = requests_[sub].front();
            requests_[sub].pop_front();
            if (reference_) {
                reference_->request(one.warp, now, one.cycles);
                recent_->transaction("cycle {}, warp slot {}: request of {} cycles", now, one.warp.value(), one.cycles);
                taken_.push_back(one.warp);
            }
        }
    }
}

/// Compares the expiries that model and RTL signal in cycle `now`, then applies the stops of that cycle.
void TimerAdapter::compare(Cycle now) {
    reference_->advance(now + 1);
    const bool any = pins_.expiry.any();
    for (unsigned slot = 0; any && slot < warps_; ++slot) {
        const WarpSlot warp(slot);
        if (pins_.expiry.get(slot) != 0) {
            recent_->transaction("cycle {}, warp slot {}: expiry", now + 1, slot);
            const TimerReference::Comparison compared = reference_->expired(warp, now + 1);
            if (compared.due) {
                recent_->answered("expiry", *compared.due, now + 1);
            }
            differs(now, compared.difference);
        }
    }
    for (const Stop &one : stops_) {
        if (one.told <= now) {
            reference_->stop(one.warp, now + 1);
            recent_->transaction("cycle {}, warp slot {}: stop", now + 1, one.warp.value());
        }
    }
}

/// After the edge that ends cycle `now`: compares which timers run, of those requested in that cycle, or of all when
/// the block reports that none runs.
void TimerAdapter::compare_running(Cycle now) {
    for (const WarpSlot warp : std::exchange(taken_, {})) {
        differs(now + 1, reference_->running(warp, now, expiry_of(warp)));
    }
    if (pins_.busy.get() == 0) {
        differs(now + 1, reference_->none_runs(now));
    }
}

/// Reports an expiry that never occurred, or a request that was never taken, since `due` or earlier.
void TimerAdapter::look_for_missing(Cycle now, Cycle due) {
    if (!recent_) {
        return;
    }
    differs(now, reference_->missing(due));
    for (unsigned sub = 0; sub < subs_; ++sub) {
        const auto &queue = requests_[sub];
        if (!queue.empty() && queue.front().at <= due) {
            differs(now, fmt::format("warp slot {}: a request offered since cycle {} is not taken (req_ready of "
                                     "sub-partition {}; docs/pins.md, Sleep timer)",
                                     queue.front().warp.value(), queue.front().at, sub));
        }
    }
}

void TimerAdapter::differs(Cycle cycle, const std::optional<std::string> &what) {
    if (what) {
        recent_->differs(cycle, *what, false);
    }
}

Cycle TimerAdapter::expiry_of(WarpSlot warp) const {
    pins_.dbg_warp.put(warp.value());
    block_->settle();
    return pins_.dbg_running.get() != 0 ? pins_.dbg_expiry.get() : kNever;
}

} // namespace smsim::cosim
