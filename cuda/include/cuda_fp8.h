// Floats of eight bits of CUDA C++ for device code: __nv_fp8_e4m3 and __nv_fp8_e5m2, vectors of two and four of them,
// and the conversions, by the names of the vendor's header. With nvcc the header of this name is the vendor's.
#pragma once

#if defined(__clang__) && !defined(__NVCC__)

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#include "smsim_cuda/fp8/conversion.h"

#include "smsim_cuda/fp8/number.h"

#include "smsim_cuda/fp8/vector.h"

#else

#include_next <cuda_fp8.h>

#endif
