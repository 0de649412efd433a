// Compares buffers with their expected contents.
#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <type_traits>

#include "model/launch/contents.h"
#include "model/launch/elements.h"

namespace smsim::launch {
namespace {

bool same_bits(float a, float b) {
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}
bool same_bits(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

template <typename T> bool agrees(T got, T expected, const Check &check) {
    if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(got) || std::isnan(expected)) {
            switch (check.nan) {
            case NanRule::kAny:
                return std::isnan(got) && std::isnan(expected);
            case NanRule::kBits:
                return same_bits(got, expected);
            case NanRule::kNever:
                return false;
            }
        }
        if (got == expected) {
            return true;
        }
        if (std::isinf(got) || std::isinf(expected)) {
            return false;
        }
    } else {
        if (got == expected) {
            return true;
        }
        if (check.absolute == 0 && check.relative == 0) {
            return false; // different 64-bit integers can be the same double
        }
    }
    const double want = static_cast<double>(expected);
    return std::fabs(static_cast<double>(got) - want) <= check.absolute + check.relative * std::fabs(want);
}

/// The expectation of a check, as the contents of a buffer.
Init as_init(const Check &check) {
    return std::visit([](const auto &expected) -> Init { return expected; }, check.expected);
}

} // namespace

CheckResult check_buffer(const Launch &launch, const Check &check, std::span<const std::uint8_t> bytes,
                         std::size_t keep) {
    return check_buffer(launch.arguments.at(check.argument), check, bytes, keep);
}

CheckResult check_buffer(const Argument &buffer, const Check &check, std::span<const std::uint8_t> bytes,
                         std::size_t keep) {
    if (bytes.size() != buffer.bytes()) {
        throw std::invalid_argument("check_buffer: the bytes of the whole buffer are needed");
    }
    const auto copy = [bytes](std::uint64_t offset, std::span<std::uint8_t> to) {
        std::ranges::copy(bytes.subspan(offset, to.size()), to.begin());
    };
    return check_buffer(buffer, check, ReadBytes(copy), keep);
}

CheckResult check_buffer(const Argument &buffer, const Check &check, const ReadBytes &read, std::size_t keep) {
    const Init expected = as_init(check);
    Contents wanted(buffer.type, check.count, expected, check.place);
    std::vector<std::uint8_t> found;
    CheckResult result;
    result.buffer = buffer.name;
    result.compared = check.count;
    with_type(buffer.type, [&](auto sample) {
        using T = decltype(sample);
        std::uint64_t element = check.offset;
        for (std::span<const std::uint8_t> piece = wanted.next(); !piece.empty(); piece = wanted.next()) {
            found.resize(piece.size());
            read(element * sizeof(T), found);
            for (std::size_t at = 0; at < piece.size(); at += sizeof(T), ++element) {
                if (!agrees(load<T>(&found[at]), load<T>(&piece[at]), check) && result.mismatches++ < keep) {
                    result.first.push_back(Mismatch{element, element_text(buffer.type, &found[at]),
                                                    element_text(buffer.type, &piece[at])});
                }
            }
        }
    });
    return result;
}

} // namespace smsim::launch
