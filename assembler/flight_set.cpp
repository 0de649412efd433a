// Parts of sets: shared, reference-counted, and each content stored once.
#include "assembler/flight_set.h"

#include <algorithm>

namespace smsim::assembler {
namespace {

std::size_t mixed(std::size_t hash, std::size_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
    return hash ^ (hash >> 29);
}

} // namespace

void RegisterBits::add_general(isa::Dependences::Range range) {
    for (unsigned i = range.first; i < std::min(256U, unsigned{range.first} + range.count); ++i) {
        general[i / 64] |= std::uint64_t{1} << (i % 64);
    }
}

void RegisterBits::add_uniform(isa::Dependences::Range range) {
    for (unsigned i = range.first; i < std::min(64U, unsigned{range.first} + range.count); ++i) {
        uniform |= std::uint64_t{1} << i;
    }
}

void RegisterBits::add(const RegisterBits &other) {
    for (std::size_t i = 0; i < general.size(); ++i) {
        general[i] |= other.general[i];
    }
    uniform |= other.uniform;
    predicates = static_cast<std::uint8_t>(predicates | other.predicates);
}

bool RegisterBits::overlaps(const RegisterBits &other) const {
    std::uint64_t common = (uniform & other.uniform) | static_cast<std::uint64_t>(predicates & other.predicates);
    for (std::size_t i = 0; i < general.size(); ++i) {
        common |= general[i] & other.general[i];
    }
    return common != 0;
}

void FlightSummary::add(const FlightSummary &other) {
    results.add(other.results);
    sources.add(other.sources);
    scoreboards = static_cast<std::uint8_t>(scoreboards | other.scoreboards);
    young = young || other.young;
}

FlightSet::FlightSet(const FlightSet &other) : pool_(other.pool_), part_(FlightPool::shared(other.part_)) {}

FlightSet::~FlightSet() {
    if (part_ != nullptr) {
        pool_->release(part_);
    }
}

FlightPool::FlightPool(std::size_t producers, Describe describe) : describe_(std::move(describe)), table_(1024) {
    while ((producers >> (kBits * (levels_ + 1))) != 0) {
        ++levels_;
    }
}

FlightPool::Part *FlightPool::shared(Part *part) {
    if (part != nullptr) {
        ++part->references;
    }
    return part;
}

void FlightPool::release(Part *part) {
    if (part == nullptr || --part->references != 0) {
        return;
    }
    Part **place = &table_[part->hash & (table_.size() - 1)];
    while (*place != part) {
        place = &(*place)->next;
    }
    *place = part->next;
    --parts_;
    if (!part->is_leaf) {
        for (Part *child : part->children) {
            release(child);
        }
    }
    part->summary = {};
    part->entries.clear(); // keeps its storage
    part->children = {};
    part->count = 0;
    unused_.push_back(part);
}

FlightPool::Part *FlightPool::leaf(std::span<const Entry> entries) {
    if (entries.empty()) {
        return nullptr;
    }
    std::size_t hash = 0;
    for (const Entry &entry : entries) {
        hash = mixed(hash, (std::size_t{entry.producer} << 16) | (std::size_t{entry.elapsed} << 2) |
                               static_cast<std::size_t>(entry.flight));
    }
    for (Part *part = table_[hash & (table_.size() - 1)]; part != nullptr; part = part->next) {
        if (part->hash == hash && part->is_leaf && std::ranges::equal(part->entries, entries)) {
            return shared(part);
        }
    }
    Part &part = add(hash);
    part.is_leaf = true;
    part.count = entries.size();
    part.entries.assign(entries.begin(), entries.end());
    for (const Entry &entry : entries) {
        describe_(entry, part.summary);
    }
    return &part;
}

/// Takes over the references to the children.
FlightPool::Part *FlightPool::inner(const Children &children) {
    std::size_t hash = 1;
    std::size_t count = 0;
    for (const Part *child : children) {
        hash = mixed(hash, reinterpret_cast<std::uintptr_t>(child)); // equal parts are the same part
        count += child == nullptr ? 0 : child->count;
    }
    if (count <= kLeafEntries) {
        std::array<Entry, kLeafEntries> entries;
        auto end = entries.begin();
        for (Part *child : children) {
            if (child != nullptr) { // a leaf, because even all children together have no more than kLeafEntries
                end = std::ranges::copy(child->entries, end).out;
                release(child);
            }
        }
        return leaf({entries.begin(), end});
    }
    for (Part *part = table_[hash & (table_.size() - 1)]; part != nullptr; part = part->next) {
        if (part->hash == hash && !part->is_leaf && part->children == children) {
            for (Part *child : children) {
                release(child); // `part` holds its own
            }
            return shared(part);
        }
    }
    Part &part = add(hash);
    part.is_leaf = false;
    part.count = count;
    part.children = children;
    for (const Part *child : children) {
        if (child != nullptr) {
            part.summary.add(child->summary);
        }
    }
    return &part;
}

/// The part of that level for `entries`, which are sorted.
FlightPool::Part *FlightPool::part_of(std::span<const Entry> entries, unsigned level) {
    if (level == 0 || entries.size() <= kLeafEntries) {
        return leaf(entries);
    }
    return inner(split(entries, level));
}

/// The children of an inner part of that level for `entries`, which may be few.
FlightPool::Children FlightPool::split(std::span<const Entry> entries, unsigned level) {
    Children children{};
    for (auto begin = entries.begin(); begin != entries.end();) {
        const unsigned own = digit(begin->producer, level);
        const auto end =
            std::find_if(begin, entries.end(), [&](const Entry &entry) { return digit(entry.producer, level) != own; });
        children[own] = part_of({begin, end}, level - 1);
        begin = end;
    }
    return children;
}

/// An empty part with one reference, in the table.
FlightPool::Part &FlightPool::add(std::size_t hash) {
    if (unused_.empty()) {
        unused_.push_back(&storage_.emplace_back());
    }
    Part &part = *unused_.back();
    unused_.pop_back();
    part.hash = hash;
    part.references = 1;
    if (++parts_ > table_.size()) {
        enlarge_table();
    }
    Part *&place = table_[hash & (table_.size() - 1)];
    part.next = place;
    place = &part;
    return part;
}

void FlightPool::enlarge_table() {
    std::vector<Part *> larger(2 * table_.size());
    for (Part *part : table_) {
        while (part != nullptr) {
            Part *next = part->next;
            Part *&place = larger[part->hash & (larger.size() - 1)];
            part->next = place;
            place = part;
            part = next;
        }
    }
    table_ = std::move(larger);
}

FlightSet FlightPool::merge(const FlightSet &a, const FlightSet &b) {
    return {this, merge_parts(a.part_, b.part_, levels_)};
}

FlightPool::Part *FlightPool::merge_parts(Part *a, Part *b, unsigned level) {
    if (a == b || b == nullptr) {
        return shared(a);
    }
    if (a == nullptr) {
        return shared(b);
    }
    if (a->is_leaf && b->is_leaf) {
        return merge_leaves(*a, *b, level);
    }
    const Children left = a->is_leaf ? split(a->entries, level) : a->children;
    const Children right = b->is_leaf ? split(b->entries, level) : b->children;
    Children children{};
    for (unsigned i = 0; i < kFanOut; ++i) {
        children[i] = merge_parts(left[i], right[i], level - 1);
    }
    for (Part *made : a->is_leaf ? left : b->is_leaf ? right : Children{}) {
        release(made);
    }
    return inner(children);
}

FlightPool::Part *FlightPool::merge_leaves(const Part &a, const Part &b, unsigned level) {
    std::vector<Entry> &entries = scratch_;
    entries.clear();
    auto left = a.entries.begin();
    auto right = b.entries.begin();
    while (left != a.entries.end() || right != b.entries.end()) {
        if (right == b.entries.end() || (left != a.entries.end() && left->key() < right->key())) {
            entries.push_back(*left++);
        } else if (left == a.entries.end() || right->key() < left->key()) {
            entries.push_back(*right++);
        } else {
            entries.push_back(left->elapsed <= right->elapsed ? *left : *right);
            ++left;
            ++right;
        }
    }
    return part_of(entries, level);
}

FlightSet FlightPool::replace(const FlightSet &set, std::uint32_t producer, std::span<const Entry> entries) {
    return {this, replace_part(set.part_, levels_, producer, entries)};
}

FlightPool::Part *FlightPool::replace_part(Part *part, unsigned level, std::uint32_t producer,
                                           std::span<const Entry> entries) {
    if (part == nullptr || part->is_leaf) {
        std::vector<Entry> &result = scratch_;
        const std::vector<Entry> none;
        const std::vector<Entry> &before = part == nullptr ? none : part->entries;
        const auto at = std::ranges::lower_bound(before, producer, {}, &Entry::producer);
        result.assign(before.begin(), at);
        result.insert(result.end(), entries.begin(), entries.end());
        result.insert(result.end(), std::ranges::upper_bound(before, producer, {}, &Entry::producer), before.end());
        return part_of(result, level);
    }
    const unsigned own = digit(producer, level);
    Children children{};
    for (unsigned i = 0; i < kFanOut; ++i) {
        Part *child = part->children[i];
        children[i] = i == own ? replace_part(child, level - 1, producer, entries) : shared(child);
    }
    return inner(children);
}

std::vector<Entry> FlightPool::entries_of(const FlightSet &set, std::uint32_t producer) const {
    const Part *part = set.part_;
    for (unsigned level = levels_; part != nullptr && !part->is_leaf; --level) {
        part = part->children[digit(producer, level)];
    }
    std::vector<Entry> entries;
    if (part != nullptr) {
        std::ranges::copy_if(part->entries, std::back_inserter(entries),
                             [&](const Entry &entry) { return entry.producer == producer; });
    }
    return entries;
}

} // namespace smsim::assembler
