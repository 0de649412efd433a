// Timelines and waveforms of whole runs: they show what the report counts, cycle for cycle.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "assembler/container.h"
#include "model/config/config.h"
#include "report/report.h"
#include "report/summary.h"
#include "session/simulation.h"
#include "tb/support/child_process.h"
#include "tb/support/example_kernels.h"
#include "tb/support/kernel_launch.h"
#include "tb/support/timeline_files.h"
#include "views/timeline/timeline.h"

namespace smsim {
namespace {

using test::ChromeFile;
using test::Slice;
using views::timeline::Format;
using views::timeline::Request;

/// Four warps: odd and even threads diverge and reconverge; warp 0 sleeps; warp 3 ends late, which completes the first
/// barrier; an arrival completes the second one.
constexpr const char *kKernel = R"(.kernel k
.shared 512
    S2R R0, SR_TID.X;
    SHR R1, R0, 0x5;
    SHL R4, R0, 0x2;
    ISETP.EQ.AND P1, PT, R1, 0x3, PT;
    @P1 BRA alone;
    LOP3 R8, R0, 0x1, RZ, 0xc0;
    ISETP.EQ.AND P0, PT, R8, RZ, PT;
    BSSY B0, joined;
    @P0 BRA even;
    IADD3 R5, R0, 0x1, RZ;
    BRA joined;
even:
    IADD3 R5, R0, 0x2, RZ;
joined:
    BSYNC B0;
    ISETP.EQ.AND P2, PT, R1, RZ, PT;
    @P2 NANOSLEEP 200;
    STS [R4], R5;
    BAR.SYNC 0x0;
    LDS R6, [R4];
    LDC.64 R[2:3], c[0x0][0x160];
    STG [R[2:3]], R6;
    BAR.SYNC 0x0;
    EXIT;
alone:
    NANOSLEEP 2000;
    EXIT;
)";

/// A run of a kernel with timeline or waveforms, and its outcome.
class Timelines : public testing::Test {
  protected:
    void use_text(const std::string &text, const std::string &ctas = "2", const std::string &block = "128") {
        test::write_file(folder / "kernel.sasm", text);
        test::write_file(folder / "launch.yaml", "program: kernel.sasm\ngrid: " + ctas + "\nblock: " + block +
                                                     "\narguments:\n  - {name: out, type: u32, count: 1}\n");
        path = folder / "launch.yaml";
    }
    void use_kernel(const std::string &name) { path = test::example_file(name + "/launch.yaml"); }
    /// Runs in this process, once per test, and returns the text of the file; nothing is joined unless `adjust`
    /// enables it.
    std::string run(const std::function<void(Request &)> &adjust = {}) {
        Request request;
        request.file = folder / "timeline";
        request.min_cycles = 1;
        if (adjust) {
            adjust(request);
        }
        test::load(loaded, path, settings);
        views::timeline::Timeline timeline(request, {loaded.config, loaded.program, loaded.kernel->name, "{}"});
        session::Options options;
        options.parts = &timeline;
        options.reverse_order = reverse;
        result = session::simulate(loaded.config, loaded.program, *loaded.kernel, loaded.launch, options);
        EXPECT_EQ(timeline.error(), "");
        return test::read_file(request.file);
    }
    /// The same in a separate process.
    std::string run_in_child(const std::function<void(Request &)> &adjust = {}) {
        EXPECT_TRUE(test::run_in_child([&] { run(adjust); }));
        return test::read_file(folder / "timeline");
    }
    std::uint64_t instructions() const {
        std::uint64_t sum = 0;
        for (const WarpStats &warp : result.stats.warps) {
            sum += warp.instructions;
        }
        return sum;
    }

    test::TemporaryFolder folder;
    std::string path;
    std::vector<std::string> settings;
    bool reverse = false;
    test::KernelLaunch loaded;
    session::SimulationResult result;
};

std::string warp_name(std::uint64_t cta, std::uint64_t warp) {
    return "CTA " + std::to_string(cta) + " warp " + std::to_string(warp);
}

/// The cycles by reason in the slices add up to those that the run has charged to each warp.
void expect_cycles_are_charges(const ChromeFile &file, const RunStats &stats) {
    std::map<std::string, std::map<std::string, std::uint64_t>> sums;
    for (const Slice &slice : file.slices) {
        if (slice.depth == 1) {
            for (const auto &[reason, cycles] : test::cycles_of(slice)) {
                sums[slice.outer][reason] += cycles;
            }
        }
    }
    ASSERT_FALSE(stats.warps.empty());
    for (const WarpStats &warp : stats.warps) {
        auto &sum = sums[warp_name(warp.cta_number, warp.warp_in_cta)];
        for (unsigned i = 0; i < kStallReasons; ++i) {
            const std::string name(stall_name(static_cast<StallReason>(i)));
            EXPECT_EQ(sum[name], warp.stalls[i]) << warp_name(warp.cta_number, warp.warp_in_cta) << " " << name;
        }
    }
}

/// The slices of a warp's life add up to the cycles that the run has charged.
void expect_slices_are_charges(const ChromeFile &file, const RunStats &stats) {
    std::map<std::string, std::map<std::string, std::uint64_t>> sums;
    for (const Slice &slice : file.slices) {
        if (slice.depth == 1) {
            sums[slice.outer][slice.name] += slice.end - slice.begin;
            sums[slice.outer][slice.category] += slice.end - slice.begin;
        } else if (slice.category == "residency") {
            sums[slice.name]["life"] += slice.end - slice.begin;
        }
    }
    ASSERT_FALSE(stats.warps.empty());
    for (const WarpStats &warp : stats.warps) {
        auto &sum = sums[warp_name(warp.cta_number, warp.warp_in_cta)];
        EXPECT_EQ(sum["life"], warp.end - warp.start);
        for (unsigned i = 0; i < kStallReasons; ++i) {
            const std::string name(stall_name(static_cast<StallReason>(i)));
            EXPECT_EQ(sum[name], warp.stalls[i]) << warp_name(warp.cta_number, warp.warp_in_cta) << " " << name;
        }
        for (unsigned i = 0; i < kWarpStates; ++i) {
            const std::string name(state_name(static_cast<WarpState>(i)));
            EXPECT_EQ(sum[name], warp.states[i]) << warp_name(warp.cta_number, warp.warp_in_cta) << " " << name;
        }
    }
}

class TimelinesOfKernels : public Timelines, public testing::WithParamInterface<const char *> {};

TEST_P(TimelinesOfKernels, SlicesOfEachWarpSumUpToItsCharges) {
    use_kernel(GetParam());
    const ChromeFile file = test::read_chrome(run());
    ASSERT_FALSE(result.fault);
    expect_slices_are_charges(file, result.stats);
}

TEST_P(TimelinesOfKernels, JoinedSlicesKeepTheCyclesOfEachReason) {
    use_kernel(GetParam());
    const ChromeFile file = test::read_chrome(run([](Request &r) { r.min_cycles.reset(); }));
    expect_cycles_are_charges(file, result.stats);
    const auto spans_several = [](const Slice &slice) { return slice.args.contains("last_pc"); };
    EXPECT_TRUE(std::ranges::none_of(file.slices, spans_several)); // the files are small
}

TEST_P(TimelinesOfKernels, SlicesOfSeveralInstructionsKeepTheCyclesOfEachReason) {
    use_kernel(GetParam());
    const ChromeFile file = test::read_chrome(run([](Request &r) { r.min_cycles = 1000; }));
    expect_cycles_are_charges(file, result.stats);
    const auto spans_several = [](const Slice &slice) { return slice.args.contains("last_pc"); };
    EXPECT_TRUE(std::ranges::any_of(file.slices, spans_several));
}

TEST_P(TimelinesOfKernels, JoinedKanataStagesKeepTheirCycles) {
    use_kernel(GetParam());
    std::vector<std::map<std::string, std::uint64_t>> cycles;
    for (const Cycle least : {1, 16, 5000}) {
        cycles.push_back(test::read_kanata(run_in_child([least](Request &r) {
                             r.format = Format::kKanata;
                             r.min_cycles = least;
                         })).cycles);
    }
    EXPECT_FALSE(cycles[0].empty());
    EXPECT_EQ(cycles[1], cycles[0]);
    EXPECT_EQ(cycles[2], cycles[0]);
}

TEST_P(TimelinesOfKernels, KanataRetiresEveryWarpInstruction) {
    use_kernel(GetParam());
    const test::KanataFile file = test::read_kanata(run([](Request &r) { r.format = Format::kKanata; }));
    EXPECT_EQ(file.retired, instructions());
    EXPECT_EQ(file.flushed, result.stats.fetch.discarded);
}

TEST_P(TimelinesOfKernels, AreTheSameInEveryProcessOrder) {
    use_kernel(GetParam());
    for (const Format format : {Format::kChrome, Format::kKanata}) {
        for (const char *pipelines : {"bru.pipelines=4", "bru.pipelines=1"}) {
            settings = {pipelines};
            const auto joined = [format](Request &r) {
                r.format = format;
                r.min_cycles.reset();
            };
            reverse = false;
            const std::string first = run_in_child(joined);
            reverse = true;
            ASSERT_FALSE(first.empty());
            EXPECT_TRUE(first == run_in_child(joined)) << pipelines;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, TimelinesOfKernels,
                         testing::Values("nested_divergence", "barrier_reduction", "spin_lock_nanosleep",
                                         "producer_consumer"),
                         [](const auto &one) { return std::string(one.param); });

TEST_F(Timelines, ArrowsLeadFromTheLastArrivalToEachReleasedWarp) {
    use_text(kKernel, "1");
    const ChromeFile file = test::read_chrome(run());
    std::map<std::uint64_t, unsigned> warps; // by track
    std::vector<const Slice *> waits;
    for (const Slice &slice : file.slices) {
        if (slice.category == "residency") {
            warps[slice.tid] = slice.args["warp"].get<unsigned>();
        } else if (slice.name == "barrier") {
            waits.push_back(&slice);
        }
    }
    std::multimap<unsigned, unsigned> arrows;
    for (const test::FlowArrow &arrow : file.arrows) {
        arrows.emplace(warps.at(arrow.from_tid), warps.at(arrow.to_tid));
        // It ends where the wait of the released warp ends.
        EXPECT_TRUE(std::ranges::any_of(waits, [&](const Slice *wait) {
            return wait->tid == arrow.to_tid && wait->end == arrow.to && wait->begin < arrow.from + 1;
        }));
    }
    // Warp 3 has released the three others by its end; at the second barrier one warp arrived last.
    EXPECT_EQ(arrows.count(3), 3U);
    const auto last = std::ranges::max_element(
        waits, {}, [](const Slice *wait) { return std::pair(wait->begin, wait->args["arrived"].get<unsigned>()); });
    const unsigned second = warps.at((*last)->tid);
    EXPECT_EQ((*last)->args["arrived"], 3);
    EXPECT_EQ(arrows.count(second), 2U);
    EXPECT_EQ(arrows.size(), 5U);
}

TEST_F(Timelines, DivergencesSleepsAndAccessesHaveTheirSlices) {
    use_text(kKernel, "1");
    const ChromeFile file = test::read_chrome(run());
    unsigned divergences = 0;
    std::map<std::string, unsigned> accesses;
    for (const Slice &slice : file.slices) {
        if (slice.category == "divergence") {
            ++divergences;
            EXPECT_EQ(slice.args["reconverged"], true);
            EXPECT_EQ(slice.args["stayed"], "0xaaaaaaaa");
            EXPECT_EQ(slice.args["left"], "0x55555555");
        } else if (slice.category == "memory") {
            ++accesses[slice.name + " " + slice.args["space"].get<std::string>()];
        } else if (slice.name == "sleeping") {
            EXPECT_EQ(slice.args["pc"], slice.outer == "CTA 0 warp 0" ? "0x00e0" : "0x0160");
        }
    }
    EXPECT_EQ(divergences, 3U);
    EXPECT_EQ(accesses, (std::map<std::string, unsigned>{{"STS shared", 3}, {"LDS shared", 3}, {"STG global", 3}}));
}

TEST_F(Timelines, SizesThatTheEngineMeasuresAreCountersWithTheReportsFigures) {
    for (const char *kernel : {"simt_stack_nested_divergence", "token_stack_loop"}) {
        SCOPED_TRACE(kernel);
        ASSERT_TRUE(test::run_in_child([&] {
            use_kernel(kernel);
            const ChromeFile file = test::read_chrome(run());
            double area = 0;
            double most = 0;
            for (const auto &[track, values] : file.counters) {
                if (!track.second.ends_with(" stack_depth")) {
                    continue;
                }
                for (auto row = values.begin(); std::next(row) != values.end(); ++row) {
                    area += row->second * static_cast<double>(std::next(row)->first - row->first);
                    most = std::max(most, row->second);
                }
                EXPECT_EQ(values.rbegin()->second, 0);
            }
            const LevelSums &sums = result.stats.bru.level.sums;
            EXPECT_GT(sums.most, 1U);
            EXPECT_EQ(area, static_cast<double>(sums.level_cycles));
            EXPECT_EQ(most, static_cast<double>(sums.most));
            const auto with_depth = [](const Slice &slice) { return slice.args.contains("stack_depth"); };
            EXPECT_TRUE(std::ranges::any_of(file.slices, with_depth));
            if (testing::Test::HasFailure()) {
                throw InputError("the figures differ"); // a child's failures do not reach its parent
            }
        }));
    }
}

TEST_F(Timelines, CountersGiveResidentWarpsAndIssuesOfEachInterval) {
    use_kernel("nested_divergence");
    const ChromeFile file = test::read_chrome(run());
    for (std::uint64_t pid = 1; pid <= loaded.config.sm.sub_partitions; ++pid) {
        const auto &warps = file.counters.at({pid, "resident warps"});
        EXPECT_EQ(warps.rbegin()->second, 0);
        EXPECT_GT(std::ranges::max_element(warps, {}, [](const auto &row) { return row.second; })->second, 0);
        double issued = 0; // a value holds until the next one
        const auto &ipc = file.counters.at({pid, "IPC"});
        for (auto row = ipc.begin(); row != ipc.end(); ++row) {
            const auto next = std::next(row);
            const std::uint64_t until = next == ipc.end() ? result.stats.cycles : next->first;
            issued += row->second * static_cast<double>(until - row->first);
        }
        std::uint64_t expected = 0;
        for (const WarpStats &warp : result.stats.warps) {
            expected += warp.sub_partition + 1 == pid ? warp.instructions : 0;
        }
        EXPECT_NEAR(issued, static_cast<double>(expected), 0.001 * static_cast<double>(result.stats.cycles));
    }
}

/// Cycles by track and name that `slices` have in recorded cycles.
using Shown = std::map<std::tuple<std::uint64_t, std::string>, std::uint64_t>;
Shown recorded(const std::vector<Slice> &slices, const views::timeline::Window &window) {
    Shown sums;
    for (const Slice &slice : slices) {
        std::uint64_t cycles = 0;
        for (std::uint64_t at = slice.begin; at < slice.end; ++at) {
            cycles += window.records(at) ? 1 : 0;
        }
        if (cycles != 0 && slice.category != "memory" && slice.category != "divergence") { // their lanes may differ
            sums[{slice.tid, slice.name}] += cycles;
        }
    }
    return sums;
}

TEST_F(Timelines, WindowAndSamplingShowTheSameAsTheWholeTimelineThere) {
    use_text(kKernel);
    const std::vector<Slice> all = test::read_chrome(run_in_child()).slices;
    for (const views::timeline::Window &window :
         {views::timeline::Window{60, 500, 0, 0}, views::timeline::Window{0, kNever, 7, 50},
          views::timeline::Window{33, 900, 100, 300}, views::timeline::Window{100'000, kNever, 0, 0}}) {
        const ChromeFile part = test::read_chrome(run_in_child([&](Request &r) { r.window = window; }));
        for (const Slice &slice : part.slices) {
            EXPECT_TRUE(window.records(slice.begin)) << slice.begin;
            EXPECT_TRUE(window.records(slice.end - 1)) << slice.end;
        }
        EXPECT_EQ(recorded(part.slices, {}), recorded(all, window)) << window.begin << " " << window.on;
        run_in_child([&](Request &r) {
            r.window = window;
            r.format = Format::kKanata;
        });
        const test::KanataFile kanata = test::read_kanata(test::read_file(folder / "timeline"));
        EXPECT_GE(kanata.first_cycle, kanata.retired == 0 ? 0 : window.begin);
        EXPECT_LE(kanata.last_cycle, window.end);
    }
}

TEST_F(Timelines, OfSomeCtasShowNoOthers) {
    use_text(kKernel, "3");
    const ChromeFile file = test::read_chrome(run([](Request &r) { r.ctas = {1, 2}; }));
    std::set<std::uint64_t> ctas;
    for (const Slice &slice : file.slices) {
        if (slice.category == "residency") {
            ctas.insert(slice.args["cta"].get<std::uint64_t>());
        }
    }
    EXPECT_EQ(ctas, (std::set<std::uint64_t>{1}));
    EXPECT_EQ(file.arrows.size(), 5U);
}

TEST_F(Timelines, OfSomeWarpSlotsShowNoOthers) {
    use_text(kKernel, "3");
    const ChromeFile file = test::read_chrome(run([](Request &r) { r.warps = {2, 5}; }));
    std::set<std::uint64_t> slots;
    for (const Slice &slice : file.slices) {
        if (slice.category == "residency") {
            slots.insert(slice.args["slot"].get<std::uint64_t>());
        }
    }
    EXPECT_EQ(slots, (std::set<std::uint64_t>{2, 3, 4}));
    for (const test::FlowArrow &arrow : file.arrows) { // those of others lead nowhere
        EXPECT_TRUE(file.track_names.contains(
            {(arrow.from_tid >> 20U) % 4 == 0 ? 4 : (arrow.from_tid >> 20U) % 4, arrow.from_tid}));
    }
}

TEST_F(Timelines, OfASubPartitionShowNoOthers) {
    use_text(kKernel, "3");
    const ChromeFile file = test::read_chrome(run([](Request &r) { r.sub_partitions = {1, 2}; }));
    ASSERT_FALSE(file.slices.empty());
    for (const Slice &slice : file.slices) {
        EXPECT_EQ(slice.pid, 2U);
    }
    unsigned warps = 0;
    for (const WarpStats &warp : result.stats.warps) {
        warps += warp.sub_partition == 1 ? 1 : 0;
    }
    EXPECT_EQ(std::ranges::count(file.slices, "residency", &Slice::category), warps);
}

/// The area under the counter of each unit, in units of use: percent of the capacity, times the cycles it covers.
std::map<std::string, double> areas(const ChromeFile &file, std::uint64_t pid, const RunStats &stats) {
    std::map<std::string, double> areas;
    for (const UnitUse &use : stats.units) {
        const std::string name(used_unit_spec(use.unit).name);
        const auto values = file.counters.find({pid, name});
        if (values == file.counters.end()) {
            continue;
        }
        for (auto row = values->second.begin(); std::next(row) != values->second.end(); ++row) {
            const auto cycles = static_cast<double>(std::next(row)->first - row->first);
            areas[name] += row->second / 100 * cycles * static_cast<double>(use.possible(1));
        }
        EXPECT_EQ(values->second.rbegin()->second, 0) << name;
    }
    return areas;
}

TEST_F(Timelines, CountersGiveTheUseOfEachUnitThatTheReportHas) {
    use_kernel("barrier_reduction");
    const ChromeFile file = test::read_chrome(run());
    const std::map<std::string, double> shown = areas(file, loaded.config.sm.sub_partitions + 1, result.stats);
    unsigned used = 0;
    for (const UnitUse &use : result.stats.units) {
        const std::string name(used_unit_spec(use.unit).name);
        EXPECT_EQ(shown.contains(name), use.busy() != 0) << name;
        if (use.busy() != 0) {
            ++used;
            // Percentages have two digits after the decimal point.
            EXPECT_NEAR(shown.at(name), static_cast<double>(use.busy()),
                        0.00005 * static_cast<double>(use.possible(result.stats.cycles)) + 0.01)
                << name;
        }
    }
    EXPECT_GT(used, 5U);
}

TEST_F(Timelines, OfRunsThatEndWithAnExceptionAreComplete) {
    use_text(".kernel k\n S2R R0, SR_TID.X;\n ISETP.LT.AND P0, PT, R0, 0x20, PT;\n @P0 BAR.SYNC 0x1, 0x60;\n"
             " NANOSLEEP 300;\n EXIT;\n");
    const ChromeFile file = test::read_chrome(run());
    ASSERT_EQ(result.fault, Fault::kBarrierDeadlock);
    expect_slices_are_charges(file, result.stats);
}

TEST_F(Timelines, KanataOfAnExceptionRetiresWhatWasIssued) {
    use_text(".kernel k\n S2R R0, SR_TID.X;\n MOV R2, 0x3; MOV R3, 0x0;\n LDG R1, [R[2:3]];\n EXIT;\n");
    const test::KanataFile file = test::read_kanata(run([](Request &r) { r.format = Format::kKanata; }));
    ASSERT_EQ(result.fault, Fault::kMisalignedAddress);
    EXPECT_EQ(file.retired, instructions());
}

TEST_F(Timelines, KanataArrowsLeadFromTheLastArrivalsInstruction) {
    use_text(kKernel, "1");
    const test::KanataFile file = test::read_kanata(run([](Request &r) { r.format = Format::kKanata; }));
    ASSERT_EQ(file.arrows.size(), 5U);
    for (std::size_t i = 0; i < file.arrows.size(); ++i) {
        const auto &[consumer, producer] = file.arrows[i];
        EXPECT_THAT(file.labels.at(consumer), testing::HasSubstr("BAR.SYNC"));
        EXPECT_THAT(file.labels.at(producer),
                    testing::HasSubstr(i < 3 ? "EXIT" : "BAR.SYNC")); // an end completes the first
        EXPECT_EQ(producer, file.arrows[i < 3 ? 0 : 3].second);
    }
}

// --- waveforms -----------------------------------------------------------------------------------------------------

class Waveforms : public Timelines {
  protected:
    test::VcdFile waves(const views::timeline::Window &window = {}) {
        test::load(loaded, path, settings);
        session::Options options;
        options.waveforms = views::waveforms::Request{folder / "waves.vcd", window};
        options.reverse_order = reverse;
        result = session::simulate(loaded.config, loaded.program, *loaded.kernel, loaded.launch, options);
        EXPECT_TRUE(result.file_errors.empty());
        return test::read_vcd(test::read_file(folder / "waves.vcd"));
    }
    /// The file without its date.
    std::string text_of_waves() {
        EXPECT_TRUE(test::run_in_child([&] { waves(); }));
        std::string text = test::read_file(folder / "waves.vcd");
        return text.substr(text.find("$timescale"));
    }
};

TEST_F(Waveforms, EndWithTheValuesOfTheRun) {
    use_text(kKernel);
    const test::VcdFile file = waves();
    ASSERT_FALSE(result.fault);
    EXPECT_EQ(file.timescale, "1 ns");
    std::map<unsigned, std::uint64_t> issues;
    for (const WarpStats &warp : result.stats.warps) {
        issues[warp.sub_partition] += warp.instructions;
        const std::string slot =
            fmt::format("SystemC.sub_partition_{}.slot_{:03}.", warp.sub_partition, warp.slot.value());
        EXPECT_EQ(file.last.at(slot + "resident"), 0U);
        EXPECT_EQ(file.last.at(slot + "state"), static_cast<std::uint64_t>(WarpState::kExited));
        EXPECT_EQ(file.changes.at(slot + "resident"), 2U);
    }
    std::uint64_t accesses = 0;
    for (unsigned i = 0; i < loaded.config.sm.sub_partitions; ++i) {
        EXPECT_EQ(file.last.at(fmt::format("SystemC.links.issue_{}.requests", i)), issues[i]);
        EXPECT_EQ(file.last.at(fmt::format("SystemC.links.issue_{}.responses", i)), issues[i]);
        accesses += file.last.at(fmt::format("SystemC.links.load_store_{}.requests", i));
        EXPECT_EQ(file.last.at(fmt::format("SystemC.load_store.sub_partition_{}.under_way", i)), 0U);
        EXPECT_EQ(file.last.at(fmt::format("SystemC.bru.sub_partition_{}.busy", i)), 0U);
    }
    EXPECT_EQ(accesses, 2U * 3U * 4U); // CTAs, warps, instructions, LDC among them
    EXPECT_EQ(file.last.at("SystemC.bcu.cta_slot_00.barrier_00.completions"), 2U);
    EXPECT_EQ(file.last.at("SystemC.bcu.cta_slot_00.barrier_00.arrived"), 0U);
}

TEST_F(Waveforms, DoNotChangeOutsideTheirWindow) {
    use_text(kKernel);
    const test::VcdFile file = waves({100, 200, 0, 0});
    EXPECT_GE(file.first_change, 100U);
    for (const auto &[name, changes] : file.changes) {
        EXPECT_LE(changes, 100U) << name;
    }
    EXPECT_EQ(file.last.at("SystemC.sub_partition_0.slot_000.resident"), 1U);
}

TEST_F(Waveforms, AreTheSameInEveryProcessOrder) {
    use_kernel("barrier_reduction");
    const std::string first = text_of_waves();
    reverse = true;
    EXPECT_TRUE(first == text_of_waves());
}

// --- the command ---------------------------------------------------------------------------------------------------

/// Report of a run of `path` by the program, with `options`.
std::string report(const std::string &path, const std::string &options) {
    return test::run_command_line(std::string(SMSIM_BINARY) + " run --report json " + path + " " + options).output;
}

TEST_F(Timelines, OfTheLargestKernelsStayBelow100Megabytes) {
    for (const auto &[kernel, name] : {std::pair("matmul", "t.json"), std::pair("gemm_prefetch", "t.kanata")}) {
        use_kernel(kernel);
        const std::string file = folder / name;
        const std::string command = std::string(SMSIM_BINARY) + " run --report none " + path + " --timeline " + file;
        EXPECT_EQ(test::run_command_line(command).status, 0);
        const auto bytes = std::filesystem::file_size(file);
        std::filesystem::remove(file);
        EXPECT_GT(bytes, 50'000'000U) << kernel; // otherwise a larger kernel is needed here
        EXPECT_LT(bytes, 100'000'000U) << kernel;
    }
}

TEST_F(Timelines, LeaveCyclesAndReportAsTheyAre) {
    const std::string deadlock = ".kernel k\n S2R R0, SR_TID.X;\n BAR.SYNC 0x1, 0x60;\n NANOSLEEP 300;\n EXIT;\n";
    for (const std::string &text :
         {std::string(kKernel), deadlock, std::string(".kernel k\n NANOSLEEP 9000;\n EXIT;\n")}) {
        use_text(text);
        const std::string limit = " --set sm.watchdog_cycles=5000 ";
        const std::string without = report(path, limit);
        EXPECT_EQ(without, report(path, limit + "--timeline " + (folder / "t.json")));
        EXPECT_EQ(without, report(path, limit + "--timeline " + (folder / "t.kanata")));
        EXPECT_EQ(without, report(path, limit + "--vcd " + (folder / "t.vcd")));
        EXPECT_EQ(without, report(path, limit + "--timeline-sample 3/10 --vcd " + (folder / "t.vcd")));
    }
}

} // namespace
} // namespace smsim
