// The timeline's parts in plain C++: window, order of events, file, and both formats on invented events.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assembler/assembler.h"
#include "model/config/config.h"
#include "model/error.h"
#include "model/timing/dependence.h"
#include "tb/support/child_process.h"
#include "tb/support/timeline_files.h"
#include "views/timeline/event_order.h"
#include "views/timeline/joining.h"
#include "views/timeline/timeline.h"
#include "views/timeline/window.h"

namespace smsim::views::timeline {
namespace {

using namespace observation;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

// --- window --------------------------------------------------------------------------------------------------------

/// The edges of `window` up to cycle `until`.
std::vector<Cycle> edges(const Window &window, Cycle until) {
    std::vector<Cycle> found;
    for (Cycle at = window.begin; at <= until; at = window.next_edge(at)) {
        found.push_back(at);
    }
    return found;
}

TEST(TimelineWindow, HoldsItsCycles) {
    const Window window{10, 20, 0, 0};
    EXPECT_FALSE(window.records(9));
    EXPECT_TRUE(window.records(10));
    EXPECT_TRUE(window.records(19));
    EXPECT_FALSE(window.records(20));
    EXPECT_THAT(edges(window, 100), ElementsAre(10, 20));
    EXPECT_EQ(window.next_edge(3), 10U);
}

TEST(TimelineWindow, SamplesFromItsBegin) {
    const Window window{5, 30, 2, 10};
    EXPECT_THAT(edges(window, 100), ElementsAre(5, 7, 15, 17, 25, 27, 30));
    for (Cycle at = 0; at < 40; ++at) {
        EXPECT_EQ(window.records(at), at >= 5 && at < 30 && (at - 5) % 10 < 2) << at;
    }
    EXPECT_THAT(edges(Window{0, 30, 10, 10}, 100), ElementsAre(0, 30));
}

TEST(TimelineWindow, TextsGiveRangesEitherSideOfWhichMayBeLeftOut) {
    Window window;
    parse_cycles("7:90", "--o", window);
    EXPECT_EQ(std::pair(window.begin, window.end), std::pair(Cycle{7}, Cycle{90}));
    parse_cycles(":90", "--o", window);
    EXPECT_EQ(std::pair(window.begin, window.end), std::pair(Cycle{0}, Cycle{90}));
    parse_cycles("7:", "--o", window);
    EXPECT_EQ(std::pair(window.begin, window.end), std::pair(Cycle{7}, kNever));
    parse_sample("3/8", "--o", window);
    EXPECT_EQ(std::pair(window.on, window.period), std::pair(Cycle{3}, Cycle{8}));
    EXPECT_TRUE(parse_numbers("2:3", "--o").records(2));
    EXPECT_FALSE(parse_numbers("2:3", "--o").records(3));
}

TEST(TimelineWindow, OtherTextsAreRefusedWithTheOption) {
    Window window;
    for (const char *text : {"", "7", "9:9", "9:8", "a:b", "1:2:3", "-1:4", "1:99999999999999999999"}) {
        EXPECT_THAT([&] { parse_cycles(text, "--cycles", window); },
                    ThrowsMessage<InputError>(HasSubstr(std::string("--cycles ").append(text))));
    }
    for (const char *text : {"", "3", "0/4", "5/4", "3/", "/4", "3:4"}) {
        EXPECT_THAT([&] { parse_sample(text, "--sample", window); }, ThrowsMessage<InputError>(HasSubstr("--sample")));
    }
}

TEST(TimelineWindow, KnowsTheFirstRecordedCycle) {
    const Window window{5, 30, 2, 10};
    EXPECT_EQ(window.first_recorded(0), 5U);
    EXPECT_EQ(window.first_recorded(6), 6U);
    EXPECT_EQ(window.first_recorded(7), 15U);
    EXPECT_EQ(window.first_recorded(27), kNever);
}

// --- joining -------------------------------------------------------------------------------------------------------

TEST(TimelineJoining, AGivenNumberHoldsForAnyFileSize) {
    Joining joining(40);
    joining.reach(std::uint64_t{1} << 40U);
    EXPECT_TRUE(joining.takes(100, 139, true));
    EXPECT_FALSE(joining.takes(100, 140, true));
    EXPECT_TRUE(joining.takes(100, 101, false)); // 40 / 16
    EXPECT_FALSE(joining.takes(100, 102, false));
}

TEST(TimelineJoining, OneJoinsNothing) {
    const Joining joining(1);
    EXPECT_FALSE(joining.takes(7, 8, true));
    EXPECT_FALSE(joining.takes(7, 8, false));
}

TEST(TimelineJoining, WithoutANumberDoublesAsTheFileGrows) {
    Joining joining;
    EXPECT_EQ(joining.least(), 16U);
    EXPECT_FALSE(joining.takes(7, 8, false)); // instructions are apart
    joining.reach(23'999'999);
    EXPECT_EQ(joining.least(), 16U);
    joining.reach(24'000'000);
    EXPECT_EQ(joining.least(), 32U);
    joining.reach(29'999'999);
    EXPECT_EQ(joining.least(), 32U);
    joining.reach(36'000'000); // over two steps at once
    EXPECT_EQ(joining.least(), 128U);
}

TEST(TimelineJoining, TextsGiveANumberOfCyclesOneOrMore) {
    EXPECT_EQ(parse_least_cycles("12", "--o"), 12U);
    for (const char *text : {"", "0", "-3", "2.5", "many", "99999999999999999999"}) {
        EXPECT_THAT(
            [&] { parse_least_cycles(text, "--min"); },
            ThrowsMessage<InputError>(HasSubstr("--min " + std::string(text) + ": expected a number of cycles")));
    }
}

TEST(TimelineFormat, ComesFromTheEnding) {
    EXPECT_EQ(format_of("a/b.json"), Format::kChrome);
    EXPECT_EQ(format_of("b.kanata"), Format::kKanata);
    EXPECT_EQ(format_of("b.kanata.txt"), Format::kKanata);
    EXPECT_EQ(format_of("b.log"), Format::kKanata);
    EXPECT_EQ(format_of("b.txt"), std::nullopt);
    EXPECT_EQ(format_of("json"), std::nullopt);
}

// --- order ---------------------------------------------------------------------------------------------------------

struct Collector final : EventReader {
    void cycle(Cycle at, std::span<const Event> events) override {
        for (const Event &event : events) {
            EXPECT_EQ(observation::at(event), at);
            seen.emplace_back(at, warp_of(event).value(), event.index());
        }
    }
    void end(Cycle at) override { ended = at; }
    std::vector<std::tuple<Cycle, std::uint32_t, std::size_t>> seen;
    Cycle ended = 0;
};

constexpr std::size_t kState = 1;

TEST(TimelineOrder, EventsOfACycleDoNotDependOnTheOrderOfTheirReports) {
    const std::vector<Event> events = {StateChanged{4, WarpSlot(3)}, WarpEnded{4, WarpSlot(0)},
                                       StateChanged{4, WarpSlot(0)}, WarpWoken{4, WarpSlot(3)}};
    Collector forward;
    Collector backward;
    EventOrder one(forward);
    EventOrder other(backward);
    for (std::size_t i = 0; i < events.size(); ++i) {
        one.observe(4, events[i]);
        other.observe(4, events[events.size() - 1 - i]);
    }
    one.end(5);
    other.end(5);
    EXPECT_EQ(forward.seen, backward.seen);
    EXPECT_EQ(forward.seen.front(), std::tuple(Cycle{4}, 0U, kState));
    EXPECT_EQ(forward.seen.size(), 4U);
    EXPECT_EQ(forward.ended, 5U);
}

TEST(TimelineOrder, AnnouncedEventsWaitForTheirCycle) {
    Collector collector;
    EventOrder order(collector);
    order.observe(1, StateChanged{9, WarpSlot(0)});
    order.observe(3, StateChanged{3, WarpSlot(1)});
    EXPECT_TRUE(collector.seen.empty()); // more may come in cycle 3
    order.observe(5, StateChanged{5, WarpSlot(2)});
    EXPECT_THAT(collector.seen, ElementsAre(std::tuple(Cycle{3}, 1U, kState)));
    order.end(8);
    EXPECT_THAT(collector.seen,
                ElementsAre(std::tuple(Cycle{3}, 1U, kState), std::tuple(Cycle{5}, 2U, kState))); // 9 never comes
}

// --- formats -------------------------------------------------------------------------------------------------------

/// A timeline of a program of three instructions.
class TimelineWriters : public testing::Test {
  protected:
    TimelineWriters() { request.min_cycles = 1; }
    /// The text of the file; nothing is joined unless `request` enables it.
    std::string write(Format format, const std::vector<Event> &events, Cycle end, const Window &window = {}) {
        request.file = folder / "file";
        request.format = format;
        request.window = window;
        Timeline timeline(request, {config, program, "kernel \"k\"", "{}"});
        for (const Event &event : events) {
            timeline.observe(observation::at(event), event);
        }
        for (const auto &[begin, cycles, units] : launches) {
            timeline.used(begin, cycles, units);
        }
        timeline.end(end);
        EXPECT_EQ(timeline.error(), "");
        left_out = timeline.left_out();
        return test::read_file(request.file);
    }
    static StateChanged state(Cycle at, std::uint32_t warp, WarpState state, StallReason reason, Pc pc = 0) {
        return {at, WarpSlot(warp), state, reason, pc};
    }
    static WarpStarted start(Cycle at, std::uint32_t warp) {
        return {at, SmId(), WarpSlot(warp), CtaSlot(0), 0, warp, LaneMask::all(), 0};
    }

    /// The slices of warps' tracks as "name begin-end reason:cycles ...".
    static std::vector<std::string> charges(const test::ChromeFile &file) {
        std::vector<std::string> texts;
        for (const test::Slice &slice : file.slices) {
            if (slice.depth == 1) {
                texts.push_back(fmt::format("{} {}-{}", slice.name, slice.begin, slice.end));
                if (slice.args.contains("cycles")) {
                    for (const auto &[reason, cycles] : slice.args["cycles"].items()) {
                        texts.back() += fmt::format(" {}:{}", reason, cycles.get<std::uint64_t>());
                    }
                }
            }
        }
        return texts;
    }

    test::TemporaryFolder folder;
    Request request;
    std::vector<std::tuple<Cycle, Cycle, UnitUses>> launches;
    std::string left_out;
    Config config;
    Program program =
        assemble(".kernel k\n MOV R0, 0x1;\n BAR.SYNC 0x0;\n EXIT;\n", "k.sasm", timing::SchedulingModel());
};

TEST_F(TimelineWriters, ChromeShowsTheLastStateOfACycle) {
    const test::ChromeFile file =
        test::read_chrome(write(Format::kChrome,
                                {start(2, 0), state(5, 0, WarpState::kReady, StallReason::kNotSelected),
                                 state(5, 0, WarpState::kReady, StallReason::kSelected),
                                 state(6, 0, WarpState::kStalled, StallReason::kWait, 16), WarpEnded{9, WarpSlot(0)}},
                                9));
    ASSERT_EQ(file.slices.size(), 4U);
    std::vector<std::string> seen;
    for (const test::Slice &slice : file.slices) {
        seen.push_back(fmt::format("{} {} {}-{}", slice.depth, slice.name, slice.begin, slice.end));
    }
    EXPECT_THAT(seen, ElementsAre("1 no_instruction 2-5", "1 selected 5-6", "1 wait 6-9", "0 CTA 0 warp 0 2-9"));
    EXPECT_EQ(file.slices[2].args["pc"], "0x0010");
    EXPECT_EQ(file.other["kernel"], "kernel \"k\"");
    EXPECT_EQ(file.other["clock_ghz"], 1.0);
}

TEST_F(TimelineWriters, ChromeCutsSlicesAtTheEdgesOfItsWindow) {
    const test::ChromeFile file =
        test::read_chrome(write(Format::kChrome, {start(2, 0), WarpEnded{90, WarpSlot(0)}}, 90, {10, 40, 5, 20}));
    std::vector<std::pair<Cycle, Cycle>> shown;
    for (const test::Slice &slice : file.slices) {
        if (slice.depth == 1) {
            shown.emplace_back(slice.begin, slice.end);
        }
    }
    EXPECT_THAT(shown, ElementsAre(std::pair(10U, 15U), std::pair(30U, 35U)));
}

TEST_F(TimelineWriters, ChromeGivesAccessesThatOverlapTracksOfTheirOwn) {
    const WarpSlot warp(1);
    const test::ChromeFile file = test::read_chrome(write(
        Format::kChrome,
        {start(1, 1), AccessQueued{3, warp, 0, 0, LaneMask::all()}, AccessQueued{4, warp, 1, 0, LaneMask::all()},
         AccessPerformed{8, warp, 0}, AccessQueued{8, warp, 2, 0, LaneMask::all()},
         AccessQueued{9, warp, 3, 0, LaneMask::all()}, AccessPerformed{12, warp, 1}, AccessPerformed{13, warp, 2}},
        20));
    std::map<std::string, std::vector<std::pair<Cycle, Cycle>>> tracks;
    for (const test::Slice &slice : file.slices) {
        if (slice.category == "memory") {
            tracks[file.track_names.at({slice.pid, slice.tid})].emplace_back(slice.begin, slice.end);
        }
    }
    EXPECT_THAT(tracks["slot 001 memory 0"], ElementsAre(std::pair(3U, 8U), std::pair(9U, 20U)));
    EXPECT_THAT(tracks["slot 001 memory 1"], ElementsAre(std::pair(4U, 12U)));
    EXPECT_THAT(tracks["slot 001 memory 2"], ElementsAre(std::pair(8U, 13U)));
}

TEST_F(TimelineWriters, KanataShowsTheWayOfAnInstruction) {
    const WarpSlot warp(0);
    const test::KanataFile file = test::read_kanata(
        write(Format::kKanata,
              {start(1, 0), FetchStarted{1, warp, 7, 0}, FetchStarted{2, warp, 8, 16}, FetchEnded{4, warp, 7},
               state(4, 0, WarpState::kWaitUnit, StallReason::kMathPipeThrottle, 0), FetchEnded{5, warp, 8},
               InstructionIssued{7, warp, 7, 0, 0, LaneMask::all(), LaneMask::all()},
               state(7, 0, WarpState::kReady, StallReason::kSelected, 0), FetchDiscarded{8, warp, 8},
               InstructionCompleted{11, warp, 0}, WarpEnded{12, warp}},
              12));
    EXPECT_EQ(file.retired, 1U);
    EXPECT_EQ(file.flushed, 1U);
    EXPECT_EQ(file.stage_cycles,
              (std::map<std::string, std::uint64_t>{{"F", 3 + 3}, {"math_pipe_throttle", 3}, {"X", 4}, {"B", 3}}));
    EXPECT_EQ(file.labels.at(0).substr(0, 7), "0x0000:");
}

TEST_F(TimelineWriters, KanataKeepsABlockedInstructionUntilItsRelease) {
    const WarpSlot warp(0);
    const WarpSlot last(4);
    const test::KanataFile file = test::read_kanata(write(
        Format::kKanata,
        {start(1, 0), start(1, 4), FetchStarted{1, warp, 1, 16}, FetchStarted{1, last, 2, 16},
         InstructionIssued{3, warp, 1, 0, 16, LaneMask::all(), LaneMask::all()}, InstructionCompleted{5, warp, 0, true},
         InstructionIssued{8, last, 2, 0, 16, LaneMask::all(), LaneMask::all()},
         BarrierReleased{10, warp, last, BarrierId(0), 12}, InstructionCompleted{13, last, 0}},
        20));
    EXPECT_EQ(file.stage_cycles.at("X"), (12U - 3U) + (13U - 8U));
    EXPECT_THAT(file.arrows, ElementsAre(std::pair(0U, 1U)));
    EXPECT_EQ(file.retired, 2U);
}

/// Waits of one instruction that alternate from cycle 5 to 11, its issue, and the wait of the next one.
std::vector<Event> alternating() {
    const WarpSlot warp(0);
    std::vector<Event> events = {WarpStarted{2, SmId(), warp, CtaSlot(0), 0, 0, LaneMask::all(), 0}};
    for (Cycle at = 5; at < 11; at += 3) {
        events.push_back(StateChanged{at, warp, WarpState::kWaitUnit, StallReason::kMioThrottle, 16});
        events.push_back(StateChanged{at + 2, warp, WarpState::kReady, StallReason::kNotSelected, 16});
    }
    events.push_back(StateChanged{11, warp, WarpState::kReady, StallReason::kSelected, 16});
    events.push_back(StateChanged{12, warp, WarpState::kStalled, StallReason::kWait, 32});
    events.push_back(WarpEnded{40, warp});
    return events;
}

TEST_F(TimelineWriters, ChromeJoinsShortSlicesOfAnInstructionUnderTheirMainReason) {
    request.min_cycles = 7;
    EXPECT_THAT(
        charges(test::read_chrome(write(Format::kChrome, alternating(), 40))),
        ElementsAre("no_instruction 2-5", "mio_throttle 5-12 mio_throttle:4 not_selected:2 selected:1", "wait 12-40"));
    request.min_cycles = 4; // the slice that begins at 5 is long enough at 10
    EXPECT_THAT(charges(test::read_chrome(write(Format::kChrome, alternating(), 40))),
                ElementsAre("no_instruction 2-5", "mio_throttle 5-10 mio_throttle:4 not_selected:1",
                            "not_selected 10-12 not_selected:1 selected:1", "wait 12-40"));
    request.min_cycles = 1;
    EXPECT_THAT(charges(test::read_chrome(write(Format::kChrome, alternating(), 40))),
                ElementsAre("no_instruction 2-5", "mio_throttle 5-7", "not_selected 7-8", "mio_throttle 8-10",
                            "not_selected 10-11", "selected 11-12", "wait 12-40"));
}

TEST_F(TimelineWriters, ChromeKeepsTwoExecutionsOfOneInstructionApart) {
    request.min_cycles = 15;
    const test::ChromeFile file = test::read_chrome(
        write(Format::kChrome,
              {start(2, 0), state(5, 0, WarpState::kReady, StallReason::kSelected, 16),
               state(6, 0, WarpState::kBranch, StallReason::kBranchResolve, 16),
               state(8, 0, WarpState::kReady, StallReason::kNotSelected, 16),
               state(9, 0, WarpState::kReady, StallReason::kSelected, 16), WarpEnded{10, WarpSlot(0)}},
              10));
    EXPECT_THAT(charges(file), ElementsAre("no_instruction 2-5", "branch_resolve 5-8 branch_resolve:2 selected:1",
                                           "not_selected 8-10 not_selected:1 selected:1"));
}

TEST_F(TimelineWriters, ChromeJoinsMuchShorterSlicesOfSeveralInstructions) {
    request.min_cycles = 5 * 16;
    const test::ChromeFile file =
        test::read_chrome(write(Format::kChrome,
                                {start(2, 0), state(4, 0, WarpState::kReady, StallReason::kSelected, 16),
                                 state(6, 0, WarpState::kReady, StallReason::kSelected, 32),
                                 state(7, 0, WarpState::kStalled, StallReason::kWait, 48), WarpEnded{20, WarpSlot(0)}},
                                20));
    EXPECT_THAT(charges(file), ElementsAre("selected 2-7 no_instruction:2 selected:3", "wait 7-20"));
    EXPECT_EQ(file.slices[0].args["pc"], "0x0000");
    EXPECT_EQ(file.slices[0].args["last_pc"], "0x0020");
}

TEST_F(TimelineWriters, ChromeJoinsMuchShorterAccessesOfATrack) {
    const WarpSlot warp(1);
    const LaneMask lanes = LaneMask::all();
    request.min_cycles = 8 * 16;
    const test::ChromeFile file = test::read_chrome(
        write(Format::kChrome,
              {start(1, 1), AccessQueued{3, warp, 0, 0, lanes}, AccessPerformed{6, warp, 0},
               AccessQueued{10, warp, 1, 16, lanes}, AccessPerformed{14, warp, 1}, AccessQueued{15, warp, 2, 0, lanes},
               AccessPerformed{18, warp, 2}, AccessQueued{50, warp, 3, 0, lanes}, AccessPerformed{52, warp, 3}},
              60));
    std::vector<std::string> seen;
    for (const test::Slice &slice : file.slices) {
        if (slice.category == "memory") {
            const bool joined = slice.args.contains("accesses");
            seen.push_back(
                fmt::format("{}-{} {}", slice.begin, slice.end,
                            joined ? slice.args["accesses"].dump() + " " + slice.args["cycles"].dump() : "1"));
        }
    }
    EXPECT_THAT(seen, ElementsAre("3-14 2 7", "15-18 1", "50-52 1"));
}

TEST_F(TimelineWriters, KanataJoinsShortStagesUnderTheirMainReason) {
    std::vector<Event> events = alternating();
    events.insert(events.begin() + 1, FetchStarted{2, WarpSlot(0), 7, 16});
    events.insert(events.begin() + 2, FetchEnded{5, WarpSlot(0), 7});
    events.insert(events.end() - 2, InstructionIssued{11, WarpSlot(0), 7, 0, 16, LaneMask::all(), LaneMask::all()});
    events.insert(events.end() - 1, InstructionCompleted{15, WarpSlot(0), 0});
    request.min_cycles = 7;
    const test::KanataFile file = test::read_kanata(write(Format::kKanata, events, 40));
    EXPECT_EQ(file.stage_cycles, (std::map<std::string, std::uint64_t>{{"F", 3}, {"mio_throttle", 6}, {"X", 4}}));
    EXPECT_EQ(file.cycles,
              (std::map<std::string, std::uint64_t>{{"F", 3}, {"mio_throttle", 4}, {"not_selected", 2}, {"X", 4}}));
}

TEST_F(TimelineWriters, ArrowsFromWarpsThatAreNotRecordedAreLeftOut) {
    const WarpSlot warp(0);
    const WarpSlot last(1);
    const std::vector<Event> events = {start(1, 0), start(1, 1), BarrierReleased{10, warp, last, BarrierId(0), 12}};
    EXPECT_EQ(test::read_chrome(write(Format::kChrome, events, 20)).arrows.size(), 1U);
    request.warps = {0, 1};
    const test::ChromeFile file = test::read_chrome(write(Format::kChrome, events, 20));
    EXPECT_TRUE(file.arrows.empty());
    EXPECT_EQ(file.slices.front().args["last_arrival"], 1);
}

/// One launch from cycle 1000 on, in which one of two units is busy for the first 96 cycles.
std::tuple<Cycle, Cycle, UnitUses> busy_launch() {
    UseSeries series;
    series.put(0, 96, 1);
    UnitUses units;
    add_use(units, UsedUnit::kAlu, 1, series);
    add_use(units, UsedUnit::kAlu, 1, UseSeries());
    add_use(units, UsedUnit::kFp64, 1, UseSeries());
    return {1000, 200, units};
}

TEST_F(TimelineWriters, ChromeCountsTheUseOfUnitsByIntervalsOfEachLaunch) {
    launches = {busy_launch()};
    const test::ChromeFile file = test::read_chrome(write(Format::kChrome, {start(1000, 0)}, 1300));
    const std::uint64_t pid = config.sm.sub_partitions + 1;
    EXPECT_EQ(file.counters.at({pid, "alu"}),
              (std::map<std::uint64_t, double>{{1000, 50.0}, {1064, 25.0}, {1128, 0.0}}));
    EXPECT_FALSE(file.counters.contains({pid, "fp64"}));
}

TEST_F(TimelineWriters, ChromeCountsTheUseOfUnitsInItsWindowOnly) {
    launches = {busy_launch()};
    const test::ChromeFile file = test::read_chrome(write(Format::kChrome, {start(1000, 0)}, 1300, {1070, 1100, 0, 0}));
    EXPECT_EQ(file.counters.at({config.sm.sub_partitions + 1, "alu"}), (std::map<std::uint64_t, double>{{1070, 25.0}}));
}

/// Instructions of the second warp of a sub-partition that wait and then issue, one every six cycles.
std::vector<Event> long_run(Cycle end) {
    const WarpSlot warp(4);
    std::vector<Event> events = {WarpStarted{0, SmId(), WarpSlot(0), CtaSlot(0), 0, 0, LaneMask::all(), 0},
                                 WarpStarted{0, SmId(), warp, CtaSlot(0), 0, 0, LaneMask::all(), 0}};
    for (Cycle at = 6; at < end; at += 6) {
        const Pc pc = at % 12 == 0 ? 0 : 16;
        events.push_back(FetchStarted{at - 3, warp, at, pc});
        events.push_back(FetchEnded{at - 2, warp, at});
        events.push_back(StateChanged{at - 2, warp, WarpState::kStalled, StallReason::kWait, pc});
        events.push_back(StateChanged{at, warp, WarpState::kReady, StallReason::kSelected, pc});
        events.push_back(InstructionIssued{at, warp, at, at, pc, LaneMask::all(), LaneMask::all()});
        events.push_back(InstructionCompleted{at + 1, warp, at});
        events.push_back(StateChanged{at + 1, warp, WarpState::kFetching, StallReason::kNoInstruction, pc + 16});
    }
    return events;
}

TEST_F(TimelineWriters, FilesOfLongRunsGrowLittleUnlessANumberIsGiven) {
    constexpr Cycle kEnd = 1'500'000;
    const std::vector<Event> events = long_run(kEnd);
    const std::size_t all = write(Format::kChrome, events, kEnd).size();
    request.min_cycles.reset();
    const std::size_t grown = write(Format::kChrome, events, kEnd).size();
    EXPECT_GT(all, 80'000'000U);
    EXPECT_LT(grown, 50'000'000U);
    EXPECT_GT(grown, 24'000'000U);
}

TEST_F(TimelineWriters, KanataLeavesOutWarpsOfLongRunsAndSaysSo) {
    constexpr Cycle kEnd = 1'800'000;
    const std::vector<Event> events = long_run(kEnd);
    const std::size_t all = write(Format::kKanata, events, kEnd).size();
    EXPECT_EQ(left_out, "");
    request.min_cycles.reset();
    const std::size_t grown = write(Format::kKanata, events, kEnd).size();
    EXPECT_GT(all, 45'000'000U);
    EXPECT_LT(grown, 37'000'000U);
    EXPECT_THAT(left_out, HasSubstr("only those of one warp in 2"));
}

TEST_F(TimelineWriters, FileThatCannotBeWrittenIsAMessageAtTheEnd) {
    request.file = "/dev/full";
    Timeline timeline(request, {config, program, "k", "{}"});
    timeline.end(1);
    EXPECT_THAT(timeline.error(), HasSubstr("/dev/full: could not be written completely: No space left"));
    request.file = folder / "nowhere/file";
    EXPECT_THROW(Timeline(request, {config, program, "k", "{}"}), InputError);
}

} // namespace
} // namespace smsim::views::timeline
