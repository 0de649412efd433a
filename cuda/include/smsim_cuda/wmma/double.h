// Products of double precision: m8n8k4.
#pragma once

#include "smsim_cuda/wmma/functions.h"

namespace nvcuda {
namespace wmma {

SMSIM_FRAGMENT(matrix_a, 8, 8, 4, double, double, 1)
SMSIM_FRAGMENT(matrix_b, 8, 8, 4, double, double, 1)
SMSIM_FRAGMENT(accumulator, 8, 8, 4, double, double, 2)
SMSIM_LOAD_SOURCES(8, 8, 4, double, double, "m8n8k4", "f64", 1, 1, double, "d")
SMSIM_RESULTS(8, 8, 4, double, "m8n8k4", "f64", 2, double, "d")
SMSIM_MMA_LAYOUTS(8, 8, 4, double, double, double, "m8n8k4", "f64.f64.f64.f64", 2, "d", 1, 1, double, "d", 2, "d")

} // namespace wmma
} // namespace nvcuda
