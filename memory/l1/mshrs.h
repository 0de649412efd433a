// Miss status holding registers: the fills of lines that are under way, and the reads that wait for each. Plain C++.
//
// A fill is open until something changes its line: later reads of the line join it, and the line is installed when it
// arrives. A detached one serves those who wait already, and nobody else.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "memory/l1/line_size.h"

namespace smsim::memory::l1 {

/// `Request` is what a waiting read is to the owner; it is kept, never looked at.
template <typename Request> class Mshrs {
  public:
    using Index = std::uint32_t;
    /// A read of bytes of one line that waits for its fill.
    struct Waiter {
        Request *request;
        std::uint64_t address;
        std::uint64_t bytes;
        std::uint64_t arrival; ///< the owner's time
    };
    /// What became of a read that misses.
    enum class Outcome : std::uint8_t {
        kJoined, ///< it waits for a fill under way
        kNew,    ///< it waits for a fill that the owner is to start
        kFull,   ///< it does not wait: no register is free
    };
    struct Place {
        Outcome outcome;
        Index index; ///< kJoined, kNew
    };

    /// `count` (at least 1) registers.
    Mshrs(std::uint32_t count, LineSize size) : size_(size), entries_(count) {
        for (Entry &entry : entries_) {
            entry.data.resize(size.bytes());
        }
    }

    /// Lets `waiter` wait for `line`: joins an open fill of it, or takes the first free register.
    Place wait_for(std::uint64_t line, const Waiter &waiter) {
        Index free = static_cast<Index>(entries_.size());
        Index left = in_use_;
        for (Index i = 0; i < entries_.size() && (left != 0 || free == entries_.size()); ++i) {
            const Entry &entry = entries_[i];
            if (!entry.in_use) {
                free = std::min(free, i);
                continue;
            }
            --left;
            if (entry.open && entry.line == line) {
                entries_[i].waiters.push_back(waiter);
                return {Outcome::kJoined, i};
            }
        }
        if (free == entries_.size()) {
            return {Outcome::kFull, free};
        }
        Entry &entry = entries_[free];
        entry.in_use = true;
        entry.open = true;
        entry.in_hand = false;
        entry.line = line;
        entry.waiters.push_back(waiter);
        ++in_use_;
        return {Outcome::kNew, free};
    }

    /// Where the fill of register `index` puts its bytes, a line of them.
    std::uint8_t *data(Index index) { return entries_[index].data.data(); }
    std::uint64_t line(Index index) const { return entries_[index].line; }
    const std::vector<Waiter> &waiters(Index index) const { return entries_[index].waiters; }
    /// The line is to be installed when it arrives: nothing has changed it since the fill was started.
    bool is_open(Index index) const { return entries_[index].open; }

    /// The data of the fill are known, whenever they become valid: those who wait no longer depend on the memory.
    void data_in_hand(Index index) { entries_[index].in_hand = true; }
    /// The fill has ended and nobody waits any more; the register is free.
    void release(Index index) {
        Entry &entry = entries_[index];
        entry.waiters.clear();
        entry.in_use = false;
        entry.open = false;
        --in_use_;
    }

    /// Closes the fills of the lines that hold some of the `span` bytes from `address` on.
    void detach(std::uint64_t address, std::uint64_t span) {
        Index left = in_use_;
        for (Index i = 0; left != 0; ++i) {
            Entry &entry = entries_[i];
            left -= entry.in_use ? 1 : 0;
            entry.open = entry.open && !size_.touches(entry.line, address, span);
        }
    }
    /// Closes every fill.
    void detach_all() {
        for (Entry &entry : entries_) {
            entry.open = false;
        }
    }
    /// Some of the `span` bytes from `address` on are read by one who waits for data that are not in hand.
    bool awaits(std::uint64_t address, std::uint64_t span) const {
        const auto reads_these = [&](const Waiter &waiter) {
            return waiter.address - address < span || address - waiter.address < waiter.bytes;
        };
        Index left = in_use_;
        for (Index i = 0; left != 0; ++i) {
            const Entry &entry = entries_[i];
            left -= entry.in_use ? 1 : 0;
            if (entry.in_use && !entry.in_hand && size_.touches(entry.line, address, span) &&
                std::ranges::any_of(entry.waiters, reads_these)) {
                return true;
            }
        }
        return false;
    }

  private:
    struct Entry {
        bool in_use = false;
        bool open = false;
        bool in_hand = false;
        std::uint64_t line = 0;
        std::vector<Waiter> waiters;
        std::vector<std::uint8_t> data;
    };

    LineSize size_;
    std::vector<Entry> entries_;
    Index in_use_ = 0;
};

} // namespace smsim::memory::l1
