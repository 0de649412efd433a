// Matrix products of warps of CUDA C++ for device code: nvcuda::wmma, by the names of the vendor's header. Each
// function is a wmma instruction of PTX; the files of smsim_cuda/wmma name the shapes of each type. A type needs a
// target: half sm_70, bytes sm_72, four bits and single bits sm_75, the others sm_80. All threads of a warp call these
// functions together. With nvcc the header of this name is the vendor's.
#pragma once

#if defined(__clang__) && !defined(__NVCC__)

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#include "smsim_cuda/wmma/fragment.h"

#include "smsim_cuda/wmma/bfloat16.h"
#include "smsim_cuda/wmma/double.h"
#include "smsim_cuda/wmma/half.h"
#include "smsim_cuda/wmma/integer.h"
#include "smsim_cuda/wmma/narrow_integer.h"
#include "smsim_cuda/wmma/tf32.h"

#else

#include_next <mma.h>

#endif
