// Sorts segments of 2048 keys with their values by the lowest `bits` bits of the keys, equal keys in the order
// of the input: a CTA of 512 threads per segment, a pass per four bits. Each pass counts the digits of each warp, sums
// these counts in the order of digits and warps, and scatters.
//
// Shows: ranks within a warp by MATCH and POPC, per-warp counters in shared memory that only the warp's own lanes change, a
// scan by shuffles within and across warps, a scatter into shared memory.
#include "smsim_cuda.h"

const int kThreads = 512;
const int kWarps = kThreads / 32;
const int kItems = 4;
const int kSegment = kThreads * kItems;
const int kDigits = 16;

extern "C" __global__ void __launch_bounds__(kThreads)
    radix_sort(int bits, unsigned *__restrict__ keys, unsigned *__restrict__ values) {
    __shared__ unsigned new_keys[kSegment];
    __shared__ unsigned new_values[kSegment];
    __shared__ unsigned counts[kDigits * kWarps]; // digit after digit, warp after warp
    __shared__ unsigned sums[kWarps];
    const int thread = threadIdx.x;
    const int lane = thread % 32;
    const int warp = thread / 32;
    const unsigned below = (1u << lane) - 1;
    // A warp has 128 consecutive keys, in rounds of 32.
    const int first = warp * 32 * kItems + lane;
    keys += blockIdx.x * kSegment;
    values += blockIdx.x * kSegment;
    unsigned key[kItems];
    unsigned value[kItems];
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
        key[i] = keys[first + i * 32];
        value[i] = values[first + i * 32];
    }
    for (int shift = 0; shift < bits; shift += 4) {
        if (thread < kDigits * kWarps) {
            counts[thread] = 0;
        }
        __syncthreads();
        unsigned rank[kItems]; // among the keys of the warp with the same digit
#pragma unroll
        for (int i = 0; i < kItems; ++i) {
            const unsigned digit = key[i] >> shift & (kDigits - 1);
            unsigned *count = &counts[digit * kWarps + warp];
            const unsigned same = __match_any_sync(0xffffffffu, digit);
            const unsigned before = *count;
            __syncwarp();
            rank[i] = before + __popc(same & below);
            if ((same & below) == 0) {
                *count = before + __popc(same);
            }
            __syncwarp();
        }
        __syncthreads();
        // The sum of all counts before each one.
        unsigned sum = 0;
        unsigned own = 0;
        if (thread < kDigits * kWarps) {
            own = counts[thread];
            sum = own;
#pragma unroll
            for (int distance = 1; distance < 32; distance *= 2) {
                const unsigned other = __shfl_up_sync(0xffffffffu, sum, distance);
                sum += lane >= distance ? other : 0;
            }
            if (lane == 31) {
                sums[warp] = sum;
            }
        }
        __syncthreads();
        if (thread < kDigits * kWarps) {
            for (int other = 0; other < warp; ++other) {
                sum += sums[other];
            }
            counts[thread] = sum - own;
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < kItems; ++i) {
            const unsigned digit = key[i] >> shift & (kDigits - 1);
            const unsigned place = counts[digit * kWarps + warp] + rank[i];
            new_keys[place] = key[i];
            new_values[place] = value[i];
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < kItems; ++i) {
            key[i] = new_keys[first + i * 32];
            value[i] = new_values[first + i * 32];
        }
    }
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
        keys[first + i * 32] = key[i];
        values[first + i * 32] = value[i];
    }
}
