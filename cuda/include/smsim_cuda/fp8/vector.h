// Vectors of two and four floats of eight bits, the first in the lowest byte. A number beyond the largest one becomes
// that.
#pragma once

#include "smsim_cuda/fp8/conversion.h"

// A vector of two of `format`; `__x` has its bits.
#define SMSIM_FP8X2(name, format)                                                                                      \
    struct __align__(2) name {                                                                                         \
        __nv_fp8x2_storage_t __x;                                                                                      \
        name() = default;                                                                                              \
        __device__ explicit name(float2 x) : __x(__nv_cvt_float2_to_fp8x2(x, __NV_SATFINITE, format)) {}               \
        __device__ explicit name(double2 x) : __x(__nv_cvt_double2_to_fp8x2(x, __NV_SATFINITE, format)) {}             \
        __device__ explicit name(__half2 x) : __x(__nv_cvt_halfraw2_to_fp8x2(x, __NV_SATFINITE, format)) {}            \
        __device__ explicit name(__nv_bfloat162 x) : __x(__nv_cvt_bfloat16raw2_to_fp8x2(x, __NV_SATFINITE, format)) {} \
        __device__ explicit operator __half2() const {                                                                 \
            return __nv_cvt_fp8x2_to_halfraw2(__x, format);                                                            \
        }                                                                                                              \
        __device__ explicit operator float2() const {                                                                  \
            return __half22float2(__nv_cvt_fp8x2_to_halfraw2(__x, format));                                            \
        }                                                                                                              \
    };

// A vector of four, of two vectors `pair`.
#define SMSIM_FP8X4(name, pair)                                                                                        \
    struct __align__(4) name {                                                                                         \
        __nv_fp8x4_storage_t __x;                                                                                      \
        name() = default;                                                                                              \
        __device__ explicit name(float4 x) : name(pair(float2{x.x, x.y}), pair(float2{x.z, x.w})) {}                   \
        __device__ name(__half2 low, __half2 high) : name(pair(low), pair(high)) {}                                    \
        __device__ name(__nv_bfloat162 low, __nv_bfloat162 high) : name(pair(low), pair(high)) {}                      \
        __device__ explicit operator float4() const {                                                                  \
            const float2 low = (float2)part(0);                                                                        \
            const float2 high = (float2)part(16);                                                                      \
            return {low.x, low.y, high.x, high.y};                                                                     \
        }                                                                                                              \
                                                                                                                       \
      private:                                                                                                         \
        __device__ name(pair low, pair high) : __x(low.__x | (unsigned)high.__x << 16) {}                              \
        __device__ pair part(int shift) const {                                                                        \
            pair result;                                                                                               \
            result.__x = (__nv_fp8x2_storage_t)(__x >> shift);                                                         \
            return result;                                                                                             \
        }                                                                                                              \
    };

SMSIM_FP8X2(__nv_fp8x2_e4m3, __NV_E4M3)
SMSIM_FP8X2(__nv_fp8x2_e5m2, __NV_E5M2)
SMSIM_FP8X4(__nv_fp8x4_e4m3, __nv_fp8x2_e4m3)
SMSIM_FP8X4(__nv_fp8x4_e5m2, __nv_fp8x2_e5m2)

#undef SMSIM_FP8X2
#undef SMSIM_FP8X4
