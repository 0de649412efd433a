// L0 instruction cache of one sub-partition with its stream buffer: the lines that are there, and since when.
//
// It keeps only tags and times: the words are in the programs, which do not change. Fully associative with least
// recently used replacement; a table over the lines of all programs makes a hit one look-up. Plain C++.
//
// Prefetching (`icache.stream`):
//
// - next_use: a miss fetches its line and the lines after it, one period apart each; the first use of a prefetched line
//   requests one more at the end of the stream, so that straight-line code misses only once
// - head: a miss for a line that is neither the head of the stream nor the one before it empties the stream, which then
//   requests the lines after the miss, one per period, until it is full, its program ends, or a line is in the L0 or
//   requested. Only the head can be used: it moves into the L0, even if still on its way, and one more is requested
//
// Lines arrive `miss` after they are requested, or, with `asks`, when the level below says so: the requests wait until
// `InstructionArbiter` takes them and reports when their lines arrive.
#pragma once

#include <cstdint>
#include <vector>

#include "model/config/sections/icache.h"
#include "model/ring.h"
#include "model/stats/fetch_cause.h"

namespace smsim::memory {

class L0Cache {
  public:
    /// A time in any unit, the same for all.
    using Time = std::uint64_t;
    /// Time of a requested line whose arrival is not known yet.
    static constexpr Time kUnknown = ~Time{0} - 1;
    /// No request.
    static constexpr Time kNone = ~Time{0};

    struct Shape {
        std::uint64_t capacity = 1; ///< lines of the cache, at least 1; with `asks`, 0 is a cache that keeps none
        std::uint64_t prefetch = 0; ///< number of lines to prefetch
        Time hit = 0;               ///< time of a hit
        Time miss = 0;              ///< time of a miss
        Time period = 0;            ///< distance of two lines of a stream
        StreamPolicy stream = StreamPolicy::kNextUse;
        bool asks = false; ///< the level below says when lines arrive
    };

    explicit L0Cache(const Shape &shape);

    /// Adds the lines of one more program; returns the number of its first line.
    std::uint64_t add_program(std::uint64_t lines);
    /// Drops every line and the stream. Requests that a fetch waits for remain.
    void invalidate();

    /// Result of a fetch.
    struct Answer {
        Time done;                             ///< when the words are there; kUnknown: `arrives` will be called for
                                               ///< this line
        bool is_hit;                           ///< the line had arrived; a line still on its way counts as a miss
        FetchCause cause = FetchCause::kFetch; ///< where the fetch is served from, unless `done` is kUnknown
    };

    /// Whether the line has arrived and been used, so that a fetch from it at time `at` changes nothing else.
    bool has(std::uint64_t line, Time at) const { return lines_[line].ready <= at && !lines_[line].ahead; }
    /// Fetches from `line` (of a program) at time `at`; times of calls do not decrease.
    Answer fetch(std::uint64_t line, Time at) {
        Line &entry = lines_[line];
        if (has(line, at)) {
            entry.used = ++uses_;
            return {at + shape_.hit, true};
        }
        return fetch_slow(line, at);
    }

    /// The line was fetched without `fetch`, by an initiator to which it has been granted; ignored for one that does
    /// not exist.
    void use(std::uint64_t line) {
        if (line < lines_.size()) {
            lines_[line].used = ++uses_;
        }
    }
    /// From now on the owner is notified when the line, which is there, is evicted (`revoked`).
    void grant(std::uint64_t line) { lines_[line].granted = true; }
    /// Granted lines that have been evicted since the last call of `clear_revoked`.
    const std::vector<std::uint64_t> &revoked() const { return revoked_; }
    void clear_revoked() { revoked_.clear(); }

    // --- with `asks`: the level below ----------------------------------------------------------------------------
    /// A request for a line.
    struct Request {
        std::uint64_t line;
        Time from;          ///< when it is sent
        bool ahead = false; ///< by the stream: no fetch waits for it
    };
    /// When the first request is sent that a fetch waits for; kNone.
    Time demand_from() const { return demands_.empty() ? kNone : demands_.front().from; }
    /// When the next request of the stream is sent at the earliest; kNone.
    Time ahead_from() const;
    /// Whether the stream has a request at `now`.
    bool asks_ahead(Time now);
    /// Takes the first request that a fetch waits for, or of the stream, at `now`; there must be one. `arrives`
    /// follows.
    Request take(bool ahead, Time now);
    /// The line of a taken request arrives at `when`, from the L1 or from below it.
    void arrives(const Request &request, Time when, FetchCause from);

    /// Counters.
    struct Counts {
        std::uint64_t requests = 0;          ///< lines requested, those of the stream included
        std::uint64_t prefetches = 0;        ///< by the stream
        std::uint64_t prefetches_used = 0;   ///< lines of the stream that were fetched from
        std::uint64_t prefetches_unused = 0; ///< lines of the stream evicted before any fetch
    };
    const Counts &counts() const { return counts_; }
    void clear_counts() { counts_ = {}; }

  private:
    static constexpr Time kAbsent = ~Time{0};
    struct Line {
        Time ready = kAbsent;   ///< when it arrives
        std::uint64_t used = 0; ///< order of last use
        bool ahead = false;     ///< prefetched and not used yet
        bool granted = false;   ///< its owner is notified when it is evicted
        FetchCause cause = FetchCause::kL1;
        std::uint64_t end = 0; ///< number after the last line of its program: nothing is prefetched beyond
    };
    struct Ahead {
        std::uint64_t line = 0;
        Time ready = 0;
    };

    Answer fetch_slow(std::uint64_t line, Time at);
    Answer miss_with_next_use(std::uint64_t line, Time at);
    Answer miss_with_head(std::uint64_t line, Time at);
    Answer demand(std::uint64_t line, Time at);
    void bring(std::uint64_t line, Time ready, bool ahead, FetchCause cause);
    Time ask(std::uint64_t line, Time from, bool ahead);
    void ask_to_wait_for(std::uint64_t line, Time from);
    bool stream_goes_on() const { return !stopped_ && stream_.size() < shape_.prefetch && next_line_ < stream_end_; }
    void run_stream(Time at);

    Shape shape_;
    std::vector<Line> lines_;             ///< of all programs, one after the other
    std::vector<std::uint64_t> resident_; ///< lines that are there or on their way
    std::vector<std::uint64_t> revoked_;
    std::uint64_t uses_ = 0;
    Counts counts_;

    std::vector<Request> demands_;    ///< `asks`: requests that a fetch waits for, in order of time
    std::vector<Request> prefetches_; ///< `asks`, next_use: the others, few of them
    // head
    Ring<Ahead> stream_;           ///< lines requested
    std::uint64_t next_line_ = 0;  ///< the line after them
    std::uint64_t stream_end_ = 0; ///< no line of the stream is beyond
    Time next_ask_ = 0;            ///< the next is not requested before
    bool stopped_ = true;          ///< at a line that need not be requested
};

} // namespace smsim::memory
