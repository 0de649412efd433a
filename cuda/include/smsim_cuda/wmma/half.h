// Products of half precision: m16n16k16, m32n8k16 and m8n32k16, C and D in half or single precision,
// independently. With `saturate` an infinity of D becomes the largest number and a NaN 0.
#pragma once

#include "smsim_cuda/wmma/functions.h"

namespace nvcuda {
namespace wmma {

#define SMSIM_SHAPE(m, n, k, shape)                                                                                    \
    SMSIM_FRAGMENT(matrix_a, m, n, k, __half, __half, 16)                                                              \
    SMSIM_FRAGMENT(matrix_b, m, n, k, __half, __half, 16)                                                              \
    SMSIM_FRAGMENT(accumulator, m, n, k, __half, __half, 8)                                                            \
    SMSIM_FRAGMENT(accumulator, m, n, k, float, float, 8)                                                              \
    SMSIM_LOAD_SOURCES(m, n, k, __half, __half, shape, "f16", 8, 8, unsigned, "r")                                     \
    SMSIM_RESULTS(m, n, k, __half, shape, "f16", 4, unsigned, "r")                                                     \
    SMSIM_RESULTS(m, n, k, float, shape, "f32", 8, float, "f")                                                         \
    SMSIM_MMA_SATURATING_LAYOUTS(m, n, k, __half, __half, __half, unsigned, unsigned, shape, "f16.f16", 4, "r", 8, 8,  \
                                 4, "r")                                                                               \
    SMSIM_MMA_SATURATING_LAYOUTS(m, n, k, __half, __half, float, unsigned, float, shape, "f16.f32", 4, "r", 8, 8, 8,   \
                                 "f")                                                                                  \
    SMSIM_MMA_SATURATING_LAYOUTS(m, n, k, __half, float, __half, float, unsigned, shape, "f32.f16", 8, "f", 8, 8, 4,   \
                                 "r")                                                                                  \
    SMSIM_MMA_SATURATING_LAYOUTS(m, n, k, __half, float, float, float, float, shape, "f32.f32", 8, "f", 8, 8, 8, "f")

SMSIM_SHAPE(16, 16, 16, "m16n16k16")
SMSIM_SHAPE(32, 8, 16, "m32n8k16")
SMSIM_SHAPE(8, 32, 16, "m8n32k16")

#undef SMSIM_SHAPE

} // namespace wmma
} // namespace nvcuda
