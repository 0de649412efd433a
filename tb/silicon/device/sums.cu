// Sums over data that fit into the L1, in plain C++: a CTA of 256 threads reads all of it, over and over. Each thread
// adds the words it reads to one sum, in their order.
//
// A figure is the slope between launches that differ in rounds.
#include "harness.h"

constexpr int kThreads = 256;

template <int WORDS>
static __device__ __forceinline__ void sums(unsigned *clocks, unsigned rounds, unsigned zero,
                                            const float *__restrict__ data, float *result) {
    constexpr int kLoads = WORDS / kThreads;
    Frame<1> frame;
    float sum = 0;
    const float *own = data + threadIdx.x;
    frame.begin[0] = read_clock();
#pragma unroll 1
    for (unsigned round = 0; round < rounds; ++round) {
        own += zero; // or the compiler would load once
#pragma unroll kLoads >= 64 ? 32 : kLoads
        for (int load = 0; load < kLoads; ++load) {
            sum += own[load * kThreads];
        }
        sum *= 1.3F;
    }
    frame.end[0] = read_clock();
    frame.store(clocks);
    if (sum == 1233.0F) { // never
        result[threadIdx.x] = sum;
    }
}

#define SUMS(KB)                                                                                                       \
    extern "C" __global__ void sums_##KB(unsigned *clocks, unsigned rounds, unsigned zero, const float *data,          \
                                         float *result) {                                                              \
        sums<1024 * KB / 4>(clocks, rounds, zero, data, result);                                                       \
    }
SUMS(32)
SUMS(96)
