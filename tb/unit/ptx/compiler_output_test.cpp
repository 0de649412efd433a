// Output of clang and nvcc, from the CUDA sources in data/: every file parses, passes the checks, and prints as text
// that parses to the same tree.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>

#include "tb/unit/ptx/ptx_support.h"

namespace smsim::ptx {
namespace {

std::vector<std::string> files() {
    std::vector<std::string> names;
    for (const auto &entry : std::filesystem::directory_iterator(SMSIM_PTX_DATA)) {
        if (entry.path().extension() == ".ptx") {
            names.push_back(entry.path().filename().string());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

TEST(CompilerOutput, IsAcceptedAndComesBackFromThePrinter) {
    const std::vector<std::string> names = files();
    ASSERT_GE(names.size(), 20U);
    for (const std::string &name : names) {
        SCOPED_TRACE(name);
        std::ifstream in(std::string(SMSIM_PTX_DATA) + "/" + name);
        std::ostringstream content;
        content << in.rdbuf();
        const std::string text = content.str();
        try {
            const Module module = parse_module(text, name);
            check_module(module, name);
            EXPECT_EQ(parse_module(print_module(module), "printed.ptx"), module);
        } catch (const InputError &error) {
            ADD_FAILURE() << error.what();
        }
    }
}

} // namespace
} // namespace smsim::ptx
