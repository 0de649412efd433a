#include "views/timeline/chrome_counters.h"

#include <algorithm>

namespace smsim::views::timeline {

void ChromeCounters::advance(Cycle at) {
    while (begin_ + kIpcInterval <= at) {
        const bool idle = std::ranges::all_of(partitions_, [](const Partition &p) { return p.issued == 0; });
        write_interval(kIpcInterval);
        // After an interval without instructions, the next one that can have some is that of `at`.
        begin_ = idle ? at - at % kIpcInterval : begin_ + kIpcInterval;
    }
}

void ChromeCounters::end(Cycle at) {
    advance(at);
    if (at > begin_) {
        write_interval(at - begin_);
    }
}

void ChromeCounters::write_interval(Cycle length) {
    const bool recorded = window_.records(begin_);
    for (std::size_t i = 0; i < partitions_.size(); ++i) {
        Partition &partition = partitions_[i];
        const auto permille = static_cast<std::int64_t>((partition.issued * 1000 + length / 2) / length);
        partition.issued = 0;
        if (recorded && permille != partition.shown_permille) {
            partition.shown_permille = permille;
            file_.write(
                FMT_COMPILE(
                    ",{{\"ph\":\"C\",\"pid\":{},\"tid\":0,\"ts\":{},\"name\":\"IPC\",\"args\":{{\"ipc\":{}.{:03}}}}"
                    "}\n"),
                i + 1, begin_, permille / 1000, permille % 1000);
        }
    }
}

void ChromeCounters::show(Cycle at, bool all) {
    for (std::size_t i = 0; i < partitions_.size(); ++i) {
        Partition &partition = partitions_[i];
        if (all || partition.warps != partition.shown_warps) {
            partition.shown_warps = partition.warps;
            file_.write(
                FMT_COMPILE(",{{\"ph\":\"C\",\"pid\":{},\"tid\":0,\"ts\":{},\"name\":\"resident warps\",\"args\":{{"
                            "\"warps\":{}}}}}\n"),
                i + 1, at, partition.warps);
        }
    }
    if (all) {
        for (std::uint32_t slot = 0; slot < levels_.size(); ++slot) {
            levels_[slot].shown.reset();
            show_level(slot, at);
        }
    }
    for (const std::uint32_t slot : changed_) {
        show_level(slot, at);
    }
    changed_.clear();
}

void ChromeCounters::measured(std::uint32_t slot, const LevelName &what, std::uint64_t level) {
    Level &own = levels_[slot];
    if (own.name.empty()) {
        own.name = what.name;
    }
    own.now = level;
    changed_.push_back(slot);
}

void ChromeCounters::cleared(std::uint32_t slot) {
    levels_[slot].now = 0;
    changed_.push_back(slot);
}

void ChromeCounters::show_level(std::uint32_t slot, Cycle at) {
    Level &own = levels_[slot];
    if (own.name.empty() || own.shown == own.now) {
        return;
    }
    own.shown = own.now;
    file_.write(
        FMT_COMPILE(",{{\"ph\":\"C\",\"pid\":{},\"tid\":0,\"ts\":{},\"name\":\"slot {:03} {}\",\"args\":{{\"{}\":"
                    "{}}}}}\n"),
        slot % partitions_.size() + 1, at, slot, own.name, own.name, own.now);
}

void ChromeCounters::used(Cycle begin, Cycle cycles, const UnitUses &units) {
    if (!units_named_) {
        units_named_ = true;
        file_.write(FMT_COMPILE(",{{\"ph\":\"M\",\"pid\":{0},\"tid\":0,\"name\":\"process_name\",\"args\":{{\"name\":"
                                "\"units\"}}}}\n,{{\"ph\":\"M\",\"pid\":{0},\"tid\":0,\"name\":\"process_sort_index\","
                                "\"args\":{{\"sort_index\":{0}}}}}\n"),
                    partitions_.size() + 1);
    }
    UnitUses coarse = units;
    settle_uses(coarse, kLeastUseInterval);
    for (const UnitUse &use : coarse) {
        if (use.busy() == 0 || use.capacity == 0) {
            continue;
        }
        const std::vector<std::uint64_t> over_time = use.over_time();
        const Cycle width = use.instances.front().width();
        for (std::size_t i = 0; i < over_time.size() && i * width < cycles; ++i) {
            const Cycle from = i * width;
            const Cycle until = std::min(cycles, from + width);
            const Cycle shown = window_.first_recorded(begin + from);
            if (shown < begin + until) {
                const std::uint64_t possible = use.possible(until - from);
                show_use(use.unit, shown, (over_time[i] * 10000 + possible / 2) / possible);
            }
        }
        if (window_.records(begin + cycles)) {
            show_use(use.unit, begin + cycles, 0);
        }
    }
}

/// Writes the use unless the track shows it already.
void ChromeCounters::show_use(UsedUnit unit, Cycle at, std::uint64_t hundredths) {
    std::uint64_t &shown = shown_use_[static_cast<std::size_t>(unit)];
    if (hundredths != shown) {
        shown = hundredths;
        file_.write(
            FMT_COMPILE(",{{\"ph\":\"C\",\"pid\":{},\"tid\":0,\"ts\":{},\"name\":\"{}\",\"args\":{{\"percent\":{}.{:02}"
                        "}}}}\n"),
            partitions_.size() + 1, at, used_unit_spec(unit).name, hundredths / 100, hundredths % 100);
    }
}

} // namespace smsim::views::timeline
