#include "tb/ptx_differential/values.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

namespace smsim::ptx_differential {

namespace {

constexpr std::array<std::string_view, 31> kSets = {
    "b8",   "u8",     "s8",    "b16",   "u16",     "s16",   "b32",    "u32",    "s32",  "b64",  "u64",
    "s64",  "f16",    "bf16",  "f16x2", "bf16x2",  "u16x2", "s16x2",  "f32",    "f64",  "pred", "count",
    "lane", "offset", "clamp", "few",   "barrier", "tf32",  "e4m3x2", "e5m2x2", "f32x2"};

constexpr std::array<std::uint64_t, 19> kIntegers = {0,
                                                     1,
                                                     2,
                                                     3,
                                                     7,
                                                     31,
                                                     32,
                                                     33,
                                                     255,
                                                     0x5555555555555555,
                                                     0xaaaaaaaaaaaaaaaa,
                                                     0x7f7f7f7f7f7f7f7f,
                                                     0x8080808080808080,
                                                     0x8000800080008000,
                                                     ~0ULL,
                                                     ~1ULL,
                                                     ~31ULL,
                                                     0x0123456789abcdef,
                                                     0xfffffff0};

// The last row has ties of TF32 and of 8-bit floats, also those beside the largest and the smallest number.
constexpr std::array<std::uint64_t, 47> kSingles = {
    0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fffffff, 0x7f800001,
    0xffc00000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x7f7fffff,
    0xff7fffff, 0x3f000000, 0xbf000000, 0x3fc00000, 0x40200000, 0xc0200000, 0x3f800001, 0x3f7fffff,
    0x4b000000, 0x4b800001, 0x4f000000, 0xcf000000, 0x4f7fffff, 0x5f000000, 0x5f7fffff, 0x437f8000,
    0xc3008000, 0x477fff80, 0x3f801000, 0x3f803000, 0x7f7ff000, 0x43e80000, 0x43e80001, 0xc3f00000,
    0x3a800000, 0x3a800001, 0x3f880000, 0x3f980000, 0x47700000, 0x37000000, 0x3fb00000};

constexpr std::array<std::uint64_t, 36> kDoubles = {
    0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000,
    0xfff0000000000000, 0x7fffffffffffffff, 0x7ff0000000000001, 0xfff8000000000000, 0x0000000000000001,
    0x8000000000000001, 0x000fffffffffffff, 0x800fffffffffffff, 0x0010000000000000, 0x8010000000000000,
    0x7fefffffffffffff, 0xffefffffffffffff, 0x3fe0000000000000, 0xbfe0000000000000, 0x3ff8000000000000,
    0x4004000000000000, 0xc004000000000000, 0x3ff0000000000001, 0x3fefffffffffffff, 0x4330000000000000,
    0x41dfffffffc00000, 0xc1e0000000000000, 0x41efffffffe00000, 0x43dfffffffffffff, 0x43efffffffffffff,
    0x47efffffefffffff, 0x47efffffe0000000, 0x36a0000000000000, 0x3690000000000001, 0x380fffffe0000000,
    0xc3e0000000000000};

constexpr std::array<std::uint64_t, 31> kHalves = {0x0000, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7fff, 0x7c01,
                                                   0xfe00, 0x0001, 0x8001, 0x03ff, 0x0400, 0x8400, 0x7bff, 0xfbff,
                                                   0x3800, 0x3e00, 0x4100, 0x3c01, 0x3bff, 0x6400, 0x5f40, 0x5f80,
                                                   0x1400, 0x1401, 0x7b80, 0x3c40, 0x3cc0, 0x0080, 0x0081};
constexpr std::array<std::uint64_t, 22> kBfloats = {0x0000, 0x8000, 0x3f80, 0xbf80, 0x7f80, 0xff80, 0x7fff, 0x7f81,
                                                    0xffc0, 0x0001, 0x8001, 0x007f, 0x0080, 0x8080, 0x7f7f, 0xff7f,
                                                    0x3f00, 0x3fc0, 0x4020, 0x3f81, 0x3f7f, 0x4b00};
constexpr std::array<std::uint64_t, 14> kCounts = {0, 1, 2, 7, 8, 15, 16, 31, 32, 33, 63, 64, 255, 0xffffffff};
constexpr std::array<std::uint64_t, 10> kOffsets = {0, 1, 2, 3, 5, 0xffffffff, 0xfffffffe, 0xfffffffd, 31, 32};
constexpr std::array<std::uint64_t, 8> kClamps = {0x1f, 0x181f, 0x1e1f, 0x101f, 0, 0x1800, 0x1c00, 0x100f};

std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

std::span<const std::uint64_t> edges_of(std::string_view set) {
    if (set == "f32" || set == "tf32") {
        return kSingles;
    }
    if (set == "f64") {
        return kDoubles;
    }
    if (set.starts_with("f16")) {
        return kHalves;
    }
    if (set.starts_with("bf16")) {
        return kBfloats;
    }
    return set == "count"    ? kCounts
           : set == "offset" ? kOffsets
           : set == "clamp"  ? kClamps
                             : std::span<const std::uint64_t>(kIntegers);
}

unsigned bits_of(std::string_view set) {
    if (set == "pred") {
        return 1;
    }
    if (set == "e4m3x2" || set == "e5m2x2") {
        return 16;
    }
    if (set.ends_with("x2")) {
        return set.starts_with("f32") ? 64 : 32;
    }
    return set.ends_with("64") ? 64 : set.ends_with("16") ? 16 : set.ends_with("8") ? 8 : 32;
}

std::uint64_t masked(std::uint64_t value, unsigned bits) {
    return bits >= 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}

std::uint64_t edge(std::string_view set, std::uint64_t number) {
    const auto edges = edges_of(set);
    const std::uint64_t value = edges[number % edges.size()];
    if (set.ends_with("x2") && (set.starts_with("f16") || set.starts_with("bf16"))) {
        return value | edges[number / edges.size() % edges.size()] << 16;
    }
    // Integers: some unchanged, some in the upper part of the type, so that every size gets its largest and smallest
    // values.
    const unsigned bits = bits_of(set);
    const bool integer = edges.data() == kIntegers.data();
    const std::uint64_t middle = std::uint64_t{1} << (bits - 1);
    const std::uint64_t turn = integer ? number / edges.size() % 4 : 0;
    return masked(turn == 3 ? middle + (value & 3) : turn == 2 ? middle - 1 - (value & 3) : value, bits);
}

/// Numbers near one: most random bit patterns would be far from all others.
std::uint64_t moderate(std::string_view set, std::uint64_t random) {
    const std::uint64_t sign = random >> 63;
    const std::uint64_t exponent = 8 - random % 16;
    if (set == "f32") {
        return sign << 31 | (127 + exponent) % 256 << 23 | (random >> 8 & 0x7fffff);
    }
    if (set == "f64") {
        return sign << 63 | (1023 + exponent) % 2048 << 52 | (random >> 8 & 0xfffffffffffff);
    }
    if (set == "f16" || set == "f16x2") {
        const std::uint64_t one = sign << 15 | (15 + exponent) % 32 << 10 | (random >> 8 & 0x3ff);
        return set == "f16" ? one : one << 16 | (one ^ (random >> 32 & 0x83ff));
    }
    if (set == "bf16" || set == "bf16x2") {
        const std::uint64_t one = sign << 15 | (127 + exponent) % 256 << 7 | (random >> 8 & 0x7f);
        return set == "bf16" ? one : one << 16 | (one ^ (random >> 32 & 0x807f));
    }
    return random;
}

} // namespace

unsigned value_set(std::string_view name) {
    const auto found = std::ranges::find(kSets, name);
    return found == kSets.end() ? value_set("b32") : static_cast<unsigned>(found - kSets.begin());
}

unsigned value_sets() {
    return kSets.size();
}

std::uint64_t edge_value(unsigned set, unsigned number) {
    const std::string_view name = kSets[set];
    return name == "lane" ? number % 32 : name == "pred" ? number % 2 : edge(name, number);
}

std::uint64_t value_of(unsigned batch, unsigned set, unsigned operand, unsigned thread) {
    const std::string_view name = kSets[set];
    const std::uint64_t random = mixed(((std::uint64_t{batch} * 64 + set) * 8 + operand) * 4096 + thread + 1);
    if (name == "lane") {
        return random % 32;
    }
    if (name == "few") { // all lanes of every third warp agree
        return thread / 32 % 3 == 0 ? 5 + thread / 32 : random % 4;
    }
    if (name == "barrier") {
        return 1;
    }
    const unsigned choice = random >> 56 & 7;
    const std::uint64_t other = mixed(random);
    if (choice < 4) {
        return edge(name, other);
    }
    if (name == "count") {
        return other % 70;
    }
    if (name == "offset" || name == "clamp") {
        return edge(name, other);
    }
    return masked(choice < 6 ? moderate(name, other) : other, bits_of(name));
}

std::vector<std::uint64_t> all_values(unsigned batch) {
    std::vector<std::uint64_t> values;
    for (unsigned set = 0; set < value_sets(); ++set) {
        for (unsigned operand = 0; operand < kOperands; ++operand) {
            for (unsigned thread = 0; thread < kThreads; ++thread) {
                values.push_back(value_of(batch, set, operand, thread));
            }
        }
    }
    return values;
}

} // namespace smsim::ptx_differential
