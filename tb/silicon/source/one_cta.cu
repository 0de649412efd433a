// The kernels of one CTA of tb/silicon/probes as a programmer writes them: a comparison with hand-scheduled ones shows
// what compilation adds to their time (`scripts/correlate --compiled`).
//
// The frame is that of the benchmarks for GPUs: each section runs once to warm its code, and then with the clock read
// around it.
#include "../device/harness.h"
#include "operations.h"

#define UNROLL _Pragma("unroll")
#define KERNEL(NAME, ...) extern "C" __global__ void NAME(unsigned *clocks, unsigned rounds, __VA_ARGS__)

/// Independent chains of multiply-adds in rotation, `STEPS` of each in a round; the first `stay` threads run them.
template <int STEPS, int CHAINS>
static __device__ __forceinline__ void chains(unsigned *clocks, unsigned rounds, unsigned stay, float addend,
                                              float *result) {
    if (threadIdx.x >= stay) {
        return;
    }
    Frame<1> frame;
    float sums[CHAINS];
    UNROLL for (int chain = 0; chain < CHAINS; ++chain) {
        sums[chain] = static_cast<float>(threadIdx.x + chain);
    }
    PASSES(rounds, count) {
        SECTION(
            frame, 0, count, UNROLL for (int step = 0; step < STEPS; ++step) {
                UNROLL for (int chain = 0; chain < CHAINS; ++chain) {
                    sums[chain] = fmaf(sums[chain], 1.000001f, addend);
                }
            });
    }
    frame.store(clocks);
    float sum = 0.0f;
    UNROLL for (int chain = 0; chain < CHAINS; ++chain) {
        sum += sums[chain];
    }
    result[threadIdx.x] = sum;
}
#define CHAINS(STEPS, NUMBER)                                                                                          \
    KERNEL(chains_##STEPS##_##NUMBER, unsigned stay, float addend, float *result) {                                    \
        chains<STEPS, NUMBER>(clocks, rounds, stay, addend, result);                                                   \
    }
CHAINS(32, 1)
CHAINS(32, 4)
CHAINS(24, 1)
CHAINS(128, 1)
CHAINS(16, 1)
CHAINS(8, 1)
CHAINS(8, 3)
CHAINS(8, 6)
CHAINS(8, 12)
CHAINS(2, 8)

/// One chain of steps of an operation; the first `stay` threads run it.
template <typename Operation, int STEPS, typename T>
static __device__ __forceinline__ void chain(unsigned *clocks, unsigned rounds, unsigned stay, T a, T b, T *result) {
    if (threadIdx.x >= stay) {
        return;
    }
    Frame<1> frame;
    T x = a;
    PASSES(rounds, count) {
        SECTION(
            frame, 0, count, UNROLL for (int step = 0; step < STEPS; ++step) { x = Operation::step(x, a, b, step); });
    }
    frame.store(clocks);
    result[threadIdx.x] = x;
}
#define CHAIN(NAME, TYPE, OPERATION, STEPS)                                                                            \
    KERNEL(chain_##NAME##_##STEPS, unsigned stay, TYPE a, TYPE b, TYPE *result) {                                      \
        chain<OPERATION<TYPE>, STEPS>(clocks, rounds, stay, a, b, result);                                             \
    }
CHAIN(FADD, float, Fadd, 24)
CHAIN(IMAD, unsigned, Imad, 24)
CHAIN(IMAD, unsigned, Imad, 32)
CHAIN(LOP3, unsigned, Lop3, 24)
CHAIN(PRMT, unsigned, Prmt, 24)
CHAIN(MUFU, float, Mufu, 24)
CHAIN(FMUL_MUFU, float, FmulMufu, 24)
CHAIN(FMUL_MUFU, float, FmulMufu, 64)
CHAIN(BREV, unsigned, Brev, 24)
CHAIN(SHFL, unsigned, Shfl, 24)
CHAIN(REDUX, unsigned, Redux, 24)
CHAIN(DADD, double, Dadd, 24)
CHAIN(DFMA, double, Dfma, 24)
CHAIN(DFMA, double, Dfma, 128)
CHAIN(HFMA2, unsigned, Hfma2, 64)

/// Thread 0 follows a list of 1024 indices through shared memory.
template <int STEPS>
static __device__ __forceinline__ void shared_chase(unsigned *clocks, unsigned rounds, unsigned *result) {
    __shared__ unsigned following[1024];
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) {
        following[i] = (i + 1) % 1024;
    }
    __syncthreads();
    if (threadIdx.x != 0) {
        return;
    }
    Frame<1> frame;
    unsigned index = 0;
    PASSES(rounds, count) {
        SECTION(
            frame, 0, count, UNROLL for (int step = 0; step < STEPS; ++step) { index = following[index]; });
    }
    frame.store(clocks);
    result[0] = index;
}
KERNEL(shared_chase_32, unsigned *result) {
    shared_chase<32>(clocks, rounds, result);
}
KERNEL(shared_chase_64, unsigned *result) {
    shared_chase<64>(clocks, rounds, result);
}

/// Loads of neighbouring lanes `stride` words apart, each access `stride` words past the previous one.
KERNEL(bank_stride, unsigned stride, unsigned *result) {
    __shared__ unsigned words[2048];
    words[threadIdx.x] = threadIdx.x;
    __syncthreads();
    Frame<1> frame;
    unsigned sum = 0;
    PASSES(rounds, count) {
        unsigned index = threadIdx.x * stride;
        SECTION(
            frame, 0, count, UNROLL for (int step = 0; step < 32; ++step) {
                sum ^= words[index % 2048];
                index += stride;
            });
    }
    frame.store(clocks);
    result[threadIdx.x] = sum;
}

/// Thread 0 follows a list of indices through global memory; the first pass uses another list.
KERNEL(chase, const unsigned *warm, const unsigned *ring, unsigned start, unsigned *result) {
    if (threadIdx.x != 0) {
        return;
    }
    Frame<1> frame;
    unsigned index = 0;
    PASSES(rounds, count) {
        const unsigned *const list = pass == 0 ? warm : ring;
        index = pass == 0 ? 0 : start;
        SECTION(
            frame, 0, count, UNROLL for (int step = 0; step < 16; ++step) { index = list[index]; });
    }
    frame.store(clocks);
    result[0] = index;
}

/// Thread 0 adds one to a word of shared memory, then all meet.
KERNEL(barrier_loop, unsigned *result) {
    __shared__ unsigned word[1];
    word[0] = 0;
    __syncthreads();
    Frame<1> frame;
    PASSES(rounds, count) {
        SECTION(
            frame, 0, count, UNROLL for (int step = 0; step < 8; ++step) {
                if (threadIdx.x == 0) {
                    word[0] += 1;
                }
                __syncthreads();
            });
    }
    frame.store(clocks);
    result[threadIdx.x] = word[0];
}

/// Memory barriers of all warps with nothing in flight.
template <bool SYSTEM>
static __device__ __forceinline__ void fence_loop(unsigned *clocks, unsigned rounds, unsigned *result) {
    Frame<1> frame;
    unsigned sum = threadIdx.x;
    PASSES(rounds, count) {
        SECTION(
            frame, 0, count, UNROLL for (int step = 0; step < 8; ++step) {
                sum += 1;
                SYSTEM ? __threadfence_system() : __threadfence();
            });
    }
    frame.store(clocks);
    result[threadIdx.x] = sum;
}
KERNEL(fence_loop_GPU, unsigned *result) {
    fence_loop<false>(clocks, rounds, result);
}
KERNEL(fence_loop_SYS, unsigned *result) {
    fence_loop<true>(clocks, rounds, result);
}
