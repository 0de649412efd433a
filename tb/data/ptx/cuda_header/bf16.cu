// Every function of cuda_bf16.h.
#include "smsim_cuda.h"

#include <cuda_bf16.h>

typedef nv_bfloat16 T;
typedef nv_bfloat162 T2;
typedef __nv_bfloat16_raw T_RAW;
typedef __nv_bfloat162_raw T2_RAW;
#define NAME(before, after) before##bfloat16##after
#define NAMES(before, between, after) before##bfloat16##between##bfloat16##after
#include "narrow_float.h"
