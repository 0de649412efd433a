// Accesses of a warp with lane addresses from a table: throughput of loads that hit the L1, of loads and of stores of
// shared memory.
//
// `offsets` holds the byte offset of each lane. The independent accesses of a round are a whole row of banks, 128
// bytes, further on each, so that all of them touch the same banks; `step` is 0, which the compiler does not know, so
// that each round loads again.
#include "harness.h"

namespace {
const unsigned kWords = 8192 + 2048;
__shared__ __align__(128) unsigned words[kWords];

__device__ __forceinline__ unsigned prepare(const unsigned *offsets) {
    for (unsigned i = threadIdx.x; i < kWords; i += blockDim.x) {
        words[i] = 0;
    }
    return window(words) + offsets[threadIdx.x % 32];
}
} // namespace

#define XOR_2(T, U) "lop3.b32 %0, %0, " T ", " U ", 0x96;\n\t"
#define USE_32(T) "xor.b32 %0, %0, " T "0;\n\t"
#define USE_64(T) XOR_2(T "0", T "1")
#define USE_128(T) XOR_2(T "0", T "1") XOR_2(T "2", T "3")
#define NAMES_32(T) T "0"
#define NAMES_64(T) T "0, " T "1"
#define NAMES_128(T) NAMES_64(T) ", " T "2, " T "3"
#define LOAD_32(SPACE, OFFSET, T) "ld." SPACE ".u32 " T "0, [%1+" #OFFSET "];\n\t"
#define LOAD_64(SPACE, OFFSET, T) "ld." SPACE ".v2.u32 {" NAMES_64(T) "}, [%1+" #OFFSET "];\n\t"
#define LOAD_128(SPACE, OFFSET, T) "ld." SPACE ".v4.u32 {" NAMES_128(T) "}, [%1+" #OFFSET "];\n\t"
#define FOUR(WIDTH, SPACE, A, B, C, D)                                                                                 \
    LOAD_##WIDTH(SPACE, A, "a") LOAD_##WIDTH(SPACE, B, "b") LOAD_##WIDTH(SPACE, C, "c") LOAD_##WIDTH(SPACE, D, "d")    \
        USE_##WIDTH("a") USE_##WIDTH("b") USE_##WIDTH("c") USE_##WIDTH("d")
#define EIGHT(WIDTH, SPACE, ADD)                                                                                       \
    "{\n\t.reg .b32 " NAMES_##WIDTH("a") ", " NAMES_##WIDTH("b") ", " NAMES_##WIDTH("c") ", " NAMES_##WIDTH(           \
        "d") ";\n\t" FOUR(WIDTH, SPACE, 0, 128, 256, 384) FOUR(WIDTH, SPACE, 512, 640, 768, 896) ADD "}\n\t"

// Section 1 has 32 more loads than section 0.
#define GLOBAL(WIDTH)                                                                                                  \
    extern "C" __global__ void pattern_global_##WIDTH(unsigned *clocks, unsigned rounds, unsigned long long step,      \
                                                      const unsigned *offsets, unsigned *data, unsigned *result) {     \
        Frame<2> frame;                                                                                                \
        char *address = (char *)data + offsets[threadIdx.x % 32];                                                      \
        unsigned sum = 0;                                                                                              \
        PASSES (rounds, count) {                                                                                       \
            SECTION(frame, 0, count,                                                                                   \
                    asm volatile(REPEAT_2(EIGHT(WIDTH, "global.ca", "add.u64 %1, %1, %2;\n\t"))                        \
                                 : "+r"(sum), "+l"(address)                                                            \
                                 : "l"(step)                                                                           \
                                 : "memory"));                                                                         \
            SECTION(frame, 1, count,                                                                                   \
                    asm volatile(REPEAT_6(EIGHT(WIDTH, "global.ca", "add.u64 %1, %1, %2;\n\t"))                        \
                                 : "+r"(sum), "+l"(address)                                                            \
                                 : "l"(step)                                                                           \
                                 : "memory"));                                                                         \
        }                                                                                                              \
        frame.store(clocks);                                                                                           \
        result[threadIdx.x] = sum ^ (unsigned)(size_t)address;                                                         \
    }
GLOBAL(32)
GLOBAL(64)
GLOBAL(128)

#define SHARED(WIDTH)                                                                                                  \
    extern "C" __global__ void pattern_shared_##WIDTH(unsigned *clocks, unsigned rounds, unsigned step,                \
                                                      const unsigned *offsets, unsigned *result) {                     \
        Frame<2> frame;                                                                                                \
        unsigned address = prepare(offsets);                                                                           \
        unsigned sum = 0;                                                                                              \
        PASSES (rounds, count) {                                                                                       \
            SECTION(frame, 0, count,                                                                                   \
                    asm volatile(REPEAT_2(EIGHT(WIDTH, "shared", "add.u32 %1, %1, %2;\n\t"))                           \
                                 : "+r"(sum), "+r"(address)                                                            \
                                 : "r"(step)                                                                           \
                                 : "memory"));                                                                         \
            SECTION(frame, 1, count,                                                                                   \
                    asm volatile(REPEAT_6(EIGHT(WIDTH, "shared", "add.u32 %1, %1, %2;\n\t"))                           \
                                 : "+r"(sum), "+r"(address)                                                            \
                                 : "r"(step)                                                                           \
                                 : "memory"));                                                                         \
        }                                                                                                              \
        frame.store(clocks);                                                                                           \
        result[threadIdx.x] = sum;                                                                                     \
    }
SHARED(32)
SHARED(64)
SHARED(128)

#define STORES(WIDTH, STORE)                                                                                           \
    extern "C" __global__ void pattern_store_##WIDTH(unsigned *clocks, unsigned rounds, unsigned step,                 \
                                                     const unsigned *offsets, unsigned *result) {                      \
        Frame<2> frame;                                                                                                \
        unsigned address = prepare(offsets);                                                                           \
        PASSES (rounds, count) {                                                                                       \
            SECTION(frame, 0, count, asm volatile(REPEAT_24(STORE)::"r"(address), "r"(step) : "memory"));              \
            SECTION(frame, 1, count, asm volatile(REPEAT_56(STORE)::"r"(address), "r"(step) : "memory"));              \
        }                                                                                                              \
        frame.store(clocks);                                                                                           \
        result[threadIdx.x] = words[threadIdx.x];                                                                      \
    }
STORES(32, "st.volatile.shared.u32 [%0], %1;\n\t")
STORES(64, "st.volatile.shared.v2.u32 [%0], {%1, %1};\n\t")
STORES(128, "st.volatile.shared.v4.u32 [%0], {%1, %1, %1, %1};\n\t")
