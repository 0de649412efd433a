// Texts: names that resemble each other, and files as they are read.
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>

#include "model/error.h"
#include "model/text/input_file.h"
#include "model/text/nearest.h"

namespace smsim {
namespace {

TEST(Nearest, CountsSwapsOfNeighboursAsOneSlip) {
    EXPECT_EQ(text::edit_distance("latency", "latnecy"), 1U);
    EXPECT_EQ(text::edit_distance("", "abc"), 3U);
    EXPECT_EQ(text::edit_distance("kitten", "sitting"), 3U);
    const std::array<std::string_view, 3> names = {"alpha", "beta", "gamma"};
    EXPECT_EQ(text::nearest("bata", names), "beta");
    EXPECT_EQ(text::nearest("x", {}), "");
}

TEST(Nearest, IgnoresDissimilarNames) {
    const std::array<std::string_view, 3> names = {"k", "l1.ways", "warps_per_sub_partition"};
    EXPECT_EQ(text::nearest("sm.foo", names), "");
    EXPECT_EQ(text::nearest("x", names), "");
    EXPECT_EQ(text::nearest("kk", names), "k");
    EXPECT_EQ(text::nearest("warps_per_partition", names), "warps_per_sub_partition");
    EXPECT_EQ(text::suggestion("l1.way", names, "keys"), "; did you mean 'l1.ways'?");
    EXPECT_EQ(text::suggestion("sm.foo", names, "keys"), "; keys: k, l1.ways, warps_per_sub_partition");
    EXPECT_EQ(text::suggestion("sm.foo", {}, "keys"), "");
}

TEST(InputFile, IsReadWholeOrRefusedWithTheCause) {
    const std::string path = ::testing::TempDir() + "smsim_input_" + std::to_string(::getpid());
    const auto refused = [](const std::string &name, std::size_t limit) {
        try {
            text::read_file(name, limit);
        } catch (const InputError &error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    const std::string contents = std::string(200'000, 'x') + '\0';
    std::ofstream(path, std::ios::binary) << contents;
    EXPECT_EQ(text::read_file(path, contents.size()), contents);
    EXPECT_EQ(text::read_bytes(path, contents.size()).size(), contents.size());
    EXPECT_EQ(refused(path, contents.size() - 1), path + ": larger than 200000 bytes; expected a smaller file");
    EXPECT_EQ(refused(path + "/x", 9), path + "/x: cannot be opened for reading: Not a directory");
    std::remove(path.c_str());
    EXPECT_EQ(refused(path, 9), path + ": cannot be opened for reading: No such file or directory");
    EXPECT_EQ(refused("/", 9), "/: cannot be opened for reading: it is a directory; expected a file");
    EXPECT_EQ(refused("/dev/zero", 9), "/dev/zero: cannot be opened for reading: it is a device; expected a file");
}

TEST(InputFile, PipesAreReadToTheirEndOrTheLimit) {
    const std::string path = ::testing::TempDir() + "smsim_pipe_" + std::to_string(::getpid());
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    const std::string contents(300'000, 'y'); // more than a pipe holds
    const auto write = [&] { std::ofstream(path, std::ios::binary) << contents; };
    std::thread whole(write);
    EXPECT_EQ(text::read_file(path, contents.size()), contents);
    whole.join();
    std::signal(SIGPIPE, SIG_IGN); // the reader leaves before the writer
    std::thread cut(write);
    EXPECT_THROW(text::read_file(path, 1000), InputError);
    cut.join();
    std::remove(path.c_str());
}

} // namespace
} // namespace smsim
