// Branches: loops by the length of their body, warps that diverge into 2 to 32 paths and reconverge.
#include "harness.h"

#define BODY(NUMBER, TEXT)                                                                                             \
    extern "C" __global__ void control_loop_##NUMBER(unsigned *clocks, unsigned rounds, unsigned a, unsigned b,        \
                                                     unsigned *result) {                                               \
        Frame<1> frame;                                                                                                \
        unsigned x = a + zero_of_thread(rounds);                                                                       \
        PASSES (rounds, count) {                                                                                       \
            SECTION(frame, 0, count, asm volatile(TEXT : "+r"(x) : "r"(a), "r"(b)));                                   \
        }                                                                                                              \
        frame.store(clocks);                                                                                           \
        result[threadIdx.x] = x;                                                                                       \
    }
#define FFMA "fma.rn.f32 %0, %0, %1, %2;\n\t"
BODY(1, FFMA)
BODY(2, REPEAT_2(FFMA))
BODY(4, REPEAT_4(FFMA))
BODY(8, REPEAT_8(FFMA))
BODY(16, REPEAT_16(FFMA))
BODY(32, REPEAT_2(REPEAT_16(FFMA)))
BODY(64, REPEAT_64(FFMA))
BODY(128, REPEAT_2(REPEAT_64(FFMA)))
BODY(256, REPEAT_4(REPEAT_64(FFMA)))
BODY(512, REPEAT_8(REPEAT_64(FFMA)))
BODY(1024, REPEAT_1024(FFMA))

/// Splits the threads by the lowest `DEPTH` bits of their numbers, bit by bit; each of the 2^DEPTH paths has 16 FFMA.
template <int DEPTH, int WAY> struct Ways {
    static __device__ __forceinline__ void run(unsigned &x, unsigned a, unsigned b) {
        if ((threadIdx.x >> (DEPTH - 1)) & 1) {
            Ways<DEPTH - 1, 2 * WAY + 1>::run(x, a, b);
        } else {
            Ways<DEPTH - 1, 2 * WAY>::run(x, a, b);
        }
    }
};
template <int WAY> struct Ways<0, WAY> {
    static __device__ __forceinline__ void run(unsigned &x, unsigned a, unsigned b) {
        // The number of the path keeps the compiler from merging equal paths.
        asm volatile(REPEAT_16(FFMA) "xor.b32 %0, %0, %3;" : "+r"(x) : "r"(a), "r"(b), "n"(WAY + 1));
    }
};
#define WAYS(NUMBER, DEPTH)                                                                                            \
    extern "C" __global__ void control_ways_##NUMBER(unsigned *clocks, unsigned rounds, unsigned a, unsigned b,        \
                                                     unsigned *result) {                                               \
        Frame<1> frame;                                                                                                \
        unsigned x = a;                                                                                                \
        PASSES (rounds, count) {                                                                                       \
            SECTION(frame, 0, count, (Ways<DEPTH, 1>::run(x, a, b)); __syncwarp());                                    \
        }                                                                                                              \
        frame.store(clocks);                                                                                           \
        result[threadIdx.x] = x;                                                                                       \
    }
WAYS(1, 0)
WAYS(2, 1)
WAYS(4, 2)
WAYS(8, 3)
WAYS(16, 4)
WAYS(32, 5)
