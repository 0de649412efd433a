// What several SMs get from the L2 and from DRAM: streams of 16-byte loads and stores, and atomics. Clocks hold
// nanoseconds of the GPU-wide timer here: begin and end of each warp.
#include "harness.h"

namespace {
__device__ __forceinline__ unsigned nanoseconds() {
    unsigned value;
    asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(value)::"memory");
    return value;
}
} // namespace

#define SPREAD (gridDim.x * blockDim.x)
#define LOAD(N) "ld.global.cg.v4.u32 {" N "0, " N "1, " N "2, " N "3}, "
#define USE(N) "lop3.b32 %0, %0, " N "0, " N "1, 0x96;\n\tlop3.b32 %0, %0, " N "2, " N "3, 0x96;\n\t"

// Four loads of each thread at a time; all CTAs go through all data, `vectors` of 16 bytes, a multiple of
// that. The first pass brings the data into the L2 if they fit.
extern "C" __global__ void stream_read(unsigned *clocks, unsigned rounds, unsigned vectors, const char *data,
                                       unsigned *result) {
    Frame<1> frame;
    unsigned sum = 0;
    for (unsigned pass = 0; pass < 2; ++pass) {
        frame.begin[0] = nanoseconds();
        for (unsigned round = 0; round < (pass == 0 ? 1 : rounds); ++round) {
            for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < vectors; i += 4 * SPREAD) {
                const char *at = data + 16ull * i;
                asm volatile(
                    "{\n\t.reg .b32 a0, a1, a2, a3, b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3;\n\t" LOAD(
                        "a") "[%1];\n\t" LOAD("b") "[%2];\n\t" LOAD("c") "[%3];\n\t" LOAD("d") "[%4];\n\t" USE("a")
                        USE("b") USE("c") USE("d") "}"
                    : "+r"(sum)
                    : "l"(at), "l"(at + 16ull * SPREAD), "l"(at + 32ull * SPREAD), "l"(at + 48ull * SPREAD)
                    : "memory");
            }
        }
        frame.end[0] = nanoseconds();
        __syncthreads();
    }
    frame.store(clocks);
    if (sum == 1) {
        result[0] = sum;
    }
}

extern "C" __global__ void stream_write(unsigned *clocks, unsigned rounds, unsigned vectors, char *data,
                                        unsigned *result) {
    Frame<1> frame;
    frame.begin[0] = nanoseconds();
    for (unsigned round = 0; round < rounds; ++round) {
        for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < vectors; i += SPREAD) {
            asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(data + 16ull * i), "r"(round) : "memory");
        }
    }
    frame.end[0] = nanoseconds();
    frame.store(clocks);
}

// Thread i of the GPU adds to word i * `stride` of the first `words`, a power of two.
#define ATOMICS(NAME, OPERATION)                                                                                       \
    extern "C" __global__ void stream_##NAME(unsigned *clocks, unsigned rounds, unsigned words, unsigned stride,       \
                                             unsigned *data, unsigned *result) {                                       \
        Frame<1> frame;                                                                                                \
        unsigned *at = data + ((blockIdx.x * blockDim.x + threadIdx.x) * stride & (words - 1));                        \
        unsigned old = 0;                                                                                              \
        frame.begin[0] = nanoseconds();                                                                                \
        for (unsigned round = 0; round < rounds; ++round) {                                                            \
            asm volatile(OPERATION : "+r"(old) : "l"(at), "r"(1) : "memory");                                          \
        }                                                                                                              \
        frame.end[0] = nanoseconds();                                                                                  \
        frame.store(clocks);                                                                                           \
        if (old == 0xffffffff) {                                                                                       \
            result[0] = old;                                                                                           \
        }                                                                                                              \
    }
ATOMICS(atom, "{\n\t.reg .b32 t;\n\tatom.global.add.u32 t, [%1], %2;\n\txor.b32 %0, %0, t;\n\t}")
ATOMICS(red, "red.global.add.u32 [%1], %2;")
