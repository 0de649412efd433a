// Sets of instructions in flight; the scheduler pass keeps one for each instruction of the program.
//
// Neighbouring instructions have nearly the same set, and most of it does not change between one walk over the code and
// the next. So a set is a tree over the numbers of the producers whose parts are shared by all sets that contain them,
// and equal sets are one tree: copying and comparing cost nothing, a change costs one path. Every part has a summary of
// its entries, with which visits skip parts that cannot matter. A part with few entries is a leaf however far apart its
// producers are, so that the usual small set has no path at all, and its cost does not depend on the length of the
// program.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "model/isa/instruction.h"

namespace smsim::assembler {

/// What of an instruction may be in flight.
enum class Flight : std::uint8_t {
    kFixed,   ///< a result available after a fixed time
    kResult,  ///< a result that a scoreboard announces
    kSources, ///< source registers that have not been read yet
};

struct Entry {
    std::uint32_t producer = 0;
    Flight flight = Flight::kFixed;
    unsigned elapsed = 0; ///< least number of cycles since the issue of the producer

    auto key() const { return std::tie(producer, flight); }
    friend bool operator==(const Entry &, const Entry &) = default;
};

/// Registers and predicates as bits.
struct RegisterBits {
    std::array<std::uint64_t, 4> general{};
    std::uint64_t uniform = 0;
    std::uint8_t predicates = 0;

    /// Adds a range of general registers.
    void add_general(isa::Dependences::Range range);
    /// Adds a range of uniform registers.
    void add_uniform(isa::Dependences::Range range);
    /// Adds all of `other`.
    void add(const RegisterBits &other);
    bool overlaps(const RegisterBits &other) const;
};

/// The common properties of the entries of a part of a set.
struct FlightSummary {
    RegisterBits results;         ///< written by entries of kind kResult
    RegisterBits sources;         ///< read by entries of kind kSources
    std::uint8_t scoreboards = 0; ///< bit s: clearing scoreboard s may end some of them
    bool young = false;           ///< some entries change as time passes

    void add(const FlightSummary &other);
};

class FlightPool;

/// A set; of several entries with the same producer and kind it holds one. Entries are in order of `Entry::key`. It
/// must not outlive its pool.
class FlightSet {
  public:
    FlightSet() = default;
    FlightSet(const FlightSet &other);
    FlightSet(FlightSet &&other) noexcept : pool_(other.pool_), part_(std::exchange(other.part_, nullptr)) {}
    FlightSet &operator=(FlightSet other) noexcept {
        std::swap(pool_, other.pool_);
        std::swap(part_, other.part_);
        return *this;
    }
    ~FlightSet();

    /// Whether entries are equal; for sets of one pool only.
    friend bool operator==(const FlightSet &a, const FlightSet &b) { return a.part_ == b.part_; }

  private:
    friend class FlightPool;
    struct Part;
    FlightSet(FlightPool *pool, Part *part) : pool_(pool), part_(part) {} // takes over one reference

    FlightPool *pool_ = nullptr;
    Part *part_ = nullptr; ///< null: empty
};

/// Creates sets and holds their shared parts.
class FlightPool {
  public:
    /// Adds one entry to the summary.
    using Describe = std::function<void(const Entry &, FlightSummary &)>;

    /// For producers 0 .. producers-1.
    FlightPool(std::size_t producers, Describe describe);
    FlightPool(const FlightPool &) = delete;
    FlightPool &operator=(const FlightPool &) = delete;

    /// All entries of both; if both have a key, the entry issued later.
    FlightSet merge(const FlightSet &a, const FlightSet &b);

    /// The set with `entries`, which are sorted, replacing all entries of `producer`.
    FlightSet replace(const FlightSet &set, std::uint32_t producer, std::span<const Entry> entries);

    /// The entries after `change(Entry &)`, which returns whether the entry stays, and must not change its key. Parts
    /// for which `wanted(const FlightSummary &)` is false are not changed.
    template <typename Wanted, typename Change>
    FlightSet changed(const FlightSet &set, Wanted &&wanted, Change &&change) {
        return {this, changed_part(set.part_, wanted, change)};
    }

    /// Calls `act(const Entry &)` for the entries of parts for which `wanted(const FlightSummary &)` is true.
    template <typename Wanted, typename Act> void visit(const FlightSet &set, Wanted &&wanted, Act &&act) const {
        visit_part(set.part_, wanted, act);
    }

    /// Number of parts of all sets together: their memory cost.
    std::size_t parts() const { return parts_; }

    /// The entries of one producer.
    std::vector<Entry> entries_of(const FlightSet &set, std::uint32_t producer) const;

  private:
    friend class FlightSet;
    using Part = FlightSet::Part;
    static constexpr std::size_t kLeafEntries = 16; ///< maximum of a leaf; on level 0 a leaf has all entries
    static constexpr unsigned kBits = 4;            ///< bits of a producer's number decided per level
    static constexpr unsigned kFanOut = 1U << kBits;
    using Children = std::array<Part *, kFanOut>;

    static unsigned digit(std::uint32_t producer, unsigned level) { return (producer >> (kBits * level)) % kFanOut; }
    static Part *shared(Part *part);
    void release(Part *part);

    // Each returns a reference owned by the caller, or null for a part without entries.
    Part *leaf(std::span<const Entry> entries);
    Part *inner(const Children &children);
    Part *part_of(std::span<const Entry> entries, unsigned level);
    Children split(std::span<const Entry> entries, unsigned level);
    Part &add(std::size_t hash);
    Part *merge_parts(Part *a, Part *b, unsigned level);
    Part *merge_leaves(const Part &a, const Part &b, unsigned level);
    Part *replace_part(Part *part, unsigned level, std::uint32_t producer, std::span<const Entry> entries);
    template <typename Wanted, typename Change> Part *changed_part(Part *part, Wanted &wanted, Change &change);
    template <typename Wanted, typename Act> void visit_part(const Part *part, Wanted &wanted, Act &act) const;

    void enlarge_table();

    unsigned levels_ = 0; ///< level of the whole set
    Describe describe_;
    std::vector<Part *> table_; ///< all parts by hash; power of two
    std::size_t parts_ = 0;
    std::deque<Part> storage_;
    std::vector<Part *> unused_;
    std::vector<Entry> scratch_; ///< of the leaf being built
};

/// A leaf with entries, or an inner part with more of them than fit in a leaf.
struct FlightSet::Part {
    FlightSummary summary;
    std::size_t hash = 0;
    std::size_t references = 0;
    std::size_t count = 0; ///< of entries
    Part *next = nullptr;  ///< in the same place of the table
    bool is_leaf = true;
    std::vector<Entry> entries;
    FlightPool::Children children{};
};

template <typename Wanted, typename Change>
FlightPool::Part *FlightPool::changed_part(Part *part, Wanted &wanted, Change &change) {
    if (part == nullptr || !wanted(std::as_const(part->summary))) {
        return shared(part);
    }
    if (part->is_leaf) {
        scratch_.clear();
        for (Entry entry : part->entries) {
            if (change(entry)) {
                scratch_.push_back(entry);
            }
        }
        return leaf(scratch_);
    }
    Children children{};
    for (unsigned i = 0; i < kFanOut; ++i) {
        children[i] = changed_part(part->children[i], wanted, change);
    }
    return inner(children);
}

template <typename Wanted, typename Act> void FlightPool::visit_part(const Part *part, Wanted &wanted, Act &act) const {
    if (part == nullptr || !wanted(part->summary)) {
        return;
    }
    for (const Entry &entry : part->entries) {
        act(entry);
    }
    if (!part->is_leaf) {
        for (const Part *child : part->children) {
            visit_part(child, wanted, act);
        }
    }
}

} // namespace smsim::assembler
