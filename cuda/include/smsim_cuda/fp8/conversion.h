// Conversions to and from floats of eight bits by the instructions of PTX, which need sm_89. e4m3 has four bits of
// exponent, three of fraction and no infinity, e5m2 is the upper half of a half.
#pragma once

#include "smsim_cuda/narrow/odd.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned __nv_fp8x4_storage_t;

/// What a number beyond the largest one becomes: a NaN of e4m3 and an infinity of e5m2, or the largest number.
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
/// The format.
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

namespace smsim_cuda {

/// Two floats, rounded to nearest even. A number beyond the largest one becomes that, a NaN 0x7f.
SMSIM_FUNCTION __nv_fp8x2_storage_t to_fp8x2(float upper, float lower, __nv_fp8_interpretation_t format) {
    __nv_fp8x2_storage_t bits;
    if (format == __NV_E4M3) {
        asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(bits) : "f"(upper), "f"(lower));
    } else {
        asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(bits) : "f"(upper), "f"(lower));
    }
    return bits;
}

/// `bits`, which are x as the largest number if it is beyond that, without this limit: PTX has no conversion without.
SMSIM_FUNCTION __nv_fp8_storage_t without_limit(__nv_fp8_storage_t bits, float x, __nv_fp8_interpretation_t format) {
    // From the middle between the largest number and the one that would follow on, if the largest one is odd.
    const float size = __builtin_fabsf(x);
    const bool beyond = format == __NV_E4M3 ? size > 464.0f : size >= 61440.0f;
    return (__nv_fp8_storage_t)(beyond ? (bits & 0x80u) | (format == __NV_E4M3 ? 0x7fu : 0x7cu) : bits);
}

} // namespace smsim_cuda

/// Rounds to nearest even; a NaN gives 0x7f.
SMSIM_FUNCTION __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturation,
                                                        __nv_fp8_interpretation_t format) {
    const __nv_fp8_storage_t bits = (__nv_fp8_storage_t)::smsim_cuda::to_fp8x2(0.0f, x, format);
    return saturation == __NV_SATFINITE ? bits : ::smsim_cuda::without_limit(bits, x, format);
}
/// A double, rounded once.
SMSIM_FUNCTION __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturation,
                                                         __nv_fp8_interpretation_t format) {
    return __nv_cvt_float_to_fp8(::smsim_cuda::to_odd(x), saturation, format);
}
SMSIM_FUNCTION __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturation,
                                                          __nv_fp8_interpretation_t format) {
    return __nv_cvt_float_to_fp8(__half2float(x), saturation, format);
}
SMSIM_FUNCTION __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t saturation,
                                                              __nv_fp8_interpretation_t format) {
    return __nv_cvt_float_to_fp8(__bfloat162float(x), saturation, format);
}

/// Two numbers; x is in the lower byte.
SMSIM_FUNCTION __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t saturation,
                                                             __nv_fp8_interpretation_t format) {
    const __nv_fp8x2_storage_t bits = ::smsim_cuda::to_fp8x2(x.y, x.x, format);
    if (saturation == __NV_SATFINITE) {
        return bits;
    }
    return (__nv_fp8x2_storage_t)(::smsim_cuda::without_limit((__nv_fp8_storage_t)bits, x.x, format) |
                                  ::smsim_cuda::without_limit((__nv_fp8_storage_t)(bits >> 8), x.y, format) << 8);
}
SMSIM_FUNCTION __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 x, __nv_saturation_t saturation,
                                                              __nv_fp8_interpretation_t format) {
    return __nv_cvt_float2_to_fp8x2({::smsim_cuda::to_odd(x.x), ::smsim_cuda::to_odd(x.y)}, saturation, format);
}
SMSIM_FUNCTION __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw x, __nv_saturation_t saturation,
                                                               __nv_fp8_interpretation_t format) {
    if (saturation == __NV_NOSAT) {
        return __nv_cvt_float2_to_fp8x2(__half22float2(x), saturation, format);
    }
    const unsigned pair = x.x | (unsigned)x.y << 16;
    __nv_fp8x2_storage_t bits;
    if (format == __NV_E4M3) {
        asm("cvt.rn.satfinite.e4m3x2.f16x2 %0, %1;" : "=h"(bits) : "r"(pair));
    } else {
        asm("cvt.rn.satfinite.e5m2x2.f16x2 %0, %1;" : "=h"(bits) : "r"(pair));
    }
    return bits;
}
SMSIM_FUNCTION __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw x, __nv_saturation_t saturation,
                                                                   __nv_fp8_interpretation_t format) {
    return __nv_cvt_float2_to_fp8x2(__bfloat1622float2(x), saturation, format);
}

/// The exact values as halves, which have every number of both formats.
SMSIM_FUNCTION __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t format) {
    unsigned pair;
    if (format == __NV_E4M3) {
        asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(pair) : "h"(x));
    } else {
        asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(pair) : "h"(x));
    }
    return {(unsigned short)pair, (unsigned short)(pair >> 16)};
}
SMSIM_FUNCTION __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t format) {
    return {__nv_cvt_fp8x2_to_halfraw2(x, format).x};
}
