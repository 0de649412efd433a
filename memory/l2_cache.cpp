#include "memory/l2_cache.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "model/bits.h"
#include "model/config/validate.h"

namespace smsim::memory {
L2Cache::L2Cache(const L2Config &config)
    : line_bytes_(valid(config).line_bytes), sector_bytes_(config.sector_bytes),
      sets_(config.bytes / config.line_bytes / config.ways / config.partitions),
      sectors_in_line_(config.line_bytes / config.sector_bytes), ways_(config.ways), miss_latency_(config.miss_latency),
      far_latency_(config.far_latency), near_(sets_.value()), far_(config.partitions == 1 ? 0 : sets_.value()),
      dram_(config.dram_bytes_per_cycle), load_(config.dram_bytes_per_cycle), loaded_latency_(config.loaded_latency) {}

L2Cache::Line &L2Cache::use(Partition &partition, std::uint64_t number, std::uint64_t &write_backs) {
    std::unique_ptr<Line[]> &set = partition[sets_.remainder(number)];
    if (set == nullptr) {
        set = std::make_unique<Line[]>(ways_);
    }
    Line *oldest = set.get();
    for (Line *line = set.get(); line != set.get() + ways_; ++line) {
        if (line->used != 0 && line->number == number) {
            line->used = ++uses_;
            return *line;
        }
        oldest = line->used < oldest->used ? line : oldest;
    }
    write_backs += bit_count(oldest->dirty);
    *oldest = {number, ++uses_, 0, 0};
    return *oldest;
}

bool L2Cache::is_far(std::uint64_t number) const {
    return !far_.empty() && (bit_count(static_cast<std::uint32_t>(number ^ number >> 32U)) & 1U) != 0;
}

void L2Cache::expect(std::uint64_t address) const {
    constexpr std::size_t kHostLine = 64; // bytes
    // Only the first lines: fetching all of a set costs more than it saves.
    const auto *set = reinterpret_cast<const char *>(near_[sets_.remainder(line_bytes_.quotient(address))].get());
    if (set != nullptr) {
        __builtin_prefetch(set);
        __builtin_prefetch(set + kHostLine);
    }
}

template <typename Visit> void L2Cache::for_lines(std::uint64_t address, std::uint64_t bytes, Visit visit) const {
    const std::uint64_t last = address + (bytes - 1);
    const std::uint64_t last_number = line_bytes_.quotient(last);
    for (std::uint64_t number = line_bytes_.quotient(address); number <= last_number; ++number) {
        const std::uint64_t begin = number * line_bytes_.value();
        const std::uint64_t first_sector = sector_bytes_.quotient(std::max(address, begin) - begin);
        const std::uint64_t last_sector =
            sector_bytes_.quotient(std::min(last, begin + (line_bytes_.value() - 1)) - begin);
        const auto sectors =
            static_cast<std::uint32_t>((~std::uint64_t{0} >> (63 - (last_sector - first_sector))) << first_sector);
        visit(number, sectors);
    }
}

/// Makes `sectors` (at least one) of a line of the near partition present, which are absent; `ready` is at least the
/// cycle in which they arrive.
void L2Cache::fetch(Line &line, std::uint32_t sectors, Cycle now, Cycle arrival, std::uint64_t &write_backs,
                    Cycle &ready) {
    const bool through_far = is_far(line.number);
    Line *const home = through_far ? &use(far_, line.number, write_backs) : nullptr;
    for (std::uint32_t rest = sectors; rest != 0; rest &= rest - 1) {
        const auto sector = static_cast<unsigned>(std::countr_zero(rest));
        const std::uint64_t number = line.number * sectors_in_line_ + sector;
        Cycle comes = through_far ? far_latency_ : 0;
        if (home != nullptr && (home->present >> sector & 1U) != 0) {
            const auto fill = fills_.find(number);
            comes += fill == fills_.end() ? arrival : std::max(arrival, fill->second);
            ++hits_;
        } else {
            comes += miss_latency_ + load_.share_of(loaded_latency_, arrival);
            comes += move(sector_bytes_.value(), now, arrival);
            ++misses_;
        }
        fills_[number] = comes;
        ready = std::max(ready, comes);
    }
    line.present |= sectors;
    if (home != nullptr) {
        home->present |= sectors;
    }
}

Cycle L2Cache::read(std::uint64_t address, std::uint64_t bytes, Cycle now, Cycle arrival) {
    forget_fills(now);
    std::uint64_t write_backs = 0;
    Cycle ready = arrival;
    for_lines(address, bytes, [&](std::uint64_t line_number, std::uint32_t sectors) {
        Line &line = use(near_, line_number, write_backs);
        for (std::uint32_t rest = sectors & line.present; rest != 0; rest &= rest - 1) {
            const auto fill =
                fills_.find(line_number * sectors_in_line_ + static_cast<unsigned>(std::countr_zero(rest)));
            ready = fill == fills_.end() ? ready : std::max(ready, fill->second);
            ++hits_;
        }
        if (const std::uint32_t absent = sectors & ~line.present; absent != 0) {
            fetch(line, absent, now, arrival, write_backs, ready);
        }
    });
    write_back(write_backs, now, arrival);
    return ready;
}

void L2Cache::write(std::uint64_t address, std::uint64_t bytes, Cycle now, Cycle arrival) {
    std::uint64_t write_backs = 0;
    for_lines(address, bytes, [&](std::uint64_t number, std::uint32_t sectors) {
        Line &line = use(is_far(number) ? far_ : near_, number, write_backs);
        const unsigned there = bit_count(line.present & sectors);
        hits_ += there;
        misses_ += bit_count(sectors) - there;
        line.present |= sectors;
        line.dirty |= sectors;
    });
    write_back(write_backs, now, arrival);
}

void L2Cache::hold(std::uint64_t address, std::uint64_t bytes) {
    if (bytes == 0) {
        return;
    }
    std::uint64_t write_backs = 0;
    for_lines(address, bytes, [&](std::uint64_t number, std::uint32_t sectors) {
        use(near_, number, write_backs).present |= sectors;
        if (is_far(number)) {
            use(far_, number, write_backs).present |= sectors;
        }
    });
}

/// A sector that has arrived is a hit like any other.
void L2Cache::forget_fills(Cycle now) {
    constexpr Cycle kSometimes = 4096;
    if (now >= next_forget_) {
        std::erase_if(fills_, [now](const auto &fill) { return fill.second <= now; });
        next_forget_ = now + kSometimes;
    }
}

/// Moves bytes from or to DRAM; returns the cycle of the last of them.
Cycle L2Cache::move(std::uint64_t bytes, Cycle now, Cycle arrival) {
    const Cycle last = dram_.reserve(now, arrival, bytes);
    dram_.count_last(now, dram_use_);
    load_.add(arrival, bytes);
    return last;
}

void L2Cache::write_back(std::uint64_t sectors, Cycle now, Cycle arrival) {
    if (sectors != 0) {
        move(sectors * sector_bytes_.value(), now, arrival);
        write_backs_ += sectors;
    }
}

void L2Cache::collect(GlobalMemoryStats &stats) const {
    stats.l2_hits += hits_;
    stats.l2_misses += misses_;
    stats.l2_write_backs += write_backs_;
    stats.dram_busy_cycles += dram_.busy_cycles();
}

void L2Cache::clear_statistics(Cycle now) {
    hits_ = misses_ = write_backs_ = 0;
    dram_.clear_count();
    dram_use_.clear(now);
}

} // namespace smsim::memory
