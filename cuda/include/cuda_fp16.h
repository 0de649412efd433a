// Half precision of CUDA C++ for device code: __half, __half2 and their functions, by the names of the vendor's header.
// Every result is rounded once, to nearest even, where a name does not say another rounding. What the functions are is
// written once for half precision and bfloat16, in smsim_cuda/narrow. With nvcc the header of this name is the
// vendor's.
#pragma once

#if defined(__clang__) && !defined(__NVCC__)

#include "smsim_cuda.h"

#include "smsim_cuda/fp16/bits.h"

#define SMSIM_NARROW __half
#define SMSIM_NARROW2 __half2
#define SMSIM_NARROW_RAW __half_raw
#define SMSIM_NARROW2_RAW __half2_raw
#define SMSIM_NARROW_BITS ::smsim_cuda::half_bits
#define SMSIM_NARROW_NAME(before, after) before##half##after
#define SMSIM_NARROW_NAMES(before, between, after) before##half##between##half##after
#define SMSIM_NARROW_PTX "f16"
#include "smsim_cuda/narrow/all.h"

typedef __half half;
typedef __half nv_half;
typedef __half __nv_half;
typedef __half2 half2;
typedef __half2 nv_half2;
typedef __half2 __nv_half2;

#define CUDART_INF_FP16 __ushort_as_half(0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half(0x7fff)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(0x0001)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(0x7bff)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half(0x8000)
#define CUDART_ZERO_FP16 __ushort_as_half(0x0000)
#define CUDART_ONE_FP16 __ushort_as_half(0x3c00)

#else

#include_next <cuda_fp16.h>

#endif
