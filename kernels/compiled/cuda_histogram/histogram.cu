// Counts the values of bytes: each CTA in shared memory, then its counts are added to those in global memory. The data is
// read as words of four bytes.
//
// Shows: atomics on shared memory, with many lanes at one address where values are frequent; atomics without result on
// global memory.
#include "smsim_cuda.h"

extern "C" __global__ void histogram(unsigned words, const unsigned *data, unsigned *bins) {
    __shared__ unsigned counts[256];
    counts[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) {
        const unsigned word = data[i];
        for (unsigned shift = 0; shift < 32; shift += 8) {
            atomicAdd(&counts[(word >> shift) & 0xffu], 1u);
        }
    }
    __syncthreads();
    const unsigned count = counts[threadIdx.x];
    if (count != 0) {
        atomicAdd(&bins[threadIdx.x], count);
    }
}
