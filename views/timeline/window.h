// Which part of a run a timeline records: a range of cycles, the first cycles of every period, some CTAs, warp slots
// or sub-partitions.
#pragma once

#include <string>

#include "model/types.h"

namespace smsim::views::timeline {

/// The recorded cycles.
struct Window {
    Cycle begin = 0;
    Cycle end = kNever; ///< the first cycle that is no longer recorded
    Cycle on = 0;       ///< sampling: the first `on` of every `period` cycles, counted from `begin`
    Cycle period = 0;   ///< 0: no sampling

    bool records(Cycle cycle) const;
    /// The first cycle after `cycle` in which recording begins or ends; kNever: no more.
    Cycle next_edge(Cycle cycle) const;
    /// The first recorded cycle not before `cycle`; kNever: none.
    Cycle first_recorded(Cycle cycle) const;
};

/// What is recorded of things with numbers: CTAs by their linear number in the grid, warp slots, sub-partitions.
struct NumberRange {
    std::uint64_t begin = 0;
    std::uint64_t end = ~std::uint64_t{0}; ///< the first one that is not recorded
    bool records(std::uint64_t number) const { return number >= begin && number < end; }
};

/// Reads "BEGIN:END", either of which may be left out, into `window`. Throws InputError, whose message begins with
/// `option`, unless BEGIN < END.
void parse_cycles(const std::string &text, const std::string &option, Window &window);
/// Reads "ON/PERIOD" with 0 < ON <= PERIOD. Throws InputError like parse_cycles.
void parse_sample(const std::string &text, const std::string &option, Window &window);
/// Reads "BEGIN:END" like parse_cycles. Throws InputError likewise.
NumberRange parse_numbers(const std::string &text, const std::string &option);
/// Reads a number of cycles, 1 or more. Throws InputError, whose message begins with `option`, for anything else.
Cycle parse_least_cycles(const std::string &text, const std::string &option);

} // namespace smsim::views::timeline
