// Kernels for the engine token_stack whose threads store one number each, with that number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace smsim::test::token_stack {

struct Kernel {
    std::string_view name;
    std::string text;
    std::function<std::uint32_t(std::uint32_t tid)> expected{};
    std::vector<std::string> settings{};
};

/// R0 is the thread, R4 its number, which is stored after `body`; `functions` follow the kernel.
inline std::string kernel(const std::string &body, const std::string &functions = {}) {
    return ".engine token_stack\n"
           ".kernel k\n"
           ".shared 0x400\n"
           "    S2R R0, SR_TID.X;\n"
           "    MOV R1, 0x4;\n"
           "    IMAD.WIDE.U32 R[2:3], R0, R1, c[0x0][0x160];\n"
           "    MOV R4, RZ;\n" +
           body +
           "    STG [R[2:3]], R4;\n"
           "    EXIT;\n" +
           (functions.empty() ? "" : ".endkernel\n" + functions);
}

/// Threads of a warp that take a lock one after another: the holder waits after the loop for the spinning threads.
inline std::string spin_lock() {
    return kernel(R"(
    MOV R6, RZ;
    MOV R7, 0x1;
    PBK taken;
spin:
    ATOMS.CAS R5, [R6], RZ, R7;
    ISETP.EQ.AND P0, PT, R5, RZ, PT;
    @P0 BRK;
    BRA spin;
taken:
    STS [R6], RZ;
)");
}

inline std::vector<Kernel> kernels() {
    std::vector<Kernel> all;
    all.push_back({"If", kernel(R"(
    LOP3 R5, R0, 0x1, RZ, 0xc0;
    ISETP.NE.AND P0, PT, R5, RZ, PT;
    SSY join;
    @!P0 BRA skip;
    IADD3 R4, R4, 0x5, RZ;
skip:
    SYNC;
join:
    IADD3 R4, R4, R0, RZ;
)"),
                   [](std::uint32_t tid) { return tid + (tid % 2 != 0 ? 5 : 0); }});
    all.push_back({"IfElse", kernel(R"(
    LOP3.CC R5, R0, 0x1, RZ, 0xc0;
    SSY join;
    BRA CC.EQ, even;
    IADD3 R4, R0, 0x64, RZ;
    SYNC;
even:
    IMAD R4, R0, 0x3, RZ;
    SYNC;
join:
    IADD3 R4, R4, 0x1, RZ;
)"),
                   [](std::uint32_t tid) { return (tid % 2 == 0 ? 3 * tid : tid + 100) + 1; }});
    all.push_back({"NestedIf", kernel(R"(
    ISETP.GE.U32.AND.CC PT, PT, R0, 0x14, PT;
    LOP3 R5, R0, 0x1, RZ, 0xc0;
    ISETP.NE.AND P0, PT, R5, RZ, PT;
    SSY outer;
    BRA CC.HS, large;
    SSY inner;
    @P0 BRA odd;
    MOV R4, 0x1;
    SYNC;
odd:
    MOV R4, 0x2;
    SYNC;
inner:
    SHL R4, R4, 0x4;
    SYNC;
large:
    IADD3 R4, R0, 0x7, RZ;
    SYNC;
outer:
    IADD3 R4, R4, 0x1, RZ;
)"),
                   [](std::uint32_t tid) { return (tid >= 20 ? tid + 7 : (tid % 2 != 0 ? 2 : 1) << 4) + 1; }});
    all.push_back({"FloatCompare", kernel(R"(
    I2F.F32.S32 R5, R0;
    MOV R6, 10.0;
    ISETP.EQ.AND P0, PT, R0, 0x3, PT;
    @P0 MOV R5, 0x7fc00000;
    FSETP.F.AND.CC PT, PT, R5, R6, PT;
    SSY join;
    BRA CC.GEU, not_less;
    MOV R4, 0x1;
    SYNC;
not_less:
    MOV R4, 0x2;
    BRA CC.NUM, number;
    IADD3 R4, R4, 0x10, RZ;
number:
    SYNC;
join:
)"),
                   [](std::uint32_t tid) { return tid == 3   ? 0x12
                                                  : tid < 10 ? 1
                                                             : 2; }});
    all.push_back({"BreakAndContinue", kernel(R"(
    LOP3 R6, R0, 0x7, RZ, 0xc0;
    IADD3 R6, R6, 0x3, RZ;
    MOV R5, RZ;
    PBK done;
round:
    PCNT next;
    ISETP.EQ.AND P0, PT, R5, R6, PT;
    @P0 BRK;
    LOP3 R7, R5, 0x1, RZ, 0xc0;
    ISETP.NE.AND P1, PT, R7, RZ, PT;
    @P1 CONT;
    IADD3 R4, R4, R5, R5;
    CONT;
next:
    IADD3 R5, R5, 0x1, RZ;
    BRA round;
done:
    IADD3 R4, R4, R0, RZ;
)"),
                   [](std::uint32_t tid) {
                       std::uint32_t sum = tid;
                       for (std::uint32_t i = 0; i < tid % 8 + 3; i += 2) {
                           sum += 2 * i;
                       }
                       return sum;
                   }});
    all.push_back({"BreakOutOfARegion", kernel(R"(
    LOP3 R6, R0, 0xf, RZ, 0xc0;
    MOV R5, RZ;
    PBK done;
round:
    IADD3 R5, R5, 0x1, RZ;
    LOP3 R7, R5, 0x1, RZ, 0xc0;
    ISETP.NE.AND P0, PT, R7, RZ, PT;
    SSY join;
    @P0 BRA odd;
    ISETP.GT.AND P1, PT, R5, R6, PT;
    @P1 BRK;
    IADD3 R4, R4, 0x3, RZ;
    SYNC;
odd:
    IADD3 R4, R4, 0x1, RZ;
    SYNC;
join:
    BRA round;
done:
    SHL R4, R4, 0x1;
)"),
                   [](std::uint32_t tid) {
                       std::uint32_t number = 0;
                       for (std::uint32_t i = 1; i % 2 != 0 || i <= tid % 16; ++i) {
                           number += i % 2 != 0 ? 1 : 3;
                       }
                       return number << 1;
                   }});
    all.push_back({"LoopClosedByABranch", kernel(R"(
    LOP3 R6, R0, 0x1f, RZ, 0xc0;
    MOV R5, RZ;
    SSY join;
round:
    IADD3 R4, R4, R5, RZ;
    IADD3 R5, R5, 0x1, RZ;
    ISETP.LE.AND P0, PT, R5, R6, PT;
    @P0 BRA round;
    SYNC;
join:
    IADD3 R4, R4, 0x1, RZ;
)"),
                   [](std::uint32_t tid) { return tid % 32 * (tid % 32 + 1) / 2 + 1; }});
    all.push_back({"SwitchByBrx", kernel(R"(
.const 3
    .word first - base, second - base, third - base, fourth - base
.text
    LOP3 R5, R0, 0x3, RZ, 0xc0;
    SHL R5, R5, 0x2;
    LDC R6, c[0x3][R5];
    SSY join;
    BRX R6;
base:
first:
    MOV R4, 0x10;
    SYNC;
second:
    MOV R4, 0x20;
third:
    IADD3 R4, R4, 0x3, RZ;
    SYNC;
fourth:
    IMAD R4, R0, R0, RZ;
    SYNC;
join:
    IADD3 R4, R4, 0x1, RZ;
)"),
                   [](std::uint32_t tid) {
                       constexpr std::uint32_t kCases[] = {0x10, 0x23, 0x3};
                       return (tid % 4 == 3 ? tid * tid : kCases[tid % 4]) + 1;
                   }});
    all.push_back({"JumpsOfEveryForm", kernel(R"(
.const 3
    .word there, near - after
.text
    MOV R5, four;
    JMP c[0x3][0x0];
    IADD3 R4, R4, 0x64, RZ;
there:
    IADD3 R4, R4, 0x1, RZ;
    BRA c[0x3][0x4];
after:
    IADD3 R4, R4, 0x64, RZ;
near:
    IADD3 R4, R4, 0x2, RZ;
    JMP three;
    IADD3 R4, R4, 0x64, RZ;
three:
    IADD3 R4, R4, 0x4, RZ;
    JMX R5+0x10;
four:
    IADD3 R4, R4, 0x64, RZ;
    IADD3 R4, R4, 0x8, RZ;
    ISETP.GE.U32.AND P0, PT, R0, 0x20, PT;
    @P0 BRA.U five;
    IADD3 R4, R4, 0x10, RZ;
five:
    ISETP.EQ.AND P0, PT, R0, RZ, PT;
    @P0 BRA.U six;
    IADD3 R4, R4, 0x20, RZ;
six:
)"),
                   [](std::uint32_t tid) { return 0xf + (tid < 32 ? 0x10 : 0) + 0x20; }});
    all.push_back(
        {"NestedCalls",
         kernel(R"(
    LOP3 R5, R0, 0x1, RZ, 0xc0;
    ISETP.NE.AND P0, PT, R5, RZ, PT;
    @P0 CAL outer;
    IADD3 R4, R4, 0x1, RZ;
    CAL inner;
)",
                R"(
outer:
    IADD3 R4, R4, 0x10, RZ;
    CAL inner;
    ISETP.GT.AND P1, PT, R0, 0x8, PT;
    @P1 RET;
    IADD3 R4, R4, 0x100, RZ;
    RET;
inner:
    IADD3 R4, R4, R0, RZ;
    RET;
)"),
         [](std::uint32_t tid) { return (tid % 2 != 0 ? 0x10 + tid + (tid > 8 ? 0 : 0x100) : 0) + 1 + tid; }});
    all.push_back({"Recursion",
                   kernel(R"(
    LOP3 R5, R0, 0x3, RZ, 0xc0;
    IADD3 R5, R5, 0x2, RZ;
    CAL down;
)",
                          R"(
down:
    IADD3 R4, R4, R5, RZ;
    IADD3 R5, R5, -0x1, RZ;
    ISETP.GT.AND P0, PT, R5, RZ, PT;
    @P0 CAL down;
    RET;
)"),
                   [](std::uint32_t tid) { return (tid % 4 + 2) * (tid % 4 + 3) / 2; }});
    all.push_back({"ReturnOutOfALoop",
                   kernel(R"(
    CAL search;
    IADD3 R4, R4, 0x1, RZ;
)",
                          R"(
search:
    LOP3 R6, R0, 0x7, RZ, 0xc0;
    MOV R5, RZ;
    PBK done;
round:
    ISETP.EQ.AND P0, PT, R5, R6, PT;
    SSY join;
    @!P0 BRA skip;
    SHL R4, R5, 0x2;
    RET;
skip:
    SYNC;
join:
    IADD3 R5, R5, 0x1, RZ;
    ISETP.EQ.AND P0, PT, R5, 0x5, PT;
    @P0 BRK;
    BRA round;
done:
    MOV R4, 0x63;
    RET;
)"),
                   [](std::uint32_t tid) { return (tid % 8 < 5 ? tid % 8 << 2 : 0x63) + 1; }});
    all.push_back({"CallThroughARegister",
                   kernel(R"(
    LOP3 R5, R0, 0x1, RZ, 0xc0;
    ISETP.NE.AND P0, PT, R5, RZ, PT;
    MOV R6, square;
    @P0 MOV R6, twice;
    CAL R6;
    IADD3 R4, R4, 0x1, RZ;
    PRET back;
    JMX.LMT R6;
back:
    IADD3 R4, R4, 0x1, RZ;
)",
                          R"(
square:
    IMAD R4, R0, R0, R4;
    RET;
twice:
    IADD3 R4, R4, R0, R0;
    RET;
)"),
                   [](std::uint32_t tid) { return 2 * (tid % 2 != 0 ? 2 * tid : tid * tid) + 2; }});
    all.push_back({"ConditionalCall",
                   kernel(R"(
    LOP3 R5, R0, 0x1, RZ, 0xc0;
    ISETP.NE.AND P0, PT, R5, RZ, PT;
    CAL outer;
)",
                          R"(
outer:
    PRET back;
    BRA.LMT decide;
back:
    IADD3 R4, R4, 0x7, RZ;
    RET;
decide:
    @!P0 RET;
    BRA inner;
inner:
    IADD3 R4, R4, R0, RZ;
    RET;
)"),
                   [](std::uint32_t tid) { return 7 + (tid % 2 != 0 ? tid : 0); }});
    all.push_back({"ExitOfTwoLoopsByAFlag", kernel(R"(
    LOP3 R8, R0, 0x1f, RZ, 0xc0;
    MOV R5, RZ;
    PBK out;
outer:
    MOV R6, RZ;
    PBK inner_out;
inner:
    IMAD R7, R5, 0x5, R6;
    ISETP.EQ.AND P2, PT, R7, R8, PT;
    @P2 BRK;
    IADD3 R4, R4, 0x1, RZ;
    IADD3 R6, R6, 0x1, RZ;
    ISETP.EQ.AND P3, PT, R6, 0x5, PT;
    @P3 BRK;
    BRA inner;
inner_out:
    @P2 BRK;
    IADD3 R5, R5, 0x1, RZ;
    ISETP.EQ.AND P3, PT, R5, 0x5, PT;
    @P3 BRK;
    BRA outer;
out:
    SHL R4, R4, 0x1;
)"),
                   [](std::uint32_t tid) { return std::min<std::uint32_t>(tid % 32, 25) * 2; }});
    all.push_back({"ExitInsideARegion", kernel(R"(
    ISETP.LT.AND P0, PT, R0, 0xa, PT;
    SSY join;
    @!P0 BRA others;
    MOV R4, 0x7;
    STG [R[2:3]], R4;
    EXIT;
others:
    IADD3 R4, R0, 0x1, RZ;
    SYNC;
join:
    IADD3 R4, R4, 0x64, RZ;
)"),
                   [](std::uint32_t tid) { return tid < 10 ? 7 : tid + 101; }});
    all.push_back({"BarrierBehindADivergence", kernel(R"(
    LOP3 R5, R0, 0x1, RZ, 0xc0;
    ISETP.NE.AND P0, PT, R5, RZ, PT;
    SHL R6, R0, 0x2;
    SSY join;
    @P0 BRA odd;
    STS [R6], R0;
    SYNC;
odd:
    STS [R6], RZ;
    SYNC;
join:
    BAR.SYNC 0x0;
    LOP3 R7, R6, 0x80, RZ, 0x3c;
    LDS R4, [R7];
)"),
                   [](std::uint32_t tid) { return tid % 2 != 0 ? 0 : tid ^ 32U; }});
    all.push_back({"NanosleepAndWarpsync", kernel(R"(
    LOP3 R5, R0, 0x7, RZ, 0xc0;
    IADD3 R5, R5, 0x14, RZ;
    NANOSLEEP R5;
    WARPSYNC 0xffffffff;
    ISETP.LT.AND P0, PT, R0, 0x5, PT;
    @P0 NANOSLEEP 0x1e;
    MOV R4, R5;
)"),
                   [](std::uint32_t tid) { return tid % 8 + 20; }});
    return all;
}

} // namespace smsim::test::token_stack
