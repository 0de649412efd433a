// The time of a grid of which only a sample of CTAs was run with timing: which CTAs to take, and what the whole grid
// would have taken, with a confidence interval. Plain C++.
//
// An SM that is full runs in a steady state: one CTA ends, the next takes its place. The sample is a number of windows
// of adjacent CTAs, spread evenly over the grid; the SM runs them one behind the other, so that it stays full. The time
// between the ends of CTAs is measured over batches as long as a window. Their mean says what the CTAs that were left
// out would have taken, and how much the batches differ says how sure that is.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/types.h"

namespace smsim {

/// Which CTAs of a grid are run with timing.
struct SamplePlan {
    std::uint64_t grid = 0;     ///< CTAs
    std::uint64_t resident = 0; ///< that the SM holds at a time
    std::uint64_t batches = 0;  ///< measured
    std::uint64_t length = 0;   ///< CTAs of a batch; 0: the grid is too small to leave anything out
    struct Window {
        std::uint64_t first = 0;
        std::uint64_t last = 0; ///< inclusive
    };
    std::vector<Window> windows; ///< in order, disjoint; the whole grid where nothing is left out

    /// CTAs in the windows.
    std::uint64_t timed() const;
};

/// A sample of about `fraction` (more than 0, at most 1) of the grid's CTAs, in `batches` (at least 2) windows. Each
/// window has at least twice as many CTAs as are `resident` (at least 1) at a time; the first and the last one have
/// `resident` more, in which the SM fills and empties. Where that is as much as the grid, all of it is one window.
SamplePlan plan_sample(std::uint64_t grid, std::uint64_t resident, double fraction, std::uint64_t batches = 10);

/// What the whole grid takes.
struct SampledTime {
    double cycles = 0;     ///< estimate
    double half_width = 0; ///< of the interval around it; 0: everything was run, or all batches were alike
    double confidence =
        0.95;                ///< that the interval holds what a full run takes, as far as the batches are like the rest
    double per_cta = 0;      ///< mean cycles from the end of a CTA to the end of the next one
    std::uint64_t timed = 0; ///< CTAs
};

/// The estimate from the ends of the CTAs of `plan` (in any order, cycles since the begin of the launch) and the cycles
/// that they took together, `taken`. Nothing when there are not as many ends as the plan has CTAs: the run was cut
/// short.
std::optional<SampledTime> sampled_time(const SamplePlan &plan, std::span<const Cycle> ends, Cycle taken);

/// The factor of Student's distribution for a two-sided interval of 95 % with `freedom` (at least 1) degrees of
/// freedom.
double student_95(std::uint64_t freedom);

} // namespace smsim
