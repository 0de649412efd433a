// C = A * B in half precision with sums in single precision, where two of each four neighbours in a row of A are zero:
// `a` has the other two of each four, `positions` a word for every 32 columns of a row, with two bits for each number of
// `a`: its place among the four. B and C are by rows. Each CTA computes 64 x 64 of C with mma.sp of m16n8k32, each of its
// four warps 32 x 32. m and n are multiples of 64, k of 128. It needs a GPU of 8.0 or later.
//
// Shows: products with half of A left out, which take the time of half as many columns, and how the positions reach the
// lanes that mma.sp reads them from: lanes 4 g and 4 g + 1 have those of rows g and g + 8, 16 columns each.
#include <cuda_fp16.h>

const int kTile = 64;
const int kDepth = 128; // columns of A of a step; 64 of them are there
const int kGroup = 8;   // halves in 16 bytes

// Index in a tile with rows of 64 halves of the group of 16 bytes that holds element (row, column).
__device__ __forceinline__ int place(int row, int column) {
    return row * kTile + (column / kGroup ^ row % 8) * kGroup;
}

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

__device__ __forceinline__ void multiply_add(float (&sum)[4], const unsigned (&a)[4], const unsigned (&b)[4],
                                             unsigned positions) {
    asm volatile("mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                 "{%8, %9, %10, %11}, {%0, %1, %2, %3}, %12, 0x0;"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]),
                   "r"(positions));
}

// Copies `rows` rows of 64 halves, 16 bytes per thread and access.
template <int rows> __device__ __forceinline__ void copy_tile(half *tile, const half *from, int stride) {
#pragma unroll
    for (int i = 0; i < rows; i += 16) {
        const int row = threadIdx.x / 8 + i;
        const int column = threadIdx.x % 8 * kGroup;
        *(uint4 *)(tile + place(row, column)) = *(const uint4 *)(from + row * stride + column);
    }
}

extern "C" __global__ void __launch_bounds__(128)
    mma_sparse(int n, int k, const half *a, const unsigned *positions, const half *b, float *c) {
    __shared__ __align__(128) half tile_a[kTile * kDepth / 2];
    __shared__ __align__(128) half tile_b[kDepth * kTile];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const int row = warp / 2 * 32;
    const int column = warp % 2 * 32;
    a += blockIdx.y * kTile * (k / 2);
    positions += (blockIdx.y * kTile + row + lane / 4) * (k / 32);
    b += blockIdx.x * kTile;
    c += blockIdx.y * kTile * n + blockIdx.x * kTile;
    const int half_of_word = lane % 2 * 16; // of the positions of 32 columns
    float sum[2][4][4] = {};
#pragma unroll 1
    for (int step = 0; step < k; step += kDepth) {
        copy_tile<kTile>(tile_a, a + step / 2, k / 2);
        copy_tile<kDepth>(tile_b, b + step * n, n);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < kDepth; i += 32) {
            unsigned part_a[2][4];
            unsigned of_rows[2];
#pragma unroll
            for (int y = 0; y < 2; ++y) {
                load(part_a[y], tile_a + place(row + y * 16 + lane % 16, i / 2 + lane / 16 * 8));
                const unsigned *words = positions + y * 16 * (k / 32) + (step + i) / 32;
                const unsigned upper = words[0] >> half_of_word & 0xffff;
                const unsigned lower = words[8 * (k / 32)] >> half_of_word & 0xffff;
                of_rows[y] = upper | lower << 16;
            }
#pragma unroll
            for (int x = 0; x < 4; ++x) {
                unsigned part_b[4];
                load_transposed(part_b, tile_b + place(i + lane, column + x * 8));
#pragma unroll
                for (int y = 0; y < 2; ++y) {
                    multiply_add(sum[y][x], part_a[y], part_b, of_rows[y]);
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
