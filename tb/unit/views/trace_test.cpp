// The instruction trace: each line is JSON with the documented members, lines are in order, and only changed B
// registers appear.
#include <memory>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "bru/engines/convergence_barrier/control_state.h"
#include "tb/support/distinct_state.h"
#include "views/trace/control_log.h"
#include "views/trace/detailed_trace.h"
#include "views/trace/trace.h"

namespace smsim::views {
namespace {

using bru::convergence_barrier::ControlState;
using bru::convergence_barrier::snapshot_of;

using nlohmann::json;
using ::testing::ElementsAre;

isa::Instruction make(isa::Op op, Pc pc) {
    isa::Instruction insn;
    insn.op = op;
    insn.form = isa::spec_of(op).forms.front().form;
    insn.unit = isa::spec_of(op).unit;
    insn.pc = pc;
    return insn;
}

class TraceTest : public ::testing::Test {
  protected:
    TraceTest() {
        for (const isa::Op op : {isa::Op::kNop, isa::Op::kBssy, isa::Op::kBsync, isa::Op::kExit}) {
            program.code.push_back(make(op, program.code.size() * kInstructionBytes));
        }
        starts.resize(4);
        states.resize(4);
        for (std::uint32_t w = 0; w < 4; ++w) {
            starts[w].warp = WarpSlot(w);
            starts[w].cta_number = 10 + w / 2;
            starts[w].warp_in_cta = w % 2;
            starts[w].age = w;
        }
    }
    void execute(TraceWriter &writer, Cycle cycle, std::uint32_t warp, std::size_t index,
                 LaneMask active = LaneMask::all()) {
        writer.executed({cycle, starts[warp], program.code[index], active, active});
    }
    TraceWriter writer() {
        TraceWriter trace(out, [this](WarpSlot warp, std::optional<Pc>) { return snapshot_of(states[warp.value()]); });
        trace.begin_launch(program, 0);
        return trace;
    }
    /// A writer to an empty `out`: of a trace, or of one with further fields.
    std::unique_ptr<TraceWriter> new_trace(bool detailed) {
        const ControlStateOf state_of = [this](WarpSlot warp, std::optional<Pc>) {
            return snapshot_of(states[warp.value()]);
        };
        TraceFields fields;
        fields.rpc = true;
        out.str("");
        std::unique_ptr<TraceWriter> trace = detailed ? std::make_unique<DetailedTrace>(out, state_of, fields)
                                                      : std::make_unique<TraceWriter>(out, state_of);
        trace->begin_launch(program, 0);
        return trace;
    }
    std::vector<json> lines() const {
        std::istringstream in(out.str());
        std::vector<json> parsed;
        for (std::string line; std::getline(in, line);) {
            parsed.push_back(json::parse(line));
        }
        return parsed;
    }
    static std::vector<std::pair<Cycle, unsigned>> order(const std::vector<json> &all) {
        std::vector<std::pair<Cycle, unsigned>> pairs;
        pairs.reserve(all.size());
        for (const json &line : all) {
            pairs.emplace_back(line["cycle"], line["cta"].get<unsigned>() * 100 + line["warp"].get<unsigned>());
        }
        return pairs;
    }

    Program program;
    std::vector<WarpStart> starts;
    std::vector<ControlState> states;
    std::ostringstream out;
};

TEST_F(TraceTest, ALineHoldsPlaceTextAndStateAfterTheInstruction) {
    states[3] = tb::distinct_state();
    TraceWriter trace = writer();
    execute(trace, 12, 3, 2, LaneMask(0xffff));
    trace.end(100);
    const json expected = {
        {"cycle", 12},
        {"sm", 0},
        {"cta", 11},
        {"warp", 1},
        {"pc", 32},
        {"text", "BSYNC B0"},
        {"active", "0x0000ffff"},
        {"after",
         {{"ActivePC", 48},
          {"ActiveMask", "0x00000001"},
          {"ValidMask", "0x000000ff"},
          {"YieldMask", "0x00000002"},
          {"SleepMask", "0x00000004"},
          {"SwitchMask", "0x00000008"},
          {"WaitMask", "0x00000010"},
          {"WaitBarMask", "0x00000020"},
          {"TurnMask", "0x00000040"}}},
        {"b", json::object()},
    };
    ASSERT_EQ(lines().size(), 1U);
    std::string text = lines()[0]["text"];
    EXPECT_EQ(text.substr(0, 8), "BSYNC B0");
    json line = lines()[0];
    line["text"] = "BSYNC B0";
    EXPECT_EQ(line, expected);
}

TEST_F(TraceTest, TheStateAfterAnotherInstructionIsRequestedWithTheNextAddress) {
    std::vector<std::optional<Pc>> asked;
    TraceWriter trace(out, [&](WarpSlot, std::optional<Pc> next) {
        asked.push_back(next);
        return snapshot_of(states[0]);
    });
    trace.begin_launch(program, 0);
    execute(trace, 5, 0, 0); // NOP at 0
    execute(trace, 6, 0, 1); // BSSY: the branch unit has received it
    EXPECT_THAT(asked, ElementsAre(std::optional<Pc>(16), std::nullopt));
}

TEST_F(TraceTest, FieldsOfAnyEngineAreShownAsItDeclaresThem) {
    static constexpr std::string_view kKinds[] = {"SYNC", "DIV"};
    static constexpr ControlField kColumns[] = {{"kind", ControlField::Kind::kNumber, {}, {}, kKinds},
                                                {"mask", ControlField::Kind::kMask},
                                                {"pc", ControlField::Kind::kAddress}};
    static constexpr ControlField kFields[] = {
        {"PC", ControlField::Kind::kAddress},          {"stack", ControlField::Kind::kEntries, {}, kColumns},
        {"C0", ControlField::Kind::kMask, "c"},        {"C1", ControlField::Kind::kMask, "c"},
        {"own", ControlField::Kind::kThreadAddresses}, {"depth", ControlField::Kind::kNumber}};
    ControlSnapshot snapshot;
    snapshot.fields = kFields;
    snapshot.add(std::uint64_t{64});
    const std::vector<std::uint64_t> entries = {0, 0xf, 32, 1, 0x3, 48};
    snapshot.add(std::size_t{2}, entries);
    snapshot.add(LaneMask(0x1));
    snapshot.add(LaneMask());
    std::array<Pc, kLanes> own{};
    own[1] = 96;
    snapshot.add(LaneMask(0x2), own);
    snapshot.add(std::uint64_t{2});
    TraceFields fields;
    fields.rpc = true;
    DetailedTrace trace(
        out, [&](WarpSlot, std::optional<Pc>) { return snapshot; }, fields);
    trace.begin_launch(program, 0);
    execute(trace, 5, 0, 1);
    trace.end(100);
    const json line = lines().at(0);
    EXPECT_EQ(line["after"], json::parse(R"({"PC":64,"depth":2,"stack":[{"kind":"SYNC","mask":"0x0000000f","pc":32},
                                             {"kind":"DIV","mask":"0x00000003","pc":48}]})"));
    EXPECT_EQ(line["c"], json::parse(R"({"C0":"0x00000001"})"));
    EXPECT_EQ(line["own"][1], 96);
    EXPECT_TRUE(line["own"][0].is_null());
}

TEST_F(TraceTest, LinesOfOneCycleComeInOrderOfWarpSlot) {
    TraceWriter trace = writer();
    execute(trace, 5, 2, 0);
    execute(trace, 5, 0, 0);
    execute(trace, 5, 3, 0);
    execute(trace, 6, 1, 0);
    execute(trace, 6, 0, 1);
    trace.end(100);
    EXPECT_THAT(order(lines()), ElementsAre(std::pair(5, 1000), std::pair(5, 1100), std::pair(5, 1101),
                                            std::pair(6, 1000), std::pair(6, 1001)));
}

// A shared branch unit executes an instruction when others have already been issued.
TEST_F(TraceTest, ALateLineAppearsInItsIssueCycle) {
    const LaneMask all = LaneMask::all();
    for (const bool detailed : {false, true}) {
        const std::unique_ptr<TraceWriter> trace = new_trace(detailed);
        trace->executed({4, starts[0], program.code[0], all, all, 0});
        trace->postponed({4, starts[1], program.code[1], all, all, 0});
        trace->executed({5, starts[0], program.code[0], all, all, 1});
        trace->executed({7, starts[0], program.code[0], all, all, 2});
        EXPECT_EQ(order(lines()), (std::vector{std::pair(Cycle{4}, 1000U)})) << detailed << ": the others wait for it";
        trace->executed({4, starts[1], program.code[1], all, all, 0});
        trace->executed({8, starts[0], program.code[0], all, all, 3});
        EXPECT_THAT(order(lines()),
                    ElementsAre(std::pair(4, 1000), std::pair(4, 1001), std::pair(5, 1000), std::pair(7, 1000)))
            << detailed;
    }
}

TEST_F(TraceTest, AMissingLineIsOmittedAtTheEnd) {
    const LaneMask all = LaneMask::all();
    for (const bool detailed : {false, true}) {
        const std::unique_ptr<TraceWriter> trace = new_trace(detailed);
        trace->postponed({4, starts[1], program.code[1], all, all, 0});
        trace->executed({5, starts[0], program.code[0], all, all, 1});
        trace->end(9);
        EXPECT_THAT(order(lines()), ElementsAre(std::pair(5, 1000))) << detailed;
    }
}

TEST_F(TraceTest, ALateControlStateAppearsInItsIssueCycle) {
    const LaneMask all = LaneMask::all();
    ControlLog log(
        out, [this](WarpSlot warp, std::optional<Pc>) { return snapshot_of(states[warp.value()]); }, true);
    log.postponed({4, starts[1], program.code[1], all, all, 0});
    log.postponed({4, starts[1], program.code[0], all, all, 1}); // of another unit: no line
    log.executed({6, starts[0], program.code[1], all, all, 1});
    log.executed({4, starts[1], program.code[1], all, all, 0});
    log.flush();
    EXPECT_THAT(out.str(), ::testing::MatchesRegex("cta 10 warp 1 [^\n]* cycle 4\ncta 10 warp 0 [^\n]* cycle 6\n"));
}

// A shared branch unit may execute an instruction in the cycle in which the next one of the warp is issued.
TEST_F(TraceTest, LinesOfAWarpInOneCycleAreInProgramOrder) {
    const LaneMask all = LaneMask::all();
    for (const bool detailed : {false, true}) {
        out.str("");
        const ControlStateOf state_of = [this](WarpSlot warp, std::optional<Pc>) {
            return snapshot_of(states[warp.value()]);
        };
        TraceFields fields;
        fields.rpc = true;
        const std::unique_ptr<TraceWriter> trace = detailed ? std::make_unique<DetailedTrace>(out, state_of, fields)
                                                            : std::make_unique<TraceWriter>(out, state_of);
        trace->begin_launch(program, 0);
        trace->executed({4, starts[0], program.code[0], all, all, 2});
        trace->executed({4, starts[0], program.code[1], all, all, 1});
        trace->end(100);
        ASSERT_EQ(lines().size(), 2U);
        EXPECT_EQ(lines()[0]["pc"], program.code[1].pc) << detailed;
        EXPECT_EQ(lines()[1]["pc"], program.code[0].pc) << detailed;
    }
}

TEST_F(TraceTest, OnlyChangedBRegistersAreListed) {
    TraceWriter trace = writer();
    states[0].b[0] = LaneMask(0xf);
    states[0].b[7] = LaneMask(0xff);
    execute(trace, 5, 0, 1);
    execute(trace, 6, 0, 0);
    states[0].b[0] = LaneMask{};
    execute(trace, 7, 0, 2);
    trace.end(100);
    const auto all = lines();
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0]["b"], (json{{"B0", "0x0000000f"}, {"B7", "0x000000ff"}}));
    EXPECT_EQ(all[1]["b"], json::object());
    EXPECT_EQ(all[2]["b"], (json{{"B0", "0x00000000"}}));
}

TEST_F(TraceTest, ANewWarpInTheSlotBeginsWithEmptyBRegisters) {
    TraceWriter trace = writer();
    states[0].b[2] = LaneMask(0xf);
    execute(trace, 5, 0, 1);
    starts[0].age = 99;
    states[0].b[2] = LaneMask{};
    execute(trace, 50, 0, 0);
    trace.end(100);
    EXPECT_EQ(lines().at(1)["b"], json::object());
    states[0].b[2] = LaneMask(0xf);
    execute(trace, 51, 0, 1);
    trace.end(100);
    EXPECT_EQ(lines().at(2)["b"], (json{{"B2", "0x0000000f"}}));
}

TEST_F(TraceTest, TheInstructionOfAnExceptionIsMarkedAndFollowsTheOthersOfItsCycle) {
    RaisedException exception;
    exception.kind = Fault::kBarrierCount;
    exception.cycle = 6;
    exception.place = RaisedException::Place{};
    exception.place->cta = 10;
    exception.place->warp = 1;
    exception.place->pc = 16;
    exception.place->active = LaneMask(0xff);
    exception.place->threads = LaneMask(0xf0);
    exception.place->issued = 4;
    for (const bool others_ran_on : {false, true}) {
        out.str("");
        TraceWriter trace = writer();
        execute(trace, 5, 0, 0);
        execute(trace, 6, 2, 0);
        if (others_ran_on) {
            execute(trace, 7, 0, 0);
        }
        trace.raised(exception);
        const auto all = lines();
        ASSERT_EQ(all.size(), others_ran_on ? 4U : 3U);
        json expected = {{"cycle", 6},
                         {"sm", 0},
                         {"cta", 10},
                         {"warp", 1},
                         {"pc", 16},
                         {"text", all[2]["text"]},
                         {"active", "0x000000ff"},
                         {"executed", "0x000000f0"},
                         {"issued", 4},
                         {"fault", "BarrierCount"}};
        EXPECT_EQ(all[2], expected);
        EXPECT_THAT(all[2]["text"].get<std::string>(), ::testing::StartsWith("BSSY"));
    }
}

TEST_F(TraceTest, DestructionWritesWhatIsHeldBack) {
    {
        TraceWriter trace = writer();
        execute(trace, 5, 0, 0);
        EXPECT_TRUE(out.str().empty()) << "another warp may still report for this cycle";
    }
    EXPECT_EQ(lines().size(), 1U);
}

TEST_F(TraceTest, WithExtraFieldsTheLineOfAnExceptionAlsoFollowsItsCycle) {
    TraceFields fields;
    fields.memory = true;
    RaisedException exception;
    exception.kind = Fault::kBarrierCount;
    exception.cycle = 6;
    exception.place = RaisedException::Place{};
    DetailedTrace trace(
        out, [this](WarpSlot warp, std::optional<Pc>) { return snapshot_of(states[warp.value()]); }, fields);
    trace.begin_launch(program, 0);
    execute(trace, 5, 0, 0); // its answer does not arrive: all lines wait for it
    execute(trace, 6, 3, 0);
    execute(trace, 7, 2, 0);
    trace.raised(exception);
    trace.end(7);
    const auto all = lines();
    ASSERT_EQ(all.size(), 4U);
    EXPECT_EQ(all[1]["warp"], 1);
    EXPECT_EQ(all[2]["fault"], "BarrierCount");
    EXPECT_EQ(all[3]["cycle"], 7);
}

TEST_F(TraceTest, LinesOfFurtherLaunchesAndOtherSmsSaySo) {
    Program second = program;
    TraceWriter trace = writer();
    execute(trace, 5, 0, 0);
    trace.begin_launch(second, 1);
    starts[0].sm = SmId(3);
    execute(trace, 9, 0, 0);
    trace.end(9);
    const auto all = lines();
    ASSERT_EQ(all.size(), 2U);
    EXPECT_FALSE(all[0].contains("launch"));
    EXPECT_EQ(all[0]["sm"], 0);
    EXPECT_EQ(all[1]["launch"], 1);
    EXPECT_EQ(all[1]["sm"], 3);
}

TEST_F(TraceTest, EventsDueAfterTheEndAreOmitted) {
    TraceFields fields;
    fields.timers = true;
    DetailedTrace trace(
        out, [this](WarpSlot warp, std::optional<Pc>) { return snapshot_of(states[warp.value()]); }, fields);
    trace.begin_launch(program, 0);
    execute(trace, 5, 0, 0);
    trace.observe(5, observation::TimerStarted{6, WarpSlot(0), 20});
    trace.observe(5, observation::TimerExpired{20, WarpSlot(0)});
    trace.end(6);
    const auto all = lines();
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[1]["event"], "timer_start");
}

} // namespace
} // namespace smsim::views
