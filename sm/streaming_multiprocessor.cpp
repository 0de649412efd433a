#include "sm/streaming_multiprocessor.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "model/config/config.h"
#include "model/config/validate.h"
#include "model/protocol/clock.h"
#include "model/timing/pipes.h"
#include "sm/dispatch/cta_allocator.h"

namespace smsim::sm {

StreamingMultiprocessor::StreamingMultiprocessor(const sc_core::sc_module_name &name, const Config &config,
                                                 GridDistributor &distributor, SmId number, bool reverse_order,
                                                 LinkBinder *binder, const PartFactory &factory)
    : sc_module(name_if_valid(name, config)), config_(config), distributor_(distributor), number_(number) {
    build(factory, reverse_order);
    connect(binder);
}

void StreamingMultiprocessor::build(const PartFactory &factory, bool reverse_order) {
    const unsigned n = config_.sm.sub_partitions;
    ibuffers_.resize(n);
    datapaths_.resize(n);
    const auto indexed = [](const char *base, unsigned i) { return std::string(base) + std::to_string(i); };
    const auto joined = [this](auto part) {
        all_joined_ = part->join(calendar_) && all_joined_;
        return part;
    };
    const std::array<std::function<void()>, 10> steps = {
        [&] { dispatch_ = joined(factory.cta_dispatches.make("dispatch", config_, distributor_, number_)); },
        [&] {
            for (unsigned k = 0; k < n; ++k) {
                const unsigned i = reverse_order ? n - 1 - k : k;
                ibuffers_[i] = joined(factory.instruction_buffers.make(indexed("ibuffer", i).c_str(), config_, i));
                datapaths_[i] = joined(factory.datapaths.make(indexed("datapath", i).c_str(), config_));
            }
        },
        [&] { branch_unit_ = joined(factory.branch_units.make("bru", config_)); },
        [&] { barrier_unit_ = joined(factory.barrier_units.make("bcu", config_)); },
        [&] { timer_ = joined(factory.sleep_timers.make("timer", config_)); },
        [&] {
            for (const timing::PipeSpec &pipe : timing::execution_pipes()) {
                if (timing::is_shared(pipe, config_.pipes)) {
                    const std::string name(pipe.name);
                    shared_pipes_.emplace_back(pipe.unit,
                                               joined(factory.shared_pipes.make(name.c_str(), config_, pipe.unit)));
                }
            }
        },
        [&] { load_store_ = joined(factory.load_store_units.make("load_store", config_)); },
        [&] { instructions_ = joined(factory.instruction_memories.make("instructions", config_)); },
        [&] { shared_ = joined(factory.shared_memories.make("shared", config_)); },
        [&] {
            if (config_.l1.enabled) {
                l1_ = joined(factory.data_caches.make("l1", config_));
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
        parts::InstructionBuffer &ibuffer = *ibuffers_[i];
        parts::Datapath &datapath = *datapaths_[i];
        const auto of = [i](std::string_view link) { return fmt::format("{}_{}", link, i); };
        join(ibuffer.to_instruction_memory(), instructions_->from_ibuffer(i), of("fetch"));
        join(ibuffer.to_datapath(), datapath.from_ibuffer(), of("issue"));
        join(ibuffer.to_dispatch(), dispatch_->from_ibuffer(i), of("ibuffer_to_dispatch"));
        join(datapath.to_branch_unit(), branch_unit_->from_datapath(i), of("branch"));
        join(datapath.to_barrier_unit(), barrier_unit_->from_datapath(i), of("barrier"));
        join(datapath.to_load_store(), load_store_->from_datapath(i), of("load_store"));
        for (const auto &[unit, pipe] : shared_pipes_) {
            join(datapath.to_shared_pipe(unit), pipe->from_datapath(i), of(timing::pipe_spec(unit).name));
        }
        join(branch_unit_->to_ibuffer(i), ibuffer.from_branch_unit(), of("sleep_wake"));
        join(barrier_unit_->to_ibuffer(i), ibuffer.from_barrier_unit(), of("barrier_wake"));
        join(dispatch_->to_ibuffer(i), ibuffer.from_dispatch(), of("dispatch_to_ibuffer"));
        join(dispatch_->to_datapath(i), datapath.from_dispatch(), of("dispatch_to_datapath"));
    }
    join(dispatch_->to_branch_unit(), branch_unit_->from_dispatch(), "dispatch_to_bru");
    join(dispatch_->to_barrier_unit(), barrier_unit_->from_dispatch(), "dispatch_to_bcu");
    join(dispatch_->to_timer(), timer_->from_dispatch(), "dispatch_to_timer");
    join(branch_unit_->to_timer(), timer_->from_branch_unit(), "timer");
    join(timer_->to_branch_unit(), branch_unit_->from_timer(), "expiry");
    join(load_store_->to_shared(), shared_->from_load_store(), "shared");
    if (l1_) {
        join(load_store_->to_global(), l1_->from_load_store(), "l1");
        l1_->to_memory().bind(global);
    } else {
        load_store_->to_global().bind(global);
    }
}

const WarpStart &StreamingMultiprocessor::start_of(WarpSlot warp) const {
    return ibuffer_of(warp).start_of(warp);
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
        const WarpSlot warp(slot);
        if (ibuffer_of(warp).is_resident(warp)) {
            body(start_of(warp), datapaths_[slot % config_.sm.sub_partitions]->registers(warp));
        }
    }
}

unsigned StreamingMultiprocessor::reach_shared(tlm::tlm_command command, std::uint64_t base,
                                               std::span<std::uint8_t> bytes) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(base);
    payload.set_data_ptr(bytes.data());
    payload.set_data_length(static_cast<unsigned>(bytes.size()));
    payload.set_streaming_width(static_cast<unsigned>(bytes.size()));
    return load_store_->to_shared()->transport_dbg(payload);
}

std::vector<std::uint8_t> StreamingMultiprocessor::read_shared(std::uint64_t base, std::uint32_t bytes) {
    std::vector<std::uint8_t> contents(bytes);
    reach_shared(tlm::TLM_READ_COMMAND, base, contents);
    return contents;
}

void StreamingMultiprocessor::write_shared(std::uint64_t base, std::span<std::uint8_t> contents) {
    if (reach_shared(tlm::TLM_WRITE_COMMAND, base, contents) != contents.size()) {
        throw InputError(
            fmt::format("shared memory does not take {} bytes at {:#x} by debug transport", contents.size(), base));
    }
}

void StreamingMultiprocessor::observe_parts(observation::Observer *observer) {
    for (auto &ibuffer : ibuffers_) {
        ibuffer->observe(observer);
    }
    branch_unit_->observe(observer);
    barrier_unit_->observe(observer);
    load_store_->observe(observer);
}

void StreamingMultiprocessor::begin_launch(const CtaDemand &demand) {
    begun_ = protocol::Clock(config_).now();
    for (auto &ibuffer : ibuffers_) {
        ibuffer->clear_statistics();
    }
    for (auto &datapath : datapaths_) {
        datapath->clear_statistics();
    }
    branch_unit_->clear_statistics();
    barrier_unit_->clear_statistics();
    shared_->clear_statistics();
    load_store_->clear_statistics();
    for (const auto &[unit, pipe] : shared_pipes_) {
        pipe->clear_statistics();
    }
    if (config_.icache.cold_launch) {
        instructions_->invalidate();
    }
    instructions_->clear_statistics();
    if (l1_) {
        l1_->limit(config_.l1.bytes - CtaAllocator(config_).carveout(demand));
        l1_->clear_statistics();
    }
}

RunStats StreamingMultiprocessor::collect(const Program &program, bool cut_short) {
    RunStats stats;
    const auto latency = [&stats](LatencyKind kind) -> LatencyStats & {
        return stats.latencies[static_cast<std::size_t>(kind)];
    };
    stats.pcs.resize(program.code.size() + 1);
    std::map<std::tuple<Pc, Pc, std::uint8_t>, Cycle> waited;
    std::map<std::uint64_t, Cycle> cta_ends; // by number
    for (auto &ibuffer : ibuffers_) {
        if (cut_short) {
            ibuffer->close();
        }
        const parts::IssueStats part_stats = ibuffer->stats();
        const WarpRecords &ended = *part_stats.ended;
        stats.sums.push_back(ended.sums());
        stats.warps.insert(stats.warps.end(), ended.kept().begin(), ended.kept().end());
        stats.cycles = std::max(stats.cycles, ended.last_end());
        for (const auto &[cta, end] : ended.cta_ends()) {
            cta_ends[cta] = std::max(cta_ends[cta], end);
        }
        // A sub-partition without a warp of the launch has no counters.
        for (std::size_t i = 0; i < std::min(stats.pcs.size(), part_stats.pcs.size()); ++i) {
            PcStats &sum = stats.pcs[i];
            const PcStats &part = part_stats.pcs[i];
            sum.issues += part.issues;
            sum.active_lanes += part.active_lanes;
            sum.executed_lanes += part.executed_lanes;
            for (unsigned r = 0; r < kStallReasons; ++r) {
                sum.stalls[r] += part.stalls[r];
            }
        }
        stats.fetch.discarded += part_stats.fetches_discarded;
        stats.fetch.fetches += part_stats.direct_fetches;
        for (unsigned i = 0; i < kFetchCauses; ++i) {
            stats.no_instruction[i] += part_stats.no_instruction[i];
        }
        for (const Dependence &dependence : part_stats.dependences) {
            waited[{dependence.waits, dependence.producer, dependence.scoreboard}] += dependence.cycles;
        }
        std::ranges::transform(stats.lanes, part_stats.lanes, stats.lanes.begin(), std::plus{});
        latency(LatencyKind::kWakeToIssue).add(*part_stats.wake_to_issue);
        stats.over_time.push_back(*part_stats.over_time);
    }
    const auto widest = std::ranges::max_element(stats.over_time, {}, &IntervalCounters::width);
    for (IntervalCounters &counters : stats.over_time) {
        counters.widen_to(widest->width());
    }
    for (const auto &[who, cycles] : waited) {
        stats.dependences.push_back({std::get<0>(who), std::get<1>(who), std::get<2>(who), cycles});
    }
    std::ranges::stable_sort(stats.dependences, {}, [](const Dependence &d) { return std::tuple(d.waits, ~d.cycles); });
    stats.pcs.pop_back(); // the place past the end of the program only collects cycles of a warp that ran past it
    std::ranges::sort(stats.warps, {}, [](const WarpStats &w) { return std::tuple(w.cta_number, w.warp_in_cta); });
    stats.cycles = std::max({stats.cycles, dispatch_->last_store(), begun_}); // without warps it takes no time
    std::ranges::transform(cta_ends, std::back_inserter(stats.cta_ends), [](const auto &cta) { return cta.second; });
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
                if (hazard.cycle < same->cycle) {
                    same->cycle = hazard.cycle;
                    same->value = hazard.value;
                }
                same->missing = std::max(same->missing, hazard.missing);
            }
        }
    }
    std::ranges::sort(stats.hazards, {},
                      [](const Hazard &h) { return std::tuple(h.first, h.second, h.space, h.index, h.kind); });
    stats.bru = branch_unit_->stats();
    stats.bru.engine = branch_unit_->engine_counters();
    stats.bru.level = branch_unit_->level_stats();
    stats.bcu = barrier_unit_->stats();
    stats.shared = shared_->stats();
    stats.lsu = load_store_->stats();
    latency(LatencyKind::kBarrierWait) = stats.bcu.waits;
    for (std::size_t i = 0; i < kLatencyKinds; ++i) {
        stats.latencies[i].add(stats.lsu.latencies[i]);
    }
    const FetchStats ibuffers = stats.fetch;
    stats.fetch = instructions_->stats();
    stats.fetch.fetches += ibuffers.fetches;
    stats.fetch.l0_hits += ibuffers.fetches;
    stats.fetch.discarded = ibuffers.discarded;
    if (l1_) {
        l1_->collect(stats.global);
    }
    add_use(stats.cycles, stats.units);
    stats.occupancy = dispatch_->occupancy();
    stats.ctas = dispatch_->completed();
    return stats;
}

void StreamingMultiprocessor::add_use(Cycle end, UnitUses &uses) const {
    for (const auto &ibuffer : ibuffers_) {
        ibuffer->add_use(end, uses);
    }
    branch_unit_->add_use(end, uses);
    barrier_unit_->add_use(end, uses);
    for (const auto &[unit, pipe] : shared_pipes_) {
        pipe->add_use(end, uses);
    }
    load_store_->add_use(end, uses);
    instructions_->add_use(end, uses);
    shared_->add_use(end, uses);
    if (l1_) {
        l1_->add_use(end, uses);
    }
}

std::vector<WarpSlot> StreamingMultiprocessor::running() const {
    std::vector<WarpSlot> slots;
    for (std::uint32_t slot = 0; slot < config_.warps(); ++slot) {
        const WarpSlot warp(slot);
        if (ibuffer_of(warp).is_resident(warp) && !ibuffer_of(warp).is_blocked(warp)) {
            slots.push_back(warp);
        }
    }
    return slots;
}

bool StreamingMultiprocessor::is_deadlocked() const {
    if (!barrier_unit_->is_quiet() || !dispatch_->is_quiet()) {
        return false;
    }
    bool any = false;
    for (std::uint32_t slot = 0; slot < config_.warps(); ++slot) {
        const WarpSlot warp(slot);
        const parts::InstructionBuffer &ibuffer = ibuffer_of(warp);
        if (ibuffer.is_resident(warp)) {
            if (!ibuffer.is_blocked(warp)) {
                return false;
            }
            any = true;
        }
    }
    return any;
}

std::optional<StreamingMultiprocessor::Unanswered> StreamingMultiprocessor::unanswered() const {
    const auto request = l1_ ? l1_->unanswered() : load_store_->unanswered();
    if (!request) {
        return std::nullopt;
    }
    return Unanswered{*request, load_store_->waits_for(request->address, request->bytes)};
}

Cycle StreamingMultiprocessor::changes_until() const {
    Cycle last = 0;
    for (const auto &ibuffer : ibuffers_) {
        last = std::max(last, ibuffer->changes_until());
    }
    return last;
}

std::string StreamingMultiprocessor::describe(Cycle at) const {
    std::string text;
    for (const auto &ibuffer : ibuffers_) {
        text += ibuffer->describe(at);
    }
    for (std::uint32_t slot = 0; slot < config_.warps(); ++slot) {
        const WarpSlot warp(slot);
        if (!ibuffer_of(warp).is_resident(warp)) {
            continue;
        }
        if (const std::string reason = branch_unit_->held_back(warp); !reason.empty()) {
            text += fmt::format("  slot {}: {}\n", slot, reason);
        }
    }
    text += barrier_unit_->describe();
    if (text.ends_with('\n')) {
        text.pop_back();
    }
    return text;
}

} // namespace smsim::sm
