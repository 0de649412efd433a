// When warps and CTAs start, and how long NANOSLEEP takes.
#include "harness.h"

/// Each warp stores its first read of the clock and the number of its SM, and stays for the given cycles, so that the
/// CTAs of an SM are resident together.
extern "C" __global__ void starts_clock(unsigned *clocks, unsigned cycles) {
    const unsigned now = read_clock();
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    unsigned *const pair = clocks + 2 * (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32);
    pair[0] = now;
    pair[1] = sm;
    while (read_clock() - now < cycles) {
    }
}

/// 64 sleeps of one warp, each as a section.
extern "C" __global__ void starts_sleep(unsigned *clocks, unsigned nanoseconds) {
#pragma unroll 1
    for (unsigned i = 0; i < 64; ++i) {
        const unsigned begin = read_clock();
        asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds) : "memory");
        const unsigned end = read_clock();
        clocks[2 * i] = begin;
        clocks[2 * i + 1] = end;
    }
}

/// Keeps the SM busy for `cycles`, and stores how long that was by the clock and by the global timer, in nanoseconds.
extern "C" __global__ void starts_frequency(unsigned long long *elapsed, unsigned long long cycles) {
    unsigned long long begin, end, first, last;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(first)::"memory");
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(begin)::"memory");
    do {
        asm volatile("mov.u64 %0, %%clock64;" : "=l"(end)::"memory");
    } while (end - begin < cycles);
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(last)::"memory");
    elapsed[0] = end - begin;
    elapsed[1] = last - first;
}
