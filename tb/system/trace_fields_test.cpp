// What `--trace-fields` adds to the trace, and `--dump-state`: values agree with each other and with what the kernels
// compute, and without the additions the lines are those of the usual trace.
#include <fstream>
#include <map>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tb/support/child_process.h"
#include "tb/support/example_kernels.h"
#include "tb/support/kernel_launch.h"

namespace smsim {
namespace {

using test::read_file;
using test::write_file;
using testing::ElementsAre;
using testing::HasSubstr;
using Json = nlohmann::ordered_json;

std::vector<Json> lines_of(const std::string &path) {
    std::istringstream in(read_file(path));
    std::vector<Json> lines;
    for (std::string line; std::getline(in, line);) {
        lines.push_back(Json::parse(line));
    }
    return lines;
}

std::uint64_t number(const Json &text) {
    return std::stoull(text.get<std::string>(), nullptr, 16);
}

class TraceFields : public testing::Test {
  protected:
    /// Runs a given program with a trace of `fields`; fills `trace` and `state`.
    void run(const std::string &program, const std::string &fields, const std::string &more = "",
             const std::string &block = "32") {
        write_file(folder / "kernel.sasm", ".kernel k\n" + program);
        write_file(folder / "launch.yaml",
                   "program: kernel.sasm\ngrid: 1\nblock: " + block +
                       "\narguments:\n  - {name: a, type: u32, count: 64, init: {pattern: {start: 100, step: 1}}}\n");
        const test::CommandResult result = test::run_command_line(
            std::string(SMSIM_BINARY) + " run --report none " + (folder / "launch.yaml") + " --trace " +
            (folder / "trace") + " --trace-fields " + fields + " --dump-state " + (folder / "state") + " " + more);
        ASSERT_EQ(result.status, 0) << result.output;
        trace = lines_of(folder / "trace");
        state = lines_of(folder / "state");
    }
    /// The first line whose text begins with this.
    Json line(const std::string &begin) const {
        for (const Json &each : trace) {
            if (each.value("text", "").starts_with(begin)) {
                return each;
            }
        }
        ADD_FAILURE() << "no line " << begin;
        return {};
    }
    std::vector<Json> events(const std::string &kind) const {
        std::vector<Json> found;
        for (const Json &each : trace) {
            if (each.value("event", "") == kind) {
                found.push_back(each);
            }
        }
        return found;
    }

    test::TemporaryFolder folder;
    std::vector<Json> trace;
    std::vector<Json> state;
};

TEST_F(TraceFields, ResultsAreInTheLineOfTheirInstructionWithTheirCycle) {
    run(".shared 8\n S2R R0, SR_LANEID;\n ISETP.LT.AND P0, PT, R0, 0x2, PT;\n @P0 MOV R1, 0x7;\n MOV R8, 0x8;\n"
        " IMAD.WIDE.U32 R[2:3], R0, R8, c[0x0][0x160];\n @P0 LDG.64 R[4:5], [R[2:3]];\n IADD3 R4, R4, 0x1, RZ;\n"
        " @P0 STG [R[2:3]], R4;\n @P0 ATOMG.ADD R6, [R[2:3]], R0;\n MOV R9, RZ;\n @P0 STS.U8 [R0+0x3], R4;\n"
        " UMOV UR4, 0x9;\n EXIT;\n",
        "registers,predicates,memory");
    EXPECT_EQ(line("S2R")["done"].get<Cycle>() - line("S2R")["cycle"].get<Cycle>(), 16U);
    EXPECT_EQ(line("S2R")["registers"]["R0"][31], "0x0000001f");
    EXPECT_EQ(line("ISETP")["predicates"], (Json{{"P0", "0x00000003"}}));
    EXPECT_EQ(line("@P0 MOV")["executed"], "0x00000003");
    EXPECT_EQ(line("@P0 MOV")["registers"], (Json{{"R1", {"0x00000007", "0x00000007"}}}));
    const Json load = line("@P0 LDG");
    EXPECT_EQ(load["registers"], (Json{{"R4", {"0x00000064", "0x00000066"}}, {"R5", {"0x00000065", "0x00000067"}}}));
    EXPECT_EQ(load["memory"]["kind"], "read");
    EXPECT_EQ(load["memory"]["space"], "global");
    EXPECT_EQ(load["memory"]["bytes"], 8);
    EXPECT_EQ(load["memory"]["values"], (Json{"0x0000006500000064", "0x0000006700000066"}));
    EXPECT_EQ(number(load["memory"]["addresses"][1]) - number(load["memory"]["addresses"][0]), 8U);
    EXPECT_GT(load["done"].get<Cycle>() - load["cycle"].get<Cycle>(), 250U);
    const Json store = line("@P0 STG")["memory"];
    EXPECT_EQ(store["kind"], "write");
    EXPECT_EQ(store["values"], (Json{"0x00000065", "0x00000067"}));
    EXPECT_EQ(store["addresses"], load["memory"]["addresses"]);
    const Json atomic = line("@P0 ATOMG");
    EXPECT_EQ(atomic["memory"]["kind"], "atomic");
    EXPECT_EQ(atomic["memory"]["operands"], (Json{"0x00000000", "0x00000001"}));
    EXPECT_EQ(atomic["memory"]["values"], (Json{"0x00000065", "0x00000067"}));
    EXPECT_EQ(atomic["registers"], (Json{{"R6", {"0x00000065", "0x00000067"}}}));
    const Json byte = line("@P0 STS")["memory"];
    EXPECT_EQ(byte["space"], "shared");
    EXPECT_EQ(byte["addresses"], (Json{"0x3", "0x4"}));
    EXPECT_EQ(byte["values"], (Json{"0x65", "0x67"}));
    EXPECT_EQ(line("UMOV")["registers"], (Json{{"UR4", "0x00000009"}}));
    EXPECT_FALSE(line("MOV R9").contains("memory"));
}

TEST_F(TraceFields, AnInstructionWithoutAnAnswerHasNone) {
    run(" LDC.64 R[2:3], c[0x0][0x160];\n LDG R4, [R[2:3]];\n NOP;\n NOP;\n EXIT;\n", "memory,registers",
        "--max-instructions 3");
    ASSERT_EQ(trace.size(), 3U);
    EXPECT_TRUE(trace[1]["done"].is_null());
    EXPECT_FALSE(trace[1].contains("registers"));
    EXPECT_EQ(trace[1]["memory"]["addresses"].size(), 32U);
    EXPECT_FALSE(trace[2]["done"].is_null());
    EXPECT_EQ(state.at(0)["ended"], false);
}

TEST_F(TraceFields, RpcOfThreadsThatWaitAndReleaseOfThoseThatMeet) {
    run(" S2R R0, SR_LANEID;\n ISETP.LT.AND P0, PT, R0, 0x10, PT;\n BSSY B0, `(join);\n @P0 BRA `(else);\n NOP;\n"
        " BRA `(join);\nelse:\n NOP;\njoin:\n BSYNC B0;\n EXIT;\n",
        "rpc,release");
    const Json rpc = line("@P0 BRA")["rpc"];
    ASSERT_EQ(rpc.size(), 32U);
    EXPECT_EQ(rpc[0], 0x60); // jumped, and waits there
    EXPECT_TRUE(rpc[16].is_null());
    EXPECT_FALSE(line("S2R").contains("done"));
    const std::vector<Json> releases = events("release");
    ASSERT_EQ(releases.size(), 2U);
    EXPECT_EQ(releases[0]["kind"], "switch");
    EXPECT_EQ(releases[0]["threads"], "0x0000ffff");
    EXPECT_EQ(releases[1]["kind"], "reconvergence");
    EXPECT_EQ(releases[1]["how"], "complete");
    EXPECT_EQ(releases[1]["threads"], "0xffffffff");
    EXPECT_EQ(releases[1]["pc"], 0x70);
    EXPECT_EQ(releases[1]["to"], 0x80);
    EXPECT_EQ(releases[1]["resumes"].get<Cycle>(), releases[1]["cycle"].get<Cycle>() + 4);
}

TEST_F(TraceFields, TimersAndTheWarpsTheyWake) {
    run(" NANOSLEEP 500;\n EXIT;\n", "timers,release");
    const std::vector<Json> starts = events("timer_start");
    const std::vector<Json> expiries = events("timer_expiry");
    const std::vector<Json> releases = events("release");
    ASSERT_EQ(starts.size(), 1U);
    ASSERT_EQ(expiries.size(), 1U);
    ASSERT_EQ(releases.size(), 1U);
    EXPECT_EQ(starts[0]["expires"].get<Cycle>(), starts[0]["cycle"].get<Cycle>() + 500);
    EXPECT_EQ(expiries[0]["cycle"], starts[0]["expires"]);
    EXPECT_EQ(releases[0]["kind"], "timer");
    EXPECT_EQ(releases[0]["cycle"], expiries[0]["cycle"]);
}

TEST_F(TraceFields, ConditionFlagsAreListedWithThePredicates) {
    run(".engine token_stack\n S2R R0, SR_LANEID;\n ISETP.LT.AND.CC P0, PT, R0, 0x2, PT;\n EXIT;\n", "predicates",
        "--set bru.engine=token_stack");
    EXPECT_EQ(
        line("ISETP")["predicates"],
        (Json{
            {"P0", "0x00000003"}, {"Z", "0x00000004"}, {"S", "0x00000003"}, {"C", "0xfffffffc"}, {"O", "0x00000000"}}));
}

TEST_F(TraceFields, StateHasFlagsThatAreSetAndTheControlStateOfWarpsThatHaveNotEnded) {
    const std::string program = ".engine token_stack\n S2R R0, SR_TID.X;\n LOP3.CC R1, R0, 0x1, RZ, 0xc0;\n"
                                " SSY join;\n BRA CC.EQ, even;\n SYNC;\neven:\n SYNC;\njoin:\n EXIT;\n";
    run(program, "predicates", "--set bru.engine=token_stack --max-instructions 4");
    EXPECT_EQ(state.at(0)["flags"], Json::parse(R"({"Z":"0x55555555"})"));
    EXPECT_EQ(
        state.at(0)["control"],
        Json::parse(R"({"PC":64,"ActiveMask":"0xaaaaaaaa","ValidMask":"0xffffffff","LMT":0,"tokens":[)"
                    R"({"kind":"SYNC","mask":"0xffffffff","pc":96},{"kind":"DIV","mask":"0x55555555","pc":80}]})"));
    run(program, "predicates", "--set bru.engine=token_stack");
    EXPECT_TRUE(state.at(0).contains("flags"));
    EXPECT_FALSE(state.at(0).contains("control")) << "a warp that has ended has none";
    run(" S2R R0, SR_TID.X;\n EXIT;\n", "predicates");
    EXPECT_FALSE(state.at(0).contains("flags"));
}

TEST_F(TraceFields, BarriersWithTheirStateWordsAndTheWarpsTheyRelease) {
    run(" BAR.SYNC 0x3;\n EXIT;\n", "barriers,release", "", "96");
    const std::vector<Json> arrivals = events("barrier");
    ASSERT_EQ(arrivals.size(), 3U);
    for (unsigned i = 0; i < 3; ++i) {
        EXPECT_EQ(arrivals[i]["barrier"], 3);
        EXPECT_EQ(number(arrivals[i]["word"]) & 0x7fU, i + 1); // bcu.md B-1: arrived warps, and kind SYNC
        EXPECT_EQ(number(arrivals[i]["word"]) >> 14U, 1U);
        EXPECT_EQ(arrivals[i]["blocks"], i < 2);
    }
    ASSERT_EQ(events("barrier_complete").size(), 1U);
    const std::vector<Json> releases = events("release");
    ASSERT_EQ(releases.size(), 2U);
    EXPECT_EQ(releases[0]["kind"], "barrier");
    EXPECT_EQ(releases[0]["last"], arrivals[2]["warp"]);
    EXPECT_EQ(releases[0]["cycle"], arrivals[2]["cycle"]);
}

TEST_F(TraceFields, UnknownFieldsAndFieldsWithoutATraceAreRejected) {
    write_file(folder / "kernel.sasm", ".kernel k\n EXIT;\n");
    write_file(folder / "launch.yaml", "program: kernel.sasm\ngrid: 1\nblock: 32\n");
    const std::string command = std::string(SMSIM_BINARY) + " run " + (folder / "launch.yaml") + " --trace-fields ";
    const test::CommandResult unknown = test::run_command_line(command + "memory,register --trace " + (folder / "t"));
    EXPECT_EQ(unknown.status, 2);
    EXPECT_THAT(unknown.output, HasSubstr("there is no field 'register'; there are registers, predicates, memory"));
    const test::CommandResult alone = test::run_command_line(command + "memory");
    EXPECT_EQ(alone.status, 2);
    EXPECT_THAT(alone.output, HasSubstr("--trace"));
}

TEST_F(TraceFields, StateHoldsSharedMemoryOfEachCtaAtItsEnd) {
    write_file(folder / "kernel.sasm", ".kernel k\n.shared 8\n S2R R0, SR_CTAID.X;\n IADD3 R0, R0, 0x11, RZ;\n"
                                       " STS [RZ+0x4], R0;\n EXIT;\n");
    write_file(folder / "launch.yaml", "program: kernel.sasm\ngrid: 3\nblock: 64\n");
    // One CTA at a time: each is written before the next one takes its place.
    ASSERT_EQ(test::run_command_line(std::string(SMSIM_BINARY) + " run --report none --set sm.max_ctas=1 " +
                                     (folder / "launch.yaml") + " --dump-state " + (folder / "state"))
                  .status,
              0);
    std::vector<std::string> shared;
    for (const Json &line : lines_of(folder / "state")) {
        if (line["state"] == "shared") {
            shared.push_back(line["bytes"]);
        }
    }
    EXPECT_THAT(shared, ElementsAre("0000000011000000", "0000000012000000", "0000000013000000"));
}

TEST_F(TraceFields, StateIsCompleteWhereverTheRunEnds) {
    // The first warp ends while the second issues an instruction in every cycle: for some limit, in its last one.
    std::string program = ".shared 8\n S2R R0, SR_TID.X;\n ISETP.LT.U32.AND P0, PT, R0, 0x20, PT;\n @P0 EXIT;\n";
    for (int i = 0; i < 12; ++i) {
        program += " NOP;\n";
    }
    bool ended_before = false;
    for (int limit = 4; limit <= 19; ++limit) {
        run(program + " EXIT;\n", "timers", "--max-instructions " + std::to_string(limit), "64");
        std::vector<std::string> found;
        for (const Json &line : state) {
            found.push_back(line["state"] == "warp" ? "warp " + line["warp"].dump() : "shared");
        }
        EXPECT_THAT(found, ElementsAre("warp 0", "warp 1", "shared")) << limit;
        ended_before |= state.at(0)["ended"] == true && state.at(1)["ended"] == false;
    }
    EXPECT_TRUE(ended_before);
}

TEST_F(TraceFields, AnExceptionInTheCycleOfAnotherWarpsEndLeavesBothInTheState) {
    std::string nops;
    for (int i = 0; i < 12; ++i) {
        write_file(folder / "kernel.sasm", ".kernel k\n.shared 8\n S2R R0, SR_TID.X;\n"
                                           " ISETP.LT.U32.AND P0, PT, R0, 0x20, PT;\n @P0 EXIT;\n" +
                                               nops + " BAR.ARV 0x1, 0x30;\n EXIT;\n");
        write_file(folder / "launch.yaml", "program: kernel.sasm\ngrid: 1\nblock: 64\n");
        EXPECT_EQ(test::run_command_line(std::string(SMSIM_BINARY) + " run --report none " + (folder / "launch.yaml") +
                                         " --dump-state " + (folder / "state"))
                      .status,
                  3);
        EXPECT_EQ(lines_of(folder / "state").size(), 3U) << i;
        nops += " NOP;\n";
    }
}

/// Kernels with every kind of line.
class TracedKernels : public testing::TestWithParam<const char *> {
  protected:
    /// Trace and state of a run; `all`: with all fields.
    void run(bool all, bool reverse, const std::string &trace, const std::string &state) {
        ASSERT_TRUE(test::run_in_child([&] {
            test::KernelLaunch loaded;
            test::load(loaded, test::example_file(std::string(GetParam()) + "/launch.yaml"), {});
            std::ofstream trace_file(trace);
            std::ofstream state_file(state);
            session::Options options;
            options.trace = &trace_file;
            options.state = &state_file;
            options.trace_fields = all ? views::parse_trace_fields("all") : views::TraceFields{};
            options.reverse_order = reverse;
            session::simulate(loaded.config, loaded.program, *loaded.kernel, loaded.launch, options);
        }));
    }
    test::TemporaryFolder folder;
};

TEST_P(TracedKernels, TraceWithoutTheExtraFieldsIsThePlainTrace) {
    run(false, false, folder / "usual", folder / "state");
    run(true, false, folder / "all", folder / "state");
    std::ostringstream reduced;
    for (Json &line : [&] { return lines_of(folder / "all"); }()) {
        if (!line.contains("event")) {
            for (const char *added : {"rpc", "executed", "done", "registers", "predicates", "memory"}) {
                line.erase(added);
            }
            reduced << line.dump() << "\n";
        }
    }
    EXPECT_TRUE(reduced.str() == read_file(folder / "usual"));
}

TEST_P(TracedKernels, TracedWritesLeadToTheFinalState) {
    run(true, false, folder / "all", folder / "state");
    using Registers = std::map<std::string, std::vector<std::string>>;
    std::map<std::pair<std::uint64_t, unsigned>, Registers> warps;
    std::map<std::pair<std::uint64_t, unsigned>, std::map<std::string, std::string>> predicates;
    std::pair<std::uint64_t, std::size_t> last;
    for (const Json &line : lines_of(folder / "all")) {
        const auto cycle = line["cycle"].get<Cycle>();
        ASSERT_GE(cycle, last.first);
        last.first = cycle;
        if (line.contains("event")) {
            continue;
        }
        ASSERT_FALSE(line["done"].is_null());
        const std::pair<std::uint64_t, unsigned> who(line["cta"], line["warp"]);
        const LaneMask executed(static_cast<std::uint32_t>(number(line["executed"])));
        for (const auto &entry : line["registers"].items()) {
            const auto &values = entry.value();
            if (entry.key().starts_with("R")) {
                std::vector<std::string> &lanes = warps[who][entry.key()];
                lanes.resize(kLanes, "0x00000000");
                std::size_t next = 0;
                for_each_lane(executed, [&](unsigned lane) { lanes[lane] = values.at(next++); });
                ASSERT_EQ(next, values.size());
            }
        }
        for (const auto &[name, value] : line["predicates"].items()) {
            predicates[who][name] = value;
        }
    }
    unsigned compared = 0;
    for (const Json &line : lines_of(folder / "state")) {
        if (line["state"] == "warp") {
            ASSERT_EQ(line["ended"], true);
            const std::pair<std::uint64_t, unsigned> who(line["cta"], line["warp"]);
            for (const auto &[name, lanes] : warps[who]) {
                EXPECT_EQ(line["registers"][name].get<std::vector<std::string>>(), lanes) << name;
                ++compared;
            }
            for (const auto &[name, value] : predicates[who]) {
                EXPECT_EQ(line["predicates"][name], value) << name;
            }
        }
    }
    EXPECT_GT(compared, 4U);
}

TEST_P(TracedKernels, TheOrderOfProcessesDoesNotShow) {
    run(true, false, folder / "first", folder / "first_state");
    run(true, true, folder / "second", folder / "second_state");
    EXPECT_TRUE(read_file(folder / "first") == read_file(folder / "second"));
    EXPECT_TRUE(read_file(folder / "first_state") == read_file(folder / "second_state"));
}

INSTANTIATE_TEST_SUITE_P(All, TracedKernels,
                         testing::Values("barrier_reduction", "context_switch", "nested_divergence",
                                         "producer_consumer", "warpsync_groups"),
                         [](const auto &kernel) { return std::string(kernel.param); });

} // namespace
} // namespace smsim
