// bfloat16 as bits: what smsim_cuda/narrow needs to know about the format. Targets before sm_90 have no sum and no
// product of bfloat16, so these are fused multiply-adds: a * 1 + b, b * -1 + a, a * b - 0.
#pragma once

#include "smsim_cuda/language.h"

namespace smsim_cuda {
namespace bfloat16_bits {

const unsigned short kOne = 0x3f80;
const unsigned short kInfinity = 0x7f80;
const unsigned short kNan = 0x7fff;
const unsigned short kMinusOne = 0xbf80;
const unsigned short kMinusZero = 0x8000;

/// The exact value: a bfloat16 is the upper half of a float.
SMSIM_FUNCTION float to_float(unsigned short bits) {
    return __builtin_bit_cast(float, (unsigned)bits << 16);
}
/// Rounds to nearest even.
SMSIM_FUNCTION unsigned short nearest(float x) {
    unsigned short bits;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    return bits;
}
SMSIM_FUNCTION unsigned short toward_zero(float x) {
    unsigned short bits;
    asm("cvt.rz.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    return bits;
}
/// Cut, and away from zero if something was cut and `away`.
SMSIM_FUNCTION unsigned short directed(float x, bool away) {
    const unsigned bits = __builtin_bit_cast(unsigned, x);
    return x != x ? kNan : (unsigned short)((bits >> 16) + (away && (bits & 0xffffu) != 0 ? 1 : 0));
}
SMSIM_FUNCTION unsigned short down(float x) {
    return directed(x, x < 0);
}
SMSIM_FUNCTION unsigned short up(float x) {
    return directed(x, x > 0);
}

SMSIM_FUNCTION unsigned short multiply_add(unsigned short a, unsigned short b, unsigned short c) {
    unsigned short result;
    asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(result) : "h"(a), "h"(b), "h"(c));
    return result;
}
SMSIM_FUNCTION unsigned multiply_add_pair(unsigned a, unsigned b, unsigned c) {
    unsigned result;
    asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
    return result;
}
SMSIM_FUNCTION unsigned short add(unsigned short a, unsigned short b) {
    return multiply_add(a, kOne, b);
}
SMSIM_FUNCTION unsigned short subtract(unsigned short a, unsigned short b) {
    return multiply_add(b, kMinusOne, a);
}
SMSIM_FUNCTION unsigned short multiply(unsigned short a, unsigned short b) {
    return multiply_add(a, b, kMinusZero);
}
SMSIM_FUNCTION unsigned add_pair(unsigned a, unsigned b) {
    return multiply_add_pair(a, kOne * 0x10001u, b);
}
SMSIM_FUNCTION unsigned subtract_pair(unsigned a, unsigned b) {
    return multiply_add_pair(b, kMinusOne * 0x10001u, a);
}
SMSIM_FUNCTION unsigned multiply_pair(unsigned a, unsigned b) {
    return multiply_add_pair(a, b, kMinusZero * 0x10001u);
}

} // namespace bfloat16_bits
} // namespace smsim_cuda
