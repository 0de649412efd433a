// Miss status holding registers: the sectors under way, and the reads that wait for them. Plain C++.
//
// A register belongs to one read that missed, and holds its line and the sectors that had to be fetched for it, in one
// fill for each run of adjacent ones; it is free again when all of them have ended. Later reads of the line wait for
// what is under way already, in whichever registers, and take a register for the rest.
//
// A sector under way is open until something changes it: later reads join it, and it is installed when it arrives. A
// closed one serves only the reads that wait already. At most one register has a sector of a line open.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "memory/l1/line_size.h"

namespace smsim::memory::l1 {

/// `Request` represents a waiting read of the owner; it is stored, never examined.
template <typename Request> class Mshrs {
  public:
    using Index = std::uint32_t;
    /// A read of bytes of one line that waits for some of its sectors.
    struct Waiter {
        Request *request;
        std::uint64_t address;
        std::uint64_t bytes;
        std::uint64_t arrival; ///< the owner's time
    };
    /// What a read that misses needs.
    enum class Outcome : std::uint8_t {
        kJoined, ///< what is under way
        kNew,    ///< also sectors that the owner must fetch
        kFull,   ///< must be tried again: no register is free for the sectors to fetch
    };
    struct Place {
        Outcome outcome;
        Index index;     ///< kNew: of the register
        Sectors sectors; ///< kNew: to be fetched
    };

    /// `count` (at least 1) registers.
    Mshrs(std::uint32_t count, LineSize size) : size_(size), entries_(count), free_((count + 63) / 64) {
        for (Index i = 0; i < count; ++i) {
            entries_[i].data.resize(size.bytes());
            set_free(i);
        }
        chains_.fill(kNone);
    }

    /// Those of `missing` sectors of `line` that a read must fetch: they are not under way, or not open.
    Sectors to_fetch(std::uint64_t line, Sectors missing) const {
        for (Index i = chain_of(line); i != kNone; i = entries_[i].next) {
            if (entries_[i].line == line) {
                missing &= ~entries_[i].open;
            }
        }
        return missing;
    }
    /// Whether no register is free.
    bool is_full() const { return in_use_ == entries_.size(); }

    /// Finds a place for a read of `missing` (at least one) sectors of `line`: sectors that are not under way, or not
    /// open, go to the first free register.
    Place reserve(std::uint64_t line, Sectors missing) {
        const Sectors absent = to_fetch(line, missing);
        if (absent != 0 && is_full()) {
            return {Outcome::kFull, kNone, 0};
        }
        if (absent == 0) {
            return {Outcome::kJoined, kNone, 0};
        }
        const Index free = first_free();
        Entry &entry = entries_[free];
        free_[free / 64] &= ~(std::uint64_t{1} << (free % 64));
        entry.next = chain_of(line);
        chain_of(line) = free;
        entry.under_way = absent;
        entry.open = absent;
        entry.in_hand = 0;
        entry.line = line;
        ++in_use_;
        return {Outcome::kNew, free, absent};
    }
    /// Makes `waiter` wait for `missing` sectors of `line`, for which `reserve` has just given it its place.
    void wait(std::uint64_t line, Sectors missing, const Waiter &waiter) {
        const ReadIndex read = keep({waiter, missing});
        for (Index i = chain_of(line); missing != 0; i = entries_[i].next) {
            Entry &entry = entries_[i];
            if (const Sectors part = entry.open & missing; part != 0 && entry.line == line) {
                entry.waiting.push_back({read, part});
                missing &= ~part;
            }
        }
    }
    /// Number of waiting reads.
    std::size_t waiting() const { return reads_.size() - free_reads_.size(); }

    /// Where the fills of register `index` put their bytes: a line, of which each fill writes its sectors.
    std::uint8_t *data(Index index) { return entries_[index].data.data(); }
    std::uint64_t line(Index index) const { return entries_[index].line; }
    /// The sectors to install when they arrive: nothing has changed them since their fill was started.
    Sectors open(Index index) const { return entries_[index].open; }

    /// Registers that are not free.
    std::size_t in_use() const { return in_use_; }
    /// Total number of registers.
    std::size_t count() const { return entries_.size(); }

    /// The data of `sectors` are known, whenever they become valid: reads that wait for them no longer depend on the
    /// memory.
    void data_in_hand(Index index, Sectors sectors) { entries_[index].in_hand |= sectors; }
    Sectors in_hand(Index index) const { return entries_[index].in_hand; }
    /// The sectors whose fills have not ended.
    Sectors under_way(Index index) const { return entries_[index].under_way; }

    /// The fill of `sectors` has arrived. Calls `serve(waiter, sectors, last)` for each read that waits for some of
    /// them, in the order of their arrival: `sectors` are those it waits for, `last` when it waits for no others.
    template <typename Serve> void arrived(Index index, Sectors sectors, Serve serve) {
        Entry &entry = entries_[index];
        for (Waiting &waiting : entry.waiting) {
            const Sectors part = waiting.sectors & sectors;
            if (part == 0) {
                continue;
            }
            waiting.sectors &= ~part;
            Read &read = reads_[waiting.read];
            read.missing &= ~part;
            serve(read.waiter, part, read.missing == 0);
            if (read.missing == 0) {
                free_reads_.push_back(waiting.read);
            }
        }
        end(index, sectors);
    }
    /// The fill of `sectors` was refused. Reads that wait for some of them no longer wait, not even for others; calls
    /// `serve(waiter)` for each, in the order of their arrival.
    template <typename Serve> void refused(Index index, Sectors sectors, Serve serve) {
        Entry &entry = entries_[index];
        for (Waiting &waiting : entry.waiting) {
            if ((waiting.sectors & sectors) == 0) {
                continue;
            }
            forget(waiting, entry);
            waiting.sectors = 0;
            serve(reads_[waiting.read].waiter);
            free_reads_.push_back(waiting.read);
        }
        end(index, sectors);
    }

    /// Closes the sectors under way that hold some of the `span` bytes from `address` on.
    void detach(std::uint64_t address, std::uint64_t span) {
        find_under_way(address, span, [&](Index i) {
            entries_[i].open &= ~size_.touched(entries_[i].line, address, span);
            return false;
        });
    }
    /// Closes every sector under way.
    void detach_all() {
        for (Entry &entry : entries_) {
            entry.open = 0;
        }
    }
    /// Whether some of the `span` bytes from `address` on are read by a request that waits for data not in hand.
    bool awaits(std::uint64_t address, std::uint64_t span) const {
        return find_under_way(address, span, [&](Index i) {
            const Entry &entry = entries_[i];
            return (entry.under_way & ~entry.in_hand) != 0 && size_.touches(entry.line, address, span) &&
                   std::ranges::any_of(entry.waiting, [&](const Waiting &waiting) {
                       const Waiter &waiter = reads_[waiting.read].waiter;
                       return (waiting.sectors & ~entry.in_hand) != 0 &&
                              (waiter.address - address < span || address - waiter.address < waiter.bytes);
                   });
        });
    }

  private:
    static constexpr std::size_t kGroups = 256;
    static constexpr Index kNone = ~Index{0};

    using ReadIndex = std::uint32_t;
    /// A waiting read, in any number of registers.
    struct Read {
        Waiter waiter;
        Sectors missing; ///< those that have not arrived yet
    };
    /// A read that waits in this register, and for what.
    struct Waiting {
        ReadIndex read;
        Sectors sectors;
    };
    struct Entry {
        Sectors under_way = 0; ///< 0: free
        Sectors open = 0;      ///< those of `under_way` that are open
        Sectors in_hand = 0;
        Index next = kNone; ///< under way: the next register whose line is of the group
        std::uint64_t line = 0;
        std::vector<Waiting> waiting;
        std::vector<std::uint8_t> data;
    };

    ReadIndex keep(const Read &read) {
        if (free_reads_.empty()) {
            reads_.push_back(read);
            return static_cast<ReadIndex>(reads_.size() - 1);
        }
        const ReadIndex index = free_reads_.back();
        free_reads_.pop_back();
        reads_[index] = read;
        return index;
    }
    /// Removes a read that waits in `entry` from all other registers.
    void forget(const Waiting &here, const Entry &entry) {
        if (reads_[here.read].missing == here.sectors) {
            return;
        }
        for (Entry &other : entries_) {
            if (&other != &entry) {
                std::erase_if(other.waiting, [&](const Waiting &waiting) { return waiting.read == here.read; });
            }
        }
    }
    /// `sectors` are no longer under way.
    void end(Index index, Sectors sectors) {
        Entry &entry = entries_[index];
        std::erase_if(entry.waiting, [](const Waiting &waiting) { return waiting.sectors == 0; });
        entry.under_way &= ~sectors;
        entry.open &= ~sectors;
        if (entry.under_way == 0) {
            --in_use_;
            Index *link = &chain_of(entry.line);
            while (*link != index) {
                link = &entries_[*link].next;
            }
            *link = entry.next;
            set_free(index);
        }
    }
    /// The first register under way whose line is of the group of `line`. Lines are kept in groups, so that a line with
    /// nothing under way is mostly recognised at once.
    Index &chain_of(std::uint64_t line) { return chains_[size_.number_of(line) % kGroups]; }
    Index chain_of(std::uint64_t line) const { return chains_[size_.number_of(line) % kGroups]; }
    /// Calls `found(index)` for registers under way, including all of lines with some of the `span` bytes from
    /// `address` on, until it returns true. Returns whether it did.
    template <typename Found> bool find_under_way(std::uint64_t address, std::uint64_t span, const Found &found) const {
        if (in_use_ == 0) {
            return false;
        }
        if (size_.in_one_line(address, span)) [[likely]] {
            Index i = chain_of(size_.line_of(address));
            while (i != kNone && !found(i)) {
                i = entries_[i].next;
            }
            return i != kNone;
        }
        Index left = in_use_;
        for (Index i = 0; left != 0; ++i) {
            if (entries_[i].under_way != 0) {
                --left;
                if (found(i)) {
                    return true;
                }
            }
        }
        return false;
    }
    void set_free(Index index) { free_[index / 64] |= std::uint64_t{1} << (index % 64); }
    /// The first free register; there must be one.
    Index first_free() const {
        const auto word = std::ranges::find_if(free_, [](std::uint64_t bits) { return bits != 0; });
        return static_cast<Index>((word - free_.begin()) * 64 + std::countr_zero(*word));
    }

    LineSize size_;
    std::vector<Entry> entries_;
    std::vector<Read> reads_;
    std::vector<ReadIndex> free_reads_; ///< in `reads_`
    Index in_use_ = 0;
    std::vector<std::uint64_t> free_;   ///< a bit for each register
    std::array<Index, kGroups> chains_; ///< by group
};

} // namespace smsim::memory::l1
