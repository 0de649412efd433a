// Every function of smsim_cuda/atomic.h, in global and in shared memory. Each thread has words of its own, whose old and
// new values are checked; and all threads meet at common words, whose last value is.
#include "smsim_cuda.h"

const int kThreads = 64;
const int kOperations = 11;

/// Applies each operation to a word of its own; `old` gets the values before.
__device__ void apply(unsigned *words, unsigned *old, unsigned v) {
    old[0] = atomicAdd(words + 0, v);
    old[1] = atomicSub(words + 1, v);
    old[2] = atomicExch(words + 2, v);
    old[3] = atomicCAS(words + 3, threadIdx.x % 2 ? words[3] : ~words[3], v);
    old[4] = atomicMin(words + 4, v);
    old[5] = atomicMax(words + 5, v);
    old[6] = atomicAnd(words + 6, v);
    old[7] = atomicOr(words + 7, v);
    old[8] = atomicXor(words + 8, v);
    old[9] = atomicInc(words + 9, v % 7);
    old[10] = atomicDec(words + 10, v % 7);
}

/// All threads at the same words; the result does not depend on their order.
__device__ void meet(int *words, unsigned long long *wide, float *single, double *twice, int v) {
    atomicAdd(words + 0, v);
    atomicSub(words + 1, v);
    atomicMin(words + 2, v);
    atomicMax(words + 3, v);
    atomicAnd(words + 4, v | 0xffff);
    atomicOr(words + 5, v & 0xff00ff);
    atomicXor(words + 6, v);
    // Each thread adds one by compare-and-swap, as often as it takes.
    int seen = words[7];
    int before;
    do {
        before = seen;
        seen = atomicCAS(words + 7, before, before + 1);
    } while (seen != before);
    atomicInc((unsigned *)words + 8, 9);
    atomicDec((unsigned *)words + 9, 9);
    atomicAdd(wide + 0, (unsigned long long)(unsigned)v << 16);
    atomicMax(wide + 1, (unsigned long long)(unsigned)v << 16);
    atomicMin((long long *)wide + 2, (long long)v << 16);
    atomicXor(wide + 3, (unsigned long long)(unsigned)v << 16);
    // Small whole numbers: exact in any order.
    atomicAdd(single, (float)(v & 0xff));
    atomicAdd(twice, (double)v);
}

extern "C" __global__ void atomic(const unsigned *start, const unsigned *values, unsigned *words, unsigned *old,
                                  unsigned *shared_words, unsigned *shared_old, int *common, unsigned long long *wide,
                                  float *single, double *twice) {
    __shared__ unsigned own[kThreads * kOperations];
    __shared__ int shared_common[10];
    __shared__ unsigned long long shared_wide[4];
    __shared__ float shared_single;
    __shared__ double shared_twice;
    const int i = threadIdx.x;
    for (int k = 0; k < kOperations; ++k) {
        own[i * kOperations + k] = start[i * kOperations + k];
    }
    if (i < 10) {
        shared_common[i] = common[i];
    }
    if (i < 4) {
        shared_wide[i] = wide[i];
    }
    if (i == 0) {
        shared_single = 0;
        shared_twice = 0;
    }
    __syncthreads();
    apply(words + i * kOperations, old + i * kOperations, values[i]);
    apply(own + i * kOperations, shared_old + i * kOperations, values[i]);
    meet(common, wide, single, twice, (int)values[i]);
    meet(shared_common, shared_wide, &shared_single, &shared_twice, (int)values[i]);
    __syncthreads();
    for (int k = 0; k < kOperations; ++k) {
        shared_words[i * kOperations + k] = own[i * kOperations + k];
    }
    if (i < 10) {
        common[10 + i] = shared_common[i];
    }
    if (i < 4) {
        wide[4 + i] = shared_wide[i];
    }
    if (i == 0) {
        single[1] = shared_single;
        twice[1] = shared_twice;
    }
}
