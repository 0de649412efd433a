// A temporary folder with a program file, in which tests parse launch files; and conversion of elements from and to
// bytes.
#pragma once

#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <vector>

#include <unistd.h>

#include <gtest/gtest.h>

#include "model/error.h"

namespace smsim::launch {

template <typename T> std::vector<T> elements(const std::vector<std::uint8_t> &bytes) {
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
}

template <typename T> std::vector<std::uint8_t> bytes_of(std::initializer_list<T> values) {
    std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), std::data(values), bytes.size());
    return bytes;
}

class LaunchFolder : public ::testing::Test {
  protected:
    void SetUp() override {
        folder_ = std::filesystem::temp_directory_path() / ("smsim_launch_" + std::to_string(getpid()));
        std::filesystem::create_directories(folder_);
        write("p.sasm", "");
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    void write(const std::string &name, const std::string &contents) {
        std::ofstream(folder_ / name, std::ios::binary) << contents;
    }
    std::string path(const std::string &name) const { return (folder_ / name).string(); }

    /// The message of the InputError that `parse` throws, without the folder, or "no error".
    template <typename Parse> std::string error_from(Parse &&parse) const {
        try {
            parse();
        } catch (const InputError &error) {
            const std::string message = error.what();
            const std::string prefix = folder_.string() + "/";
            return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
        }
        return "no error";
    }

    std::filesystem::path folder_;
};

} // namespace smsim::launch
