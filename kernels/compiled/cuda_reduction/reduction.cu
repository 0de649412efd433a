// Sum of n integers. Each thread adds up a share with a stride of the whole grid, each warp folds its 32 sums by shuffles,
// the first warp those of the others, and one thread per CTA adds the result to the total.
//
// Shows: shuffles instead of shared memory within a warp, a loop whose trip count depends on the thread, one barrier.
#include "smsim_cuda.h"

__device__ int warp_sum(int value) {
    for (int distance = 16; distance > 0; distance /= 2) {
        value += __shfl_down_sync(0xffffffffu, value, distance);
    }
    return value;
}

extern "C" __global__ void reduction(unsigned n, const int *data, int *total) {
    __shared__ int of_warp[32];
    int sum = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        sum += data[i];
    }
    sum = warp_sum(sum);
    const unsigned lane = threadIdx.x % 32;
    const unsigned warp = threadIdx.x / 32;
    if (lane == 0) {
        of_warp[warp] = sum;
    }
    __syncthreads();
    if (warp == 0) {
        sum = warp_sum(lane < blockDim.x / 32 ? of_warp[lane] : 0);
        if (lane == 0) {
            atomicAdd(total, sum);
        }
    }
}
