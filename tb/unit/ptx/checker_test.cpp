// The checker, rule by rule: each test shows what is accepted and what is rejected, with the place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tb/unit/ptx/ptx_support.h"

namespace smsim::ptx {
namespace {

using test::body_errors;
using test::errors;
using test::kHeader;
using ::testing::HasSubstr;

TEST(PtxNames, MustBeDeclaredBeforeTheyAreUsed) {
    EXPECT_EQ(body_errors("mov.b32 %r1, %r7;"), "");
    EXPECT_EQ(body_errors("mov.b32 %r1, %r8;"), "t.ptx:13:14: 'mov.b32': '%r8' is not declared; expected a register");
    EXPECT_THAT(body_errors("mov.b32 x, 1; .reg .b32 x;"), HasSubstr("'x' is not declared"));
}

TEST(PtxNames, BelongToTheirBraces) {
    EXPECT_EQ(body_errors("{ .reg .f32 %r1; mov.f32 %r1, 1.0; } mov.b32 %r1, 1;"), "");
    EXPECT_THAT(body_errors("{ .reg .b32 x; } mov.b32 x, 1;"), HasSubstr("'x' is not declared"));
}

TEST(PtxNames, AreDeclaredOncePerScope) {
    EXPECT_THAT(body_errors(".reg .b32 x, x;"), HasSubstr("t.ptx:13:14: 'x' is declared twice"));
    EXPECT_THAT(body_errors(".reg .b32 x<4>; .reg .f32 x2;"), HasSubstr("'x2' is declared twice"));
    EXPECT_THAT(errors(kHeader + ".global .u32 a; .global .u32 a;"), HasSubstr("'a' is declared twice"));
    EXPECT_EQ(errors(kHeader + ".extern .global .u32 a; .global .u32 a;"), "");
    EXPECT_THAT(errors(kHeader + ".func f() { ret; } .func f() { ret; }"), HasSubstr("'f' is declared twice"));
}

TEST(PtxNames, AFunctionIsDefinedAsItWasDeclared) {
    EXPECT_EQ(errors(kHeader + ".func f(.param .b32 x); .func f(.param .u32 y) { ret; }"), "");
    EXPECT_THAT(errors(kHeader + ".func f(.param .b32 x);\n.func f(.param .b64 x) { ret; }"),
                HasSubstr("t.ptx:5:7: 'f' was declared with other parameters in line 4"));
}

TEST(PtxDeclarations, EachSpaceHasItsPlace) {
    EXPECT_THAT(errors(kHeader + ".reg .b32 r;"), HasSubstr(".reg outside of functions"));
    EXPECT_THAT(body_errors(".const .u32 c;"), HasSubstr(".const within a function"));
    EXPECT_THAT(errors(kHeader + ".global .pred p;"), HasSubstr(".pred is for single registers"));
    EXPECT_THAT(errors(kHeader + ".entry k(.reg .b32 r) { ret; }"), HasSubstr("parameter of a kernel in .reg"));
}

TEST(PtxDeclarations, ArraysHaveASize) {
    EXPECT_THAT(errors(kHeader + ".global .u32 a[];"), HasSubstr("array without size"));
    EXPECT_EQ(errors(kHeader + ".global .u32 a[] = {1}; .extern .shared .b8 s[];"), "");
    EXPECT_THAT(body_errors(".reg .b32 x[4];"), HasSubstr("array of registers"));
    EXPECT_THAT(errors(kHeader + ".global .v4 .f64 a;"), HasSubstr("vector of 256 bits"));
}

TEST(PtxDeclarations, InitialisersFitTheVariable) {
    EXPECT_EQ(errors(kHeader + ".global .s32 a[][2] = {{1, 2}, {3}}; .global .u64 p = generic(a)+4;"), "");
    EXPECT_THAT(errors(kHeader + ".global .u32 a[2] = {1, 2, 3};"), HasSubstr("3 values; expected at most 2"));
    EXPECT_THAT(errors(kHeader + ".global .u32 a = {1};"), HasSubstr("too many braces"));
    EXPECT_THAT(errors(kHeader + ".global .u32 a = 1.5;"), HasSubstr("float for .u32"));
    EXPECT_THAT(errors(kHeader + ".global .f32 a = 1;"), HasSubstr("integer for .f32"));
    EXPECT_THAT(errors(kHeader + ".shared .u32 a = 1;"), HasSubstr("value of a variable in .shared"));
    EXPECT_THAT(errors(kHeader + ".global .u64 a = b;"), HasSubstr("t.ptx:4:18: 'a': 'b' is not declared"));
    EXPECT_THAT(errors(kHeader + ".global .u16 a = a;"), HasSubstr("address in .u16"));
}

TEST(PtxTypes, RegistersHaveTheSizeAndClassOfTheInstruction) {
    EXPECT_EQ(body_errors("add.s32 %r1, %u, %s; add.f32 %f1, %r1, 0f00000000; and.b32 %r1, %f1, 1;"), "");
    EXPECT_THAT(body_errors("add.s32 %r1, %d1, 1;"), HasSubstr("t.ptx:13:14: 'add.s32': '%d1' is .b64; expected .s32"));
    EXPECT_THAT(body_errors("add.s32 %f1, %r1, 1;"), HasSubstr("'%f1' is .f32; expected .s32"));
    EXPECT_THAT(body_errors("add.f32 %f1, %u, %f1;"), HasSubstr("'%u' is .u32; expected .f32"));
    EXPECT_THAT(body_errors("mul.wide.s32 %r1, %r2, 3;"), HasSubstr("'%r1' is .b32; expected .s64"));
    EXPECT_THAT(body_errors("shl.b64 %d1, %d2, %d3;"), HasSubstr("'%d3' is .b64; expected .b32"));
}

TEST(PtxTypes, LoadsStoresAndConversionsTakeWiderRegisters) {
    EXPECT_EQ(body_errors("ld.global.u8 %r1, [%d1]; st.global.u8 [%d1], %h1; cvt.u32.u8 %r1, %h1;"), "");
    EXPECT_THAT(body_errors("ld.global.u64 %r1, [%d1];"), HasSubstr("'%r1' is .b32; expected .u64 or a wider one"));
    EXPECT_THAT(body_errors("ld.global.f32 %g1, [%d1];"), HasSubstr("'%g1' is .f64; expected .f32"));
}

TEST(PtxTypes, PredicatesAreAKindOfTheirOwn) {
    EXPECT_EQ(body_errors("@!%p1 setp.lt.and.s32 %p1|%p2, %r1, 2, !%p3; selp.b32 %r1, 1, 2, %p1;"), "");
    EXPECT_THAT(body_errors("@%r1 exit;"), HasSubstr("'%r1' is .b32; expected .pred"));
    EXPECT_THAT(body_errors("add.s32 %r1, %p1, 1;"), HasSubstr("'%p1' is .pred; expected .s32"));
    EXPECT_THAT(body_errors("add.s32 %r1, !%r1, 1;"), HasSubstr("is negated"));
}

TEST(PtxTypes, ConstantsAreFloatsWhereFloatsAreAskedFor) {
    EXPECT_EQ(body_errors("mov.f32 %f1, 0f3F800000; add.f32 %f1, %f1, 0.5; mov.b32 %r1, 0f3F800000;"), "");
    EXPECT_THAT(body_errors("mov.f32 %f1, 1;"), HasSubstr("'1' where .f32 is required"));
    EXPECT_THAT(body_errors("add.s32 %r1, %r1, 0f3F800000;"), HasSubstr("expected an integer"));
    EXPECT_THAT(body_errors("lop3.b32 %r1, %r1, %r2, %r3, %r4;"), HasSubstr("'%r4' is not an integer constant"));
}

TEST(PtxTypes, VectorsHaveTheirNumberOfElements) {
    EXPECT_EQ(body_errors("ld.global.v4.f32 {%f0, _, %f1, %f2}, [%d1]; ld.global.v4.f32 %v, [%d1];"
                          "mov.b64 {%r1, %r2}, %d1; mov.b32 %r1, {%h0, %h1}; mov.f32 %f1, %v.x;"),
              "");
    EXPECT_THAT(body_errors("ld.global.v2.f32 {%f0, %f1, %f2}, [%d1];"), HasSubstr("3 elements in braces; expected 2"));
    EXPECT_THAT(body_errors("ld.global.v2.f32 %f0, [%d1];"), HasSubstr("is not a vector of 2"));
    EXPECT_THAT(body_errors("mov.b64 {%d1, %d2}, %d3;"), HasSubstr("'%d1' is .b64; expected .b32"));
    EXPECT_THAT(body_errors("mov.f32 %f1, %v.q;"), HasSubstr("is not a component"));
}

TEST(PtxTypes, SpecialRegistersAreRead) {
    EXPECT_EQ(body_errors("mov.u32 %r1, %tid.x; mov.u64 %d1, %clock64; mov.b32 %r1, %envreg31; mov.u16 %h1, %tid.x;"),
              "");
    EXPECT_THAT(body_errors("add.s32 %r1, %tid.x, 1;"), HasSubstr("expected it in mov or cvt"));
    EXPECT_THAT(body_errors("mov.u32 %tid.x, %r1;"), HasSubstr("'%tid' cannot be written"));
    EXPECT_THAT(body_errors("mov.u32 %r1, %tid;"), HasSubstr("is not a component of a vector of 4"));
    EXPECT_THAT(body_errors("mov.u32 %r1, %envreg32;"), HasSubstr("'%envreg32' is not declared"));
    EXPECT_THAT(body_errors("mov.u32 %r1, %clusterid.x;"), HasSubstr("'%clusterid' is in row 7"));
}

TEST(PtxSpaces, AVariableIsInTheSpaceOfTheInstruction) {
    EXPECT_EQ(
        body_errors("ld.param.u64 %d1, [a]; ld.const.f32 %f1, [table+4]; st.shared.b32 [tile], %r1;"
                    "st.local.b32 [stack+8], %r1; atom.global.add.u32 %r1, [data], 1; red.shared.or.b32 [tile], 1;"
                    "ld.u32 %r1, [data]; ld.u32 %r1, [tile]; ld.shared.u32 %r1, [%r2];"),
        "");
    EXPECT_THAT(body_errors("ld.global.b32 %r1, [tile];"),
                HasSubstr("t.ptx:13:20: 'ld.global.b32': 'tile' is in .shared; expected a variable in .global"));
    EXPECT_THAT(body_errors("ld.f32 %f1, [table];"), HasSubstr("expected a variable in .global, .shared or .local"));
    EXPECT_THAT(body_errors("st.param.u64 [a], %d1;"), HasSubstr("is a parameter of a kernel"));
    EXPECT_THAT(body_errors("atom.const.add.u32 %r1, [table], 1;"), HasSubstr("there is no 'atom.const.add.u32'"));
}

TEST(PtxSpaces, AddressesAreIntegerRegisters) {
    EXPECT_THAT(body_errors("ld.global.b32 %r1, [%f1];"), HasSubstr("'%f1' is .f32; expected an address"));
    EXPECT_THAT(body_errors("ld.global.b32 %r1, %d1;"), HasSubstr("'%d1' is not an address; expected [...]"));
    EXPECT_EQ(body_errors("mov.u64 %d1, data+4; cvta.shared.u64 %d1, tile; mov.u64 %d1, k;"), "");
    EXPECT_THAT(body_errors("add.u64 %d1, %d1, data;"), HasSubstr("'data' is a variable in .global"));
}

TEST(PtxLabels, AreInScopeAndDefinedOnce) {
    EXPECT_EQ(body_errors("bra L; { bra L; L: } L: { L: bra L; }"), "");
    EXPECT_THAT(body_errors("bra lab1; lab2:"),
                HasSubstr("there is no label 'lab1' in scope; expected one such as 'lab2'"));
    EXPECT_THAT(body_errors("{ L: } bra L;"), HasSubstr("there is no label 'L'"));
    EXPECT_THAT(body_errors("L: L: ret;"), HasSubstr("label 'L' is declared twice"));
}

TEST(PtxLabels, AreNotOperandsOfOtherInstructions) {
    EXPECT_THAT(body_errors("L: bra L.5;"), HasSubstr("t.ptx:13:8: 'bra': 'L.5' is not a label; expected one"));
    EXPECT_THAT(body_errors("L: bra L.uni;"), HasSubstr("'L.uni' is not a label"));
    EXPECT_THAT(body_errors("L: bra !L;"), HasSubstr("'!L' is not a label"));
    EXPECT_THAT(body_errors("L: bra L+4;"), HasSubstr("'L+4' is not a label"));
    EXPECT_THAT(body_errors("A: t: .branchtargets A; brx.idx %r1, t.x;"), HasSubstr("'t.x' is not a label"));
    EXPECT_NE(body_errors("L.5: ret;"), "");
    EXPECT_EQ(body_errors("L: bra.uni L;"), "");
}

TEST(PtxLabels, ListsOfTargetsAreForBrx) {
    EXPECT_THAT(body_errors("A: brx.idx %r1, t; t: .branchtargets A;"), HasSubstr("there is no label 't'"));
    EXPECT_EQ(body_errors("t: .branchtargets A, B; A: brx.idx %r1, t; B:"), "");
    EXPECT_THAT(body_errors("t: .branchtargets A;"), HasSubstr("there is no label 'A'"));
    EXPECT_THAT(body_errors("A: brx.idx %r1, A;"), HasSubstr("'A' is not a list of branch targets"));
    EXPECT_THAT(body_errors("A: t: .branchtargets A; bra t;"), HasSubstr("'t' is not a place to branch to"));
}

const std::string kCallee = kHeader + ".func (.param .b32 r) f(.param .b64 x, .param .align 4 .b8 s[12]);\n";

std::string call_errors(const std::string &call) {
    return errors(kCallee +
                  ".entry k() { .reg .b64 %d; .reg .b32 %r; .reg .f32 %f;\n.param .b64 x; .param .b8 s[12];"
                  ".param .b32 r; p: .callprototype (.param .b32 _) _ (.param .b64 _, .param .b8 _[12]);\n" +
                  call + " }");
}

TEST(PtxCalls, FitTheSignature) {
    EXPECT_EQ(call_errors("call.uni (r), f, (x, s); call (%r), f, (%d, s); call (r), %d, (x, s), p;"), "");
    EXPECT_THAT(call_errors("call (r), f, (x);"), HasSubstr("t.ptx:7:1: 'call' has 1 arguments; expected 2"));
    EXPECT_THAT(call_errors("call f, (x, s);"), HasSubstr("has 0 results; expected 1"));
    EXPECT_THAT(call_errors("call (r), f, (r, s);"), HasSubstr("has 'r' of 4 bytes; expected 8"));
    EXPECT_THAT(call_errors("call (r), f, (x, %d);"), HasSubstr("for an array"));
}

TEST(PtxCalls, CalleesAreFunctionsOrRegistersWithAPrototype) {
    EXPECT_THAT(call_errors("call (r), g, (x, s);"), HasSubstr("calls 'g', which is not declared"));
    EXPECT_THAT(call_errors("call k;"), HasSubstr("calls the kernel 'k'"));
    EXPECT_THAT(call_errors("call (r), %d, (x, s);"), HasSubstr("through a register has no prototype"));
    EXPECT_THAT(call_errors("call (r), %r, (x, s), p;"), HasSubstr("'%r' is .b32; expected .b64"));
    EXPECT_EQ(call_errors("t: .calltargets f; call (r), %d, (x, s), t;"), "");
    EXPECT_THAT(call_errors("t: .calltargets nothing;"), HasSubstr("there is no function 'nothing'"));
}

TEST(PtxCalls, NamesStandAlone) {
    EXPECT_THAT(call_errors("call (r), f.x, (x, s);"), HasSubstr("is not in the form of a call"));
    EXPECT_THAT(call_errors("call (r), f, (x+4, s);"), HasSubstr("has 'x+4'; expected the variable's name alone"));
    EXPECT_THAT(call_errors("t: .calltargets f; call (r), %d, (x, s), t.x;"),
                HasSubstr("has 't.x' after its arguments"));
}

TEST(PtxInstructions, ModifiersComeInAnyOrder) {
    for (const char *name : {"sync.ballot.b32", "ballot.sync.b32", "b32.sync.ballot", "ballot.b32.sync"}) {
        EXPECT_EQ(body_errors("vote." + std::string(name) + " %r1, %p2, -1;"), "") << name;
    }
    EXPECT_EQ(body_errors("vote.all.sync.pred %p1, %p2, -1; ld.u32.global %r1, [%d1]; cvt.f32.rn.s32 %f1, %r1;"
                          "setp.ftz.lt.f32 %p1, %f1, %f1; atom.global.u32.add %r1, [%d1], 1; shfl.idx.sync.b32 %r1, "
                          "%r2, 0, 31, -1;"),
              "");
    EXPECT_THAT(body_errors("vote.ballot.sync.pred %p1, %p2, -1;"), HasSubstr("there is no 'vote.ballot.sync.pred'"));
    EXPECT_THAT(body_errors("vote.ballot.b32 %r1, %p2;"),
                HasSubstr("'vote.ballot.b32' is not supported: without '.sync'"));
}

TEST(PtxInstructions, UnknownOnesNameTheNearest) {
    EXPECT_THAT(body_errors("vote2.s32 %r1;"),
                HasSubstr("unknown instruction 'vote2.s32'; expected one of PTX, such as 'vote'"));
    EXPECT_THAT(body_errors("frobnicate.s32 %r1;"), testing::EndsWith("expected one of PTX"));
    EXPECT_THAT(body_errors("fma.f32 %f1, %f1, %f1, %f1;"),
                HasSubstr("there is no 'fma.f32'; expected 'fma.RND[.ftz][.sat].f32' or 'fma.RND.f64'"));
    EXPECT_THAT(body_errors("add.s32 %r1, %r2;"), HasSubstr("'add.s32' has 2 operands; expected 3"));
}

TEST(PtxInstructions, ComparisonsAreThoseOfTheType) {
    EXPECT_EQ(body_errors("setp.lo.u32 %p1, %r1, 2; setp.ltu.f32 %p1, %f1, 0f00000000; setp.eq.b32 %p1, %r1, 2;"), "");
    EXPECT_THAT(body_errors("setp.lo.s32 %p1, %r1, 2;"), HasSubstr("there is no 'setp.lo.s32'"));
    EXPECT_THAT(body_errors("setp.lt.b32 %p1, %r1, 2;"), HasSubstr("there is no 'setp.lt.b32'"));
    EXPECT_THAT(body_errors("set.nan.u32.s32 %r1, %r1, 2;"), HasSubstr("there is no 'set.nan.u32.s32'"));
}

TEST(PtxInstructions, AtomicsTakeTheirOrderBeforeOrAfterTheOperation) {
    EXPECT_EQ(body_errors("atom.acq_rel.gpu.global.add.u32 %r1, [%d1], 1; atom.add.acq_rel.gpu.u32 %r1, [%d1], 1;"
                          "atom.global.gpu.add.u32 _, [%d1], 1; red.relaxed.gpu.global.or.b32 [%d1], 1;"),
              "");
    EXPECT_THAT(body_errors("red.acquire.global.or.b32 [%d1], 1;"),
                HasSubstr("there is no 'red.acquire.global.or.b32'"));
}

TEST(PtxInstructions, HintsToCachesNameALevelAndWholeLines) {
    EXPECT_EQ(body_errors("prefetch.global.L1 [%d1]; prefetch.local.L2 [stack]; prefetch.L1 [data]; prefetchu.L1 [%d1];"
                          "prefetch.global.L2::evict_last [%d1+8]; prefetch.L2::evict_normal [%d1];"
                          "applypriority.global.L2::evict_normal [%d1], 128; discard.L2 [%d1], 128;"),
              "");
    EXPECT_THAT(body_errors("prefetch.shared.L1 [%r1];"), HasSubstr("there is no 'prefetch.shared.L1'"));
    EXPECT_THAT(body_errors("prefetchu.L2 [%d1];"), HasSubstr("there is no 'prefetchu.L2'"));
    EXPECT_THAT(body_errors("prefetch.global.L1 [stack];"), HasSubstr("'stack' is in .local"));
    EXPECT_THAT(body_errors("discard.global.L2 [%d1], 64;"),
                HasSubstr("'discard.global.L2' of 64 bytes; expected 128"));
    EXPECT_THAT(body_errors("applypriority.L2::evict_normal [%d1], %r1;"), HasSubstr("is not an integer constant"));
    EXPECT_THAT(body_errors("prefetch.tensormap [%d1];"), HasSubstr("'prefetch.tensormap' is in row 7"));
}

TEST(PtxInstructions, ThoseOfLaterRowsAreRefusedByTheirRow) {
    EXPECT_THAT(body_errors("fma.rn.f32x2 %d1, %d2, %d3, %d4;"), HasSubstr("'fma.rn.f32x2' is in no row"));
    EXPECT_THAT(body_errors("cp.async.wait_all;"), HasSubstr("is in row 5"));
    EXPECT_THAT(body_errors("cp.async.bulk.commit_group;"), HasSubstr("is in row 7"));
    EXPECT_THAT(body_errors("ld.shared::cluster.b32 %r1, [%r2];"), HasSubstr("is in row 7"));
    EXPECT_THAT(body_errors("tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [t, {%f0, %f1}];"), HasSubstr("is in no row"));
}

TEST(PtxInstructions, SixteenBitFloatsAndCarryChainsAreOfRowFour) {
    EXPECT_EQ(
        body_errors("add.cc.u32 %r1, %r2, %r3; addc.cc.u64 %d1, %d2, %d3; subc.s32 %r1, %r2, 5;"
                    "mad.lo.cc.u32 %r1, %r2, %r3, %r4; madc.hi.u32 %r1, %r2, %r3, %r4;"
                    "cvt.rn.f16.f32 %h1, %f1; cvt.f32.bf16 %f1, %h1; cvt.rn.relu.bf16x2.f32 %r1, %f1, %f2;"
                    "fma.rn.relu.f16x2 %r1, %r2, %r3, %r4; add.rn.bf16 %h1, %h2, %h3; min.NaN.f16 %h1, %h2, %h3;"
                    "setp.lt.f16x2 %p1|%p2, %r1, %r2; set.eq.and.f16x2.f16x2 %r1, %r2, %r3, %p1;"
                    "ex2.approx.ftz.bf16x2 %r1, %r2; tanh.approx.f16 %h1, %h2; cvt.pack.sat.u16.s32 %r1, %r2, %r3;"),
        "");
    EXPECT_EQ(body_errors("atom.global.add.noftz.f16 %h1, [%d1], %h2; red.relaxed.gpu.add.noftz.bf16x2 [%d1], %r1;"
                          "atom.add.noftz.f16x2 _, [%d1], %r1; red.shared.add.noftz.bf16 [tile], %h1;"),
              "");
    EXPECT_THAT(body_errors("atom.global.add.f16 %h1, [%d1], %h2;"), HasSubstr("there is no 'atom.global.add.f16'"));
    EXPECT_THAT(body_errors("atom.min.noftz.f16 %h1, [%d1], %h2;"), HasSubstr("there is no 'atom.min.noftz.f16'"));
    EXPECT_THAT(body_errors("add.f16 %h1, %h2, 1.0;"), HasSubstr("16-bit floats have no constants"));
}

TEST(PtxInstructions, MixedPrecisionHasItsLastSourceInSinglePrecision) {
    EXPECT_EQ(body_errors("add.f32.f16 %f1, %h1, %f2; sub.rz.sat.f32.bf16 %f1, %h1, 0f3F800000;"
                          "fma.rn.sat.f32.f16 %f1, %h1, %h2, %f3;"),
              "");
    EXPECT_THAT(body_errors("add.f32.f16 %f1, %f2, %h1;"), HasSubstr("'%f2' is .f32; expected .f16"));
    EXPECT_THAT(body_errors("mul.f32.f16 %f1, %h1, %h2;"), HasSubstr("there is no 'mul.f32.f16'"));
    EXPECT_THAT(body_errors("fma.rn.ftz.f32.f16 %f1, %h1, %h2, %f3;"), HasSubstr("there is no"));
}

TEST(PtxInstructions, PackedConversionsBelowSixteenBitsHaveAThirdSource) {
    for (const char *type : {"u8", "s8", "u4", "s4", "u2", "s2"}) {
        const std::string name = "cvt.pack.sat." + std::string(type) + ".s32";
        EXPECT_EQ(body_errors(name + ".b32 %r1, %r2, %r3, %r4;"), "") << name;
        EXPECT_THAT(body_errors(name + " %r1, %r2, %r3;"), HasSubstr("there is no '" + name + "'"));
    }
    EXPECT_THAT(body_errors(".reg .u4 %n;"), HasSubstr("unexpected '.u4'"));
}

TEST(PtxInstructions, VideoInstructionsSelectPartsOfTheirOperands) {
    EXPECT_EQ(body_errors("vadd.s32.u32.s32.sat %r1, %r2.b0, %r3.h1; vadd.u32.u32.u32 %r1.b3, %r2, 5, %r4;"
                          "vmin.s32.s32.s32.sat.add %r1, %r2, %r3, %r4; vset.u32.s32.lt %r1.h0, %r2, %r3, %r4;"
                          "vshr.s32.s32.u32.wrap.sat.max %r1, %r2.b1, %r3.h1, %r4; vset.s32.u32.ge %r1, %r2, %r3;"
                          "vadd2.s32.s32.u32.sat %r1.h0, %r2.h13, %r3, %r4; vavrg4.u32.u32.u32 %r1.b310, %r2.b7654, "
                          "%r3.b0123, %r4; vset4.u32.s32.ne.add %r1, %r2, %r3, %r4;"),
              "");
    EXPECT_THAT(body_errors("vadd.u32.u32.u32 %r1, %r2.b4, %r3;"), HasSubstr("'%r2.b4' selects no part"));
    EXPECT_THAT(body_errors("vadd.u32.u32.u32 %r1.b0, %r2, %r3;"), HasSubstr("is not a vector"));
    EXPECT_THAT(body_errors("vadd2.u32.u32.u32 %r1, %r2.h4, %r3, %r4;"), HasSubstr("expected halves such as '.h10'"));
    EXPECT_THAT(body_errors("vadd2.u32.u32.u32 %r1, %r2.h14, %r3, %r4;"), HasSubstr("selects no part"));
    EXPECT_THAT(body_errors("vset4.u32.u32.eq %r1.b01, %r2, %r3, %r4;"), HasSubstr("expected bytes such as '.b3210'"));
    EXPECT_THAT(body_errors("vadd2.u32.u32.u32 %r1, %r2, 7, %r4;"), HasSubstr("'7' is not a register"));
    EXPECT_THAT(body_errors("vadd2.u32.u32.u32.sat.add %r1, %r2, %r3, %r4;"), HasSubstr("there is no"));
    EXPECT_THAT(body_errors("vshl.u32.u32.s32.clamp %r1, %r2, %r3;"), HasSubstr("there is no"));
    EXPECT_THAT(body_errors("vmad.u32.u32.u32 %r1, %r2, %r3, %r4;"), HasSubstr("'vmad.u32.u32.u32' is in no row"));
}

TEST(PtxInstructions, AllErrorsAreReportedInTextOrder) {
    EXPECT_EQ(body_errors("fmaa;\nmov.b32 %r1, %f9;\nbra L;"),
              "t.ptx:13:1: unknown instruction 'fmaa'; expected one of PTX, such as 'fma'\n"
              "t.ptx:14:14: 'mov.b32': '%f9' is not declared; expected a register\n"
              "t.ptx:15:5: 'bra': there is no label 'L' in scope; expected a label of this function");
    EXPECT_THAT(body_errors(std::string(4000, ';') +
                            [] {
                                std::string many;
                                for (int i = 0; i < 500; ++i) {
                                    many += "foo;";
                                }
                                return many;
                            }()),
                HasSubstr("t.ptx: and 400 more errors"));
}

} // namespace
} // namespace smsim::ptx
