// The trace as plain text of control states (`--trace-format control`): exact bytes, for line-by-line comparison with
// the logs of other simulators.
#include <string>

#include <gtest/gtest.h>

#include "tb/support/child_process.h"

namespace smsim {
namespace {

/// Two warps of one CTA; odd threads take one path, even ones the other, and both meet at the JOIN.
constexpr const char *kSimtStack = R"(.engine simt_stack
.kernel k
    S2R R0, SR_TID.X;
    LOP3 R1, R0, 0x3, RZ, 0xc0;
    SETRPC join;
    VBEQ R1, RZ, fourth;
    IADD3 R2, R0, 0x64, RZ;
    BRA join;
fourth:
    IMAD R2, R0, 0x3, RZ;
join:
    JOIN;
    ENDPRG;
)";

constexpr const char *kTokenStack = R"(.engine token_stack
.kernel k
    S2R R0, SR_TID.X;
    LOP3.CC R1, R0, 0x1, RZ, 0xc0;
    SSY join;
    BRA CC.EQ, even;
    SYNC;
even:
    SYNC;
join:
    EXIT;
)";

class ControlLog : public testing::Test {
  protected:
    test::CommandResult run(const std::string &options, const std::string &block = "32") {
        test::write_file(folder / "launch.yaml",
                         "program: k.sasm\ngrid: 1\nblock: " + block + "\nset: {bru.engine: " + engine + "}\n");
        test::write_file(folder / "k.sasm", text);
        return test::run_command_line(std::string(SMSIM_BINARY) + " run --report none " + options + " " +
                                      (folder / "launch.yaml"));
    }
    std::string log(const std::string &format, const std::string &block = "32") {
        const test::CommandResult done = run("--trace " + (folder / "log") + " --trace-format " + format, block);
        EXPECT_EQ(done.status, 0) << done.output;
        return test::read_file(folder / "log");
    }

    test::TemporaryFolder folder;
    std::string engine = "simt_stack";
    std::string text = kSimtStack;
};

TEST_F(ControlLog, HasALineForEachControlInstructionWithTheStateAfterIt) {
    EXPECT_EQ(log("control"),
              "cta 0 warp 0 pc 0x30 mask 0xffffffff rpc 0x70 stack\n"
              "cta 0 warp 0 pc 0x60 mask 0x11111111 rpc 0x70 stack {0x70 0x70 0xffffffff} {0x70 0x40 0xeeeeeeee}\n"
              "cta 0 warp 0 pc 0x40 mask 0xeeeeeeee rpc 0x70 stack {0x70 0x70 0xffffffff}\n"
              "cta 0 warp 0 pc 0x70 mask 0xeeeeeeee rpc 0x70 stack {0x70 0x70 0xffffffff}\n"
              "cta 0 warp 0 pc 0x70 mask 0xffffffff rpc 0x70 stack\n"
              "cta 0 warp 0 pc 0x80 mask 0xffffffff rpc 0x70 stack\n"
              "cta 0 warp 0 pc 0x80 mask 0x00000000 rpc 0x70 stack\n");
}

TEST_F(ControlLog, HasTheFieldsOfTheRunningEngine) {
    engine = "token_stack";
    text = kTokenStack;
    EXPECT_EQ(log("control"),
              "cta 0 warp 0 PC 0x30 ActiveMask 0xffffffff ValidMask 0xffffffff LMT 0 tokens {SYNC 0xffffffff 0x60}\n"
              "cta 0 warp 0 PC 0x40 ActiveMask 0xaaaaaaaa ValidMask 0xffffffff LMT 0 tokens {SYNC 0xffffffff 0x60} "
              "{DIV 0x55555555 0x50}\n"
              "cta 0 warp 0 PC 0x50 ActiveMask 0x55555555 ValidMask 0xffffffff LMT 0 tokens {SYNC 0xffffffff 0x60}\n"
              "cta 0 warp 0 PC 0x60 ActiveMask 0xffffffff ValidMask 0xffffffff LMT 0 tokens\n"
              "cta 0 warp 0 PC 0x60 ActiveMask 0x00000000 ValidMask 0x00000000 LMT 0 tokens\n");
}

// The cycles are at the ends of lines, so that the text before them is the same.
TEST_F(ControlLog, EndsItsLinesWithCyclesOnRequest) {
    const std::string plain = log("control", "64");
    std::string without;
    std::string with = log("timed", "64");
    while (!with.empty()) {
        const std::string line = with.substr(0, with.find('\n'));
        with.erase(0, line.size() + 1);
        const std::size_t cycle = line.find(" cycle ");
        ASSERT_NE(cycle, std::string::npos) << line;
        EXPECT_GT(std::stoul(line.substr(cycle + 7)), 0U);
        without += line.substr(0, cycle) + "\n";
    }
    EXPECT_EQ(without, plain);
    EXPECT_NE(plain.find("cta 0 warp 1 pc"), std::string::npos);
}

TEST_F(ControlLog, WantsATraceAndHasNoFieldsOfJson) {
    EXPECT_EQ(run("--trace-format control").output,
              "smsim: error: --trace-format says what a trace looks like; ask for the trace with --trace\n");
    EXPECT_EQ(run("--trace x --trace-format control --trace-fields memory").output,
              "smsim: error: --trace-fields adds members to lines of JSON; --trace-format control has none\n");
    EXPECT_EQ(run("--trace x --trace-format stack").status, 2);
}

} // namespace
} // namespace smsim
