// Products of tf32, which are floats cut to ten bits of fraction: m16n16k8, C and D in single precision.
#pragma once

#include "smsim_cuda/wmma/functions.h"

namespace nvcuda {
namespace wmma {

/// Rounds a float to tf32: to nearest, away from zero in the middle.
SMSIM_FUNCTION float __float_to_tf32(float x) {
    unsigned bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
    return __builtin_bit_cast(float, bits);
}

SMSIM_FRAGMENT(matrix_a, 16, 16, 8, precision::tf32, float, 4)
SMSIM_FRAGMENT(matrix_b, 16, 16, 8, precision::tf32, float, 4)
SMSIM_FRAGMENT(accumulator, 16, 16, 8, float, float, 8)
SMSIM_LOAD_SOURCES(16, 16, 8, precision::tf32, float, "m16n16k8", "tf32", 4, 4, unsigned, "r")
SMSIM_RESULTS(16, 16, 8, float, "m16n16k8", "f32", 8, float, "f")
SMSIM_MMA_LAYOUTS(16, 16, 8, precision::tf32, float, float, "m16n16k8", "f32.tf32.tf32.f32", 8, "f", 4, 4, unsigned,
                  "r", 8, "f")

} // namespace wmma
} // namespace nvcuda
