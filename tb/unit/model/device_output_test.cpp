// Records that a program leaves in global memory: as its PTX library writes them, and as broken programs may.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "model/program/device_output.h"

namespace smsim::device_output {
namespace {

void put(std::vector<std::uint8_t> &bytes, std::uint64_t value, unsigned size) {
    for (unsigned i = 0; i < size; ++i) {
        bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
    }
}

void put(std::vector<std::uint8_t> &bytes, const std::string &text, std::size_t to) {
    bytes.insert(bytes.end(), text.begin(), text.end());
    bytes.resize(to);
}

/// The record of a printf with one int and one string.
std::vector<std::uint8_t> text_record() {
    std::vector<std::uint8_t> bytes;
    put(bytes, 16 + 8 + 16 + 8, 4);
    put(bytes, kTextKind, 4);
    put(bytes, 7, 4);  // "%d %s\n" and its zero
    put(bytes, 16, 4); // of the arguments
    put(bytes, std::string("%d %s\n"), 24);
    put(bytes, 42, 8);
    put(bytes, 0x1234, 8);
    put(bytes, std::string("abc"), 48);
    return bytes;
}

std::vector<std::uint8_t> assertion_record() {
    std::vector<std::uint8_t> bytes;
    put(bytes, kAssertionBytes, 4);
    for (const std::uint32_t word : {kAssertionKind, 12U, 1U, 2U, 3U, 4U, 5U, 6U, 0U}) {
        put(bytes, word, 4);
    }
    put(bytes, std::string("x > 0"), kStringsOffset + kStringBytes);
    put(bytes, std::string("a.cu"), kStringsOffset + 2 * kStringBytes);
    put(bytes, std::string("f"), kAssertionBytes);
    return bytes;
}

TEST(DeviceOutput, TextsAreInTheOrderOfTheirReservations) {
    std::vector<std::uint8_t> area = text_record();
    const std::vector<std::uint8_t> second = text_record();
    area.insert(area.end(), second.begin(), second.end());
    area[48 + 24] = 7;
    const Output output = read_records(area, area.size());
    EXPECT_EQ(output.text, "42 abc\n7 abc\n");
    EXPECT_FALSE(output.broken);
}

TEST(DeviceOutput, AssertionsNameTheirPlaceAndThread) {
    const std::vector<std::uint8_t> area = assertion_record();
    const Output output = read_records(area, area.size());
    ASSERT_EQ(output.assertions.size(), 1U);
    EXPECT_EQ(output.assertions[0].text(), "assertion 'x > 0' failed in f at a.cu:12, thread (1,2,3) of CTA (4,5,6)");
}

TEST(DeviceOutput, IncompleteRecordsAreOmitted) {
    std::vector<std::uint8_t> area = text_record();
    area[4] = 0; // the kind comes last
    EXPECT_EQ(read_records(area, area.size()).text, "");
    std::vector<std::uint8_t> none(64);
    EXPECT_FALSE(read_records(none, 64).broken);
    EXPECT_EQ(read_records(text_record(), 4).text, "");
}

TEST(DeviceOutput, InvalidRecordsAreReported) {
    for (const auto &[at, value] :
         std::vector<std::pair<std::size_t, int>>{{0, 47}, {0, 8}, {2, 1}, {4, 3}, {8, 99}, {14, 9}}) {
        std::vector<std::uint8_t> area = text_record();
        area[at] = static_cast<std::uint8_t>(value);
        EXPECT_TRUE(read_records(area, area.size()).broken) << at;
    }
}

TEST(DeviceOutput, AnyBytesAreRead) {
    std::mt19937 random(5);
    for (int round = 0; round < 20000; ++round) {
        std::vector<std::uint8_t> area = round % 2 == 0 ? text_record() : assertion_record();
        for (int changes = 0; changes < 1 + round % 5; ++changes) {
            area[random() % area.size()] = static_cast<std::uint8_t>(random() % 3 == 0 ? random() : random() % 64);
        }
        const std::size_t missing = random() % 32;
        read_records(std::span(area).first(area.size() - missing), random() % 2000);
    }
}

TEST(DeviceOutput, ThePlaceIsFoundByItsMark) {
    Program program;
    EXPECT_FALSE(header_of(program));
    program.global_data.resize(16);
    const auto *mark = reinterpret_cast<const std::uint8_t *>(kMark.data());
    program.global_data.insert(program.global_data.end(), mark, mark + sizeof kMark);
    program.global_data_bytes = 16 + kHeaderBytes;
    EXPECT_EQ(header_of(program), kGlobalDataBase + 16);
    program.global_data_bytes -= 1;
    EXPECT_FALSE(header_of(program)) << "the header is cut";
}

} // namespace
} // namespace smsim::device_output
