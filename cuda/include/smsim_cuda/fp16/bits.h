// Half precision as bits: what smsim_cuda/narrow needs to know about the format.
#pragma once

#include "smsim_cuda/half.h"

namespace smsim_cuda {
namespace half_bits {

const unsigned short kOne = 0x3c00;
const unsigned short kInfinity = 0x7c00;
const unsigned short kNan = 0x7fff;

SMSIM_FUNCTION float to_float(unsigned short bits) {
    return smsim_half_to_float(bits);
}
/// Rounds to nearest even.
SMSIM_FUNCTION unsigned short nearest(float x) {
    return smsim_float_to_half(x);
}

#define SMSIM_ROUND(name, rounding)                                                                                    \
    SMSIM_FUNCTION unsigned short name(float x) {                                                                      \
        unsigned short bits;                                                                                           \
        asm("cvt." rounding ".f16.f32 %0, %1;" : "=h"(bits) : "f"(x));                                                 \
        return bits;                                                                                                   \
    }
SMSIM_ROUND(toward_zero, "rz")
SMSIM_ROUND(down, "rm")
SMSIM_ROUND(up, "rp")
#undef SMSIM_ROUND

// An operation on numbers, and on pairs as `NAME_pair`.
#define SMSIM_OPERATION(name, instruction)                                                                             \
    SMSIM_FUNCTION unsigned short name(unsigned short a, unsigned short b) {                                           \
        unsigned short result;                                                                                         \
        asm(instruction ".rn.f16 %0, %1, %2;" : "=h"(result) : "h"(a), "h"(b));                                        \
        return result;                                                                                                 \
    }                                                                                                                  \
    SMSIM_FUNCTION unsigned name##_pair(unsigned a, unsigned b) {                                                      \
        unsigned result;                                                                                               \
        asm(instruction ".rn.f16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));                                      \
        return result;                                                                                                 \
    }
SMSIM_OPERATION(add, "add")
SMSIM_OPERATION(subtract, "sub")
SMSIM_OPERATION(multiply, "mul")
#undef SMSIM_OPERATION

} // namespace half_bits
} // namespace smsim_cuda
