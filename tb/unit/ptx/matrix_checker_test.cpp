// Matrix instructions: which exist, which targets have them, and their operands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tb/unit/ptx/ptx_support.h"

namespace smsim::ptx {
namespace {

using test::errors;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// The messages for a kernel of `target` with registers of all types of fragments.
std::string errors_of(const std::string &body, const std::string &target = "sm_90a") {
    return errors(".version 8.8\n.target " + target + "\n.address_size 64\n" + R"(.shared .align 16 .b8 tile[512];
.entry k() {
.reg .b32 %r<9>; .reg .b64 %d<2>; .reg .f32 %f<9>; .reg .f64 %g<9>; .reg .b16 %h<4>;
)" + body + "\n}\n");
}

std::string product(const std::string &modifiers, const std::string &d = "{%f0,%f1,%f2,%f3}",
                    const std::string &a = "{%r0,%r1,%r2,%r3}", const std::string &b = "{%r4,%r5}",
                    const std::string &c = "{%f0,%f1,%f2,%f3}") {
    return "mma.sync.aligned." + modifiers + " " + d + ", " + a + ", " + b + ", " + c + ";";
}

TEST(MatrixInstructions, TheTargetDecidesWhichExist) {
    const std::string wide = product("m16n8k16.row.col.f32.f16.f16.f32");
    EXPECT_EQ(errors_of(wide, "sm_80"), "");
    EXPECT_THAT(errors_of(wide, "sm_75"),
                HasSubstr("'mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32' is of sm_80 and later; expected "
                          "'.target sm_80' instead of sm_75"));
    EXPECT_THAT(errors_of(product("m16n8k32.row.col.f32.e4m3.e4m3.f32"), "sm_80"), HasSubstr("is of sm_89 and later"));
    EXPECT_THAT(errors_of("stmatrix.sync.aligned.m8n8.x1.b16 [tile], {%r0};", "sm_80"),
                HasSubstr("is of sm_90 and later"));
    EXPECT_EQ(
        errors_of("wmma.load.a.sync.row.m16n16k16.shared.f16 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [tile];", "sm_70"), "");
    EXPECT_THAT(errors_of("wmma.load.a.sync.row.m16n16k16.shared.s8 {%r0,%r1}, [tile];", "sm_70"),
                HasSubstr("is of sm_72 and later"));
}

TEST(MatrixInstructions, OfLaterGenerationsAreRefusedByName) {
    EXPECT_THAT(errors_of(product("m16n8k32.row.col.kind::f8f6f4.f32.e4m3.e4m3.f32")),
                HasSubstr("is not supported: '.kind::f8f6f4' is of sm_120a"));
    EXPECT_THAT(errors_of(product("m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0")),
                HasSubstr("is not supported: '"));
    EXPECT_THAT(errors_of("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r0,%r1}, [tile];"),
                HasSubstr("'.m16n16' is of sm_100a"));
}

TEST(MatrixInstructions, ConversionsOfTheirFormatsHaveTargets) {
    EXPECT_EQ(errors_of("cvt.rna.tf32.f32 %r0, %f0; cvt.rna.satfinite.tf32.f32 %r0, 1.5;", "sm_80"), "");
    EXPECT_EQ(errors_of("cvt.rn.satfinite.e4m3x2.f32 %h0, %f0, %f1; cvt.rn.satfinite.relu.e5m2x2.f32 %h0, %f0, 2.0;"
                        "cvt.rn.satfinite.e5m2x2.f16x2 %h0, %r0; cvt.rn.relu.f16x2.e4m3x2 %r0, %h0;",
                        "sm_89"),
              "");
    EXPECT_EQ(errors_of("cvt.rn.tf32.f32 %r0, %f0; cvt.rz.relu.tf32.f32 %r0, %f0;", "sm_90"), "");
    EXPECT_EQ(errors_of("cvt.rz.satfinite.relu.tf32.f32 %r0, %f0;", "sm_100"), "");
    EXPECT_THAT(errors_of("cvt.rna.tf32.f32 %r0, %f0;", "sm_75"), HasSubstr("is of sm_80 and later"));
    EXPECT_THAT(errors_of("cvt.rn.f16x2.e5m2x2 %r0, %h0;", "sm_86"),
                HasSubstr("'cvt.rn.f16x2.e5m2x2' is of sm_89 and later; expected '.target sm_89' instead of sm_86"));
    EXPECT_THAT(errors_of("cvt.rz.tf32.f32 %r0, %f0;", "sm_89"), HasSubstr("is of sm_90 and later"));
    EXPECT_THAT(errors_of("cvt.rn.satfinite.tf32.f32 %r0, %f0;"), HasSubstr("is of sm_100 and later"));
}

TEST(MatrixInstructions, OtherConversionsOfTheirFormatsDoNotExist) {
    for (const char *wrong : {"cvt.rn.e4m3x2.f32 %h0, %f0, %f1;", "cvt.rz.satfinite.e4m3x2.f32 %h0, %f0, %f1;",
                              "cvt.rna.relu.tf32.f32 %r0, %f0;", "cvt.tf32.f32 %r0, %f0;",
                              "cvt.rn.satfinite.f16x2.e4m3x2 %r0, %h0;", "cvt.rna.tf32.f64 %r0, %g0;"}) {
        EXPECT_THAT(errors_of(wrong), HasSubstr("there is no 'cvt")) << wrong;
    }
    EXPECT_THAT(errors_of("cvt.rna.tf32.f32 %f1, %f0;"), HasSubstr("'%f1' is .f32; expected .tf32"));
    EXPECT_THAT(errors_of("cvt.rn.satfinite.e4m3x2.f32 %r0, %f0, %f1;"), HasSubstr("expected .e4m3x2"));
    EXPECT_THAT(errors_of("cvt.rn.satfinite.e4m3x2.f32 %h0, %f0;"), HasSubstr("has 2 operands; expected 3"));
}

TEST(MatrixInstructions, ConversionsOfLaterGenerationsAreRefusedByName) {
    for (const char *later :
         {"cvt.rn.satfinite.e2m1x2.f32 %h0, %f0, %f1;", "cvt.rn.satfinite.e3m2x2.f32 %h0, %f0, %f1;",
          "cvt.rn.satfinite.e2m3x2.f32 %h0, %f0, %f1;", "cvt.rz.satfinite.ue8m0x2.f32 %h0, %f0, %f1;"}) {
        EXPECT_THAT(errors_of(later), HasSubstr("' is not supported: floats of 4 and 6 bits, groups of four and scales "
                                                "are of sm_100a"))
            << later;
    }
}

TEST(MatrixInstructions, ShapesLayoutsAndTypesGoTogether) {
    for (const char *wrong : {"m16n8k32.row.col.f32.f16.f16.f32", "m16n8k16.col.col.f32.f16.f16.f32",
                              "m16n8k16.row.col.f16.f16.f16.f32", "m16n8k16.row.col.f32.bf16.f16.f32",
                              "m16n8k16.row.col.f32.s8.s8.f32", "m16n8k16.row.col.satfinite.f32.f16.f16.f32"}) {
        EXPECT_THAT(errors_of(product(wrong)), HasSubstr("expected a shape, layouts and types that go together"))
            << wrong;
    }
    EXPECT_EQ(errors_of(product("row.col.m16n8k16.f32.f16.f16.f32")), "") << "layouts may precede the shape";
    EXPECT_THAT(errors_of("wmma.load.b.sync.row.m8n8k32.shared.s4 {%r0}, [tile];"), HasSubstr("go together"))
        << "B of four bits is by columns";
}

TEST(MatrixInstructions, FragmentsHaveTheRegistersOfTheirShape) {
    const std::string types = "m16n8k16.row.col.f32.f16.f16.f32";
    EXPECT_THAT(errors_of(product(types, "{%f0,%f1}")), HasSubstr("'{%f0, %f1}' has 2 registers; expected 4"));
    EXPECT_THAT(errors_of(product(types, "{%f0,%f1,%f2,%f3}", "%r0")), HasSubstr("'%r0' has 1 registers; expected 4"));
    EXPECT_THAT(errors_of(product(types, "{%f0,%f1,%f2,%f3}", "{%h0,%h1,%h2,%h3}")),
                AllOf(HasSubstr("'%h0' is .b16; expected .b32"), HasSubstr("'%h3' is .b16")));
    EXPECT_THAT(errors_of(product(types, "{%f0,%f1,%f2,%f3}", "{%r0,%r1,%r2,7}")),
                HasSubstr("'7' is not a register; expected one"));
    EXPECT_EQ(errors_of("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r0,%r1}, %r2, {%r3}, {%r0,%r1};"), "")
        << "a single register needs no braces";
    EXPECT_THAT(errors_of("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r0}, [tile];"), HasSubstr("expected 2"));
}

TEST(MatrixInstructions, SparseOnesHaveMetadataAndASelector) {
    const std::string text =
        "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, "
        "{%r4,%r5,%r6,%r7}, {%f0,%f1,%f2,%f3}";
    EXPECT_EQ(errors_of(text + ", %r8, 1;"), "");
    EXPECT_THAT(errors_of(text + ", %r8, 2;"), HasSubstr("'2' selects no metadata; expected an integer of 0 to 1"));
    EXPECT_THAT(errors_of(text + ", %r8, %r7;"), HasSubstr("selects no metadata"));
    EXPECT_THAT(errors_of(text + ";"), HasSubstr("has 4 operands; expected 6"));
}

} // namespace
} // namespace smsim::ptx
