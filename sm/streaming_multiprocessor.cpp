#include "sm/streaming_multiprocessor.h"

#include <algorithm>
#include <array>
#include <tuple>

#include <fmt/format.h>

namespace smsim::sm {

StreamingMultiprocessor::StreamingMultiprocessor(const sc_core::sc_module_name &name, const Config &config,
                                                 GridDistributor &distributor, SmId number, bool reverse_order,
                                                 LinkBinder *binder)
    : sc_module(name), config_(config), distributor_(distributor), number_(number) {
    build(reverse_order);
    connect(binder);
}

void StreamingMultiprocessor::build(bool reverse_order) {
    const unsigned n = config_.sm.sub_partitions;
    const sc_core::sc_time period = protocol::Clock(config_).period();
    ibuffers_.resize(n);
    datapaths_.resize(n);
    const auto indexed = [](const char *base, unsigned i) { return std::string(base) + std::to_string(i); };
    const std::array<std::function<void()>, 9> steps = {
        [&] { dispatch_ = std::make_unique<CtaDispatch>("dispatch", config_, distributor_, number_); },
        [&] {
            for (unsigned k = 0; k < n; ++k) {
                const unsigned i = reverse_order ? n - 1 - k : k;
                ibuffers_[i] = std::make_unique<ibuffer::IBuffer>(indexed("ibuffer", i).c_str(), config_, i);
                datapaths_[i] = std::make_unique<Datapath>(indexed("datapath", i).c_str(), config_);
            }
        },
        [&] { bru_ = std::make_unique<bru::Bru>("bru", config_); },
        [&] { bcu_ = std::make_unique<bcu::Bcu>("bcu", config_); },
        [&] { timer_ = std::make_unique<SleepTimer>("timer", config_); },
        [&] { load_store_ = std::make_unique<LoadStoreUnit>("load_store", config_); },
        [&] { instructions_ = std::make_unique<memory::InstructionMemory>("instructions", config_.icache, n, period); },
        [&] { shared_ = std::make_unique<memory::SharedMemory>("shared", config_.shared, period); },
        [&] {
            if (config_.l1.enabled) {
                l1_ = std::make_unique<memory::L1Cache>("l1", config_.l1, period);
            }
        },
    };
    if (reverse_order) {
        for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
            (*step)();
        }
    } else {
        for (const auto &step : steps) {
            step();
        }
    }
}

void StreamingMultiprocessor::connect(LinkBinder *binder) {
    const auto join = [binder](auto &initiator, auto &target, const std::string &name) {
        if (binder != nullptr) {
            binder->join(initiator, target, name);
        } else {
            initiator.bind(target);
        }
    };
    const unsigned n = config_.sm.sub_partitions;
    for (unsigned i = 0; i < n; ++i) {
        ibuffer::IBuffer &ibuffer = *ibuffers_[i];
        Datapath &datapath = *datapaths_[i];
        const auto of = [i](const char *link) { return fmt::format("{}_{}", link, i); };
        join(ibuffer.fetch_socket, instructions_->socket(i), of("fetch"));
        join(ibuffer.issue_socket, datapath.issue_socket, of("issue"));
        join(ibuffer.lifecycle_out, *dispatch_->from_ibuffers[i], of("ibuffer_to_dispatch"));
        join(datapath.branch_socket, bru_->branch[i], of("branch"));
        join(datapath.barrier_socket, *bcu_->operations[i], of("barrier"));
        join(datapath.load_store_socket, *load_store_->datapaths[i], of("load_store"));
        join(bru_->wake[i], ibuffer.sleep_wake, of("sleep_wake"));
        join(*bcu_->wake[i], ibuffer.barrier_wake, of("barrier_wake"));
        join(*dispatch_->parts[i], ibuffer.lifecycle_in, of("dispatch_to_ibuffer"));
        join(*dispatch_->parts[n + i], datapath.lifecycle, of("dispatch_to_datapath"));
    }
    join(*dispatch_->parts[2 * n], bru_->lifecycle, "dispatch_to_bru");
    join(*dispatch_->parts[2 * n + 1], bcu_->lifecycle, "dispatch_to_bcu");
    join(*dispatch_->parts[2 * n + 2], timer_->lifecycle, "dispatch_to_timer");
    join(bru_->timer, timer_->request, "timer");
    join(timer_->expiry, bru_->expiry, "expiry");
    join(load_store_->shared.socket, shared_->socket, "shared");
    if (l1_) {
        join(load_store_->global.socket, l1_->socket, "l1");
        l1_->memory_socket().bind(global);
    } else {
        load_store_->global.socket.bind(global);
    }
}

const WarpStart &StreamingMultiprocessor::start_of(WarpSlot warp) const {
    const unsigned n = config_.sm.sub_partitions;
    return ibuffers_[warp.value() % n]->stage().start_of(warp.value() / n);
}

void StreamingMultiprocessor::observe(ExecutionObserver *observer) {
    for (auto &datapath : datapaths_) {
        datapath->observe(observer);
    }
}

void StreamingMultiprocessor::for_each_ending(
    const std::function<void(const WarpStart &start, const compute::WarpRegisters &registers)> &body) const {
    for (const WarpSlot slot : dispatch_->ending()) {
        body(start_of(slot), datapaths_[slot.value() % config_.sm.sub_partitions]->registers(slot));
    }
}

void StreamingMultiprocessor::for_each_resident(
    const std::function<void(const WarpStart &start, const compute::WarpRegisters &registers)> &body) const {
    for (std::uint32_t slot = 0; slot < config_.warps(); ++slot) {
        const unsigned part = slot % config_.sm.sub_partitions;
        const unsigned warp = slot / config_.sm.sub_partitions;
        const ibuffer::IssueStage &stage = ibuffers_[part]->stage();
        if (stage.resident(warp)) {
            body(stage.start_of(warp), datapaths_[part]->registers(WarpSlot(slot)));
        }
    }
}

std::vector<std::uint8_t> StreamingMultiprocessor::read_shared(std::uint64_t base, std::uint32_t bytes) {
    std::vector<std::uint8_t> contents(bytes);
    tlm::tlm_generic_payload payload;
    payload.set_read();
    payload.set_address(base);
    payload.set_data_ptr(contents.data());
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    load_store_->shared.socket->transport_dbg(payload);
    return contents;
}

void StreamingMultiprocessor::observe_parts(observation::Observer *observer) {
    for (auto &ibuffer : ibuffers_) {
        ibuffer->observe(observer);
    }
    bru_->observe(observer);
    bcu_->observe(observer);
    load_store_->observe(observer);
}

void StreamingMultiprocessor::begin_launch() {
    for (auto &ibuffer : ibuffers_) {
        ibuffer->clear_statistics();
    }
    for (auto &datapath : datapaths_) {
        datapath->clear_statistics();
    }
    bru_->clear_statistics();
    bcu_->clear_statistics();
    shared_->clear_statistics();
    load_store_->clear_statistics();
    instructions_->clear_statistics();
    if (l1_) {
        l1_->invalidate();
        l1_->clear_statistics();
    }
}

RunStats StreamingMultiprocessor::collect(const Program &program, bool cut_short) {
    RunStats stats;
    stats.pcs.resize(program.code.size() + 1);
    for (auto &ibuffer : ibuffers_) {
        if (cut_short) {
            ibuffer->close();
        }
        const ibuffer::IssueStage &stage = ibuffer->stage();
        stats.warps.insert(stats.warps.end(), stage.finished().begin(), stage.finished().end());
        // A sub-partition without a warp of the launch has no counters.
        for (std::size_t i = 0; i < std::min(stats.pcs.size(), stage.pcs().size()); ++i) {
            PcStats &sum = stats.pcs[i];
            const PcStats &part = stage.pcs()[i];
            sum.issues += part.issues;
            sum.active_lanes += part.active_lanes;
            sum.executed_lanes += part.executed_lanes;
            for (unsigned r = 0; r < kStallReasons; ++r) {
                sum.stalls[r] += part.stalls[r];
            }
        }
        stats.fetch.discarded += stage.fetches_discarded();
        stats.over_time.push_back(stage.over_time());
    }
    const auto widest = std::ranges::max_element(stats.over_time, {}, &IntervalCounters::width);
    for (IntervalCounters &counters : stats.over_time) {
        counters.widen_to(widest->width());
    }
    stats.pcs.pop_back(); // the place behind the program only collects cycles of a warp that ran past it
    std::ranges::sort(stats.warps, {}, [](const WarpStats &w) { return std::tuple(w.cta_number, w.warp_in_cta); });
    for (const WarpStats &warp : stats.warps) {
        stats.cycles = std::max(stats.cycles, warp.end);
    }
    for (auto &datapath : datapaths_) {
        for (unsigned u = 0; u < isa::kUnits; ++u) {
            stats.datapath.by_unit[u] += datapath->stats().by_unit[u];
        }
        stats.datapath.hazards += datapath->stats().hazards;
        const std::vector<Hazard> hazards = datapath->hazards();
        for (const Hazard &hazard : hazards) {
            const auto same = std::ranges::find_if(stats.hazards, [&](const Hazard &h) {
                return std::tie(h.first, h.second, h.space, h.index, h.kind) ==
                       std::tie(hazard.first, hazard.second, hazard.space, hazard.index, hazard.kind);
            });
            if (same == stats.hazards.end()) {
                stats.hazards.push_back(hazard);
            } else {
                same->count += hazard.count;
                same->cycle = std::min(same->cycle, hazard.cycle);
                same->missing = std::max(same->missing, hazard.missing);
            }
        }
    }
    std::ranges::sort(stats.hazards, {},
                      [](const Hazard &h) { return std::tuple(h.first, h.second, h.space, h.index, h.kind); });
    stats.bru = bru_->stats();
    stats.bcu = bcu_->stats();
    stats.shared = shared_->stats();
    stats.lsu = load_store_->stats();
    const std::uint64_t discarded = stats.fetch.discarded;
    stats.fetch = instructions_->stats();
    stats.fetch.discarded = discarded;
    if (l1_) {
        l1_->collect(stats.global);
    }
    stats.occupancy = dispatch_->occupancy();
    stats.ctas = dispatch_->completed();
    return stats;
}

bool StreamingMultiprocessor::is_deadlocked() const {
    if (!bcu_->is_quiet() || !dispatch_->is_quiet()) {
        return false;
    }
    bool any = false;
    for (const auto &ibuffer : ibuffers_) {
        const ibuffer::IssueStage &stage = ibuffer->stage();
        for (unsigned warp = 0; warp < config_.sm.warps_per_sub_partition; ++warp) {
            if (stage.resident(warp) && !stage.is_blocked(warp)) {
                return false;
            }
            any = any || stage.resident(warp);
        }
    }
    return any;
}

std::string StreamingMultiprocessor::describe() const {
    std::string text;
    for (const auto &ibuffer : ibuffers_) {
        text += ibuffer->describe();
    }
    text += bcu_->describe();
    if (text.ends_with('\n')) {
        text.pop_back();
    }
    return text;
}

} // namespace smsim::sm
