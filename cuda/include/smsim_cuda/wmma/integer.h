// Products of signed and unsigned bytes: m16n16k16, m32n8k16 and m8n32k16, C and D of 32 bits. Sums wrap, or with
// `saturate` end at the least and largest int.
#pragma once

#include "smsim_cuda/wmma/functions.h"

namespace nvcuda {
namespace wmma {

// `a` and `b` are numbers of registers of four elements each.
#define SMSIM_TYPE(m, n, k, type, name, shape, a, b)                                                                   \
    SMSIM_FRAGMENT(matrix_a, m, n, k, type, type, 4 * a)                                                               \
    SMSIM_FRAGMENT(matrix_b, m, n, k, type, type, 4 * b)                                                               \
    SMSIM_LOAD_SOURCES(m, n, k, type, type, shape, name, a, b, unsigned, "r")                                          \
    SMSIM_MMA_SATURATING_LAYOUTS(m, n, k, type, int, int, int, int, shape, "s32." name "." name ".s32", 8, "r", a, b,  \
                                 8, "r")
#define SMSIM_SHAPE(m, n, k, shape, a, b)                                                                              \
    SMSIM_FRAGMENT(accumulator, m, n, k, int, int, 8)                                                                  \
    SMSIM_RESULTS(m, n, k, int, shape, "s32", 8, int, "r")                                                             \
    SMSIM_TYPE(m, n, k, signed char, "s8", shape, a, b)                                                                \
    SMSIM_TYPE(m, n, k, unsigned char, "u8", shape, a, b)

SMSIM_SHAPE(16, 16, 16, "m16n16k16", 2, 2)
SMSIM_SHAPE(32, 8, 16, "m32n8k16", 4, 1)
SMSIM_SHAPE(8, 32, 16, "m8n32k16", 1, 4)

#undef SMSIM_TYPE
#undef SMSIM_SHAPE

} // namespace wmma
} // namespace nvcuda
