// A layer of a network: out = max(x * w + bias, 0) for a batch of rows x, in bfloat16 with sums in single precision. All
// matrices are by rows; a CTA of four warps computes 32 rows of 32 outputs. The batch and the outputs are multiples of
// 32, the inputs of 16.
//
// Shows: bfloat16 fragments, and what comes after a product. Which elements a fragment has is not specified, so the bias
// comes in through the sums' first value: a row of it, repeated in shared memory, is loaded as C. max(x, 0) needs no place,
// so it is done on the fragment; the rounding to bfloat16 is done on the tile in shared memory, with pairs.
#include <mma.h>

using namespace nvcuda;

const int kTile = 32;

extern "C" __global__ void __launch_bounds__(128)
    mlp_layer(int inputs, int outputs, const __nv_bfloat16 *x, const __nv_bfloat16 *w, const float *bias,
              __nv_bfloat162 *out) {
    __shared__ __align__(32) float tile[kTile * kTile];
    const int warp = threadIdx.x / 32;
    const int row = warp / 2 * 16;
    const int column = warp % 2 * 16;
    x += (blockIdx.y * kTile + row) * inputs;
    w += blockIdx.x * kTile + column;
    for (int i = threadIdx.x; i < kTile * kTile; i += 128) {
        tile[i] = bias[blockIdx.x * kTile + i % kTile];
    }
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> part_x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major> part_w;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    float *own = tile + row * kTile + column;
    wmma::load_matrix_sync(sum, own, kTile, wmma::mem_row_major);
#pragma unroll 1
    for (int i = 0; i < inputs; i += 16) {
        wmma::load_matrix_sync(part_x, x + i, inputs);
        wmma::load_matrix_sync(part_w, w + i * outputs, outputs);
        wmma::mma_sync(sum, part_x, part_w, sum);
    }
#pragma unroll
    for (int i = 0; i < sum.num_elements; ++i) {
        sum.x[i] = fmaxf(sum.x[i], 0.0f);
    }
    wmma::store_matrix_sync(own, sum, kTile, wmma::mem_row_major);
    __syncthreads();
    for (int i = threadIdx.x; i < kTile * kTile / 2; i += 128) {
        const int place = (blockIdx.y * kTile + i / (kTile / 2)) * outputs + blockIdx.x * kTile + i % (kTile / 2) * 2;
        out[place / 2] = __float22bfloat162_rn(((const float2 *)tile)[i]);
    }
}
