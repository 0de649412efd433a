// The timeline's parts in plain C++: window, order of events, file, and both formats on made-up events.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/assembler/assembler.h"
#include "model/error.h"
#include "model/timing/dependence.h"
#include "tb/support/child_process.h"
#include "tb/support/timeline_files.h"
#include "views/timeline/event_order.h"
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
    EXPECT_TRUE(parse_ctas("2:3", "--o").records(2));
    EXPECT_FALSE(parse_ctas("2:3", "--o").records(3));
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

TEST(TimelineOrder, EventsOfACycleDoNotDependOnTheOrderOfTheirTelling) {
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
    std::string write(Format format, const std::vector<Event> &events, Cycle end, const Window &window = {}) {
        Request request;
        request.file = folder / "file";
        request.format = format;
        request.window = window;
        Timeline timeline(request, {config, program, "kernel \"k\"", "{}"});
        for (const Event &event : events) {
            timeline.observe(observation::at(event), event);
        }
        timeline.end(end);
        EXPECT_EQ(timeline.error(), "");
        return test::read_file(request.file);
    }
    static StateChanged state(Cycle at, std::uint32_t warp, WarpState state, StallReason reason, Pc pc = 0) {
        return {at, WarpSlot(warp), state, reason, pc};
    }
    static WarpStarted start(Cycle at, std::uint32_t warp) {
        return {at, SmId(), WarpSlot(warp), CtaSlot(0), 0, warp, LaneMask::all(), 0};
    }

    test::TemporaryFolder folder;
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

TEST_F(TimelineWriters, FileThatCannotBeWrittenIsAMessageAtTheEnd) {
    Request request;
    request.file = "/dev/full";
    Timeline timeline(request, {config, program, "k", "{}"});
    timeline.end(1);
    EXPECT_THAT(timeline.error(), HasSubstr("/dev/full: could not be written completely: No space left"));
    request.file = folder / "nowhere/file";
    EXPECT_THROW(Timeline(request, {config, program, "k", "{}"}), InputError);
}

} // namespace
} // namespace smsim::views::timeline
