// Reading of YAML: places, and refusal of what is expensive, ambiguous or damaged.
#include <fstream>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/config/loader.h"
#include "model/error.h"
#include "model/text/yaml.h"

namespace smsim {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Yaml, PlacesCountLinesAndColumnsFromOne) {
    const yaml::Node root = yaml::parse("a: 1\nb:\n  - x\n  - 'y'\n", "f");
    EXPECT_EQ(root.find("a")->place, "f:1:4");
    EXPECT_EQ(root.find("b")->items.at(1).place, "f:4:5");
    EXPECT_TRUE(root.find("b")->items.at(1).quoted);
    EXPECT_FALSE(root.find("b")->items.at(0).quoted);
}

std::string yaml_error(const std::string &text) {
    try {
        yaml::parse(text, "f");
    } catch (const InputError &error) {
        return error.what();
    }
    return "no error";
}

TEST(Yaml, RejectsExpensiveOrAmbiguousSyntax) {
    EXPECT_EQ(yaml_error("a: 1\nb: 2\na: 3\n"), "f:3:1: duplicate key 'a'");
    EXPECT_THAT(yaml_error("a: &x 1\nb: *x\n"), HasSubstr("anchor"));
    EXPECT_THAT(yaml_error("a: &x [*x]\n"), HasSubstr("anchor"));
    EXPECT_THAT(yaml_error("b: *x\n"), StartsWith("f:1:"));
    EXPECT_THAT(yaml_error("a: !!int 3\n"), HasSubstr("tag"));
    EXPECT_THAT(yaml_error("? [a, b]\n: 1\n"), HasSubstr("a key must be a single name"));
    EXPECT_THAT(yaml_error("a: 1\n---\nb: 2\n"), HasSubstr("second document"));
    EXPECT_THAT(yaml_error(std::string(yaml::kMaxBytes + 1, ' ')), HasSubstr("more than the limit"));
    for (const char *piece : {"[", "{a: ", "- ", "? ", "a: [", "{? "}) {
        std::string deep;
        while (deep.size() < 100'000) {
            deep += piece;
        }
        EXPECT_NE(yaml_error(deep), "no error") << piece;
    }
}

TEST(Yaml, TypingMistakesAreNamedWhereTheyAre) {
    for (const auto &[text, message] : {
             std::pair("sm: {registers: 1\n", "f:1:5: '{' is not closed"),
             {"sm:\n  a: 1\n  registers: [1, 2\n", "f:3:14: '[' is not closed"},
             {"a: [1, {b: 2]\n", "f:1:13: ']' cannot close the '{' of line 1, column 8"},
             {"{a: b}}\n", "f:1:7: '}' closes nothing"},
             {"sm:\n\tregisters: 1\n", "f:2:1: a tab in the indentation; only spaces are allowed there"},
             {"sm:\n  a: 1\n\t b: 2\n", "f:3:1: a tab in the indentation; only spaces are allowed there"},
             {"sm\n  registers: 1\n", "f:1:1: 'sm' is followed by keys, but has no ':'"},
             {"sm:\n  registers 65536\n  # note: none\n  max_ctas: 3\n",
              "f:2:3: 'registers 65536' is followed by keys, but has no ':'"},
             {"a: b: c\n", "f:1:5: a second ':' in one line; quote a value that contains one"},
             {"sm:\n  registers: 65536\n warps: 1\n", "f:3:2: the indentation matches no key above"},
             {"a:\n- 1\nb: 2\n- 3\n", "f:4:1: a '-' beside keys; a list is the value of one key"},
             {"a: - 1\n", "f:1:4: a '-' that begins no element of a list"},
             {"sm: @a\n", "f:1:5: a value cannot begin with '@'; quote it"},
             {"a: \"\\q\"\n",
              "f:1:7: a backslash in double quotes means nothing before this letter; write '\\\\' for a backslash"},
             {"sm:\r\n  warps: 16\r\n\r\n registers: 1\r\n", "f:4:2: the indentation matches no key above"},
             {"l1: {\n  latency: 40\n}\n sm: 2\n", "f:4:2: the indentation matches no key above"},
             {"a: |\n  some text\n b: 2\n", "f:3:2: the indentation matches no key above"},
             {"a: [1,\n\t2,\n\t@]\n", "f:3:2: a value cannot begin with '@'; quote it"},
             {"a: \"x\\\\\"\nb: [1, 2\n", "f:2:4: '[' is not closed"},
             {"a: 'x\\'\nb: [1, 2\n", "f:2:4: '[' is not closed"},
             {"a: it is 'x\nb: [1, 2\n", "f:2:4: '[' is not closed"},
             {"[1, 2", "f:1:1: '[' is not closed"},
         }) {
        EXPECT_EQ(yaml_error(text), message) << text;
    }
}

TEST(Yaml, TextIsUtf8) {
    for (const char *good : {"a: \xc3\xa9", "a: \xe2\x82\xac", "a: \xf0\x9f\x98\x80",
                             "\xef\xbb\xbf"
                             "a: 1"}) {
        EXPECT_EQ(yaml_error(good), "no error") << good;
    }
    EXPECT_EQ(yaml_error("a: 1\n\xc3\xa9: \xff"), "f:2:4: byte 0xff is not UTF-8 text");
    for (const char *bad : {"a: \x80", "a: \xc3", "a: \xc0\xaf", "a: \xe0\x9f\xbf", "a: \xed\xa0\x80",
                            "a: \xf4\x90\x80\x80", "a: \xf5\x80\x80\x80", "a: \xe2\x82"}) {
        EXPECT_THAT(yaml_error(bad), StartsWith("f:1:4: byte 0x")) << bad;
    }
}

TEST(Yaml, DamagedTextIsAnInputErrorOrATreeButNothingElse) {
    std::ifstream stream(SMSIM_SOURCE_DIR "/configs/default.yaml");
    std::stringstream contents;
    contents << stream.rdbuf();
    const std::string text = contents.str().substr(0, 4000);
    std::uint64_t state = 1;
    const auto next = [&] { return (state = state * 6364136223846793005ULL + 1442695040888963407ULL) >> 33; };
    const std::string specials = "[]{}:,-?&*!|>'\"%@`#\n\t \\~\x01\xff";
    unsigned refused = 0;
    for (unsigned round = 0; round < 300; ++round) {
        std::string damaged = text;
        for (unsigned change = 0; change <= round % 5; ++change) {
            damaged[next() % damaged.size()] =
                round % 3 == 0 ? static_cast<char>(next()) : specials[next() % specials.size()];
        }
        try {
            parse_config(damaged, "f");
        } catch (const InputError &error) {
            EXPECT_THAT(error.what(), StartsWith("f"));
            ++refused;
        }
    }
    EXPECT_GT(refused, 50U);
}

} // namespace
} // namespace smsim
