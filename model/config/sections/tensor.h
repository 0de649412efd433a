// Configuration of the tensor pipe: what products of matrices a generation has, how fast, and how it rounds them.
#pragma once

#include <cstdint>

namespace smsim {

/// How sums of floating-point products are rounded: as a generation does, or once for the exact sum (tensor.md 2).
enum class TensorArithmetic : std::uint8_t { k7_0, k7_5, k8_0, k8_9, k9_0, kExact };

/// Rates are multiply-adds per cycle of the SM, of all sub-partitions together; 0: the generation has no such products.
/// Those of a sparse product are the ones with elements of A that are stored.
struct TensorConfig {
    TensorArithmetic arithmetic = TensorArithmetic::k8_0;
    bool zero_terms = true;          ///< sums of zeros alone have a least exponent (tensor.md 2)
    std::uint32_t f16 = 1024;        ///< of F16 with F16 results
    std::uint32_t f16_to_f32 = 1024; ///< of F16 with F32 results
    std::uint32_t bf16 = 1024;       ///< of BF16
    std::uint32_t tf32 = 512;        ///< of TF32
    std::uint32_t fp8 = 0;           ///< of E4M3 and E5M2 with F16 results
    std::uint32_t fp8_to_f32 = 0;    ///< of E4M3 and E5M2 with F32 results
    std::uint32_t s8 = 2048;         ///< of S8 and U8
    std::uint32_t s4 = 4096;         ///< of S4 and U4
    std::uint32_t b1 = 16384;        ///< of bits
    std::uint32_t f64 = 64;          ///< of F64
    bool sparse = true;              ///< has products with half of A left out
    std::uint32_t steps = 2;         ///< most that a product of one instruction has, except of F64
    std::uint32_t step_latency =
        7; ///< for each further step: 8 columns of F16, 4 of TF32, 16 of S8, 32 of S4, 128 of bits
    std::uint32_t m8_latency = 14;     ///< of integer products with 8 rows
    std::uint32_t f64_latency = 10;    ///< of F64, beyond its interval
    std::uint32_t sparse_interval = 2; ///< by which the least interval of a sparse product grows with each step
};

} // namespace smsim
