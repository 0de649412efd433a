#include "tb/ptx_differential/hand_written.h"

#include "tb/ptx_differential/runs.h"

namespace smsim::ptx_differential {

namespace {

constexpr const char *kHeader = ".version 8.0\n.target sm_80\n.address_size 64\n";

/// A kernel whose body leaves values in %r0 and %r1; both are stored for the thread.
std::string storing(const std::string &before, const std::string &body) {
    return kHeader + before + R"(
.visible .entry k(.param .u64 out) {
.reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<24>; .reg .b64 %d<16>; .reg .f32 %f<8>;
mov.u32 %r2, %tid.x;
mov.u32 %r3, %ctaid.x;
mov.u32 %r4, %ntid.x;
mad.lo.u32 %r5, %r3, %r4, %r2;
ld.param.u64 %d0, [out];
mad.wide.u32 %d0, %r5, 8, %d0;
mov.u32 %r0, 0; mov.u32 %r1, 0;
{
)" + body + R"(
}
st.global.v2.u32 [%d0], {%r0, %r1};
ret;
}
)";
}

HandWritten program(const std::string &name, std::vector<std::string> opcodes, const std::string &body,
                    const std::string &before = "", std::uint32_t threads = 64, std::uint32_t ctas = 2) {
    HandWritten written;
    written.name = name;
    written.opcodes = std::move(opcodes);
    written.text = storing(before, body);
    written.launch.kernel = "k";
    written.launch.block = {threads, 1, 1};
    written.launch.grid = {ctas, 1, 1};
    written.launch.arguments = {buffer_argument("out", std::vector<std::uint32_t>(2 * std::size_t{threads} * ctas))};
    return written;
}

HandWritten trapping(HandWritten written) {
    written.traps = true;
    return written;
}

constexpr const char *kFunctions = R"(
.func (.param .b32 r) twice(.param .b32 a) {
.reg .b32 %x;
ld.param.b32 %x, [a]; shl.b32 %x, %x, 1; st.param.b32 [r], %x; ret;
}
.func (.param .b32 r) square(.param .b32 a) {
.reg .b32 %x; .reg .pred %p;
ld.param.b32 %x, [a]; setp.gt.u32 %p, %x, 20; @%p bra BIG; mul.lo.u32 %x, %x, %x; st.param.b32 [r], %x; ret.uni;
BIG: st.param.b32 [r], 7; ret;
}
.func (.reg .b32 r) three(.reg .b32 a, .reg .b64 b) { .reg .b32 %lo, %hi; mov.b64 {%lo, %hi}, b; mad.lo.u32 r, a, 3, %hi; ret; }
.func (.param .align 8 .b8 r[16]) swap(.param .align 8 .b8 a[16]) {
.reg .b64 %x; .reg .b32 %y, %z;
ld.param.b64 %x, [a]; ld.param.b32 %y, [a+8]; ld.param.b32 %z, [a+12];
st.param.b32 [r], %z; st.param.b32 [r+4], %y; st.param.b64 [r+8], %x; ret;
}
.global .u64 table[2] = {twice, square};
)";

void add_control(std::vector<HandWritten> &programs) {
    programs.push_back(program("Loops that threads leave at different times", {"bra"}, R"(
and.b32 %r6, %r2, 7;
OUTER: mov.u32 %r7, %r6;
INNER: add.u32 %r0, %r0, %r7; mad.lo.u32 %r1, %r1, 3, 1; setp.eq.u32 %p0, %r1, 121; @%p0 bra OUT;
sub.u32 %r7, %r7, 1; setp.gt.s32 %p1, %r7, 0; @%p1 bra INNER;
sub.u32 %r6, %r6, 1; setp.gt.s32 %p2, %r6, 0; @%p2 bra OUTER;
bra.uni JOIN;
OUT: add.u32 %r0, %r0, 1000;
JOIN: )"));
    programs.push_back(program("A loop with two entries", {"bra"}, R"(
and.b32 %r6, %r2, 15; and.b32 %r7, %r2, 1; setp.eq.u32 %p0, %r7, 1; @%p0 bra SECOND;
FIRST: add.u32 %r0, %r0, 1;
SECOND: add.u32 %r1, %r1, %r6; sub.u32 %r6, %r6, 1; setp.gt.s32 %p1, %r6, 0; @%p1 bra FIRST;)"));
    programs.push_back(program("A table of branches with shared targets", {"brx"}, R"(
T: .branchtargets A, B, C, A, D;
rem.u32 %r6, %r2, 5;
brx.idx %r6, T;
A: add.u32 %r0, %r0, 10; bra END;
B: add.u32 %r0, %r0, 20;
C: add.u32 %r0, %r0, 30; bra END;
D: add.u32 %r6, %r6, 1; rem.u32 %r6, %r6, 5; add.u32 %r1, %r1, 1; brx.idx.uni %r6, T;
END: )"));
    programs.push_back(program("Threads that end early", {"exit", "ret"}, R"(
st.global.v2.u32 [%d0], {%r2, %r3};
and.b32 %r6, %r2, 3; setp.eq.u32 %p0, %r6, 0; @%p0 exit;
setp.eq.u32 %p1, %r6, 1; @%p1 ret;
mov.u32 %r0, 5; vote.sync.ballot.b32 %r1, 1, 0xcccccccc;)"));
    programs.push_back(trapping(program("A trap", {"trap"}, "setp.eq.u32 %p0, %r5, 70; @%p0 trap;")));
    programs.push_back(trapping(program("A breakpoint", {"brkpt"}, "setp.eq.u32 %p0, %r5, 0; @%p0 brkpt;")));
}

void add_calls(std::vector<HandWritten> &programs) {
    programs.push_back(program("Calls by name", {"call", "ret"}, R"(
.param .b32 in; .param .b32 back; .param .align 8 .b8 four[16]; .param .align 8 .b8 turned[16];
st.param.b32 [in], %r2; call.uni (back), square, (in); ld.param.b32 %r0, [back];
st.param.v2.b32 [four], {%r0, 1}; st.param.b64 [four+8], 0x500000002;
call (turned), swap, (four); ld.param.v2.b32 {%r6, %r7}, [turned]; ld.param.b64 %d1, [turned+8];
call (%r8), three, (%r6, %d1); mad.lo.u32 %r1, %r7, 100, %r8;)",
                               kFunctions));
    programs.push_back(program("Calls through a table", {"call"}, R"(
.param .b32 in; .param .b32 back;
P: .callprototype (.param .b32 _) _ (.param .b32 _);
and.b32 %r6, %r2, 1; mul.wide.u32 %d1, %r6, 8; mov.u64 %d2, table; add.u64 %d1, %d1, %d2; ld.global.u64 %d1, [%d1];
st.param.b32 [in], %r2; call (back), %d1, (in), P; ld.param.b32 %r0, [back];
T: .calltargets twice, square;
mov.u64 %d3, twice; st.param.b32 [in], %r0; call (back), %d3, (in), T; ld.param.b32 %r1, [back];)",
                               kFunctions));
    programs.push_back(program("Calls in divergent loops", {"call"}, R"(
and.b32 %r6, %r2, 7;
LOOP: { .param .b32 in; .param .b32 back;
st.param.b32 [in], %r6; call (back), square, (in); ld.param.b32 %r7, [back]; }
add.u32 %r0, %r0, %r7; sub.u32 %r6, %r6, 1; setp.ge.s32 %p0, %r6, 0; @%p0 bra LOOP;)",
                               kFunctions));
}

void add_orders(std::vector<HandWritten> &programs) {
    programs.push_back(program("Modifiers in other orders", {"vote", "shfl", "cvt", "atom"}, R"(
setp.gt.u32 %p0, %r2, 7; vote.ballot.sync.b32 %r6, %p0, -1; vote.b32.ballot.sync %r7, !%p0, -1;
shfl.idx.sync.b32 %r8, %r5, 3, 31, -1; cvt.f32.rz.ftz.u32 %f0, %r5; setp.ftz.f32.gt.and %p1, %f0, 0f41200000, %p0;
st.v2.u32.global [%d0], {%r6, %r7}; ld.u32.global %r9, [%d0+4]; mad.lo.u32.cc %r10, %r9, %r6, %r7; addc.u32 %r11, 0, 0;
add.u32 %r0, %r10, %r8; selp.u32 %r12, 3, 4, %p1; atom.u32.add.global.gpu.relaxed %r1, [%d0], %r12;
add.u32 %r1, %r1, %r11; bar.red.u32.popc %r13, 0, %p1; add.u32 %r1, %r1, %r13;)"));
}

constexpr const char *kOutput = R"(
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.extern .func __assertfail (.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);
.global .align 1 .b8 text[32] = {37, 100, 32, 37, 42, 120, 32, 37, 115, 32, 37, 108, 108, 117, 32, 37, 46, 51, 101, 32, 37, 99, 37, 37, 37, 104, 104, 100, 10, 0};
.const .align 1 .b8 word[4] = {97, 98, 99, 0};
.global .align 1 .b8 name[4] = {102, 111, 111, 0};
)";

void add_output(std::vector<HandWritten> &programs) {
    programs.push_back(program("Printing in divergent code", {"call"}, R"(
.local .align 8 .b8 list[64]; mov.u64 %d1, list; cvta.local.u64 %d2, %d1; and.b32 %r6, %r2, 3; setp.eq.u32 %p0, %r6, 3;
@%p0 bra END; st.local.v2.u32 [%d1], {%r5, %r6}; mul.lo.u32 %r7, %r5, %r5; st.local.u32 [%d1+8], %r7;
mov.u64 %d3, name; cvta.global.u64 %d3, %d3; st.local.u64 [%d1+16], %d3; cvt.u64.u32 %d4, %r5; shl.b64 %d4, %d4, 33;
st.local.u64 [%d1+24], %d4; mov.b64 %d5, 0x400921fb54442d18; st.local.u64 [%d1+32], %d5; add.u32 %r8, %r6, 65;
st.local.v2.u32 [%d1+40], {%r8, %r2};
.param .b64 f; .param .b64 a; .param .b32 back; mov.u64 %d6, text; cvta.global.u64 %d6, %d6; st.param.b64 [f], %d6;
st.param.b64 [a], %d2; call.uni (back), vprintf, (f, a); ld.param.b32 %r0, [back];
END: )",
                               kOutput));
    programs.push_back(trapping(program("A failed assertion", {"call"}, R"(
setp.ne.u32 %p0, %r5, 70; @%p0 bra END; .param .b64 m; .param .b64 l; .param .b32 n; mov.u64 %d1, name;
cvta.global.u64 %d1, %d1; st.param.b64 [m], %d1; st.param.b64 [l], 1; st.param.b32 [n], 12;
call __assertfail, (m, m, n, m, l);
END: )",
                                        kOutput)));
}

void add_stack(std::vector<HandWritten> &programs) {
    programs.push_back(program("Memory on the stack", {"alloca", "stacksave", "stackrestore"}, R"(
stacksave.u64 %d1; and.b32 %r6, %r2, 3; add.u32 %r6, %r6, 1; mul.wide.u32 %d2, %r6, 16;
alloca.u64 %d3, %d2, 16; st.local.u32 [%d3], %r2; cvta.local.u64 %d4, %d3; st.u32 [%d4+4], 7;
alloca.u64 %d5, 8; st.local.u32 [%d5], 1000; ld.local.v2.u32 {%r7, %r8}, [%d3]; ld.local.u32 %r9, [%d5];
add.u32 %r0, %r7, %r8; add.u32 %r0, %r0, %r9;
stackrestore.u64 %d1; alloca.u64 %d6, %d2, 16; setp.eq.u64 %p0, %d6, %d3; selp.u32 %r1, 1, 0, %p0;)"));
}

void add_moves(std::vector<HandWritten> &programs) {
    programs.push_back(program("Packed moves", {"mov"}, R"(
mov.b32 {%h0, %h1}, %r5; mov.b32 %r6, {%h1, %h0}; mov.b64 %d1, {%r5, %r6}; mov.b64 {%r7, %r8}, %d1;
mov.b64 {%h2, %h3, %h4, %h5}, %d1; mov.b64 %d2, {%h5, %h4, %h3, %h2}; mov.b64 {_, %r9}, %d2;
xor.b32 %r0, %r7, %r9; mov.u32 %r1, %r8;)"));
    programs.push_back(program("Special registers", {"mov"}, R"(
mov.u32 %r6, %laneid; mov.u32 %r7, %lanemask_lt; mov.u32 %r8, %lanemask_ge; mov.u32 %r9, %lanemask_eq;
mov.u32 %r10, %nctaid.x; mov.u32 %r11, %ntid.y; mov.u32 %r12, %tid.y; mov.u32 %r13, %lanemask_le; mov.u32 %r14, %lanemask_gt;
cvt.u64.u32 %d1, %ctaid.x; cvt.u32.u64 %r15, %d1; mov.u16 %h0, %tid.x;
add.u32 %r0, %r6, %r7; xor.b32 %r0, %r0, %r8; mad.lo.u32 %r0, %r9, 3, %r0; mad.lo.u32 %r0, %r0, %r10, %r15;
xor.b32 %r1, %r13, %r14; mad.lo.u32 %r1, %r11, 5, %r1; add.u32 %r1, %r1, %r12; cvt.u32.u16 %r16, %h0; add.u32 %r1, %r1, %r16;)"));
    programs.push_back(program("Addresses as values of variables", {"mov", "cvta"}, R"(
ld.global.u64 %d1, [pointer]; and.b32 %r6, %r2, 3; mad.wide.u32 %d1, %r6, 4, %d1; ld.u32 %r0, [%d1];
ld.global.u8 %r1, [bytes+1]; ld.const.f32 %f0, [half]; mov.b32 %r7, %f0; add.u32 %r1, %r1, %r7;
mov.u64 %d2, values+8; ld.global.u32 %r8, [%d2]; add.u32 %r1, %r1, %r8;)",
                               R"(
.global .align 4 .u32 values[4] = {10, 20, 30, 40};
.global .u64 pointer = generic(values);
.global .u8 bytes[3] = {1, 2, 3};
.const .f32 half = 0.5;
)"));
}

void add_warps(std::vector<HandWritten> &programs) {
    programs.push_back(program("Partial masks in divergent code", {"vote", "shfl", "match", "redux", "bar"}, R"(
and.b32 %r6, %r2, 3; setp.eq.u32 %p0, %r6, 2; @%p0 bra SOME;
redux.sync.add.u32 %r0, %r2, 0xbbbbbbbb; shr.u32 %r7, %r2, 3; match.any.sync.b32 %r1, %r7, 0xbbbbbbbb; bra JOIN;
SOME: shfl.sync.idx.b32 %r0, %r5, 2, 31, 0x44444444; setp.gt.u32 %p1, %r2, 40; vote.sync.any.pred %p2, %p1, 0x44444444;
selp.u32 %r1, 5, 6, %p2;
JOIN: bar.warp.sync 0xffffffff; add.u32 %r0, %r0, 1;)"));
    programs.push_back(program("Warps that are not full", {"vote", "match", "redux"}, R"(
setp.lt.u32 %p0, %r2, 32; selp.u32 %r6, 0xffffffff, 0xff, %p0;
redux.sync.xor.b32 %r0, %r5, %r6; vote.sync.ballot.b32 %r1, 1, %r6; match.all.sync.b32 %r7|%p1, %r3, %r6;
add.u32 %r1, %r1, %r7;)",
                               "", 40, 3));
    programs.push_back(program("Contended atomics", {"atom", "red"}, R"(
red.global.add.u32 [counters], 1; atom.global.max.s32 _, [counters+4], %r5; red.shared.or.b32 [own], %r2;
atom.global.add.u64 _, [counters+8], 0x100000001; red.global.xor.b32 [counters+16], %r5; bar.sync 0;
setp.ne.u32 %p0, %r2, 0; @%p0 bra END; ld.shared.u32 %r0, [own]; END: )",
                               R"(
.global .align 8 .u32 counters[8];
.shared .u32 own;
)"));
    programs.push_back(program("Contended sums of short floats", {"atom", "red"}, R"(
mov.u64 %d1, sums; mul.wide.u32 %d2, %r3, 8; add.u64 %d1, %d1, %d2; setp.eq.u32 %p0, %r2, 0;
@%p0 st.shared.u32 [pair], 0; bar.sync 0;
mov.b16 %h0, 0x3c00; mov.b16 %h1, 0x3f80; mov.b32 %r6, 0xc0003c00; mov.b32 %r7, 0xbf804000;
red.global.add.noftz.f16 [%d1+2], %h0; red.shared.add.noftz.bf16 [pair], %h1; red.add.noftz.f16x2 [%d1], %r6;
atom.shared.add.noftz.bf16x2 %r8, [pair], %r7; atom.global.add.noftz.f16 %h2, [%d1+4], %h0;
bar.sync 0; @%p0 ld.shared.u32 %r0, [pair]; @%p0 ld.volatile.global.u32 %r1, [%d1]; @!%p0 bra END;
ld.volatile.global.u32 %r9, [%d1+4]; xor.b32 %r1, %r1, %r9; END: )",
                               R"(
.global .align 8 .b32 sums[4];
.shared .align 4 .b32 pair;
)"));
    programs.push_back(program("Spin locks within a warp", {"atom"}, R"(
SPIN: atom.shared.cas.b32 %r6, [lock], 0, 1; setp.ne.u32 %p0, %r6, 0; @%p0 bra SPIN;
ld.volatile.shared.u32 %r7, [count]; add.u32 %r7, %r7, %r2; st.volatile.shared.u32 [count], %r7; membar.cta;
atom.shared.exch.b32 %r6, [lock], 0; bar.sync 0; ld.volatile.shared.u32 %r0, [count];)",
                               R"(
.shared .u32 lock; .shared .u32 count;
)"));
    programs.push_back(program("Barriers with and without counts", {"bar", "barrier"}, R"(
mad.lo.u32 %r6, %r2, 4, 0; mov.u32 %r7, words; add.u32 %r6, %r6, %r7; st.shared.u32 [%r6], %r5; bar.sync 0;
xor.b32 %r8, %r2, 63; mad.lo.u32 %r8, %r8, 4, %r7; ld.shared.u32 %r0, [%r8];
barrier.sync 3;
setp.lt.u32 %p1, %r2, 9; barrier.red.popc.u32 %r1, 4, 64, %p1;)",
                               ".shared .u32 words[64];\n"));
}

} // namespace

std::vector<HandWritten> hand_written_programs() {
    std::vector<HandWritten> programs;
    add_control(programs);
    add_calls(programs);
    add_orders(programs);
    add_output(programs);
    add_stack(programs);
    add_moves(programs);
    add_warps(programs);
    return programs;
}

} // namespace smsim::ptx_differential
