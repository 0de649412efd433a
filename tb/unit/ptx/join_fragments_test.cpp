// Groups of registers of matrix instructions: which variables become words of a group, and which do not.
#include <gtest/gtest.h>

#include "ptx/machine/join_fragments.h"
#include "tb/unit/ptx/code_text.h"

namespace smsim::ptx::test {
namespace {

using namespace machine;

std::string joined(const std::string &registers, const std::string &text) {
    return behind([](Function &function) { join_fragments(function); }, registers, text);
}

/// v0 and v1 are variables of a loop, v2 the group of a product's C, v3 that of its D.
TEST(Fragments, AnAccumulatorOfALoopNeedsNoCopies) {
    EXPECT_EQ(joined("v0 v1 v2:2 v3:2 v4 p5",
                     "L0:\nMOV v0, 0x0;\nMOV v1, 0x0;\ngo L1\nL1:\nMOV v2.0, v0;\nMOV v2.1, v1;\n"
                     "IMMA.8816.S8.S8 v3, v4, v4, v2;\nMOV v0, v3.0;\nMOV v1, v3.1;\nif p5 go L1 else L2\nL2:\n"
                     "STS [0x0], v0;\nSTS [0x4], v1;\nexit\n"),
              "L0:\nMOV v2.0, 0x0;\nMOV v2.1, 0x0;\ngo L1\nL1:\nIMMA.8816.S8.S8 v2, v4, v4, v2;\nif p5 go L1 else L2\n"
              "L2:\nSTS [0x0], v2.0;\nSTS [0x4], v2.1;\nexit\n");
}

TEST(Fragments, AGroupServesAllProductsThatReadItsVariables) {
    EXPECT_EQ(
        joined("v0 v1 v2:2 v3:2 v4 v5:2 v6:2",
               "L0:\nLDS v0, [0x0];\nLDS v1, [0x4];\nMOV v2.0, v0;\nMOV v2.1, v1;\n"
               "IMMA.8816.S8.S8 v5, v4, v4, v2;\nMOV v3.0, v0;\nMOV v3.1, v1;\nIMMA.8816.S8.S8 v6, v4, v4, v3;\n"
               "STS [0x8], v5.0;\nSTS [0xc], v6.0;\nexit\n"),
        "L0:\nLDS v3.0, [0x0];\nLDS v3.1, [0x4];\nIMMA.8816.S8.S8 v5, v4, v4, v3;\nIMMA.8816.S8.S8 v6, v4, v4, v3;\n"
        "STS [0x8], v5.0;\nSTS [0xc], v6.0;\nexit\n");
}

/// A value that is read after its place in the group has changed keeps its own register.
TEST(Fragments, AValueThatOutlivesItsPlaceIsCopied) {
    EXPECT_EQ(joined("v0 v1 v2:2 v3:2 v4", "L0:\nLDS v0, [0x0];\nLDS v1, [0x4];\nMOV v2.0, v0;\nMOV v2.1, v1;\n"
                                           "IMMA.8816.S8.S8 v2, v4, v4, v2;\nSTS [0x8], v2.0;\nSTS [0xc], v0;\nexit\n"),
              "L0:\nLDS v0, [0x0];\nLDS v2.1, [0x4];\nMOV v2.0, v0;\nIMMA.8816.S8.S8 v2, v4, v4, v2;\n"
              "STS [0x8], v2.0;\nSTS [0xc], v0;\nexit\n");
}

/// A variable that is the first word of one group and the second of another.
TEST(Fragments, AVariableHasOnePlace) {
    const std::string text = joined("v0 v1 v2:2 v3:2 v4 v5:2 v6:2",
                                    "L0:\nLDS v0, [0x0];\nLDS v1, [0x4];\nMOV v2.0, v0;\nMOV v2.1, v1;\n"
                                    "IMMA.8816.S8.S8 v5, v4, v4, v2;\nMOV v3.0, v1;\nMOV v3.1, v0;\n"
                                    "IMMA.8816.S8.S8 v6, v4, v4, v3;\nSTS [0x8], v5.0;\nSTS [0xc], v6.0;\nexit\n");
    EXPECT_NE(text.find("MOV v3.0, v2.1;\nMOV v3.1, v2.0;"), std::string::npos) << text;
}

TEST(Fragments, CodeWithoutMatricesIsLeftAlone) {
    const std::string text = "L0:\nLDS v0, [0x0];\nMOV v1, v0;\nSTS [0x4], v1;\nexit\n";
    EXPECT_EQ(joined("v0 v1", text), text);
}

} // namespace
} // namespace smsim::ptx::test
