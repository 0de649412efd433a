// bfloat16 of CUDA C++ for device code: __nv_bfloat16, __nv_bfloat162 and their functions, by the names of the vendor's
// header. Every result is rounded once, to nearest even, where a name does not say another rounding. What the functions
// are is written once for half precision and bfloat16, in smsim_cuda/narrow. With nvcc the header of this name is the
// vendor's.
#pragma once

#if defined(__clang__) && !defined(__NVCC__)

#include "smsim_cuda.h"

#include "smsim_cuda/bf16/bits.h"

#define SMSIM_NARROW __nv_bfloat16
#define SMSIM_NARROW2 __nv_bfloat162
#define SMSIM_NARROW_RAW __nv_bfloat16_raw
#define SMSIM_NARROW2_RAW __nv_bfloat162_raw
#define SMSIM_NARROW_BITS ::smsim_cuda::bfloat16_bits
#define SMSIM_NARROW_NAME(before, after) before##bfloat16##after
#define SMSIM_NARROW_NAMES(before, between, after) before##bfloat16##between##bfloat16##after
#define SMSIM_NARROW_PTX "bf16"
#include "smsim_cuda/narrow/all.h"

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define CUDART_INF_BF16 __ushort_as_bfloat16(0x7f80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16(0x7fff)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16(0x0001)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16(0x7f7f)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16(0x8000)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(0x0000)
#define CUDART_ONE_BF16 __ushort_as_bfloat16(0x3f80)

#else

#include_next <cuda_bf16.h>

#endif
