// C = A B for n x n matrices, row by row in memory, n a multiple of 32: each CTA of 32 x 8 threads computes a tile of
// 32 x 32, each thread four rows of a column.
//
// Shows: tiles of A and B in shared memory, a row of A by broadcasts of 16 bytes, four sums in registers for each value of B.
// The algorithm is that of the hand-written kernels/memory/matmul, to show what the compiler costs.
#include "smsim_cuda.h"

extern "C" __global__ void __launch_bounds__(256) matmul(int n, const float *a, const float *b, float *c) {
    __shared__ float4 tile_a[32][8];
    __shared__ float tile_b[32][32];
    const int x = threadIdx.x;
    const int y = threadIdx.y * 4;
    const int column = blockIdx.x * 32 + x;
    const int row = blockIdx.y * 32 + y;
    float *const flat_a = &tile_a[0][0].x;
    float sum[4] = {0, 0, 0, 0};
    for (int t = 0; t < n; t += 32) {
        for (int i = 0; i < 4; ++i) {
            flat_a[(y + i) * 32 + x] = a[(row + i) * n + t + x];
            tile_b[y + i][x] = b[(t + y + i) * n + column];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            const float b0 = tile_b[4 * k][x];
            const float b1 = tile_b[4 * k + 1][x];
            const float b2 = tile_b[4 * k + 2][x];
            const float b3 = tile_b[4 * k + 3][x];
            for (int i = 0; i < 4; ++i) {
                const float4 four = tile_a[y + i][k];
                sum[i] += four.x * b0;
                sum[i] += four.y * b1;
                sum[i] += four.z * b2;
                sum[i] += four.w * b3;
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i) {
        c[(row + i) * n + column] = sum[i];
    }
}
