#include "views/waveforms/signals.h"

#include "model/config/config.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>
#include <tlm>

namespace smsim::views::waveforms {
namespace {

/// Bits that hold the numbers 0 to `count` - 1.
int bits(std::uint64_t count) {
    return std::max(1, static_cast<int>(std::bit_width(count - 1)));
}

constexpr int kMaskBits = 32;
constexpr int kPcBits = 32;
constexpr int kOpBits = 8;
constexpr int kCountBits = 16; ///< of requests and responses; they wrap at 2^16
constexpr int kPhaseBits = 8;

} // namespace

Signals::Signals(const Config &config) : partitions_(config.sm.sub_partitions) {
    for (unsigned slot = 0; slot < config.warps(); ++slot) {
        const std::string at = fmt::format("sub_partition_{}.slot_{:03}.", slot % partitions_, slot);
        warps_.push_back({add(at + "resident", 1), add(at + "state", bits(kWarpStates)),
                          add(at + "reason", bits(kStallReasons)), add(at + "pc", kPcBits),
                          add(at + "active", kMaskBits), add(at + "timer_runs", 1)});
    }
    for (unsigned i = 0; i < partitions_; ++i) {
        const std::string bru = fmt::format("bru.sub_partition_{}.", i);
        branches_.push_back({add(bru + "busy", 1), add(bru + "warp", bits(config.warps())), add(bru + "pc", kPcBits),
                             add(bru + "op", kOpBits), 0});
        const std::string lsu = fmt::format("load_store.sub_partition_{}.", i);
        queues_.push_back({add(lsu + "waiting", kCountBits), add(lsu + "under_way", kCountBits)});
    }
    for (unsigned cta = 0; cta < config.sm.max_ctas; ++cta) {
        for (unsigned id = 0; id < kBarriers; ++id) {
            const std::string at = fmt::format("bcu.cta_slot_{:02}.barrier_{:02}.", cta, id);
            barriers_.push_back(
                {add(at + "arrived", kOpBits), add(at + "expected", kOpBits), add(at + "completions", kCountBits)});
        }
    }
}

std::size_t Signals::add(const std::string &name, int width) {
    declared_.push_back({name, width});
    live_.push_back(0);
    return live_.size() - 1;
}

unsigned Signals::add_link(const std::string &name) {
    const std::string at = "links." + name + ".";
    links_.push_back({add(at + "requests", kCountBits), add(at + "request_warp", kCountBits),
                      add(at + "request_address", 64), add(at + "responses", kCountBits),
                      add(at + "response_warp", kCountBits), add(at + "response_address", 64),
                      add(at + "phase", kPhaseBits)});
    return static_cast<unsigned>(links_.size() - 1);
}

void Signals::declare(sc_core::sc_trace_file &file) {
    shown_ = live_;
    for (std::size_t i = 0; i < declared_.size(); ++i) {
        sc_core::sc_trace(&file, shown_[i], declared_[i].name, declared_[i].width);
    }
}

void Signals::set(std::size_t signal, std::uint64_t value) {
    const int width = declared_[signal].width;
    live_[signal] = width == 64 ? value : value & ((std::uint64_t{1} << width) - 1);
}

void Signals::apply(const observation::Event &event) {
    std::visit([this](const auto &e) { on(e); }, event);
}

void Signals::apply(const Transfer &transfer) {
    const LinkSignals &link = links_[transfer.link];
    set(link.phase, transfer.phase);
    if (transfer.phase == tlm::BEGIN_REQ) {
        set(link.requests, live_[link.requests] + 1);
        set(link.request_warp, transfer.warp);
        set(link.request_address, transfer.address);
    } else if (transfer.phase == tlm::BEGIN_RESP) {
        set(link.responses, live_[link.responses] + 1);
        set(link.response_warp, transfer.warp);
        set(link.response_address, transfer.address);
    }
}

void Signals::branch_done(WarpSlot warp) {
    BranchSignals &branch = branches_[warp.value() % partitions_];
    set(branch.busy, --branch.under_way > 0 ? 1 : 0);
}

// --- events --------------------------------------------------------------------------------------------------------

void Signals::on(const observation::WarpStarted &e) {
    const WarpSignals &warp = warps_[e.warp.value()];
    set(warp.resident, 1);
    set(warp.state, static_cast<std::uint64_t>(WarpState::kFetching));
    set(warp.reason, static_cast<std::uint64_t>(StallReason::kNoInstruction));
    set(warp.pc, e.entry);
    set(warp.active, e.valid.bits());
}

void Signals::on(const observation::WarpEnded &e) {
    const WarpSignals &warp = warps_[e.warp.value()];
    set(warp.resident, 0);
    set(warp.state, static_cast<std::uint64_t>(WarpState::kExited));
    set(warp.active, 0);
    set(warp.timer_runs, 0);
}

void Signals::on(const observation::StateChanged &e) {
    const WarpSignals &warp = warps_[e.warp.value()];
    set(warp.state, static_cast<std::uint64_t>(e.state));
    set(warp.reason, static_cast<std::uint64_t>(e.reason));
    set(warp.pc, e.pc);
}

void Signals::on(const observation::InstructionIssued &e) {
    set(warps_[e.warp.value()].active, e.active.bits());
}

void Signals::on(const observation::ControlExecuted &e) {
    BranchSignals &branch = branches_[e.warp.value() % partitions_];
    ++branch.under_way;
    set(branch.busy, 1);
    set(branch.warp, e.warp.value());
    set(branch.pc, e.pc);
    set(branch.op, static_cast<std::uint64_t>(e.op));
}

void Signals::on(const observation::BarrierChanged &e) {
    const BarrierSignals &barrier = barriers_[e.cta.value() * kBarriers + e.barrier.value()];
    set(barrier.arrived, e.arrived);
    set(barrier.expected, e.expected);
}

void Signals::on(const observation::BarrierCompleted &e) {
    const BarrierSignals &barrier = barriers_[e.cta.value() * kBarriers + e.barrier.value()];
    set(barrier.arrived, 0);
    set(barrier.expected, 0);
    set(barrier.completions, live_[barrier.completions] + 1);
}

void Signals::on(const observation::TimerStarted &e) {
    set(warps_[e.warp.value()].timer_runs, 1);
}

void Signals::on(const observation::TimerExpired &e) {
    set(warps_[e.warp.value()].timer_runs, 0);
}

void Signals::on(const observation::AccessQueued &e) {
    const QueueSignals &queue = queues_[e.warp.value() % partitions_];
    set(queue.waiting, live_[queue.waiting] + 1);
}

void Signals::on(const observation::AccessStarted &e) {
    const QueueSignals &queue = queues_[e.warp.value() % partitions_];
    set(queue.waiting, live_[queue.waiting] - 1);
    set(queue.under_way, live_[queue.under_way] + 1);
}

void Signals::on(const observation::AccessPerformed &e) {
    const QueueSignals &queue = queues_[e.warp.value() % partitions_];
    set(queue.under_way, live_[queue.under_way] - 1);
}

} // namespace smsim::views::waveforms
