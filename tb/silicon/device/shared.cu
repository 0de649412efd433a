// Shared memory: latency and throughput by width and by conflicts.
//
// The chase follows addresses that shared memory holds; every lane's word holds its own address. The independent loads
// of a round are 128 words apart or in neighbouring words; `step` is 0, which the compiler does not know, so that each
// round loads again.
#include "harness.h"

namespace {
const unsigned kWords = 8192 + 64;
__shared__ unsigned words[kWords];

/// Lanes are `stride` words apart. Each word holds its own address in the chase, otherwise 0.
__device__ __forceinline__ unsigned prepare(unsigned stride, bool addresses) {
    for (unsigned i = threadIdx.x; i < kWords; i += blockDim.x) {
        words[i] = addresses ? window(words) + 4 * i : 0;
    }
    return window(words) + 4 * stride * (threadIdx.x % 32);
}
} // namespace

#define CHASE(NAME, LOAD)                                                                                              \
    extern "C" __global__ void shared_latency_##NAME(unsigned *clocks, unsigned rounds, unsigned stride,               \
                                                     unsigned *result) {                                               \
        Frame<2> frame;                                                                                                \
        unsigned x = prepare(stride, true);                                                                            \
        PASSES (rounds, count) {                                                                                       \
            SECTION(frame, 0, count, asm volatile(REPEAT_24(LOAD) : "+r"(x)::"memory"));                               \
            SECTION(frame, 1, count, asm volatile(REPEAT_56(LOAD) : "+r"(x)::"memory"));                               \
        }                                                                                                              \
        frame.store(clocks);                                                                                           \
        result[threadIdx.x] = x;                                                                                       \
    }

CHASE(32, "ld.shared.u32 %0, [%0];\n\t")
CHASE(64, "{\n\t.reg .b32 t;\n\tld.shared.v2.u32 {%0, t}, [%0];\n\t}\n\t")
CHASE(128, "{\n\t.reg .b32 t, u, v;\n\tld.shared.v4.u32 {%0, t, u, v}, [%0];\n\t}\n\t")

#define LOADS(NAME, STEP)                                                                                              \
    extern "C" __global__ void shared_loads_##NAME(unsigned *clocks, unsigned rounds, unsigned stride, unsigned step,  \
                                                   unsigned *result) {                                                 \
        Frame<2> frame;                                                                                                \
        unsigned address = prepare(stride, false);                                                                     \
        unsigned sum = 0;                                                                                              \
        PASSES (rounds, count) {                                                                                       \
            SECTION(frame, 0, count, asm volatile(STEP : "+r"(sum), "+r"(address) : "r"(step) : "memory"));            \
            SECTION(frame, 1, count, asm volatile(REPEAT_3(STEP) : "+r"(sum), "+r"(address) : "r"(step) : "memory"));  \
        }                                                                                                              \
        frame.store(clocks);                                                                                           \
        result[threadIdx.x] = sum;                                                                                     \
    }

// Sixteen loads, adding their words to the sum, and the next address.
#define XOR_2(T, U) "lop3.b32 %0, %0, " T ", " U ", 0x96;\n\t"
#define LOAD_32(OFFSET, T) "ld.shared.u32 " T ", [%1+" #OFFSET "];\n\t"
#define EIGHT_32(A, B, C, D, E, F, G, H)                                                                               \
    LOAD_32(A, "t0")                                                                                                   \
    LOAD_32(B, "t1")                                                                                                   \
    LOAD_32(C, "t2")                                                                                                   \
    LOAD_32(D, "t3") LOAD_32(E, "t4") LOAD_32(F, "t5") LOAD_32(G, "t6") LOAD_32(H, "t7") XOR_2("t0", "t1")             \
        XOR_2("t2", "t3") XOR_2("t4", "t5") XOR_2("t6", "t7")
LOADS(32,
      "{\n\t.reg .b32 t0, t1, t2, t3, t4, t5, t6, t7;\n\t" EIGHT_32(0, 4096, 8192, 12288, 16384, 20480, 24576, 28672)
          EIGHT_32(128, 4224, 8320, 12416, 16512, 20608, 24704, 28800) "add.u32 %1, %1, %2;\n\t}\n\t")
#define LOAD_64(OFFSET, T) "ld.shared.v2.u32 {" T "0, " T "1}, [%1+" #OFFSET "];\n\t" XOR_2(T "0", T "1")
LOADS(64, "{\n\t.reg .b32 a0, a1, b0, b1, c0, c1, d0, d1;\n\t" LOAD_64(0, "a") LOAD_64(512, "b") LOAD_64(1024, "c")
              LOAD_64(1536, "d") LOAD_64(2048, "a") LOAD_64(2560, "b") LOAD_64(3072, "c") LOAD_64(3584, "d")
                  LOAD_64(4096, "a") LOAD_64(4608, "b") LOAD_64(5120, "c") LOAD_64(5632, "d") LOAD_64(6144, "a")
                      LOAD_64(6656, "b") LOAD_64(7168, "c") LOAD_64(7680, "d") "add.u32 %1, %1, %2;\n\t}\n\t")
#define LOAD_128(OFFSET, T)                                                                                            \
    "ld.shared.v4.u32 {" T "0, " T "1, " T "2, " T "3}, [%1+" #OFFSET "];\n\t" XOR_2(T "0", T "1") XOR_2(T "2", T "3")
LOADS(128, "{\n\t.reg .b32 a0, a1, a2, a3, b0, b1, b2, b3;\n\t" LOAD_128(0, "a") LOAD_128(512, "b") LOAD_128(1024, "a")
               LOAD_128(1536, "b") LOAD_128(2048, "a") LOAD_128(2560, "b") LOAD_128(3072, "a") LOAD_128(3584, "b")
                   LOAD_128(4096, "a") LOAD_128(4608, "b") LOAD_128(5120, "a") LOAD_128(5632, "b") LOAD_128(6144, "a")
                       LOAD_128(6656, "b") LOAD_128(7168, "a") LOAD_128(7680, "b") "add.u32 %1, %1, %2;\n\t}\n\t")

#define STORES(NAME, STORE)                                                                                            \
    extern "C" __global__ void shared_stores_##NAME(unsigned *clocks, unsigned rounds, unsigned stride,                \
                                                    unsigned *result) {                                                \
        Frame<2> frame;                                                                                                \
        const unsigned address = prepare(stride, false);                                                               \
        PASSES (rounds, count) {                                                                                       \
            SECTION(frame, 0, count, asm volatile(REPEAT_24(STORE)::"r"(address), "r"(rounds) : "memory"));            \
            SECTION(frame, 1, count, asm volatile(REPEAT_56(STORE)::"r"(address), "r"(rounds) : "memory"));            \
        }                                                                                                              \
        frame.store(clocks);                                                                                           \
        result[threadIdx.x] = words[threadIdx.x];                                                                      \
    }

STORES(32, "st.volatile.shared.u32 [%0], %1;\n\t")
STORES(64, "st.volatile.shared.v2.u32 [%0], {%1, %1};\n\t")
STORES(128, "st.volatile.shared.v4.u32 [%0], {%1, %1, %1, %1};\n\t")
