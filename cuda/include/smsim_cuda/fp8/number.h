// The types of a float of eight bits. A number beyond the largest one becomes that. Conversions to whole numbers are
// those of narrow/cut.h.
#pragma once

#include "smsim_cuda/fp8/conversion.h"

#include "smsim_cuda/narrow/cut.h"

// The conversion of a type of this file to a whole number.
#define SMSIM_TO(type)                                                                                                 \
    __device__ explicit operator type() const {                                                                        \
        return ::smsim_cuda::cut_to<type>((float)*this);                                                               \
    }

// A type of `format`; `__x` has its bits.
#define SMSIM_FP8(name, format)                                                                                        \
    struct name {                                                                                                      \
        __nv_fp8_storage_t __x;                                                                                        \
        name() = default;                                                                                              \
        __device__ explicit name(float x) : __x(__nv_cvt_float_to_fp8(x, __NV_SATFINITE, format)) {}                   \
        __device__ explicit name(double x) : __x(__nv_cvt_double_to_fp8(x, __NV_SATFINITE, format)) {}                 \
        __device__ explicit name(__half x) : __x(__nv_cvt_halfraw_to_fp8(x, __NV_SATFINITE, format)) {}                \
        __device__ explicit name(__nv_bfloat16 x) : __x(__nv_cvt_bfloat16raw_to_fp8(x, __NV_SATFINITE, format)) {}     \
        __device__ explicit name(short x) : name((float)x) {}                                                          \
        __device__ explicit name(unsigned short x) : name((float)x) {}                                                 \
        __device__ explicit name(int x) : name(::smsim_cuda::to_odd(x)) {}                                             \
        __device__ explicit name(unsigned x) : name(::smsim_cuda::to_odd(x)) {}                                        \
        __device__ explicit name(long x) : name(::smsim_cuda::to_odd(x)) {}                                            \
        __device__ explicit name(unsigned long x) : name(::smsim_cuda::to_odd(x)) {}                                   \
        __device__ explicit name(long long x) : name(::smsim_cuda::to_odd(x)) {}                                       \
        __device__ explicit name(unsigned long long x) : name(::smsim_cuda::to_odd(x)) {}                              \
        __device__ explicit operator __half() const { return __nv_cvt_fp8_to_halfraw(__x, format); }                   \
        __device__ explicit operator float() const { return __half2float(__nv_cvt_fp8_to_halfraw(__x, format)); }      \
        __device__ explicit operator __nv_bfloat16() const { return __float2bfloat16((float)*this); }                  \
        __device__ explicit operator double() const { return (float)*this; }                                           \
        SMSIM_TO(char)                                                                                                 \
        SMSIM_TO(signed char)                                                                                          \
        SMSIM_TO(unsigned char)                                                                                        \
        SMSIM_TO(short)                                                                                                \
        SMSIM_TO(unsigned short)                                                                                       \
        SMSIM_TO(int)                                                                                                  \
        SMSIM_TO(unsigned)                                                                                             \
        SMSIM_TO(long)                                                                                                 \
        SMSIM_TO(unsigned long)                                                                                        \
        SMSIM_TO(long long)                                                                                            \
        SMSIM_TO(unsigned long long)                                                                                   \
        __device__ explicit operator bool() const { return (__x & 0x7fu) != 0; }                                       \
    };

SMSIM_FP8(__nv_fp8_e4m3, __NV_E4M3)
SMSIM_FP8(__nv_fp8_e5m2, __NV_E5M2)

#undef SMSIM_FP8
#undef SMSIM_TO
