// Sorts 2048 numbers in shared memory by a bitonic network, two per thread. kernels/synchronisation/bitonic_sort is the hand-written one.
//
// Shows: a barrier per step, index arithmetic, strides with and without bank conflicts, and exchanges by only some lanes.
#include "smsim_cuda.h"

const unsigned kCount = 2048;

extern "C" __global__ void __launch_bounds__(1024) bitonic_sort(int *data) {
    __shared__ int numbers[kCount];
    numbers[threadIdx.x] = data[threadIdx.x];
    numbers[threadIdx.x + 1024] = data[threadIdx.x + 1024];
    for (unsigned size = 2; size <= kCount; size *= 2) {
        for (unsigned stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            const unsigned low = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            const unsigned high = low + stride;
            const int a = numbers[low];
            const int b = numbers[high];
            const bool upwards = (low & size) == 0;
            if ((a > b) == upwards) {
                numbers[low] = b;
                numbers[high] = a;
            }
        }
    }
    __syncthreads();
    data[threadIdx.x] = numbers[threadIdx.x];
    data[threadIdx.x + 1024] = numbers[threadIdx.x + 1024];
}
