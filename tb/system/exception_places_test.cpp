// Where an exception is found: one determined by the operands lets nothing run after its instruction; one that depends
// on the state of a barrier or on the memory is found later, but still names the instruction and threads.
#include <cstring>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "session/simulation.h"
#include "tb/support/child_process.h"
#include "tb/support/kernel_launch.h"

namespace smsim {
namespace {

using testing::HasSubstr;

class ExceptionPlaces : public testing::Test {
  protected:
    /// Runs a program with a buffer of 32 words, all 0, in a CTA of one warp; the program must load `R[2:3]`.
    void run(const std::string &text, const std::vector<std::string> &settings = {}, unsigned block = 32,
             session::Options options = {}) {
        const test::TemporaryFolder folder;
        test::write_file(folder / "kernel.sasm", text);
        test::write_file(folder / "launch.yaml", "program: kernel.sasm\ngrid: 1\nblock: " + std::to_string(block) +
                                                     "\narguments:\n  - {name: a, type: u32, count: 32}\n");
        test::load(loaded, folder / "launch.yaml", settings);
        std::ostringstream trace;
        options.trace = &trace;
        result = session::simulate(loaded.config, loaded.program, *loaded.kernel, loaded.launch, options);
        ASSERT_TRUE(result.fault);
        std::istringstream lines(trace.str());
        for (std::string line; std::getline(lines, line);) {
            traced.push_back(nlohmann::json::parse(line));
        }
    }
    const RaisedException::Place &place() const { return result.raised.value().place.value(); }
    std::uint32_t word(std::size_t index) const {
        std::uint32_t value = 0;
        std::memcpy(&value, result.buffers.at(0).data() + index * 4, 4);
        return value;
    }
    /// The last line of the trace is that of the exception.
    void expect_traced() const {
        const nlohmann::json &last = traced.back();
        EXPECT_EQ(last["fault"], fault_name(*result.fault));
        EXPECT_EQ(last["cycle"], result.raised->cycle);
        EXPECT_EQ(last["pc"], place().pc);
        EXPECT_EQ(last["issued"], place().issued);
        for (std::size_t i = 0; i + 1 < traced.size(); ++i) {
            EXPECT_FALSE(traced[i].contains("fault"));
        }
    }

    test::KernelLaunch loaded;
    session::SimulationResult result;
    std::vector<nlohmann::json> traced;
};

struct Precise {
    const char *name;
    const char *before;
    const char *instruction;
    Fault fault;
};

class PreciseExceptions : public ExceptionPlaces, public testing::WithParamInterface<Precise> {};

TEST_P(PreciseExceptions, NothingRunsAfterTheInstruction) {
    const Precise &one = GetParam();
    run(std::string(".kernel k\n.shared 64\n LDC.64 R[2:3], c[0x0][0x160];\n S2R R1, SR_LANEID;\n MOV R5, 0x1;\n") +
            one.before + one.instruction + "\n STG [R[2:3]], R5;\n EXIT;\n",
        {"bcu.arrival_latency=900000"});
    EXPECT_EQ(result.fault, one.fault) << result.exception;
    EXPECT_EQ(word(0), 0U) << "the store after it has taken effect";
    EXPECT_EQ(place().issued_since, 0U);
    EXPECT_EQ(place().issued, result.raised->cycle);
    EXPECT_THAT(result.exception, HasSubstr("branch unit since its last control instruction"));
    expect_traced();
    for (std::size_t i = 0; i + 1 < traced.size(); ++i) {
        EXPECT_LT(traced[i]["pc"], place().pc);
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, PreciseExceptions,
    testing::Values(Precise{"BarrierCountOfArrive", "", "BAR.ARV 0x1, 0x30;", Fault::kBarrierCount},
                    Precise{"BarrierCountMissing", " MOV R6, RZ;\n", "BAR.ARV 0x1, R6;", Fault::kBarrierCount},
                    Precise{"BarrierOperand", "", "BAR.ARV R1, 0x40;", Fault::kBarrierOperand},
                    Precise{"WordThatIsNoState", " MOV R6, 0xc001;\n", "R2B.BAR 0x1, R6;", Fault::kBarrierOperand},
                    Precise{"MisalignedGlobal", "", "STG [R[2:3]+0x2], R5;", Fault::kMisalignedAddress},
                    Precise{"MisalignedShared", "", "STS [RZ+0x2], R5;", Fault::kMisalignedAddress},
                    Precise{"OutsideTheBuffers", "", "STG [R[2:3]+0x2000], R5;", Fault::kIllegalAddress},
                    Precise{"BeyondShared", "", "STS [RZ+0x40], R5;", Fault::kIllegalAddress},
                    Precise{"BeyondLocal", "", "STL [RZ], R5;", Fault::kIllegalAddress}),
    [](const auto &one) { return one.param.name; });

TEST_F(ExceptionPlaces, OneOfABarriersStateNamesInstructionAndThreadsThoughTheWarpHasGoneOn) {
    run(".kernel k\n"
        " S2R R1, SR_LANEID;\n"
        " ISETP.LT.U32.AND P0, PT, R1, 0x4, PT;\n"
        " BAR.ARV 0x1, 0x40;\n"
        " @P0 BAR.ARV 0x1, 0x60;\n"
        " NOP;\n NOP;\n EXIT;\n",
        {"bcu.arrival_latency=500"});
    EXPECT_EQ(result.fault, Fault::kBarrierMismatch);
    EXPECT_EQ(place().pc, 0x30U);
    EXPECT_EQ(place().line, 5U);
    EXPECT_EQ(place().active, LaneMask::all());
    EXPECT_EQ(place().threads, LaneMask(0xf));
    EXPECT_EQ(result.raised->cycle, place().issued + 500);
    EXPECT_EQ(place().issued_since, 3U);
    EXPECT_THAT(result.exception, HasSubstr("active 0xffffffff, executed by threads 0x0000000f; found 500 cycles after "
                                            "its issue, later instructions of the warp issued: 3"));
    expect_traced();
    EXPECT_EQ(traced.back()["executed"], "0x0000000f");
}

TEST_F(ExceptionPlaces, AnExceptionOfABlockingInstructionIsRaisedLateButNothingRunsAfterIt) {
    run(".kernel k\n BAR.ARV 0x1, 0x40;\n BAR.SYNC 0x1, 0x60;\n NOP;\n EXIT;\n", {"bcu.arrival_latency=500"});
    EXPECT_EQ(result.fault, Fault::kBarrierMismatch);
    EXPECT_EQ(result.raised->cycle, place().issued + 500);
    EXPECT_EQ(place().issued_since, 0U);
    expect_traced();
}

TEST_F(ExceptionPlaces, InstructionsIssuedSinceAreThoseOfEarlierCyclesInBothOrdersOfProcesses) {
    std::string nops;
    for (int i = 0; i < 30; ++i) {
        nops += " NOP;\n";
    }
    for (const bool reverse : {false, true}) {
        EXPECT_TRUE(test::run_in_child([&] {
            session::Options options;
            options.reverse_order = reverse;
            run(".kernel k\n BAR.ARV 0x1, 0x40;\n BAR.ARV 0x1, 0x60;\n" + nops + " EXIT;\n",
                {"bcu.arrival_latency=20", "icache.l1_latency=1"}, 32, options);
            EXPECT_EQ(result.fault, Fault::kBarrierMismatch);
            std::uint64_t before = 0;
            bool in_the_cycle = false;
            for (const nlohmann::json &line : traced) {
                const auto cycle = line["cycle"].get<Cycle>();
                before += cycle > place().issued && cycle < result.raised->cycle ? 1 : 0;
                in_the_cycle |= cycle == result.raised->cycle && !line.contains("fault");
            }
            EXPECT_TRUE(in_the_cycle) << "the warp issues in the cycle in which the exception is found";
            EXPECT_GT(before, 0U);
            EXPECT_EQ(place().issued_since, before);
        })) << reverse;
    }
}

TEST_F(ExceptionPlaces, ARefusedAccessAppearsInNoOtherLineOfTheTrace) {
    session::Options options;
    options.trace_fields = views::parse_trace_fields("memory");
    run(
        ".kernel k\n.shared 64\n S2R R0, SR_TID.X;\n ISETP.GE.U32.AND P0, PT, R0, 0x20, PT;\n @P0 BRA `(others);\n"
        " NOP;\n NOP;\n NOP;\n NOP;\n NOP;\n STS [RZ+0x2], R0;\n EXIT;\nothers:\n" +
            [] {
                std::string nops;
                for (int i = 0; i < 30; ++i) {
                    nops += " NOP;\n";
                }
                return nops;
            }() +
            " EXIT;\n",
        {"icache.l1_latency=1"}, 128, options);
    EXPECT_EQ(result.fault, Fault::kMisalignedAddress);
    bool others_ran = false;
    for (const nlohmann::json &line : traced) {
        EXPECT_FALSE(line.contains("memory")) << line;
        others_ran |= line["cycle"] >= result.raised->cycle && line["warp"] != 0;
    }
    EXPECT_TRUE(others_ran);
}

TEST_F(ExceptionPlaces, WithFurtherFieldsTheLineOfTheExceptionKeepsItsPlace) {
    session::Options options;
    options.trace_fields = views::parse_trace_fields("all");
    run(".kernel k\n LDC.64 R[2:3], c[0x0][0x160];\n LDG R4, [R[2:3]];\n NOP;\n NOP;\n BAR.ARV 0x1, 0x30;\n EXIT;\n",
        {}, 32, options);
    EXPECT_EQ(result.fault, Fault::kBarrierCount);
    expect_traced();
    for (std::size_t i = 1; i < traced.size(); ++i) {
        EXPECT_LE(traced[i - 1]["cycle"], traced[i]["cycle"]);
    }
}

TEST_F(ExceptionPlaces, OneWithoutAnInstructionHasAnAddressAndNoLineInTheTrace) {
    run(".kernel k\n NOP;\n NOP;\n");
    EXPECT_EQ(result.fault, Fault::kIllegalTarget);
    EXPECT_EQ(place().pc, 0x20U);
    EXPECT_EQ(place().instruction, "");
    EXPECT_FALSE(traced.back().contains("fault"));
}

TEST_F(ExceptionPlaces, ADeadlockHasNoPlace) {
    run(".kernel k\n BAR.SYNC 0x1, 0x40;\n EXIT;\n");
    EXPECT_EQ(result.fault, Fault::kBarrierDeadlock);
    EXPECT_EQ(result.raised->kind, Fault::kBarrierDeadlock);
    EXPECT_FALSE(result.raised->place);
    EXPECT_GT(result.raised->cycle, 0U);
}

} // namespace
} // namespace smsim
