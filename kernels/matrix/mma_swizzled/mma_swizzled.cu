// C = A * B in half precision with sums in single precision, all by rows in memory: each CTA computes 64 x 64 of C with
// mma of m16n8k16, each of its four warps 32 x 32. m, n and k are multiples of 64.
//
// Shows: ldmatrix from tiles in shared memory, and what a swizzle is for. A row of a tile is 64 halves, 128 bytes: all
// banks. ldmatrix reads eight rows at one column, 16 bytes each, which are the same four banks: eight passes. With the
// swizzle, row r has its group g of 16 bytes at place g ^ (r % 8), so that eight rows are all banks: one pass. Stores of
// whole rows are free of conflicts either way. SWIZZLE=0 (launch_naive_cu.yaml) leaves the groups where they are: compare
// the bank conflicts of both reports.
#include <cuda_fp16.h>

#ifndef SWIZZLE
#define SWIZZLE 1
#endif

const int kTile = 64;
const int kGroup = 8; // halves in 16 bytes

// Index in a tile of the group of 16 bytes that holds element (row, column).
__device__ __forceinline__ int place(int row, int column) {
    const int group = column / kGroup;
    return row * kTile + (SWIZZLE ? group ^ (row % 8) : group) * kGroup;
}

// Four matrices of 8 x 8, whose rows the four groups of eight lanes name.
__device__ __forceinline__ void load(unsigned (&to)[4], const half *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"((unsigned)__cvta_generic_to_shared(row))
                 : "memory");
}
__device__ __forceinline__ void load_transposed(unsigned (&to)[4], const half *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"((unsigned)__cvta_generic_to_shared(row))
                 : "memory");
}

__device__ __forceinline__ void multiply_add(float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Copies 64 x 64 halves, 16 bytes per thread and access.
__device__ __forceinline__ void copy_tile(half *tile, const half *from, int stride) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const int row = threadIdx.x / 8 + i * 16;
        const int column = threadIdx.x % 8 * kGroup;
        *(uint4 *)(tile + place(row, column)) = *(const uint4 *)(from + row * stride + column);
    }
}

extern "C" __global__ void __launch_bounds__(128) mma_product(int n, int k, const half *a, const half *b, float *c) {
    __shared__ __align__(128) half tile_a[kTile * kTile];
    __shared__ __align__(128) half tile_b[kTile * kTile];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const int row = warp / 2 * 32;
    const int column = warp % 2 * 32;
    a += blockIdx.y * kTile * k;
    b += blockIdx.x * kTile;
    c += blockIdx.y * kTile * n + blockIdx.x * kTile;
    float sum[2][4][4] = {};
#pragma unroll 1
    for (int step = 0; step < k; step += kTile) {
        copy_tile(tile_a, a + step, k);
        copy_tile(tile_b, b + step * n, n);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < kTile; i += 16) {
            unsigned part_a[2][4];
            unsigned part_b[2][4];
#pragma unroll
            for (int y = 0; y < 2; ++y) {
                // Rows 0 to 15 of the first eight columns, then those of the next eight.
                load(part_a[y], tile_a + place(row + y * 16 + lane % 16, i + lane / 16 * 8));
            }
#pragma unroll
            for (int x = 0; x < 2; ++x) {
                // B is by rows, and mma takes it by columns: each of two neighbouring tiles of 8 columns is two matrices.
                load_transposed(part_b[x], tile_b + place(i + lane % 16, column + x * 16 + lane / 16 * 8));
            }
#pragma unroll
            for (int y = 0; y < 2; ++y) {
#pragma unroll
                for (int x = 0; x < 4; ++x) {
                    multiply_add(sum[y][x], part_a[y], part_b[x / 2][x % 2 * 2], part_b[x / 2][x % 2 * 2 + 1]);
                }
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int y = 0; y < 2; ++y) {
#pragma unroll
        for (int x = 0; x < 4; ++x) {
            float *out = c + (row + y * 16 + lane / 4) * n + column + x * 8 + lane % 4 * 2;
            *(float2 *)out = make_float2(sum[y][x][0], sum[y][x][1]);
            *(float2 *)(out + 8 * n) = make_float2(sum[y][x][2], sum[y][x][3]);
        }
    }
}
