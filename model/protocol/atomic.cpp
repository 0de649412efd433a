// The atomic operations on plain values.
#include "model/protocol/atomic.h"

#include <bit>
#include <cmath>

namespace smsim::protocol {
namespace {

using isa::AtomicOp;
using isa::AtomicType;

std::uint64_t add_f32(std::uint64_t a, std::uint64_t b) {
    const float sum =
        std::bit_cast<float>(static_cast<std::uint32_t>(a)) + std::bit_cast<float>(static_cast<std::uint32_t>(b));
    return std::isnan(sum) ? 0x7fff'ffffU : std::bit_cast<std::uint32_t>(sum);
}

std::uint64_t add_f64(std::uint64_t a, std::uint64_t b) {
    const double sum = std::bit_cast<double>(a) + std::bit_cast<double>(b);
    return std::isnan(sum) ? 0x7fff'ffff'ffff'ffffULL : std::bit_cast<std::uint64_t>(sum);
}

std::uint64_t add(AtomicType type, std::uint64_t a, std::uint64_t b) {
    switch (type) {
    case AtomicType::kF32:
        return add_f32(a, b);
    case AtomicType::kF64:
        return add_f64(a, b);
    default:
        return a + b;
    }
}

/// Whether `a` is below `b` in the order of `type`.
bool below(AtomicType type, std::uint64_t a, std::uint64_t b) {
    switch (type) {
    case AtomicType::kS32:
        return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b);
    case AtomicType::kS64:
        return static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b);
    default:
        return a < b;
    }
}

} // namespace

std::uint64_t atomic_result(AtomicOp op, AtomicType type, std::uint64_t old, std::uint64_t operand,
                            std::uint64_t compare) {
    const std::uint64_t width = isa::atomic_bytes(type) == 8 ? ~std::uint64_t{0} : 0xffff'ffffULL;
    old &= width;
    operand &= width;
    compare &= width;
    const bool is_float = type == AtomicType::kF32 || type == AtomicType::kF64;
    switch (op) {
    case AtomicOp::kAdd:
        return add(type, old, operand) & width;
    case AtomicOp::kMin:
        return !is_float && below(type, operand, old) ? operand : old;
    case AtomicOp::kMax:
        return !is_float && below(type, old, operand) ? operand : old;
    case AtomicOp::kInc:
        return old >= operand ? 0 : old + 1;
    case AtomicOp::kDec:
        return old == 0 || old > operand ? operand : old - 1;
    case AtomicOp::kAnd:
        return old & operand;
    case AtomicOp::kOr:
        return old | operand;
    case AtomicOp::kXor:
        return old ^ operand;
    case AtomicOp::kExch:
        return operand;
    case AtomicOp::kCas:
        return old == compare ? operand : old;
    }
    return old;
}

} // namespace smsim::protocol
