// Floating-point functions. Nothing here calls a library: exponentials, logarithms and sines use the approximate
// instructions of PTX. On the model these are within 0.51 units of the last place (compute-set.md), on hardware
// within what the PTX manual says about ex2, lg2, sin and cos; the bounds below are those of the model.
#pragma once

#include "smsim_cuda/language.h"

#if defined(__clang__) && !defined(__NVCC__)

SMSIM_FUNCTION float fminf(float a, float b) {
    return __nvvm_fmin_f(a, b);
}
SMSIM_FUNCTION float fmaxf(float a, float b) {
    return __nvvm_fmax_f(a, b);
}
SMSIM_FUNCTION float min(float a, float b) {
    return __nvvm_fmin_f(a, b);
}
SMSIM_FUNCTION float max(float a, float b) {
    return __nvvm_fmax_f(a, b);
}
SMSIM_FUNCTION double fmin(double a, double b) {
    return __nvvm_fmin_d(a, b);
}
SMSIM_FUNCTION double fmax(double a, double b) {
    return __nvvm_fmax_d(a, b);
}
SMSIM_FUNCTION float fabsf(float x) {
    return __nvvm_fabs_f(x);
}
SMSIM_FUNCTION double fabs(double x) {
    return __nvvm_fabs_d(x);
}
SMSIM_FUNCTION float floorf(float x) {
    return __nvvm_floor_f(x);
}
SMSIM_FUNCTION float ceilf(float x) {
    return __nvvm_ceil_f(x);
}
SMSIM_FUNCTION float truncf(float x) {
    return __nvvm_trunc_f(x);
}
/// Rounds to the nearest integral value, ties to even.
SMSIM_FUNCTION float rintf(float x) {
    float result;
    asm("cvt.rni.f32.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}

/// Rounded once, to nearest.
SMSIM_FUNCTION float __fmaf_rn(float a, float b, float c) {
    return __nvvm_fma_rn_f(a, b, c);
}
SMSIM_FUNCTION float fmaf(float a, float b, float c) {
    return __nvvm_fma_rn_f(a, b, c);
}
SMSIM_FUNCTION double fma(double a, double b, double c) {
    return __nvvm_fma_rn_d(a, b, c);
}
/// A product or a sum that is never contracted. In assembly, because clang turns its own functions for these
/// into plain operations and contracts them.
SMSIM_FUNCTION float __fmul_rn(float a, float b) {
    float result;
    asm("mul.rn.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
}
SMSIM_FUNCTION float __fadd_rn(float a, float b) {
    float result;
    asm("add.rn.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
}
SMSIM_FUNCTION float __fsub_rn(float a, float b) {
    float result;
    asm("sub.rn.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
}
/// Correctly rounded quotient and root.
SMSIM_FUNCTION float __fdiv_rn(float a, float b) {
    return __nvvm_div_rn_f(a, b);
}
SMSIM_FUNCTION float __fsqrt_rn(float x) {
    return __nvvm_sqrt_rn_f(x);
}
SMSIM_FUNCTION float sqrtf(float x) {
    return __nvvm_sqrt_rn_f(x);
}
SMSIM_FUNCTION double sqrt(double x) {
    return __nvvm_sqrt_rn_d(x);
}
/// 1 / sqrt(x) within 0.51 units of the last place (hardware: 2).
SMSIM_FUNCTION float rsqrtf(float x) {
    return __nvvm_rsqrt_approx_f(x);
}
/// Quotient within 2 units of the last place; 0 or NaN for |b| above 2^126.
SMSIM_FUNCTION float __fdividef(float a, float b) {
    return __nvvm_div_approx_f(a, b);
}

/// 2^x within 0.51 units of the last place (hardware: 2).
SMSIM_FUNCTION float exp2f(float x) {
    return __nvvm_ex2_approx_f(x);
}
/// log2(x) within 0.51 units of the last place (hardware: absolute error of 2^-22 between 0.5 and 2).
SMSIM_FUNCTION float log2f(float x) {
    return __nvvm_lg2_approx_f(x);
}

/// e^x within 2 units of the last place: the product with log2(e) is kept in two parts, because 2^t turns an
/// absolute error of t into a relative one of the result.
SMSIM_FUNCTION float expf(float x) {
    const float t = __fmul_rn(x, 0x1.715476p+0f);
    const float rest = __nvvm_fma_rn_f(x, 0x1.4ae0cp-26f, __nvvm_fma_rn_f(x, 0x1.715476p+0f, -t));
    const float power = __nvvm_ex2_approx_f(t);
    const float correction = __fmul_rn(power, rest);
    return __nvvm_fabs_f(t) < 150.0f ? __nvvm_fma_rn_f(correction, 0x1.62e43p-1f, power) : power;
}

/// ln(x) within 2 units of the last place.
SMSIM_FUNCTION float logf(float x) {
    return __fmul_rn(__nvvm_lg2_approx_f(x), 0x1.62e43p-1f);
}

/// Argument in radians; within 0.51 units of the last place. Hardware reduces the argument less exactly: absolute error
/// 2^-20.5 in [-pi, pi], growing outside.
SMSIM_FUNCTION float sinf(float x) {
    return __nvvm_sin_approx_f(x);
}
SMSIM_FUNCTION float cosf(float x) {
    return __nvvm_cos_approx_f(x);
}

/// The approximate instructions themselves.
SMSIM_FUNCTION float __expf(float x) {
    return __nvvm_ex2_approx_f(x * 0x1.715476p+0f);
}
SMSIM_FUNCTION float __logf(float x) {
    return logf(x);
}
SMSIM_FUNCTION float __sinf(float x) {
    return __nvvm_sin_approx_f(x);
}
SMSIM_FUNCTION float __cosf(float x) {
    return __nvvm_cos_approx_f(x);
}

// Conversion between a number and its bits.
SMSIM_FUNCTION int __float_as_int(float x) {
    return __builtin_bit_cast(int, x);
}
SMSIM_FUNCTION unsigned __float_as_uint(float x) {
    return __builtin_bit_cast(unsigned, x);
}
SMSIM_FUNCTION float __int_as_float(int x) {
    return __builtin_bit_cast(float, x);
}
SMSIM_FUNCTION float __uint_as_float(unsigned x) {
    return __builtin_bit_cast(float, x);
}
SMSIM_FUNCTION long long __double_as_longlong(double x) {
    return __builtin_bit_cast(long long, x);
}
SMSIM_FUNCTION double __longlong_as_double(long long x) {
    return __builtin_bit_cast(double, x);
}

#endif
