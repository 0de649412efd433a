// All threads of a grid add to a record of three numbers under one lock. A thread that finds it taken sleeps,
// each time twice as long. The 64-bit sum, the largest value and the number of updates are read and written by plain accesses.
//
// Shows: nanosleep with exponential back-off: lanes of one warp that sleep for different times while another holds the lock.
#include "smsim_cuda.h"

struct Record {
    unsigned long long sum;
    unsigned largest;
    unsigned updates;
};

__device__ unsigned mutex;

__device__ void lock() {
    unsigned nanoseconds = 8;
    while (atomicCAS(&mutex, 0u, 1u) != 0) {
        __nanosleep(nanoseconds);
        if (nanoseconds < 512) {
            nanoseconds *= 2;
        }
    }
    __threadfence();
}

__device__ void unlock() {
    __threadfence();
    atomicExch(&mutex, 0u);
}

extern "C" __global__ void backoff_lock(const unsigned *values, Record *result) {
    volatile Record *const record = result;
    const unsigned value = values[blockIdx.x * blockDim.x + threadIdx.x];
    lock();
    record->sum = record->sum + value;
    if (value > record->largest) {
        record->largest = value;
    }
    record->updates = record->updates + 1;
    unlock();
}
