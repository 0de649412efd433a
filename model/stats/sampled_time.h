// The time of a grid of which only a sample of CTAs was run with timing: which CTAs to take, and an estimate for the
// whole grid with a confidence interval. Plain C++.
//
// A full SM runs in a steady state: one CTA ends, the next takes its place. The sample is a number of windows of
// adjacent CTAs, spread evenly over the grid; the SM runs them one after the other, so that it stays full. The time
// between the ends of CTAs is measured over batches as long as a window. Their mean estimates the time of the skipped
// CTAs, and their variation shows how certain that is.
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
    std::uint64_t resident = 0; ///< the number that the SM holds at a time
    std::uint64_t batches = 0;  ///< measured
    std::uint64_t length = 0;   ///< CTAs of a batch; 0: the grid is too small to skip any
    struct Window {
        std::uint64_t first = 0;
        std::uint64_t last = 0; ///< inclusive
    };
    std::vector<Window> windows; ///< in order, disjoint; the whole grid if nothing is skipped

    /// CTAs in the windows.
    std::uint64_t timed() const;
};

/// A sample of about `fraction` (more than 0, at most 1) of the grid's CTAs, in `batches` (at least 2) windows. Each
/// window has at least twice as many CTAs as are `resident` (at least 1) at a time; the first and the last one have
/// `resident` more, in which the SM fills and empties. If that covers the grid, all of it is one window.
SamplePlan plan_sample(std::uint64_t grid, std::uint64_t resident, double fraction, std::uint64_t batches = 10);

/// The time of the whole grid.
struct SampledTime {
    double cycles = 0;        ///< estimate
    double half_width = 0;    ///< of the interval around it; 0: everything was run, or all batches were alike
    double confidence = 0.95; ///< probability that the interval contains the time of a full run, as far as the batches
                              ///< are like the rest
    double per_cta = 0;       ///< mean cycles from the end of a CTA to the end of the next one
    std::uint64_t timed = 0;  ///< CTAs
};

/// The estimate from the ends of the CTAs of `plan` (in any order, cycles since the beginning of the launch) and the
/// cycles that they took together, `taken`. None when there are fewer ends than the plan has CTAs: the run was cut
/// short.
std::optional<SampledTime> sampled_time(const SamplePlan &plan, std::span<const Cycle> ends, Cycle taken);

/// The factor of Student's distribution for a two-sided interval of 95 % with `freedom` (at least 1) degrees of
/// freedom.
double student_95(std::uint64_t freedom);

} // namespace smsim
