// Integer, logic and bit instructions of PTX.
#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "ptx/interpreter/operation.h"

namespace smsim::ptx::interpreter {

namespace {

using Wide = __int128;

Outputs result(const Operation &operation, Wide value) {
    return {low_bits(static_cast<std::uint64_t>(value), operation.types[0].bits)};
}

Wide number(const Operation &operation, const Inputs &in, unsigned index) {
    return integer_of(operation.types[0], in.value[index]);
}

Wide clamped_s32(Wide value) {
    return std::clamp<Wide>(value, -(Wide{1} << 31), (Wide{1} << 31) - 1);
}

/// Applies `one` to each of two 16-bit elements.
template <typename One> Outputs by_halves(const Operation &operation, const Inputs &in, One one) {
    std::uint64_t both = 0;
    for (unsigned half = 0; half < 2; ++half) {
        std::array<Wide, 3> x{};
        for (unsigned i = 0; i < 3; ++i) {
            const std::uint64_t bits = low_bits(in.value[i] >> (16 * half), 16);
            x[i] = is_signed(operation.types[0]) ? Wide{sign_extended(bits, 16)} : Wide{bits};
        }
        both |= low_bits(static_cast<std::uint64_t>(one(x[0], x[1])), 16) << (16 * half);
    }
    return {both};
}

Outputs add(const Operation &operation, const Inputs &in) {
    if (is_paired(operation.types[0])) {
        return by_halves(operation, in, [](Wide a, Wide b) { return a + b; });
    }
    const Wide sum = number(operation, in, 0) + number(operation, in, 1);
    return result(operation, operation.has(Word::kSat) ? clamped_s32(sum) : sum);
}

Outputs sub(const Operation &operation, const Inputs &in) {
    const Wide difference = number(operation, in, 0) - number(operation, in, 1);
    return result(operation, operation.has(Word::kSat) ? clamped_s32(difference) : difference);
}

Outputs with_carry(const Operation &operation, const Inputs &in, std::uint64_t a, std::uint64_t b, bool carry) {
    const unsigned bits = operation.types[0].bits;
    const unsigned __int128 sum =
        static_cast<unsigned __int128>(low_bits(a, bits)) + low_bits(b, bits) + (carry ? 1 : 0);
    Outputs out{low_bits(static_cast<std::uint64_t>(sum), bits)};
    out.carry = operation.has(Word::kCc) ? (sum >> bits) != 0 : in.carry;
    return out;
}

/// a - b - borrow; CC.CF is the borrow-out as the ISA defines it.
Outputs with_borrow(const Operation &operation, const Inputs &in, bool borrow) {
    const unsigned bits = operation.types[0].bits;
    const Wide difference = Wide{low_bits(in.value[0], bits)} - Wide{low_bits(in.value[1], bits)} - (borrow ? 1 : 0);
    Outputs out{low_bits(static_cast<std::uint64_t>(difference), bits)};
    out.carry = operation.has(Word::kCc) ? difference < 0 : in.carry;
    return out;
}

Outputs add_cc(const Operation &operation, const Inputs &in) {
    return with_carry(operation, in, in.value[0], in.value[1], false);
}
Outputs addc(const Operation &operation, const Inputs &in) {
    return with_carry(operation, in, in.value[0], in.value[1], in.carry);
}
Outputs sub_cc(const Operation &operation, const Inputs &in) {
    return with_borrow(operation, in, false);
}
Outputs subc(const Operation &operation, const Inputs &in) {
    return with_borrow(operation, in, in.carry);
}

/// The product of two numbers of up to 64 bits: its lower and upper half of `bits` each.
std::pair<std::uint64_t, std::uint64_t> product(const Operation &operation, std::uint64_t a, std::uint64_t b) {
    const unsigned bits = operation.types[0].bits;
    const ptx::Type type = operation.types[0];
    // Modulo 2^128 the product is the same signed and unsigned once the factors are extended.
    const auto whole =
        static_cast<unsigned __int128>(integer_of(type, a)) * static_cast<unsigned __int128>(integer_of(type, b));
    return {low_bits(static_cast<std::uint64_t>(whole), bits),
            low_bits(static_cast<std::uint64_t>(whole >> bits), bits)};
}

std::uint64_t half_product(const Operation &operation, const Inputs &in) {
    const auto [low, high] = product(operation, in.value[0], in.value[1]);
    return operation.has(Word::kHi) ? high : low;
}

Outputs mul(const Operation &operation, const Inputs &in) {
    if (operation.has(Word::kWide)) {
        const Wide whole = number(operation, in, 0) * number(operation, in, 1);
        return {low_bits(static_cast<std::uint64_t>(whole), 2 * operation.types[0].bits)};
    }
    return {half_product(operation, in)};
}

Outputs mad(const Operation &operation, const Inputs &in) {
    const unsigned bits = operation.types[0].bits;
    if (operation.has(Word::kWide)) {
        return {low_bits(mul(operation, in).value + in.value[2], 2 * bits)};
    }
    const std::uint64_t half = half_product(operation, in);
    if (operation.has(Word::kSat)) {
        return result(operation, clamped_s32(integer_of(operation.types[0], half) + number(operation, in, 2)));
    }
    return {low_bits(half + in.value[2], bits)};
}

Outputs mad_cc(const Operation &operation, const Inputs &in) {
    return with_carry(operation, in, half_product(operation, in), in.value[2], false);
}
Outputs madc(const Operation &operation, const Inputs &in) {
    return with_carry(operation, in, half_product(operation, in), in.value[2], in.carry);
}

std::uint64_t half_product24(const Operation &operation, const Inputs &in) {
    const bool with_sign = is_signed(operation.types[0]);
    const auto take = [&](unsigned i) {
        return with_sign ? Wide{sign_extended(in.value[i], 24)} : Wide{low_bits(in.value[i], 24)};
    };
    const Wide whole = take(0) * take(1);
    return low_bits(static_cast<std::uint64_t>(operation.has(Word::kHi) ? whole >> 16 : whole), 32);
}

Outputs mul24(const Operation &operation, const Inputs &in) {
    return {half_product24(operation, in)};
}

Outputs mad24(const Operation &operation, const Inputs &in) {
    const std::uint64_t half = half_product24(operation, in);
    if (operation.has(Word::kSat)) {
        return result(operation, clamped_s32(sign_extended(half, 32) + number(operation, in, 2)));
    }
    return {low_bits(half + in.value[2], 32)};
}

Outputs div(const Operation &operation, const Inputs &in) {
    const Wide divisor = number(operation, in, 1);
    return divisor == 0 ? result(operation, -1) : result(operation, number(operation, in, 0) / divisor);
}

Outputs rem(const Operation &operation, const Inputs &in) {
    const Wide divisor = number(operation, in, 1);
    return divisor == 0 ? result(operation, number(operation, in, 0))
                        : result(operation, number(operation, in, 0) % divisor);
}

Outputs sad(const Operation &operation, const Inputs &in) {
    const Wide distance = number(operation, in, 0) - number(operation, in, 1);
    return result(operation, number(operation, in, 2) + (distance < 0 ? -distance : distance));
}

Outputs abs(const Operation &operation, const Inputs &in) {
    const Wide a = number(operation, in, 0);
    return result(operation, a < 0 ? -a : a);
}

Outputs neg(const Operation &operation, const Inputs &in) {
    return result(operation, -number(operation, in, 0));
}

template <bool kLargest> Outputs extreme(const Operation &operation, const Inputs &in) {
    const bool relu = operation.has(Word::kRelu);
    const auto one = [relu](Wide a, Wide b) {
        const Wide chosen = kLargest ? std::max(a, b) : std::min(a, b);
        return relu ? std::max<Wide>(chosen, 0) : chosen;
    };
    return is_paired(operation.types[0]) ? by_halves(operation, in, one)
                                         : result(operation, one(number(operation, in, 0), number(operation, in, 1)));
}

Outputs logic_and(const Operation &, const Inputs &in) {
    return {in.value[0] & in.value[1]};
}
Outputs logic_or(const Operation &, const Inputs &in) {
    return {in.value[0] | in.value[1]};
}
Outputs logic_xor(const Operation &, const Inputs &in) {
    return {in.value[0] ^ in.value[1]};
}
Outputs logic_not(const Operation &operation, const Inputs &in) {
    return {low_bits(~in.value[0], operation.types[0].bits)};
}
Outputs cnot(const Operation &, const Inputs &in) {
    return {in.value[0] == 0 ? std::uint64_t{1} : 0};
}

Outputs lop3(const Operation &operation, const Inputs &in) {
    std::uint64_t value = 0;
    for (unsigned bit = 0; bit < 32; ++bit) {
        const auto at = [&](unsigned i) { return in.value[i] >> bit & 1; };
        value |= (in.value[3] >> (at(0) << 2 | at(1) << 1 | at(2)) & 1) << bit;
    }
    const bool q = in.value[4] != 0;
    const bool any = value != 0;
    return {value, static_cast<std::uint64_t>(operation.has(Word::kOr) ? (any || q) : (any && q)), in.carry};
}

Outputs shl(const Operation &operation, const Inputs &in) {
    const unsigned bits = operation.types[0].bits;
    return {in.value[1] >= bits ? 0 : low_bits(in.value[0] << in.value[1], bits)};
}

Outputs shr(const Operation &operation, const Inputs &in) {
    return result(operation, number(operation, in, 0) >> std::min<std::uint64_t>(in.value[1], operation.types[0].bits));
}

Outputs shf(const Operation &operation, const Inputs &in) {
    const std::uint64_t whole = in.value[1] << 32 | in.value[0];
    const std::uint64_t by = operation.has(Word::kWrap) ? in.value[2] & 31 : std::min<std::uint64_t>(in.value[2], 32);
    return {operation.has(Word::kLeft) ? low_bits((whole << by) >> 32, 32) : low_bits(whole >> by, 32)};
}

Outputs brev(const Operation &operation, const Inputs &in) {
    const unsigned bits = operation.types[0].bits;
    std::uint64_t value = 0;
    for (unsigned bit = 0; bit < bits; ++bit) {
        value |= (in.value[0] >> bit & 1) << (bits - 1 - bit);
    }
    return {value};
}

Outputs popc(const Operation &, const Inputs &in) {
    return {static_cast<std::uint64_t>(std::popcount(in.value[0]))};
}

Outputs clz(const Operation &operation, const Inputs &in) {
    return {static_cast<std::uint64_t>(std::countl_zero(in.value[0])) - (64 - operation.types[0].bits)};
}

Outputs bfind(const Operation &operation, const Inputs &in) {
    const unsigned bits = operation.types[0].bits;
    Wide a = number(operation, in, 0);
    a = a < 0 ? ~a : a;
    if (a == 0) {
        return {0xffff'ffff};
    }
    const auto position = static_cast<std::uint64_t>(std::bit_width(static_cast<std::uint64_t>(a)) - 1);
    return {operation.has(Word::kShiftamt) ? bits - 1 - position : position};
}

Outputs fns(const Operation &, const Inputs &in) {
    const auto offset = sign_extended(in.value[2], 32);
    auto position = static_cast<std::int64_t>(in.value[1]);
    const auto marked = [&] { return position >= 0 && position < 32 && (in.value[0] >> position & 1) != 0; };
    if (offset == 0) {
        return {marked() ? static_cast<std::uint64_t>(position) : 0xffff'ffff};
    }
    std::int64_t left = (offset < 0 ? -offset : offset) - 1;
    for (; position >= 0 && position<32; position += offset> 0 ? 1 : -1) {
        if (marked() && left-- == 0) {
            return {static_cast<std::uint64_t>(position)};
        }
    }
    return {0xffff'ffff};
}

Outputs bfe(const Operation &operation, const Inputs &in) {
    const unsigned bits = operation.types[0].bits;
    const std::uint64_t from = in.value[1] & 0xff;
    const std::uint64_t length = in.value[2] & 0xff;
    const auto bit_at = [&](std::uint64_t at) { return in.value[0] >> at & 1; };
    const std::uint64_t fill =
        is_signed(operation.types[0]) && length != 0 ? bit_at(std::min<std::uint64_t>(from + length - 1, bits - 1)) : 0;
    std::uint64_t value = 0;
    for (std::uint64_t bit = 0; bit < bits; ++bit) {
        value |= (bit < length && from + bit < bits ? bit_at(from + bit) : fill) << bit;
    }
    return {value};
}

Outputs bfi(const Operation &operation, const Inputs &in) {
    const std::uint64_t from = in.value[2] & 0xff;
    const std::uint64_t length = in.value[3] & 0xff;
    std::uint64_t value = in.value[1];
    for (std::uint64_t bit = 0; bit < length && from + bit < operation.types[0].bits; ++bit) {
        const std::uint64_t mask = std::uint64_t{1} << (from + bit);
        value = (value & ~mask) | (in.value[0] >> bit & 1) << (from + bit);
    }
    return {value};
}

Outputs bmsk(const Operation &operation, const Inputs &in) {
    const std::uint64_t all = 0xffff'ffff;
    const bool clamp = operation.has(Word::kClamp);
    const std::uint64_t from = in.value[0] & 31;
    const std::uint64_t end = from + (in.value[1] & 31);
    const std::uint64_t lower = clamp && in.value[0] >= 32 ? 0 : low_bits(all << from, 32);
    const bool open = end >= 32 || (clamp && (in.value[0] >= 32 || in.value[1] >= 32));
    return {lower & ~(open ? 0 : all << end)};
}

Outputs szext(const Operation &operation, const Inputs &in) {
    const std::uint64_t all = 0xffff'ffff;
    const std::uint64_t length = in.value[1] & 31;
    const bool whole = in.value[1] >= 32 && operation.has(Word::kClamp);
    const std::uint64_t mask = whole ? 0 : low_bits(all << length, 32);
    const bool extend =
        length != 0 && !whole && is_signed(operation.types[0]) && (in.value[0] >> (length - 1) & 1) != 0;
    return {(in.value[0] & ~mask) | (extend ? mask : 0)};
}

/// The bytes, from the highest, that a special mode of prmt selects for the lower two bits of its selector.
std::uint64_t named_selector(const Operation &operation, std::uint64_t n) {
    using Table = std::array<std::uint64_t, 4>;
    constexpr std::array<std::pair<Word, Table>, 6> kTables = {{
        {Word::kF4e, {0x3210, 0x4321, 0x5432, 0x6543}},
        {Word::kB4e, {0x5670, 0x6701, 0x7012, 0x0123}},
        {Word::kRc8, {0x0000, 0x1111, 0x2222, 0x3333}},
        {Word::kEcl, {0x3210, 0x3211, 0x3222, 0x3333}},
        {Word::kEcr, {0x0000, 0x1110, 0x2210, 0x3210}},
        {Word::kRc16, {0x1010, 0x3232, 0x1010, 0x3232}},
    }};
    for (const auto &[word, table] : kTables) {
        if (operation.has(word)) {
            return table[n & 3];
        }
    }
    return n;
}

Outputs prmt(const Operation &operation, const Inputs &in) {
    const std::uint64_t bytes = in.value[1] << 32 | in.value[0];
    const std::uint64_t selector = named_selector(operation, in.value[2]);
    std::uint64_t value = 0;
    for (unsigned i = 0; i < 4; ++i) {
        const std::uint64_t nibble = selector >> (4 * i) & 15;
        const std::uint64_t byte = bytes >> (8 * (nibble & 7)) & 0xff;
        value |= (nibble < 8 ? byte : (byte & 0x80) != 0 ? 0xff : 0) << (8 * i);
    }
    return {value};
}

/// Adds the products of the elements of a, of `bits` each, with bytes of b from `first` on, to c.
Outputs dot(const Operation &operation, const Inputs &in, unsigned count, unsigned first) {
    const unsigned bits = 32 / count;
    const auto element = [&](unsigned operand, unsigned index, unsigned size) {
        const std::uint64_t value = low_bits(in.value[operand] >> (index * size), size);
        return is_signed(operation.types[operand]) ? sign_extended(value, size) : static_cast<std::int64_t>(value);
    };
    std::int64_t sum = sign_extended(in.value[2], 32);
    for (unsigned i = 0; i < count; ++i) {
        sum += element(0, i, bits) * element(1, first + i, 8);
    }
    return {low_bits(static_cast<std::uint64_t>(sum), 32)};
}

Outputs dp4a(const Operation &operation, const Inputs &in) {
    return dot(operation, in, 4, 0);
}
Outputs dp2a(const Operation &operation, const Inputs &in) {
    return dot(operation, in, 2, operation.has(Word::kHi) ? 2 : 0);
}

constexpr std::array<std::pair<std::string_view, Handler>, 34> kHandlers = {{
    {"add", add},           {"sub", sub},       {"addc", addc},   {"subc", subc},     {"mul", mul},
    {"mad", mad},           {"madc", madc},     {"mul24", mul24}, {"mad24", mad24},   {"div", div},
    {"rem", rem},           {"sad", sad},       {"abs", abs},     {"neg", neg},       {"min", extreme<false>},
    {"max", extreme<true>}, {"and", logic_and}, {"or", logic_or}, {"xor", logic_xor}, {"not", logic_not},
    {"cnot", cnot},         {"lop3", lop3},     {"shl", shl},     {"shr", shr},       {"shf", shf},
    {"brev", brev},         {"popc", popc},     {"clz", clz},     {"bfind", bfind},   {"fns", fns},
    {"bfe", bfe},           {"bfi", bfi},       {"bmsk", bmsk},   {"szext", szext},
}};
constexpr std::array<std::pair<std::string_view, Handler>, 3> kMore = {
    {{"prmt", prmt}, {"dp4a", dp4a}, {"dp2a", dp2a}}};

} // namespace

Handler integer_handler(std::string_view opcode, const Operation &operation) {
    if (operation.has(Word::kCc) && (opcode == "add" || opcode == "sub" || opcode == "mad")) {
        return opcode == "add" ? add_cc : opcode == "sub" ? sub_cc : mad_cc;
    }
    for (const auto &[name, handler] : kHandlers) {
        if (name == opcode) {
            return handler;
        }
    }
    for (const auto &[name, handler] : kMore) {
        if (name == opcode) {
            return handler;
        }
    }
    return nullptr;
}

} // namespace smsim::ptx::interpreter
