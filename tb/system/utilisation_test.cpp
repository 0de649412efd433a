// Utilisation compared with itself: a launch cut short at a cycle has, for every unit, the use that the whole launch
// has up to there. So nothing is counted early, late or twice, even if it was known ahead of time, and the intervals
// are correct.
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include <fmt/format.h>

#include "report/report.h"
#include "tb/support/child_process.h"
#include "tb/support/exact_use.h"
#include "tb/support/example_kernels.h"
#include "tb/support/kernel_launch.h"

namespace smsim {
namespace {

const std::string kSource = SMSIM_SOURCE_DIR;

/// Kept results of a run.
struct Use {
    Cycle cycles = 0;
    Cycle width = 0;
    std::map<std::string, std::vector<std::uint64_t>> series; ///< by unit and instance

    std::uint64_t until(const std::string &name, Cycle end) const {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i * width < end; ++i) {
            sum += series.at(name)[i];
        }
        return sum;
    }
};

/// A run in a separate process, which ends at cycle `last` at the latest.
Use run(const std::string &kernel, const std::string &config, Cycle last, bool reverse = false) {
    const test::TemporaryFolder folder;
    EXPECT_TRUE(test::run_in_child([&] {
        test::KernelLaunch loaded;
        test::load(loaded, test::example_file(kernel + "/launch.yaml"), {});
        std::vector<std::string> settings;
        for (const Setting &setting : loaded.launch.settings) {
            settings.push_back(setting.key + "=" + setting.value);
        }
        settings.push_back(fmt::format("sm.watchdog_cycles={}", last));
        loaded.config = load_config(kSource + "/configs/" + config + ".yaml", settings);
        loaded.program = test::read_program(loaded.launch.program, loaded.config);
        loaded.kernel = &loaded.program.kernels.at(0);
        session::Options options;
        options.reverse_order = reverse;
        const session::SimulationResult result =
            session::simulate(loaded.config, loaded.program, *loaded.kernel, loaded.launch, options);
        test::expect_within_the_time(result.stats);
        std::ostringstream text;
        text << result.stats.cycles << ' ' << result.stats.units.front().instances.front().width() << '\n';
        for (const UnitUse &use : result.stats.units) {
            for (std::size_t i = 0; i < use.instances.size(); ++i) {
                text << used_unit_spec(use.unit).name << i;
                for (const std::uint64_t count : use.instances[i].intervals()) {
                    text << ' ' << count;
                }
                text << '\n';
            }
        }
        test::write_file(folder / "use", text.str());
        if (testing::Test::HasFailure()) {
            throw std::runtime_error("rules of utilisation are broken");
        }
    }));
    Use use;
    std::istringstream in(test::read_file(folder / "use"));
    in >> use.cycles >> use.width;
    for (std::string name; in >> name;) {
        std::vector<std::uint64_t> counts(kCounterIntervals);
        for (std::uint64_t &count : counts) {
            in >> count;
        }
        use.series[name] = counts;
    }
    return use;
}

class Utilisation : public testing::TestWithParam<std::tuple<const char *, const char *>> {};

TEST_P(Utilisation, ALaunchThatIsCutShortHasTheUseUpToThere) {
    const auto [kernel, config] = GetParam();
    constexpr Cycle kWhole = 1'000'000'000;
    const Use whole = run(kernel, config, kWhole);
    ASSERT_GT(whole.cycles, 100U);
    const Use reverse = run(kernel, config, kWhole, true);
    EXPECT_EQ(reverse.series, whole.series) << "whatever the order of processes";
    for (const unsigned eighths : {1U, 3U, 4U, 7U}) {
        const Cycle end = whole.cycles * eighths / 8 / whole.width * whole.width;
        SCOPED_TRACE(fmt::format("cut at {} of {}", end, whole.cycles));
        const Use cut = run(kernel, config, end);
        ASSERT_EQ(cut.cycles, end);
        for (const auto &[name, series] : cut.series) {
            EXPECT_EQ(cut.until(name, end), whole.until(name, end)) << name;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(OfKernels, Utilisation,
                         testing::Combine(testing::Values("reduction", "histogram", "matmul", "cuda_transpose",
                                                          "spin_lock_nanosleep", "cuda_nbody"),
                                          testing::Values("default", "v100", "turing", "h100")),
                         [](const auto &one) {
                             return fmt::format("{}_{}", std::get<0>(one.param), std::get<1>(one.param));
                         });

} // namespace
} // namespace smsim
