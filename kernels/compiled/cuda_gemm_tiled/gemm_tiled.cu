// C = A B for an m x k and a k x n matrix, row by row in memory: each CTA computes a tile of 128 x 128, each of its 256
// threads 8 x 8 of it in registers. m and n are multiples of 128, k of 8.
//
// Shows: 64 sums in registers, tiles of A and B in two buffers of shared memory (the next tiles are loaded while the current
// ones are multiplied, so one barrier per step), loads of four numbers at once from both memories, many fused multiply-adds
// per load. A's tile is stored by columns, so that eight of its rows are two loads.
#include "smsim_cuda.h"

const int kTile = 128;
const int kDepth = 8;
// Four more than a row needs, so that the stores of A's columns go to different banks.
const int kRow = kTile + 4;

SMSIM_FUNCTION void read(float *to, const float *from) {
    const float4 four = *(const float4 *)from;
    to[0] = four.x;
    to[1] = four.y;
    to[2] = four.z;
    to[3] = four.w;
}

extern "C" __global__ void __launch_bounds__(256)
    gemm_tiled(int n, int k, const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c) {
    __shared__ __align__(16) float tile_a[2][kDepth][kRow];
    __shared__ __align__(16) float tile_b[2][kDepth][kRow];
    const int thread = threadIdx.x;
    // This thread loads four numbers of a row of A, and four of a row of B.
    const int row_a = thread / 2;
    const int column_a = thread % 2 * 4;
    const int row_b = thread / 32;
    const int column_b = thread % 32 * 4;
    a += (blockIdx.y * kTile + row_a) * k + column_a;
    b += row_b * n + blockIdx.x * kTile + column_b;
    // It computes four rows and four columns in each half of the tile.
    const int row = thread / 16 * 4;
    const int column = thread % 16 * 4;

    float sum[8][8] = {};
    float next_a[4];
    float next_b[4];
    read(next_a, a);
    read(next_b, b);
    int buffer = 0;
    for (int t = 0; t < k; t += kDepth) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            tile_a[buffer][column_a + i][row_a] = next_a[i];
        }
        *(float4 *)&tile_b[buffer][row_b][column_b] = make_float4(next_b[0], next_b[1], next_b[2], next_b[3]);
        __syncthreads();
        if (t + kDepth < k) {
            a += kDepth;
            b += kDepth * n;
            read(next_a, a);
            read(next_b, b);
        }
#pragma unroll
        for (int i = 0; i < kDepth; ++i) {
            float part_a[8];
            float part_b[8];
            read(part_a, &tile_a[buffer][i][row]);
            read(part_a + 4, &tile_a[buffer][i][row + kTile / 2]);
            read(part_b, &tile_b[buffer][i][column]);
            read(part_b + 4, &tile_b[buffer][i][column + kTile / 2]);
#pragma unroll
            for (int y = 0; y < 8; ++y) {
#pragma unroll
                for (int x = 0; x < 8; ++x) {
                    sum[y][x] += part_a[y] * part_b[x];
                }
            }
        }
        buffer ^= 1;
    }
#pragma unroll
    for (int y = 0; y < 8; ++y) {
        float *out = c + (blockIdx.y * kTile + row + y / 4 * (kTile / 2) + y % 4) * n + blockIdx.x * kTile + column;
        *(float4 *)out = make_float4(sum[y][0], sum[y][1], sum[y][2], sum[y][3]);
        *(float4 *)(out + kTile / 2) = make_float4(sum[y][4], sum[y][5], sum[y][6], sum[y][7]);
    }
}
