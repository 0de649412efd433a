// Half precision and bfloat16 as bits in 16-bit integers: conversions, and the fused multiply-add. The names are the
// project's own with both compilers, so that no vendor header is needed.
#pragma once

#include "smsim_cuda/language.h"

/// Rounds to half precision, to nearest even; returns the bits.
SMSIM_FUNCTION unsigned short smsim_float_to_half(float x) {
    unsigned short bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    return bits;
}

/// The exact value of the bits of a half.
SMSIM_FUNCTION float smsim_half_to_float(unsigned short bits) {
    float x;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
    return x;
}

/// a * b + c in half precision, rounded once.
SMSIM_FUNCTION unsigned short smsim_half_fma(unsigned short a, unsigned short b, unsigned short c) {
    unsigned short bits;
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(bits) : "h"(a), "h"(b), "h"(c));
    return bits;
}

/// The exact value of the bits of a bfloat16: they are the upper half of a float.
SMSIM_FUNCTION float smsim_bfloat16_to_float(unsigned short bits) {
    float x;
    asm("mov.b32 %0, %1;" : "=f"(x) : "r"((unsigned)bits << 16));
    return x;
}

/// Rounds to bfloat16, to nearest even; a NaN gives 0x7fff. Integer arithmetic, as targets before sm_80 have no
/// conversion.
SMSIM_FUNCTION unsigned short smsim_float_to_bfloat16(float x) {
    unsigned bits;
    asm("mov.b32 %0, %1;" : "=r"(bits) : "f"(x));
    if ((bits & 0x7fffffffu) > 0x7f800000u) {
        return 0x7fff;
    }
    return (unsigned short)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}
