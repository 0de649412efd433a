// Wide numbers as floats that keep what a second rounding needs: cut toward zero, with the last bit set when something
// was cut ("rounded to odd"). Rounding such a float to 22 bits or fewer, in any direction, gives the same as rounding
// the wide number once.
#pragma once

#include "smsim_cuda/language.h"

namespace smsim_cuda {

/// `cut` with the last bit set unless it is exact.
SMSIM_FUNCTION float with_last_bit(float cut, bool exact) {
    return exact ? cut : __builtin_bit_cast(float, __builtin_bit_cast(unsigned, cut) | 1u);
}

SMSIM_FUNCTION float to_odd(float x) {
    return x;
}
SMSIM_FUNCTION float to_odd(double x) {
    float cut;
    asm("cvt.rz.f32.f64 %0, %1;" : "=f"(cut) : "d"(x));
    return with_last_bit(cut, (double)cut == x || x != x);
}
SMSIM_FUNCTION float to_odd(unsigned x) {
    float cut;
    asm("cvt.rz.f32.u32 %0, %1;" : "=f"(cut) : "r"(x));
    return with_last_bit(cut, (unsigned)cut == x);
}
SMSIM_FUNCTION float to_odd(int x) {
    float cut;
    asm("cvt.rz.f32.s32 %0, %1;" : "=f"(cut) : "r"(x));
    return with_last_bit(cut, (int)cut == x);
}
SMSIM_FUNCTION float to_odd(unsigned long long x) {
    float cut;
    asm("cvt.rz.f32.u64 %0, %1;" : "=f"(cut) : "l"(x));
    return with_last_bit(cut, (unsigned long long)cut == x);
}
SMSIM_FUNCTION float to_odd(long long x) {
    float cut;
    asm("cvt.rz.f32.s64 %0, %1;" : "=f"(cut) : "l"(x));
    return with_last_bit(cut, (long long)cut == x);
}
SMSIM_FUNCTION float to_odd(unsigned long x) {
    return to_odd((unsigned long long)x);
}
SMSIM_FUNCTION float to_odd(long x) {
    return to_odd((long long)x);
}
SMSIM_FUNCTION float to_odd(unsigned short x) {
    return (float)x;
}
SMSIM_FUNCTION float to_odd(short x) {
    return (float)x;
}

} // namespace smsim_cuda
