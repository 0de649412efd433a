// Products of integers of four bits (m8n8k32) and of single bits (m8n8k128): A by rows, B by columns, C and D of 32
// bits. A fragment of A or B is one word of several elements; addresses and strides are multiples of elements.
#pragma once

#include "smsim_cuda/wmma/functions.h"

namespace nvcuda {
namespace wmma {

#define SMSIM_LOADS(k, type, shape, name)                                                                              \
    SMSIM_LOAD_SOURCE(matrix_a, 8, 8, k, type, row_major, void, "a.sync.aligned.row." shape "." name, 1, unsigned,     \
                      "r")                                                                                             \
    SMSIM_LOAD_SOURCE(matrix_b, 8, 8, k, type, col_major, void, "b.sync.aligned.col." shape "." name, 1, unsigned, "r")

// fill_fragment: the word has as many copies of the lowest bits of the value as `copies` has ones.
#define SMSIM_FILL(k, type, copies)                                                                                    \
    template <typename Use, typename Layout, typename Value>                                                           \
    SMSIM_FUNCTION void fill_fragment(fragment<Use, 8, 8, k, type, Layout> &f, const Value &value) {                   \
        f.x[0] = ((unsigned)value & (0xffffffffu / copies)) * copies;                                                  \
    }

// Four bits.
SMSIM_FRAGMENT(matrix_a, 8, 8, 32, experimental::precision::s4, int, 8, 1)
SMSIM_FRAGMENT(matrix_b, 8, 8, 32, experimental::precision::s4, int, 8, 1)
SMSIM_FRAGMENT(matrix_a, 8, 8, 32, experimental::precision::u4, unsigned, 8, 1)
SMSIM_FRAGMENT(matrix_b, 8, 8, 32, experimental::precision::u4, unsigned, 8, 1)
SMSIM_FRAGMENT(accumulator, 8, 8, 32, int, int, 2)
SMSIM_FILL(32, experimental::precision::s4, 0x11111111u)
SMSIM_FILL(32, experimental::precision::u4, 0x11111111u)
SMSIM_LOADS(32, experimental::precision::s4, "m8n8k32", "s4")
SMSIM_LOADS(32, experimental::precision::u4, "m8n8k32", "u4")
SMSIM_RESULTS(8, 8, 32, int, "m8n8k32", "s32", 2, int, "r")
SMSIM_MMA_SATURATING(8, 8, 32, experimental::precision::s4, row_major, col_major, int, int, int, int,
                     "sync.aligned.row.col.m8n8k32.s32.s4.s4.s32", 2, "r", 1, 1, 2, "r")
SMSIM_MMA_SATURATING(8, 8, 32, experimental::precision::u4, row_major, col_major, int, int, int, int,
                     "sync.aligned.row.col.m8n8k32.s32.u4.u4.s32", 2, "r", 1, 1, 2, "r")

// Single bits.
SMSIM_FRAGMENT(matrix_a, 8, 8, 128, experimental::precision::b1, unsigned, 32, 1)
SMSIM_FRAGMENT(matrix_b, 8, 8, 128, experimental::precision::b1, unsigned, 32, 1)
SMSIM_FRAGMENT(accumulator, 8, 8, 128, int, int, 2)
SMSIM_FILL(128, experimental::precision::b1, 0xffffffffu)
SMSIM_LOADS(128, experimental::precision::b1, "m8n8k128", "b1")
SMSIM_RESULTS(8, 8, 128, int, "m8n8k128", "s32", 2, int, "r")

/// Adds to C the number of bits that differ, or with bmmaBitOpAND (sm_80) that are set in both.
SMSIM_FUNCTION void bmma_sync(SMSIM_FRAGMENTS(8, 8, 128, experimental::precision::b1, row_major, col_major, int, int),
                              experimental::bmmaBitOp operation = experimental::bmmaBitOpXOR,
                              experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC) {
    SMSIM_SOURCES(2, int, 1, 1, unsigned, 2, int);
    if (operation == experimental::bmmaBitOpAND) {
        SMSIM_PRODUCT("and.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", 2, "r", 1, 1, "r", 2, "r");
    } else {
        SMSIM_PRODUCT("xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", 2, "r", 1, 1, "r", 2, "r");
    }
    __builtin_memcpy(fd.x, d, sizeof d);
}

#undef SMSIM_LOADS
#undef SMSIM_FILL

} // namespace wmma
} // namespace nvcuda
