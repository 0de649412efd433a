// Launch files: what is read, what is rejected and where, contents of buffers, argument layout, checks.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/error.h"
#include "model/launch/code_options.h"
#include "model/launch/contents.h"
#include "model/launch/launch.h"
#include "model/launch/plan.h"
#include "tb/unit/model/launch_folder.h"

namespace smsim::launch {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class LaunchFile : public LaunchFolder {
  protected:
    /// A launch of one CTA of 32 threads; `rest` starts on line 4.
    Launch with(const std::string &rest) const {
        return parse_launch("program: p.sasm\ngrid: 1\nblock: 32\n" + rest, path("l.yaml"));
    }
    Argument argument(const std::string &text) const { return with("arguments:\n  - " + text + "\n").arguments.at(0); }
    std::vector<std::uint8_t> contents(const std::string &text) const { return initial_bytes(argument(text)); }

    std::string error_of(const std::string &text) const {
        return error_from([&] { parse_launch(text, path("l.yaml")); });
    }
    std::string error_with(const std::string &rest) const {
        return error_of("program: p.sasm\ngrid: 1\nblock: 32\n" + rest);
    }
    std::string argument_error(const std::string &text) const { return error_with("arguments:\n  - " + text + "\n"); }
};

/// A launch after changes, or the message.
Launch changed(const std::string &file, const std::vector<std::string> &changes) {
    return load_plan(file, changes).single.value();
}

TEST_F(LaunchFile, ChangesReplaceMembersByPath) {
    write("l.yaml", "program: p.sasm\ngrid: 1\nblock: 32\narguments:\n  - {name: n, type: u32, value: 1}\n"
                    "  - {name: a, type: u32, count: 4}\ncheck:\n  - {buffer: a, values: [1]}\n");
    write("q.sasm", "");
    const std::string file = path("l.yaml");
    const Launch launch =
        changed(file, {"block=[8, 2]", "arguments.n.value=0x10", "arguments.a.count=9", "check=[]", "dynamic_shared=64",
                       "block=16", "program=q.sasm", "arguments.a.init={seed: 1, low: 0, high: 9}"});
    EXPECT_THAT(launch.block, ElementsAre(16U, 1U, 1U)) << "the last one";
    EXPECT_EQ(std::get<std::uint64_t>(launch.arguments.at(0).value), 16U);
    EXPECT_EQ(launch.arguments.at(1).count, 9U);
    EXPECT_TRUE(std::holds_alternative<Random>(launch.arguments.at(1).init));
    EXPECT_TRUE(launch.checks.empty());
    EXPECT_EQ(launch.dynamic_shared, 64U) << "a member that the file does not have";
    EXPECT_EQ(launch.program, path("q.sasm"));
    EXPECT_EQ(changed(file, {"check.0.values=[7]"}).checks.size(), 1U) << "a list without names";
}

TEST_F(LaunchFile, ChangesThatAreWrongNameThemselves) {
    write("l.yaml", "program: p.sasm\ngrid: 1\nblock: 32\narguments:\n  - {name: n, type: u32, value: 1}\n");
    const auto error = [&](const std::string &change) {
        return error_from([&] { changed(path("l.yaml"), {change}); });
    };
    EXPECT_EQ(error("block"), "--launch block: expected KEY=VALUE");
    EXPECT_EQ(error("=3"), "--launch =3: expected KEY=VALUE");
    EXPECT_THAT(error("blok=3"), StartsWith("--launch blok=3: a launch file has no key 'blok'"));
    EXPECT_THAT(error("block=x"), StartsWith("--launch block=x: "));
    EXPECT_THAT(error("block=0"), StartsWith("--launch block=0: "));
    EXPECT_EQ(error("arguments.m.value=3"), "--launch arguments.m.value=3: there is no 'm' here; expected one of: n");
    EXPECT_THAT(error("argumens.n.value=3"), HasSubstr("there is no 'argumens' here; did you mean 'arguments'?"));
    EXPECT_THAT(error("block.x=3"), HasSubstr("there is no 'x' here"));
    EXPECT_THAT(error("block=[1"), HasSubstr("'[' is not closed"));
    EXPECT_THAT(error("block=@"), HasSubstr("a value cannot begin with '@'"));
}

TEST_F(LaunchFile, ReadsEveryField) {
    write("out.bin", std::string(8, '\0'));
    const Launch launch =
        parse_launch("program: p.sasm\nkernel: k\ngrid: [8, 4]\nblock: [16, 16, 2]\n"
                     "dynamic_shared: 0x400\n"
                     "arguments:\n"
                     "  - {name: n, type: u32, value: 256}\n"
                     "  - {name: c, type: f32, count: 10, init: zeros}\n"
                     "check:\n"
                     "  - {buffer: c, file: out.bin, offset: 3, absolute: 0.5, relative: 1e-6, nan: bits}\n"
                     "dump:\n"
                     "  - {buffer: c, file: sub/c.bin}\n",
                     path("l.yaml"));
    EXPECT_EQ(launch.program, path("p.sasm"));
    EXPECT_EQ(launch.kernel, "k");
    EXPECT_THAT(launch.grid, ElementsAre(8U, 4U, 1U));
    EXPECT_THAT(launch.block, ElementsAre(16U, 16U, 2U));
    EXPECT_EQ(launch.dynamic_shared, 1024U);
    ASSERT_EQ(launch.arguments.size(), 2U);
    EXPECT_FALSE(launch.arguments[0].is_buffer);
    EXPECT_EQ(std::get<std::uint64_t>(launch.arguments[0].value), 256U);
    EXPECT_EQ(launch.arguments[1].bytes(), 40U);
    ASSERT_EQ(launch.checks.size(), 1U);
    EXPECT_EQ(launch.checks[0].argument, 1U);
    EXPECT_EQ(launch.checks[0].offset, 3U);
    EXPECT_EQ(launch.checks[0].count, 2U);
    EXPECT_EQ(launch.checks[0].absolute, 0.5);
    EXPECT_EQ(launch.checks[0].relative, 1e-6);
    EXPECT_EQ(launch.checks[0].nan, NanRule::kBits);
    EXPECT_EQ(launch.dumps.at(0).file, "sub/c.bin");
}

TEST_F(LaunchFile, GridAndBlockTakeOneNumberOrUpToThree) {
    EXPECT_THAT(with("").block, ElementsAre(32U, 1U, 1U));
    EXPECT_THAT(error_of("program: p.sasm\ngrid: []\nblock: 1\n"), StartsWith("l.yaml:2:7: grid must be one number"));
    EXPECT_THAT(error_of("program: p.sasm\ngrid: [1,1,1,1]\nblock: 1\n"), HasSubstr("1 to 3; found 4"));
    EXPECT_THAT(error_of("program: p.sasm\ngrid: 0\nblock: 1\n"), HasSubstr("grid must be in 1..2147483647"));
    EXPECT_THAT(error_of("program: p.sasm\ngrid: [1, 65536]\nblock: 1\n"),
                StartsWith("l.yaml:2:11: grid[1] must be in 1..65535"));
    EXPECT_THAT(error_of("program: p.sasm\ngrid: 1\nblock: [33, 32]\n"), HasSubstr("1056 threads; at most 1024"));
    EXPECT_THAT(error_of("program: p.sasm\ngrid: 1\n"), HasSubstr("needs the key 'block'"));
}

TEST_F(LaunchFile, SetNamesKeysOfTheConfigurationWithTheirPlaces) {
    const Launch launch = with("set:\n  sm.clock_ghz: 1.5\n  bru.pipelines: 2\n");
    ASSERT_EQ(launch.settings.size(), 2U);
    EXPECT_EQ(launch.settings[0].key, "sm.clock_ghz");
    EXPECT_EQ(launch.settings[0].value, "1.5");
    EXPECT_EQ(launch.settings[1].place, path("l.yaml") + ":6:18");
    EXPECT_THAT(error_with("set: fast\n"), HasSubstr("l.yaml:4:6: set must be a map of keys of the configuration"));
    EXPECT_THAT(error_with("set: {bru: {pipelines: 2}}\n"), HasSubstr("l.yaml:4:12: bru"));
}

TEST_F(LaunchFile, CompileHasMacrosAndOptionsOfTheCompiler) {
    write("k.cu", "");
    const auto code = [&](const std::string &compile) {
        return parse_launch("program: k.cu\ngrid: 1\nblock: 32\ncompile: " + compile + "\n", path("l.yaml")).code;
    };
    const CodeOptions all = code("{define: {TILE: 32, NAME: \"NULL\", NONE: ''}, optimisation: 1, registers: 0x20, "
                                 "stack: 2K, force: true}");
    ASSERT_EQ(all.macros.size(), 3U);
    EXPECT_EQ(all.macros.at(0).name, "TILE");
    EXPECT_EQ(all.macros.at(0).value, "32");
    EXPECT_EQ(all.macros.at(1).value, "NULL");
    EXPECT_EQ(all.macros.at(2).value, "");
    EXPECT_EQ(all.optimisation, 1U);
    EXPECT_EQ(all.registers, 32U);
    EXPECT_EQ(all.stack_bytes, 2048U);
    EXPECT_TRUE(all.force);
    EXPECT_EQ(code("{}").optimisation, std::nullopt);

    CodeOptions options;
    options.macros = {{"TILE", "8"}};
    options.registers = 64;
    const CodeOptions given = options.over(all);
    ASSERT_EQ(given.macros.size(), 3U);
    EXPECT_EQ(given.macros.at(0).value, "8");
    EXPECT_EQ(given.registers, 64U);
    EXPECT_EQ(given.optimisation, 1U) << "of the file";
}

TEST_F(LaunchFile, CompileThatIsWrongIsNamedWithItsPlace) {
    write("k.cu", "");
    write("k.ptx", "");
    const auto error = [&](const std::string &program, const std::string &compile) {
        return error_of("program: " + program + "\ngrid: 1\nblock: 32\ncompile: " + compile + "\n");
    };
    const std::string place = "l.yaml:4:";
    EXPECT_EQ(error("k.cu", "{optimization: 1}"),
              place + "11: compile has no key 'optimization'; did you mean 'optimisation'?");
    EXPECT_THAT(error("k.cu", "{optimisation: 4}"), StartsWith(place + "25: optimisation"));
    EXPECT_THAT(error("k.cu", "{registers: 15}"), StartsWith(place + "22: registers"));
    EXPECT_THAT(error("k.cu", "{stack: 8M}"), StartsWith(place + "18: stack"));
    EXPECT_THAT(error("k.cu", "{force: 1}"), StartsWith(place + "18: force"));
    EXPECT_EQ(error("k.cu", "{define: [TILE]}"),
              place + "19: define must be a map of macros to values, such as {TILE: 32}");
    EXPECT_THAT(error("k.cu", "{define: {2D: 1}}"), StartsWith(place + "20: '2D' cannot be the name of a macro"));
    EXPECT_EQ(error("k.cu", "{define: {P: NULL}}"),
              place + "23: the macro P has no value; expected one, in quotes if it is empty or null");
    EXPECT_EQ(error("k.cu", "{define: {P: [1]}}"), place + "23: the value of the macro P must be a single value");
    EXPECT_EQ(error("k.cu", "{define: {P: \"a\\nb\"}}"), place + "23: the value of a macro must be text in one line");
    EXPECT_THAT(error("k.cu", "{define: {P: " + std::string(1001, 'a') + "}}"),
                StartsWith(place + "23: the value of a macro may have 1000 characters"));
    EXPECT_EQ(error("k.ptx", "{define: {TILE: 32}}"),
              place + "19: define has macros of CUDA C++ (.cu); the program is k.ptx");
    EXPECT_EQ(error("k.ptx", "{registers: 32}"), "no error");
    EXPECT_EQ(error("p.sasm", "{registers: 32}"),
              place + "10: compile has options for PTX (.ptx) and CUDA C++ (.cu); the program is p.sasm");
}

TEST_F(LaunchFile, ChangesMayAddToCompile) {
    write("k.cu", "");
    write("l.yaml", "program: k.cu\ngrid: 1\nblock: 32\n");
    const Launch launch = changed(path("l.yaml"), {"compile.define.TILE=32", "compile.registers=40",
                                                   "compile.define.N=1", macro_change(parse_macro("TILE=8"))});
    ASSERT_EQ(launch.code.macros.size(), 2U);
    EXPECT_EQ(launch.code.macros.at(0).value, "8") << "the last one";
    EXPECT_EQ(launch.code.registers, 40U);
    EXPECT_EQ(error_from([&] {
                  changed(path("l.yaml"), {"program=p.sasm", "compile.define.TILE=32"});
              }),
              "--launch compile.define.TILE=32: compile has options for PTX (.ptx) and CUDA C++ (.cu); the program is "
              "p.sasm");
    EXPECT_THAT(error_from([&] { changed(path("l.yaml"), {"compile.defin.TILE=32"}); }), HasSubstr("no 'defin' here"));
}

TEST_F(LaunchFile, MacrosOfOptionsAreThoseOfTheSource) {
    write("k.cu", "");
    write("l.yaml", "program: k.cu\ngrid: 1\nblock: 32\n");
    for (const auto &[given, value] :
         std::vector<std::pair<std::string, std::string>>{{"X", "1"},
                                                          {"X=", ""},
                                                          {"X=NULL", "NULL"},
                                                          {"X=010", "010"},
                                                          {"X='a'", "'a'"},
                                                          {"X=f(a, b): #c", "f(a, b): #c"}}) {
        const Launch launch = changed(path("l.yaml"), {macro_change(parse_macro(given))});
        ASSERT_EQ(launch.code.macros.size(), 1U) << given;
        EXPECT_EQ(launch.code.macros.at(0).value, value) << given;
    }
    EXPECT_THAT(error_from([] { parse_macro("2X=1"); }), StartsWith("-D 2X=1: expected NAME or NAME=VALUE"));
    EXPECT_THAT(error_from([] { parse_macro("=1"); }), StartsWith("-D =1: expected NAME or NAME=VALUE"));
    EXPECT_EQ(error_from([] { parse_macro("X=a\nb"); }), "-D X: the value of a macro must be text in one line");
}

TEST_F(LaunchFile, UnknownKeysNameTheNearest) {
    EXPECT_EQ(error_with("argments: []\n"),
              "l.yaml:4:1: a launch file has no key 'argments'; did you mean 'arguments'?");
    EXPECT_THAT(argument_error("{name: a, typ: u8, value: 1}"),
                AllOf(StartsWith("l.yaml:5:15: "), HasSubstr("did you mean 'type'?")));
    EXPECT_THAT(argument_error("{name: a, type: u31, value: 1}"), HasSubstr("did you mean 'u32'?"));
    EXPECT_THAT(argument_error("{name: a, type: u8, count: 1, init: {sed: 1}}"), HasSubstr("did you mean 'seed'?"));
    EXPECT_THAT(argument_error("{name: a, type: u8, count: 1, init: {pattern: {stop: 1}}}"), HasSubstr("'step'"));
    EXPECT_THAT(argument_error("{name: a, type: u8, count: 1, init: {seed: 1, low: 0, high: 1, file: x}}"),
                HasSubstr("an init from a file has no key 'seed'"));
    EXPECT_THAT(error_with("arguments: [{name: abc, type: u8, count: 1}]\ncheck: [{buffer: abd, values: [1]}]\n"),
                HasSubstr("did you mean 'abc'?"));
    EXPECT_THAT(error_with("arguments: [{name: n, type: u8, value: 1}]\ncheck: [{buffer: n, values: [1]}]\n"),
                HasSubstr("the file has no buffers"));
}

TEST_F(LaunchFile, ValuesMustFitTheirType) {
    EXPECT_EQ(argument_error("{name: a, type: u8, value: 256}"), "l.yaml:5:32: value must be in 0..255; found '256'");
    EXPECT_THAT(argument_error("{name: a, type: s16, value: -32769}"), HasSubstr("-32768..32767"));
    EXPECT_THAT(argument_error("{name: a, type: u32, value: -1}"), HasSubstr("0..4294967295"));
    EXPECT_THAT(argument_error("{name: a, type: s64, value: 0x8000000000000000}"), HasSubstr("must be in"));
    EXPECT_THAT(argument_error("{name: a, type: f32, value: 1e39}"), HasSubstr("too large for type f32"));
    EXPECT_THAT(argument_error("{name: a, type: f32, value: one}"), HasSubstr("must be a number of type f32"));
    EXPECT_THAT(argument_error("{name: a, type: f32, value: infinity}"), HasSubstr("must be a number"));
    EXPECT_THAT(argument_error("{name: a, type: f32, value: \"1\"}"), HasSubstr("must be a number"));
    EXPECT_THAT(argument_error("{name: a, type: u8, count: 2, init: {values: [1, 300]}}"), HasSubstr("0..255"));
    EXPECT_EQ(std::get<std::int64_t>(argument("{name: a, type: s64, value: -9223372036854775808}").value),
              std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(std::get<std::uint64_t>(argument("{name: a, type: u64, value: 18446744073709551615}").value),
              std::numeric_limits<std::uint64_t>::max());
}

TEST_F(LaunchFile, LeadingZerosAreRefused) {
    EXPECT_THAT(argument_error("{name: a, type: u32, value: 010}"), HasSubstr("without leading zeros"));
    EXPECT_THAT(argument_error("{name: a, type: s32, value: -010}"), HasSubstr("without leading zeros"));
    EXPECT_THAT(argument_error("{name: a, type: f32, init: {values: [010]}}"), HasSubstr("without leading zeros"));
    EXPECT_EQ(argument_error("{name: a, type: f32, init: {values: [0.10, 0, -0, 0x10]}}"), "no error");
}

TEST_F(LaunchFile, ArgumentIsEitherScalarOrBuffer) {
    EXPECT_THAT(argument_error("{name: a, type: u8}"), HasSubstr("needs either 'value'"));
    EXPECT_THAT(argument_error("{name: a, type: u8, value: 1, count: 2}"), HasSubstr("needs either 'value'"));
    EXPECT_THAT(argument_error("{name: a, type: u8, init: zeros}"), HasSubstr("buffer 'a' needs 'count'"));
    EXPECT_THAT(argument_error("{name: a, type: u8, count: 3, init: {values: [1, 2]}}"),
                HasSubstr("init gives 2 elements, count says 3"));
    EXPECT_THAT(argument_error("{name: a, type: u8, count: 3, init: ones}"), HasSubstr("init must be 'zeros'"));
    EXPECT_THAT(argument_error("{name: a, type: u8, init: {values: []}}"), HasSubstr("at least one"));
    EXPECT_THAT(error_with("arguments:\n  - {name: a, type: u8, value: 1}\n  - {name: a, type: u8, value: 1}\n"),
                AllOf(StartsWith("l.yaml:6:12: "), HasSubstr("a second argument named 'a'")));
    EXPECT_THAT(argument_error("{name: a, type: u8, count: 3, init: {low: 1}}"),
                HasSubstr("init needs 'value', 'seed', 'pattern', 'file' or 'values'"));
    EXPECT_THAT(error_with("arguments: 3\n"), HasSubstr("arguments must be a list"));
    EXPECT_THAT(error_with("arguments: [3]\n"), HasSubstr("an argument must be a map with the keys name"));
}

TEST_F(LaunchFile, SizesAreLimited) {
    EXPECT_THAT(argument_error("{name: a, type: u64, count: 1000000000000000000}"),
                HasSubstr("must be in 1..137438953472"));
    std::string many = "arguments:\n";
    for (int i = 0; i < 4096; ++i) {
        many += "  - {name: b" + std::to_string(i) + ", type: u64, value: 1}\n";
    }
    EXPECT_THAT(error_with(many), HasSubstr("the arguments take 32768 bytes; at most 32764"));
}

TEST_F(LaunchFile, FilesMustExistAndHoldWholeElements) {
    EXPECT_THAT(error_of("program: q.sasm\ngrid: 1\nblock: 1\n"),
                AllOf(StartsWith("l.yaml:1:10: file '"), HasSubstr("q.sasm' does not exist")));
    EXPECT_THAT(error_of("program: .\ngrid: 1\nblock: 1\n"), HasSubstr("is not a regular file"));
    write("seven", "1234567");
    write("empty", "");
    EXPECT_THAT(argument_error("{name: a, type: u16, init: {file: seven}}"), HasSubstr("has 7 bytes"));
    EXPECT_THAT(argument_error("{name: a, type: u8, init: {file: empty}}"), HasSubstr("has 0 bytes"));
    EXPECT_THAT(argument_error("{name: a, type: u8, count: 8, init: {file: seven}}"), HasSubstr("init gives 7"));
    EXPECT_THAT(argument_error("{name: a, type: u8, init: {file: none}}"), HasSubstr("does not exist"));
    EXPECT_THAT(argument_error("{name: a, type: u8, init: {file: \"a\\0b\"}}"), HasSubstr("zero character"));
    EXPECT_EQ(argument("{name: a, type: u8, init: {file: seven}}").count, 7U);
    EXPECT_THROW(load_launch(path("none.yaml")), InputError);
}

TEST_F(LaunchFile, ContentsAreReadInPieces) {
    const std::uint64_t count = kPieceBytes / 4 * 2 + 3;
    const std::string counted = "count: " + std::to_string(count);
    std::vector<std::string> texts = {"{name: a, type: u32, " + counted + ", init: {pattern: {start: 1, step: 3}}}",
                                      "{name: a, type: u32, " + counted + ", init: {seed: 3, low: 0, high: 99}}",
                                      "{name: a, type: u32, " + counted + ", init: {value: 5}}",
                                      "{name: a, type: u32, " + counted + "}"};
    std::string bytes(4 * count, 'x');
    bytes[kPieceBytes] = 'y';
    write("data", bytes);
    texts.emplace_back("{name: a, type: u32, init: {file: data}}");
    for (const std::string &text : texts) {
        const Argument buffer = argument(text);
        Contents pieces(buffer.type, buffer.count, buffer.init, buffer.place);
        std::vector<std::size_t> sizes;
        std::vector<std::uint8_t> all;
        for (auto piece = pieces.next(); !piece.empty(); piece = pieces.next()) {
            sizes.push_back(piece.size());
            all.insert(all.end(), piece.begin(), piece.end());
        }
        EXPECT_THAT(sizes, ElementsAre(kPieceBytes, kPieceBytes, 12U)) << text;
        EXPECT_TRUE(all == initial_bytes(buffer)) << text;
        for (const std::uint64_t i : {std::uint64_t{0}, count / 2, count - 1}) { // what element `i` is alone
            std::uint32_t element = 0;
            std::memcpy(&element, &all[4 * i], 4);
            const auto *pattern = std::get_if<Pattern>(&buffer.init);
            if (pattern != nullptr) {
                EXPECT_EQ(element, 1 + 3 * i);
            }
        }
    }
    EXPECT_TRUE(initial_bytes(argument(texts.back())) == std::vector<std::uint8_t>(bytes.begin(), bytes.end()));
}

TEST_F(LaunchFile, FileThatChangedItsSizeIsNoticed) {
    write("data", "abcd");
    const Argument before = argument("{name: a, type: u8, init: {file: data}}");
    EXPECT_THAT(initial_bytes(before), ElementsAre('a', 'b', 'c', 'd'));
    write("data", "abcde");
    EXPECT_THROW(initial_bytes(before), InputError);
    write("data", "abc");
    EXPECT_THROW(initial_bytes(before), InputError);
}

TEST_F(LaunchFile, FileWithStepsIsRefusedWhereOneLaunchIsExpected) {
    EXPECT_EQ(error_of("program: p.sasm\nsteps: []\n"),
              "l.yaml:1:1: this file has steps; a file of one launch is expected here");
    EXPECT_THAT(error_with("stps: []\n"), HasSubstr("did you mean 'steps'?"));
}

TEST_F(LaunchFile, DumpStaysInsideTheOutputDirectory) {
    const std::string buffer = "arguments: [{name: a, type: u8, count: 1}]\n";
    for (const char *name : {"/tmp/x", "../x", "a/../../x", ".", "a/", "report.json", "./config.yaml"}) {
        EXPECT_THAT(error_with(buffer + "dump: [{buffer: a, file: \"" + name + "\"}]\n"), StartsWith("l.yaml:5:"))
            << name;
    }
    EXPECT_THAT(error_with(buffer + "dump: [{buffer: a, file: x}, {buffer: a, file: ./x}]\n"),
                HasSubstr("second file"));
    EXPECT_EQ(with(buffer + "dump: [{buffer: a, file: a/../b}]\n").dumps.at(0).file, "b");
}

TEST_F(LaunchFile, CheckMustLieInsideItsBuffer) {
    const std::string buffer = "arguments: [{name: a, type: u8, count: 4}]\n";
    EXPECT_THAT(error_with(buffer + "check: [{buffer: a, values: [1, 2], offset: 3}]\n"),
                HasSubstr("2 elements are expected from element 3 on, but buffer 'a' has 4"));
    EXPECT_THAT(error_with(buffer + "check: [{buffer: a, values: [1], offset: 4}]\n"), HasSubstr("0..3"));
    EXPECT_THAT(error_with(buffer + "check: [{buffer: a}]\n"), HasSubstr("either 'file' or 'values'"));
    EXPECT_THAT(error_with(buffer + "check: [{buffer: a, values: [1], absolute: -1}]\n"), HasSubstr("absolute must"));
    EXPECT_THAT(error_with(buffer + "check: [{buffer: a, values: [1], nan: maybe}]\n"),
                HasSubstr("any, bits or never"));
}

TEST(RandomWord, IsSplitmix64) {
    // First outputs of the generator for the state 1234567, as published by its author.
    EXPECT_EQ(random_word(1234567, 0), 6457827717110365317ULL);
    EXPECT_EQ(random_word(1234567, 1), 3203168211198807973ULL);
    EXPECT_EQ(random_word(1234567, 2), 9817491932198370423ULL);
}

TEST_F(LaunchFile, RandomIntegersCoverTheirRangeBothEndsIncluded) {
    const auto dice =
        elements<std::int8_t>(contents("{name: a, type: s8, count: 600, init: {seed: 3, low: -2, high: 3}}"));
    std::array<unsigned, 6> seen{};
    for (std::size_t i = 0; i < dice.size(); ++i) {
        ASSERT_EQ(dice[i], -2 + static_cast<int>(random_word(3, i) % 6));
        ++seen[static_cast<std::size_t>(dice[i] + 2)];
    }
    EXPECT_THAT(seen, ::testing::Each(::testing::Gt(60U)));
    const auto whole = elements<std::uint64_t>(
        contents("{name: a, type: u64, count: 3, init: {seed: 9, low: 0, high: 0xffffffffffffffff}}"));
    EXPECT_THAT(whole, ElementsAre(random_word(9, 0), random_word(9, 1), random_word(9, 2)));
}

TEST_F(LaunchFile, RandomFloatsFollowTheDocumentedFormula) {
    const auto single =
        elements<float>(contents("{name: a, type: f32, count: 100, init: {seed: 1, low: -8, high: 8}}"));
    const auto twice =
        elements<double>(contents("{name: a, type: f64, count: 100, init: {seed: 1, low: -8, high: 8}}"));
    for (std::size_t i = 0; i < single.size(); ++i) {
        const std::uint64_t word = random_word(1, i);
        ASSERT_EQ(single[i], static_cast<float>(-8.0 + 16.0 * (static_cast<double>(word >> 40) / 16777216.0)));
        ASSERT_EQ(twice[i], -8.0 + 16.0 * (static_cast<double>(word >> 11) / 9007199254740992.0));
    }
    EXPECT_THAT(argument_error("{name: a, type: f64, count: 1, init: {seed: 1, low: 2, high: 1}}"),
                HasSubstr("low not above"));
    EXPECT_THAT(argument_error("{name: a, type: f64, count: 1, init: {seed: 1, low: nan, high: 1}}"),
                HasSubstr("finite"));
    EXPECT_THAT(argument_error("{name: a, type: f64, count: 1, init: {seed: 1, low: -1e308, high: 1e308}}"),
                HasSubstr("finite difference"));
    EXPECT_THAT(argument_error("{name: a, type: s8, count: 1, init: {seed: 1, low: 1, high: 0}}"),
                HasSubstr("low not above"));
    EXPECT_THAT(argument_error("{name: a, type: s8, count: 1, init: {seed: 1, low: 1}}"),
                HasSubstr("needs the key 'high'"));
}

TEST_F(LaunchFile, PatternRepeatsByModuloAndWrapsAtTheWidth) {
    EXPECT_THAT(elements<std::uint32_t>(
                    contents("{name: a, type: u32, count: 5, init: {pattern: {start: 10, step: 2, modulo: 3}}}")),
                ElementsAre(10U, 12U, 14U, 10U, 12U));
    EXPECT_THAT(
        elements<std::uint8_t>(contents("{name: a, type: u8, count: 3, init: {pattern: {start: 254, step: 1}}}")),
        ElementsAre(254, 255, 0));
    EXPECT_THAT(
        elements<std::int16_t>(contents("{name: a, type: s16, count: 3, init: {pattern: {start: 1, step: -2}}}")),
        ElementsAre(1, -1, -3));
    EXPECT_THAT(elements<float>(contents("{name: a, type: f32, count: 3, init: {pattern: {start: 0.5, step: 0.25}}}")),
                ElementsAre(0.5F, 0.75F, 1.0F));
    EXPECT_THAT(
        elements<std::uint16_t>(contents("{name: a, type: u16, count: 3, init: {pattern: {start: 1, step: -1}}}")),
        ElementsAre(1, 0, 0xffff));
    EXPECT_THAT(argument_error("{name: a, type: u16, count: 3, init: {pattern: {step: -32769}}}"),
                HasSubstr("step must be in -32768..32767"));
}

TEST_F(LaunchFile, ZerosAreTheDefaultAndValuesAreTakenAsWritten) {
    EXPECT_THAT(contents("{name: a, type: u16, count: 2}"), ElementsAre(0, 0, 0, 0));
    EXPECT_THAT(contents("{name: a, type: u16, count: 1, init: zeros}"), ElementsAre(0, 0));
    EXPECT_THAT(elements<std::int16_t>(contents("{name: a, type: s16, count: 2, init: {value: -3}}")),
                ElementsAre(-3, -3));
    EXPECT_THAT(contents("{name: a, type: f32, count: 1, init: {value: -0}}"), ElementsAre(0, 0, 0, 0x80));
    EXPECT_THAT(elements<std::int32_t>(contents("{name: a, type: s32, init: {values: [1, -2, 0x10]}}")),
                ElementsAre(1, -2, 16));
    EXPECT_THAT(elements<float>(contents("{name: a, type: f32, init: {values: [0.1, -.inf, 0x1p-3]}}")),
                ElementsAre(0.1F, -std::numeric_limits<float>::infinity(), 0.125F));
}

TEST_F(LaunchFile, IndependentScriptGivesTheSameBytes) {
    const auto script = [&](const std::string &arguments) {
        const std::string command =
            "python3 " SMSIM_SOURCE_DIR "/python/smsim/buffer_data.py " + arguments + " > " + path("out.bin");
        EXPECT_EQ(std::system(command.c_str()), 0);
        std::ifstream stream(path("out.bin"), std::ios::binary);
        return std::vector<std::uint8_t>(std::istreambuf_iterator<char>(stream), {});
    };
    EXPECT_EQ(contents("{name: a, type: f32, count: 1000, init: {seed: 7, low: -0.1, high: 0.3}}"),
              script("random f32 1000 --seed 7 --low=-0.1 --high 0.3"));
    EXPECT_EQ(contents("{name: a, type: f64, count: 1000, init: {seed: 8, low: -1e300, high: 3.3}}"),
              script("random f64 1000 --seed 8 --low=-1e300 --high 3.3"));
    EXPECT_EQ(contents("{name: a, type: s16, count: 1000, init: {seed: 9, low: -300, high: 411}}"),
              script("random s16 1000 --seed 9 --low=-300 --high 411"));
    EXPECT_EQ(
        contents(
            "{name: a, type: u64, count: 100, init: {seed: 0xffffffffffffffff, low: 5, high: 0xfffffffffffffff0}}"),
        script("random u64 100 --seed 0xffffffffffffffff --low 5 --high 0xfffffffffffffff0"));
    EXPECT_EQ(contents("{name: a, type: s8, count: 700, init: {pattern: {start: -5, step: 3}}}"),
              script("pattern s8 700 --start=-5 --step 3"));
    EXPECT_EQ(contents("{name: a, type: f32, count: 700, init: {pattern: {start: 0.1, step: 0.7, modulo: 100}}}"),
              script("pattern f32 700 --start 0.1 --step 0.7 --modulo 100"));
}

TEST_F(LaunchFile, EachArgumentIsAlignedToItsSize) {
    const Launch launch = with("arguments:\n"
                               "  - {name: a, type: u8, value: 0x11}\n"
                               "  - {name: b, type: u32, value: 0x22222222}\n"
                               "  - {name: c, type: u16, value: 0x3333}\n"
                               "  - {name: d, type: u8, count: 4}\n"
                               "  - {name: e, type: s8, value: -1}\n"
                               "  - {name: f, type: f64, value: 1}\n");
    const std::vector<std::uint64_t> addresses = {0, 0, 0, 0x0102030405060708, 0, 0};
    EXPECT_THAT(parameter_bytes(launch, addresses),
                ElementsAre(0x11, 0, 0, 0, 0x22, 0x22, 0x22, 0x22, 0x33, 0x33, 0, 0, 0, 0, 0, 0, //
                            8, 7, 6, 5, 4, 3, 2, 1, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f));
    EXPECT_THROW(parameter_bytes(launch, std::vector<std::uint64_t>(5)), std::invalid_argument);
}

class CheckBuffer : public LaunchFile {
  protected:
    CheckResult check(const std::string &type, unsigned count, const std::string &rest,
                      const std::vector<std::uint8_t> &bytes) const {
        const Launch launch = with("arguments: [{name: c, type: " + type + ", count: " + std::to_string(count) +
                                   "}]\ncheck: [{buffer: c, " + rest + "}]\n");
        return check_buffer(launch, launch.checks.at(0), bytes, 2);
    }
};

TEST_F(CheckBuffer, ReadsABufferPieceByPiece) {
    const std::uint64_t count = kPieceBytes + 100;
    write("want", std::string(count, 'a'));
    const Launch launch = with("arguments: [{name: c, type: u8, count: " + std::to_string(count + 5) +
                               "}]\ncheck: [{buffer: c, file: want, offset: 5}]\n");
    std::size_t most = 0;
    const auto read = [&most](std::uint64_t offset, std::span<std::uint8_t> to) {
        most = std::max(most, to.size());
        std::ranges::fill(to, 'a');
        if (offset > 5) {
            to[7] = 'b';
        }
    };
    const CheckResult result = check_buffer(launch.arguments.at(0), launch.checks.at(0), read);
    EXPECT_EQ(result.compared, count);
    EXPECT_EQ(result.mismatches, 1U);
    EXPECT_EQ(result.first.at(0).index, 5 + kPieceBytes + 7);
    EXPECT_EQ(most, kPieceBytes);
}

TEST_F(CheckBuffer, CountsAllMismatchesAndKeepsTheFirst) {
    const CheckResult result =
        check("s32", 5, "values: [1, 2, 3, 4], offset: 1", bytes_of<std::int32_t>({9, 1, -7, 8, 9}));
    EXPECT_EQ(result.buffer, "c");
    EXPECT_EQ(result.compared, 4U);
    EXPECT_EQ(result.mismatches, 3U);
    EXPECT_FALSE(result.passed());
    ASSERT_EQ(result.first.size(), 2U);
    EXPECT_EQ(result.first[0].index, 2U);
    EXPECT_EQ(result.first[0].got, "-7");
    EXPECT_EQ(result.first[0].expected, "2");
}

TEST_F(CheckBuffer, ToleranceIsAbsolutePlusRelativeToTheExpectedValue) {
    const auto got = bytes_of<float>({100.0F, 102.0F, 103.0F});
    EXPECT_EQ(check("f32", 3, "values: [101, 101, 101]", got).mismatches, 3U);
    EXPECT_EQ(check("f32", 3, "values: [101, 101, 101], absolute: 1", got).mismatches, 1U);
    EXPECT_EQ(check("f32", 3, "values: [100, 100, 100], relative: 0.02", got).mismatches, 1U);
    EXPECT_EQ(check("f32", 3, "values: [100, 100, 100], absolute: 1, relative: 0.02", got).mismatches, 0U);
    EXPECT_EQ(check("s32", 2, "values: [10, 10], absolute: 1", bytes_of<std::int32_t>({9, 12})).mismatches, 1U);
}

TEST_F(CheckBuffer, WithoutToleranceLargeIntegersCompareExactly) {
    EXPECT_EQ(check("u64", 1, "values: [0xffffffffffffffff]", bytes_of<std::uint64_t>({0xfffffffffffffffe})).mismatches,
              1U);
    EXPECT_EQ(check("u64", 1, "values: [0xffffffffffffffff]", bytes_of<std::uint64_t>({0xffffffffffffffff})).mismatches,
              0U);
}

TEST_F(CheckBuffer, SpecialFloats) {
    const float infinity = std::numeric_limits<float>::infinity();
    EXPECT_EQ(check("f32", 1, "values: [0]", bytes_of<float>({-0.0F})).mismatches, 0U);
    EXPECT_EQ(check("f32", 1, "values: [inf]", bytes_of<float>({infinity})).mismatches, 0U);
    EXPECT_EQ(check("f32", 1, "values: [inf], relative: 1", bytes_of<float>({-infinity})).mismatches, 1U);
    EXPECT_EQ(check("f32", 1, "values: [1], relative: 1e300", bytes_of<float>({infinity})).mismatches, 1U);
    const auto nan = bytes_of<std::uint32_t>({0x7fc00001});
    EXPECT_EQ(check("f32", 1, "values: [.nan]", nan).mismatches, 0U);
    EXPECT_EQ(check("f32", 1, "values: [.nan], nan: bits", nan).mismatches, 1U);
    EXPECT_EQ(check("f32", 1, "values: [nan], nan: bits", bytes_of<std::uint32_t>({0x7fc00000})).mismatches, 0U);
    EXPECT_EQ(check("f64", 1, "values: [nan], nan: bits", bytes_of<std::uint64_t>({0x7ff8000000000001})).mismatches,
              1U);
    EXPECT_EQ(check("f32", 1, "values: [.nan], nan: never", nan).mismatches, 1U);
    EXPECT_EQ(check("f32", 1, "values: [1], absolute: 1e30", nan).mismatches, 1U);
}

TEST_F(CheckBuffer, ExpectedValuesComeFromAFile) {
    write("want", std::string("\x01\x00\x02\x00", 4));
    EXPECT_TRUE(check("u16", 2, "file: want", bytes_of<std::uint16_t>({1, 2})).passed());
    EXPECT_EQ(check("u16", 3, "file: want, offset: 1", bytes_of<std::uint16_t>({1, 1, 3})).first.at(0).index, 2U);
    EXPECT_THROW(check("u16", 2, "file: want", bytes_of<std::uint16_t>({1})), std::invalid_argument);
}

} // namespace
} // namespace smsim::launch
