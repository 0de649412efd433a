// Lexer, parser and printer: each form of the grammar once, errors with their places, limits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tb/unit/ptx/ptx_support.h"

namespace smsim::ptx {
namespace {

using test::errors;
using test::kernel;
using test::kHeader;
using ::testing::HasSubstr;

Module parse(const std::string &text) {
    return parse_module(text, "t.ptx");
}

std::string syntax_errors(const std::string &text) {
    try {
        parse(text);
    } catch (const InputError &error) {
        return error.what();
    }
    return "";
}

/// The first operand of the only instruction of a kernel's inner block.
Operand operand_of(const std::string &operand) {
    const Module module = parse(kHeader + ".entry k() {\nmov.b32 " + operand + ";\n}\n");
    const auto &function = std::get<Function>(module.items.at(0));
    return std::get<Instruction>(function.body->statements.at(0).what).operands.at(0);
}

void expect_round_trip(const std::string &text) {
    const Module module = parse(text);
    const std::string printed = print_module(module);
    EXPECT_EQ(parse(printed), module) << printed;
}

TEST(PtxGrammar, HeaderHasVersionTargetsAndAddressSize) {
    const Module module = parse(".version 8.5\n.target sm_89, debug\n.address_size 64\n");
    EXPECT_EQ(module.major, 8U);
    EXPECT_EQ(module.minor, 5U);
    EXPECT_EQ(module.targets, (std::vector<std::string>{"sm_89", "debug"}));
    EXPECT_EQ(module.address_size, 64U);
}

TEST(PtxGrammar, VersionsOutside60To90AreRefused) {
    EXPECT_THAT(syntax_errors(".version 5.0\n.target sm_50\n"), HasSubstr("t.ptx:1:10: PTX version '5.0'"));
    EXPECT_EQ(syntax_errors(".version 6.0\n.target sm_70\n"), "");
}

TEST(PtxGrammar, IntegersOfEveryBaseAndConstantExpressions) {
    EXPECT_EQ(operand_of("0x1F").value, 31);
    EXPECT_EQ(operand_of("0b101U").value, 5);
    EXPECT_EQ(operand_of("017").value, 15);
    EXPECT_EQ(operand_of("(1+2)*3 - WARP_SZ/4").value, 1);
    EXPECT_EQ(operand_of("1 ? -2 : 3").value, -2);
    EXPECT_EQ(operand_of("~0 & 0xF0 >> 2 << 1").value, 0x78);
}

TEST(PtxGrammar, FloatsByBitsAndByDecimals) {
    EXPECT_EQ(operand_of("0f3F800000").kind, OperandKind::kSingle);
    EXPECT_EQ(operand_of("0f3F800000").value, 0x3F800000);
    EXPECT_EQ(operand_of("0d3FF0000000000000").value, 0x3FF0000000000000);
    EXPECT_EQ(operand_of("1.0").value, 0x3FF0000000000000);
    EXPECT_EQ(operand_of("-1e0").value, static_cast<std::int64_t>(0xBFF0000000000000));
}

TEST(PtxGrammar, OperandsOfEveryKind) {
    EXPECT_EQ(operand_of("%tid.x").component, "x");
    EXPECT_TRUE(operand_of("!%p1").negated);
    EXPECT_EQ(operand_of("_").kind, OperandKind::kSink);
    EXPECT_EQ(operand_of("name+8").value, 8);
    EXPECT_EQ(operand_of("[%r1+-4]").value, -4);
    EXPECT_EQ(operand_of("[64]").kind, OperandKind::kAddress);
    EXPECT_EQ(operand_of("a[3]").kind, OperandKind::kElement);
    EXPECT_EQ(operand_of("{%r1, _, 3}").elements.size(), 3U);
    EXPECT_EQ(operand_of("%p1|%p2").kind, OperandKind::kPair);
}

TEST(PtxGrammar, EveryDeclarationComesBackFromThePrinter) {
    expect_round_trip(kHeader + R"(
.file 1 "a.cu"
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);
.func f(.param .align 8 .b8 in[24], .reg .u32 x) .noreturn;
.visible .global .align 4 .u32 a[2][3] = {{1, -2}, {0x7FFFFFFFFFFFFFFF}}, b = 5;
.weak .const .f32 c[] = {1.5, -0f3F800000};
.global .u64 p[3] = {f, generic(a)+8, a-4};
.global .u8 q[2] = {0xFF(a), 0xFF00(generic(a)+4)};
.common .global .v4 .f32 w;
.extern .shared .align 16 .b8 dynamic[];
.pragma "nounroll";
.alias g, f;
.visible .entry k(.param .u64 .ptr .global .align 16 x, .param .u32 n)
.maxntid 128, 1, 1
.minnctapersm 2
.maxnreg 64
{ .reg .b32 %r<10>; .reg .v2 .f32 v; }
.section .debug_abbrev { .b8 1, 2
$L__x: .b64 $L__x+8
.b32 .debug_info }
)");
}

TEST(PtxGrammar, EveryStatementComesBackFromThePrinter) {
    expect_round_trip(kernel(R"(
.loc 1 5 3, function_name $L__info, inlined_at 1 2 3
.pragma "nounroll";
$L1: @!%p1 bra.uni $L1;
{ .reg .b32 %r1; L: mov.b32 %r1, -5; { bra L; } }
list: .branchtargets $L1, $L2;
$L2: brx.idx %r1, list;
proto: .callprototype (.param .b32 _) _ (.param .b64 _) .noreturn;
fs: .calltargets f, g;
call.uni (%r1), f, (%r2, 3), proto;
call f;
tex.2d.v4.f32.f32 {%f1, _, %f2, %f3}, [t, {%f1, %f2}];
shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1;
setp.lt.and.s32 %p1, %r1, 2, !%p2;
)"));
}

TEST(PtxGrammar, CommentsAndPreprocessorLinesAreNoTokens) {
    EXPECT_EQ(parse("// one\n/* two\n three */\n#define X\n" + kHeader).items.size(), 0U);
}

TEST(PtxGrammar, AllSyntaxErrorsAreReportedWithTheirPlaces) {
    const std::string text = kHeader + ".entry k() {\nadd.s32 %r1 %r2;\nmov.b32 {%r1 %r2}, 1;\nret;\n}\n.global 5;\n";
    EXPECT_EQ(syntax_errors(text), "t.ptx:5:13: unexpected '%r2'; expected ';'\n"
                                   "t.ptx:6:14: unexpected '%r2'; expected '}'\n"
                                   "t.ptx:9:9: unexpected '5'; expected a type such as '.b32'");
}

TEST(PtxGrammar, MalformedTokensAreErrors) {
    EXPECT_THAT(syntax_errors(kHeader + ".global .u32 a = 0x;"), HasSubstr("malformed number '0x'"));
    EXPECT_THAT(syntax_errors(kHeader + ".global .f32 a = 0f3F8;"), HasSubstr("expected 8 hexadecimal digits"));
    EXPECT_THAT(syntax_errors(kHeader + "/* "), HasSubstr("t.ptx:4:1: unterminated comment"));
    EXPECT_THAT(syntax_errors(kHeader + ".global .u32 a = 1/0;"), HasSubstr("division by zero"));
    EXPECT_THAT(syntax_errors(kHeader + ".global .align 3 .u32 a;"), HasSubstr("expected a power of two"));
}

TEST(PtxGrammar, NestingIsBounded) {
    const std::string deep(100000, '(');
    EXPECT_THAT(syntax_errors(kHeader + ".global .u32 a = " + deep), HasSubstr("nested too deeply"));
    EXPECT_THAT(syntax_errors(kHeader + ".entry k() " + std::string(100000, '{')), HasSubstr("nested too deeply"));
    EXPECT_THAT(syntax_errors(kHeader + ".entry k() { mov.b32 " + deep), HasSubstr("nested too deeply"));
    EXPECT_THAT(syntax_errors(kHeader + ".entry k() { mov.b32 " + std::string(100000, '{')),
                HasSubstr("nested too deeply"));
}

TEST(PtxGrammar, AttributesBelongToGlobalVariablesAndFunctions) {
    const std::string text = kHeader + ".global .attribute(.managed) .align 4 .u32 x = 5;\n"
                                       ".global .align 8 .attribute(.unified(0x13, 95), .managed) .b8 y[4];\n"
                                       ".visible .func .attribute(.unified(1, 2)) (.param .b32 r) f() { ret; }\n";
    EXPECT_EQ(errors(text), "");
    const Module module = parse_module(text, "t.ptx");
    EXPECT_EQ(std::get<Variable>(module.items[1]).attributes, (std::vector<std::string>{"unified(19, 95)", "managed"}));
    EXPECT_EQ(std::get<Function>(module.items[2]).attributes, std::vector<std::string>{"unified(1, 2)"});
    EXPECT_EQ(parse_module(print_module(module), "again.ptx"), module);
    EXPECT_THAT(errors(kHeader + ".shared .attribute(.managed) .u32 x;"),
                HasSubstr("'x': .attribute in .shared; expected it in .global"));
    EXPECT_THAT(errors(kHeader + ".func .attribute(.managed) f();"), HasSubstr("'.managed' of a function"));
    EXPECT_THAT(errors(kHeader + ".global .attribute(.pinned) .u32 x;"),
                HasSubstr("expected '.managed' or '.unified'"));
    EXPECT_NE(errors(kHeader + ".entry .attribute(.unified(1, 2)) k() { ret; }"), "");
}

TEST(PtxGrammar, DirectivesOfFunctionsComeBackFromThePrinter) {
    const std::string text = kHeader + ".entry k() .maxntid 32, 2 .pragma \"nounroll\", \"other\"; .maxclusterrank 8\n"
                                       ".explicitcluster .reqnctapercluster 1, 1, 1 .blocksareclusters { ret; }\n"
                                       ".func f() .noreturn .abi_preserve 8 .abi_preserve_control 2 { trap; }\n";
    EXPECT_EQ(errors(text), "");
    const Module module = parse_module(text, "t.ptx");
    EXPECT_EQ(std::get<Function>(module.items[0]).directives.size(), 6U);
    EXPECT_EQ(parse_module(print_module(module), "again.ptx"), module);
}

} // namespace
} // namespace smsim::ptx
