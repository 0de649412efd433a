// Two warps fetch data into shared memory, two others work on it, with two buffers between them. Named barriers say when a
// buffer is full and when it is empty again: one side waits (bar.sync), the other only arrives (bar.arrive).
// kernels/synchronisation/producer_consumer is the hand-written one.
//
// Shows: specialised warps, barriers on which half of the CTA never waits, overlap of loads and work.
#include "smsim_cuda.h"

const int kSide = 64;
const int kBoth = 2 * kSide;

// Numbers of the barriers; add the number of the buffer.
const int kFull = 1;
const int kEmpty = 3;

__device__ void produce(int steps, const unsigned *data, unsigned (*buffers)[kSide], int thread) {
    for (int step = 0; step < steps; ++step) {
        const int buffer = step % 2;
        const unsigned value = data[step * kSide + thread];
        if (step >= 2) {
            smsim_bar_sync(kEmpty + buffer, kBoth);
        }
        buffers[buffer][thread] = value;
        smsim_bar_arrive(kFull + buffer, kBoth);
    }
}

/// Each thread folds words from the whole buffer into its own number.
__device__ unsigned consume(int steps, const unsigned (*buffers)[kSide], int thread) {
    unsigned result = 0;
    for (int step = 0; step < steps; ++step) {
        const int buffer = step % 2;
        smsim_bar_sync(kFull + buffer, kBoth);
        for (int i = 0; i < 8; ++i) {
            result = result * 5 + buffers[buffer][(thread + 8 * i) % kSide];
        }
        if (step + 2 < steps) {
            smsim_bar_arrive(kEmpty + buffer, kBoth);
        }
    }
    return result;
}

extern "C" __global__ void producer_consumer(int steps, const unsigned *data, unsigned *results) {
    __shared__ unsigned buffers[2][kSide];
    const int thread = threadIdx.x % kSide;
    const unsigned *const own = data + blockIdx.x * steps * kSide;
    if (threadIdx.x < kSide) {
        produce(steps, own, buffers, thread);
    } else {
        results[blockIdx.x * kSide + thread] = consume(steps, buffers, thread);
    }
}
