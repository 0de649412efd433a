// Products of bfloat16: m16n16k16, m32n8k16 and m8n32k16, C and D in single precision. The functions for C and D are
// those of half.h.
#pragma once

#include "smsim_cuda/wmma/half.h"

namespace nvcuda {
namespace wmma {

// `a` and `b` are numbers of registers of two elements each.
#define SMSIM_SHAPE(m, n, k, shape, a, b)                                                                              \
    SMSIM_FRAGMENT(matrix_a, m, n, k, __nv_bfloat16, __nv_bfloat16, 2 * a)                                             \
    SMSIM_FRAGMENT(matrix_b, m, n, k, __nv_bfloat16, __nv_bfloat16, 2 * b)                                             \
    SMSIM_LOAD_SOURCES(m, n, k, __nv_bfloat16, __nv_bfloat16, shape, "bf16", a, b, unsigned, "r")                      \
    SMSIM_MMA_LAYOUTS(m, n, k, __nv_bfloat16, float, float, shape, "f32.bf16.bf16.f32", 8, "f", a, b, unsigned, "r",   \
                      8, "f")

SMSIM_SHAPE(16, 16, 16, "m16n16k16", 4, 4)
SMSIM_SHAPE(32, 8, 16, "m32n8k16", 8, 2)
SMSIM_SHAPE(8, 32, 16, "m8n32k16", 2, 8)

#undef SMSIM_SHAPE

} // namespace wmma
} // namespace nvcuda
