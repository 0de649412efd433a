// Programs on the PTX interpreter, compared with results worked out by hand.
#include <gmock/gmock.h>

#include "tb/ptx_oracle/test_support.h"

namespace smsim::ptx::interpreter::test {
namespace {

/// A kernel whose body leaves a value in %r0, which is stored at out[thread].
std::string storing(const std::string &body, const std::string &before = "") {
    return before + R"(
.visible .entry k(.param .u64 out) {
.reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<16>; .reg .b64 %d<16>; .reg .f32 %f<8>;
mov.u32 %r1, %tid.x;
mov.u32 %r2, %ctaid.x;
mov.u32 %r3, %ntid.x;
mad.lo.u32 %r4, %r2, %r3, %r1;
ld.param.u64 %d0, [out];
mad.wide.u32 %d0, %r4, 4, %d0;
{
)" + body + R"(
}
st.global.u32 [%d0], %r0;
ret;
}
)";
}

std::vector<std::uint32_t> results(const std::string &body, std::uint32_t threads, const std::string &before = "",
                                   std::uint32_t ctas = 1) {
    const Result result = run_words(storing(body, before), std::size_t{threads} * ctas, threads, ctas);
    EXPECT_EQ(result.error, "");
    return words_of(result);
}

std::string failure(const std::string &body, std::uint32_t threads, const std::string &before = "") {
    return run_words(storing(body, before), threads, threads).error;
}

using Words = std::vector<std::uint32_t>;

TEST(Programs, SpecialRegistersAndLoops) {
    const std::string body = R"(
mov.u32 %r0, 0; mov.u32 %r5, 0;
LOOP: add.u32 %r0, %r0, %r5; add.u32 %r5, %r5, 1; setp.le.u32 %p0, %r5, %r4; @%p0 bra LOOP;)";
    EXPECT_EQ(results(body, 2, "", 2), (Words{0, 1, 3, 6}));
}

TEST(Programs, VariablesOfTheModuleWithValues) {
    const std::string before = R"(
.global .align 4 .u32 table[2][2] = {{1, 2}, {3, 4}};
.global .u64 place = generic(table) + 4;
.const .f32 one = 1.0;)";
    const std::string body = R"(
ld.global.u64 %d1, [place]; ld.u32 %r0, [%d1 + 4];
ld.const.b32 %r5, [one]; add.u32 %r0, %r0, %r5;
mov.u64 %d2, table; ld.global.v2.u32 {%r6, %r7}, [%d2]; add.u32 %r0, %r0, %r7;)";
    EXPECT_EQ(results(body, 1, before), (Words{3 + 0x3f80'0000 + 2}));
}

TEST(Programs, SharedMemoryAndBarriers) {
    const std::string before = ".shared .u32 tile[64];\n";
    const std::string body = R"(
mov.u32 %r5, tile; mad.lo.u32 %r6, %r1, 4, %r5; st.shared.u32 [%r6], %r1;
bar.sync 0;
xor.b32 %r7, %r1, 63; mad.lo.u32 %r7, %r7, 4, %r5; ld.shared.u32 %r0, [%r7];
setp.eq.u32 %p0, %r0, 7; bar.red.popc.u32 %r8, 0, %p0; shl.b32 %r8, %r8, 8; or.b32 %r0, %r0, %r8;)";
    const Words words = results(body, 64, before);
    for (std::uint32_t i = 0; i < 64; ++i) {
        EXPECT_EQ(words[i], (63 - i) | 0x100);
    }
}

TEST(Programs, NamedBarrierOfProducersAndConsumers) {
    const std::string before = ".shared .u32 box;\n";
    const std::string body = R"(
setp.lt.u32 %p0, %r1, 32; mov.u32 %r0, 5;
@%p0 bra CONSUMER;
st.shared.u32 [box], 77; bar.arrive 3, 64; bra DONE;
CONSUMER: bar.sync 3, 64; ld.shared.u32 %r0, [box];
DONE: )";
    const Words words = results(body, 64, before);
    EXPECT_EQ(words[0], 77U);
    EXPECT_EQ(words[63], 5U);
}

TEST(Programs, ThreadsThatEndAfterTheyArrivedCountOnce) {
    const std::string body = R"(
setp.lt.u32 %p0, %r1, 64; @%p0 bra CONSUMER;
bar.arrive 3, 128; and.b32 %r5, %r1, 1; setp.eq.u32 %p1, %r5, 0; @%p1 exit; bar.arrive 4, 128; exit;
CONSUMER: bar.sync 3, 128; bar.sync 4, 128; mov.u32 %r0, 1;)";
    EXPECT_EQ(results(body, 128)[0], 1U);
}

TEST(Programs, ThreadsOfAWarpExchange) {
    EXPECT_EQ(results("shfl.sync.down.b32 %r0, %r1, 1, 31, 0xf;", 4), (Words{1, 2, 3, 3}));
    EXPECT_EQ(results("shfl.sync.bfly.b32 %r0|%p0, %r1, 1, 31, 0xf; @!%p0 mov.u32 %r0, 99;", 4), (Words{1, 0, 3, 2}));
    EXPECT_EQ(results("shfl.sync.up.b32 %r0, %r1, 2, 0, 0xf;", 4), (Words{0, 1, 0, 1}));
    EXPECT_EQ(results("shfl.sync.idx.b32 %r0, %r1, 1, 0x1e1f, 0xf;", 4), (Words{1, 1, 3, 3}));
    EXPECT_EQ(results("setp.gt.u32 %p0, %r1, 1; vote.sync.ballot.b32 %r0, %p0, 15;", 4), (Words{12, 12, 12, 12}));
    EXPECT_EQ(results("and.b32 %r5, %r1, 1; match.any.sync.b32 %r0, %r5, 15;", 4), (Words{5, 10, 5, 10}));
    EXPECT_EQ(results("redux.sync.add.u32 %r0, %r1, 15;", 4), (Words{6, 6, 6, 6}));
}

TEST(Programs, MeetingsFollowTheirMasks) {
    const std::string body = R"(
and.b32 %r5, %r1, 1; setp.eq.u32 %p0, %r5, 1; @%p0 bra ODD;
redux.sync.add.u32 %r0, %r1, 5; bra END;
ODD: redux.sync.max.u32 %r0, %r1, 10;
END: )";
    EXPECT_EQ(results(body, 4), (Words{2, 3, 2, 3}));
}

TEST(Programs, SpinLocksEnd) {
    const std::string before = ".global .u32 lock; .global .u32 count;\n";
    const std::string body = R"(
SPIN: atom.global.cas.b32 %r5, [lock], 0, 1; setp.ne.u32 %p0, %r5, 0; @%p0 bra SPIN;
ld.global.u32 %r6, [count]; add.u32 %r6, %r6, 1; st.global.u32 [count], %r6;
membar.gl; atom.global.exch.b32 _, [lock], 0;
bar.sync 0; ld.global.u32 %r0, [count];)";
    EXPECT_EQ(results(body, 3, before), (Words{3, 3, 3}));
}

constexpr const char *kFunctions = R"(
.func (.param .b32 r) twice(.param .b32 a) {
.reg .b32 %x;
ld.param.b32 %x, [a]; shl.b32 %x, %x, 1; st.param.b32 [r], %x; ret;
}
.func (.reg .b32 r) three(.reg .b32 a) { mul.lo.u32 r, a, 3; ret; }
.func (.param .b32 r) same(.param .b32 a);
.global .u64 table[2] = {twice, same};
.func (.param .b32 r) same(.param .b32 a) {
.reg .b32 %x; .reg .pred %p; .param .b32 in; .param .b32 out;
ld.param.b32 %x, [a]; setp.eq.u32 %p, %x, 0; @%p bra END;
sub.u32 %x, %x, 1; st.param.b32 [in], %x; call (out), same, (in);
ld.param.b32 %x, [out]; add.u32 %x, %x, 1;
END: st.param.b32 [r], %x; ret;
}
)";

TEST(Programs, CallsDirectIndirectAndRecursive) {
    const std::string body = R"(
.param .b32 in; .param .b32 out;
add.u32 %r5, %r1, 10; st.param.b32 [in], %r5;
and.b32 %r6, %r1, 1; mul.wide.u32 %d1, %r6, 8; mov.u64 %d2, table; add.u64 %d1, %d1, %d2; ld.global.u64 %d1, [%d1];
P: .callprototype (.param .b32 _) _ (.param .b32 _);
call (out), %d1, (in), P;
ld.param.b32 %r0, [out];
call (%r7), three, (%r0); add.u32 %r0, %r7, 1;)";
    EXPECT_EQ(results(body, 2, kFunctions), (Words{61, 34}));
}

TEST(Programs, BranchTables) {
    const std::string body = R"(
T: .branchtargets A, B, C;
brx.idx %r1, T;
A: mov.u32 %r0, 10; bra END;
B: mov.u32 %r0, 20; bra END;
C: mov.u32 %r0, 30;
END: )";
    EXPECT_EQ(results(body, 3), (Words{10, 20, 30}));
    EXPECT_THAT(failure(body, 4), testing::HasSubstr("index 3 of a table of 3"));
}

TEST(Programs, GenericAddressesOfAllSpaces) {
    const std::string before = ".shared .u32 tile[4]; .global .u32 data[4];\n";
    const std::string body = R"(
.local .u32 own[2];
mov.u64 %d1, tile; cvta.shared.u64 %d1, %d1; st.u32 [%d1 + 4], 7; ld.shared.u32 %r0, [tile + 4];
mov.u64 %d2, own; cvta.local.u64 %d2, %d2; st.u32 [%d2], 30; ld.local.u32 %r5, [own]; add.u32 %r0, %r0, %r5;
isspacep.shared %p0, %d1; isspacep.global %p1, %d1; selp.u32 %r5, 100, 0, %p0; add.u32 %r0, %r0, %r5;
selp.u32 %r5, 1000, 0, %p1; add.u32 %r0, %r0, %r5;
cvta.to.shared.u64 %d1, %d1; ld.shared.u32 %r5, [%d1 + 4]; add.u32 %r0, %r0, %r5;
cvta.param.u64 %d3, out; ld.u64 %d4, [%d3]; sub.u64 %d4, %d0, %d4; cvt.u32.u64 %r5, %d4; add.u32 %r0, %r0, %r5;)";
    EXPECT_EQ(results(body, 1, before), (Words{7 + 30 + 100 + 7}));
}

TEST(Programs, NarrowLoadsExtendByTheirType) {
    const std::string before = ".global .u32 data = 0x80ff;\n";
    EXPECT_EQ(results("ld.global.s8 %r0, [data];", 1, before), Words{0xffff'ffff});
    EXPECT_EQ(results("ld.global.u8 %r0, [data];", 1, before), Words{0xff});
    EXPECT_EQ(results("ld.global.s16 %r0, [data];", 1, before), Words{0xffff'80ff});
    EXPECT_EQ(results("ld.global.b16 %h1, [data]; cvt.s32.s8 %r0, %h1;", 1, before), Words{0xffff'ffff});
    EXPECT_EQ(results("mov.b32 {%h1, %h2}, 0x12345678; mov.b32 %r0, {%h2, %h1};", 1), Words{0x5678'1234});
    EXPECT_EQ(results("mov.b64 {_, %r0}, 0x1234567800000000;", 1), Words{0x1234'5678});
}

TEST(Programs, FailuresHaveTheirCauses) {
    EXPECT_THAT(failure("trap;", 1), testing::HasSubstr("trap"));
    EXPECT_THAT(failure("ld.global.u32 %r0, [%d0 + 4096];", 1), testing::HasSubstr("no 4 bytes"));
    EXPECT_THAT(failure("ld.global.u32 %r0, [%d0 + 1];", 2), testing::HasSubstr("not a multiple"));
    EXPECT_THAT(failure("L: bra L;", 1), testing::HasSubstr("not ended"));
    EXPECT_THAT(failure("bar.sync 1, 64;", 32), testing::HasSubstr("never arrive"));
    EXPECT_THAT(failure("bar.warp.sync 2;", 1), testing::HasSubstr("not in its mask"));
    EXPECT_THAT(failure("call f;", 1, ".func f { call f; ret; }\n"), testing::HasSubstr("deeper calls"));
    EXPECT_THAT(failure("mov.u64 %d1, 5; P: .callprototype _ (); call %d1, P;", 1), testing::HasSubstr("no function"));
}

} // namespace
} // namespace smsim::ptx::interpreter::test
