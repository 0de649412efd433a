// Lengths of the shortest paths between all nodes of a graph, from the lengths of its edges. Two kernels: one CTA that
// holds the matrix in shared memory and iterates over all intermediate nodes, and a step for one intermediate node,
// with a launch for each.
//
// Shows: a barrier per round in a loop, a matrix row read by all threads and a number of the column by broadcast,
// minima of sums without branches; and, in steps.yaml, consecutive launches with an argument that counts.
#include "smsim_cuda.h"

const int kMost = 64;
const int kWidth = 32;
const int kHeight = 8;

/// 32 x 8 threads; n is at most 64. No edge: 1 << 29, so that sums do not wrap.
extern "C" __global__ void __launch_bounds__(kWidth *kHeight) floyd_warshall(int n, int *__restrict__ lengths) {
    __shared__ int matrix[kMost][kMost];
    for (int row = threadIdx.y; row < n; row += kHeight) {
        for (int column = threadIdx.x; column < n; column += kWidth) {
            matrix[row][column] = lengths[row * n + column];
        }
    }
    for (int between = 0; between < n; ++between) {
        // A round changes neither its row nor its column, since no length is negative.
        __syncthreads();
        for (int row = threadIdx.y; row < n; row += kHeight) {
            const int start = matrix[row][between];
            for (int column = threadIdx.x; column < n; column += kWidth) {
                matrix[row][column] = min(matrix[row][column], start + matrix[between][column]);
            }
        }
    }
    for (int row = threadIdx.y; row < n; row += kHeight) {
        for (int column = threadIdx.x; column < n; column += kWidth) {
            lengths[row * n + column] = matrix[row][column];
        }
    }
}

/// One round of it, in global memory: a thread per pair of nodes.
extern "C" __global__ void __launch_bounds__(kWidth *kHeight) floyd_warshall_step(int n, int between, int *lengths) {
    const int column = blockIdx.x * kWidth + threadIdx.x;
    const int row = blockIdx.y * kHeight + threadIdx.y;
    if (row >= n || column >= n) {
        return;
    }
    const int over = lengths[row * n + between] + lengths[between * n + column];
    if (over < lengths[row * n + column]) {
        lengths[row * n + column] = over;
    }
}
