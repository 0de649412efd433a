// Floats as whole numbers, cut toward zero. A float outside the range of a type gives its nearest end; a NaN 0, with 64
// bits only the highest bit. In assembly, because C leaves these cases undefined.
#pragma once

#include "smsim_cuda/language.h"

namespace smsim_cuda {

// To `type`, of PTX type `ptx`, in a register of constraint `letter`.
#define SMSIM_CUT(type, ptx, letter)                                                                                   \
    SMSIM_FUNCTION void cut(float x, type &whole) {                                                                    \
        asm("cvt.rzi." ptx ".f32 %0, %1;" : "=" letter(whole) : "f"(x));                                               \
    }
SMSIM_CUT(short, "s16", "h")
SMSIM_CUT(unsigned short, "u16", "h")
SMSIM_CUT(int, "s32", "r")
SMSIM_CUT(unsigned, "u32", "r")
SMSIM_CUT(long, "s64", "l")
SMSIM_CUT(unsigned long, "u64", "l")
SMSIM_CUT(long long, "s64", "l")
SMSIM_CUT(unsigned long long, "u64", "l")
#undef SMSIM_CUT

// To a byte, through a whole number of 32 bits.
#define SMSIM_CUT(type, least, largest)                                                                                \
    SMSIM_FUNCTION void cut(float x, type &whole) {                                                                    \
        int wide;                                                                                                      \
        cut(x, wide);                                                                                                  \
        whole = (type)(wide < least ? least : wide > largest ? largest : wide);                                        \
    }
SMSIM_CUT(char, -128, 127)
SMSIM_CUT(signed char, -128, 127)
SMSIM_CUT(unsigned char, 0, 255)
#undef SMSIM_CUT

/// The whole number as a result.
template <typename T> SMSIM_FUNCTION T cut_to(float x) {
    T whole;
    cut(x, whole);
    return whole;
}

} // namespace smsim_cuda
