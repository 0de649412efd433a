// The lines of the instruction memory that it has granted for reads without a transaction, and the order in which they
// have been read since the last report to it. Plain C++.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "model/isa/instruction.h"
#include "model/types.h"

namespace smsim::ibuffer {

/// A table with one place per line, by its number; of two lines with the same place the newer is kept.
class DirectLines {
  public:
    /// Contiguous instructions.
    struct Line {
        std::uint64_t first = 0; ///< address of the first
        std::uint64_t bytes = 0; ///< total; 0: none
        const isa::Instruction *insns = nullptr;
        Cycle latency = 0; ///< of a fetch
    };

    /// `line_bytes` is a power of two.
    explicit DirectLines(std::uint64_t line_bytes) : line_log_(std::countr_zero(line_bytes)) {}

    /// Fetches the instruction at `address`: returns its line; null: none has been granted.
    const Line *read(std::uint64_t address) {
        Place &place = place_of(address);
        if (address - place.line.first >= place.line.bytes) {
            return nullptr;
        }
        place.read = ++reads_;
        return &place.line;
    }
    /// Fetches that `read` has served since `clear_reads`.
    std::uint64_t reads() const { return reads_ - reads_before_; }
    void clear_reads() { reads_before_ = reads_; }

    /// Allows reads of `line`, which begins at a line boundary; its earlier reads have been reported.
    void grant(const Line &line) { place_of(line.first) = {line, 0}; }
    /// Forbids reads from `first` to `last`, and drops the record of earlier reads there.
    void revoke(std::uint64_t first, std::uint64_t last) {
        for (Place &place : places_) {
            if (place.line.bytes != 0 && place.line.first <= last && place.line.first + place.line.bytes > first) {
                place = {};
            }
        }
    }
    /// The addresses of the lines read since the last call, each once, in the order of their last reads; valid until
    /// the next call.
    std::span<const std::uint64_t> read_since() {
        lines_.clear();
        if (reads_ != told_) {
            collect();
        }
        return lines_;
    }

  private:
    static constexpr std::size_t kPlaces = 64;

    struct Place {
        Line line;
        std::uint64_t read = 0; ///< the number of its last read
    };
    struct Read {
        std::uint64_t line;
        std::uint64_t number;
    };

    /// The place of the line that holds `address`.
    Place &place_of(std::uint64_t address) { return places_[(address >> line_log_) % kPlaces]; }
    void collect() {
        for (const Place &place : places_) {
            if (place.read > told_) {
                found_.push_back({place.line.first, place.read});
            }
        }
        std::ranges::sort(found_, {}, &Read::number);
        std::ranges::transform(found_, std::back_inserter(lines_), &Read::line);
        found_.clear();
        told_ = reads_;
    }

    int line_log_; ///< log2 of the bytes of a line
    std::array<Place, kPlaces> places_{};
    std::uint64_t reads_ = 0;
    std::uint64_t reads_before_ = 0; ///< those before counting began
    std::uint64_t told_ = 0;         ///< reads that `read_since` has reported
    // Kept for their storage.
    std::vector<Read> found_;
    std::vector<std::uint64_t> lines_;
};

} // namespace smsim::ibuffer
