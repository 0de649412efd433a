// A launch whose CTAs wait for CTAs that have no room ends at once and reports it; one that only looks like that runs
// to its end, however long it takes.
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tb/support/child_process.h"

namespace smsim {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Two CTAs of two warps fit; in each, warp 1 waits at a CTA barrier for warp 0, one thread of which executes `body`.
/// R[2:3] is a word that is 0 at first, R8 the number of the CTA, R7 is 0.
std::string kernel(const std::string &body, const std::string &engine = "") {
    const bool barriers = engine.empty();
    return engine +
           ".kernel k\n S2R R0, SR_TID.X;\n S2R R8, SR_CTAID.X;\n LDC.64 R[2:3], c[0x0][0x160];\n MOV R7, RZ;\n" +
           (barriers ? " ISETP.NE.AND P0, PT, R0, RZ, PT;\n BSSY B0, `(join);\n @P0 BRA `(join);\n"
                     : " SETRPC join;\n VBNE R0, RZ, join;\n") +
           body + (barriers ? "join:\n BSYNC B0;\n" : "join:\n JOIN;\n") + " BAR.SYNC 0x0;\n" +
           (barriers ? " EXIT;\n" : " ENDPRG;\n");
}

/// Arrives, and waits until `count` CTAs have.
std::string arrive_and(const std::string &wait) {
    return " MOV R5, 0x1;\n ATOMG.ADD R6, [R[2:3]], R5;\n" + wait;
}
constexpr const char *kLoad =
    "spin:\n LDG.CG R4, [R[2:3]];\n ISETP.LT.U32.AND P1, PT, R4, 0x3, PT;\n @P1 BRA `(spin);\n";

class GridBarrier : public testing::Test {
  protected:
    test::CommandResult run(const std::string &program, unsigned ctas, const std::string &options = "") {
        test::write_file(folder / "k.sasm", program);
        test::write_file(folder / "launch.yaml",
                         fmt::format("program: k.sasm\ngrid: {}\nblock: 64\nset: {{sm.max_ctas: 2}}\n"
                                     "arguments:\n  - {{name: words, type: u32, count: 64, init: zeros}}\n",
                                     ctas));
        return test::run_command_line(
            fmt::format("{} run --report none {} {}", SMSIM_BINARY, options, folder / "launch.yaml"));
    }
    void expect_found(const std::string &program, const std::string &options = "") {
        const test::CommandResult result = run(program, 3, options);
        EXPECT_EQ(result.status, 3) << result.output;
        EXPECT_THAT(result.output,
                    AllOf(HasSubstr("BarrierDeadlock: kernel 'k': 1 of 3 CTAs has never started: 2 fit at once"),
                          HasSubstr("0 of 3 CTAs have completed"), Not(HasSubstr("Watchdog"))));
    }
    void expect_completes(const std::string &program, const std::string &options = "") {
        const test::CommandResult result = run(program, 3, options);
        EXPECT_EQ(result.status, 0) << result.output;
    }

    test::TemporaryFolder folder;
};

TEST_F(GridBarrier, WithoutRoomForAllCtasEndsTheLaunch) {
    expect_found(kernel(arrive_and(kLoad)));
    expect_found(kernel(arrive_and(kLoad)), "--timing none");
    EXPECT_EQ(run(kernel(arrive_and(kLoad)), 3, "--set sm.max_ctas=3").status, 0) << "all have room";
}

TEST_F(GridBarrier, IsFoundOnOtherEnginesAndDesigns) {
    const std::string stack = kernel(arrive_and("spin:\n LDG.CG R4, [R[2:3]];\n MOV R9, 0x3;\n SETRPC over;\n"
                                                " VBLTU R4, R9, spin;\nover:\n JOIN;\n"),
                                     ".engine simt_stack\n");
    expect_found(stack, "--engine simt_stack");
    expect_found(stack, "--engine simt_stack --timing none");
    for (const char *design : {"--set bru.pipelines=1", "--set l1.enabled=false", "--set jitter.seed=3",
                               "--set global.atomics=read_write"}) {
        expect_found(kernel(arrive_and(kLoad)), design);
    }
}

TEST_F(GridBarrier, IsDetectedForEveryKindOfWait) {
    for (const char *options : {"", "--timing none"}) {
        // asleep in between; by an atomic that changes nothing; by a compare-and-swap that fails
        expect_found(kernel(arrive_and("spin:\n NANOSLEEP 0x3e8;\n LDG.CG R4, [R[2:3]];\n"
                                       " ISETP.LT.U32.AND P1, PT, R4, 0x3, PT;\n @P1 BRA `(spin);\n")),
                     options);
        expect_found(kernel(arrive_and("spin:\n ATOMG.ADD R4, [R[2:3]], RZ;\n ISETP.LT.U32.AND P1, PT, R4, 0x3, PT;\n"
                                       " @P1 BRA `(spin);\n")),
                     options);
        expect_found(kernel(arrive_and("spin:\n MOV R9, 0x3;\n ATOMG.CAS R4, [R[2:3]], R9, R9;\n"
                                       " ISETP.LT.U32.AND P1, PT, R4, 0x3, PT;\n @P1 BRA `(spin);\n")),
                     options);
    }
}

/// CTA 1 waits for a word that CTA 0 sets after `work`; CTA 2 has no room meanwhile.
std::string late(const std::string &work) {
    return kernel(" ISETP.NE.AND P1, PT, R8, RZ, PT;\n @P1 BRA `(wait);\n" + work +
                  " MOV R5, 0x3;\n STG [R[2:3]], R5;\nwait:\n" + kLoad);
}

TEST_F(GridBarrier, IsNotReportedForAWaitThatEnds) {
    // a loop that counts for longer than the check waits
    const auto counts = [](const char *times) {
        return late(std::string("work:\n IADD3 R7, R7, 0x1, RZ;\n ISETP.LT.U32.AND P1, PT, R7, ") + times +
                    ", PT;\n @P1 BRA `(work);\n");
    };
    expect_completes(counts("0x4000"));
    expect_completes(counts("0x80000"), "--timing none");
    // a loop whose counter is in the thread's own memory
    const std::string stores = late("work:\n LDG.CG R7, [R[2:3]+0x40];\n IADD3 R7, R7, 0x1, RZ;\n"
                                    " STG [R[2:3]+0x40], R7;\n ISETP.LT.U32.AND P1, PT, R7, 0x200, PT;\n MOV R7, RZ;\n"
                                    " @P1 BRA `(work);\n");
    // a loop that also reads memory
    const std::string looks = late("work:\n ATOMG.ADD R6, [R[2:3]+0x40], RZ;\n LDG.CG R6, [R[2:3]+0x80];\n"
                                   " IADD3 R7, R7, 0x1, RZ;\n ISETP.LT.U32.AND P1, PT, R7, 0x200, PT;\n"
                                   " @P1 BRA `(work);\n");
    // asleep
    const std::string sleeps = late(" NANOSLEEP 0x186a0;\n");
    for (const std::string &program : {stores, looks, sleeps}) {
        expect_completes(program);
        expect_completes(program, "--set l1.enabled=false");
        expect_completes(program, "--timing none");
    }
    // a clock, which is not part of the warp's state
    expect_completes(late("work:\n S2R R9, SR_CLOCKLO;\n ISETP.LT.U32.AND P1, PT, R9, 0x20000, PT;\n MOV R9, RZ;\n"
                          " LDG.CG R6, [R[2:3]];\n MOV R6, RZ;\n @P1 BRA `(work);\n"));
}

} // namespace
} // namespace smsim
