// Looks up numbers in a binary search tree, a thread per number: the value of the greatest key not above the
// number, and how many nodes were visited. The tree is stored in arrays, and is not balanced.
//
// Shows: a chain of loads, each of which gives the address of the next, at scattered addresses; a loop that lanes
// leave at different depths, also in the middle of a round; a choice of the path in each round.
#include "smsim_cuda.h"

struct __align__(16) Node {
    int key;
    int value;
    int left; // -1: none
    int right;
};

extern "C" __global__ void __launch_bounds__(128) tree_walk(int numbers, int root, const Node *__restrict__ nodes,
                                                            const int *__restrict__ wanted, int2 *__restrict__ found) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= numbers) {
        return;
    }
    const int number = wanted[i];
    int value = -1;
    int depth = 0;
    for (int node = root; node >= 0;) {
        const int4 read = *(const int4 *)&nodes[node];
        const Node here = {read.x, read.y, read.z, read.w};
        ++depth;
        if (here.key <= number) {
            value = here.value;
            if (here.key == number) {
                break;
            }
            node = here.right;
        } else {
            node = here.left;
        }
    }
    found[i] = make_int2(value, depth);
}
