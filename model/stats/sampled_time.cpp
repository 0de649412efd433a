#include "model/stats/sampled_time.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace smsim {

std::uint64_t SamplePlan::timed() const {
    std::uint64_t sum = 0;
    for (const Window &window : windows) {
        sum += window.last - window.first + 1;
    }
    return sum;
}

SamplePlan plan_sample(std::uint64_t grid, std::uint64_t resident, double fraction, std::uint64_t batches) {
    SamplePlan plan;
    plan.grid = grid;
    plan.resident = resident;
    plan.batches = batches;
    const auto wanted = static_cast<std::uint64_t>(fraction * static_cast<double>(grid) / static_cast<double>(batches));
    // Whole rounds of the SM: similar CTAs end together.
    const std::uint64_t length = std::max<std::uint64_t>(2, (wanted + resident - 1) / resident) * resident;
    if (batches * length + 2 * resident >= grid) {
        plan.windows = {{0, grid - 1}};
        return plan;
    }
    plan.length = length;
    // The skipped CTAs are between the windows, as evenly as whole CTAs allow.
    const std::uint64_t left_out = grid - batches * length - 2 * resident;
    std::uint64_t behind = 0;
    for (std::uint64_t i = 0; i < batches; ++i) {
        const std::uint64_t first =
            behind + (i == 0 ? 0 : left_out * i / (batches - 1) - left_out * (i - 1) / (batches - 1));
        const std::uint64_t more = i == 0 || i == batches - 1 ? resident : 0;
        plan.windows.push_back({first, first + length + more - 1});
        behind = plan.windows.back().last + 1;
    }
    return plan;
}

std::optional<SampledTime> sampled_time(const SamplePlan &plan, std::span<const Cycle> ends, Cycle taken) {
    if (ends.size() != plan.timed()) {
        return std::nullopt;
    }
    SampledTime time;
    time.cycles = static_cast<double>(taken);
    time.timed = ends.size();
    if (plan.length == 0) {
        time.per_cta = static_cast<double>(taken) / static_cast<double>(ends.size());
        return time;
    }
    std::vector<Cycle> sorted(ends.begin(), ends.end());
    std::ranges::sort(sorted);
    const auto length = static_cast<double>(plan.length);
    const auto batches = static_cast<double>(plan.batches);
    std::vector<double> per_cta; // by batch
    for (std::uint64_t i = 0; i < plan.batches; ++i) {
        const std::uint64_t from = plan.resident - 1 + i * plan.length; // the SM is full when the first of them ends
        per_cta.push_back(static_cast<double>(sorted[from + plan.length] - sorted[from]) / length);
    }
    double sum = 0;
    for (const double one : per_cta) {
        sum += one;
    }
    time.per_cta = sum / batches;
    double squares = 0;
    for (const double one : per_cta) {
        squares += (one - time.per_cta) * (one - time.per_cta);
    }
    const double deviation = std::sqrt(squares / (batches - 1));
    const auto left_out = static_cast<double>(plan.grid - time.timed);
    const double batches_out = left_out / length;
    time.cycles += left_out * time.per_cta;
    // The precision of the mean depends on the batches, and the skipped CTAs vary as they do.
    time.half_width = student_95(plan.batches - 1) * deviation * length *
                      std::sqrt(batches_out * batches_out / batches + batches_out);
    return time;
}

double student_95(std::uint64_t freedom) {
    static constexpr std::array kFactors = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                            2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                                            2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
    if (freedom <= kFactors.size()) {
        return kFactors[freedom - 1];
    }
    return 1.960 + 2.5 / static_cast<double>(freedom); // accurate to three digits from 30 on
}

} // namespace smsim
