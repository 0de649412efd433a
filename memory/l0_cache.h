// L0 instruction cache of one sub-partition with its stream buffer: which lines are there, and since when.
//
// Only tags and times: the words come from the programs, which do not change. Fully associative with least recently
// used replacement; a table over the lines of all programs makes a hit one look-up. Plain C++.
//
// A miss brings its line after `miss` and the lines behind it one period apart each. The first use of a line that came
// ahead asks for one more line at the end of the stream, so that straight-line code misses only once.
#pragma once

#include <cstdint>
#include <vector>

namespace smsim::memory {

class L0Cache {
  public:
    /// A time in any unit, the same for all.
    using Time = std::uint64_t;

    struct Shape {
        std::uint64_t capacity = 1; ///< lines of the cache, at least 1
        std::uint64_t prefetch = 0; ///< lines fetched ahead
        Time hit = 0;               ///< time of a hit
        Time miss = 0;              ///< time of a miss
        Time period = 0;            ///< distance of two lines of a stream
    };

    explicit L0Cache(const Shape &shape);

    /// Adds the lines of one more program; returns the number of its first.
    std::uint64_t add_program(std::uint64_t lines);

    /// What a fetch found.
    struct Answer {
        Time done;   ///< when the words are there
        bool is_hit; ///< the line had arrived; a line still on its way counts as a miss
    };

    /// Fetches from `line` (of a program) at time `at`.
    Answer fetch(std::uint64_t line, Time at) {
        Line &entry = lines_[line];
        if (entry.ready <= at && !entry.ahead) {
            entry.used = ++uses_;
            return {at + shape_.hit, true};
        }
        return fetch_slow(line, at);
    }

  private:
    static constexpr Time kAbsent = ~Time{0};
    struct Line {
        Time ready = kAbsent;   ///< when it arrives
        std::uint64_t used = 0; ///< order of last use
        bool ahead = false;     ///< came ahead and was not used yet
        std::uint64_t end = 0;  ///< number behind the last line of its program: nothing is fetched ahead beyond
    };

    Answer fetch_slow(std::uint64_t line, Time at);
    void bring(std::uint64_t line, Time ready, bool ahead);

    Shape shape_;
    std::vector<Line> lines_;             ///< of all programs, one behind the other
    std::vector<std::uint64_t> resident_; ///< lines that are there or on their way
    std::uint64_t uses_ = 0;
};

} // namespace smsim::memory
