// Matrix instructions of a warpgroup (wgmma): cycles of one among many, by its width and the place of A. For compute
// capability 9.0 (compiled for sm_90a).
//
// Operands in shared memory are zero, without swizzle. Section 0 issues 8 on one accumulator, section 1 24; each round
// waits for all, and begins with the result of the previous one: ptxas removes unused results. It does not let
// instructions of width 256 overlap.
#include "harness.h"

#if !defined(__NVCC__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)

namespace {
__shared__ __align__(128) unsigned words[10240];

/// Descriptor of a matrix at a byte offset of `words`: blocks of 8 rows of 16 bytes, one after another.
__device__ __forceinline__ unsigned long long descriptor(unsigned offset) {
    const unsigned long long address = ((window(words) + offset) & 0x3ffff) >> 4;
    return address | 8ull << 16 | 16ull << 32;
}
} // namespace

#define TEN(N) "d" #N "0, d" #N "1, d" #N "2, d" #N "3, d" #N "4, d" #N "5, d" #N "6, d" #N "7, d" #N "8, d" #N "9, "
#define FIRST_10 "d0, d1, d2, d3, d4, d5, d6, d7, d8, d9, "
#define D_8 "d0, d1, d2, d3"
#define D_16 "d0, d1, d2, d3, d4, d5, d6, d7"
#define D_32 FIRST_10 "d10, d11, d12, d13, d14, d15"
#define D_64 FIRST_10 TEN(1) TEN(2) "d30, d31"
#define D_128 FIRST_10 TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) "d60, d61, d62, d63"

#define BEGIN "{\n\t.reg .f32 d<64>;\n\tmov.f32 d0, %0;\n\twgmma.fence.sync.aligned;\n\t"
#define END "wgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;\n\tmov.f32 %0, d0;\n\t}"
#define STEP(N, K, TYPES, A, LAST)                                                                                     \
    "wgmma.mma_async.sync.aligned.m64n" #N "k" #K "." TYPES " {" D_##N "}, " A ", %2, 1" LAST ";\n\t"

#define WARPGROUP(NAME, N, K, TYPES, A, LAST)                                                                          \
    extern "C" __global__ void warpgroups_##NAME##_##N(unsigned *clocks, unsigned rounds, unsigned *result) {          \
        Frame<2> frame;                                                                                                \
        for (unsigned i = threadIdx.x; i < 10240; i += blockDim.x) {                                                   \
            words[i] = 0;                                                                                              \
        }                                                                                                              \
        asm volatile("fence.proxy.async;" ::: "memory");                                                               \
        const unsigned long long a = descriptor(0), b = descriptor(8192);                                              \
        const unsigned zero = zero_of_thread(rounds);                                                                  \
        float one = 0;                                                                                                 \
        PASSES (rounds, count) {                                                                                       \
            SECTION(frame, 0, count,                                                                                   \
                    asm volatile(BEGIN REPEAT_8(STEP(N, K, TYPES, A, LAST)) END                                        \
                                 : "+f"(one)                                                                           \
                                 : "l"(a), "l"(b), "r"(zero)                                                           \
                                 : "memory"));                                                                         \
            SECTION(frame, 1, count,                                                                                   \
                    asm volatile(BEGIN REPEAT_24(STEP(N, K, TYPES, A, LAST)) END                                       \
                                 : "+f"(one)                                                                           \
                                 : "l"(a), "l"(b), "r"(zero)                                                           \
                                 : "memory"));                                                                         \
        }                                                                                                              \
        frame.store(clocks);                                                                                           \
        result[threadIdx.x] = (unsigned)one;                                                                           \
    }
#define ALL_WIDTHS(NAME, K, TYPES, A, LAST)                                                                            \
    WARPGROUP(NAME, 8, K, TYPES, A, LAST)                                                                              \
    WARPGROUP(NAME, 16, K, TYPES, A, LAST)                                                                             \
    WARPGROUP(NAME, 32, K, TYPES, A, LAST)                                                                             \
    WARPGROUP(NAME, 64, K, TYPES, A, LAST)                                                                             \
    WARPGROUP(NAME, 128, K, TYPES, A, LAST)
ALL_WIDTHS(f16_shared, 16, "f32.f16.f16", "%1", ", 1, 1, 0, 0")
ALL_WIDTHS(f16_registers, 16, "f32.f16.f16", "{%3, %3, %3, %3}", ", 1, 1, 0")
ALL_WIDTHS(tf32_shared, 8, "f32.tf32.tf32", "%1", ", 1, 1")
ALL_WIDTHS(e4m3_shared, 32, "f32.e4m3.e4m3", "%1", ", 1, 1")

#endif
