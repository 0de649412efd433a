// Breadth-first search from node 0 by one CTA: all levels within one launch. The frontiers are in two queues in global
// memory; a thread takes a node of the current one, visits its neighbours, and puts those that it finds first into the next.
//
// Shows: irregular divergence (few nodes per level, neighbour lists of different length, few neighbours new), an atomic
// compare-and-swap per edge, a loop around barriers whose trip count comes from memory. kernels/control_flow/bfs_step is one level, by hand.
#include "smsim_cuda.h"

const unsigned kUnknown = 0xffffffffu;

/// `distance` holds kUnknown, except 0 for node 0; `queues` has room for twice `nodes`.
extern "C" __global__ void bfs(unsigned nodes, const unsigned *offsets, const unsigned *targets, unsigned *distance,
                               unsigned *queues, unsigned *of_level) {
    __shared__ unsigned found;
    unsigned *present = queues;
    unsigned *next = queues + nodes;
    unsigned size = 1;
    if (threadIdx.x == 0) {
        present[0] = 0;
    }
    for (unsigned level = 0; size > 0; ++level) {
        if (threadIdx.x == 0) {
            of_level[level] = size;
            found = 0;
        }
        __syncthreads();
        for (unsigned i = threadIdx.x; i < size; i += blockDim.x) {
            const unsigned node = present[i];
            for (unsigned edge = offsets[node]; edge < offsets[node + 1]; ++edge) {
                const unsigned target = targets[edge];
                if (atomicCAS(&distance[target], kUnknown, level + 1) == kUnknown) {
                    next[atomicAdd(&found, 1u)] = target;
                }
            }
        }
        __syncthreads();
        size = found;
        unsigned *const old = present;
        present = next;
        next = old;
        __syncthreads();
    }
}
