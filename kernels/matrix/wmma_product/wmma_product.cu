// C = A * B + C for an m x k and a k x n matrix in half precision and C in single precision, all by rows in global memory:
// each warp computes a tile of 16 x 16, the four warps of a CTA 32 x 32. m and n are multiples of 32, k of 16.
//
// Shows: fragments of nvcuda::wmma, loaded from and stored to global memory without shared memory, sums that stay in
// registers over a loop.
#include <mma.h>

using namespace nvcuda;

extern "C" __global__ void __launch_bounds__(128) wmma_product(int n, int k, const half *a, const half *b, float *c) {
    const int warp = threadIdx.x / 32;
    const int row = blockIdx.y * 32 + warp / 2 * 16;
    const int column = blockIdx.x * 32 + warp % 2 * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> part_a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> part_b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::load_matrix_sync(sum, c + row * n + column, n, wmma::mem_row_major);
#pragma unroll 1
    for (int i = 0; i < k; i += 16) {
        wmma::load_matrix_sync(part_a, a + row * k + i, k);
        wmma::load_matrix_sync(part_b, b + i * n + column, n);
        wmma::mma_sync(sum, part_a, part_b, sum);
    }
    wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}
