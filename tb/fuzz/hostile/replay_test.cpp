// Replays the kept inputs of one target (tb/data/hostile_inputs/TARGET) through its function: hostile inputs that once
// failed stay fixed, in every build.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include <gtest/gtest.h>

#include "tb/fuzz/hostile/target.h"

namespace {

TEST(HostileInput, KeptInputsAreRefusedOrKeepEveryPromise) {
    std::vector<std::filesystem::path> files;
    for (const auto &entry : std::filesystem::directory_iterator(SMSIM_CORPUS)) {
        files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    ASSERT_FALSE(files.empty()) << SMSIM_CORPUS;
    for (const std::filesystem::path &path : files) {
        std::ifstream in(path, std::ios::binary);
        const std::vector<char> bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
        EXPECT_NO_THROW(LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size()))
            << path;
    }
}

} // namespace
