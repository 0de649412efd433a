// Every function of smsim_cuda/barrier.h: barriers with a result, named barriers with a part of the CTA, fences, clocks, sleep.
#include "smsim_cuda.h"

extern "C" __global__ void barrier(const unsigned *a, unsigned *out) {
    __shared__ unsigned words[64];
    __shared__ unsigned more[64];
    const int i = threadIdx.x;
    const int n = blockDim.x;
    const unsigned x = a[i];
    out += i;
    out[0 * n] = __syncthreads_count(x & 1);
    out[1 * n] = __syncthreads_and(x != 5) != 0;
    out[2 * n] = __syncthreads_and(x % 8 != 0) != 0;
    out[3 * n] = __syncthreads_or(x % 8 == 0) != 0;
    out[4 * n] = __syncthreads_or(x == 5) != 0;
    if (i < 64) {
        words[i] = x;
    }
    __threadfence_block();
    __threadfence();
    __threadfence_system();
    // Warps 0 and 1 meet without warp 2, which waits for them with the second barrier.
    if (i < 64) {
        smsim_bar_sync(1, 64);
        out[5 * n] = words[63 - i];
        more[i] = x + 1;
        smsim_bar_arrive(2, 96);
    } else {
        smsim_bar_sync(2, 96);
        out[5 * n] = more[i - 64] + more[i - 32];
    }
    const long long start = clock64();
    const unsigned short_start = clock();
    __nanosleep(100);
    out[6 * n] = clock() - short_start < 100000u;
    out[7 * n] = clock64() > start;
}
