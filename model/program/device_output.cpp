#include "model/program/device_output.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "model/text/print_format.h"

namespace smsim::device_output {

namespace {

std::uint32_t word_at(std::span<const std::uint8_t> bytes, std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

std::uint64_t multiple_of_8(std::uint64_t bytes) {
    return (bytes + 7) / 8 * 8;
}

/// The characters up to the first zero.
std::string characters(std::span<const std::uint8_t> bytes) {
    const auto end = std::ranges::find(bytes, std::uint8_t{0});
    return {bytes.begin(), end};
}

/// The arguments of a record, each at a multiple of its size, and the strings in the order in which they are requested.
class RecordArguments final : public text::PrintArguments {
  public:
    RecordArguments(std::span<const std::uint8_t> arguments, std::span<const std::uint8_t> strings)
        : arguments_(arguments), strings_(strings) {}

    std::optional<std::uint64_t> next(unsigned bytes) override {
        at_ = (at_ + bytes - 1) / bytes * bytes;
        if (at_ + bytes > arguments_.size()) {
            return std::nullopt;
        }
        std::uint64_t value = 0;
        std::memcpy(&value, arguments_.data() + at_, bytes);
        at_ += bytes;
        return value;
    }
    std::optional<std::string> string_at(std::uint64_t) override {
        if (strings_.empty()) {
            return std::nullopt;
        }
        std::string text = characters(strings_);
        strings_ = strings_.subspan(std::min(text.size() + 1, strings_.size()));
        return text;
    }

  private:
    std::span<const std::uint8_t> arguments_;
    std::span<const std::uint8_t> strings_;
    std::size_t at_ = 0;
};

/// False for an invalid record.
bool read_text(std::span<const std::uint8_t> record, std::string &text) {
    const std::uint64_t format = word_at(record, 8);
    const std::uint64_t arguments = word_at(record, 12);
    const std::uint64_t arguments_at = kTextHeaderBytes + multiple_of_8(format);
    const std::uint64_t strings_at = arguments_at + multiple_of_8(arguments);
    if (strings_at > record.size()) {
        return false;
    }
    RecordArguments values(record.subspan(arguments_at, arguments), record.subspan(strings_at));
    text += text::print_format(characters(record.subspan(kTextHeaderBytes, format)), values);
    return true;
}

Assertion read_assertion(std::span<const std::uint8_t> record) {
    const auto string = [&](unsigned index) {
        return characters(record.subspan(kStringsOffset + std::size_t{index} * kStringBytes, kStringBytes));
    };
    Assertion assertion{string(0), string(1), word_at(record, 8), string(2)};
    for (unsigned i = 0; i < 3; ++i) {
        assertion.thread[i] = word_at(record, 12 + std::size_t{4} * i);
        assertion.cta[i] = word_at(record, 24 + std::size_t{4} * i);
    }
    return assertion;
}

} // namespace

std::string Assertion::text() const {
    return fmt::format("assertion '{}' failed in {} at {}:{}, thread ({},{},{}) of CTA ({},{},{})", message, function,
                       file, line, thread[0], thread[1], thread[2], cta[0], cta[1], cta[2]);
}

std::optional<std::uint64_t> header_of(const Program &program) {
    const std::vector<std::uint8_t> &data = program.global_data;
    for (std::size_t at = 0; at + sizeof kMark <= data.size(); at += sizeof kMark) {
        if (std::memcmp(data.data() + at, kMark.data(), sizeof kMark) == 0 &&
            at + kHeaderBytes <= program.global_data_bytes) {
            return kGlobalDataBase + at;
        }
    }
    return std::nullopt;
}

Output read_records(std::span<const std::uint8_t> area, std::uint64_t used) {
    Output output;
    std::size_t at = 0;
    const std::size_t end = std::min<std::uint64_t>(used, area.size());
    while (at + 8 <= end) {
        const std::uint32_t bytes = word_at(area, at);
        const std::uint32_t kind = word_at(area, at + 4);
        if (bytes == 0) { // reserved but never written: lost, or the launch ended in between
            return output;
        }
        if (bytes % 8 != 0 || bytes < kTextHeaderBytes || bytes > area.size() - at || kind > kAssertionKind ||
            (kind == kAssertionKind && bytes < kAssertionBytes)) {
            output.broken = true;
            return output;
        }
        const auto record = area.subspan(at, bytes);
        if (kind == kTextKind && !read_text(record, output.text)) {
            output.broken = true;
            return output;
        }
        if (kind == kAssertionKind) {
            output.assertions.push_back(read_assertion(record));
        }
        at += bytes;
    }
    return output;
}

} // namespace smsim::device_output
