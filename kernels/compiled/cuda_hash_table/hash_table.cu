// Inserts keys into a hash table with a list per bucket, each key once. A lock bit per bucket guards its list; a thread that
// finds it taken retries. The CTA that ends last counts the keys of each bucket and adds them up.
//
// Shows: spin locks between threads of one warp. A thread that spins may share its warp with the one that holds the lock,
// which continues only if the scheduler of threads within the warp gives it a turn, and if lock holders do not wait
// for the others before they release it. Also: fences, and the last CTA found by an atomic counter.
#include "smsim_cuda.h"

const unsigned kBuckets = 32;

struct Table {
    unsigned locks[kBuckets];
    unsigned heads[kBuckets];
};

__device__ Table table;
__device__ unsigned ended;

__device__ void lock(unsigned *word) {
    while (atomicCAS(word, 0u, 1u) != 0) {
    }
    __threadfence();
}

__device__ void unlock(unsigned *word) {
    __threadfence();
    atomicExch(word, 0u);
}

/// Puts key i into the list unless an equal one is there. Entry numbers count from 1, so that 0 means the end.
__device__ void insert(const unsigned *keys, volatile unsigned *next, unsigned i) {
    const unsigned key = keys[i];
    const unsigned bucket = (key * 2654435761u) >> 27;
    volatile unsigned *const head = &table.heads[bucket];
    lock(&table.locks[bucket]);
    unsigned entry = *head;
    while (entry != 0 && keys[entry - 1] != key) {
        entry = next[entry - 1];
    }
    if (entry == 0) {
        next[i] = *head;
        *head = i + 1;
    }
    unlock(&table.locks[bucket]);
}

extern "C" __global__ void hash_table(unsigned n, const unsigned *keys, unsigned *next, unsigned *counts, unsigned *sums) {
    __shared__ bool last;
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        insert(keys, next, i);
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(&ended, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last || threadIdx.x >= kBuckets) {
        return;
    }
    __threadfence();
    const volatile unsigned *const links = next;
    unsigned count = 0;
    unsigned sum = 0;
    for (unsigned entry = ((volatile Table *)&table)->heads[threadIdx.x]; entry != 0; entry = links[entry - 1]) {
        ++count;
        sum += keys[entry - 1];
    }
    counts[threadIdx.x] = count;
    sums[threadIdx.x] = sum;
}
