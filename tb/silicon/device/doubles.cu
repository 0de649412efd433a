// Chains of FP64 operations as a program has them, with conversions before and a use of the results behind them: fused
// multiply-adds dealt over several chains, divisions, square roots.
//
// Plain C++, since what the compiler makes of a round is part of the figure. A figure is the slope between launches
// that differ in rounds.
#include "harness.h"

#define OPERATIONS 128

/// Where round `round` begins; it depends on the thread, so that nothing is computed once for the warp.
#define START(p, round) ((p) + threadIdx.x + static_cast<int>(round))

template <int CHAINS>
static __device__ __forceinline__ void multiply_adds(unsigned *clocks, unsigned rounds, double p, double *result) {
    Frame<1> frame;
    frame.begin[0] = read_clock();
#pragma unroll 1
    for (unsigned round = 0; round < rounds; ++round) {
        double t[CHAINS];
#pragma unroll
        for (int chain = 0; chain < CHAINS; ++chain) {
            t[chain] = START(p, round) + chain;
        }
#pragma unroll
        for (int step = 0; step < OPERATIONS; ++step) {
            t[step % CHAINS] = t[step % CHAINS] * 0.9 + 0.5;
        }
#pragma unroll
        for (int chain = 0; chain < CHAINS; ++chain) {
            if (t[chain] > 22313.0) {     // never
                result[chain] = t[chain]; // each its own word: clang makes one store of several to the same
            }
        }
    }
    frame.end[0] = read_clock();
    frame.store(clocks);
}

#define MULTIPLY_ADDS(CHAINS)                                                                                          \
    extern "C" __global__ void doubles_fma_##CHAINS(unsigned *clocks, unsigned rounds, double p, double *result) {     \
        multiply_adds<CHAINS>(clocks, rounds, p, result);                                                              \
    }
MULTIPLY_ADDS(1)
MULTIPLY_ADDS(2)
MULTIPLY_ADDS(4)
MULTIPLY_ADDS(8)

// One chain, stored after each round.
#define CHAIN(NAME, STEP)                                                                                              \
    extern "C" __global__ void doubles_##NAME(unsigned *clocks, unsigned rounds, double p, double *result) {           \
        Frame<1> frame;                                                                                                \
        frame.begin[0] = read_clock();                                                                                 \
        _Pragma("unroll 1") for (unsigned round = 0; round < rounds; ++round) {                                        \
            double t = START(p, round);                                                                                \
            for (int step = 0; step < OPERATIONS; ++step) {                                                            \
                t = STEP;                                                                                              \
            }                                                                                                          \
            result[threadIdx.x + round] = t;                                                                           \
        }                                                                                                              \
        frame.end[0] = read_clock();                                                                                   \
        frame.store(clocks);                                                                                           \
    }
CHAIN(div, 0.1 / (t + 0.2))
CHAIN(sqrt, sqrt(t + 0.2))
