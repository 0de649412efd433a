// Inclusive prefix sums of n integers by one CTA. A tile of 1024 numbers at a time: each warp scans 32 by shuffles, the
// first warp scans the 32 warp totals, and the sum of all previous tiles is kept in shared memory.
//
// Shows: SHFL.UP with its predicate, two barriers per tile, one warp that works while 31 wait.
#include "smsim_cuda.h"

__device__ int warp_scan(int value) {
    const int lane = threadIdx.x % 32;
    for (int distance = 1; distance < 32; distance *= 2) {
        const int below = __shfl_up_sync(0xffffffffu, value, distance);
        if (lane >= distance) {
            value += below;
        }
    }
    return value;
}

extern "C" __global__ void __launch_bounds__(1024) scan(int n, const int *data, int *sums) {
    __shared__ int of_warp[32];
    __shared__ int carry;
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    if (threadIdx.x == 0) {
        carry = 0;
    }
    for (int tile = 0; tile < n; tile += 1024) {
        const int i = tile + threadIdx.x;
        const int sum = warp_scan(i < n ? data[i] : 0);
        if (lane == 31) {
            of_warp[warp] = sum;
        }
        __syncthreads();
        const int before = carry;
        if (warp == 0) {
            of_warp[lane] = warp_scan(of_warp[lane]);
        }
        __syncthreads();
        const int result = before + sum + (warp > 0 ? of_warp[warp - 1] : 0);
        if (i < n) {
            sums[i] = result;
        }
        if (threadIdx.x == 1023) {
            carry = result;
        }
        __syncthreads();
    }
}
