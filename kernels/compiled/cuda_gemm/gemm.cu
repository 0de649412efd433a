// C = A B for an m x k and a k x n matrix, row by row in memory: each CTA computes a tile of 16 x 16, over tiles of A and B
// in shared memory.
//
// Shows: shared memory filled and read by all threads (a row of A by broadcast), guards where matrices end inside a tile,
// fused multiply-adds in an unrolled loop. kernels/memory/matmul is the hand-written and faster one.
#include "smsim_cuda.h"

extern "C" __global__ void gemm(int m, int n, int k, const float *a, const float *b, float *c) {
    __shared__ float tile_a[16][16];
    __shared__ float tile_b[16][16];
    const int column = blockIdx.x * 16 + threadIdx.x;
    const int row = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    for (int t = 0; t < k; t += 16) {
        const int column_a = t + threadIdx.x;
        const int row_b = t + threadIdx.y;
        tile_a[threadIdx.y][threadIdx.x] = row < m && column_a < k ? a[row * k + column_a] : 0.0f;
        tile_b[threadIdx.y][threadIdx.x] = row_b < k && column < n ? b[row_b * n + column] : 0.0f;
        __syncthreads();
        for (int i = 0; i < 16; ++i) {
            sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
        }
        __syncthreads();
    }
    if (row < m && column < n) {
        c[row * n + column] = sum;
    }
}
