// Every function of cuda_fp16.h.
#include "smsim_cuda.h"

#include <cuda_fp16.h>

typedef half T;
typedef half2 T2;
typedef __half_raw T_RAW;
typedef __half2_raw T2_RAW;
#define NAME(before, after) before##half##after
#define NAMES(before, between, after) before##half##between##half##after
#include "narrow_float.h"
