// Matrix instructions, and those that load their operands: latency of a chain through the accumulator, through operand
// A, and throughput of independent chains. For GPUs of compute capability 8.0 and later.
//
// Operands are zero, so a chain through A repeats the same numbers.
#include "harness.h"

#if !defined(__NVCC__) || __CUDA_ARCH__ >= 800

namespace {
const unsigned kWords = 10240;
__shared__ __align__(128) unsigned words[kWords];
} // namespace

// A chain: %0 to %3 the accumulator, %4 to %7 A, %8 to %11 B, %12 the metadata of sparse instructions.
#define MATRIX(NAME, STEP)                                                                                             \
    extern "C" __global__ void matrix_latency_##NAME(unsigned *clocks, unsigned rounds, unsigned *result) {            \
        Frame<2> frame;                                                                                                \
        unsigned d0 = zero_of_thread(rounds), d1 = d0, d2 = d0, d3 = d0, a0 = d0, a1 = d0, a2 = d0, a3 = d0, b0 = d0,  \
                 b1 = d0, b2 = d0, b3 = d0, e = 0x44444444;                                                            \
        PASSES (rounds, count) {                                                                                       \
            SECTION(frame, 0, count,                                                                                   \
                    asm volatile(REPEAT_24(STEP)                                                                       \
                                 : "+r"(d0), "+r"(d1), "+r"(d2), "+r"(d3)                                              \
                                 : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1), "r"(b2), "r"(b3), "r"(e)));   \
            SECTION(frame, 1, count,                                                                                   \
                    asm volatile(REPEAT_72(STEP)                                                                       \
                                 : "+r"(d0), "+r"(d1), "+r"(d2), "+r"(d3)                                              \
                                 : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1), "r"(b2), "r"(b3), "r"(e)));   \
        }                                                                                                              \
        frame.store(clocks);                                                                                           \
        result[threadIdx.x] = d0 ^ d1 ^ d2 ^ d3;                                                                       \
    }                                                                                                                  \
    extern "C" __global__ void matrix_rate_##NAME(unsigned *clocks, unsigned rounds, unsigned *result) {               \
        Frame<2> frame;                                                                                                \
        const unsigned zero = zero_of_thread(rounds);                                                                  \
        unsigned d[4][4] = {                                                                                           \
            {zero, zero, zero, zero}, {zero, zero, zero, zero}, {zero, zero, zero, zero}, {zero, zero, zero, zero}};   \
        unsigned a0 = zero, a1 = zero, a2 = zero, a3 = zero, b0 = zero, b1 = zero, b2 = zero, b3 = zero,               \
                 e = 0x44444444;                                                                                       \
        PASSES (rounds, count) {                                                                                       \
            SECTION(frame, 0, count, {                                                                                 \
                _Pragma("unroll") for (int i = 0; i < 24; ++i) {                                                       \
                    asm volatile(STEP                                                                                  \
                                 : "+r"(d[i % 4][0]), "+r"(d[i % 4][1]), "+r"(d[i % 4][2]), "+r"(d[i % 4][3])          \
                                 : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1), "r"(b2), "r"(b3), "r"(e));    \
                }                                                                                                      \
            });                                                                                                        \
            SECTION(frame, 1, count, {                                                                                 \
                _Pragma("unroll") for (int i = 0; i < 72; ++i) {                                                       \
                    asm volatile(STEP                                                                                  \
                                 : "+r"(d[i % 4][0]), "+r"(d[i % 4][1]), "+r"(d[i % 4][2]), "+r"(d[i % 4][3])          \
                                 : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1), "r"(b2), "r"(b3), "r"(e));    \
                }                                                                                                      \
            });                                                                                                        \
        }                                                                                                              \
        frame.store(clocks);                                                                                           \
        for (const auto &of : d) {                                                                                     \
            result[threadIdx.x] ^= of[0] ^ of[1] ^ of[2] ^ of[3];                                                      \
        }                                                                                                              \
    }

#define D4 "{%0, %1, %2, %3}, "
#define D2 "{%0, %1}, "
#define A4 "{%4, %5, %6, %7}, "
#define A2 "{%4, %5}, "
#define A1 "{%4}, "
#define B4 "{%8, %9, %10, %11}, "
#define B2 "{%8, %9}, "
#define B1 "{%8}, "
#define C4 "{%0, %1, %2, %3}"
#define C2 "{%0, %1}"
#define MMA(SHAPE, TYPES, D, A, B, C) "mma.sync.aligned." SHAPE ".row.col." TYPES " " D A B C ";\n\t"
#define MMA_SP(SHAPE, TYPES, D, A, B, C)                                                                               \
    "mma.sp::ordered_metadata.sync.aligned." SHAPE ".row.col." TYPES " " D A B C ", %12, 0x0;\n\t"

MATRIX(f16_k8_f32, MMA("m16n8k8", "f32.f16.f16.f32", D4, A2, B1, C4))
MATRIX(f16_k8_f16, MMA("m16n8k8", "f16.f16.f16.f16", D2, A2, B1, C2))
MATRIX(f16_k16_f32, MMA("m16n8k16", "f32.f16.f16.f32", D4, A4, B2, C4))
MATRIX(f16_k16_f16, MMA("m16n8k16", "f16.f16.f16.f16", D2, A4, B2, C2))
MATRIX(bf16_k8, MMA("m16n8k8", "f32.bf16.bf16.f32", D4, A2, B1, C4))
MATRIX(bf16_k16, MMA("m16n8k16", "f32.bf16.bf16.f32", D4, A4, B2, C4))
MATRIX(tf32_k4, MMA("m16n8k4", "f32.tf32.tf32.f32", D4, A2, B1, C4))
MATRIX(tf32_k8, MMA("m16n8k8", "f32.tf32.tf32.f32", D4, A4, B2, C4))
MATRIX(s8_m8_k16, MMA("m8n8k16", "s32.s8.s8.s32", D2, A1, B1, C2))
MATRIX(s8_k16, MMA("m16n8k16", "s32.s8.s8.s32", D4, A2, B1, C4))
MATRIX(s8_k32, MMA("m16n8k32", "s32.s8.s8.s32", D4, A4, B2, C4))
MATRIX(s4_m8_k32, MMA("m8n8k32", "s32.s4.s4.s32", D2, A1, B1, C2))
MATRIX(s4_k32, MMA("m16n8k32", "s32.s4.s4.s32", D4, A2, B1, C4))
MATRIX(s4_k64, MMA("m16n8k64", "s32.s4.s4.s32", D4, A4, B2, C4))
#define B1_MMA(SHAPE, D, A, B, C) "mma.sync.aligned." SHAPE ".row.col.s32.b1.b1.s32.and.popc " D A B C ";\n\t"
MATRIX(b1_m8_k128, B1_MMA("m8n8k128", D2, A1, B1, C2))
MATRIX(b1_k128, B1_MMA("m16n8k128", D4, A2, B1, C4))
MATRIX(b1_k256, B1_MMA("m16n8k256", D4, A4, B2, C4))
MATRIX(sparse_f16_k16, MMA_SP("m16n8k16", "f32.f16.f16.f32", D4, A2, B2, C4))
MATRIX(sparse_f16_k32, MMA_SP("m16n8k32", "f32.f16.f16.f32", D4, A4, B4, C4))
MATRIX(sparse_tf32_k8, MMA_SP("m16n8k8", "f32.tf32.tf32.f32", D4, A2, B2, C4))
MATRIX(sparse_tf32_k16, MMA_SP("m16n8k16", "f32.tf32.tf32.f32", D4, A4, B4, C4))
MATRIX(sparse_s8_k32, MMA_SP("m16n8k32", "s32.s8.s8.s32", D4, A2, B2, C4))
MATRIX(sparse_s8_k64, MMA_SP("m16n8k64", "s32.s8.s8.s32", D4, A4, B4, C4))
#if defined(__NVCC__) && __CUDA_ARCH__ == 890 // on 9.0 ptxas turns it into conversions and HMMA
MATRIX(e4m3_k32, MMA("m16n8k32", "f32.e4m3.e4m3.f32", D4, A4, B2, C4))
MATRIX(e5m2_k32, MMA("m16n8k32", "f32.e5m2.e5m2.f32", D4, A4, B2, C4))
#endif

// The accumulator waits for an element of A produced by the previous instruction, and an ALU operation on it.
#define THROUGH(NAME, STEP)                                                                                            \
    extern "C" __global__ void matrix_through_##NAME(unsigned *clocks, unsigned rounds, unsigned *result) {            \
        Frame<2> frame;                                                                                                \
        unsigned x = zero_of_thread(rounds), y = x;                                                                    \
        PASSES (rounds, count) {                                                                                       \
            SECTION(frame, 0, count, asm volatile(REPEAT_24(STEP) : "+r"(x) : "r"(y)));                                \
            SECTION(frame, 1, count, asm volatile(REPEAT_72(STEP) : "+r"(x) : "r"(y)));                                \
        }                                                                                                              \
        frame.store(clocks);                                                                                           \
        result[threadIdx.x] = x;                                                                                       \
    }
#define OF_X(SHAPE, A, B)                                                                                              \
    "mma.sync.aligned." SHAPE ".row.col.f32.f16.f16.f32 {%0, t1, t2, t3}, " A ", " B ", {%1, %1, %1, %1};\n\t"
THROUGH(A_k16, "{\n\t.reg .b32 t1, t2, t3;\n\t" OF_X("m16n8k16", "{%0, %1, %1, %1}", "{%1, %1}") "}\n\t")
THROUGH(B_k16, "{\n\t.reg .b32 t1, t2, t3;\n\t" OF_X("m16n8k16", "{%1, %1, %1, %1}", "{%0, %1}") "}\n\t")
THROUGH(A_k8, "{\n\t.reg .b32 t1, t2, t3;\n\t" OF_X("m16n8k8", "{%0, %1}", "{%1}") "}\n\t")
THROUGH(C_LOP3_k16, "{\n\t.reg .b32 t1, t2, t3;\n\t"
                    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, t1, t2, t3}, {%1, %1, %1, %1}, {%1, %1}, "
                    "{%0, %1, %1, %1};\n\tlop3.b32 %0, %0, %1, 0x5bd1e995, 0xe8;\n\t}\n\t")
THROUGH(A_LOP3_k16, "{\n\t.reg .b32 t1, t2, t3;\n\t" OF_X("m16n8k16", "{%0, %1, %1, %1}",
                                                          "{%1, %1}") "lop3.b32 %0, %0, %1, 0x5bd1e995, 0xe8;\n\t}\n\t")
THROUGH(A_FFMA_k16, "{\n\t.reg .b32 t1, t2, t3;\n\t" OF_X("m16n8k16", "{%0, %1, %1, %1}",
                                                          "{%1, %1}") "fma.rn.f32 %0, %0, %1, %1;\n\t}\n\t")
THROUGH(A_SHFL_k16, "{\n\t.reg .b32 t1, t2, t3;\n\t" OF_X("m16n8k16", "{%0, %1, %1, %1}",
                                                          "{%1, %1}") "shfl.sync.bfly.b32 %0, %0, 1, 31, -1;\n\t}\n\t")
THROUGH(movmatrix, "movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;\n\t")

// DMMA: m8n8k4, and the larger shapes of 9.0.
#define DOUBLES(NAME, SHAPE, D, A, B)                                                                                  \
    extern "C" __global__ void matrix_latency_##NAME(unsigned *clocks, unsigned rounds, unsigned *result) {            \
        Frame<2> frame;                                                                                                \
        double d0 = (double)zero_of_thread(rounds), d1 = d0, d2 = d0, d3 = d0, a = d0;                                 \
        PASSES (rounds, count) {                                                                                       \
            SECTION(frame, 0, count,                                                                                   \
                    asm volatile(REPEAT_24("mma.sync.aligned." SHAPE ".row.col.f64.f64.f64.f64 " D ", " A ", " B       \
                                           ", " D ";\n\t")                                                             \
                                 : "+d"(d0), "+d"(d1), "+d"(d2), "+d"(d3)                                              \
                                 : "d"(a)));                                                                           \
            SECTION(frame, 1, count,                                                                                   \
                    asm volatile(REPEAT_72("mma.sync.aligned." SHAPE ".row.col.f64.f64.f64.f64 " D ", " A ", " B       \
                                           ", " D ";\n\t")                                                             \
                                 : "+d"(d0), "+d"(d1), "+d"(d2), "+d"(d3)                                              \
                                 : "d"(a)));                                                                           \
        }                                                                                                              \
        frame.store(clocks);                                                                                           \
        result[threadIdx.x] = (unsigned)(d0 + d1 + d2 + d3);                                                           \
    }
DOUBLES(f64_m8_k4, "m8n8k4", "{%0, %1}", "{%4}", "{%4}")
#if !defined(__NVCC__) || __CUDA_ARCH__ >= 900
DOUBLES(f64_k4, "m16n8k4", "{%0, %1, %2, %3}", "{%4, %4}", "{%4}")
DOUBLES(f64_k8, "m16n8k8", "{%0, %1, %2, %3}", "{%4, %4, %4, %4}", "{%4, %4}")
DOUBLES(f64_k16, "m16n8k16", "{%0, %1, %2, %3}", "{%4, %4, %4, %4, %4, %4, %4, %4}", "{%4, %4, %4, %4}")
#endif

// Loads and stores of matrices: a chase through the first word, whose rows are `stride` bytes apart, and four
// independent ones in rotation; `step` is 0, which the compiler does not know.
#define ROWS(NAME, CHASE, FOUR)                                                                                        \
    extern "C" __global__ void matrix_rows_##NAME(unsigned *clocks, unsigned rounds, unsigned stride, unsigned step,   \
                                                  unsigned *result) {                                                  \
        Frame<4> frame;                                                                                                \
        for (unsigned i = threadIdx.x; i < kWords; i += blockDim.x) {                                                  \
            words[i] = 0;                                                                                              \
        }                                                                                                              \
        unsigned x = window(words) + stride * (threadIdx.x % 32), base = x, at = x, sum = 0;                           \
        PASSES (rounds, count) {                                                                                       \
            SECTION(frame, 0, count, asm volatile(REPEAT_24(CHASE) : "+r"(x) : "r"(base) : "memory"));                 \
            SECTION(frame, 1, count, asm volatile(REPEAT_56(CHASE) : "+r"(x) : "r"(base) : "memory"));                 \
            SECTION(frame, 2, count,                                                                                   \
                    asm volatile(REPEAT_6(FOUR "add.u32 %1, %1, %2;\n\t")                                              \
                                 : "+r"(sum), "+r"(at)                                                                 \
                                 : "r"(step)                                                                           \
                                 : "memory"));                                                                         \
            SECTION(frame, 3, count,                                                                                   \
                    asm volatile(REPEAT_6(FOUR "add.u32 %1, %1, %2;\n\t") REPEAT_8(FOUR "add.u32 %1, %1, %2;\n\t")     \
                                 : "+r"(sum), "+r"(at)                                                                 \
                                 : "r"(step)                                                                           \
                                 : "memory"));                                                                         \
        }                                                                                                              \
        frame.store(clocks);                                                                                           \
        result[threadIdx.x] = x ^ sum ^ at;                                                                            \
    }
#define NAMES_1 "t0"
#define NAMES_2 "t0, t1"
#define NAMES_4 "t0, t1, t2, t3"
#define USE_1 "xor.b32 %0, %0, t0;\n\t"
#define USE_2 "lop3.b32 %0, %0, t0, t1, 0x96;\n\t"
#define USE_4 USE_2 "lop3.b32 %0, %0, t2, t3, 0x96;\n\t"
// The loaded value is 0 and is added to the address.
#define LDSM(NUMBER, TRANS)                                                                                            \
    "{\n\t.reg .b32 " NAMES_##NUMBER ";\n\tldmatrix.sync.aligned.m8n8.x" #NUMBER TRANS ".shared.b16 {" NAMES_##NUMBER  \
        "}, [%0];\n\tadd.u32 %0, t0, %1;\n\t}\n\t"
#define LDSM_AT(NUMBER, TRANS, OFFSET)                                                                                 \
    "{\n\t.reg .b32 " NAMES_##NUMBER ";\n\tldmatrix.sync.aligned.m8n8.x" #NUMBER TRANS ".shared.b16 {" NAMES_##NUMBER  \
        "}, [%1+" #OFFSET "];\n\t" USE_##NUMBER "}\n\t"
#define FOUR_LDSM(NUMBER, TRANS)                                                                                       \
    LDSM_AT(NUMBER, TRANS, 0) LDSM_AT(NUMBER, TRANS, 8192) LDSM_AT(NUMBER, TRANS, 16384) LDSM_AT(NUMBER, TRANS, 24576)
ROWS(load_1, LDSM(1, ""), FOUR_LDSM(1, ""))
ROWS(load_2, LDSM(2, ""), FOUR_LDSM(2, ""))
ROWS(load_4, LDSM(4, ""), FOUR_LDSM(4, ""))
ROWS(load_4_trans, LDSM(4, ".trans"), FOUR_LDSM(4, ".trans"))
#if !defined(__NVCC__) || __CUDA_ARCH__ >= 900
// A store and the load that waits for it.
#define STSM(NUMBER)                                                                                                   \
    "{\n\t.reg .b32 " NAMES_##NUMBER ";\n\tmov.b32 t0, 0;\n\t" SET_##NUMBER                                            \
        "stmatrix.sync.aligned.m8n8.x" #NUMBER ".shared.b16 [%1], {" NAMES_##NUMBER "};\n\t}\n\t"
#define SET_1
#define SET_2 "mov.b32 t1, 0;\n\t"
#define SET_4 SET_2 "mov.b32 t2, 0;\n\tmov.b32 t3, 0;\n\t"
#define BACK "ld.shared.u32 %0, [%0];\n\tadd.u32 %0, %0, %1;\n\t"
ROWS(store_1, STSM(1) BACK, REPEAT_4(STSM(1)))
ROWS(store_2, STSM(2) BACK, REPEAT_4(STSM(2)))
ROWS(store_4, STSM(4) BACK, REPEAT_4(STSM(4)))
#endif
// A load of a word with the same addition, to measure the cost of the addition.
#define WORD_AT(OFFSET) "{\n\t.reg .b32 t0;\n\tld.shared.u32 t0, [%1+" #OFFSET "];\n\t" USE_1 "}\n\t"
ROWS(load_word, "{\n\t.reg .b32 t0;\n\tld.shared.u32 t0, [%0];\n\tadd.u32 %0, t0, %1;\n\t}\n\t",
     WORD_AT(0) WORD_AT(8192) WORD_AT(16384) WORD_AT(24576))

#endif
