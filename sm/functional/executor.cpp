#include "sm/functional/executor.h"

#include "model/config/config.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace smsim::sm::functional {
namespace {

const char *name_of(Condition condition) {
    switch (condition) {
    case Condition::kBlocked:
        return "Barrier (barrier)";
    case Condition::kAsleep:
        return "Sleeping (sleeping)";
    default:
        return "Running";
    }
}

} // namespace

Executor::Executor(const Config &config, GlobalPort &global, GlobalBounds &bounds)
    : config_(config), runner_(config, global, bounds), allocator_(config), starts_(config.warps()) {}

void Executor::begin(const Grid &grid, NextCta next, std::uint64_t local_slot) {
    grid_ = grid;
    next_ = std::move(next);
    turn_ = 0;
    completed_ = 0;
    has_room_ = true;
    ended_.assign(config_.sm.sub_partitions, {});
    runner_.begin(*grid.launch->program, local_slot);
}

// --- residents -----------------------------------------------------------------------------------------------------

void Executor::place_more() {
    while (has_room_) {
        std::optional<CtaPlace> place = allocator_.place(grid_.demand);
        if (!place) {
            has_room_ = false;
            return;
        }
        const std::optional<std::uint64_t> number = next_();
        if (!number) {
            for (const WarpSlot warp : place->warps) {
                allocator_.free_warp(warp, grid_.demand);
            }
            allocator_.free_cta(*place, grid_.demand);
            return; // there may be one later
        }
        WarpStart start = start_of_cta(grid_, *number, *place, SmId());
        Cta &cta = *ctas_.emplace_back(std::make_unique<Cta>(*number, std::move(*place)));
        for (std::uint32_t w = 0; w < start.warps_in_cta; ++w) {
            start_warp(grid_, cta.place, w, start);
            start.age = next_age_++;
            cta.warps[w].start = start;
            starts_[start.warp.value()] = start;
            runner_.start(cta.warps[w]);
        }
    }
}

void Executor::note_end(const Warp &warp) {
    allocator_.free_warp(warp.start.warp, grid_.demand);
    keep(warp);
    has_room_ = true;
}

void Executor::keep(const Warp &warp) {
    const WarpStats stats = stats_of(warp);
    ended_[stats.sub_partition].add(stats, records_ && grid_.launch->warp_wish.keeps(stats.cta_number), false);
}

void Executor::retire(std::size_t index) {
    allocator_.free_cta(ctas_[index]->place, grid_.demand);
    ctas_.erase(ctas_.begin() + static_cast<std::ptrdiff_t>(index));
    ++completed_;
}

// --- turns ---------------------------------------------------------------------------------------------------------

Executor::Stopped Executor::run(std::uint64_t most) {
    std::size_t idle = 0; // number of consecutive CTAs that could not continue
    place_more();
    while (most != 0) {
        if (ctas_.empty()) {
            return Stopped::kEmpty;
        }
        turn_ = turn_ < ctas_.size() ? turn_ : 0;
        Cta &cta = *ctas_[turn_];
        const std::uint64_t ran = run_cta(cta, std::min(most, kCtaTurn));
        most -= ran;
        if (runner_.raised()) {
            return Stopped::kRaised;
        }
        if (cta.left == 0) {
            retire(turn_);
        } else {
            ++turn_;
        }
        if (has_room_) {
            place_more();
        }
        idle = ran == 0 ? idle + 1 : 0;
        if (idle != 0 && idle >= ctas_.size()) {
            return Stopped::kBlocked;
        }
    }
    return ctas_.empty() ? Stopped::kEmpty : Stopped::kBudget;
}

std::uint64_t Executor::run_cta(Cta &cta, std::uint64_t most) {
    for (Warp &warp : cta.warps) {
        runner_.expire(warp); // the others have had their turn
    }
    std::uint64_t left = most;
    for (std::size_t idle = 0; left != 0 && idle < cta.warps.size();) {
        Warp &warp = cta.warps[cta.next];
        cta.next = cta.next + 1 < cta.warps.size() ? cta.next + 1 : 0;
        if (warp.condition != Condition::kRunning) {
            ++idle;
            continue;
        }
        idle = 0;
        left -= runner_.run(cta, warp, std::min(left, kWarpTurn));
        if (warp.condition == Condition::kEnded) {
            note_end(warp);
        }
        if (runner_.raised()) {
            break;
        }
    }
    return most - left;
}

// --- transfer of residents -----------------------------------------------------------------------------------------

MidFlight Executor::hand_over(std::uint64_t next) {
    MidFlight all{allocator_, {}, next, completed_};
    for (const auto &cta : ctas_) {
        const auto barriers = std::make_shared<const bcu::CtaBarriers>(cta->barriers);
        MidFlight::Cta &one = all.ctas.emplace_back(MidFlight::Cta{cta->number, cta->place, {}});
        for (Warp &warp : cta->warps) {
            std::optional<WarpResume> &resume = one.warps.emplace_back();
            if (warp.condition != Condition::kEnded) {
                keep(warp);
                resume = runner_.save(warp);
                resume->barriers = barriers;
            }
        }
    }
    ctas_.clear();
    allocator_.take_over(CtaAllocator(config_));
    return all;
}

// --- looking inside ------------------------------------------------------------------------------------------------

const Warp *Executor::resident(WarpSlot slot) const {
    for (const auto &cta : ctas_) {
        for (const Warp &warp : cta->warps) {
            if (warp.start.warp == slot && warp.condition != Condition::kEnded) {
                return &warp;
            }
        }
    }
    return nullptr;
}

ControlSnapshot Executor::snapshot(WarpSlot slot, std::optional<Pc> next) const {
    const Warp *warp = resident(slot);
    return runner_.engine().snapshot(slot, {next, warp != nullptr && warp->timer_expired});
}

std::string Executor::describe() const {
    std::string text;
    std::string held_back;
    for_each_resident([&](const WarpStart &start, const compute::WarpRegisters &) {
        const Warp &warp = *resident(start.warp);
        text +=
            fmt::format("  CTA {} warp {} (slot {}): {} at {:#06x}, active {:#010x}\n", start.cta_number,
                        start.warp_in_cta, start.warp.value(), name_of(warp.condition), warp.pc, warp.active.bits());
        if (const std::string reason = runner_.engine().held_back(start.warp); !reason.empty()) {
            held_back += fmt::format("  slot {}: {}\n", start.warp.value(), reason);
        }
    });
    text += held_back;
    std::vector<const Cta *> by_slot;
    for (const auto &cta : ctas_) {
        by_slot.push_back(cta.get());
    }
    std::ranges::sort(by_slot, {}, [](const Cta *cta) { return cta->place.cta; });
    for (const Cta *cta : by_slot) {
        text += bcu::describe(cta->barriers, cta->number, cta->place.cta);
    }
    if (text.ends_with('\n')) {
        text.pop_back();
    }
    return text;
}

void Executor::for_each_resident(
    const std::function<void(const WarpStart &, const compute::WarpRegisters &)> &body) const {
    std::vector<const Warp *> warps;
    for (const auto &cta : ctas_) {
        for (const Warp &warp : cta->warps) {
            if (warp.condition != Condition::kEnded) {
                warps.push_back(&warp);
            }
        }
    }
    std::ranges::sort(warps, {}, [](const Warp *warp) { return warp->start.warp; });
    for (const Warp *warp : warps) {
        body(warp->start, warp->registers);
    }
}

const compute::WarpRegisters &Executor::registers(WarpSlot slot) const {
    return resident(slot)->registers;
}

std::vector<WarpSlot> Executor::running() const {
    std::vector<WarpSlot> slots;
    for_each_resident([&](const WarpStart &start, const compute::WarpRegisters &) {
        if (resident(start.warp)->condition != Condition::kBlocked) {
            slots.push_back(start.warp);
        }
    });
    return slots;
}

std::vector<std::uint8_t> Executor::read_shared(std::uint64_t base, std::uint32_t bytes) {
    std::vector<std::uint8_t> contents(bytes);
    runner_.memory().shared().read(base, contents.data(), bytes);
    return contents;
}

WarpStats Executor::stats_of(const Warp &warp) const {
    WarpStats stats;
    stats.slot = warp.start.warp;
    stats.sub_partition = warp.start.warp.value() % config_.sm.sub_partitions;
    stats.cta_number = warp.start.cta_number;
    stats.warp_in_cta = warp.start.warp_in_cta;
    stats.instructions = warp.instructions;
    stats.thread_instructions = warp.thread_instructions;
    return stats;
}

void Executor::collect(RunStats &stats) const {
    runner_.collect(stats);
    stats.sums.clear();
    stats.warps.clear();
    stats.warps_every = grid_.launch == nullptr ? 1 : grid_.launch->warp_wish.every;
    for (const WarpRecords &ended : ended_) {
        stats.sums.push_back(ended.sums());
        stats.warps.insert(stats.warps.end(), ended.kept().begin(), ended.kept().end());
    }
    for (const auto &cta : ctas_) {
        for (const Warp &warp : cta->warps) {
            if (warp.condition != Condition::kEnded) {
                const WarpStats one = stats_of(warp);
                stats.sums[one.sub_partition].add(one);
                if (records_ && grid_.launch->warp_wish.keeps(one.cta_number)) {
                    stats.warps.push_back(one);
                }
            }
        }
    }
    std::ranges::sort(stats.warps, {}, [](const WarpStats &w) { return std::tuple(w.cta_number, w.warp_in_cta); });
    stats.ctas = completed_;
}

} // namespace smsim::sm::functional
